//! What the checkers look up about a trace, gathered in one pass over it.

use alloc::vec::Vec;
use litemap::LiteMap;

use crate::sim::{Ask, Change, Event, EventIndex, NodeIndex, Request, Scenario, Trace, What};

/// Looked up again and again, so that judging stays quick for the longest run.
pub(super) struct Facts<'a> {
    pub scenario: &'a Scenario,
    pub trace: &'a Trace,
    /// The last fault among the causes of each event.
    faults: Vec<Option<EventIndex>>,
    /// The grants of each token to each client; more than one if a lock was set back.
    grants: LiteMap<(NodeIndex, u16), Vec<EventIndex>>,
    /// The ends of leases, by lock and token.
    ends: LiteMap<(NodeIndex, u16), Vec<EventIndex>>,
    /// What each call of each client says to a real system.
    asks: LiteMap<(NodeIndex, u16), Asked<'a>>,
}

/// A command that a client has said to a real system.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// Where it was sent.
    pub sent: EventIndex,
    /// The step that says it.
    pub ask: &'a Ask,
}

impl<'a> Facts<'a> {
    pub fn new(scenario: &'a Scenario, trace: &'a Trace) -> Self {
        let (grants, ends, asks) = (LiteMap::new(), LiteMap::new(), LiteMap::new());
        let mut facts = Self { scenario, trace, faults: Vec::new(), grants, ends, asks };
        for (index, event) in (0..).zip(&trace.events) {
            let change = match event.what {
                What::FaultBegins(_) => {
                    facts.faults.push(Some(index));
                    continue;
                }
                What::FaultEnds(_) => None,
                What::Change(change) => Some(change),
            };
            // A run without time has no faults; there, what goes wrong stands for itself.
            let fault = event.cause.and_then(|cause| facts.faults[cause as usize]);
            facts.faults.push(fault.or_else(|| change.filter(|&change| goes_wrong(change)).map(|_| index)));
            match (change, event.client) {
                // A lock under another one has tokens of its own, which nobody brings.
                (Some(Change::Granted { .. } | Change::Passed { .. }), _) if scenario.is_member(event.actor) => {}
                (Some(Change::Granted { token, .. }), Some(client)) | (Some(Change::Passed { client, token }), _) => {
                    facts.grants.entry((scenario.process(client), token)).or_default().push(index);
                }
                (Some(Change::Expired { token, .. } | Change::Freed { token } | Change::Broken { token, .. }), _) => {
                    facts.ends.entry((event.actor, token)).or_default().push(index);
                }
                (Some(Change::Sent { request: Request::Command { step, .. }, .. }), Some(client)) => {
                    if let Some(ask) = scenario.ask(client, step) {
                        facts.asks.insert((client, event.call), Asked { sent: index, ask });
                    }
                }
                _ => {}
            }
        }
        facts
    }

    /// The command that an event is about, if it belongs to a call that says one.
    pub fn asked(&self, event: &Event) -> Option<Asked<'a>> {
        self.asks.get(&(event.client?, event.call)).copied()
    }

    /// The last fault among the causes of an event: it held the event up or moved it.
    pub fn fault_before(&self, event: EventIndex) -> Option<EventIndex> {
        self.faults[event as usize]
    }

    /// The grant of the lease whose token a write carries.
    pub fn grant(&self, write: EventIndex, token: u16) -> Option<EventIndex> {
        let client = self.scenario.process(self.trace.event(write).client?);
        last_before(self.grants.get(&(client, token))?, write)
    }

    /// The end of the lease whose token a write carries, if it ended before the write.
    pub fn lease_end(&self, write: EventIndex, token: u16) -> Option<EventIndex> {
        let grant = self.grant(write, token)?;
        let lock = self.trace.event(grant).actor;
        last_before(self.ends.get(&(lock, token))?, write).filter(|&end| end > grant)
    }
}

fn last_before(events: &[EventIndex], before: EventIndex) -> Option<EventIndex> {
    let count = events.partition_point(|&event| event < before);
    events[..count].last().copied()
}

/// Whether a change is a fault by itself.
pub(super) fn goes_wrong(change: Change) -> bool {
    matches!(
        change,
        Change::Lost { .. }
            | Change::Duplicated { .. }
            | Change::Crashed { .. }
            | Change::LockRestored { .. }
            | Change::StorageRestored { .. }
            | Change::Broken { .. }
            | Change::Forgotten { .. }
    )
}
