//! Clients that were told in time, by a server or by their own clock: the lease was
//! over, and they wrote nothing.

use litemap::LiteMap;

use super::facts::Facts;
use super::{Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, Meaning, NodeIndex, Outcome, Request};

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    // Whether a client's call asks about its lease. One that gives it back doesn't.
    // A client that waits in a queue for a lock can hear that its own session is over.
    let mut asks: LiteMap<NodeIndex, bool> = LiteMap::new();
    // For each client the reply that told it so, if that is the last thing it did.
    let mut told: LiteMap<NodeIndex, (EventIndex, u16)> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        match change {
            Change::Sent { request, .. } => {
                let about_lease = matches!(
                    request,
                    Request::Check { .. }
                        | Request::Renew { .. }
                        | Request::Command { meaning: Meaning::Acquire | Meaning::Check | Meaning::Renew, .. }
                );
                asks.insert(event.actor, about_lease);
                told.remove(&event.actor);
            }
            Change::Learned { outcome: Outcome::Lost, token, .. } if asks.get(&event.actor) == Some(&true) => {
                told.insert(event.actor, (index, token));
            }
            // Its own clock tells it, too, if it had noted when its lease would be over.
            Change::Learned { outcome: Outcome::Late, token, .. } => {
                told.insert(event.actor, (index, token));
            }
            Change::Stopped => {
                if let Some((learned, token)) = told.remove(&event.actor) {
                    let fault = facts.fault_before(learned);
                    let blame = chain([fault, facts.lease_end(learned, token), Some(learned), Some(index)]);
                    verdict.sight(Witness::GaveUp, index, blame);
                }
            }
            _ if event.client == Some(event.actor) => {
                told.remove(&event.actor);
            }
            _ => {}
        }
    }
}
