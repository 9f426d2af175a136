//! The store: keys, leases and one revision, as a view on the cells.
//!
//! The store has one revision. Each request that changes something adds one to it,
//! however many keys it changes; the end of a lease is such a change if it deletes a key
//! (<https://etcd.io/docs/v3.5/learning/api_guarantees/>).

use super::Etcd;
use super::key::{Key, KeyValue, LeaseId};
use super::reply::{Failure, Limit, Reply};
use crate::system::Cell;
use crate::system::Timer;
use crate::system::label::Label;

/// The revision of an empty store.
const FIRST_REVISION: u16 = 1;

const REVISION: usize = 0;
const HEAD: usize = 1;

// The cells of a lease.
/// 0 if there is none.
const ID: usize = 0;
/// Seconds.
const TTL: usize = 1;
/// Whether its time is over, but it isn't revoked yet.
const OVER: usize = 2;
const LEASE: usize = 3;

// The cells of a key.
const NAME: usize = 0; // and one more
const QUEUED: usize = 2;
/// 0 if there is no key.
const CREATE: usize = 3;
const MOD: usize = 4;
const VERSION: usize = 5;
const VALUE: usize = 6; // and one more
const ATTACHED: usize = 8;
const KEY: usize = 9;

/// How many cells a store needs; a snapshot needs as many again.
pub(super) fn length(etcd: &Etcd) -> usize {
    HEAD + LEASE * usize::from(etcd.sizes.leases) + KEY * usize::from(etcd.sizes.keys)
}

/// A store, as a view on its cells.
pub(super) struct State<'a> {
    pub(super) etcd: &'a Etcd,
    pub(super) cells: &'a mut [Cell],
}

