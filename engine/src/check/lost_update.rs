//! A write that replaces a version which its writer had never read.
//!
//! One that compares what it had read is no lost update: see [`super::aba`].

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, NodeIndex, Outcome};

/// A write that reached storage.
struct Write {
    event: EventIndex,
    token: u16,
    based_on: u16,
    /// The version that it found, if that is known.
    found: Option<u16>,
    /// The version that it made, if it was accepted.
    made: Option<u16>,
    /// Whether it compared what had been read.
    conditional: bool,
}

/// A version of a storage, and the client that read it.
type WhatWasRead = (NodeIndex, Option<NodeIndex>, u16);

/// A client read a version.
#[derive(Clone, Copy)]
struct Read {
    event: EventIndex,
    /// The write that had made it; `None` for what was there at the start.
    of: Option<EventIndex>,
}

/// A write that reached storage after what it was computed from was gone.
pub(super) struct Outdated {
    /// Where storage decided about it.
    pub event: EventIndex,
    /// Whether it was accepted.
    pub accepted: bool,
    /// Whether it compared what had been read.
    pub conditional: bool,
    /// The chain of events that led there.
    pub blame: Vec<EventIndex>,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    for Outdated { event, accepted, conditional, blame } in outdated(facts) {
        if accepted && !conditional {
            verdict.find(Property::LostUpdate, event, blame.clone());
        }
        verdict.sight(Witness::OutdatedWriteTried, event, blame);
    }
}

/// The outdated writes of a run, in order.
pub(super) fn outdated(facts: &Facts) -> Vec<Outdated> {
    let mut all = Vec::new();
    // The version that each storage has, and the write that made it.
    let mut latest: LiteMap<NodeIndex, (u16, EventIndex)> = LiteMap::new();
    // Where each client last read each version of each storage.
    let mut reads: LiteMap<WhatWasRead, Read> = LiteMap::new();
    // The write that made each version. A storage that was set back gives a number twice.
    let mut made_by: LiteMap<(NodeIndex, u16), EventIndex> = LiteMap::new();
    // The same as it was when the state of each storage was copied aside.
    let mut made_aside: LiteMap<NodeIndex, Vec<(u16, EventIndex)>> = LiteMap::new();
    // What each client will know once it takes the reply.
    let mut answered: LiteMap<Option<NodeIndex>, (WhatWasRead, Read)> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        let client = event.client.map(|client| facts.scenario.process(client));
        let newer = latest.get(&event.actor).copied();
        let write = match change {
            Change::Accepted { token, based_on, replaced, version, conditional, .. } => {
                Write { event: index, token, based_on, found: Some(replaced), made: Some(version), conditional }
            }
            Change::Refused { token, based_on, .. } => {
                let conditional = facts.asked(event).is_some_and(|asked| asked.ask.conditional);
                let found = newer.map(|(version, _)| version);
                Write { event: index, token, based_on, found, made: None, conditional }
            }
            Change::Read { version, .. } => {
                let source = facts.scenario.source(event.actor);
                let read = Read { event: index, of: made_by.get(&(source, version)).copied() };
                answered.insert(event.client, ((source, client, version), read));
                continue;
            }
            Change::Learned { outcome, .. } => {
                if let Some((what, read)) = answered.remove(&event.client)
                    && outcome != Outcome::TimedOut
                {
                    reads.insert(what, read);
                }
                continue;
            }
            Change::Saved => {
                let own = made_by.iter().filter(|((lane, _), _)| *lane == event.actor);
                made_aside.insert(event.actor, own.map(|(&(_, version), &by)| (version, by)).collect());
                continue;
            }
            // What is there now was written by nobody of those who wrote last.
            Change::StorageRestored { .. } | Change::Crashed { keeps_memory: false } | Change::Forgotten { .. } => {
                if let (Change::StorageRestored { .. }, Some(aside)) = (change, made_aside.get(&event.actor)) {
                    made_by.retain(|&(lane, _), _| lane != event.actor);
                    for &(version, by) in aside {
                        made_by.insert((event.actor, version), by);
                    }
                }
                latest.retain(|&lane, _| lane != event.actor && facts.scenario.host(lane) != event.actor);
                continue;
            }
            _ => continue,
        };
        let read = reads.get(&(event.actor, client, write.based_on)).copied();
        let found_by = write.found.and_then(|found| made_by.get(&(event.actor, found)).copied());
        if let Some(version) = write.made {
            latest.insert(event.actor, (version, index));
            made_by.insert((event.actor, version), index);
        }
        let newer = newer.map(|(_, newer)| newer);
        // Nobody loses an update by writing over their own.
        let process = |index| facts.trace.event(index).client.map(|client| facts.scenario.process(client));
        let own = newer.is_some_and(|newer| process(newer) == client);
        let is_another = read.is_some_and(|read| read.of != found_by);
        if !own && write.found.is_some_and(|found| found != write.based_on || is_another) {
            all.push(Outdated {
                event: index,
                accepted: write.made.is_some(),
                conditional: write.conditional,
                blame: blame(facts, &write, read.map(|read| read.event), newer),
            });
        }
    }
    all
}

/// The read that the write relies on, the faults that moved the two writes or
/// ended the writer's lease early, the newer write, and the one that replaced it.
fn blame(facts: &Facts, write: &Write, read: Option<EventIndex>, newer: Option<EventIndex>) -> Vec<EventIndex> {
    let ended = facts.lease_end(write.event, write.token);
    chain([
        read,
        facts.fault_before(write.event),
        ended.and_then(|ended| facts.fault_before(ended)),
        newer.and_then(|newer| facts.fault_before(newer)),
        newer,
        Some(write.event),
    ])
}
