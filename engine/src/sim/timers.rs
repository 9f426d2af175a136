//! The timers of real systems in a timed run: when each fires, by which clock.

use alloc::vec;
use alloc::vec::Vec;

use super::change::{Action, Change};
use super::clock::NodeClock;
use super::model::Model;
use super::record::Record;
use super::recorder::Recorder;
use super::scenario::NodeIndex;
use super::timed::{Kind, NEVER, Next, Run};
use crate::system::{ClockKind, Timer};

/// All timers.
pub(super) struct Timers {
    nodes: Vec<NodeTimers>,
}

/// The timers of one node.
struct NodeTimers {
    clock: ClockKind,
    /// When each fires, and what its clock shows then, in microseconds.
    now: Vec<(Next, i64)>,
    /// What its clock shows then, in the state that lies aside.
    saved: Vec<i64>,
}

/// A timer that is set, and to when: after a while, in microseconds of its clock.
type Set = (NodeIndex, Timer, u64);

impl Timers {
    pub fn new(model: &Model) -> Self {
        let of = |node| {
            let timers = usize::from(model.timers(node));
            let clock = model.clock(node);
            NodeTimers { clock, now: vec![(NEVER, 0); timers], saved: vec![0; timers] }
        };
        Self { nodes: model.scenario().indices().map(of).collect() }
    }

    /// When a timer fires.
    pub fn next(&self, node: NodeIndex, timer: Timer) -> Next {
        self.nodes[usize::from(node)].now.get(usize::from(timer)).map_or(NEVER, |(next, _)| *next)
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

fn shown_us(clock: &NodeClock, kind: ClockKind, at_us: u64) -> i64 {
    match kind {
        ClockKind::Wall => clock.wall_us(at_us),
        ClockKind::Monotonic => clock.monotonic_us(at_us),
    }
}

impl Run<'_> {
    /// Timers were set just now.
    pub(super) fn set_timers(&mut self, set: Vec<Set>) {
        for (node, timer, after_us) in set {
            let kind = self.timers.nodes[usize::from(node)].clock;
            let now_us = shown_us(&self.clocks[usize::from(node)], kind, self.recorder.now_us);
            self.set_timer(node, timer, now_us.saturating_add_unsigned(after_us));
        }
    }

    /// A timer is set to a date of its clock, in microseconds.
    pub(super) fn set_timer(&mut self, node: NodeIndex, timer: Timer, date_us: i64) {
        let action = Action::Fire(node, timer);
        let mut next = match self.timers.nodes[usize::from(node)].clock {
            ClockKind::Wall => self.date_reached(node, date_us, action),
            ClockKind::Monotonic => {
                let clock = &self.clocks[usize::from(node)];
                let reached_us = clock.monotonic_reaches_us(date_us, self.recorder.now_us);
                reached_us.map_or(NEVER, |reached_us| {
                    let due_us = self.runs_from_us(node, reached_us);
                    let kind = if due_us == reached_us { Kind::Act(action) } else { Kind::Overdue(action) };
                    Next { due_us, kind }
                })
            }
        };
        if next != NEVER && self.model.is_replication(node, timer) {
            next.due_us = self.lags.resume_us(node, next.due_us);
        }
        self.timers.nodes[usize::from(node)].now[usize::from(timer)] = (next, date_us);
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
        let now_us = shown_us(&self.clocks[usize::from(node)], timers.clock, self.recorder.now_us);
        u64::try_from(date_us - now_us).unwrap_or(0)
    }
}
