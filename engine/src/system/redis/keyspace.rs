//! The keys of one Redis with their values and their ends.
//!
//! A key's end is a timer, and when it fires the key is gone. So a key is gone at
//! the very moment of its end. The real server says two things there: its active
//! cycle deletes a key from that millisecond on, and a lookup still finds the key
//! until the millisecond is over
//! (<https://github.com/redis/redis/blob/7.0.15/src/expire.c>, `activeExpireCycleTryExpire`,
//! and <https://github.com/redis/redis/blob/7.0.15/src/db.c>, `keyIsExpired`).
//!
//! Nothing can end between two commands of a script or of a transaction: they run
//! in one step here, as time stands still in them there.

use super::command::Expiry;
use super::reply::Error;
use super::text::{Key, Keys, Value};
use crate::system::Cell;
use crate::system::{Time, Timer};

// The cells of a key.
/// The value, or 0 if the key isn't there.
const VALUE: usize = 0;
/// The version, if the key holds a value with its version, or 0.
const VERSION: usize = 1;
/// How many cells a key needs.
pub(super) const KEY_LENGTH: usize = 2;

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// A string.
    Plain(Value),
    /// A hash of a version and the data.
    Versioned { version: Value, data: Value },
}

/// The keys, during one step.
pub(super) struct Keyspace<'a> {
    cells: &'a mut [Cell],
    time: &'a mut dyn Time,
    /// The timer of the first key; the others follow.
    first_timer: Timer,
    /// How many replicas had every write of this connection before this step.
    pub(super) acknowledged: u8,
    /// The keys that were written in this step, even with the value they had.
    pub(super) written: Keys,
}

impl<'a> Keyspace<'a> {
    pub(super) fn new(cells: &'a mut [Cell], time: &'a mut dyn Time, first_timer: Timer) -> Self {
        Self { cells, time, first_timer, acknowledged: 0, written: Keys::default() }
    }

    fn timer(&self, key: Key) -> Timer {
        self.first_timer + key.0
    }

    fn slot(&mut self, key: Key) -> &mut [Cell] {
        &mut self.cells[usize::from(key.0) * KEY_LENGTH..][..KEY_LENGTH]
    }

    /// What a key holds, if it is there.
    pub(super) fn stored(&self, key: Key) -> Option<Stored> {
        let slot = &self.cells[usize::from(key.0) * KEY_LENGTH..][..KEY_LENGTH];
        let value = Value::from_cell(slot[VALUE])?;
        Some(match Value::from_cell(slot[VERSION]) {
            None => Stored::Plain(value),
            Some(version) => Stored::Versioned { version, data: value },
        })
    }

    pub(super) fn has(&self, key: Key) -> bool {
        self.stored(key).is_some()
    }

    /// The string that a key holds, if it is there.
    pub(super) fn value(&self, key: Key) -> Result<Option<Value>, Error> {
        match self.stored(key) {
            None => Ok(None),
            Some(Stored::Plain(value)) => Ok(Some(value)),
            Some(Stored::Versioned { .. }) => Err(Error::WrongType),
        }
    }

    /// Writes a key and says what becomes of its end.
    pub(super) fn put(&mut self, key: Key, stored: Stored, expiry: Expiry) {
        let (value, version) = match stored {
            Stored::Plain(value) => (value.to_cell(), 0),
            Stored::Versioned { version, data } => (data.to_cell(), version.to_cell()),
        };
        let slot = self.slot(key);
        slot[VALUE] = value;
        slot[VERSION] = version;
        self.written = self.written.with(key);
        match expiry {
            Expiry::Never => self.time.disarm(self.timer(key)),
            Expiry::Keep => {}
            Expiry::After(ms) => self.time.arm(self.timer(key), u64::from(ms) * 1_000),
        }
    }

    /// Deletes a key; says whether it was there.
    pub(super) fn delete(&mut self, key: Key) -> bool {
        let was_there = self.has(key);
        if was_there {
            self.slot(key).fill(0);
            self.time.disarm(self.timer(key));
            self.written = self.written.with(key);
        }
        was_there
    }

    /// Gives a key an end this far from now, or deletes it if that is now; says
    /// whether it was there.
    pub(super) fn expire_after(&mut self, key: Key, ms: u32) -> bool {
        if ms == 0 {
            return self.delete(key);
        }
        let is_there = self.has(key);
        if is_there {
            self.time.arm(self.timer(key), u64::from(ms) * 1_000);
            self.written = self.written.with(key);
        }
        is_there
    }

    /// How long until the key's end, in milliseconds, begun ones counted whole; −1
    /// if it has none, and −2 if the key isn't there.
    pub(super) fn left_ms(&self, key: Key) -> i64 {
        if !self.has(key) {
            return -2;
        }
        self.time.told_left_us(self.timer(key)).map_or(-1, |left_us| left_us.div_ceil(1_000).cast_signed())
    }
}
