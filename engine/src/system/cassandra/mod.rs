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
use super::{Caller, ClockKind, System, Time, Timer};
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
    /// A plain write was taken. Whether it counts is said by nobody.
    Taken,
    /// The transaction happened.
    Applied,
    /// The condition doesn't hold; the values that it asked about, or the whole row
    /// for `IF NOT EXISTS`.
    NotApplied(Columns),
    /// The coordinator gave up: the outcome is unknown.
    WriteTimeout,
    /// The ballots of the model, which end at 65,535, are used up.
    Overloaded,
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

fn conditional(mut row: Row, columns: Columns, condition: Condition, clock: u16, timeout: Option<Timeout>) -> Reply {
    let Some(ballot) = row.begin(clock) else { return Reply::Overloaded };
    let before = row.committed();
    if !condition.holds(before) {
        return if timeout.is_some() { Reply::WriteTimeout } else { Reply::NotApplied(condition.shown(before)) };
    }
    match timeout {
        Some(Timeout::BeforeAccept) => {}
        Some(Timeout::AfterAccept) => row.propose(columns, ballot),
        Some(Timeout::AfterCommit) | None => row.write(columns, ballot),
    }
    if timeout.is_some() { Reply::WriteTimeout } else { Reply::Applied }
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
            Command::Write { columns, timestamp, .. } => {
                row.write(columns, timestamp);
                Reply::Taken
            }
            Command::Conditional { columns, condition, clock, timeout, .. } => {
                conditional(row, columns, condition, clock, timeout)
            }
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
            Self::Taken => write!(f, "OK"),
            Self::Applied => write!(f, "[applied]=True"),
            Self::NotApplied(shown) if shown.is_any() => write!(f, "[applied]=False {shown}"),
            Self::NotApplied(_) => write!(f, "[applied]=False"),
            Self::WriteTimeout => write!(f, "WriteTimeout write_type=CAS"),
            Self::Overloaded => write!(f, "OverloadedException"),
        }
    }
}
