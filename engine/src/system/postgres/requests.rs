//! Inserting: a table of grants that is only ever counted, and request ids under a unique key.
//!
//! An insert of a key that an open transaction has inserted waits for its end. If the
//! key is there then, `ON CONFLICT DO NOTHING` inserts nothing, but fails with 40001 if
//! its transaction's snapshot doesn't show the key; without that clause the insert fails
//! (<https://www.postgresql.org/docs/15/sql-insert.html#SQL-ON-CONFLICT>).

use super::command::{Condition, Isolation};
use super::layout::{COMMITTED, Database, GRANTS, LIVE, PENDING, Q, REQUESTS, columns};
use super::reply::{Error, Reply, Rows, Tag, Value};
use super::{Progress, Step};

impl Database<'_> {
    /// `SELECT count(*) FROM grants`.
    pub(super) fn count_grants(&mut self, caller: usize) -> Progress {
        self.reads(caller, GRANTS)?;
        Ok(Step::Done(Reply::Rows(Rows::one(Value::Number(self.grants(caller))))))
    }

    /// `INSERT INTO grants`: one row, if the conditions hold in the snapshot.
    pub(super) fn insert_grant(&mut self, caller: usize, conditions: &[Condition]) -> Progress {
        if !conditions.is_empty() {
            self.reads(caller, GRANTS)?;
        }
        // The conditions count and compare with a number; they look at no row.
        if !self.holds(caller, COMMITTED, Q.start, conditions) {
            return Ok(Step::Done(Reply::Tag(Tag::Insert(0))));
        }
        self.writes(caller, GRANTS)?;
        self.add_grant(caller)?;
        Ok(Step::Done(Reply::Tag(Tag::Insert(1))))
    }

    /// `INSERT INTO requests`.
    pub(super) fn insert_request(&mut self, caller: usize, key: usize, or_nothing: bool) -> Progress {
        let item = REQUESTS.start + key;
        let is_own = match self.owner(item) {
            Some(owner) if owner != caller => return Ok(Step::Wait(item)),
            owner => owner.is_some(),
        };
        if is_own || self.column(COMMITTED, item, LIVE) == 1 {
            let is_unseen = !is_own && self.column(self.snapshot(caller), item, LIVE) == 0;
            return if !or_nothing {
                Err(Error::DuplicateKey)
            } else if is_unseen && self.isolation(caller) != Isolation::ReadCommitted {
                Err(Error::ConcurrentUpdate)
            } else {
                Ok(Step::Done(Reply::Tag(Tag::Insert(0))))
            };
        }
        self.writes(caller, item)?;
        self.change(caller, item);
        self.cells[PENDING + columns(item).start + LIVE] = 1;
        Ok(Step::Done(Reply::Tag(Tag::Insert(1))))
    }

    /// `SELECT count(*) FROM requests WHERE key=…`.
    pub(super) fn count_requests(&mut self, caller: usize, key: usize) -> Progress {
        let item = REQUESTS.start + key;
        self.reads(caller, item)?;
        let image = self.visible(caller, item);
        Ok(Step::Done(Reply::Rows(Rows::one(Value::Number(self.column(image, item, LIVE))))))
    }
}
