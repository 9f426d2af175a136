//! Watches a search for what its schedules show, with as little memory as that takes.
//!
//! The checkers fold over a trace; a search has none. What they need to remember of
//! the past lies in a [`Watch`], which is part of the search's state and not of the
//! world.

use serde::{Deserialize, Serialize};

use crate::check::Property;
use crate::sim::{Assumptions, Change, Model, NodeIndex, NodeKind, Record, World};

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
    /// A client gave up.
    GaveUp,
    /// Nothing more can happen, and a client hasn't ended its program.
    NoProgress,
}

impl Mark {
    /// All marks, in the order of their bits.
    pub const ALL: [Self; 6] = [
        Self::StaleWriteAccepted,
        Self::StaleWriteRefused,
        Self::LostUpdate,
        Self::OverlapOfBelief,
        Self::GaveUp,
        Self::NoProgress,
    ];

    /// Its name in files and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::StaleWriteAccepted => "stale-write-accepted",
            Self::StaleWriteRefused => "stale-write-refused",
            Self::LostUpdate => "lost-update",
            Self::OverlapOfBelief => "overlap-of-belief",
            Self::GaveUp => "gave-up",
            Self::NoProgress => "no-progress",
        }
    }

    /// The marks whose properties do harm, in the order of their bits.
    pub const HARM: [Self; 3] = [Self::StaleWriteAccepted, Self::LostUpdate, Self::NoProgress];

    /// The mark that shows this harm, if a search can look for it.
    pub fn harm_of(property: Property) -> Option<Self> {
        match property {
            Property::StaleWriteAccepted => Some(Self::StaleWriteAccepted),
            Property::LostUpdate => Some(Self::LostUpdate),
            Property::NoProgress => Some(Self::NoProgress),
            _ => None,
        }
    }

    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// How much of what may happen at all happens in one schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// How many leases may end before their holder gives them back.
    pub expiries: u8,
}

impl Bounds {
    /// Nothing goes wrong.
    pub const NONE: Self = Self { expiries: 0 };
}

impl core::fmt::Display for Bounds {
    /// In words: `at most 2 leases end early`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.expiries {
            0 => write!(f, "no lease ends early"),
            1 => write!(f, "at most 1 lease ends early"),
            many => write!(f, "at most {many} leases end early"),
        }
    }
}

impl Default for Bounds {
    /// Two leases end early: one for each of two clients.
    fn default() -> Self {
        Self { expiries: 2 }
    }
}

/// What may go wrong in a search, so far: processes may be slow, and leases may end.
pub(super) const ASSUMED: Assumptions = Assumptions {
    pauses: true,
    expiries: true,
    lost_messages: false,
    duplicates: false,
    crashes: false,
    restores: false,
    forced_unlocks: false,
    state_losses: false,
};

/// The most storages that a search watches.
pub(super) const STORAGES: usize = 4;

/// What must be remembered of the past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Watch {
    pub expiries_left: u8,
    /// For each storage the highest token that it has accepted.
    pub highest: [u16; STORAGES],
    /// For each storage the client that wrote its version plus one, or 0.
    pub writer: [u8; STORAGES],
}

/// Takes note of the changes of one action, and says what they show.
pub(super) struct Monitor<'a> {
    pub watch: &'a mut Watch,
    /// The marks that are looked for, as bits.
    pub wanted: u8,
    /// For each node its place among the storages.
    pub places: &'a [u8],
    /// The marks that were seen, as bits.
    pub seen: u8,
}

impl Monitor<'_> {
    fn wants(&self, mark: Mark) -> bool {
        self.wanted & mark.bit() != 0
    }

    fn see(&mut self, mark: Mark) {
        self.seen |= mark.bit() & self.wanted;
    }
}

impl Record for Monitor<'_> {
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) {
        match change {
            Change::Accepted { token, based_on, replaced, .. } => {
                let place = usize::from(self.places[usize::from(actor)]);
                let writer = client.map_or(0, |client| client + 1);
                if token < self.watch.highest[place] && token != 0 {
                    self.see(Mark::StaleWriteAccepted);
                }
                if based_on != replaced && self.watch.writer[place] != writer {
                    self.see(Mark::LostUpdate);
                }
                if self.wants(Mark::StaleWriteAccepted) || self.wants(Mark::StaleWriteRefused) {
                    self.watch.highest[place] = self.watch.highest[place].max(token);
                }
                if self.wants(Mark::LostUpdate) {
                    self.watch.writer[place] = writer;
                }
            }
            Change::Refused { token, .. } => {
                let place = usize::from(self.places[usize::from(actor)]);
                if token < self.watch.highest[place] && token != 0 {
                    self.see(Mark::StaleWriteRefused);
                }
            }
            Change::Stopped => self.see(Mark::GaveUp),
            _ => {}
        }
    }
}

/// How many storages a scenario has.
pub(super) fn storages(scenario: &crate::sim::Scenario) -> usize {
    scenario.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Storage(_))).count()
}

/// For each node its place among the storages, of which there are few enough.
pub(super) fn storage_places(model: &Model<'_>) -> alloc::vec::Vec<u8> {
    let mut next = 0;
    let nodes = model.scenario().nodes.iter();
    let place = |node: &crate::sim::Node| {
        let place = next;
        if matches!(node.kind, NodeKind::Storage(_)) {
            next = (next + 1).min(STORAGES as u8 - 1);
        }
        place
    };
    nodes.map(place).collect()
}

/// Whether two clients believe that they hold the same lock.
pub(super) fn beliefs_overlap(model: &Model<'_>, world: &World) -> bool {
    let scenario = model.scenario();
    scenario
        .locks()
        .any(|lock| scenario.clients().filter(|&client| model.belief(world, client, lock).is_some()).nth(1).is_some())
}
