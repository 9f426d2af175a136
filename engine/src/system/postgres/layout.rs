//! Where everything lies in the cells.
//!
//! First the shared part: the committed tables, the versions that open transactions
//! have made, and who holds which lock. Then a part for each session. A cell that
//! means nothing is 0, so that equal states have equal cells.

use core::ops::Range;

use super::super::{Caller, Time};
use crate::system::Cell;

/// The largest number of a column: all of them are of type `smallint`.
pub(super) const LARGEST: u16 = 32_767;

/// The rows of `q`, as items: what can be locked, changed, read and written.
pub(super) const Q: Range<usize> = 0..2;
/// The rows of `website`.
pub(super) const WEBSITE: Range<usize> = 2..4;
/// The row of `shedlock`.
pub(super) const SHEDLOCK: usize = 4;
/// The keys of `requests`, there or not.
pub(super) const REQUESTS: Range<usize> = 5..7;
/// How many items have a row.
pub(super) const ITEMS: usize = 7;
/// The whole table `grants`: read and written as one item, never locked.
pub(super) const GRANTS: usize = 7;

/// The numbers of the advisory locks.
pub(super) const ADVISORY_NAMES: [u16; 2] = [42, 43];
/// The first advisory lock, in the count of locks; the items stand before it.
pub(super) const ADVISORY: usize = ITEMS;
const LOCKS: usize = ITEMS + ADVISORY_NAMES.len();

/// The columns of a row of `q`, from its start.
pub(super) const GRANTED: usize = 0;
pub(super) const LIMIT: usize = 1;
pub(super) const VALUE: usize = 2;
pub(super) const VERSION: usize = 3;
pub(super) const FENCE: usize = 4;
/// The columns of a row that can be absent: whether it is there, and its number.
pub(super) const LIVE: usize = 0;
pub(super) const HITS: usize = 1;
/// The columns of the row of `shedlock`: a deadline, and a node or 0.
pub(super) const UNTIL: usize = 0;
pub(super) const LOCKED_BY: usize = 1;
/// The number of rows of `grants`, after the rows of the other tables.
pub(super) const GRANTS_COUNT: usize = 18;
/// How many cells an image of all tables takes.
const IMAGE: usize = 19;

/// The columns of an item, in an image.
pub(super) fn columns(item: usize) -> Range<usize> {
    let (start, width) = match item {
        0..2 => (5 * item, 5),
        2..4 => (10 + 2 * (item - 2), 2),
        SHEDLOCK => (14, 2),
        _ => (16 + item - REQUESTS.start, 1),
    };
    start..start + width
}

/// The image that everybody sees who begins now.
pub(super) const COMMITTED: usize = 0;
/// The new version of each row that an open transaction has changed.
pub(super) const PENDING: usize = IMAGE;
/// Which items have a pending version, as bits.
pub(super) const CHANGED_ITEMS: usize = 2 * IMAGE;
const OWNERS: usize = CHANGED_ITEMS + 1;
const ADVISORY_COUNTS: usize = OWNERS + LOCKS.div_ceil(2);
const SHARED: usize = ADVISORY_COUNTS + ADVISORY_NAMES.len();

/// A few bits of a session's cells.
#[derive(Clone, Copy)]
pub(super) struct Field {
    cell: usize,
    shift: u32,
    width: u32,
}

const fn field(cell: usize, shift: u32, width: u32) -> Field {
    Field { cell, shift, width }
}

