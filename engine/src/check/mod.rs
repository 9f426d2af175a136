//! Judges what happened: checkers that fold over a trace and name the events to blame.
//!
//! Each harm has a twin, a [`Witness`], which shows that the danger was reached. A
//! run without harm and without its witness proves nothing, since nothing was tried.

mod aba;
mod belief;
mod effect_lost;
mod effect_repeated;
mod effect_twice;
mod facts;
mod forged;
mod gave_up;
mod limit;
mod lost_update;
mod orphaned_lock;
mod segment;
mod stale_cache;
mod stale_write;
mod token_regression;
mod waiting;

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::order::sort_by;
use crate::sim::{EventIndex, Scenario, Trace};
use crate::system;
use facts::Facts;

pub use belief::{Belief, beliefs};
pub(crate) use forged::is_accepted;

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
    /// One thing was done twice: storage accepted a write and its copy, or the same
    /// sent again by a client that didn't know what had become of it; a client had an
    /// effect twice; or there were more effects than were promised.
    EffectTwice,
    /// The run ends with a client that waits for ever.
    NoProgress,
    /// A client went on, or crashed, without knowing whether its write happened. Not
    /// to know does no harm by itself. It lasts until the client looks what is there, or
    /// is told that the same was accepted when it sent it again.
    OutcomeUnknown,
    /// A conditional write was accepted although what it compared had changed in
    /// between, and had come back: see <https://en.wikipedia.org/wiki/ABA_problem>.
    Aba,
    /// A cache took an entry made from an older version than its source then had.
    StaleCacheEntry,
    /// There were more effects than there may be.
    LimitExceeded,
    /// The run ends, and an effect that was promised has not happened.
    EffectLost,
    /// A segment was accepted that doesn't follow the last one.
    SegmentSkipped,
    /// A grant was accepted that is forged or was changed.
    ForgedGrantAccepted,
    /// The run ends with a lock that has refused a client, while the one that holds it
    /// doesn't know so: nothing will ever end it.
    OrphanedLock,
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
    /// A lock service's counter went back below a token that it had granted. One whose
    /// state can't be looked into lost all that it had counted since.
    CounterSetBack,
    /// One write, or one effect, was asked for twice.
    EffectTwiceTried,
    /// A message was lost while its client waited for the reply.
    MessageLost,
    /// A write was lost, or its reply, or its client stopped waiting for it.
    WriteUnanswered,
    /// A client was told that its lease was over, or found its own deadline passed, and
    /// gave up.
    GaveUp,
    /// A conditional write reached storage after the version that it was computed
    /// from was gone.
    AbaTried,
    /// A cache was given an entry made from an older version than its source then had.
    StaleFillTried,
    /// An effect was asked for where there were already as many as there may be.
    EffectBeyondLimitTried,
    /// A promise was open when something went wrong, or when the client ended that
    /// had been given it.
    PromiseLeftOpen,
    /// A segment arrived that doesn't follow the last one.
    SegmentOutOfOrderTried,
    /// A forged or changed grant was shown.
    ForgedGrantTried,
    /// A client was refused by a lock whose holder didn't know that it held it.
    RefusedByOrphan,
    /// A server kept a command until something would change, and its client waited.
    KeptWaiting,
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
    /// The event that ended what was wrong, if it lasts for a while and ended within
    /// the run: a stale cache entry is replaced, a doubt is settled.
    pub until: Option<EventIndex>,
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

    /// How grave a violation is, the gravest first: what lets strangers in, what can't
    /// be taken back, what loses data, what is read wrongly, what may lead to any of
    /// these, and what only stands still.
    fn gravity(self) -> u8 {
        match self {
            Self::ForgedGrantAccepted => 0,
            Self::LimitExceeded => 1,
            Self::StaleWriteAccepted => 2,
            Self::LostUpdate => 3,
            Self::Aba => 4,
            Self::EffectTwice => 5,
            Self::EffectLost => 6,
            Self::SegmentSkipped => 7,
            Self::StaleCacheEntry => 8,
            Self::TokenRegression => 9,
            Self::OrphanedLock => 10,
            Self::NoProgress => 11,
            Self::OverlapOfBelief | Self::OutcomeUnknown => 12,
        }
    }
}

impl Verdict {
    /// The violations that do harm, in order.
    pub fn harm(&self) -> Vec<&Finding> {
        self.findings.iter().filter(|finding| finding.property.is_harm()).collect()
    }

    /// The gravest violation that does harm, and of several the first.
    pub fn worst(&self) -> Option<&Finding> {
        self.harm().into_iter().min_by_key(|finding| (finding.property.gravity(), finding.event))
    }

    /// Notes a violation; the last event of the chain is the one that violates.
    fn find(&mut self, property: Property, event: EventIndex, blame: Vec<EventIndex>) {
        self.findings.push(Finding { property, event, blame, until: None });
    }

    /// Notes a danger; the last event of the chain is the one that shows it.
    fn sight(&mut self, witness: Witness, event: EventIndex, blame: Vec<EventIndex>) {
        self.sightings.push(Sighting { witness, event, blame });
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
    let facts = Facts::new(scenario, trace);
    stale_write::judge(&facts, &mut verdict);
    lost_update::judge(&facts, &mut verdict);
    aba::judge(&facts, &mut verdict);
    belief::judge(scenario, &facts, &mut verdict);
    token_regression::judge(scenario, &facts, &mut verdict);
    effect_twice::judge(&facts, &mut verdict);
    if system::ARE_HERE {
        stale_cache::judge(&facts, &mut verdict);
        effect_repeated::judge(&facts, &mut verdict);
        effect_lost::judge(&facts, &mut verdict);
        limit::judge(&facts, &mut verdict);
        segment::judge(&facts, &mut verdict);
        forged::judge(&facts, &mut verdict);
    }
    waiting::judge(&facts, &mut verdict);
    orphaned_lock::judge(scenario, &facts, &mut verdict);
    gave_up::judge(&facts, &mut verdict);
    sort_by(&mut verdict.findings, |a, b| (a.event, a.property) > (b.event, b.property));
    sort_by(&mut verdict.sightings, |a, b| (a.event, a.witness) > (b.event, b.witness));
    verdict
}

/// A chain of events in the order in which they happened, each once.
fn chain(events: impl IntoIterator<Item = Option<EventIndex>>) -> Vec<EventIndex> {
    let mut chain: Vec<EventIndex> = events.into_iter().flatten().collect();
    sort_by(&mut chain, |a, b| a > b);
    chain.dedup();
    chain
}
