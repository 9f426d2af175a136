//! What is due when: the events of a schedule, and the timers of the registry.

use alloc::collections::BTreeMap;

use super::operator::Operation;
use super::serve::{Heard, Message};
use crate::system::{Time, Timer};

/// Something that is due.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A worker goes on.
    Wake(usize),
    /// A message reaches the registry or a resource.
    Arrive(Message),
    /// An answer reaches a worker.
    Hear(usize, u32, Heard),
    /// A worker has waited for an answer for long enough.
    Miss(usize, u32),
    /// An attacker does something of this kind.
    Attack(super::Failure),
    /// An operator does something.
    Operate(Operation),
}

/// Events by when they are due and, at one moment, in the order in which they were noted.
#[derive(Default)]
pub(super) struct Agenda {
    events: BTreeMap<(u64, u32), Event>,
    noted: u32,
}

impl Agenda {
    pub fn note(&mut self, at_us: u64, event: Event) {
        self.noted += 1;
        self.events.insert((at_us, self.noted), event);
    }

    /// When the next event is due.
    pub fn next_us(&self) -> Option<u64> {
        self.events.first_key_value().map(|(&(at_us, _), _)| at_us)
    }

    pub fn take(&mut self) -> Option<Event> {
        self.events.pop_first().map(|(_, event)| event)
    }
}

/// The timers of the registry.
#[derive(Clone, Debug, Default)]
pub(super) struct Alarms {
    pub now_us: u64,
    due_us: BTreeMap<Timer, u64>,
}

impl Alarms {
    /// Takes a timer that is due by a moment, the earliest first.
    pub fn take_by(&mut self, moment_us: u64) -> Option<(u64, Timer)> {
        let (due_us, timer) = self.due_us.iter().map(|(&timer, &due_us)| (due_us, timer)).min()?;
        if due_us > moment_us {
            return None;
        }
        self.due_us.remove(&timer);
        Some((due_us, timer))
    }
}

impl Time for Alarms {
    fn arm(&mut self, timer: Timer, after_us: u64) {
        self.due_us.insert(timer, self.now_us + after_us);
    }

    fn disarm(&mut self, timer: Timer) {
        self.due_us.remove(&timer);
    }

    fn left_us(&self, timer: Timer) -> Option<u64> {
        self.due_us.get(&timer).map(|due_us| due_us.saturating_sub(self.now_us))
    }
}