/// How far the session's transaction is; see `Status`.
pub(super) const STATUS: Field = field(0, 0, 2);
/// The isolation level of the transaction.
pub(super) const ISOLATION: Field = field(0, 2, 2);
/// Whether the transaction has run a statement.
pub(super) const QUERIED: Field = field(0, 4, 1);
/// Whether the session's snapshot is one.
pub(super) const HAS_SNAPSHOT: Field = field(0, 5, 1);
/// Whether the statement that waits has to give way in a deadlock.
pub(super) const VICTIM: Field = field(0, 6, 1);
/// Whether the server was stopped under the session.
pub(super) const TERMINATED: Field = field(0, 7, 1);
/// Whether the client has read the clock.
pub(super) const VARIABLES_SET: Field = field(0, 8, 1);
/// Whether the transaction has read what a finished one had replaced.
pub(super) const OUT_TO_FINISHED: Field = field(0, 9, 1);
/// Whether the transaction has to fail for what others did.
pub(super) const DOOMED: Field = field(0, 10, 1);
/// The fingerprint of the statement that waits, or 0.
pub(super) const WAITING: Field = field(1, 0, 16);
/// The lock that it waits for, counted from 1.
pub(super) const WAITS_FOR: Field = field(2, 0, 4);
/// The deadline that it will write.
pub(super) const COMPUTED: Field = field(2, 4, 6);
/// The deadline that the client has worked out.
pub(super) const VARIABLE_UNTIL: Field = field(2, 10, 6);
/// Which items have changed since the snapshot.
pub(super) const CHANGED: Field = field(3, 0, 8);
/// Which items the statement that waits has dealt with.
pub(super) const DEALT_WITH: Field = field(3, 8, 8);
/// Which items a serializable transaction has read.
pub(super) const READS: Field = field(4, 0, 8);
/// Which it has written.
pub(super) const WRITES: Field = field(4, 8, 8);
/// Which items others have written that finished during it.
pub(super) const FINISHED_WRITES: Field = field(5, 0, 8);
/// Which others have read that finished with such a write, or after one.
pub(super) const LATE_READS: Field = field(5, 8, 8);
/// Which were written by those that had themselves read what a finished one replaced.
pub(super) const FINISHED_PIVOT_WRITES: Field = field(6, 0, 8);
/// How many rows the transaction has inserted into `grants`.
pub(super) const OWN_GRANTS: Field = field(6, 8, 8);
/// Which items were written by one that had also read what this one replaces, or by one
/// that finished before such a reader.
pub(super) const EARLIER_WRITES: Field = field(7, 0, 8);
const FIELDS: usize = 8;
/// The session's snapshot.
const SNAPSHOT: usize = FIELDS;

/// A set of small numbers, in a session's cells or in the shared ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    /// The transactions that have replaced what this one has read.
    OutTo(usize),
    /// The deadlines that were ahead when this transaction began.
    AheadAtStart(usize),
    /// The deadlines that were ahead when the client read the clock.
    AheadAtReading(usize),
    /// The deadlines whose timer is armed.
    Armed,
    /// The deadlines that have passed and still matter.
    Passed,
}

fn bits(count: usize) -> usize {
    count.div_ceil(16)
}

/// How many deadlines there can be at once: the two versions of the row, and in each
/// session its snapshot, what it will write and what its client keeps.
pub(super) fn deadlines(callers: usize) -> usize {
    2 + 3 * callers
}

fn session_length(callers: usize) -> usize {
    SNAPSHOT + IMAGE + bits(callers) + 2 * bits(deadlines(callers))
}

/// Where the cells of a session begin.
fn session(callers: usize, caller: usize) -> usize {
    SHARED + caller * session_length(callers)
}

/// Reads a field of a session of a server with so many.
pub(super) fn get(cells: &[Cell], callers: usize, caller: usize, field: Field) -> u16 {
    let mask = u16::MAX >> (16 - field.width);
    cells[session(callers, caller) + field.cell] >> field.shift & mask
}

/// How many cells a server with so many sessions takes.
pub(super) fn length(callers: usize) -> usize {
    SHARED + callers * session_length(callers) + 2 * bits(deadlines(callers))
}

/// The cells of a server, and its timers.
pub(super) struct Database<'a> {
    pub callers: usize,
    pub cells: &'a mut [Cell],
    pub time: &'a mut dyn Time,
}

