//! One write that storage accepted twice: a copy of it arrived, or its sender sent
//! it again without knowing what had become of it.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, Event, EventIndex, Meaning, NodeIndex, Outcome, Request};

/// One intended effect: the call that sent it first.
type Effect = (NodeIndex, u16);

/// What a write says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Request(Request),
    /// The words of a command; which step says them doesn't matter.
    Words(Option<u16>),
}

/// A write as its client remembers it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sent {
    server: NodeIndex,
    what: Said,
    token: u16,
    effect: Effect,
}

/// What is known of one client.
#[derive(Default)]
struct Client {
    /// The write that it waits for.
    asked: Option<Sent>,
    /// The write whose outcome it doesn't know, while it would send the same again.
    doubtful: Option<Sent>,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    let mut clients: LiteMap<NodeIndex, Client> = LiteMap::new();
    // The effect that each call of a write is about.
    let mut effects: LiteMap<(NodeIndex, u16), Effect> = LiteMap::new();
    let mut past = Past::default();
    // What each client has written to each storage that nobody else sees yet.
    let mut pending: LiteMap<(NodeIndex, NodeIndex), Vec<Effect>> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        if let Change::Undone { client } = change {
            pending.remove(&(event.actor, client));
        }
        let Some(client) = event.client else { continue };
        let own = (event.actor, facts.scenario.process(client));
        let effect = effects.get(&(client, event.call)).copied();
        match change {
            Change::Pending { .. } => pending.entry(own).or_default().extend(effect),
            Change::Accepted { .. } => {
                let committed = pending.remove(&own).unwrap_or_default();
                for effect in committed.into_iter().chain(effect) {
                    past.reach(facts, effect, index, true, verdict);
                }
            }
            Change::Refused { .. } => {
                if let Some(effect) = effect {
                    past.reach(facts, effect, index, false, verdict);
                }
            }
            _ => {}
        }
        if event.actor == client {
            let known = clients.entry(client).or_default();
            if let Some(sent) = follow(known, client, event, change) {
                effects.insert((client, event.call), sent.effect);
            }
        }
    }
}

/// Where each effect reached storage for the first time, and where it was accepted.
#[derive(Default)]
struct Past {
    reached: LiteMap<Effect, EventIndex>,
    accepted: LiteMap<Effect, EventIndex>,
}

impl Past {
    /// Storage has decided about an effect.
    fn reach(&mut self, facts: &Facts, effect: Effect, index: EventIndex, accepted: bool, verdict: &mut Verdict) {
        let again = self.reached.get(&effect).copied();
        self.reached.entry(effect).or_insert(index);
        if let Some(first) = again {
            let blame = blame(facts, self.accepted.get(&effect).copied().unwrap_or(first), index);
            verdict.sight(Witness::EffectTwiceTried, index, blame);
        }
        if !accepted {
            return;
        }
        if let Some(&first) = self.accepted.get(&effect) {
            let blame = blame(facts, first, index);
            verdict.find(Property::EffectTwice, index, blame);
        }
        self.accepted.entry(effect).or_insert(index);
    }
}

/// Follows what a client does itself; returns the write that it sends, if it sends one.
fn follow(known: &mut Client, client: NodeIndex, event: &Event, change: Change) -> Option<Sent> {
    match change {
        Change::Sent {
            server,
            request: request @ (Request::Write { .. } | Request::Command { meaning: Meaning::Write, .. }),
            token,
        } => {
            let what = match request {
                Request::Command { .. } => Said::Words(event.said),
                _ => Said::Request(request),
            };
            let mut sent = Sent { server, what, token, effect: (client, event.call) };
            let again = |doubtful: &Sent| Sent { effect: doubtful.effect, ..sent } == *doubtful;
            if let Some(doubtful) = known.doubtful.filter(again) {
                sent.effect = doubtful.effect;
            }
            known.asked = Some(sent);
            return Some(sent);
        }
        Change::Sent { .. } => known.asked = None,
        Change::Learned { outcome: Outcome::TimedOut | Outcome::Unknown, .. }
        | Change::Crashed { keeps_memory: true } => {
            known.doubtful = known.asked.take().or(known.doubtful);
        }
        Change::Learned { outcome: Outcome::Busy | Outcome::Held | Outcome::Lost, .. } => {}
        // What it would write now is something else.
        Change::Learned { .. } | Change::Computed { .. } | Change::Crashed { keeps_memory: false } => {
            *known = Client::default();
        }
        _ => {}
    }
    None
}

/// The first time, the fault that doubled the write or hid its outcome, and the
/// second time.
fn blame(facts: &Facts, first: EventIndex, second: EventIndex) -> Vec<EventIndex> {
    chain([Some(first), facts.fault_before(second), facts.trace.event(second).cause, Some(second)])
}
