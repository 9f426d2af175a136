//! A write with an older token than one that storage has already accepted.

use alloc::vec::Vec;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, NodeIndex};

/// The highest token that a storage had accepted, and the event that accepted it.
struct Highest {
    storage: NodeIndex,
    token: u16,
    event: EventIndex,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    let mut highest: Vec<Highest> = Vec::new();
    for (index, event, change) in facts.trace.changes() {
        let (token, accepted) = match change {
            Change::Accepted { token, .. } => (token, true),
            Change::Refused { token, .. } => (token, false),
            _ => continue,
        };
        if token == 0 {
            continue;
        }
        let known = highest.iter_mut().find(|known| known.storage == event.actor);
        match known {
            Some(known) if token < known.token => {
                let blame = blame(facts, index, token, known);
                if accepted {
                    verdict.find(Property::StaleWriteAccepted, index, blame.clone());
                }
                verdict.sight(Witness::StaleWriteTried, index, blame);
            }
            Some(known) if accepted => {
                (known.token, known.event) = (token, index);
            }
            None if accepted => highest.push(Highest { storage: event.actor, token, event: index }),
            _ => {}
        }
    }
}

/// The fault, the end of the older lease, the grant of the newer one, the newer
/// write, and the stale one.
fn blame(facts: &Facts, stale: EventIndex, token: u16, newer: &Highest) -> Vec<EventIndex> {
    let ended = facts.lease_end(stale, token);
    chain([
        facts.fault_before(stale),
        ended.and_then(|ended| facts.fault_before(ended)),
        ended,
        facts.grant(newer.event, newer.token),
        Some(newer.event),
        Some(stale),
    ])
}
