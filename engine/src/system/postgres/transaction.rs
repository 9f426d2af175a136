//! Transactions: their snapshots, their end, and what of them others see.
//!
//! Rules from <https://www.postgresql.org/docs/15/transaction-iso.html>:
//!
//! - READ COMMITTED takes a snapshot for each statement, the other levels one at the
//!   first statement, not at `BEGIN`.
//! - After an error everything of the transaction is undone and its locks are free at
//!   once, but the session has to end it before it may go on; `COMMIT` then answers
//!   `ROLLBACK`.
//! - `now()` is the time at which the transaction began
//!   (<https://www.postgresql.org/docs/15/functions-datetime.html#FUNCTIONS-DATETIME-CURRENT>).

use super::super::View;
use super::command::{Isolation, Statement};
use super::layout::{
    CHANGED, CHANGED_ITEMS, COMMITTED, DEALT_WITH, Database, Field, GRANTS_COUNT, HAS_SNAPSHOT, ISOLATION, ITEMS,
    LARGEST, OWN_GRANTS, PENDING, QUERIED, STATUS, Set, columns, get,
};
use super::reply::{Error, Reply, Tag, Warning};
use crate::system::Cell;

/// How far a session's transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// There is none.
    Idle,
    /// It was begun.
    Open,
    /// It has failed and must be ended.
    Failed,
    /// It consists of one statement, which waits.
    OneStatement,
}

impl Status {
    fn of(field: u16) -> Self {
        match field {
            0 => Self::Idle,
            1 => Self::Open,
            2 => Self::Failed,
            _ => Self::OneStatement,
        }
    }
}

/// What a statement saw that was answered or waits, and who sees what it did.
pub(super) fn view(
    cells: &[Cell],
    callers: usize,
    caller: usize,
    statement: &Statement,
    reply: Option<&Reply>,
) -> View {
    let field = |field| get(cells, callers, caller, field);
    match Status::of(field(STATUS)) {
        // READ COMMITTED has its snapshot for one statement only.
        Status::Open if field(ISOLATION) != 0 && field(HAS_SNAPSHOT) != 0 => View::Snapshot,
        Status::Open => View::Open,
        Status::Failed => View::Undone,
        Status::OneStatement => View::Shared,
        Status::Idle => match (statement, reply) {
            (Statement::Commit, Some(Reply::Tag(Tag::Commit))) => View::Committed,
            (Statement::Commit, Some(Reply::Warned(..))) => View::Shared,
            (Statement::Commit | Statement::Rollback, _) => View::Undone,
            _ => View::Shared,
        },
    }
}