impl State<'_> {
    pub(super) fn start(&mut self) {
        self.cells[REVISION] = FIRST_REVISION;
    }

    pub(super) fn revision(&self) -> u16 {
        self.cells[REVISION]
    }

    /// The revision of a copy of a store's cells.
    pub(super) fn revision_of(copy: &[Cell]) -> u16 {
        copy[REVISION]
    }

    pub(super) fn set_revision(&mut self, revision: u16) {
        self.cells[REVISION] = revision;
    }

    /// The highest revision from which a client may still change something. Some are kept
    /// back for the ends of leases.
    pub(super) fn last_revision(&self) -> u16 {
        u16::MAX - u16::from(self.etcd.sizes.leases) - 1
    }

    pub(super) fn check_revision(&self) -> Result<(), Failure> {
        let fits = self.revision() < self.last_revision();
        if fits { Ok(()) } else { Err(Failure::BeyondModel(Limit::Numbers)) }
    }

    pub(super) fn check_room(&self, created: usize) -> Result<(), Failure> {
        let free = self.places().filter(|&place| self.key(place)[CREATE] == 0).count();
        if created <= free { Ok(()) } else { Err(Failure::BeyondModel(Limit::Keys)) }
    }

    pub(super) fn check_lease(&self, lease: Option<LeaseId>) -> Result<(), Failure> {
        let is_there = lease.is_none_or(|id| self.lease(id).is_some());
        if is_there { Ok(()) } else { Err(Failure::LeaseNotFound) }
    }

    fn places(&self) -> impl Iterator<Item = usize> + use<> {
        0..usize::from(self.etcd.sizes.keys)
    }

    fn key_at(&self, place: usize) -> usize {
        HEAD + LEASE * usize::from(self.etcd.sizes.leases) + KEY * place
    }

    fn key(&self, place: usize) -> &[Cell] {
        &self.cells[self.key_at(place)..][..KEY]
    }

    fn key_mut(&mut self, place: usize) -> &mut [Cell] {
        let at = self.key_at(place);
        &mut self.cells[at..][..KEY]
    }

    /// All keys with what there is of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (Key, KeyValue)> {
        self.places().map(|place| self.key(place)).filter(|cells| cells[CREATE] > 0).map(|cells| {
            let key =
                Key { name: Label::from_cells([cells[NAME], cells[NAME + 1]]), queued: LeaseId::new(cells[QUEUED]) };
            let found = KeyValue {
                value: Label::from_cells([cells[VALUE], cells[VALUE + 1]]),
                version: cells[VERSION],
                create_revision: cells[CREATE],
                mod_revision: cells[MOD],
                lease: LeaseId::new(cells[ATTACHED]),
            };
            (key, found)
        })
    }

    pub(super) fn get(&self, key: Key) -> Option<KeyValue> {
        self.all().find(|(other, _)| *other == key).map(|(_, found)| found)
    }

    fn place_of(&self, key: Key) -> Option<usize> {
        let [first, second] = key.name.cells();
        let queued = key.queued.map_or(0, LeaseId::get);
        self.places().find(|&place| {
            let cells = self.key(place);
            cells[CREATE] > 0 && cells[..CREATE] == [first, second, queued]
        })
    }

    pub(super) fn put(&mut self, key: Key, value: Label, lease: Option<LeaseId>) -> Result<Reply, Failure> {
        self.check_lease(lease)?;
        self.check_revision()?;
        self.check_room(usize::from(self.get(key).is_none()))?;
        let revision = self.revision() + 1;
        self.write(key, value, lease, revision);
        self.set_revision(revision);
        Ok(Reply::Header { revision })
    }

    /// Writes a key at a revision; there is room for it.
    pub(super) fn write(&mut self, key: Key, value: Label, lease: Option<LeaseId>, revision: u16) {
        let is_free = |state: &Self, place: usize| state.key(place)[CREATE] == 0;
        let place = self.place_of(key).or_else(|| self.places().find(|&place| is_free(self, place)));
        let Some(place) = place else { return };
        let cells = self.key_mut(place);
        if cells[CREATE] == 0 {
            [cells[NAME], cells[NAME + 1]] = key.name.cells();
            cells[QUEUED] = key.queued.map_or(0, LeaseId::get);
            cells[CREATE] = revision;
        }
        cells[MOD] = revision;
        cells[VERSION] += 1;
        [cells[VALUE], cells[VALUE + 1]] = value.cells();
        cells[ATTACHED] = lease.map_or(0, LeaseId::get);
    }

    pub(super) fn delete(&mut self, key: Key) -> Result<Reply, Failure> {
        self.check_revision()?;
        let deleted = self.erase(key);
        let revision = self.revision() + u16::from(deleted);
        self.set_revision(revision);
        Ok(Reply::Deleted { deleted, revision })
    }

    /// Deletes a key, and says how many that were. The revision is left to the caller.
    pub(super) fn erase(&mut self, key: Key) -> u8 {
        let place = self.place_of(key);
        if let Some(place) = place {
            self.key_mut(place).fill(0);
        }
        place.map_or(0, |_| 1)
    }

    /// Deletes the keys of a lease, and says whether there were any.
    pub(super) fn erase_attached(&mut self, id: LeaseId) -> bool {
        let mut any = false;
        for place in self.places() {
            if self.key(place)[ATTACHED] == id.get() {
                self.key_mut(place).fill(0);
                any = true;
            }
        }
        any
    }

    fn lease_mut(&mut self, timer: Timer) -> &mut [Cell] {
        &mut self.cells[HEAD + LEASE * usize::from(timer)..][..LEASE]
    }

    fn lease_at(&self, timer: Timer) -> &[Cell] {
        &self.cells[HEAD + LEASE * usize::from(timer)..][..LEASE]
    }

    /// The timers of the leases, whether or not they are granted.
    pub(super) fn timers(&self) -> impl Iterator<Item = Timer> + use<> {
        0..self.etcd.sizes.leases
    }

    /// The timer of a lease that is there.
    pub(super) fn lease(&self, id: LeaseId) -> Option<Timer> {
        self.timers().find(|&timer| self.id(timer) == Some(id))
    }

    /// A timer that no lease has.
    pub(super) fn free_timer(&self) -> Option<Timer> {
        self.timers().find(|&timer| self.id(timer).is_none())
    }

    /// The lease that has this timer.
    pub(super) fn id(&self, timer: Timer) -> Option<LeaseId> {
        LeaseId::new(self.lease_at(timer)[ID])
    }

    /// How long the lease of this timer lasts, in seconds.
    pub(super) fn ttl_s(&self, timer: Timer) -> u16 {
        self.lease_at(timer)[TTL]
    }

    pub(super) fn is_over(&self, timer: Timer) -> bool {
        self.lease_at(timer)[OVER] != 0
    }

    pub(super) fn set_over(&mut self, timer: Timer, over: bool) {
        self.lease_mut(timer)[OVER] = Cell::from(over);
    }

    pub(super) fn set_lease(&mut self, timer: Timer, id: LeaseId, ttl_s: u16) {
        self.lease_mut(timer).copy_from_slice(&[id.get(), ttl_s, 0]);
    }

    pub(super) fn clear_lease(&mut self, timer: Timer) {
        self.lease_mut(timer).fill(0);
    }
}
