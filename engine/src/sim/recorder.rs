//! Writes down a run while it happens, and what caused what.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::change::Change;
use super::fault::Fault;
use super::record::Record;
use super::scenario::{LIMITS, NodeIndex, Scenario};
use super::stray::SLOTS;
use super::trace::{Event, EventIndex, Trace, What};
use crate::system::ClockKind;

/// Makes a [`Trace`] out of changes. All schedulers write through it.
#[derive(Debug)]
pub(super) struct Recorder {
    trace: Trace,
    /// The time of the events to come.
    pub now_us: u64,
    lanes: Vec<Lane>,
    /// The stray messages.
    strays: [Errand; SLOTS as usize],
    /// Where each fault began.
    began: Vec<Option<EventIndex>>,
    /// A fault, or the end of a pause, because of which what comes next happens.
    because: Option<EventIndex>,
    /// What moved the end of a lease or of a timer that comes next.
    moved_by: Option<EventIndex>,
    /// The stray message that comes next.
    concerned: Option<u8>,
    /// The errand by which that counts, or is undone, which was done before and comes next.
    came_by: Option<Errand>,
    /// The words that come next.
    said: Option<u16>,
}

/// What the recorder remembers of one node.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// The last change on this lane.
    last: Option<EventIndex>,
    /// This client's current call.
    errand: Errand,
    /// How many calls this client has made.
    calls: u16,
    /// What last gave this lock its state.
    state_since: Option<EventIndex>,
    /// The end of the last pause of this node, of the last time that it was down, or of
    /// the last lag of its copies.
    woken: Option<EventIndex>,
    /// That this node is down.
    down: Option<EventIndex>,
    /// That a state of this server was copied aside.
    saved: Option<EventIndex>,
    /// The starts of the faults of this node's clocks.
    clock_faults: Vec<EventIndex>,
}

/// A call, or a message of a call that nobody waits for.
#[derive(Clone, Copy, Debug, Default)]
struct Errand {
    /// Which call of its client.
    call: u16,
    /// The last change in it, wherever it was.
    last: Option<EventIndex>,
    /// What has befallen the message that is on the way: it is late, or it will be lost.
    trouble: Option<EventIndex>,
}

/// The number of no call: what a client did in an earlier call counts only now.
pub(super) const NO_CALL: u16 = u16::MAX;

/// No action makes more events: a call that is one action, all steps that happen at
/// once with it, and then the end; on a real system a command may also change who
/// holds each of its locks.
const EVENTS_OF_AN_ACTION: usize = 4 + LIMITS.steps + 3 * LIMITS.nodes;

impl Recorder {
    pub fn new(scenario: &Scenario, faults: &[Fault]) -> Self {
        Self {
            trace: Trace { events: Vec::new(), faults: faults.to_vec(), words: Vec::new(), complete: true },
            now_us: 0,
            lanes: vec![Lane::default(); scenario.nodes.len()],
            strays: [Errand::default(); SLOTS as usize],
            began: vec![None; faults.len()],
            because: None,
            moved_by: None,
            concerned: None,
            came_by: None,
            said: None,
        }
    }

    /// Whether the events of another action would be too many.
    pub fn is_full(&self) -> bool {
        self.trace.events.len() + EVENTS_OF_AN_ACTION > LIMITS.events
    }

    /// How many calls a client has made before its current one.
    pub fn current_call(&self, client: NodeIndex) -> u16 {
        self.lane(client).calls.saturating_sub(1)
    }

    /// Says when the message that left with a client's current call arrives.
    pub fn message_arrives(&mut self, client: NodeIndex, arrives_us: u64) {
        if let Some(index) = self.lane(client).errand.last {
            self.trace.events[index as usize].arrives_us = arrives_us;
        }
    }

    /// Says when the copy arrives that was noted last.
    pub fn copy_arrives(&mut self, arrives_us: u64) {
        if let Some(event) = self.trace.events.last_mut() {
            event.arrives_us = arrives_us;
        }
    }

    /// Says that the action which comes next was held up by the last pause of a
    /// node, or by the last time that it was down.
    pub fn held_up_by_pause_of(&mut self, node: NodeIndex) {
        self.because = self.lane(node).woken;
    }

    /// Says that what comes next happens because of this, if it is known.
    pub fn because_of(&mut self, event: Option<EventIndex>) {
        self.because = event;
    }

