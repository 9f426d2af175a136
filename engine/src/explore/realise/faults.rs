//! The faults that bring the actions of a schedule to their moments.

use alloc::vec::Vec;

use super::super::bounds::Bounds;
use super::solve::Moment;
use super::timeline::{Copied, Due, Message, Term, Timeline, Waits};
use crate::sim::{
    Action, ClockStep, Crash, Fault, ForcedUnlock, LIMITS, Leg, MessageDelay, MessageDuplicate, MessageLoss, NodeIndex,
    Pause, Schedule, SnapshotRestore, StateLoss, Waking,
};

/// When everything happens.
pub(super) struct Moments {
    /// The moment of each action, after that of the start, in microseconds.
    pub at_us: Vec<i64>,
    /// The terms of leases during which the clock of the lock service jumps.
    pub jumps: Vec<Term>,
}

struct Maker<'a> {
    at_us: &'a [i64],
    bounds: &'a Bounds,
    /// Whether who waits for an answer stands still, and the answer isn't late.
    hears_late: bool,
    faults: Vec<Fault>,
}

/// The faults, in the order of the actions that they are for. Whether they spare late
/// messages that aren't assumed matters for answers that come after all is over.
pub(super) fn faults(
    timeline: &Timeline,
    schedule: &Schedule,
    moments: &Moments,
    bounds: &Bounds,
    spares: bool,
) -> Vec<Fault> {
    let hears_late = spares && bounds.pauses && !bounds.late_messages;
    let mut maker = Maker { at_us: &moments.at_us, bounds, hears_late, faults: Vec::new() };
    for (place, (&action, due)) in schedule.actions.iter().zip(&timeline.dues).enumerate() {
        maker.bring(action, *due, place + 1);
        maker.happen(schedule, place);
    }
    let mut jumps = Vec::new();
    for term in &moments.jumps {
        maker.jump(term, &mut jumps);
    }
    let last_us = moments.at_us.last().copied().unwrap_or(0);
    for copy in &timeline.copies {
        maker.copy(copy, last_us);
    }
    for &wait in &timeline.waits {
        maker.hold_back(Some(wait), last_us);
    }
    maker.faults
}

