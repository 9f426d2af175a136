//! A write that replaces a version which its writer had never read.

use alloc::vec::Vec;

use super::{Finding, Property, Sighting, Verdict, Witness, chain, fault_before};
use crate::sim::{Change, EventIndex, NodeIndex, Trace};

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
            let read = event.client.and_then(|client| read_before(trace, index, client, based_on));
            let blame = chain([read, fault_before(trace, index), newer, Some(index)]);
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