    /// Says that this moved the end of what ends next, if it is known.
    pub fn moved_by(&mut self, event: Option<EventIndex>) {
        self.moved_by = event;
    }

    /// The place of the event that comes next.
    pub fn next_index(&self) -> EventIndex {
        self.trace.events.len() as EventIndex
    }

    /// Writes down that a fault starts or ends.
    pub fn fault(&mut self, what: What) -> EventIndex {
        let (What::FaultBegins(place) | What::FaultEnds(place)) = what else {
            unreachable!("only faults start and end")
        };
        let fault = self.trace.faults[usize::from(place)];
        let node = fault.node();
        let index = self.trace.events.len() as EventIndex;
        let cause = match what {
            What::FaultEnds(_) => self.began[usize::from(place)],
            _ => self.lane(node).errand.last.filter(|_| fault.message().is_some()),
        };
        self.push(node, None, 0, what, cause);
        match (what, fault) {
            (What::FaultEnds(_), Fault::Pause(_) | Fault::ReplicaLag(_)) => self.lane_mut(node).woken = Some(index),
            (What::FaultBegins(_), Fault::ClockStep(_) | Fault::ClockRate(_)) => {
                self.lane_mut(node).clock_faults.push(index);
            }
            _ => {}
        }
        if let What::FaultBegins(_) = what {
            self.began[usize::from(place)] = Some(index);
        }
        index
    }

    /// Writes down that a fault befalls the message that a client's call has sent. A
    /// partition has begun before.
    pub fn befalls_message(&mut self, client: NodeIndex, place: u16) {
        let began = match self.trace.faults[usize::from(place)] {
            Fault::Partition(_) => self.began[usize::from(place)],
            _ => Some(self.fault(What::FaultBegins(place))),
        };
        self.lane_mut(client).errand.trouble = began;
    }

    /// Hands over the run.
    pub fn finish(mut self, complete: bool) -> Trace {
        self.trace.complete = complete;
        self.trace
    }

    fn push(&mut self, actor: NodeIndex, client: Option<NodeIndex>, call: u16, what: What, cause: Option<EventIndex>) {
        let said = self.said.take();
        self.trace.events.push(Event { at_us: self.now_us, actor, client, call, arrives_us: 0, what, cause, said });
    }

    /// The event without which a change wouldn't have happened, as far as the model knows.
    fn cause(&self, actor: NodeIndex, own: bool, errand: Errand, change: Change) -> Option<EventIndex> {
        let lane = self.lane(actor);
        match change {
            Change::Expired { .. } => self.moved_by.or(lane.state_since),
            // A client that asks its own clock learns from what that has come to.
            Change::Learned { server, .. } if server == actor => lane.last,
            Change::Learned { .. } | Change::Duplicated { .. } => errand.last,
            Change::Lost { server, .. } => errand.trouble.or(self.lane(server).down).or(errand.last),
            Change::Restarted => lane.down,
            Change::LockRestored { .. } | Change::StorageRestored { .. } => lane.saved,
            Change::Crashed { .. } | Change::Saved | Change::Broken { .. } | Change::Forgotten { .. } => None,
            _ if own => lane.last,
            // A request that found the lock free may owe that to what has just freed it.
            Change::Granted { .. } => errand.last.max(lane.state_since),
            _ => errand.last,
        }
    }

    /// The last fault of a node's clocks that this clock of it has felt since a moment.
    pub fn clock_fault_since(&self, node: NodeIndex, clock: ClockKind, since_us: u64) -> Option<EventIndex> {
        let felt = |&&index: &&EventIndex| match self.fault_of(index) {
            Some(Fault::ClockRate(rate)) => rate.at_us + rate.lasts_us > since_us,
            Some(Fault::ClockStep(step)) => clock == ClockKind::Wall && step.at_us >= since_us,
            _ => false,
        };
        self.lane(node).clock_faults.iter().rev().find(felt).copied()
    }

    fn fault_of(&self, index: EventIndex) -> Option<&Fault> {
        match self.trace.event(index).what {
            What::FaultBegins(place) | What::FaultEnds(place) => self.trace.faults.get(usize::from(place)),
            What::Change(_) => None,
        }
    }

