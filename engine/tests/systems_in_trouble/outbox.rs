//! An outbox, its relay and a consumer that keeps the ids that it has seen.

use std::collections::BTreeSet;

use racescope_engine::system::outbox::{Consumer, Outbox, Publishing, Reply};

use crate::driver::{Promises, Step, keeps_its_promises, numbers};

const COMMANDS: [&str; 10] =
    ["ORDER", "ORDER aborts", "PUBLISH", "PUBLISH", "MARK", "TAKE", "TAKE", "ACK", "EFFECTS 1", "EFFECTS 2"];

struct Events {
    outbox: Outbox,
    committed: u64,
    published: BTreeSet<u64>,
}

impl Promises for Events {
    type System = Outbox;

    fn looks(&self) -> &'static [&'static str] {
        &["EFFECTS 1", "EFFECTS 2", "EFFECTS 3"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        matches!(reply, Reply::RolledBack | Reply::SeenBefore(_) | Reply::Effects(_) | Reply::Nothing | Reply::Full)
    }

    fn judge(&mut self, step: &Step<Outbox>) {
        if step.is_set_back() {
            self.committed = step.after.cells[0].into();
            self.published = (1..=self.committed).collect();
            return;
        }
        for look in self.looks() {
            let (was, is) = (numbers(&step.looked(look))[0], numbers(&step.look(look))[0]);
            assert!(was <= is && is <= was + 1, "{look}: {is} after {was}");
            assert!(is <= 1 || self.outbox.consumer == Consumer::Trusts, "{look}: an effect was made twice");
        }
        let Some((_, words, reply)) = step.answer() else { return };
        let event = numbers(&reply).first().copied().unwrap_or(0);
        if reply.starts_with("committed") {
            assert_eq!(event, self.committed + 1, "events are numbered in the order of their commits");
            self.committed = event;
        } else if reply.starts_with("published") {
            assert!(event <= self.committed, "{words} → {reply}: nobody ordered it");
            // The oldest row that isn't marked comes first, so none is left out.
            let is_in_order = (1..event).all(|earlier| self.published.contains(&earlier));
            assert!(is_in_order || self.outbox.publishing == Publishing::SecondWrite, "{words} → {reply}");
            self.published.insert(event);
        } else if reply.starts_with("effect") {
            assert!(self.published.contains(&event), "{words} → {reply}: nobody published it");
        }
    }
}

#[test]
fn outbox() {
    for publishing in [Publishing::Outbox, Publishing::SecondWrite] {
        for consumer in [Consumer::Deduplicates, Consumer::Trusts] {
            let outbox = Outbox { publishing, consumer };
            let start = || Events { outbox, committed: 0, published: BTreeSet::new() };
            let wanted = ["committed event 3", "rolled back", "published 2", "effect of 1", "acknowledged", "nothing"];
            keeps_its_promises(&outbox, start, &COMMANDS, &wanted);
        }
    }
}
