//! A segment that was accepted although it doesn't follow the last one.

use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, NodeIndex};

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    // The last segment that each storage has accepted.
    let mut last: LiteMap<NodeIndex, EventIndex> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        let Change::Segment { number, after, accepted } = change else { continue };
        // What is judged is the write that brought it.
        let write = event.cause.unwrap_or(index);
        if after.checked_add(1) != Some(number) {
            let blame = chain([last.get(&event.actor).copied(), facts.fault_before(write), Some(write)]);
            if accepted {
                verdict.find(Property::SegmentSkipped, write, blame.clone());
            }
            verdict.sight(Witness::SegmentOutOfOrderTried, write, blame);
        }
        if accepted {
            last.insert(event.actor, write);
        }
    }
}
