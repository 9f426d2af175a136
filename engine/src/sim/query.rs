//! What searches ask about a world, so that they can keep to their bounds and to
//! honest clocks.

use alloc::vec::Vec;

use super::change::Action;
use super::command::Ask;
use super::fault::Leg;
use super::lock;
use super::model::{Model, Phase, REPLY};
use super::scenario::{NodeIndex, Operation, Register, Request};
use super::storage;
use super::trouble;
use super::world::World;
use crate::system::Timer;

/// Who knows a version of a storage that is higher than the one that is there, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ahead {
    /// Clients, by what they have taken from a reply.
    pub held: u32,
    /// Clients, by a reply that is on its way.
    pub answered: u32,
    /// Messages that nobody waits for.
    pub strays: u8,
}

impl<'a> Model<'a> {
    /// The command that a server handles by an action, if it handles one.
    pub(crate) fn command_of(&self, world: &World, action: Action) -> Option<&'a Ask> {
        let (client, step) = match action {
            Action::Step(client) | Action::Serve(client) => (client, self.next_step(world, client)? as u8),
            Action::ServeStray(slot) => self.stray_in(world, slot).map(|stray| (stray.client, stray.step as u8))?,
            _ => return None,
        };
        self.scenario().ask(client, step)
    }
}

impl Model<'_> {
    /// Whether a client has ended its program.
    pub fn has_ended(&self, world: &World, client: NodeIndex) -> bool {
        self.phase(world, client) == Phase::Ended
    }

    /// Whether every client has ended its program.
    pub(super) fn everybody_has_ended(&self, world: &World) -> bool {
        self.scenario().clients().all(|client| self.has_ended(world, client))
    }

    /// Whether the holder of a lock runs and can go on by itself: it hasn't ended, hasn't
    /// crashed, and doesn't wait for ever.
    pub fn holder_can_go_on(&self, world: &World, lock: NodeIndex) -> bool {
        self.holder(world, lock).is_some_and(|(client, _)| match self.phase(world, client) {
            Phase::Ended | Phase::Down => false,
            Phase::Waiting => self.step_of(world, client).is_some_and(|step| step.timeout_us.is_some()),
            Phase::Ready | Phase::Asked | Phase::Answered => true,
        })
    }

    /// Whether a timer of a real system that fires is the early end of something. What a
    /// copy lags behind comes at any time, and the lock of somebody who is gone has to end.
    /// Whose end other timers are, only the system knows: they count.
    pub(crate) fn ends_something_early(&self, world: &World, host: NodeIndex, timer: Timer) -> bool {
        if self.is_replication(host, timer) {
            return false;
        }
        let of_those_gone: Vec<(NodeIndex, _)> = self
            .scenario
            .locks()
            .filter(|&lock| self.scenario.host(lock) == host && !self.holder_can_go_on(world, lock))
            .filter_map(|lock| Some((lock, self.holder(world, lock)?)))
            .collect();
        if of_those_gone.is_empty() {
            return true;
        }
        let mut after = world.clone();
        self.apply(&mut after, Action::Fire(host, timer), &mut ());
        of_those_gone.iter().all(|&(lock, holder)| self.holder(&after, lock) == Some(holder))
    }

    /// Whether a message of a client's call is on its way, and nothing but time is
    /// needed for it.
    pub(crate) fn is_being_answered(&self, world: &World, client: NodeIndex) -> bool {
        match self.phase(world, client) {
            Phase::Answered => true,
            Phase::Asked => {
                self.current_call(world, client).is_some_and(|(server, request)| self.answers(world, server, request))
            }
            _ => false,
        }
    }

    /// Which message of a client's call is on its way.
    pub(crate) fn leg_of(&self, world: &World, client: NodeIndex) -> Leg {
        if self.phase(world, client) == Phase::Answered { Leg::Reply } else { Leg::Request }
    }

    /// Whether everything runs, and nothing can happen but that timers fire.
    pub(crate) fn only_timers_are_left(&self, world: &World) -> bool {
        let is_down = |node| {
            self.is_down(world, node)
                || self.scenario().client(node).is_some() && self.phase(world, node) == Phase::Down
        };
        let mut enabled = Vec::new();
        self.enabled(world, &mut enabled);
        Self::is_over(&enabled) && !self.scenario().indices().any(is_down)
    }

    /// Whether a client's request is on its way to a server that is down.
    pub(crate) fn asks_one_that_is_down(&self, world: &World, client: NodeIndex) -> bool {
        self.phase(world, client) == Phase::Asked
            && self.current_call(world, client).is_some_and(|(server, _)| self.is_down(world, server))
    }

    /// The same for a stray request.
    pub(crate) fn stray_asks_one_that_is_down(&self, world: &World, slot: u8) -> bool {
        self.stray(world, slot).is_some_and(|(_, server)| self.is_down(world, server))
    }

    /// Who knows a version of a plain storage that is higher than the one that is there,
    /// since it has lost what was written to it.
    pub(crate) fn knows_a_version_ahead(&self, world: &World, storage: NodeIndex) -> Ahead {
        let (version, _) = storage::version_and_value(self.cells(world, storage));
        let has_taken = |&client: &NodeIndex| {
            self.versions_to_write_on(client, storage).any(|read| self.register(world, client, read) > version)
        };
        let is_told = |&client: &NodeIndex| {
            self.phase(world, client) == Phase::Answered
                && matches!(self.current_call(world, client), Some((server, Request::Read { .. })) if server == storage)
                && self.cells(world, client)[REPLY] > version
        };
        let is_carried = |&slot: &u8| {
            let stray = self.stray_in(world, slot);
            self.stray(world, slot).is_some_and(|(_, server)| server == storage)
                && stray.is_some_and(|stray| stray.carried.based_on > version)
        };
        let processes = |who: &dyn Fn(&NodeIndex) -> bool| {
            let running = self.scenario().clients().filter(|&client| self.phase(world, client) != Phase::Ended);
            running.filter(who).fold(0, |bits, client| bits | 1 << self.process(client))
        };
        Ahead {
            held: processes(&has_taken),
            answered: processes(&is_told),
            strays: (0..self.slots).filter(is_carried).fold(0, |bits, slot| bits | 1 << slot),
        }
    }

    /// The registers with versions on which a client's program bases writes to a storage.
    fn versions_to_write_on(&self, client: NodeIndex, storage: NodeIndex) -> impl Iterator<Item = Register> + '_ {
        let steps = self.scenario().program_of(client).into_iter().flat_map(|program| &program.steps);
        steps.filter_map(move |step| match step.operation {
            Operation::Call { server, request: Request::Write { based_on, .. } } if server == storage => Some(based_on),
            _ => None,
        })
    }

    /// The clients that a lock service or a stray message names, as bits.
    pub(crate) fn named_clients(&self, world: &World) -> u32 {
        let mut named = 0;
        for &node in &self.locks {
            let cells = self.cells(world, node);
            let aside = self.own_cells(node).filter(|&own| cells.len() > own).map(|own| trouble::saved(cells, own));
            for cells in [Some(cells), aside].into_iter().flatten() {
                named |= lock::state(cells).holder.map_or(0, |(client, _)| 1 << client);
            }
        }
        let strays = (0..self.slots).filter_map(|slot| self.stray(world, slot));
        strays.fold(named, |named, (client, _)| named | 1 << client)
    }
}
