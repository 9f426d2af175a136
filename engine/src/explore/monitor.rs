//! Watches a search for what its schedules show, with as little memory as that takes.
//!
//! The checkers fold over a trace; a search has none. What they need to remember of
//! the past lies in a [`Watch`], which is part of the search's state and not of the
//! world.

use alloc::vec::Vec;
use core::cell::Cell;

use super::bounds::{Bounds, Left, RESTORES, spend};
use super::mark::Mark;
use super::readings::Readings;
use super::search::Stop;
use super::tally::Tally;
use crate::check::is_accepted;
use crate::sim::{
    Action, Ask, Change, Model, NodeIndex, NodeKind, Outcome, Part, Record, Role, Scenario, SystemNode, World,
};
use crate::system::Timer;

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
    /// For each plain storage who relies on a version that isn't there any more.
    pub readings: [Readings; SERVERS],
}

impl Watch {
    /// The clients that are named here, as bits.
    pub fn named(&self) -> u32 {
        let writers =
            self.writer.iter().filter(|&&writer| writer != 0).fold(0, |named, writer| named | 1 << (writer - 1));
        self.readings.iter().fold(writers, |named, readings| named | readings.named())
    }

    /// Names clients anew, after they have changed places.
    pub fn rename(&mut self, renamed: &[NodeIndex]) {
        for writer in self.writer.iter_mut().filter(|writer| **writer != 0) {
            *writer = renamed[usize::from(*writer - 1)] + 1;
        }
        for readings in &mut self.readings {
            readings.rename(renamed);
        }
    }
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
    /// Past the last client among the nodes.
    pub clients: usize,
    /// The program of each client.
    programs: Vec<u8>,
    /// Whether it matters who relies on a version that isn't there any more.
    pub remembers_readings: bool,
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
    pub fn new(scenario: &Scenario, bounds: &Bounds, marks: &[Mark], tally: Option<&'a Tally>) -> Option<Self> {
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
        let clients = scenario.clients().last().map_or(1, |last| usize::from(last) + 1);
        let mut lookout = Self {
            marks: wanted_marks,
            wanted,
            tally,
            places,
            storages,
            locks,
            clients,
            programs,
            remembers_readings: false,
        };
        lookout.remembers_readings = lookout.wants_writers() && (bounds.restores > 0 || bounds.crashes > 0);
        fits.then_some(lookout)
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
            stray: None,
            tells_time: Cell::new(false),
        };
        model.apply(world, action, &mut monitor);
        let mut seen = monitor.seen;
        if monitor.tells_time.get() {
            seen.ends = Some(Stop::TellsTime);
        }
        if self.remembers_readings {
            self.tidy_readings(model, world, watch, action);
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

    /// A storage that has crashed has lost what was written to it; and what nobody can get
    /// back needs no remembering.
    fn tidy_readings(&self, model: &Model<'_>, world: &World, watch: &mut Watch, action: Action) {
        for storage in model.scenario().indices().filter(|&node| is_plain(model.scenario(), node)) {
            let readings = &mut watch.readings[usize::from(self.places[usize::from(storage)])];
            if action == Action::Crash(storage) {
                readings.started_anew(model.knows_a_version_ahead(world, storage));
            }
            if watch.left[RESTORES] == 0 || !model.is_saved(world, storage) {
                readings.forget_what_lies_aside();
            }
        }
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
    /// The stray message that is handled, if it is one.
    stray: Option<u8>,
    /// Whether somebody is told how much time is left.
    tells_time: Cell<bool>,
}

impl Monitor<'_> {
    fn see(&mut self, mark: Mark) {
        self.seen.marks |= mark.bit() & self.lookout.wanted;
    }

    /// What is remembered of who has read a plain storage, if that matters.
    fn readings(&mut self, storage: NodeIndex) -> Option<&mut Readings> {
        let place = usize::from(self.lookout.places[usize::from(storage)]);
        let matters = self.lookout.remembers_readings && is_plain(self.scenario, storage);
        matters.then(|| &mut self.watch.readings[place])
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
        if let Change::Learned { .. } | Change::Lost { .. } | Change::Crashed { .. } = change
            && self.lookout.remembers_readings
            && let Some(client) = client
        {
            let takes_it = matches!(change, Change::Learned { outcome, .. } if outcome != Outcome::TimedOut);
            let client = self.scenario.process(client);
            self.watch.readings.iter_mut().for_each(|readings| readings.ends_call(client, takes_it));
        }
        // What one thread has read or written, its process has.
        let client = client.map(|client| self.scenario.process(client));
        match change {
            Change::Accepted { token, based_on, replaced, conditional, .. } => {
                let writer = client.map_or(0, |client| client + 1);
                if token < self.watch.highest[place] && token != 0 {
                    self.see(Mark::StaleWriteAccepted);
                }
                let stray = self.stray;
                let is_another = match (self.readings(actor), client) {
                    (Some(readings), Some(client)) => readings.is_based_on_another(client, stray),
                    _ => false,
                };
                self.readings(actor).into_iter().for_each(Readings::written);
                if (based_on != replaced || is_another) && self.watch.writer[place] != writer {
                    self.see(if conditional { Mark::Aba } else { Mark::LostUpdate });
                }
                if self.lookout.wants(Mark::StaleWriteAccepted) || self.lookout.wants(Mark::StaleWriteRefused) {
                    self.watch.highest[place] = self.watch.highest[place].max(token);
                }
                if self.lookout.wants_writers() {
                    self.watch.writer[place] = writer;
                }
            }
            Change::Read { .. } if self.stray.is_none() => {
                if let (Some(readings), Some(client)) = (self.readings(actor), client) {
                    readings.read(client);
                }
            }
            Change::Saved => self.readings(actor).into_iter().for_each(Readings::saved),
            // What is there now was written by nobody of those who wrote last.
            Change::StorageRestored { .. } | Change::Crashed { keeps_memory: false } | Change::Forgotten { .. } => {
                if let Change::StorageRestored { .. } = change {
                    self.readings(actor).into_iter().for_each(Readings::restored);
                }
                for lane in self.scenario.indices() {
                    if !matches!(change, Change::StorageRestored { .. })
                        && self.scenario.is_silent_cache_on(lane, actor)
                    {
                        self.set_stale(lane, false);
                    }
                    let is_data = is_plain(self.scenario, lane) || self.scenario.role(lane).is_some_and(Role::is_data);
                    if is_data && (lane == actor || self.scenario.host(lane) == actor) {
                        self.watch.writer[usize::from(self.lookout.places[usize::from(lane)])] = 0;
                    }
                }
            }
            Change::Refused { token, .. } if token < self.watch.highest[place] && token != 0 => {
                self.see(Mark::StaleWriteRefused);
            }
            Change::Granted { token, .. } | Change::Passed { token, .. }
                if self.lookout.wants(Mark::TokenRegression) =>
            {
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

    fn goes_astray(&mut self, client: NodeIndex, slot: u8) {
        let client = self.scenario.process(client);
        if self.lookout.remembers_readings {
            self.watch.readings.iter_mut().for_each(|readings| readings.goes_astray(client, slot));
        }
    }

    fn is_copied(&mut self, client: NodeIndex, slot: u8) {
        self.goes_astray(client, slot);
    }

    fn concerns_stray(&mut self, slot: u8) {
        self.stray = Some(slot);
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

fn is_plain(scenario: &Scenario, node: NodeIndex) -> bool {
    matches!(scenario.nodes[usize::from(node)].kind, NodeKind::Storage(_))
}

/// Whether two clients believe that they hold the same lock.
fn beliefs_overlap(model: &Model<'_>, world: &World) -> bool {
    let scenario = model.scenario();
    let processes = || scenario.clients().filter(|&client| scenario.process(client) == client);
    scenario
        .locks()
        .any(|lock| processes().filter(|&client| model.belief(world, client, lock).is_some()).nth(1).is_some())
}
