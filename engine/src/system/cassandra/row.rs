//! A row: two columns, each with the timestamp of its last write, and the state of
//! Paxos for its partition.

use core::fmt;

use super::Fate;
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

/// The cells of a row, to look at or to change.
pub(super) struct Row<C>(pub C);

impl<C: AsRef<[Cell]>> Row<C> {
    /// What a read that isn't serial sees: committed values only.
    pub(super) fn committed(&self) -> Columns {
        Columns { v: number_from(self.0.as_ref()[V]), id: Word::from_cell(self.0.as_ref()[ID]) }
    }

    /// Whether there can be one more round of Paxos.
    pub(super) fn has_ballots(&self) -> bool {
        self.0.as_ref()[BALLOT] < u16::MAX
    }
}

impl<C: AsRef<[Cell]> + AsMut<[Cell]>> Row<C> {
    /// Writes columns at a timestamp. In each column the later write stays; of two
    /// with the same timestamp the greater value does. What was there already, just so,
    /// counts as written too.
    pub(super) fn write(&mut self, columns: Columns, timestamp: u16) -> Fate {
        let new = [(V, V_TIMESTAMP, number_cell(columns.v)), (ID, ID_TIMESTAMP, Word::cell_of(columns.id))];
        let mut fate = Fate::Nothing;
        for (value, written, cell) in new {
            let cells = self.0.as_mut();
            if cell != 0 && (timestamp, cell) >= (cells[written], cells[value]) {
                cells[value] = cell;
                cells[written] = timestamp;
                fate = Fate::Written;
            }
        }
        fate
    }

    /// Begins a round of Paxos: takes a ballot that is newer than any before, and
    /// completes what an earlier round left behind. `None` if there is no ballot left.
    pub(super) fn begin(&mut self, clock: u16) -> Option<u16> {
        let ballot = self.0.as_ref()[BALLOT].checked_add(1)?.max(clock);
        self.0.as_mut()[BALLOT] = ballot;
        self.complete();
        Some(ballot)
    }

    /// Commits what was proposed and not committed, if there is such a thing.
    pub(super) fn complete(&mut self) -> Option<Fate> {
        let &[ballot, v, id] = &self.0.as_ref()[PROPOSAL..] else { return None };
        if ballot == 0 {
            return None;
        }
        self.0.as_mut()[PROPOSAL..].fill(0);
        Some(self.write(Columns { v: number_from(v), id: Word::from_cell(id) }, ballot))
    }

    /// Accepts a proposal without committing it.
    pub(super) fn propose(&mut self, columns: Columns, ballot: u16) -> Fate {
        let cells = self.0.as_mut();
        cells[PROPOSAL] = ballot;
        cells[PROPOSED_V] = number_cell(columns.v);
        cells[PROPOSED_ID] = Word::cell_of(columns.id);
        Fate::Proposed
    }
}
