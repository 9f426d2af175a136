//! The participants of a saga, and what they remember of what was taken back.

use racescope_engine::system::saga::{Memory, Reply, Saga};

use crate::driver::{Promises, Step, keeps_its_promises};

const COMMANDS: [&str; 8] = [
    "DO seat 1",
    "DO seat 1",
    "UNDO seat 1",
    "DO seat 2",
    "UNDO seat 2",
    "DO seat 1 fails",
    "UNDO seat 1 fails",
    "LOOK seat 1",
];

struct Participant {
    memory: Memory,
    /// For each saga, whether its step was taken back.
    taken_back: [bool; 2],
}

impl Promises for Participant {
    type System = Saga;

    fn looks(&self) -> &'static [&'static str] {
        &["LOOK seat 1", "LOOK seat 2"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        !matches!(reply, Reply::Done | Reply::Undone | Reply::Tombstone)
    }

    fn judge(&mut self, step: &Step<Saga>) {
        for (place, look) in self.looks().iter().enumerate() {
            let saga = (place + 1).to_string();
            let answer = step.answer().filter(|(_, words, _)| words.contains(&saga));
            let (was, is) = (step.looked(look), step.look(look));
            if step.is_set_back() {
                self.taken_back[place] = false;
                continue;
            }
            let taken_back = &mut self.taken_back[place];
            *taken_back |=
                matches!(answer, Some((_, _, ref reply)) if reply.starts_with("undone") || reply == "tombstone");
            let is_final = *taken_back && self.memory == Memory::Tombstones;
            assert!(!is_final || is == "not in effect", "{look}: what was taken back is in effect again");
            let does = matches!(answer, Some((_, _, ref reply)) if reply == "done" || reply == "undone");
            assert_eq!(does, was != is, "{look}: only what is answered happens");
        }
    }
}

#[test]
fn saga() {
    for memory in [Memory::Tombstones, Memory::Forgets] {
        let start = || Participant { memory, taken_back: [false; 2] };
        let wanted = ["done", "done before", "undone", "failed", "in effect"];
        keeps_its_promises(&Saga::new(&["seat"], memory), start, &COMMANDS, &wanted);
    }
}
