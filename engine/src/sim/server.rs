//! What servers do: they handle one request at a time.

use super::change::Change;
use super::command::MOST_CARRIED;
use super::lock::LeaseLock;
use super::model::{Model, OUTCOME, Phase, REPLY};
use super::record::Record;
use super::scenario::{NodeIndex, NodeKind, Outcome, Request};
use super::storage::{self, Write};
use super::talk::Said;
use super::world::{Cell, World};

/// The values that a request carries, whether its sender still has them or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    /// The token sent along, or 0 for none.
    pub token: u16,
    /// The value to be stored; 0 unless it is a write.
    pub value: u16,
    /// The version that it was computed from; 0 unless it is a write.
    pub based_on: u16,
    /// The values that a command mentions, in their order.
    pub mentioned: [u16; MOST_CARRIED],
}

impl Carried {
    /// How many cells it needs.
    pub const LENGTH: usize = 3 + MOST_CARRIED;

    /// It as cells.
    pub fn cells(self) -> [Cell; Self::LENGTH] {
        let [first, second, third] = self.mentioned;
        [self.token, self.value, self.based_on, first, second, third]
    }

    /// What [`Carried::cells`] has written.
    pub fn from_cells(cells: &[Cell]) -> Self {
        let mentioned = [cells[3], cells[4], cells[5]];
        Self { token: cells[0], value: cells[1], based_on: cells[2], mentioned }
    }
}

/// What a server says to a request.
struct Reply {
    outcome: Outcome,
    values: [Cell; 2],
    change: Change,
}

impl Model<'_> {
    /// The server handles the request of a client that waits for the reply.
    pub(super) fn serve(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let (server, request) = self.current_call(world, client).expect("only calls are served");
        let carried = self.carried(world, client, request);
        if let Request::Command { step, .. } = request {
            let said = Said { client, step, carried, stray: None };
            if let Some(heard) = self.handle_command(world, server, said, record) {
                self.let_copies_go(world, client);
                self.hear(world, client, &heard);
            }
            return;
        }
        let reply = self.handle(world, server, client, request, carried);
        record.note(server, Some(client), reply.change);
        self.let_copies_go(world, client);
        let cells = self.cells_mut(world, client);
        cells[OUTCOME] = reply.outcome as Cell;
        cells[REPLY..REPLY + 2].copy_from_slice(&reply.values);
        self.set_phase(world, client, Phase::Answered);
    }

    /// The server handles a request whose sender doesn't wait any more.
    pub(super) fn serve_stray(&self, world: &mut World, slot: u8, record: &mut impl Record) {
        let stray = self.stray_in(world, slot).expect("there is a message in this slot");
        let (server, request) = self.call_of(stray.client, stray.step).expect("only calls go astray");
        if let Request::Command { step, .. } = request {
            record.concerns_stray(slot);
            let said = Said { client: stray.client, step, carried: stray.carried, stray: Some(slot) };
            if self.handle_command(world, server, said, record).is_some() {
                self.slot_mut(world, slot).fill(0);
            }
            return;
        }
        self.slot_mut(world, slot).fill(0);
        let reply = self.handle(world, server, stray.client, request, stray.carried);
        record.concerns_stray(slot);
        record.note(server, Some(stray.client), reply.change);
    }

    /// What a request of a client carries, from the client's registers.
    pub(super) fn carried(&self, world: &World, client: NodeIndex, request: Request) -> Carried {
        let token = self.token_sent(world, client, request);
        match request {
            Request::Write { value, based_on, .. } => Carried {
                token,
                value: self.register(world, client, value),
                based_on: self.register(world, client, based_on),
                ..Carried::default()
            },
            Request::Command { step, .. } => self.carried_by_command(world, client, step, token),
            _ => Carried { token, ..Carried::default() },
        }
    }

    fn handle(
        &self,
        world: &mut World,
        server: NodeIndex,
        client: NodeIndex,
        request: Request,
        carried: Carried,
    ) -> Reply {
        let cells = self.cells_mut(world, server);
        let Carried { token, value, based_on, .. } = carried;
        let mut values = [0, 0];
        let (outcome, change) = match (&self.scenario.nodes[usize::from(server)].kind, request) {
            (NodeKind::Lock(lock), Request::Acquire { ttl_us, .. }) => {
                let ttl_us = if lock.expires { ttl_us } else { 0 };
                let (outcome, granted, change) = LeaseLock::acquire(client, ttl_us, cells);
                values[0] = granted;
                (outcome, change)
            }
            (NodeKind::Lock(_), Request::Check { .. }) => LeaseLock::check(token, cells),
            (NodeKind::Lock(lock), Request::Renew { ttl_us, .. }) => {
                LeaseLock::renew(token, if lock.expires { ttl_us } else { 0 }, cells)
            }
            (NodeKind::Lock(_), Request::Release { .. }) => LeaseLock::release(token, cells),
            (NodeKind::Storage(_), Request::Read { .. }) => {
                let (version, value) = storage::version_and_value(cells);
                values = [version, value];
                (Outcome::Done, Change::Read { version, value })
            }
            (NodeKind::Storage(storage), Request::Write { .. }) => {
                let (outcome, change) = storage.write(Write { value, based_on, token }, cells);
                if let Change::Refused { comparison, .. } = change
                    && storage.guard.shows_newer_holder(comparison)
                {
                    values[0] = token;
                }
                (outcome, change)
            }
            _ => unreachable!("a validated scenario asks each server what it can answer"),
        };
        Reply { outcome, values, change }
    }
}
