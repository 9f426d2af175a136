//! A write that replaces a version which its writer had never read.

use alloc::vec::Vec;

use super::{Finding, Property, Sighting, Verdict, Witness, chain, fault_before, lease_end};
use crate::sim::{Change, EventIndex, NodeIndex, Trace, What};

pub(super) fn judge(trace: &Trace, verdict: &mut Verdict) {
    // The version that is there, and the write that made it, by storage.
    let mut latest: Vec<(NodeIndex, EventIndex)> = Vec::new();
    for (index, event, change) in trace.changes() {
        let (based_on, outdated, accepted) = match change {
            Change::Accepted { based_on, replaced, .. } => (based_on, based_on != replaced, true),
            Change::Refused { based_on, .. } => {
                let there = latest.iter().rev().find(|(storage, _)| *storage == event.actor);
                let there = there.and_then(|&(_, write)| version_made(trace, write));
                (based_on, there.is_some_and(|version| version != based_on), false)
            }
            _ => continue,
        };
        if outdated {
            let newer = latest.iter().rev().find(|(storage, _)| *storage == event.actor).map(|&(_, write)| write);
            if newer.is_some_and(|newer| trace.event(newer).client == event.client) {
                // Nobody loses an update by writing over their own.
                latest.extend(accepted.then_some((event.actor, index)));
                continue;
            }
            let blame = blame(trace, index, based_on, newer);
            if accepted {
                verdict.findings.push(Finding { property: Property::LostUpdate, event: index, blame: blame.clone() });
            }
            verdict.sightings.push(Sighting { witness: Witness::OutdatedWriteTried, event: index, blame });
        }
        if accepted {
            latest.push((event.actor, index));
        }
    }
}

/// The read that the write relies on, the faults that moved the two writes or
/// ended the writer's lease early, the newer write, and the one that replaced it.
fn blame(trace: &Trace, write: EventIndex, based_on: u16, newer: Option<EventIndex>) -> Vec<EventIndex> {
    let client = trace.event(write).client;
    let ended = token_of(trace, write).and_then(|token| lease_end(trace, client, token, write));
    chain([
        client.and_then(|client| read_before(trace, write, client, based_on)),
        fault_before(trace, write),
        ended.and_then(|ended| fault_before(trace, ended)),
        newer.and_then(|newer| fault_before(trace, newer)),
        newer,
        Some(write),
    ])
}

fn token_of(trace: &Trace, write: EventIndex) -> Option<u16> {
    match trace.event(write).what {
        What::Change(Change::Accepted { token, .. } | Change::Refused { token, .. }) => Some(token),
        _ => None,
    }
}

fn version_made(trace: &Trace, write: EventIndex) -> Option<u16> {
    trace.changes().find_map(|(index, _, change)| match change {
        Change::Accepted { version, .. } if index == write => Some(version),
        _ => None,
    })
}

fn read_before(trace: &Trace, before: EventIndex, client: NodeIndex, wanted: u16) -> Option<EventIndex> {
    let reads = trace.changes().take_while(|&(index, ..)| index < before).filter(|&(_, event, change)| {
        event.client == Some(client) && matches!(change, Change::Read { version, .. } if version == wanted)
    });
    reads.last().map(|(index, ..)| index)
}
