//! What is due next in a timed run: the earliest of all that can happen.

use super::change::Action;
use super::model::Phase;
use super::next::{Flight, Kind, NEVER, Next};
use super::scenario::{Granularity, NodeIndex};
use super::stray::SLOTS;
use super::timed::Run;

impl Run<'_> {
    /// The next that happens, if anything does.
    pub(super) fn next(&mut self) -> Option<Next> {
        let mut enabled = core::mem::take(&mut self.enabled);
        self.model.enabled(&self.world, &mut enabled);
        let acts = enabled.iter().filter(|&&action| !self.is_lost(action)).map(|&action| self.planned(action));
        let next = acts.chain(self.losses()).chain(self.marks.last().copied()).min();
        self.enabled = enabled;
        match next {
            Some(next) if next.due_us == NEVER.due_us && self.let_go_overtaken(None) => self.next(),
            _ => next,
        }
    }

    /// Messages that waited to be overtaken are handled now: all of them, or those that
    /// were overtaken `by` this sender's request to this server. Nobody overtakes
    /// themselves.
    pub(super) fn let_go_overtaken(&mut self, by: Option<(NodeIndex, NodeIndex)>) -> bool {
        let scenario = self.model.scenario();
        let is_overtaken = |from: NodeIndex, to: NodeIndex| {
            by.is_none_or(|(sender, server)| to == server && scenario.process(from) != scenario.process(sender))
        };
        let mut any = false;
        for client in scenario.clients() {
            let is_meant = is_overtaken(client, self.server_of(client));
            let flight = &mut self.flights[usize::from(client)];
            if flight.overtaken && flight.due_us == NEVER.due_us && is_meant {
                *flight = Flight::at(self.recorder.now_us);
                any = true;
            }
        }
        for slot in 0..SLOTS {
            let is_meant = self.model.stray(&self.world, slot).is_some_and(|(from, to)| is_overtaken(from, to));
            let flight = &mut self.strays[usize::from(slot)];
            if flight.overtaken && flight.due_us == NEVER.due_us && is_meant {
                *flight = Flight::at(self.recorder.now_us);
                any = true;
            }
        }
        any
    }

    /// Whether an action needs a message that will be lost.
    fn is_lost(&self, action: Action) -> bool {
        match action {
            Action::Serve(client) | Action::Deliver(client) => self.flights[usize::from(client)].lost,
            Action::ServeStray(slot) => self.strays[usize::from(slot)].lost,
            _ => false,
        }
    }

    /// The messages that will be lost: on their way, or at a server that is down.
    fn losses(&self) -> impl Iterator<Item = Next> + '_ {
        let now_us = self.recorder.now_us;
        let next = move |flight: Flight, action| Next { due_us: flight.due_us.max(now_us), kind: Kind::Act(action) };
        let calls = self.model.scenario().clients().filter_map(move |client| {
            let flight = self.flights[usize::from(client)];
            let is_lost = match self.model.phase(&self.world, client) {
                Phase::Asked => flight.lost || self.model.is_down(&self.world, self.server_of(client)),
                Phase::Answered => flight.lost,
                _ => false,
            };
            is_lost.then(|| next(flight, Action::Lose(client)))
        });
        let strays = (0..SLOTS).filter_map(move |slot| {
            let (_, server) = self.model.stray(&self.world, slot)?;
            let flight = self.strays[usize::from(slot)];
            let is_lost = flight.lost || self.model.is_down(&self.world, server);
            is_lost.then(|| next(flight, Action::LoseStray(slot)))
        });
        calls.chain(strays)
    }

    /// How and when an enabled action happens.
    fn planned(&self, action: Action) -> Next {
        let now_us = self.recorder.now_us;
        // A request that waited for a lock is served as soon as the lock is free.
        let due_us = self.due_us(action).max(now_us);
        match action {
            Action::Expire(lock) => self.lease_ends[usize::from(lock)].not_before(now_us),
            Action::Fire(node, timer) => self.timers.next(node, timer).not_before(now_us),
            Action::Pass(client) => self.own_deadline(client).not_before(now_us),
            Action::TimeOut(client) => {
                let noticed_us = self.pauses.resume_us(client, due_us);
                let first = noticed_us > self.due_us(action) && self.pauses.deadlines_first(client, noticed_us);
                Next { due_us: noticed_us, kind: if first { Kind::Overdue(action) } else { Kind::Act(action) } }
            }
            _ => Next { due_us: self.pauses.all_run_us(&self.needed(action), due_us), kind: Kind::Act(action) },
        }
    }

    /// When an action would happen if all nodes ran, in microseconds.
    pub(super) fn due_us(&self, action: Action) -> u64 {
        match action {
            Action::Step(client) | Action::Serve(client) | Action::Deliver(client) => {
                self.flights[usize::from(client)].due_us
            }
            Action::ServeStray(slot) => self.strays[usize::from(slot)].due_us,
            Action::TimeOut(client) => self.deadlines_us[usize::from(client)],
            _ => self.recorder.now_us,
        }
    }

    /// The server that a client's current call asks.
    pub(super) fn server_of(&self, client: NodeIndex) -> NodeIndex {
        let lane = self.model.current_call(&self.world, client).map_or(client, |(server, _)| server);
        self.model.scenario().host(lane)
    }

    /// The nodes that must be running for an action to happen.
    pub(super) fn needed(&self, action: Action) -> [NodeIndex; 2] {
        match action {
            Action::Step(client) if self.model.scenario().granularity == Granularity::SendServeDeliver => [client; 2],
            Action::Step(client) => [client, self.server_of(client)],
            Action::Serve(client) => [self.server_of(client); 2],
            Action::ServeStray(slot) => [self.model.stray(&self.world, slot).map_or(0, |(_, server)| server); 2],
            _ => [action.place(); 2],
        }
    }
}
