//! Writes down a run while it happens, and what caused what.

use alloc::vec;
use alloc::vec::Vec;

use super::fault::Fault;
use super::model::{Change, Record};
use super::scenario::{LIMITS, NodeIndex, Scenario};
use super::trace::{Event, EventIndex, Trace, What};

/// Makes a [`Trace`] out of changes. All schedulers write through it.
#[derive(Debug)]
pub(super) struct Recorder {
    trace: Trace,
    /// The time of the events to come.
    pub now_us: u64,
    /// The last event on each node's own lane.
    last: Vec<Option<EventIndex>>,
    /// The last event of each client's current call.
    last_of_call: Vec<Option<EventIndex>>,
    /// How many calls each client has made.
    calls: Vec<u16>,
    /// What last gave each lock, storage or clock its state.
    state_since: Vec<Option<EventIndex>>,
}

impl Recorder {
    pub fn new(scenario: &Scenario, faults: &[Fault]) -> Self {
        let nodes = scenario.nodes.len();
        Self {
            trace: Trace { events: Vec::new(), faults: faults.to_vec(), complete: true },
            now_us: 0,
            last: vec![None; nodes],
            last_of_call: vec![None; nodes],
            calls: vec![0; nodes],
            state_since: vec![None; nodes],
        }
    }

    /// Whether another event would be too many.
    pub fn is_full(&self) -> bool {
        self.trace.events.len() >= LIMITS.events
    }

    /// How many calls a client has made before its current one.
    pub fn current_call(&self, client: NodeIndex) -> u16 {
        self.calls[usize::from(client)].saturating_sub(1)
    }

    /// Says when the message that left with a client's current call arrives.
    pub fn message_arrives(&mut self, client: NodeIndex, arrives_us: u64) {
        if let Some(index) = self.last_of_call[usize::from(client)] {
            self.trace.events[index as usize].arrives_us = arrives_us;
        }
    }

    /// Writes down that a fault starts or ends.
    pub fn fault(&mut self, node: NodeIndex, what: What) {
        let index = self.push(node, None, what, None);
        self.last[usize::from(node)] = Some(index);
        if matches!(what, What::FaultBegins(_)) && self.trace.faults.get(fault_place(what)).is_some_and(is_of_clock) {
            self.state_since[usize::from(node)] = Some(index);
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
}

impl Record for Recorder {
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) {
        let server_lane = usize::from(actor);
        let cause = match (change, client) {
            (Change::Expired { .. }, _) | (_, None) => self.state_since[server_lane],
            (Change::Learned { .. }, Some(client)) => {
                let reply = self.last_of_call[usize::from(client)];
                let woken = self.last[usize::from(client)];
                reply.max(woken.filter(|&last| is_end_of_fault(&self.trace, last)))
            }
            (_, Some(client)) if client == actor => self.last[usize::from(client)],
            (Change::Granted { .. }, Some(client)) => {
                // A request that waited for the lock was answered because the lock became free.
                self.last_of_call[usize::from(client)].max(self.state_since[server_lane])
            }
            (_, Some(client)) => self.last_of_call[usize::from(client)],
        };
        if let (Change::Sent { .. }, Some(client)) = (change, client) {
            self.calls[usize::from(client)] += 1;
        }
        let index = self.push(actor, client, What::Change(change), cause);
        self.last[usize::from(actor)] = Some(index);
        if let Some(client) = client {
            self.last_of_call[usize::from(client)] = Some(index);
        }
        if matches!(
            change,
            Change::Granted { .. } | Change::Renewed { .. } | Change::Freed { .. } | Change::Expired { .. }
        ) {
            self.state_since[server_lane] = Some(index);
        }
    }
}

fn fault_place(what: What) -> usize {
    match what {
        What::FaultBegins(place) | What::FaultEnds(place) => usize::from(place),
        What::Change(_) => usize::MAX,
    }
}

fn is_of_clock(fault: &Fault) -> bool {
    matches!(fault, Fault::ClockStep(_) | Fault::ClockRate(_))
}

fn is_end_of_fault(trace: &Trace, index: EventIndex) -> bool {
    matches!(trace.event(index).what, What::FaultEnds(_))
}
