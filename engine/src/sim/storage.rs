//! Storage that keeps one value with a version, behind a guard.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::scenario::Outcome;
use super::world::Cell;

/// Storage of one value. Each accepted write makes a new version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionedRegister {
    /// What decides whether a write is accepted.
    pub guard: Guard,
    /// The version that is there at the start.
    pub first_version: u16,
    /// The value that is there at the start.
    pub first_value: u16,
    /// The highest token accepted before the start; only a fence keeps it.
    pub first_fence: u16,
    /// How long a message between the storage and a client takes, in microseconds.
    pub latency_us: u64,
}

/// What decides whether a write is accepted. The decision and the write are one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Guard {
    /// Every write is accepted.
    LastWriteWins,
    /// `WHERE fence < :token`. Also refuses a holder's own second write.
    FenceBelow,
    /// `WHERE fence <= :token`.
    FenceAtMost,
    /// `WHERE version = :version`.
    VersionCompareAndSet,
}

/// A comparison that a guard made, as people read it: "33 < 34".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// What the write brought: its token, or the version that it was computed from.
    pub brought: u16,
    /// How the two relate.
    pub relation: Relation,
    /// What the storage kept: the highest fence, or the version.
    pub kept: u16,
}

/// How two numbers relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// The first is less than the second.
    Less,
    /// They are equal.
    Equal,
    /// The first is greater than the second.
    Greater,
    /// They differ, and which is the greater doesn't matter.
    Different,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.relation {
            Relation::Less => '<',
            Relation::Equal => '=',
            Relation::Greater => '>',
            Relation::Different => '≠',
        };
        write!(f, "{} {sign} {}", self.brought, self.kept)
    }
}

/// A write as it reaches storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Write {
    /// The value to be stored.
    pub value: u16,
    /// The version that it was computed from.
    pub based_on: u16,
    /// The token sent along, or 0 for none.
    pub token: u16,
}

const VERSION: usize = 0;
const VALUE: usize = 1;
const FENCE: usize = 2;
/// The number of cells of a storage.
pub(super) const LENGTH: usize = 3;

pub(super) fn version_and_value(cells: &[Cell]) -> (u16, u16) {
    (cells[VERSION], cells[VALUE])
}

/// The highest token that was accepted.
pub(super) fn highest_token(cells: &[Cell]) -> u16 {
    cells[FENCE]
}

/// Sets the version that is there.
pub(super) fn put_version(cells: &mut [Cell], version: u16) {
    cells[VERSION] = version;
}

/// The last segment that was accepted, or 0. It lies where a value would: what a real
/// system keeps lies in its own cells.
pub(super) fn last_segment(cells: &[Cell]) -> u16 {
    cells[VALUE]
}

/// Sets the last segment that was accepted.
pub(super) fn put_segment(cells: &mut [Cell], segment: u16) {
    cells[VALUE] = segment;
}

/// Notes that a write was accepted that came with this token and made this version.
pub(super) fn note_write(cells: &mut [Cell], token: u16, version: u16) {
    cells[VERSION] = version;
    cells[FENCE] = cells[FENCE].max(token);
}

/// Leaves out a version that nobody looks at, also in the state that lies aside.
pub(super) fn forget_version(cells: &mut [Cell]) {
    cells[VERSION] = 0;
    if cells.len() > LENGTH {
        super::trouble::saved_mut(cells, LENGTH)[VERSION] = 0;
    }
}

/// Says what a state is that has been brought back.
pub(super) fn restored(cells: &[Cell]) -> Change {
    Change::StorageRestored { version: cells[VERSION], fence: cells[FENCE] }
}

impl VersionedRegister {
    pub(super) fn start(&self, cells: &mut [Cell]) {
        cells[VERSION] = self.first_version;
        cells[VALUE] = self.first_value;
        cells[FENCE] = if self.guard.keeps_fence() { self.first_fence } else { 0 };
    }

    /// Accepts or refuses a write; a refused one changes nothing.
    pub(super) fn write(&self, write: Write, cells: &mut [Cell]) -> (Outcome, Change) {
        let replaced = cells[VERSION];
        let comparison = self.guard.compare(write, replaced, cells[FENCE]);
        let Write { based_on, token, .. } = write;
        if !self.guard.accepts(comparison) {
            let comparison = comparison.expect("only a comparison refuses");
            return (Outcome::Refused, Change::Refused { token, based_on, comparison });
        }
        let version = replaced.wrapping_add(1);
        cells[VERSION] = version;
        cells[VALUE] = write.value;
        if self.guard.keeps_fence() {
            cells[FENCE] = cells[FENCE].max(token);
        }
        let conditional = self.guard == Guard::VersionCompareAndSet;
        (Outcome::Accepted, Change::Accepted { token, based_on, replaced, version, comparison, conditional })
    }
}

impl Guard {
    /// Whether the storage remembers the highest token.
    pub fn keeps_fence(self) -> bool {
        matches!(self, Self::FenceBelow | Self::FenceAtMost)
    }

    /// Whether a refusal tells the writer that somebody holds the lock after it. A
    /// version that has moved doesn't, nor does a second write under one token.
    pub(super) fn shows_newer_holder(self, refused: Comparison) -> bool {
        self.keeps_fence() && refused.relation == Relation::Less
    }

    fn compare(self, write: Write, version: u16, fence: u16) -> Option<Comparison> {
        match self {
            Self::LastWriteWins => None,
            Self::FenceBelow | Self::FenceAtMost => {
                let relation = match write.token.cmp(&fence) {
                    core::cmp::Ordering::Less => Relation::Less,
                    core::cmp::Ordering::Equal => Relation::Equal,
                    core::cmp::Ordering::Greater => Relation::Greater,
                };
                Some(Comparison { brought: write.token, relation, kept: fence })
            }
            Self::VersionCompareAndSet => {
                let relation = if write.based_on == version { Relation::Equal } else { Relation::Different };
                Some(Comparison { brought: write.based_on, relation, kept: version })
            }
        }
    }

    fn accepts(self, comparison: Option<Comparison>) -> bool {
        let Some(Comparison { relation, .. }) = comparison else { return true };
        match self {
            Self::LastWriteWins => true,
            Self::FenceBelow => relation == Relation::Greater,
            Self::FenceAtMost => relation != Relation::Less,
            Self::VersionCompareAndSet => relation == Relation::Equal,
        }
    }
}
