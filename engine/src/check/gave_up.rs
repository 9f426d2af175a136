//! Clients that were told in time: the lease was over, and they wrote nothing.

use alloc::collections::BTreeMap;

use super::facts::Facts;
use super::{Sighting, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, NodeIndex, Outcome};

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    // For each client the reply that told it so, if that is the last thing it did.
    let mut told: BTreeMap<NodeIndex, (EventIndex, u16)> = BTreeMap::new();
    for (index, event, change) in facts.trace.changes() {
        match change {
            Change::Learned { outcome: Outcome::Lost, token, .. } => {
                told.insert(event.actor, (index, token));
            }
            Change::Stopped => {
                if let Some((learned, token)) = told.remove(&event.actor) {
                    let fault = facts.fault_before(learned);
                    let blame = chain([fault, facts.lease_end(learned, token), Some(learned), Some(index)]);
                    verdict.sightings.push(Sighting { witness: Witness::GaveUp, event: index, blame });
                }
            }
            _ if event.client == Some(event.actor) => {
                told.remove(&event.actor);
            }
            _ => {}
        }
    }
}
