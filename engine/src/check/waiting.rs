//! Clients that wait for ever, and clients that don't know what they have done.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, Meaning, NodeIndex, NodeKind, Outcome, Request, What};

/// A call whose client waits for its reply.
struct Call {
    sent: EventIndex,
    number: u16,
    /// Whether it changes something.
    is_write: bool,
    /// Whether nothing but an answer can end it.
    is_kept: bool,
    /// Where a server keeps it for now.
    kept: Option<EventIndex>,
    /// Where storage decided about it.
    decided: Option<EventIndex>,
    /// Where its message was lost.
    lost: Option<EventIndex>,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    let mut calls: LiteMap<NodeIndex, Call> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        let Some(client) = event.client else { continue };
        if let Change::Sent { request, .. } = change {
            calls.insert(client, Call::new(facts, index, request));
            continue;
        }
        // What belongs to an earlier call doesn't concern a client any more.
        let Some(call) = calls.get_mut(&client).filter(|call| call.number == event.call) else { continue };
        match change {
            Change::Accepted { .. }
            | Change::Refused { .. }
            | Change::Effected { .. }
            | Change::NotEffected { .. }
            | Change::Promised { .. } => call.decided = Some(index),
            Change::Waits => call.kept = Some(index),
            Change::Lost { .. } => {
                // A copy may be lost without harm, but then the reply is still to come.
                call.lost = Some(index);
                let blame = blame(facts, call, index);
                if call.is_write {
                    verdict.sight(Witness::WriteUnanswered, index, blame.clone());
                }
                verdict.sight(Witness::MessageLost, index, blame);
            }
            Change::Learned { outcome: Outcome::TimedOut | Outcome::Unknown, .. } | Change::Crashed { .. } => {
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
        wait_for_ever(facts, calls.into_tuple_vec().into_iter().map(|(_, call)| call), verdict);
    }
}

/// A client still waits at the end of a complete run, since its message was lost or a
/// server keeps its command. A run that was cut says nothing.
fn wait_for_ever(facts: &Facts, calls: impl Iterator<Item = Call>, verdict: &mut Verdict) {
    for call in calls {
        let kept = call.kept.or(call.is_kept.then_some(call.sent)).filter(|_| call.decided.is_none());
        if let Some(last) = call.lost.or(kept) {
            let blame = blame(facts, &call, last);
            verdict.find(Property::NoProgress, last, blame);
        }
    }
}

impl Call {
    fn new(facts: &Facts, sent: EventIndex, request: Request) -> Self {
        let meant =
            matches!(request, Request::Command { meaning: Meaning::Write | Meaning::Effect | Meaning::Promise, .. });
        let event = facts.trace.event(sent);
        // A lock that is kept waiting for may still be freed, unless leases never end.
        let is_kept = matches!(request, Request::Acquire { blocking: true, .. }) && never_expires(facts, sent);
        Self {
            sent,
            number: event.call,
            is_write: meant || matches!(request, Request::Write { .. }),
            is_kept,
            kept: None,
            decided: None,
            lost: None,
        }
    }
}

/// Whether the leases of the lock that is asked never end by themselves.
fn never_expires(facts: &Facts, sent: EventIndex) -> bool {
    let What::Change(Change::Sent { server, .. }) = facts.trace.event(sent).what else { return false };
    matches!(&facts.scenario.nodes[usize::from(server)].kind, NodeKind::Lock(lock) if !lock.expires)
}

/// The fault, the request, what storage decided, where a message was lost, and
/// what came of it.
fn blame(facts: &Facts, call: &Call, last: EventIndex) -> Vec<EventIndex> {
    let fault = facts.fault_before(last);
    // A copy of a lost request may be decided about later.
    let decided = call.decided.filter(|&decided| decided < last);
    let kept = call.kept.filter(|&kept| kept < last);
    chain([fault, Some(call.sent), kept, decided, call.lost, Some(last)])
}
