//! Clients that wait for ever, and clients that don't know what they have done.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, Meaning, NodeIndex, Outcome, Request};

/// A call whose client waits for its reply.
struct Call {
    sent: EventIndex,
    number: u16,
    is_write: bool,
    /// Where storage decided about it.
    decided: Option<EventIndex>,
    /// Where its message was lost.
    lost: Option<EventIndex>,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    let mut calls: BTreeMap<NodeIndex, Call> = BTreeMap::new();
    for (index, event, change) in facts.trace.changes() {
        let Some(client) = event.client else { continue };
        if let Change::Sent { request, .. } = change {
            let is_write = matches!(request, Request::Write { .. } | Request::Command { meaning: Meaning::Write, .. });
            let call = Call { sent: index, number: event.call, is_write, decided: None, lost: None };
            calls.insert(client, call);
            continue;
        }
        // What belongs to an earlier call doesn't concern a client any more.
        let Some(call) = calls.get_mut(&client).filter(|call| call.number == event.call) else { continue };
        match change {
            Change::Accepted { .. } | Change::Refused { .. } => call.decided = Some(index),
            Change::Lost { .. } => {
                // A copy may be lost without harm, but then the reply is still to come.
                call.lost = Some(index);
                let blame = blame(facts, call, index);
                if call.is_write {
                    verdict.sight(Witness::WriteUnanswered, index, blame.clone());
                }
                verdict.sight(Witness::MessageLost, index, blame);
            }
            Change::Learned { outcome: Outcome::TimedOut, .. } | Change::Crashed { .. } => {
                if call.is_write {
                    let blame = blame(facts, call, index);
                    verdict.sight(Witness::WriteUnanswered, index, blame.clone());
                    verdict.find(Property::OutcomeUnknown, index, blame);
                }
                calls.remove(&client);
            }
            Change::Learned { .. } => {
                calls.remove(&client);
            }
            _ => {}
        }
    }
    if facts.trace.complete {
        wait_for_ever(facts, calls.into_values(), verdict);
    }
}

/// A client still waits at the end of a complete run, since its message was lost. A
/// run that was cut says nothing, and a lock that is kept waiting for may still be freed.
fn wait_for_ever(facts: &Facts, calls: impl Iterator<Item = Call>, verdict: &mut Verdict) {
    for call in calls {
        if let Some(lost) = call.lost {
            let blame = blame(facts, &call, lost);
            verdict.find(Property::NoProgress, lost, blame);
        }
    }
}

/// The fault, the request, what storage decided, where a message was lost, and
/// what came of it.
fn blame(facts: &Facts, call: &Call, last: EventIndex) -> Vec<EventIndex> {
    let fault = facts.fault_before(last);
    // A copy of a lost request may be decided about later.
    let decided = call.decided.filter(|&decided| decided < last);
    chain([fault, Some(call.sent), decided, call.lost, Some(last)])
}