impl Maker<'_> {
    fn us(&self, moment: Moment) -> i64 {
        self.at_us[moment]
    }

    fn pause(&mut self, node: NodeIndex, at_us: i64, until_us: i64, on_waking: Waking) {
        if until_us > at_us {
            let (at_us, lasts_us) = (at_us.unsigned_abs(), at_us.abs_diff(until_us));
            self.faults.push(Fault::Pause(Pause { node, at_us, lasts_us, on_waking }));
        }
    }

    fn delay(&mut self, message: Message, by_us: i64) {
        if by_us > 0 {
            let Message { client: node, call, leg, .. } = message;
            self.faults.push(Fault::MessageDelay(MessageDelay { node, call, leg, by_us: by_us.unsigned_abs() }));
        }
    }

    /// Makes an action due at its moment.
    fn bring(&mut self, action: Action, due: Due, at: Moment) {
        let at_us = self.us(at);
        match due {
            Due::Step { since, offset_us, work_us, wait_us } => {
                let from_us = self.us(since) + offset_us;
                let late_us = at_us - from_us - work_us - wait_us;
                // A pause before a wait without work must last over the end of the wait.
                let lasts_us = if work_us == 0 && late_us > 0 { late_us + wait_us } else { late_us };
                self.pause(action.place(), from_us, from_us + lasts_us, Waking::Messages);
            }
            Due::Arrival(message) if message.copy.is_some() => {}
            Due::Arrival(message) => self.delay(message, at_us - self.us(message.sent) - message.latency_us),
            Due::Reply { message, sent, timeout_us } => {
                let natural_us = self.us(message.sent) + message.latency_us;
                let deadline_us = timeout_us.map_or(i64::MAX, |timeout_us| self.us(sent) + timeout_us);
                let from_us = natural_us.min(deadline_us) - 1;
                let overslept = at_us >= deadline_us;
                if at_us > natural_us && from_us >= self.us(sent) && (self.bounds.pauses || overslept) {
                    self.pause(action.place(), from_us, at_us, Waking::Messages);
                } else if overslept {
                    self.pause(action.place(), deadline_us - 1, at_us, Waking::Messages);
                } else {
                    self.delay(message, at_us - natural_us);
                }
            }
            Due::Lost(Message { client: node, call, leg, .. }) => {
                self.faults.push(Fault::MessageLoss(MessageLoss { node, call, leg }));
            }
            Due::Deadline { sent, timeout_us, pending } => {
                let due_us = self.us(sent) + timeout_us;
                self.pause(action.place(), due_us - 1, if at_us > due_us { at_us } else { 0 }, Waking::Deadlines);
                if let Some(message) = pending {
                    self.delay(message, at_us + 1 - self.us(message.sent) - message.latency_us);
                }
            }
            Due::Fault { instead } => self.hold_back(instead, at_us),
            Due::Copied(_) | Due::LeaseEnd => {}
        }
    }

    /// Has a copy arrive at its moment, or after all is over.
    fn copy(&mut self, copy: &Copied, last_us: i64) {
        let Message { client: node, call, sent, latency_us, .. } = copy.request;
        let itself_us = copy.itself.map_or(self.us(sent) + latency_us, |itself| self.us(itself));
        let arrives_us = copy.arrives.map_or(last_us + 1, |arrives| self.us(arrives));
        let by_us = (arrives_us - itself_us).max(0).unsigned_abs();
        self.faults.push(Fault::MessageDuplicate(MessageDuplicate { node, call, by_us }));
    }

    /// What happens by a fault of its own.
    fn happen(&mut self, schedule: &Schedule, place: usize) {
        let at_us = self.us(place + 1).unsigned_abs();
        let later = |is: fn(Action) -> bool, node| {
            let rest = schedule.actions[place + 1..].iter();
            let found = rest.clone().position(|&action| is(action) && action.place() == node);
            found.map(|found| self.us(place + 2 + found).unsigned_abs())
        };
        let fault = match schedule.actions[place] {
            action @ (Action::Crash(node) | Action::Halt(node)) => {
                let until_us = later(|action| matches!(action, Action::Restart(_)), node).unwrap_or(LIMITS.time_us);
                let keeps_memory = matches!(action, Action::Halt(_));
                Fault::Crash(Crash { node, at_us, lasts_us: until_us.saturating_sub(at_us), keeps_memory })
            }
            Action::Snapshot(node) => {
                let next = schedule.actions[place + 1..].iter().find(|action| {
                    action.place() == node && matches!(action, Action::Snapshot(_) | Action::Restore(_))
                });
                if let Some(Action::Restore(_)) = next {
                    return;
                }
                // It is never brought back.
                Fault::SnapshotRestore(SnapshotRestore { node, at_us: LIMITS.time_us, taken_us: at_us })
            }
            Action::Restore(node) => {
                let taken = schedule.actions[..place].iter().rposition(|action| *action == Action::Snapshot(node));
                let taken_us = taken.map_or(0, |taken| self.us(taken + 1).unsigned_abs());
                Fault::SnapshotRestore(SnapshotRestore { node, at_us, taken_us })
            }
            Action::ForceUnlock(node) => Fault::ForcedUnlock(ForcedUnlock { node, at_us }),
            Action::Forget(node) => Fault::StateLoss(StateLoss { node, at_us }),
            _ => return,
        };
        self.faults.push(fault);
    }

    /// Sets the clock of a lock service so that its lease ends when it must. `jumps`
    /// are those before: the lock service, when, and by how much.
    fn jump(&mut self, term: &Term, jumps: &mut Vec<(NodeIndex, i64, i64)>) {
        let (since_us, until_us) = (self.us(term.since), self.us(term.until));
        let ahead = |at_us| {
            let felt = jumps.iter().filter(|(lock, jumped_us, _)| *lock == term.lock && *jumped_us < at_us);
            felt.map(|(_, _, by_us)| by_us).sum::<i64>()
        };
        let by = |from_us| since_us + ahead(since_us) + term.ttl_us - until_us - ahead(from_us);
        let by_us = by(until_us) - i64::from(!term.expires);
        // Forwards just before the end, backwards just after the grant, or just before
        // the lease is brought back.
        let earliest_us = term.resumed.map_or(since_us, |resumed| self.us(resumed) - 1);
        let at_us = if by_us > 0 { until_us - 1 } else { earliest_us };
        if term.expires || by_us < 0 {
            jumps.push((term.lock, at_us, by_us));
            self.faults.push(Fault::ClockStep(ClockStep { node: term.lock, at_us: at_us.unsigned_abs(), by_us }));
        }
    }

    /// What would happen waits until after this moment.
    fn hold_back(&mut self, waits: Option<Waits>, until_us: i64) {
        match waits {
            None => {}
            Some(Waits::Step { client, since, offset_us, takes_us }) => {
                let from_us = self.us(since) + offset_us;
                if from_us + takes_us <= until_us {
                    self.pause(client, from_us, until_us + 1, Waking::Messages);
                }
            }
            Some(Waits::Message(message)) if message.copy.is_some() => {}
            Some(Waits::Message(Message { client, leg: Leg::Reply, sent, latency_us: latency_us @ 1.., .. }))
                if self.hears_late =>
            {
                let natural_us = self.us(sent) + latency_us;
                if natural_us <= until_us {
                    self.pause(client, natural_us - 1, until_us + 1, Waking::Messages);
                }
            }
            Some(Waits::Message(message)) => {
                self.delay(message, until_us + 1 - self.us(message.sent) - message.latency_us);
            }
            Some(Waits::Deadline { client, sent, timeout_us, pending }) => {
                let deadline_us = self.us(sent) + timeout_us;
                if deadline_us <= until_us {
                    self.pause(client, deadline_us - 1, until_us + 1, Waking::Messages);
                }
                if let Some(message) = pending {
                    self.hold_back(Some(Waits::Message(message)), until_us);
                }
            }
        }
    }
}
