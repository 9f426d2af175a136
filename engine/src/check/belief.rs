//! What clients believe, and how long it is true.

use alloc::vec::Vec;

use super::{Finding, Property, Sighting, Verdict, Witness, chain, fault_before};
use crate::sim::{Change, EventIndex, NodeIndex, Outcome, Request, Scenario, Trace};

/// A client's belief that it holds a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Belief {
    /// Who believes it.
    pub client: NodeIndex,
    /// The lock that is meant.
    pub lock: NodeIndex,
    /// The token of the lease.
    pub token: u16,
    /// The event from which on the client believes it.
    pub begins: EventIndex,
    /// The event that ends the belief; `None` if the run ends first.
    pub ends: Option<EventIndex>,
    /// The event from which on it is false; `None` if it never was.
    pub false_from: Option<EventIndex>,
}

/// All beliefs of a run, in the order in which they begin.
pub fn beliefs(trace: &Trace) -> Vec<Belief> {
    let mut beliefs: Vec<Belief> = Vec::new();
    for (index, event, change) in trace.changes() {
        match change {
            Change::Learned { outcome: Outcome::Granted, server, token } => beliefs.push(Belief {
                client: event.actor,
                lock: server,
                token,
                begins: index,
                ends: None,
                false_from: lease_ended_before(trace, index, server, token),
            }),
            Change::Learned { outcome: Outcome::Lost, token, server }
            | Change::Sent { request: Request::Release { .. }, token, server } => end(&mut beliefs, index, |belief| {
                (belief.client, belief.lock, belief.token) == (event.actor, server, token)
            }),
            Change::Learned { outcome: Outcome::Refused, token, .. } => {
                end(&mut beliefs, index, |belief| (belief.client, belief.token) == (event.actor, token));
            }
            Change::Finished | Change::Stopped => end(&mut beliefs, index, |belief| belief.client == event.actor),
            Change::Expired { token, .. } | Change::Freed { token } => {
                for belief in &mut beliefs {
                    let concerned = belief.lock == event.actor && belief.token == token && belief.ends.is_none();
                    if concerned && belief.false_from.is_none() {
                        belief.false_from = Some(index);
                    }
                }
            }
            _ => {}
        }
    }
    beliefs
}

fn end(beliefs: &mut [Belief], at: EventIndex, ends: impl Fn(&Belief) -> bool) {
    for belief in beliefs.iter_mut().filter(|belief| belief.ends.is_none() && ends(belief)) {
        belief.ends = Some(at);
    }
}

/// A lease can end before its holder has heard that it was granted.
fn lease_ended_before(trace: &Trace, learned: EventIndex, lock: NodeIndex, token: u16) -> Option<EventIndex> {
    trace.changes().take_while(|&(index, ..)| index < learned).find_map(|(index, event, change)| match change {
        Change::Expired { token: ended, .. } | Change::Freed { token: ended }
            if event.actor == lock && ended == token =>
        {
            Some(index)
        }
        _ => None,
    })
}

/// The fault that ended the lease early, or else the one that kept the client from
/// noticing, if it had begun by then.
fn fault_of(trace: &Trace, belief: &Belief, by: EventIndex) -> Option<EventIndex> {
    let early = belief.false_from.and_then(|ended| fault_before(trace, ended));
    let late = || belief.ends.and_then(|ends| fault_before(trace, ends)).filter(|&fault| fault < by);
    early.or_else(late)
}

pub(super) fn judge(scenario: &Scenario, trace: &Trace, verdict: &mut Verdict) {
    let beliefs = beliefs(trace);
    for lock in scenario.locks() {
        let of_lock: Vec<&Belief> = beliefs.iter().filter(|belief| belief.lock == lock).collect();
        for (place, belief) in of_lock.iter().enumerate() {
            if let Some(event) = belief.false_from {
                let seen = event.max(belief.begins);
                let blame = chain([fault_of(trace, belief, seen), Some(event), Some(seen)]);
                verdict.sightings.push(Sighting { witness: Witness::BeliefOutlivedLease, event: seen, blame });
            }
            let earlier = of_lock[..place].iter().rev().find(|earlier| {
                earlier.client != belief.client && earlier.ends.is_none_or(|ends| ends > belief.begins)
            });
            if let Some(earlier) = earlier {
                let fault = fault_of(trace, earlier, belief.begins);
                let blame = chain([fault, Some(earlier.begins), earlier.false_from, Some(belief.begins)]);
                let property = Property::OverlapOfBelief;
                verdict.findings.push(Finding { property, event: belief.begins, blame });
            }
        }
    }
}