impl Database<'_> {
    pub(super) fn status(&self, caller: usize) -> Status {
        Status::of(self.get(caller, STATUS))
    }

    fn set_status(&mut self, caller: usize, status: Status) {
        self.set(caller, STATUS, status as u16);
    }

    pub(super) fn isolation(&self, caller: usize) -> Isolation {
        match self.get(caller, ISOLATION) {
            0 => Isolation::ReadCommitted,
            1 => Isolation::RepeatableRead,
            _ => Isolation::Serializable,
        }
    }

    /// `BEGIN`.
    pub(super) fn begin(&mut self, caller: usize, asked: Option<Isolation>) -> Result<Reply, Error> {
        let is_new = self.status(caller) == Status::Idle;
        let isolation = asked.unwrap_or(if is_new { Isolation::ReadCommitted } else { self.isolation(caller) });
        if self.is(caller, QUERIED) && isolation != self.isolation(caller) {
            return Err(Error::IsolationAfterQuery);
        }
        self.set(caller, ISOLATION, isolation as u16);
        if !is_new {
            return Ok(Reply::Warned(Tag::Begin, Warning::AlreadyInTransaction));
        }
        self.set_status(caller, Status::Open);
        self.read_clock(Set::AheadAtStart(caller));
        Ok(Reply::Tag(Tag::Begin))
    }

    /// `COMMIT`.
    pub(super) fn commit(&mut self, caller: usize) -> Result<Reply, Error> {
        match self.status(caller) {
            Status::Idle => Ok(Reply::Warned(Tag::Commit, Warning::NoTransaction)),
            Status::Failed => {
                self.set_status(caller, Status::Idle);
                Ok(Reply::Tag(Tag::Rollback))
            }
            Status::Open | Status::OneStatement => {
                if let Err(error) = self.check_before_commit(caller) {
                    self.set_status(caller, Status::OneStatement);
                    return Err(error);
                }
                self.publish(caller);
                self.remember_finished(caller);
                self.end(caller, Status::Idle);
                Ok(Reply::Tag(Tag::Commit))
            }
        }
    }

    /// `ROLLBACK`.
    pub(super) fn rollback(&mut self, caller: usize) -> Reply {
        let status = self.status(caller);
        self.end(caller, Status::Idle);
        if status == Status::Idle {
            Reply::Warned(Tag::Rollback, Warning::NoTransaction)
        } else {
            Reply::Tag(Tag::Rollback)
        }
    }

    /// Undoes a transaction after an error.
    pub(super) fn fail(&mut self, caller: usize) {
        let after = match self.status(caller) {
            Status::Open | Status::Failed => Status::Failed,
            Status::Idle | Status::OneStatement => Status::Idle,
        };
        self.end(caller, after);
    }

    /// Begins a statement: takes a snapshot if it needs one.
    pub(super) fn start_statement(&mut self, caller: usize) {
        if self.status(caller) == Status::Idle {
            self.set_status(caller, Status::OneStatement);
            self.read_clock(Set::AheadAtStart(caller));
        }
        self.set(caller, QUERIED, 1);
        if !self.is(caller, HAS_SNAPSHOT) {
            self.take_snapshot(caller);
            self.set(caller, HAS_SNAPSHOT, 1);
        }
    }

    /// Ends a statement that has its reply.
    pub(super) fn end_statement(&mut self, caller: usize) {
        self.stop_waiting(caller);
        self.set(caller, DEALT_WITH, 0);
        if self.isolation(caller) == Isolation::ReadCommitted {
            self.drop_snapshot(caller);
        }
    }

    fn drop_snapshot(&mut self, caller: usize) {
        self.clear_snapshot(caller);
        self.set(caller, HAS_SNAPSHOT, 0);
        self.set(caller, CHANGED, 0);
    }

    /// Makes what a transaction has changed visible to all.
    fn publish(&mut self, caller: usize) {
        let mut changed = 0;
        for item in 0..ITEMS {
            if self.owner(item) == Some(caller) && self.is_changed(item) {
                self.copy_item(item, PENDING, COMMITTED);
                changed |= 1 << item;
            }
        }
        self.cells[COMMITTED + GRANTS_COUNT] += self.get(caller, OWN_GRANTS);
        for other in self.sessions().filter(|&other| other != caller) {
            if self.is(other, HAS_SNAPSHOT) {
                self.set(other, CHANGED, self.get(other, CHANGED) | changed);
            }
        }
    }

    /// Takes away all that belongs to a transaction.
    fn end(&mut self, caller: usize, after: Status) {
        self.stop_waiting(caller);
        self.free_transaction_locks(caller);
        for item in 0..ITEMS {
            if self.owner(item) == Some(caller) {
                self.set_owner(item, None);
                self.cells[CHANGED_ITEMS] &= !(1 << item);
                let columns = columns(item);
                self.cells[PENDING + columns.start..PENDING + columns.end].fill(0);
            }
        }
        self.forget_dependencies(caller);
        self.drop_snapshot(caller);
        self.clear_set(Set::AheadAtStart(caller));
        for field in [ISOLATION, QUERIED, DEALT_WITH, OWN_GRANTS] {
            self.set(caller, field, 0);
        }
        self.set_status(caller, after);
    }

    /// Whether the transaction that holds an item has made a new version of it.
    pub(super) fn is_changed(&self, item: usize) -> bool {
        self.cells[CHANGED_ITEMS] >> item & 1 == 1
    }

    /// Locks an item and makes a new version of it, a copy of the one that is there.
    pub(super) fn change(&mut self, caller: usize, item: usize) {
        self.set_owner(item, Some(caller));
        if !self.is_changed(item) {
            self.copy_item(item, COMMITTED, PENDING);
            self.cells[CHANGED_ITEMS] |= 1 << item;
        }
    }

    /// The image in which a session's snapshot sees an item: its own changes, or what
    /// was committed when the snapshot was taken.
    pub(super) fn visible(&self, caller: usize, item: usize) -> usize {
        if self.owner(item) == Some(caller) && self.is_changed(item) { PENDING } else { self.snapshot(caller) }
    }

    /// How many rows of `grants` a session's snapshot sees.
    pub(super) fn grants(&self, caller: usize) -> u16 {
        self.cells[self.snapshot(caller) + GRANTS_COUNT] + self.get(caller, OWN_GRANTS)
    }

    /// Adds a row to `grants`.
    pub(super) fn add_grant(&mut self, caller: usize) -> Result<(), Error> {
        const MOST: u16 = 255;
        let open: u16 = self.sessions().map(|session| self.get(session, OWN_GRANTS)).sum();
        let own = self.get(caller, OWN_GRANTS);
        if own == MOST || self.cells[COMMITTED + GRANTS_COUNT] + open >= LARGEST {
            return Err(Error::DiskFull);
        }
        self.set(caller, OWN_GRANTS, own + 1);
        Ok(())
    }

    /// Whether a field of a session has an item.
    pub(super) fn marks(&self, caller: usize, field: Field, item: usize) -> bool {
        self.get(caller, field) >> item & 1 == 1
    }
}
