//! Messages that nobody waits for: requests whose senders have stopped waiting or
//! have crashed, and copies of requests.
//!
//! A request that somebody waits for needs no record, since its arguments lie in
//! the registers of its sender, which stands still. A stray one carries its own, in
//! one of a few slots of the world. When all slots are taken, a request that would
//! go astray is lost instead, and says so; a copy isn't made.

use super::change::Change;
use super::fault::Leg;
use super::model::{Model, NEXT_STEP, Phase};
use super::record::Record;
use super::scenario::NodeIndex;
use super::server::Carried;
use super::world::{Cell, World};

/// How many messages can be astray at once.
pub(super) const SLOTS: u8 = 3;

/// The sender plus one, or 0.
const CLIENT: usize = 0;
/// The step of its program that sent it.
const STEP: usize = 1;
/// Whether it is a copy of a request that is still on its way: it comes after it.
const FOLLOWS: usize = 2;
const CARRIED: usize = 3;
/// The number of cells of a slot.
pub(super) const LENGTH: usize = CARRIED + Carried::LENGTH;

/// A message that nobody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stray {
    /// Who sent it.
    pub client: NodeIndex,
    /// The step of its program that sent it.
    pub step: Cell,
    /// What it carries.
    pub carried: Carried,
}

/// The message in a slot, if there is one.
pub(super) fn read(cells: &[Cell]) -> Option<Stray> {
    let client = cells[CLIENT].checked_sub(1)? as NodeIndex;
    let carried = Carried::from_cells(&cells[CARRIED..LENGTH]);
    Some(Stray { client, step: cells[STEP], carried })
}

fn write(stray: Stray, cells: &mut [Cell]) {
    cells[CLIENT] = Cell::from(stray.client) + 1;
    cells[STEP] = stray.step;
    cells[FOLLOWS] = 0;
    cells[CARRIED..LENGTH].copy_from_slice(&stray.carried.cells());
}

/// Names the sender anew, after clients have changed places.
pub(super) fn rename_client(cells: &mut [Cell], renamed: &[NodeIndex]) {
    if let Some(client) = cells[CLIENT].checked_sub(1) {
        cells[CLIENT] = Cell::from(renamed[usize::from(client)]) + 1;
    }
}

impl Model<'_> {
    /// The first slot that is free.
    pub(super) fn free_slot(&self, world: &World) -> Option<u8> {
        (0..self.slots).find(|&slot| self.stray_in(world, slot).is_none())
    }

    /// The request of a client that stops waiting for it goes on by itself. Returns
    /// what is to be noted if there is no slot for it.
    pub(super) fn let_go_astray(
        &self,
        world: &mut World,
        client: NodeIndex,
        record: &mut impl Record,
    ) -> Option<Change> {
        if self.phase(world, client) != Phase::Asked {
            return None;
        }
        self.let_copies_go(world, client);
        let Some(slot) = self.free_slot(world) else {
            let (server, _) = self.current_call(world, client)?;
            return Some(Change::Lost { leg: Leg::Request, server });
        };
        self.put_astray(world, client, slot);
        record.goes_astray(client, slot);
        None
    }

    /// The request of a client is on its way twice.
    pub(super) fn duplicate(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let slot = self.free_slot(world).expect("a copy is made only where it has a slot");
        let (server, _) = self.current_call(world, client).expect("only calls have requests");
        self.put_astray(world, client, slot);
        self.slot_mut(world, slot)[FOLLOWS] = 1;
        record.is_copied(client, slot);
        record.concerns_stray(slot);
        record.note(client, Some(client), Change::Duplicated { server });
    }

    /// Whether a stray message is a copy of a request that is still on its way.
    pub(super) fn follows_its_original(&self, world: &World, slot: u8) -> bool {
        self.slot(world, slot)[FOLLOWS] != 0
    }

    /// The request of a client has arrived, is lost, or goes on by itself: copies of it
    /// needn't wait for it any more.
    pub(super) fn let_copies_go(&self, world: &mut World, client: NodeIndex) {
        for slot in 0..self.slots {
            let cells = self.slot_mut(world, slot);
            if cells[CLIENT] == Cell::from(client) + 1 {
                cells[FOLLOWS] = 0;
            }
        }
    }

    /// A message that nobody waits for is lost.
    pub(super) fn lose_stray(&self, world: &mut World, slot: u8, record: &mut impl Record) {
        let stray = self.stray_in(world, slot).expect("there is a message in this slot");
        let (server, _) = self.call_of(stray.client, stray.step).expect("only calls go astray");
        self.slot_mut(world, slot).fill(0);
        record.concerns_stray(slot);
        record.note(stray.client, Some(stray.client), Change::Lost { leg: Leg::Request, server });
    }

    fn put_astray(&self, world: &mut World, client: NodeIndex, slot: u8) {
        let (_, request) = self.current_call(world, client).expect("only calls go astray");
        let step = self.cells(world, client)[NEXT_STEP];
        let carried = self.carried(world, client, request);
        write(Stray { client, step, carried }, self.slot_mut(world, slot));
    }
}
