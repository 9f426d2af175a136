//! Watches a search for what its schedules show, with as little memory as that takes.
//!
//! The checkers fold over a trace; a search has none. What they need to remember of
//! the past lies in a [`Watch`], which is part of the search's state and not of the
//! world.

use alloc::vec::Vec;
use core::cell::Cell;

use serde::{Deserialize, Serialize};

use super::bounds::{Left, spend};
use super::search::Stop;
use super::tally::Tally;
use crate::check::{Property, is_accepted};
use crate::sim::{
    Action, Ask, Change, Model, NodeIndex, NodeKind, Operation, Outcome, Part, Record, Role, Scenario, SystemNode,
    World,
};
use crate::system::Timer;

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

    /// Whether anything in a scenario could show this at all: some harm needs a cache, a
    /// limit, or a command that says what it is.
    pub fn is_possible_in(self, scenario: &Scenario) -> bool {
        let says = |what: fn(&Ask) -> bool| {
            let steps = scenario.programs.iter().flat_map(|program| &program.steps);
            steps.into_iter().any(|step| matches!(&step.operation, Operation::Ask { ask, .. } if what(ask)))
        };
        let has = |what: fn(&Role) -> bool| scenario.indices().any(|node| scenario.role(node).is_some_and(what));
        match self {
            Self::Aba => says(|ask| ask.conditional),
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

/// The most storages, and the most lock services, that a search watches.
pub(super) const SERVERS: usize = 8;

/// What must be remembered of the past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Watch {
    pub left: Left,
    /// For each storage the highest token that it has accepted.
    pub highest: [u16; SERVERS],
    /// For each storage the client that wrote its version plus one, or 0.
    pub writer: [u8; SERVERS],
    /// For each lock service the highest token that it has granted.
    pub granted: [u16; SERVERS],
    /// The caches with an entry that was stale when they took it, as bits.
    pub stale: u32,
}

/// What a search looks for in the changes of its actions.
pub(super) struct Lookout<'a> {
    /// The marks that are looked for, in the order of the bits of a class.
    pub marks: Vec<Mark>,
    /// The same as bits.
    wanted: u16,
    tally: Option<&'a Tally>,
    /// For each node its place among the storages, or among the lock services.
    places: Vec<u8>,
    /// How many storages there are, and how many lock services.
    pub storages: usize,
    pub locks: usize,
    /// The program of each client.
    programs: Vec<u8>,
}

/// What an action showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// The marks, as bits.
    pub marks: u16,
    /// How much of the tally.
    pub tally: u8,
    /// Why nothing that follows would mean anything.
    pub ends: Option<Stop>,
}

impl<'a> Lookout<'a> {
    /// `None` if there are more servers than can be watched.
    pub fn new(scenario: &Scenario, marks: &[Mark], tally: Option<&'a Tally>) -> Option<Self> {
        let mut wanted_marks = marks.to_vec();
        wanted_marks.sort_unstable();
        wanted_marks.dedup();
        let wanted = wanted_marks.iter().fold(0, |bits, mark| bits | mark.bit());
        let (mut storages, mut locks) = (0_u8, 0_u8);
        let place = |next: &mut u8| {
            *next += 1;
            *next - 1
        };
        let places: Vec<u8> = scenario
            .nodes
            .iter()
            .map(|node| match &node.kind {
                NodeKind::Storage(_) => place(&mut storages),
                NodeKind::Lock(_) => place(&mut locks),
                NodeKind::System(SystemNode { role, .. }) | NodeKind::Part(Part { role, .. }) => match role {
                    Role::Lock { .. } => place(&mut locks),
                    Role::Data { .. } => place(&mut storages),
                    Role::Server | Role::Cache { .. } | Role::Effects { .. } => 0,
                },
                NodeKind::Client(_) => 0,
            })
            .collect();
        let programs =
            scenario.indices().map(|node| scenario.client(node).map_or(0, |client| client.program)).collect();
        let (storages, locks) = (usize::from(storages), usize::from(locks));
        let fits = storages.max(locks) <= SERVERS;
        fits.then_some(Self { marks: wanted_marks, wanted, tally, places, storages, locks, programs })
    }

    /// Whether a mark is looked for.
    pub fn wants(&self, mark: Mark) -> bool {
        self.wanted & mark.bit() != 0
    }

    /// Whether it matters who wrote the version that a storage has.
    pub fn wants_writers(&self) -> bool {
        self.wants(Mark::LostUpdate) || self.wants(Mark::Aba)
    }

    /// Lets an action happen, and says what it showed.
    pub fn apply(&self, model: &Model<'_>, world: &mut World, watch: &mut Watch, action: Action) -> Seen {
        spend(model, world, action, &mut watch.left);
        let ask = model.command_of(world, action);
        let mut monitor = Monitor {
            lookout: self,
            scenario: model.scenario(),
            ask,
            watch,
            seen: Seen::default(),
            tells_time: Cell::new(false),
        };
        model.apply(world, action, &mut monitor);
        let mut seen = monitor.seen;
        if monitor.tells_time.get() {
            seen.ends = Some(Stop::TellsTime);
        }
        if self.wants(Mark::OverlapOfBelief) && beliefs_overlap(model, world) {
            seen.marks |= Mark::OverlapOfBelief.bit();
        }
        let stays = watch.stale != 0 && self.wants(Mark::StaleCacheEntryStays);
        if stays && model.only_timers_are_left(world) {
            seen.marks |= Mark::StaleCacheEntryStays.bit();
        }
        seen
    }

