//! A lock whose holder doesn't know that it holds it, and which refuses the others.
//!
//! The answer to its request was lost, or it stopped waiting, or it has ended without
//! giving the lock back. If nothing else ends the lock, it refuses for ever.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Belief, Property, Verdict, Witness, beliefs, chain};
use crate::sim::{Change, EventIndex, NodeIndex, Outcome, Scenario};

/// Who holds a lock in truth.
struct Holder {
    client: NodeIndex,
    since: EventIndex,
    /// From where on it goes on without knowing that.
    unaware: Option<EventIndex>,
    /// The first refusal after that.
    refused: Option<EventIndex>,
}

pub(super) fn judge(scenario: &Scenario, facts: &Facts, verdict: &mut Verdict) {
    let beliefs = beliefs(scenario, facts.trace);
    let mut holders: LiteMap<NodeIndex, Holder> = LiteMap::new();
    // The clients that wait for an answer of a lock.
    let mut asking: LiteMap<(NodeIndex, NodeIndex), ()> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        let unaware = |holder: &mut Holder, lock| {
            let is_unaware = holder.unaware.is_none() && !believes(&beliefs, holder.client, lock, index);
            holder.unaware = holder.unaware.or(is_unaware.then_some(index));
        };
        match change {
            Change::Sent { server, .. } => {
                asking.insert((event.actor, server), ());
            }
            Change::Granted { .. } | Change::Passed { .. } => {
                let client = if let Change::Passed { client, .. } = change { Some(client) } else { event.client };
                // A lock is its process's, whichever thread asks for it.
                let Some(client) = client.map(|client| scenario.process(client)) else { continue };
                let mut holder = Holder { client, since: index, unaware: None, refused: None };
                let mut asking = scenario.threads(client).map(|member| asking.contains_key(&(member, event.actor)));
                if !asking.any(|asks| asks) {
                    unaware(&mut holder, event.actor);
                }
                holders.insert(event.actor, holder);
            }
            Change::Busy { .. } => {
                let Some(holder) = holders.get_mut(&event.actor) else { continue };
                if holder.unaware.is_some() && holder.refused.is_none() {
                    holder.refused = Some(index);
                    let blame = blame(facts, holder, index);
                    verdict.sight(Witness::RefusedByOrphan, index, blame);
                }
            }
            Change::Learned { server, outcome, .. } => {
                asking.remove(&(event.actor, server));
                let Some(holder) =
                    holders.get_mut(&server).filter(|holder| holder.client == scenario.process(event.actor))
                else {
                    continue;
                };
                if outcome == Outcome::Granted {
                    (holder.unaware, holder.refused) = (None, None);
                } else {
                    unaware(holder, server);
                }
            }
            Change::Crashed { .. } | Change::Finished | Change::Stopped if event.client == Some(event.actor) => {
                asking.retain(|&(client, _), ()| client != event.actor);
                for (&lock, holder) in holders.iter_mut().filter(|(_, holder)| holder.client == event.actor) {
                    unaware(holder, lock);
                }
            }
            Change::Expired { .. }
            | Change::Freed { .. }
            | Change::Broken { .. }
            | Change::Forgotten { .. }
            | Change::LockRestored { .. }
            | Change::Crashed { keeps_memory: false } => {
                holders.remove(&event.actor);
            }
            _ => {}
        }
    }
    // In a run that was cut, the lock may still end.
    for holder in holders.values().filter(|_| facts.trace.complete) {
        if let Some(refused) = holder.refused {
            let blame = blame(facts, holder, refused);
            verdict.find(Property::OrphanedLock, refused, blame);
        }
    }
}

/// Whether a client believes that it holds a lock, after this event.
fn believes(beliefs: &[Belief], client: NodeIndex, lock: NodeIndex, after: EventIndex) -> bool {
    beliefs.iter().any(|belief| {
        (belief.client, belief.lock) == (client, lock)
            && belief.begins <= after
            && belief.ends.is_none_or(|ends| ends > after)
    })
}

/// The grant, the fault that kept its holder from knowing of it, where that went on
/// without it, and whom the lock refused.
fn blame(facts: &Facts, holder: &Holder, refused: EventIndex) -> Vec<EventIndex> {
    let fault = holder.unaware.and_then(|unaware| facts.fault_before(unaware));
    chain([fault, Some(holder.since), holder.unaware, Some(refused)])
}
