//! What the checkers look up about a trace, gathered in one pass over it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::sim::{Change, EventIndex, NodeIndex, Trace, What};

/// Looked up again and again, so that judging stays quick for the longest run.
pub(super) struct Facts<'a> {
    pub trace: &'a Trace,
    /// The last fault among the causes of each event.
    faults: Vec<Option<EventIndex>>,
    /// The grants of each token to each client.
    grants: BTreeMap<(NodeIndex, u16), EventIndex>,
    /// The ends of leases, by lock and token.
    ends: BTreeMap<(NodeIndex, u16), EventIndex>,
}

impl<'a> Facts<'a> {
    pub fn new(trace: &'a Trace) -> Self {
        let mut facts = Self { trace, faults: Vec::new(), grants: BTreeMap::new(), ends: BTreeMap::new() };
        for (index, event) in (0..).zip(&trace.events) {
            let change = match event.what {
                What::FaultBegins(_) => {
                    facts.faults.push(Some(index));
                    continue;
                }
                What::FaultEnds(_) => None,
                What::Change(change) => Some(change),
            };
            facts.faults.push(event.cause.and_then(|cause| facts.faults[cause as usize]));
            match (change, event.client) {
                (Some(Change::Granted { token, .. }), Some(client)) => {
                    facts.grants.insert((client, token), index);
                }
                (Some(Change::Expired { token, .. } | Change::Freed { token }), _) => {
                    facts.ends.insert((event.actor, token), index);
                }
                _ => {}
            }
        }
        facts
    }

    /// The last fault among the causes of an event: it held the event up or moved it.
    pub fn fault_before(&self, event: EventIndex) -> Option<EventIndex> {
        self.faults[event as usize]
    }

    /// The grant of the lease whose token a write carries.
    pub fn grant(&self, write: EventIndex, token: u16) -> Option<EventIndex> {
        let client = self.trace.event(write).client?;
        self.grants.get(&(client, token)).copied().filter(|&grant| grant < write)
    }

    /// The end of the lease whose token a write carries, if it ended before the write.
    pub fn lease_end(&self, write: EventIndex, token: u16) -> Option<EventIndex> {
        let lock = self.trace.event(self.grant(write, token)?).actor;
        self.ends.get(&(lock, token)).copied().filter(|&end| end < write)
    }
}
