//! A cache entry that was older than its source when it was put there, and for how
//! long it stayed.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Finding, Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, NodeIndex, Role};

/// What has happened so far, as far as it explains a stale entry.
#[derive(Default)]
struct Past {
    /// Where each client last read each version of what is cached.
    reads: LiteMap<(NodeIndex, Option<NodeIndex>, u16), EventIndex>,
    /// The last write that each source accepted.
    writes: LiteMap<NodeIndex, EventIndex>,
    /// Where each cache was last emptied.
    emptied: LiteMap<NodeIndex, EventIndex>,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    let mut past = Past::default();
    // The finding about the entry that each cache has, if it is a stale one.
    let mut open: LiteMap<NodeIndex, usize> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        let lane = event.actor;
        match change {
            Change::Read { version, .. } => {
                past.reads.insert((facts.scenario.source(lane), event.client, version), index);
            }
            Change::Accepted { .. } => {
                past.writes.insert(lane, index);
            }
            Change::Filled { version, newest } | Change::NotFilled { version, newest } => {
                let filled = matches!(change, Change::Filled { .. });
                if filled {
                    close(facts, &mut open, lane, index, verdict);
                }
                if version < newest {
                    let blame = blame(facts, &past, version, index);
                    if filled {
                        open.insert(lane, verdict.findings.len());
                        verdict.find(Property::StaleCacheEntry, index, blame.clone());
                    }
                    verdict.sight(Witness::StaleFillTried, index, blame);
                }
            }
            Change::Emptied => {
                close(facts, &mut open, lane, index, verdict);
                past.emptied.insert(lane, index);
            }
            // Which entries are gone with a server's memory is said of those that can be asked.
            Change::Crashed { keeps_memory: false } | Change::Forgotten { .. } => {
                let lanes = facts.scenario.indices().filter(|&other| facts.scenario.is_silent_cache_on(other, lane));
                lanes.for_each(|lane| close(facts, &mut open, lane, index, verdict));
            }
            _ => {}
        }
    }
}

/// The entry of a cache is gone.
fn close(facts: &Facts, open: &mut LiteMap<NodeIndex, usize>, cache: NodeIndex, at: EventIndex, verdict: &mut Verdict) {
    let is_cache = matches!(facts.scenario.role(cache), Some(Role::Cache { .. }));
    if let Some(place) = open.remove(&cache).filter(|_| is_cache) {
        let Finding { until, .. } = &mut verdict.findings[place];
        *until = Some(at);
    }
}

/// The read that the entry was made from, the newer write, that the entry was taken
/// out too early, the fault, and the entry itself.
fn blame(facts: &Facts, past: &Past, version: u16, filled: EventIndex) -> Vec<EventIndex> {
    let event = facts.trace.event(filled);
    let source = facts.scenario.source(event.actor);
    let read = past.reads.get(&(source, event.client, version)).copied();
    let emptied = past.emptied.get(&event.actor).copied().filter(|&emptied| Some(emptied) > read);
    let write = past.writes.get(&source).copied();
    chain([read, write, emptied, facts.fault_before(filled), Some(filled)])
}