impl Database<'_> {
    fn session(&self, caller: usize) -> usize {
        session(self.callers, caller)
    }

    /// Reads a field of a session.
    pub(super) fn get(&self, caller: usize, field: Field) -> u16 {
        get(self.cells, self.callers, caller, field)
    }

    /// Writes a field of a session.
    pub(super) fn set(&mut self, caller: usize, field: Field, value: u16) {
        let mask = u16::MAX >> (16 - field.width);
        let cell = self.session(caller) + field.cell;
        self.cells[cell] = self.cells[cell] & !(mask << field.shift) | (value & mask) << field.shift;
    }

    /// Whether a field of a session isn't 0.
    pub(super) fn is(&self, caller: usize, field: Field) -> bool {
        self.get(caller, field) != 0
    }

    /// Adds an item to a field that holds items.
    pub(super) fn mark(&mut self, caller: usize, field: Field, item: usize) {
        self.set(caller, field, self.get(caller, field) | 1 << item);
    }

    /// Where the image of a session's snapshot begins.
    pub(super) fn snapshot(&self, caller: usize) -> usize {
        self.session(caller) + SNAPSHOT
    }

    /// Copies what is committed to a session's snapshot.
    pub(super) fn take_snapshot(&mut self, caller: usize) {
        let snapshot = self.snapshot(caller);
        self.cells.copy_within(COMMITTED..COMMITTED + IMAGE, snapshot);
    }

    /// Forgets a session's snapshot.
    pub(super) fn clear_snapshot(&mut self, caller: usize) {
        let snapshot = self.snapshot(caller);
        self.cells[snapshot..snapshot + IMAGE].fill(0);
    }

    /// Copies the columns of an item from one image to another.
    pub(super) fn copy_item(&mut self, item: usize, from: usize, to: usize) {
        let columns = columns(item);
        self.cells.copy_within(from + columns.start..from + columns.end, to + columns.start);
    }

    /// Reads a column of an item, in an image.
    pub(super) fn column(&self, image: usize, item: usize, column: usize) -> u16 {
        self.cells[image + columns(item).start + column]
    }

    /// Who holds a lock.
    pub(super) fn owner(&self, lock: usize) -> Option<usize> {
        let owner = self.cells[OWNERS + lock / 2] >> (8 * (lock % 2)) & 0xff;
        usize::from(owner).checked_sub(1)
    }

    /// Gives a lock to somebody, or to nobody.
    pub(super) fn set_owner(&mut self, lock: usize, owner: Option<usize>) {
        let shift = 8 * (lock % 2);
        let owner = owner.map_or(0, |caller| caller as u16 + 1);
        let cell = &mut self.cells[OWNERS + lock / 2];
        *cell = *cell & !(0xff << shift) | owner << shift;
    }

    /// All locks, of rows and advisory ones.
    pub(super) fn locks() -> Range<usize> {
        0..LOCKS
    }

    /// How often an advisory lock is held: by its session, and by its transaction.
    pub(super) fn advisory_counts(&self, advisory: usize) -> [u8; 2] {
        self.cells[ADVISORY_COUNTS + advisory].to_le_bytes()
    }

    /// Writes those down.
    pub(super) fn set_advisory_counts(&mut self, advisory: usize, counts: [u8; 2]) {
        self.cells[ADVISORY_COUNTS + advisory] = Cell::from_le_bytes(counts);
    }

    fn set_start(&self, set: Set) -> usize {
        let ahead = |caller| self.session(caller) + SNAPSHOT + IMAGE + bits(self.callers);
        let deadlines = bits(deadlines(self.callers));
        match set {
            Set::OutTo(caller) => self.session(caller) + SNAPSHOT + IMAGE,
            Set::AheadAtStart(caller) => ahead(caller),
            Set::AheadAtReading(caller) => ahead(caller) + deadlines,
            Set::Armed => self.session(self.callers),
            Set::Passed => self.session(self.callers) + deadlines,
        }
    }

    /// Whether a number is in a set.
    pub(super) fn has(&self, set: Set, number: usize) -> bool {
        self.cells[self.set_start(set) + number / 16] >> (number % 16) & 1 == 1
    }

    /// Puts a number into a set, or takes it out.
    pub(super) fn put(&mut self, set: Set, number: usize, is_in: bool) {
        let cell = self.set_start(set) + number / 16;
        let bit = 1 << (number % 16);
        self.cells[cell] = if is_in { self.cells[cell] | bit } else { self.cells[cell] & !bit };
    }

    /// Makes a session's cells all 0.
    pub(super) fn clear_session(&mut self, caller: usize) {
        let (start, end) = (self.session(caller), self.session(caller + 1));
        self.cells[start..end].fill(0);
    }

    /// The sessions.
    pub(super) fn sessions(&self) -> Range<usize> {
        0..self.callers
    }
}

/// The number of a caller, as a place among the sessions.
pub(super) fn place(caller: Caller) -> usize {
    usize::from(caller)
}