    /// Remembers a change of a node.
    fn remember(&mut self, actor: NodeIndex, change: Change, index: EventIndex) {
        let lane = self.lane_mut(actor);
        match change {
            Change::Crashed { .. } => lane.down = Some(index),
            Change::Restarted => (lane.down, lane.woken) = (None, Some(index)),
            Change::Saved => lane.saved = Some(index),
            _ => {}
        }
        if matches!(
            change,
            Change::Granted { .. }
                | Change::Passed { .. }
                | Change::Renewed { .. }
                | Change::Freed { .. }
                | Change::Expired { .. }
                | Change::Broken { .. }
                | Change::Forgotten { .. }
                | Change::LockRestored { .. }
                | Change::Crashed { keeps_memory: false }
        ) {
            lane.state_since = Some(index);
        }
    }

    fn errand(&self, client: NodeIndex) -> Errand {
        Errand { call: self.current_call(client), ..self.lane(client).errand }
    }

    fn lane(&self, node: NodeIndex) -> &Lane {
        &self.lanes[usize::from(node)]
    }

    fn lane_mut(&mut self, node: NodeIndex) -> &mut Lane {
        &mut self.lanes[usize::from(node)]
    }
}

impl Record for Recorder {
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) {
        if let Some(errand) = self.came_by.take() {
            let index = self.next_index();
            let cause = errand.last.max(errand.trouble).max(self.because);
            self.push(actor, client, NO_CALL, What::Change(change), cause);
            self.lane_mut(actor).last = Some(index);
            return;
        }
        let stray = self.concerned.take().map(usize::from);
        let errand = match (stray, client) {
            (Some(slot), _) => self.strays[slot],
            (None, Some(client)) => self.errand(client),
            (None, None) => Errand::default(),
        };
        let own = client == Some(actor);
        let arrives = ends_a_journey(own, change);
        let trouble = errand.trouble.filter(|_| arrives);
        let cause = self.cause(actor, own, errand, change).or(self.moved_by).max(self.because.take()).max(trouble);
        self.moved_by = None;
        if let (Change::Sent { .. }, Some(client)) = (change, client) {
            let lane = self.lane_mut(client);
            lane.calls += 1;
            lane.errand.trouble = None;
        }
        let index = self.trace.events.len() as EventIndex;
        let call = match (stray, client) {
            (None, Some(client)) => self.current_call(client),
            _ => errand.call,
        };
        self.push(actor, client, call, What::Change(change), cause);
        self.remember(actor, change, index);
        match (stray, client) {
            (Some(slot), _) => {
                self.strays[slot].last = Some(index);
                // The sender of a stray message doesn't hear of it.
                if !own {
                    self.lane_mut(actor).last = Some(index);
                }
            }
            (None, _) => self.lane_mut(actor).last = Some(index),
        }
        if let (None, Some(client)) = (stray, client) {
            let errand = &mut self.lane_mut(client).errand;
            errand.last = Some(index);
            if arrives {
                errand.trouble = None;
            }
        }
    }

    fn goes_astray(&mut self, client: NodeIndex, slot: u8) {
        self.strays[usize::from(slot)] = self.errand(client);
    }

    fn is_copied(&mut self, client: NodeIndex, slot: u8) {
        self.strays[usize::from(slot)] = Errand { trouble: None, ..self.errand(client) };
    }

    fn concerns_stray(&mut self, slot: u8) {
        self.concerned = Some(slot);
    }

    fn comes_by(&mut self, client: Option<NodeIndex>) {
        let errand = match (self.concerned, client) {
            (Some(slot), _) => self.strays[usize::from(slot)],
            (None, Some(client)) => self.errand(client),
            (None, None) => Errand::default(),
        };
        self.came_by = Some(errand);
    }

    fn follows(&mut self) {
        self.because = self.trace.events.len().checked_sub(1).map(|last| last as EventIndex);
    }

    fn say(&mut self, words: &str) {
        let known = self.trace.words.iter().position(|known| known == words);
        let place = known.unwrap_or_else(|| {
            self.trace.words.push(words.to_string());
            self.trace.words.len() - 1
        });
        self.said = u16::try_from(place).ok();
    }
}

/// Whether a change happens because a message of a call has arrived, or is lost.
fn ends_a_journey(own: bool, change: Change) -> bool {
    !own || matches!(change, Change::Learned { .. } | Change::Lost { .. })
}
