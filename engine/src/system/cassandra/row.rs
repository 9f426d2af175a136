//! A row: two columns, each with the timestamp of its last write, and the state of
//! Paxos for its partition.

use core::fmt;

use crate::system::Cell;
use crate::system::names::{Word, number_cell, number_from};

/// Values of the columns `v` and `id`; `None` is null, or not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The number `v`, from 0 to 65,534.
    pub v: Option<u16>,
    /// The text `id`.
    pub id: Option<Word>,
}

impl Columns {
    /// Whether there is any value.
    pub fn is_any(self) -> bool {
        self.v.is_some() || self.id.is_some()
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.v, self.id) {
            (Some(v), Some(id)) => write!(f, "v={v} id={id}"),
            (Some(v), None) => write!(f, "v={v}"),
            (None, Some(id)) => write!(f, "id={id}"),
            (None, None) => write!(f, "(0 rows)"),
        }
    }
}

// The cells of a row. Timestamps are 0 for a column that was never written.
const V: usize = 0;
const V_TIMESTAMP: usize = 1;
const ID: usize = 2;
const ID_TIMESTAMP: usize = 3;
/// The newest ballot that was promised.
const BALLOT: usize = 4;
/// The ballot of a proposal that was accepted and not committed, or 0.
const PROPOSAL: usize = 5;
const PROPOSED_V: usize = 6;
const PROPOSED_ID: usize = 7;
/// The number of cells of a row.
pub(super) const LENGTH: usize = 8;

/// A view of a row's cells.
pub(super) struct Row<'a>(pub &'a mut [Cell]);

impl Row<'_> {
    /// What a read that isn't serial sees: committed values only.
    pub(super) fn committed(&self) -> Columns {
        Columns { v: number_from(self.0[V]), id: Word::from_cell(self.0[ID]) }
    }

    /// Writes columns at a timestamp. In each column the later write stays; of two
    /// with the same timestamp the greater value does.
    pub(super) fn write(&mut self, columns: Columns, timestamp: u16) {
        let new = [(V, V_TIMESTAMP, number_cell(columns.v)), (ID, ID_TIMESTAMP, Word::cell_of(columns.id))];
        for (value, written, cell) in new {
            if cell != 0 && (timestamp, cell) > (self.0[written], self.0[value]) {
                self.0[value] = cell;
                self.0[written] = timestamp;
            }
        }
    }

    /// Begins a round of Paxos: takes a ballot that is newer than any before, and
    /// completes what an earlier round left behind. `None` if there is no ballot left.
    pub(super) fn begin(&mut self, clock: u16) -> Option<u16> {
        let ballot = self.0[BALLOT].checked_add(1)?.max(clock);
        self.0[BALLOT] = ballot;
        if self.0[PROPOSAL] != 0 {
            let left_behind = Columns { v: number_from(self.0[PROPOSED_V]), id: Word::from_cell(self.0[PROPOSED_ID]) };
            self.write(left_behind, self.0[PROPOSAL]);
            self.0[PROPOSAL..].fill(0);
        }
        Some(ballot)
    }

    /// Accepts a proposal without committing it.
    pub(super) fn propose(&mut self, columns: Columns, ballot: u16) {
        self.0[PROPOSAL] = ballot;
        self.0[PROPOSED_V] = number_cell(columns.v);
        self.0[PROPOSED_ID] = Word::cell_of(columns.id);
    }
}
