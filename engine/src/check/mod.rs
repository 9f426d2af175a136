//! Judges what happened: checkers that fold over a trace and name the events to blame.
//!
//! Each harm has a twin, a [`Witness`], which shows that the danger was reached. A
//! run without harm and without its witness proves nothing, since nothing was tried.

mod belief;
mod lost_update;
mod stale_write;

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::sim::{Change, EventIndex, NodeIndex, Scenario, Trace, What};

pub use belief::{Belief, beliefs};

/// What must never happen, or is at least worth knowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Property {
    /// Storage accepted a write whose token is lower than the highest that it had
    /// accepted at that moment.
    StaleWriteAccepted,
    /// Storage accepted a write over a version that its writer had never read.
    LostUpdate,
    /// Two clients believed at once to hold the same lock. A fence makes it harmless.
    OverlapOfBelief,
}

/// That a danger was reached, whatever became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Witness {
    /// A write with a lower token than the highest accepted reached storage.
    StaleWriteTried,
    /// A write reached storage after the version that it was computed from was gone.
    OutdatedWriteTried,
    /// A client's belief outlived its lease.
    BeliefOutlivedLease,
}

/// A property that was violated, at one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub property: Property,
    /// The event that violated it.
    pub event: EventIndex,
    /// The chain of events that led there, in order; its last is [`Finding::event`].
    pub blame: Vec<EventIndex>,
}

/// A danger that was reached, at one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Which.
    pub witness: Witness,
    /// The event that shows it.
    pub event: EventIndex,
    /// The chain of events that led there, in order; its last is [`Sighting::event`].
    pub blame: Vec<EventIndex>,
}

/// What the checkers found in a run, each list in the order of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// What was violated.
    pub findings: Vec<Finding>,
    /// What was tried.
    pub sightings: Vec<Sighting>,
}

impl Property {
    /// Whether a violation does harm; the others are only worth knowing.
    pub fn is_harm(self) -> bool {
        !matches!(self, Self::OverlapOfBelief)
    }
}

impl Verdict {
    /// The violations that do harm, in order.
    pub fn harm(&self) -> Vec<&Finding> {
        self.findings.iter().filter(|finding| finding.property.is_harm()).collect()
    }

    /// Whether a property was violated.
    pub fn shows(&self, property: Property) -> bool {
        self.findings.iter().any(|finding| finding.property == property)
    }

    /// Whether a danger was reached.
    pub fn reaches(&self, witness: Witness) -> bool {
        self.sightings.iter().any(|sighting| sighting.witness == witness)
    }
}

/// Judges a run.
pub fn judge(scenario: &Scenario, trace: &Trace) -> Verdict {
    let mut verdict = Verdict::default();
    stale_write::judge(trace, &mut verdict);
    lost_update::judge(trace, &mut verdict);
    belief::judge(scenario, trace, &mut verdict);
    verdict.findings.sort_by_key(|finding| (finding.event, finding.property));
    verdict.sightings.sort_by_key(|sighting| (sighting.event, sighting.witness));
    verdict
}

/// The last fault among the causes of an event: it held the event up or moved it.
fn fault_before(trace: &Trace, event: EventIndex) -> Option<EventIndex> {
    let causes = core::iter::successors(Some(event), |&index| trace.event(index).cause);
    causes.into_iter().find(|&index| matches!(trace.event(index).what, What::FaultBegins(_)))
}

/// The event that ended the lease which a client got with a token, if one did.
fn lease_end(trace: &Trace, client: Option<NodeIndex>, token: u16, before: EventIndex) -> Option<EventIndex> {
    let earlier = || trace.changes().take_while(|&(index, ..)| index < before);
    let grants = |change| matches!(change, Change::Granted { token: granted, .. } if granted == token);
    let (_, grant, _) = earlier().filter(|&(_, event, change)| event.client == client && grants(change)).last()?;
    let ends = |change| matches!(change, Change::Expired { token: ended, .. } | Change::Freed { token: ended } if ended == token);
    earlier().find(|&(_, event, change)| event.actor == grant.actor && ends(change)).map(|(index, ..)| index)
}

/// A chain of events in the order in which they happened, each once.
fn chain(events: impl IntoIterator<Item = Option<EventIndex>>) -> Vec<EventIndex> {
    let mut chain: Vec<EventIndex> = events.into_iter().flatten().collect();
    chain.sort_unstable();
    chain.dedup();
    chain
}
