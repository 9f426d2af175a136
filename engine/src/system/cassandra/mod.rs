//! A Cassandra table with lightweight transactions and plain writes, seen through
//! one coordinator.
//!
//! - A lightweight transaction is a round of Paxos on its partition; the answer
//!   says `[applied]`, and what is there if it wasn't
//!   (<https://cassandra.apache.org/doc/latest/cassandra/developing/cql/dml.html>).
//! - If the coordinator gives up waiting, the outcome is unknown: the write may be
//!   completed later by somebody else's round. A read at `SERIAL` completes it or
//!   shows that it never happens
//!   (<https://cassandra.apache.org/doc/latest/cassandra/architecture/guarantees.html>,
//!   <https://issues.apache.org/jira/browse/CASSANDRA-9328>).
//! - In each column the write with the later timestamp stays, with no word to the
//!   writer of the earlier one. A lightweight transaction takes its ballot as the
//!   timestamp, a plain write what its client says. So the two don't mix: a plain
//!   write is lost to an earlier transaction, or wins over a later one
//!   (<https://docs.datastax.com/en/cassandra-oss/3.x/cassandra/dml/dmlLtwtTransactions.html>).
//!
//! Ballots and timestamps are small numbers here. What lies outside of CQL is a
//! comment behind the statement: the coordinator's clock, the consistency level of
//! a read, and a coordinator that gives up. Left out: deletes, TTLs (of the state
//! of Paxos too), replicas that differ, levels other than `QUORUM` and `SERIAL`.

mod command;
mod row;

use core::fmt;

pub use command::{Command, Condition, Timeout};
pub use row::Columns;

use super::names::Keys;
use super::{Caller, ClockKind, Decided, System, Time, Timer, View};
use crate::system::Cell;
use row::Row;

/// A table `t` with the columns `pk`, `v` and `id`.
#[derive(Clone, Debug)]
pub struct Cassandra {
    keys: Keys,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The row.
    Row(Columns),
    /// A plain write was taken. Whether it stays is said by nobody.
    Taken(Fate),
    /// The transaction happened. Whether what it wrote stays is said by nobody.
    Applied(Fate),
    /// The condition doesn't hold; the values that it asked about, or the whole row
    /// for `IF NOT EXISTS`.
    NotApplied(Columns),
    /// The coordinator gave up: the outcome is unknown.
    WriteTimeout(Fate),
    /// The ballots of the model, which end at 65,535, are used up.
    Overloaded,
}

/// What has become of what was to be written. No client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is there.
    Written,
    /// Replicas hold it, and the next round of anybody decides.
    Proposed,
    /// It will never be there: it lost to a later timestamp, or was never proposed.
    Nothing,
}

impl Cassandra {
    /// A table that knows these keys.
    pub fn new(keys: &[&str]) -> Self {
        Self { keys: Keys::new(keys) }
    }
}

impl Condition {
    fn holds(self, row: Columns) -> bool {
        match self {
            Self::NotExists => !row.is_any(),
            Self::Exists => row.is_any(),
            Self::Equals(wanted) => {
                wanted.v.is_none_or(|v| row.v == Some(v)) && wanted.id.is_none_or(|id| row.id == Some(id))
            }
        }
    }

    /// What a refused writer is shown.
    fn shown(self, row: Columns) -> Columns {
        match self {
            Self::NotExists => row,
            Self::Exists => Columns::default(),
            Self::Equals(wanted) => {
                Columns { v: row.v.filter(|_| wanted.v.is_some()), id: row.id.filter(|_| wanted.id.is_some()) }
            }
        }
    }
}

fn conditional(
    mut row: Row<&mut [Cell]>,
    columns: Columns,
    condition: Condition,
    clock: u16,
    timeout: Option<Timeout>,
) -> Reply {
    let Some(ballot) = row.begin(clock) else { return Reply::Overloaded };
    let before = row.committed();
    let holds = condition.holds(before);
    let fate = match timeout {
        Some(Timeout::AfterAccept) if holds => row.propose(columns, ballot),
        Some(Timeout::AfterCommit) | None if holds => row.write(columns, ballot),
        _ => Fate::Nothing,
    };
    match timeout {
        Some(_) => Reply::WriteTimeout(fate),
        None if holds => Reply::Applied(fate),
        None => Reply::NotApplied(condition.shown(before)),
    }
}

impl System for Cassandra {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Wall;

    fn parse(&self, words: &str) -> Option<Command> {
        command::parse(&self.keys, words)
    }

    fn length(&self) -> usize {
        self.keys.count() * row::LENGTH
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        let (Command::Select { key, .. } | Command::Write { key, .. } | Command::Conditional { key, .. }) = *command;
        let mut row = Row(&mut cells[key * row::LENGTH..][..row::LENGTH]);
        Some(match *command {
            Command::Select { serial: false, .. } => Reply::Row(row.committed()),
            Command::Select { serial: true, .. } => match row.begin(0) {
                Some(_) => Reply::Row(row.committed()),
                None => Reply::Overloaded,
            },
            Command::Write { columns, timestamp, .. } => Reply::Taken(row.write(columns, timestamp)),
            Command::Conditional { columns, condition, clock, timeout, .. } => {
                conditional(row, columns, condition, clock, timeout)
            }
        })
    }

    /// A proposal that wasn't committed is nobody's yet.
    fn has_transactions(&self) -> bool {
        true
    }

    /// The replicas keep what was proposed to them.
    fn transactions_outlive_connections(&self) -> bool {
        true
    }

    /// A write that loses to a later timestamp is never seen; one that timed out may have
    /// happened, or may happen yet.
    fn view(&self, _: Caller, _: &Command, reply: Option<&Reply>, _: &[Cell]) -> View {
        match reply {
            Some(Reply::Taken(fate) | Reply::Applied(fate) | Reply::WriteTimeout(fate)) => match fate {
                Fate::Written => View::Landed,
                Fate::Proposed => View::Proposed,
                Fate::Nothing => View::Void,
            },
            _ => View::Shared,
        }
    }

    /// A round of Paxos completes what an earlier one has left behind.
    fn decides(&self, command: &Command, cells: &[Cell]) -> Option<Decided> {
        let (Command::Select { key, serial: true } | Command::Conditional { key, .. }) = *command else { return None };
        let mut after: [Cell; row::LENGTH] = *cells[key * row::LENGTH..].first_chunk()?;
        let mut row = Row(&mut after);
        // Without a ballot that is left, there is no round.
        row.has_ballots().then(|| row.complete())?.map(|fate| match fate {
            Fate::Written => Decided::Completed,
            Fate::Proposed | Fate::Nothing => Decided::Lost,
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn timers(&self) -> u8 {
        0
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(row) => write!(f, "{row}"),
            Self::Taken(_) => write!(f, "OK"),
            Self::Applied(_) => write!(f, "[applied]=True"),
            Self::NotApplied(shown) if shown.is_any() => write!(f, "[applied]=False {shown}"),
            Self::NotApplied(_) => write!(f, "[applied]=False"),
            Self::WriteTimeout(_) => write!(f, "WriteTimeout write_type=CAS"),
            Self::Overloaded => write!(f, "OverloadedException"),
        }
    }
}
