//! The timers of real systems in a timed run: when each fires, by which clock.

use alloc::vec;
use alloc::vec::Vec;

use super::change::{Action, Change};
use super::clock::NodeClock;
use super::model::Model;
use super::next::{NEVER, Next};
use super::record::Record;
use super::recorder::Recorder;
use super::scenario::NodeIndex;
use super::timed::Run;
use super::trace::EventIndex;
use crate::system::{ClockKind, Timer};

/// All timers.
pub(super) struct Timers {
    nodes: Vec<NodeTimers>,
}

/// Why a lease or a timer has the end that it has.
#[derive(Clone, Copy)]
pub(super) enum Term {
    /// It was given at this moment, for so long, both in microseconds.
    Given { at_us: u64, lasts_us: u64 },
    /// An older state brought its date back, by this event.
    BroughtBack(EventIndex),
}

/// The timers of one node.
struct NodeTimers {
    /// The clock that each follows.
    clocks: Vec<ClockKind>,
    /// When each fires, and what its clock shows then, in microseconds.
    now: Vec<(Next, i64)>,
    /// Why it is then.
    terms: Vec<Option<Term>>,
    /// What its clock shows then, in the state that lies aside.
    saved: Vec<i64>,
}

/// A timer that is set, and to when: after a while, in microseconds of its clock.
type Set = (NodeIndex, Timer, u64);

impl Timers {
    pub fn new(model: &Model) -> Self {
        let of = |node| {
            let clocks: Vec<ClockKind> = (0..model.timers(node)).map(|timer| model.clock(node, timer)).collect();
            let count = clocks.len();
            NodeTimers { clocks, now: vec![(NEVER, 0); count], terms: vec![None; count], saved: vec![0; count] }
        };
        Self { nodes: model.scenario().indices().map(of).collect() }
    }

    /// When a timer fires.
    pub fn next(&self, node: NodeIndex, timer: Timer) -> Next {
        self.nodes[usize::from(node)].now.get(usize::from(timer)).map_or(NEVER, |(next, _)| *next)
    }

    /// The clock that a timer follows.
    fn clock(&self, node: NodeIndex, timer: Timer) -> ClockKind {
        self.nodes[usize::from(node)].clocks[usize::from(timer)]
    }

    /// The dates of a node's timers are copied aside.
    pub fn save(&mut self, node: NodeIndex) {
        let node = &mut self.nodes[usize::from(node)];
        node.saved = node.now.iter().map(|&(_, date_us)| date_us).collect();
    }

    /// The dates that were copied aside.
    pub fn saved(&self, node: NodeIndex) -> Vec<(Timer, i64)> {
        (0..).zip(self.nodes[usize::from(node)].saved.iter().copied()).collect()
    }
}

