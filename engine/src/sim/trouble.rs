//! What goes wrong: messages that are lost or doubled, nodes that crash, states
//! that come back or are forgotten, and operators who break leases.

use alloc::vec::Vec;
use core::ops::Range;

use super::change::{Action, Change};
use super::fault::Leg;
use super::lock::{self, LeaseLock};
use super::model::{Model, Phase};
use super::record::Record;
use super::scenario::{NodeIndex, NodeKind, Request};
use super::storage;
use super::thing::Role;
use super::world::{Cell, World};

/// What is assumed to go wrong. These are switches; how often something may happen
/// is a bound, and bounds belong to the search.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Assumptions {
    /// Processes may stand still. A world has no time, so every order of actions
    /// is possible without pauses, too, as long as clocks aren't asked: this
    /// switches off no action. Whether an order needs a pause is for those to ask
    /// who give it times.
    pub pauses: bool,
    /// Leases may end before their holders give them back.
    pub expiries: bool,
    /// Messages may be lost.
    pub lost_messages: bool,
    /// Requests may arrive twice.
    pub duplicates: bool,
    /// Nodes may crash, with or without their memory, and start again.
    pub crashes: bool,
    /// Servers may get older states back.
    pub restores: bool,
    /// Operators may break leases.
    pub forced_unlocks: bool,
    /// Lock services may forget their state.
    pub state_losses: bool,
    /// Another member of a system may become its leader.
    pub leader_changes: bool,
}

impl Assumptions {
    /// Everything may go wrong.
    pub const ALL: Self = Self {
        pauses: true,
        expiries: true,
        lost_messages: true,
        duplicates: true,
        crashes: true,
        restores: true,
        forced_unlocks: true,
        state_losses: true,
        leader_changes: true,
    };
}

// After a server's own cells: whether it is down, whether a state of it lies
// aside, and that state.
const DOWN: usize = 0;
const SAVED: usize = 1;
const COPY: usize = 2;
// How a server that is down comes back.
const KEEPS_MEMORY: Cell = 1;
const FORGETS: Cell = 2;

/// How many cells a server with this many of its own needs.
pub(super) const fn with_room(own: usize) -> usize {
    own + COPY + own
}

/// The state that lies aside, of a server with this many cells of its own.
pub(super) fn saved_mut(cells: &mut [Cell], own: usize) -> &mut [Cell] {
    &mut cells[own + COPY..]
}

/// The same to be read.
pub(super) fn saved(cells: &[Cell], own: usize) -> &[Cell] {
    &cells[own + COPY..]
}