    /// What is seen at the end of a schedule: whether a client could go on if it
    /// weren't kept waiting for ever. A lease that may still end isn't for ever.
    pub fn at_the_end(&self, model: &Model<'_>, world: &World) -> Seen {
        let mut enabled = Vec::new();
        model.enabled(world, &mut enabled);
        let waits = enabled.is_empty() && model.scenario().clients().any(|client| !model.has_ended(world, client));
        Seen { marks: if waits { Mark::NoProgress.bit() & self.wanted } else { 0 }, ..Seen::default() }
    }

    /// The marks that these bits stand for.
    pub fn marks_in(&self, bits: u16) -> Vec<Mark> {
        self.marks.iter().copied().filter(|mark| bits & mark.bit() != 0).collect()
    }
}

/// Takes note of the changes of one action, and says what they show.
struct Monitor<'a> {
    lookout: &'a Lookout<'a>,
    scenario: &'a Scenario,
    /// The command that is handled, if it is one.
    ask: Option<&'a Ask>,
    watch: &'a mut Watch,
    seen: Seen,
    /// Whether somebody is told how much time is left.
    tells_time: Cell<bool>,
}

impl Monitor<'_> {
    fn see(&mut self, mark: Mark) {
        self.seen.marks |= mark.bit() & self.lookout.wanted;
    }

    fn set_stale(&mut self, cache: NodeIndex, is_stale: bool) {
        if self.lookout.wants(Mark::StaleCacheEntryStays) {
            self.watch.stale = self.watch.stale & !(1 << cache) | u32::from(is_stale) << cache;
        }
    }
}

impl Record for Monitor<'_> {
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) {
        let place = usize::from(self.lookout.places[usize::from(actor)]);
        let is_forged = client.is_some_and(|client| client != actor) && self.ask.is_some_and(|ask| ask.forged);
        if is_forged && is_accepted(change) == Some(true) {
            self.see(Mark::ForgedGrantAccepted);
        }
        match change {
            Change::Accepted { token, based_on, replaced, .. } => {
                let writer = client.map_or(0, |client| client + 1);
                if token < self.watch.highest[place] && token != 0 {
                    self.see(Mark::StaleWriteAccepted);
                }
                if based_on != replaced && self.watch.writer[place] != writer {
                    let conditional = self.ask.is_some_and(|ask| ask.conditional);
                    self.see(if conditional { Mark::Aba } else { Mark::LostUpdate });
                }
                if self.lookout.wants(Mark::StaleWriteAccepted) || self.lookout.wants(Mark::StaleWriteRefused) {
                    self.watch.highest[place] = self.watch.highest[place].max(token);
                }
                if self.lookout.wants_writers() {
                    self.watch.writer[place] = writer;
                }
            }
            Change::Refused { token, .. } if token < self.watch.highest[place] && token != 0 => {
                self.see(Mark::StaleWriteRefused);
            }
            Change::Granted { token, .. } if self.lookout.wants(Mark::TokenRegression) => {
                if token <= self.watch.granted[place] {
                    self.see(Mark::TokenRegression);
                }
                self.watch.granted[place] = self.watch.granted[place].max(token);
            }
            Change::Stopped => self.see(Mark::GaveUp),
            Change::Answered { outcome: Outcome::Unexpected } => self.seen.ends = Some(Stop::Unexpected),
            Change::Filled { version, newest } => {
                self.set_stale(actor, version < newest);
                if version < newest {
                    self.see(Mark::StaleCacheEntry);
                }
            }
            Change::Emptied => self.set_stale(actor, false),
            Change::Segment { number, after, accepted: true } if after.checked_add(1) != Some(number) => {
                self.see(Mark::SegmentSkipped);
            }
            Change::Effected { count, .. } => {
                if let Some(Role::Effects { limit: Some(limit) }) = self.scenario.role(actor)
                    && count > *limit
                {
                    self.see(Mark::LimitExceeded);
                }
            }
            _ => {}
        }
    }

    fn has_done(&mut self, client: NodeIndex, step: u8, outcome: Outcome) {
        let program = self.lookout.programs[usize::from(client)];
        if self.lookout.tally.is_some_and(|tally| tally.counts(program, step, outcome)) {
            self.seen.tally = self.seen.tally.saturating_add(1);
        }
    }

    fn told_left_us(&self, node: NodeIndex, timer: Timer) -> u64 {
        self.tells_time.set(true);
        self.left_us(node, timer)
    }
}

/// Whether two clients believe that they hold the same lock.
fn beliefs_overlap(model: &Model<'_>, world: &World) -> bool {
    let scenario = model.scenario();
    scenario
        .locks()
        .any(|lock| scenario.clients().filter(|&client| model.belief(world, client, lock).is_some()).nth(1).is_some())
}
