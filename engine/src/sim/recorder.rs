//! Writes down a run while it happens, and what caused what.

use alloc::vec;
use alloc::vec::Vec;

use super::change::{Change, Record};
use super::fault::Fault;
use super::scenario::{LIMITS, NodeIndex, Scenario};
use super::trace::{Event, EventIndex, Trace, What};

/// Makes a [`Trace`] out of changes. All schedulers write through it.
#[derive(Debug)]
pub(super) struct Recorder {
    trace: Trace,
    /// The time of the events to come.
    pub now_us: u64,
    lanes: Vec<Lane>,
    /// The end of the pause that held up the action which comes next.
    held_up_by: Option<EventIndex>,
}

/// What the recorder remembers of one node.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// The last change on this lane.
    last: Option<EventIndex>,
    /// The last change in this client's current call, wherever it was.
    last_of_call: Option<EventIndex>,
    /// How many calls this client has made.
    calls: u16,
    /// What last gave this lock its state.
    state_since: Option<EventIndex>,
    /// The end of the last pause of this node.
    woken: Option<EventIndex>,
    /// That the message on the way in this client's call is late.
    late: Option<EventIndex>,
    /// The starts of the faults of this node's clocks.
    clock_faults: Vec<EventIndex>,
}

/// No action makes more events: a call that is one action, and then the end.
const EVENTS_OF_AN_ACTION: usize = 4;

impl Recorder {
    pub fn new(scenario: &Scenario, faults: &[Fault]) -> Self {
        Self {
            trace: Trace { events: Vec::new(), faults: faults.to_vec(), complete: true },
            now_us: 0,
            lanes: vec![Lane::default(); scenario.nodes.len()],
            held_up_by: None,
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
        if let Some(index) = self.lane(client).last_of_call {
            self.trace.events[index as usize].arrives_us = arrives_us;
        }
    }

    /// Says that the action which comes next was held up by the last pause of a node.
    pub fn held_up_by_pause_of(&mut self, node: NodeIndex) {
        self.held_up_by = self.lane(node).woken;
    }

    /// Writes down that a fault starts or ends.
    pub fn fault(&mut self, node: NodeIndex, what: What) {
        let begin = match what {
            What::FaultEnds(place) => {
                self.trace.events.iter().rposition(|event| event.what == What::FaultBegins(place))
            }
            _ => None,
        };
        let sent = self.lane(node).last_of_call.filter(|_| self.is_delay(what));
        let index = self.push(node, None, what, begin.map(|begin| begin as EventIndex).or(sent));
        match (what, self.fault_of(index)) {
            (What::FaultBegins(_), Some(Fault::MessageDelay(_))) => self.lane_mut(node).late = Some(index),
            (What::FaultEnds(_), Some(Fault::Pause(_))) => self.lane_mut(node).woken = Some(index),
            (What::FaultBegins(_), Some(Fault::ClockStep(_) | Fault::ClockRate(_))) => {
                self.lane_mut(node).clock_faults.push(index);
            }
            _ => {}
        }
    }

    /// Hands over the run.
    pub fn finish(mut self, complete: bool) -> Trace {
        self.trace.complete = complete;
        self.trace
    }

    fn push(&mut self, actor: NodeIndex, client: Option<NodeIndex>, what: What, cause: Option<EventIndex>) -> u32 {
        let call = client.map_or(0, |client| self.current_call(client));
        let index = self.trace.events.len() as EventIndex;
        self.trace.events.push(Event { at_us: self.now_us, actor, client, call, arrives_us: 0, what, cause });
        index
    }

    fn cause(&self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) -> Option<EventIndex> {
        let since = self.lane(actor).state_since;
        match (change, client) {
            (Change::Expired { .. }, _) | (_, None) => self.fault_that_moved_the_end(actor).or(since),
            (Change::Learned { .. }, Some(client)) => self.lane(client).last_of_call,
            (_, Some(client)) if client == actor => self.lane(client).last,
            // A request that found the lock free may owe that to what has just freed it.
            (Change::Granted { .. }, Some(client)) => self.lane(client).last_of_call.max(since),
            (_, Some(client)) => self.lane(client).last_of_call,
        }
    }

    /// The last fault of a lock's clocks that was felt since its lease got its
    /// term, if the lease doesn't end when it would on an honest clock.
    fn fault_that_moved_the_end(&self, lock: NodeIndex) -> Option<EventIndex> {
        let lane = self.lane(lock);
        let since = lane.state_since?;
        let term = self.trace.event(since);
        let What::Change(Change::Granted { ttl_us, .. } | Change::Renewed { ttl_us, .. }) = term.what else {
            return None;
        };
        let felt = |&&index: &&EventIndex| match self.fault_of(index) {
            Some(Fault::ClockRate(rate)) => rate.at_us + rate.lasts_us > term.at_us,
            _ => index > since,
        };
        let moved = self.now_us != term.at_us + ttl_us;
        lane.clock_faults.iter().rev().find(felt).filter(|_| moved).copied()
    }

    fn is_delay(&self, what: What) -> bool {
        matches!(what, What::FaultBegins(place) if matches!(self.trace.faults.get(usize::from(place)), Some(Fault::MessageDelay(_))))
    }

    fn fault_of(&self, index: EventIndex) -> Option<&Fault> {
        match self.trace.event(index).what {
            What::FaultBegins(place) | What::FaultEnds(place) => self.trace.faults.get(usize::from(place)),
            What::Change(_) => None,
        }
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
        let late = client
            .filter(|_| ends_a_journey(actor, client, change))
            .and_then(|client| self.lane_mut(client).late.take());
        let cause = self.cause(actor, client, change).max(self.held_up_by.take()).max(late);
        if let (Change::Sent { .. }, Some(client)) = (change, client) {
            self.lane_mut(client).calls += 1;
        }
        let index = self.push(actor, client, What::Change(change), cause);
        self.lane_mut(actor).last = Some(index);
        if let Some(client) = client {
            self.lane_mut(client).last_of_call = Some(index);
        }
        if matches!(
            change,
            Change::Granted { .. } | Change::Renewed { .. } | Change::Freed { .. } | Change::Expired { .. }
        ) {
            self.lane_mut(actor).state_since = Some(index);
        }
    }
}

/// Whether a change happens because a message of a client's call has arrived.
fn ends_a_journey(actor: NodeIndex, client: Option<NodeIndex>, change: Change) -> bool {
    client != Some(actor) || matches!(change, Change::Learned { .. })
}