impl Run<'_> {
    /// Timers were set just now.
    pub(super) fn set_timers(&mut self, set: Vec<Set>) {
        for (node, timer, after_us) in set {
            let kind = self.timers.clock(node, timer);
            let now_us = self.clocks[usize::from(node)].shows_us(kind, self.recorder.now_us);
            let term = Term::Given { at_us: self.recorder.now_us, lasts_us: after_us };
            self.set_timer((node, timer), now_us.saturating_add_unsigned(after_us), term);
        }
    }

    /// A timer is set to a date of its clock, in microseconds.
    fn set_timer(&mut self, (node, timer): (NodeIndex, Timer), date_us: i64, term: Term) {
        let kind = self.timers.clock(node, timer);
        let next = self.date_reached((node, kind), date_us, Action::Fire(node, timer));
        let timers = &mut self.timers.nodes[usize::from(node)];
        timers.now[usize::from(timer)] = (next, date_us);
        timers.terms[usize::from(timer)] = Some(term);
    }

    /// The dates of a server are copied aside: those of its timers, or of its lease.
    pub(super) fn save_dates(&mut self, node: NodeIndex) {
        self.saved_dates_us[usize::from(node)] = self.lease_dates_us[usize::from(node)];
        self.timers.save(node);
    }

    /// The dates of a server are those again that were copied aside.
    pub(super) fn bring_dates_back(&mut self, node: NodeIndex, by: EventIndex) {
        let term = Term::BroughtBack(by);
        self.set_lease_date(node, self.saved_dates_us[usize::from(node)], term);
        for (timer, date_us) in self.timers.saved(node) {
            self.set_timer((node, timer), date_us, term);
        }
    }

    /// What moved the end that an action is: an older state, or a fault that its clock
    /// has felt, if it isn't when it would be on an honest clock.
    pub(super) fn what_moved(&self, action: Action) -> Option<EventIndex> {
        let (node, kind, term) = match action {
            Action::Expire(lock) => (lock, ClockKind::Wall, self.lease_terms[usize::from(lock)]),
            Action::Fire(node, timer) => {
                let term = self.timers.nodes[usize::from(node)].terms[usize::from(timer)];
                (node, self.timers.clock(node, timer), term)
            }
            Action::Pass(client) => {
                let is_date = self.own_dates_us[usize::from(client)].is_some();
                let kind = if is_date { ClockKind::Wall } else { ClockKind::Monotonic };
                (client, kind, self.own_terms[usize::from(client)])
            }
            _ => return None,
        };
        match term? {
            Term::BroughtBack(event) => Some(event),
            Term::Given { at_us, lasts_us } => {
                let clock = &self.clocks[usize::from(node)];
                let date_us = clock.shows_us(kind, at_us).saturating_add_unsigned(lasts_us);
                let is_moved = clock.reaches_us(kind, date_us, at_us) != Some(at_us + lasts_us);
                self.recorder.clock_fault_since(node, kind, at_us).filter(|_| is_moved)
            }
        }
    }
}

/// Passes changes on, and remembers what a run has to plan for.
pub(super) struct Watch<'a> {
    recorder: &'a mut Recorder,
    timers: &'a Timers,
    clocks: &'a [NodeClock],
    /// The term of a lease that starts.
    pub new_term: Option<(NodeIndex, u64)>,
    /// The client whose request goes on by itself, and the slot that it has now.
    pub astray: Option<(NodeIndex, u8)>,
    /// The timers that were set.
    pub set: Vec<Set>,
}

impl<'a> Watch<'a> {
    pub fn new(recorder: &'a mut Recorder, timers: &'a Timers, clocks: &'a [NodeClock]) -> Self {
        Self { recorder, timers, clocks, new_term: None, astray: None, set: Vec::new() }
    }
}

impl Record for Watch<'_> {
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) {
        if let Change::Granted { ttl_us, .. } | Change::Renewed { ttl_us, .. } = change {
            self.new_term = Some((actor, ttl_us));
        }
        self.recorder.note(actor, client, change);
    }

    fn goes_astray(&mut self, client: NodeIndex, slot: u8) {
        self.astray = Some((client, slot));
        self.recorder.goes_astray(client, slot);
    }

    fn is_copied(&mut self, client: NodeIndex, slot: u8) {
        self.recorder.is_copied(client, slot);
    }

    fn concerns_stray(&mut self, slot: u8) {
        self.recorder.concerns_stray(slot);
    }

    fn comes_by(&mut self, client: Option<NodeIndex>) {
        self.recorder.comes_by(client);
    }

    fn follows(&mut self) {
        self.recorder.follows();
    }

    fn say(&mut self, words: &str) {
        self.recorder.say(words);
    }

    fn arm(&mut self, node: NodeIndex, timer: Timer, after_us: u64) {
        self.set.push((node, timer, after_us));
    }

    fn left_us(&self, node: NodeIndex, timer: Timer) -> u64 {
        let set = self.set.iter().rev().find(|&&(other, of, _)| (other, of) == (node, timer));
        if let Some(&(.., after_us)) = set {
            return after_us;
        }
        let timers = &self.timers.nodes[usize::from(node)];
        let Some(&(_, date_us)) = timers.now.get(usize::from(timer)) else { return 0 };
        let kind = self.timers.clock(node, timer);
        let now_us = self.clocks[usize::from(node)].shows_us(kind, self.recorder.now_us);
        u64::try_from(date_us - now_us).unwrap_or(0)
    }
}
