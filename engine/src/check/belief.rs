//! What clients believe, and how long it is true.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, Meaning, NodeIndex, Outcome, Request, Scenario, Trace};

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

impl Belief {
    /// The event at which the belief and the truth part, if the belief lasts beyond it.
    pub fn parting(&self) -> Option<EventIndex> {
        let parts = self.false_from?.max(self.begins);
        self.ends.is_none_or(|ends| ends > parts).then_some(parts)
    }
}

/// All beliefs of a run, in the order in which they begin.
pub fn beliefs(scenario: &Scenario, trace: &Trace) -> Vec<Belief> {
    let mut beliefs = Beliefs::default();
    for (index, event, change) in trace.changes() {
        let client = event.actor;
        // A thread believes what its process believes, but its end isn't the end of that.
        let believer = scenario.process(client);
        match change {
            Change::Learned { outcome: Outcome::Granted, server, token } => {
                beliefs.begin(believer, server, token, index);
            }
            Change::Learned { outcome: Outcome::Lost, token, server }
            | Change::Sent {
                request: Request::Release { .. } | Request::Command { meaning: Meaning::Release, .. },
                token,
                server,
            } => {
                beliefs.end(index, |belief| (belief.client, belief.lock, belief.token) == (believer, server, token));
            }
            Change::Learned { outcome: Outcome::Refused, token, .. } => {
                beliefs.end(index, |belief| (belief.client, belief.token) == (believer, token));
            }
            Change::Finished | Change::Stopped => beliefs.end(index, |belief| belief.client == client),
            Change::Crashed { keeps_memory: false } if event.client.is_some() => {
                beliefs.end(index, |belief| belief.client == client);
            }
            Change::Granted { token, .. } => {
                beliefs.turn(event.actor, event.client.map(|client| (scenario.process(client), token)), index);
            }
            Change::Passed { client, token } => beliefs.turn(event.actor, Some((client, token)), index),
            Change::LockRestored { holder, .. } => beliefs.turn(event.actor, holder, index),
            Change::Expired { .. }
            | Change::Freed { .. }
            | Change::Broken { .. }
            | Change::Forgotten { .. }
            | Change::Crashed { keeps_memory: false } => beliefs.turn(event.actor, None, index),
            _ => {}
        }
    }
    beliefs.all
}

/// The beliefs so far.
#[derive(Default)]
struct Beliefs {
    all: Vec<Belief>,
    /// The places of those that have not ended.
    open: Vec<usize>,
    /// Who holds each lock in truth, with which token.
    holders: LiteMap<NodeIndex, (NodeIndex, u16)>,
    /// Where leases ended, by lock, holder and token.
    ended: LiteMap<(NodeIndex, NodeIndex, u16), EventIndex>,
}

impl Beliefs {
    fn begin(&mut self, client: NodeIndex, lock: NodeIndex, token: u16, begins: EventIndex) {
        // A new lease of the same lock takes the place of an older one.
        self.end(begins, |belief| (belief.client, belief.lock) == (client, lock));
        self.open.push(self.all.len());
        // A lease can end before its holder has heard that it was granted.
        let ended = self.ended.get(&(lock, client, token)).copied();
        // A server can also say so although it isn't true.
        let is_true = self.holders.get(&lock) == Some(&(client, token));
        let false_from = ended.or((!is_true).then_some(begins));
        self.all.push(Belief { client, lock, token, begins, ends: None, false_from });
    }

    fn end(&mut self, at: EventIndex, ends: impl Fn(&Belief) -> bool) {
        let all = &mut self.all;
        self.open.retain(|&place| {
            let over = ends(&all[place]);
            if over {
                all[place].ends = Some(at);
            }
            !over
        });
    }

    /// A lock has another holder in truth, or none. A lease that a lock service was
    /// set back to is held again; a belief that was false by then stays marked so.
    fn turn(&mut self, lock: NodeIndex, holder: Option<(NodeIndex, u16)>, at: EventIndex) {
        let before = match holder {
            Some(holder) => self.holders.insert(lock, holder),
            None => self.holders.remove(&lock),
        };
        if let Some((client, token)) = holder {
            self.ended.remove(&(lock, client, token));
        }
        let Some(before) = before.filter(|&before| Some(before) != holder) else { return };
        self.ended.insert((lock, before.0, before.1), at);
        for &place in &self.open {
            let belief = &mut self.all[place];
            if belief.lock == lock && (belief.client, belief.token) == before {
                belief.false_from.get_or_insert(at);
            }
        }
    }
}

/// The fault that ended the lease early, or else the one that kept the client from
/// noticing, if it had begun by then.
fn fault_of(facts: &Facts, belief: &Belief, by: EventIndex) -> Option<EventIndex> {
    let fault_before = |event: Option<EventIndex>| facts.fault_before(event?).filter(|&fault| fault < by);
    fault_before(belief.false_from).or_else(|| fault_before(belief.ends))
}

pub(super) fn judge(scenario: &Scenario, facts: &Facts, verdict: &mut Verdict) {
    let beliefs = beliefs(scenario, facts.trace);
    for lock in scenario.locks() {
        let of_lock: Vec<&Belief> = beliefs.iter().filter(|belief| belief.lock == lock).collect();
        for (place, belief) in of_lock.iter().enumerate() {
            if let Some(event) = belief.false_from {
                let seen = event.max(belief.begins);
                let blame = chain([fault_of(facts, belief, seen), Some(event), Some(seen)]);
                verdict.sight(Witness::BeliefOutlivedLease, seen, blame);
            }
            let earlier = of_lock[..place].iter().rev().find(|earlier| {
                earlier.client != belief.client && earlier.ends.is_none_or(|ends| ends > belief.begins)
            });
            if let Some(earlier) = earlier {
                let by = belief.begins;
                // A lock has one holder, so at most one of the two is true.
                let ended = [earlier, belief].map(|belief| belief.false_from.filter(|&ended| ended < by));
                let fault = fault_of(facts, earlier, by);
                let blame = chain([fault, Some(earlier.begins), ended[0], ended[1], Some(by)]);
                let property = Property::OverlapOfBelief;
                verdict.find(property, belief.begins, blame);
            }
        }
    }
}