impl Model<'_> {
    /// Lists what can happen next if this is assumed to go wrong: first what
    /// [`Model::enabled`] lists, without leases that end unless that is assumed; then
    /// the trouble, in the order of nodes and slots. What arrives at a server that
    /// is down is lost, so that is listed with crashes, too.
    pub fn enabled_under(&self, world: &World, assumptions: &Assumptions, actions: &mut Vec<Action>) {
        self.enabled(world, actions);
        if !assumptions.expiries {
            actions.retain(|action| !matches!(action, Action::Expire(_)));
        }
        for node in self.scenario.indices() {
            let is_refused = || {
                let call = self.current_call(world, node).filter(|_| self.phase(world, node) == Phase::Asked);
                assumptions.crashes && call.is_some_and(|(server, _)| self.is_down(world, server))
            };
            let trouble = [
                (assumptions.lost_messages || is_refused(), Action::Lose(node)),
                (assumptions.duplicates, Action::Duplicate(node)),
                (assumptions.crashes, Action::Crash(node)),
                (assumptions.crashes, Action::Halt(node)),
                (assumptions.crashes, Action::Restart(node)),
                (assumptions.restores, Action::Snapshot(node)),
                (assumptions.restores, Action::Restore(node)),
                (assumptions.forced_unlocks, Action::ForceUnlock(node)),
                (assumptions.state_losses, Action::Forget(node)),
                (assumptions.leader_changes, Action::ChangeLeader(node)),
            ];
            for (_, action) in trouble.into_iter().filter(|(assumed, _)| *assumed) {
                self.add(world, action, actions);
            }
        }
        for slot in 0..self.slots {
            let is_refused = || self.stray(world, slot).is_some_and(|(_, server)| self.is_down(world, server));
            if assumptions.lost_messages || (assumptions.crashes && is_refused()) {
                self.add(world, Action::LoseStray(slot), actions);
            }
        }
    }

    /// Whether a trouble can happen now. One that would change nothing can't.
    pub(super) fn can_go_wrong(&self, world: &World, action: Action) -> bool {
        let place = action.place();
        let is_server = self.own_cells(place).is_some();
        let phase = self.scenario.client(place).map(|_| self.phase(world, place));
        match action {
            Action::ServeStray(slot) => {
                !self.follows_its_original(world, slot)
                    && self.stray_in(world, slot).is_some_and(|stray| match self.call_of(stray.client, stray.step) {
                        Some((server, Request::Command { step, .. })) => {
                            self.moves(world, server, stray.client, step, &stray.carried)
                        }
                        call => call.is_some_and(|(server, request)| self.answers(world, server, request)),
                    })
            }
            Action::LoseStray(slot) => self.stray_in(world, slot).is_some(),
            Action::Lose(_) => matches!(phase, Some(Phase::Asked | Phase::Answered)),
            Action::Duplicate(_) => phase == Some(Phase::Asked) && self.free_slot(world).is_some(),
            Action::Crash(node) | Action::Halt(node) => match phase {
                Some(phase) => !matches!(phase, Phase::Ended | Phase::Down),
                None => is_server && self.has_room(node) && !self.is_down(world, node),
            },
            Action::Restart(node) => phase == Some(Phase::Down) || self.is_down(world, node),
            Action::Snapshot(node) => {
                is_server && self.has_room(node) && !self.is_down(world, node) && !self.is_as_saved(world, node)
            }
            Action::Restore(node) => {
                is_server && self.has_room(node) && self.is_saved(world, node) && !self.is_as_saved(world, node)
            }
            Action::ForceUnlock(node) => {
                let host = self.scenario.host(node);
                let has_way = self.is_lease_lock(node) || self.unlock_command(node).is_some();
                has_way && self.holder(world, node).is_some() && !self.is_down(world, host)
            }
            Action::Forget(node) => {
                let keeps_state =
                    self.is_lease_lock(node) || self.servers.get(usize::from(node)).is_some_and(Option::is_some);
                keeps_state && !self.is_down(world, node) && {
                    let mut forgotten = world.clone();
                    self.forget(&mut forgotten, node, &mut ());
                    forgotten != *world
                }
            }
            Action::ChangeLeader(node) => self.leader_command(node).is_some() && !self.is_down(world, node),
            _ => false,
        }
    }

    /// Lets a trouble happen.
    pub(super) fn go_wrong(&self, world: &mut World, action: Action, record: &mut impl Record) {
        match action {
            Action::ServeStray(slot) => self.serve_stray(world, slot, record),
            Action::LoseStray(slot) => self.lose_stray(world, slot, record),
            Action::Lose(client) => self.lose(world, client, record),
            Action::Duplicate(client) => self.duplicate(world, client, record),
            Action::Crash(node) => self.crash(world, node, false, record),
            Action::Halt(node) => self.crash(world, node, true, record),
            Action::Restart(node) => self.restart(world, node, record),
            Action::Snapshot(node) => {
                for lane in self.lanes_of(node) {
                    let own = self.own_cells(lane).expect("only servers have snapshots");
                    let (now, aside) = self.cells_mut(world, lane).split_at_mut(own);
                    aside[SAVED] = 1;
                    aside[COPY..].copy_from_slice(now);
                }
                record.note(node, None, Change::Saved);
            }
            Action::Restore(node) => self.restore(world, node, record),
            Action::ForceUnlock(lane) if !self.is_lease_lock(lane) => self.break_lock(world, lane, record),
            Action::ForceUnlock(lock) => {
                if let Some(change) = LeaseLock::break_lease(self.cells_mut(world, lock)) {
                    record.note(lock, None, change);
                }
            }
            Action::Forget(node) => self.forget(world, node, record),
            Action::ChangeLeader(node) => self.note_leader(world, node, record),
            _ => unreachable!("{action} goes right"),
        }
    }

    /// The message of a client's call never arrives.
    fn lose(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let (server, _) = self.current_call(world, client).expect("only calls have messages");
        let (leg, sender) = match self.phase(world, client) {
            Phase::Answered => (Leg::Reply, server),
            _ => (Leg::Request, client),
        };
        self.let_copies_go(world, client);
        self.drop_reply(world, client);
        self.set_phase(world, client, Phase::Waiting);
        record.note(sender, Some(client), Change::Lost { leg, server });
    }

    fn crash(&self, world: &mut World, node: NodeIndex, keeps_memory: bool, record: &mut impl Record) {
        let Some(own) = self.own_cells(node) else {
            return self.crash_client(world, node, keeps_memory, record);
        };
        if !keeps_memory && self.servers[usize::from(node)].is_none() {
            self.put_at_start(world, node);
        }
        self.cells_mut(world, node)[own + DOWN] = if keeps_memory { KEEPS_MEMORY } else { FORGETS };
        record.note(node, None, Change::Crashed { keeps_memory });
    }

    /// A server forgets all that it knew, and goes on.
    fn forget(&self, world: &mut World, node: NodeIndex, record: &mut impl Record) {
        if let NodeKind::Lock(lock) = &self.scenario.nodes[usize::from(node)].kind {
            let change = lock.forget(self.cells_mut(world, node));
            record.note(node, None, change);
        } else {
            record.note(node, None, Change::Forgotten { next: None });
            self.restart_system(world, node, false, record);
        }
    }

    /// An operator breaks the lock on a real system.
    fn break_lock(&self, world: &mut World, lane: NodeIndex, record: &mut impl Record) {
        let Some(words) = self.unlock_command(lane) else { return };
        self.operate(world, lane, words, record);
        let before = lock::state(self.cells(world, lane)).holder;
        if let Some((client, token)) = before.filter(|&(client, _)| self.truth(world, lane) != Some(client)) {
            lock::free(self.cells_mut(world, lane));
            record.say(words);
            record.note(lane, None, Change::Broken { client, token });
        }
        self.refresh(world, self.scenario.host(lane), None, record);
    }

    /// The lanes of a server: its own, and those of its parts.
    fn lanes_of(&self, host: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.scenario.indices().filter(move |&node| self.scenario.host(node) == host)
    }

    /// What it has sent goes on; a reply to it reaches nobody. All threads of a
    /// process stop with it.
    fn crash_client(&self, world: &mut World, client: NodeIndex, keeps_memory: bool, record: &mut impl Record) {
        for member in self.scenario.threads(self.scenario.process(client)) {
            if matches!(self.phase(world, member), Phase::Ended | Phase::Down) {
                continue;
            }
            let left_behind = self.let_go_astray(world, member, record);
            if keeps_memory {
                self.drop_reply(world, member);
            } else {
                self.cells_mut(world, member).fill(0);
            }
            self.set_phase(world, member, Phase::Down);
            record.note(member, Some(member), Change::Crashed { keeps_memory });
            if let Some(lost) = left_behind {
                record.note(member, Some(member), lost);
            }
        }
        self.disconnect(world, client, record);
    }

    fn restart(&self, world: &mut World, node: NodeIndex, record: &mut impl Record) {
        if let Some(own) = self.own_cells(node) {
            let down = core::mem::take(&mut self.cells_mut(world, node)[own + DOWN]);
            record.note(node, None, Change::Restarted);
            self.restart_system(world, node, down == KEEPS_MEMORY, record);
        } else {
            for member in self.scenario.threads(self.scenario.process(node)) {
                if self.phase(world, member) == Phase::Down {
                    self.set_phase(world, member, Phase::Ready);
                    record.note(member, Some(member), Change::Restarted);
                }
            }
        }
    }

    fn restore(&self, world: &mut World, node: NodeIndex, record: &mut impl Record) {
        let before = self.entries(world, node);
        for lane in self.lanes_of(node) {
            let own = self.own_cells(lane).expect("only servers have snapshots");
            let counted = self.counted(lane);
            let (now, aside) = self.cells_mut(world, lane).split_at_mut(own);
            now[..counted.start].copy_from_slice(&aside[COPY..COPY + counted.start]);
            now[counted.end..].copy_from_slice(&aside[COPY + counted.end..]);
        }
        let now = self.cells(world, node);
        let change = match &self.scenario.nodes[usize::from(node)].kind {
            NodeKind::Lock(_) => LeaseLock::restored(now),
            _ => storage::restored(now),
        };
        record.note(node, None, change);
        let restored = self.entries(world, node);
        for ((lane, entry), _) in restored.into_iter().zip(before).filter(|(now, before)| now != before) {
            record.follows();
            record.note(
                lane,
                None,
                entry.map_or(Change::Emptied, |(version, newest)| Change::Filled { version, newest }),
            );
        }
        self.refresh(world, node, None, record);
    }

    /// What the caches on a server have, and what their sources have, if they have something.
    fn entries(&self, world: &World, host: NodeIndex) -> Vec<(NodeIndex, Option<(u16, u16)>)> {
        let version = |lane| storage::version_and_value(self.cells(world, lane)).0;
        let entry = |lane| match self.scenario.role(lane) {
            Some(Role::Cache { of, .. }) => {
                Some((lane, Some((version(lane), version(*of))).filter(|&(entry, _)| entry != 0)))
            }
            _ => None,
        };
        self.lanes_of(host).filter_map(entry).collect()
    }

    /// Whether a server is down; a client says so by its phase.
    pub(super) fn is_down(&self, world: &World, node: NodeIndex) -> bool {
        let Some(own) = self.own_cells(node).filter(|_| self.has_room(node)) else { return false };
        self.cells(world, node)[own + DOWN] != 0
    }

    /// Whether a world has room for what can befall this server.
    fn has_room(&self, server: NodeIndex) -> bool {
        self.own_cells(server).is_some_and(|own| self.length(server) > own)
    }

    /// Whether a state of a server lies aside.
    pub(crate) fn is_saved(&self, world: &World, server: NodeIndex) -> bool {
        self.own_cells(server).is_some_and(|own| self.cells(world, server)[own + SAVED] != 0)
    }

    /// Whether the state that lies aside is the one that a server has.
    pub(super) fn is_as_saved(&self, world: &World, server: NodeIndex) -> bool {
        self.is_saved(world, server)
            && self.lanes_of(server).all(|lane| {
                let Some(own) = self.own_cells(lane) else { return false };
                let counted = self.counted(lane);
                let (now, aside) = self.cells(world, lane).split_at(own);
                let aside = &aside[COPY..];
                now[..counted.start] == aside[..counted.start] && now[counted.end..] == aside[counted.end..]
            })
    }

    /// The cells of a lane in which the judges count, whatever comes back.
    fn counted(&self, lane: NodeIndex) -> Range<usize> {
        self.scenario.role(lane).map_or(0..0, Role::counted)
    }
}
