//! The items in their cells, and the seconds in which they live.

use super::SECOND_US;
use crate::system::Cell;
use crate::system::{Time, Timer};

// The cells of the server, then those of each key.
const LAST_NUMBER: usize = 0;
const ITEMS: usize = 1;

const CAS: usize = 0; // 0 if there is no item
const VALUE: usize = 1; // a word, or 0 for the empty value
const MARKS: usize = 2;
const TOKEN: usize = 3; // the lease that is out, or 0
const ITEM: usize = 4;

/// The value is stale.
const STALE: Cell = 1;
/// A caller was told that it won.
const WON: Cell = 2;

/// The number of cells for so many keys.
pub(super) fn length(keys: usize) -> usize {
    ITEMS + keys * ITEM
}

/// An item as it lies there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub cas: u16,
    /// A word, or 0 for the empty value.
    pub value: Cell,
    pub is_stale: bool,
    /// Whether a caller was told that it won.
    pub is_won: bool,
}

/// All items.
pub(super) struct Items<'a> {
    keys: usize,
    first_tick_us: u64,
    cells: &'a mut [Cell],
    time: &'a mut dyn Time,
}

impl<'a> Items<'a> {
    pub fn new(keys: usize, first_tick_us: u64, cells: &'a mut [Cell], time: &'a mut dyn Time) -> Self {
        Self { keys, first_tick_us, cells, time }
    }

    /// The item of a key, if there is one.
    pub fn get(&self, key: usize) -> Option<Item> {
        let cells = &self.cells[at(key)..at(key) + ITEM];
        let marks = cells[MARKS];
        let item =
            Item { cas: cells[CAS], value: cells[VALUE], is_stale: marks & STALE != 0, is_won: marks & WON != 0 };
        (item.cas != 0).then_some(item)
    }

    /// Puts a value under a key, with a new number and unmarked. It has the end of the
    /// item before, or none if there was none, until [`Self::live`] is told.
    pub fn put(&mut self, key: usize, value: Cell) -> u16 {
        let cas = self.next_number();
        let cells = &mut self.cells[at(key)..];
        cells[CAS] = cas;
        cells[VALUE] = value;
        cells[MARKS] = 0;
        cas
    }

    /// Puts an older value under a key, with a new number: it is stale, and the item
    /// lives as long as before and is won if it was.
    pub fn put_stale(&mut self, key: usize, value: Cell) -> u16 {
        let cas = self.next_number();
        let cells = &mut self.cells[at(key)..];
        cells[CAS] = cas;
        cells[VALUE] = value;
        cells[MARKS] |= STALE;
        cas
    }

    /// Marks an item as stale, with a new number, so that one caller can win it.
    pub fn make_stale(&mut self, key: usize) {
        let cas = self.next_number();
        let cells = &mut self.cells[at(key)..];
        cells[CAS] = cas;
        cells[MARKS] = STALE;
    }

    /// Notes that a caller was told that it won.
    pub fn win(&mut self, key: usize) {
        self.cells[at(key) + MARKS] |= WON;
    }

    /// Takes the item of a key away.
    pub fn remove(&mut self, key: usize) {
        self.time.disarm(key as Timer);
        self.cells[at(key)..at(key) + TOKEN].fill(0);
    }

    /// Gives an item so many seconds to live; 0 is for ever.
    ///
    /// The end falls on a tick of the server's clock. Items that live show where in a
    /// second it is; if there is none, the configured distance is taken.
    pub fn live(&mut self, key: usize, ttl_s: u16) {
        let Some(whole_seconds) = ttl_s.checked_sub(1) else {
            self.time.disarm(key as Timer);
            return;
        };
        let left_us = (0..self.keys).find_map(|other| self.time.left_us(other as Timer));
        let to_tick_us = match left_us.map(|left_us| left_us % SECOND_US) {
            None => self.first_tick_us,
            Some(0) => SECOND_US,
            Some(part_us) => part_us,
        };
        self.time.arm(key as Timer, u64::from(whole_seconds) * SECOND_US + to_tick_us);
    }

    /// How many ticks an item will still see; `None` if it lives for ever.
    pub fn left_s(&self, key: usize) -> Option<u16> {
        self.time.told_left_us(key as Timer).map(|left_us| left_us.div_ceil(SECOND_US) as u16)
    }

    /// Gives out a lease for a key, and gives none for a while. Voids the one before.
    pub fn lend(&mut self, key: usize, pause_us: Option<u64>) -> u16 {
        let token = self.next_number();
        self.cells[at(key) + TOKEN] = token;
        if let Some(pause_us) = pause_us {
            self.time.arm(self.pause_of(key), pause_us);
        }
        token
    }

    /// Whether a key gave out a lease just now.
    pub fn is_pausing(&self, key: usize) -> bool {
        self.time.left_us(self.pause_of(key)).is_some()
    }

    /// Whether this is the lease that is out for a key.
    pub fn is_lent(&self, key: usize, token: u16) -> bool {
        token != 0 && self.cells[at(key) + TOKEN] == token
    }

    /// Voids the lease that is out for a key.
    pub fn void(&mut self, key: usize) {
        self.cells[at(key) + TOKEN] = 0;
    }

    /// The real counter has 64 bits.
    pub fn has_no_numbers_left(&self) -> bool {
        self.cells[LAST_NUMBER] >= Cell::MAX - 1
    }

    fn next_number(&mut self) -> u16 {
        self.cells[LAST_NUMBER] = self.cells[LAST_NUMBER].saturating_add(1);
        self.cells[LAST_NUMBER]
    }

    fn pause_of(&self, key: usize) -> Timer {
        (self.keys + key) as Timer
    }
}

fn at(key: usize) -> usize {
    ITEMS + key * ITEM
}
