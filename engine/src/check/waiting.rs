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
    /// Who is asked what.
    asks: (NodeIndex, Request),
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
    let mut doubts = Vec::new();
    for (index, event, change) in facts.trace.changes() {
        let Some(client) = event.client else { continue };
        if let Change::Sent { server, request, .. } = change {
            calls.insert(client, Call::new(facts, index, (server, request)));
            continue;
        }
        // What belongs to an earlier call doesn't concern a client any more.
        let Some(call) = calls.get_mut(&client).filter(|call| call.number == event.call) else { continue };
        match change {
            // What a transaction has written is in doubt when its commit is.
            Change::Accepted { .. } | Change::Effected { .. } | Change::Promised { .. } => {
                (call.decided, call.is_write) = (Some(index), true);
            }
            Change::Pending { .. }
            | Change::EffectPending { .. }
            | Change::Refused { .. }
            | Change::NotEffected { .. } => call.decided = Some(index),
            Change::Waits => {
                if call.kept.is_none() {
                    verdict.sight(Witness::KeptWaiting, index, blame(facts, call, index));
                }
                call.kept = Some(index);
            }
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
                    doubts.push(Doubt { client, asks: call.asks, finding: verdict.findings.len() });
                    verdict.find(Property::OutcomeUnknown, index, blame);
                }
                calls.remove(&client);
            }
            Change::Learned { outcome, .. } => {
                for settled in doubts.extract_if(.., |doubt| doubt.is_settled(facts, client, call.asks, outcome)) {
                    verdict.findings[settled.finding].until = Some(index);
                }
                calls.remove(&client);
            }
            _ => {}
        }
    }
    if facts.trace.complete {
        wait_for_ever(facts, calls.into_tuple_vec().into_iter().map(|(_, call)| call), verdict);
    }
}

/// A write whose client doesn't know whether it happened.
struct Doubt {
    client: NodeIndex,
    /// Who was asked what.
    asks: (NodeIndex, Request),
    /// The place of its finding.
    finding: usize,
}

impl Doubt {
    /// Whether an answer ends it: its client has looked what is there, or the same was
    /// accepted that it has sent again. A refusal says nothing: what refuses may be the
    /// client's own first success.
    fn is_settled(
        &self,
        facts: &Facts,
        client: NodeIndex,
        (server, request): (NodeIndex, Request),
        outcome: Outcome,
    ) -> bool {
        let scenario = facts.scenario;
        let is_there = scenario.host(server) == scenario.host(self.asks.0);
        let has_looked = matches!(request, Request::Read { .. } | Request::Command { meaning: Meaning::Read, .. })
            && matches!(outcome, Outcome::Done | Outcome::Hit | Outcome::Miss);
        let same = self.asks == (server, request) && matches!(outcome, Outcome::Accepted | Outcome::Done);
        scenario.process(client) == scenario.process(self.client) && is_there && (has_looked || same)
    }
}

/// A client still waits at the end of a complete run, since its message was lost or a
/// server keeps its command. A run that was cut says nothing.
fn wait_for_ever(facts: &Facts, calls: impl Iterator<Item = Call>, verdict: &mut Verdict) {
    for call in calls {
        let kept = call.kept.or(call.is_kept.then_some(call.sent)).filter(|_| call.decided.is_none());
        if let Some(last) = call.lost.or(kept) {
            let blame = blame(facts, &call, last);
            if call.lost.is_none() && call.kept.is_none() {
                verdict.sight(Witness::KeptWaiting, last, blame.clone());
            }
            verdict.find(Property::NoProgress, last, blame);
        }
    }
}

impl Call {
    fn new(facts: &Facts, sent: EventIndex, asks: (NodeIndex, Request)) -> Self {
        let (_, request) = asks;
        let meant =
            matches!(request, Request::Command { meaning: Meaning::Write | Meaning::Effect | Meaning::Promise, .. });
        let event = facts.trace.event(sent);
        // A lock that is kept waiting for may still be freed, unless leases never end.
        let is_kept = matches!(request, Request::Acquire { blocking: true, .. }) && never_expires(facts, sent);
        Self {
            sent,
            number: event.call,
            asks,
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
