//! Judges what happened: checkers that fold over a trace and name the events to blame.
//!
//! Each harm has a twin, a [`Witness`], which shows that the danger was reached. A
//! run without harm and without its witness proves nothing, since nothing was tried.

mod belief;
mod effect_twice;
mod facts;
mod gave_up;
mod lost_update;
mod stale_write;
mod token_regression;
mod waiting;

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::sim::{EventIndex, Scenario, Trace};
use facts::Facts;

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
    /// A lock service granted a token that is not higher than one it had granted before.
    TokenRegression,
    /// Storage accepted one write twice: a copy of it, or the same sent again by a
    /// client that didn't know what had become of it.
    EffectTwice,
    /// The run ends with a client that waits for ever.
    NoProgress,
    /// A client went on, or crashed, without knowing whether its write happened. Not
    /// to know does no harm by itself.
    OutcomeUnknown,
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
    /// A lock service's counter went back below a token that it had granted.
    CounterSetBack,
    /// One write reached storage twice.
    EffectTwiceTried,
    /// A message was lost while its client waited for the reply.
    MessageLost,
    /// A write was lost, or its reply, or its client stopped waiting for it.
    WriteUnanswered,
    /// A client was told that its lease was over, and gave up.
    GaveUp,
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
        !matches!(self, Self::OverlapOfBelief | Self::OutcomeUnknown)
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
    let facts = Facts::new(trace);
    stale_write::judge(&facts, &mut verdict);
    lost_update::judge(&facts, &mut verdict);
    belief::judge(scenario, &facts, &mut verdict);
    token_regression::judge(scenario, &facts, &mut verdict);
    effect_twice::judge(&facts, &mut verdict);
    waiting::judge(&facts, &mut verdict);
    gave_up::judge(&facts, &mut verdict);
    verdict.findings.sort_by_key(|finding| (finding.event, finding.property));
    verdict.sightings.sort_by_key(|sighting| (sighting.event, sighting.witness));
    verdict
}

/// A chain of events in the order in which they happened, each once.
fn chain(events: impl IntoIterator<Item = Option<EventIndex>>) -> Vec<EventIndex> {
    let mut chain: Vec<EventIndex> = events.into_iter().flatten().collect();
    chain.sort_unstable();
    chain.dedup();
    chain
}
