//! What the checkers look up about a trace, gathered in one pass over it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::sim::{Change, EventIndex, NodeIndex, Trace, What};

/// Looked up again and again, so that judging stays quick for the longest run.
pub(super) struct Facts<'a> {
    pub trace: &'a Trace,
    /// The last fault among the causes of each event.
    faults: Vec<Option<EventIndex>>,
    /// The grants of each token to each client; more than one if a lock was set back.
    grants: BTreeMap<(NodeIndex, u16), Vec<EventIndex>>,
    /// The ends of leases, by lock and token.
    ends: BTreeMap<(NodeIndex, u16), Vec<EventIndex>>,
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
            // A run without time has no faults; there, what goes wrong stands for itself.
            let fault = event.cause.and_then(|cause| facts.faults[cause as usize]);
            facts.faults.push(fault.or_else(|| change.filter(|&change| goes_wrong(change)).map(|_| index)));
            match (change, event.client) {
                (Some(Change::Granted { token, .. }), Some(client)) | (Some(Change::Passed { client, token }), _) => {
                    facts.grants.entry((client, token)).or_default().push(index);
                }
                (Some(Change::Expired { token, .. } | Change::Freed { token } | Change::Broken { token, .. }), _) => {
                    facts.ends.entry((event.actor, token)).or_default().push(index);
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
fn goes_wrong(change: Change) -> bool {
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
