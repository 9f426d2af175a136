//! Chubby: a lock with sequencers, and the file server that checks them.

use racescope_engine::system::chubby::{CLIENTS, Chubby, Reply, SequencerCheck};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, number_after};

const COMMANDS: [&str; 17] = [
    "Acquire exclusive lock-delay=5s",
    "Acquire exclusive",
    "Acquire shared",
    "TryAcquire exclusive",
    "TryAcquire exclusive lock-delay=5s",
    "TryAcquire shared lock-delay=5s",
    "Release",
    "Release",
    "KeepAlive",
    "GetSequencer",
    "GetSequencer",
    "CheckSequencer lock:exclusive:#",
    "Write v lock:exclusive:#",
    "Write w lock:exclusive:#",
    "Write v lock:shared:#",
    "Write w lock:exclusive:1",
    "Read",
];

struct Cell {
    check: SequencerCheck,
    generation: Rising,
    /// The newest generation with which the file server has taken a write.
    written: u64,
}

const GENERATION: usize = 0;
const MODE: usize = 1;
const HOLDERS: usize = 2;
const NEWEST: usize = 4;

impl Promises for Cell {
    type System = Chubby;

    fn looks(&self) -> &'static [&'static str] {
        &["Read", "CheckSequencer lock:exclusive:1", "CheckSequencer lock:shared:2"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        !matches!(reply, Reply::Done | Reply::Written)
    }

    fn judge(&mut self, step: &Step<Chubby>) {
        let (before, after) = (&step.before.cells, &step.after.cells);
        self.generation.see(after[GENERATION].into(), step);
        let holders = after[HOLDERS].count_ones();
        assert!(if after[MODE] == 1 { holders == 1 } else { (after[MODE] == 2) == (holders > 0) });
        if step.is_set_back() {
            self.written = after[NEWEST].into();
            return;
        }
        let is_taken = before[MODE] == 0 && after[MODE] != 0;
        assert_eq!(after[GENERATION], before[GENERATION] + u16::from(is_taken), "one for each time that it is taken");
        assert!(!is_taken || !step.before.is_armed(CLIENTS), "it was taken within its lock-delay");
        assert!(is_taken || after[HOLDERS] & !before[HOLDERS] == 0 || before[MODE] == 2, "a second one took it");
        let Some((_, words, reply)) = step.answer().filter(|(_, words, _)| words.starts_with("Write")) else { return };
        let generation = number_after(words, ":");
        match self.check {
            SequencerCheck::None => assert_eq!(reply, "written"),
            SequencerCheck::AskChubby => {
                let sequencer = words.split(' ').nth(2).unwrap_or_default();
                let valid = step.looked(&format!("CheckSequencer {sequencer}"));
                assert_eq!(reply == "written", valid == "valid", "{words}");
            }
            SequencerCheck::NewestSeen => {
                assert_eq!(reply == "written", generation >= self.written, "{words} after {}", self.written);
            }
        }
        if reply == "written" {
            self.written = self.written.max(generation);
        }
    }
}

#[test]
fn chubby() {
    for check in [SequencerCheck::None, SequencerCheck::AskChubby, SequencerCheck::NewestSeen] {
        let start = || Cell { check, generation: Rising::default(), written: 0 };
        let wanted = ["ok", "busy", "not held", "lock:exclusive:3", "lock:shared:", "invalid", "written"];
        keeps_its_promises(&Chubby { check }, start, &COMMANDS, &wanted);
    }
}
