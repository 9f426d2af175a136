//! What a schedule can show.

use serde::{Deserialize, Serialize};

use crate::check::{Finding, Property, Verdict};
use crate::sim::{Ask, Guard, Node, NodeKind, Operation, Role, Scenario, Trace};

/// Something that a schedule can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// Storage accepted a write whose token is lower than the highest accepted.
    StaleWriteAccepted,
    /// Storage refused such a write.
    StaleWriteRefused,
    /// Storage accepted a write over a version that its writer had never read.
    LostUpdate,
    /// Two clients believed at once that they hold the same lock.
    OverlapOfBelief,
    /// A lock service granted a token that is not higher than one it had granted before.
    TokenRegression,
    /// A client gave up.
    GaveUp,
    /// Nothing more can happen, and a client hasn't ended its program.
    NoProgress,
    /// A conditional write was accepted although what it compared had changed in between.
    Aba,
    /// A cache took an entry that is older than its source.
    StaleCacheEntry,
    /// There were more effects than there may be.
    LimitExceeded,
    /// A segment was accepted that doesn't follow the last one.
    SegmentSkipped,
    /// A forged or changed grant was accepted.
    ForgedGrantAccepted,
    /// A cache took such an entry, and has it still when nothing more can happen but that
    /// timers fire.
    StaleCacheEntryStays,
}

impl Mark {
    /// All marks, in the order of their bits.
    pub const ALL: [Self; 13] = [
        Self::StaleWriteAccepted,
        Self::StaleWriteRefused,
        Self::LostUpdate,
        Self::OverlapOfBelief,
        Self::TokenRegression,
        Self::GaveUp,
        Self::NoProgress,
        Self::Aba,
        Self::StaleCacheEntry,
        Self::LimitExceeded,
        Self::SegmentSkipped,
        Self::ForgedGrantAccepted,
        Self::StaleCacheEntryStays,
    ];

    /// The marks whose properties do harm, in the order of their bits.
    pub const HARM: [Self; 9] = [
        Self::StaleWriteAccepted,
        Self::LostUpdate,
        Self::TokenRegression,
        Self::NoProgress,
        Self::Aba,
        Self::StaleCacheEntry,
        Self::LimitExceeded,
        Self::SegmentSkipped,
        Self::ForgedGrantAccepted,
    ];

    /// The mark that shows this harm, if a search can look for it.
    pub fn harm_of(property: Property) -> Option<Self> {
        match property {
            Property::StaleWriteAccepted => Some(Self::StaleWriteAccepted),
            Property::LostUpdate => Some(Self::LostUpdate),
            Property::TokenRegression => Some(Self::TokenRegression),
            Property::NoProgress => Some(Self::NoProgress),
            Property::Aba => Some(Self::Aba),
            Property::StaleCacheEntry => Some(Self::StaleCacheEntry),
            Property::LimitExceeded => Some(Self::LimitExceeded),
            Property::SegmentSkipped => Some(Self::SegmentSkipped),
            Property::ForgedGrantAccepted => Some(Self::ForgedGrantAccepted),
            // The first three would need more of the past than a search remembers.
            Property::EffectTwice
            | Property::EffectLost
            | Property::OrphanedLock
            | Property::OverlapOfBelief
            | Property::OutcomeUnknown => None,
        }
    }

    /// Whether the verdict on a timed run has the harm that this shows. An entry of a cache
    /// stays if nobody but its timer takes it away.
    pub fn is_harm_in(self, trace: &Trace, verdict: &Verdict) -> bool {
        let stays = |finding: &Finding| finding.until.is_none_or(|until| trace.event(until).client.is_none());
        verdict.findings.iter().any(|finding| match self {
            Self::StaleCacheEntryStays => finding.property == Property::StaleCacheEntry && stays(finding),
            _ => Self::harm_of(finding.property) == Some(self),
        })
    }

    /// Whether anything in a scenario could show this at all: some harm needs a cache, a
    /// limit, or a command that says what it is.
    pub fn is_possible_in(self, scenario: &Scenario) -> bool {
        let says = |what: fn(&Ask) -> bool| {
            let steps = scenario.programs.iter().flat_map(|program| &program.steps);
            steps.into_iter().any(|step| matches!(&step.operation, Operation::Ask { ask, .. } if what(ask)))
        };
        let has = |what: fn(&Role) -> bool| scenario.indices().any(|node| scenario.role(node).is_some_and(what));
        match self {
            Self::Aba => says(|ask| ask.conditional) || compares_versions(scenario),
            Self::StaleCacheEntry | Self::StaleCacheEntryStays => has(|role| matches!(role, Role::Cache { .. })),
            Self::LimitExceeded => has(|role| matches!(role, Role::Effects { limit: Some(_) })),
            Self::SegmentSkipped => says(|ask| ask.segment.is_some()),
            Self::ForgedGrantAccepted => says(|ask| ask.forged),
            _ => true,
        }
    }

    /// Its name in files and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::StaleWriteAccepted => "stale-write-accepted",
            Self::StaleWriteRefused => "stale-write-refused",
            Self::LostUpdate => "lost-update",
            Self::OverlapOfBelief => "overlap-of-belief",
            Self::TokenRegression => "token-regression",
            Self::GaveUp => "gave-up",
            Self::NoProgress => "no-progress",
            Self::Aba => "aba",
            Self::StaleCacheEntry => "stale-cache-entry",
            Self::LimitExceeded => "limit-exceeded",
            Self::SegmentSkipped => "segment-skipped",
            Self::ForgedGrantAccepted => "forged-grant-accepted",
            Self::StaleCacheEntryStays => "stale-cache-entry-stays",
        }
    }

    pub(super) fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// Whether a plain storage compares versions: one that came back may be given anew.
fn compares_versions(scenario: &Scenario) -> bool {
    let compares = |node: &Node| matches!(&node.kind, NodeKind::Storage(register) if register.guard == Guard::VersionCompareAndSet);
    scenario.nodes.iter().any(compares)
}
