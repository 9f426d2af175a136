//! Statements on rows: which rows they find, when they wait, and which version they act on.
//!
//! Rules from <https://www.postgresql.org/docs/15/transaction-iso.html#XACT-READ-COMMITTED>:
//!
//! - `UPDATE`, `DELETE` and `SELECT FOR UPDATE` find rows as of the statement's
//!   snapshot. A row that didn't match then isn't looked at again.
//! - If another transaction holds a row, they wait for its end. If that one changed
//!   the row, READ COMMITTED looks at the new version, tests the condition again and
//!   acts on it or leaves it. Only this row is new: a subquery still sees the snapshot.
//! - REPEATABLE READ and SERIALIZABLE fail with 40001 instead.

use core::slice::from_ref;

use super::command::{Assignment, Column, Condition, Isolation, Locking, Relation, Term};
use super::layout::{
    CHANGED, COMMITTED, DEALT_WITH, Database, FENCE, GRANTED, GRANTS, HITS, LARGEST, LIMIT, LIVE, PENDING, Q, VALUE,
    VERSION, WEBSITE, columns,
};
use super::reply::{Error, Reply, Row, Rows, Tag, Value};
use super::{Progress, Step};

/// What became of a row that a statement wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It doesn't match, or it was to be skipped.
    Nothing,
    /// It is locked by the statement's transaction, which may act on this image of it.
    Row {
        /// Where the version lies that the statement acts on.
        image: usize,
        /// Whether it is newer than the statement's snapshot.
        is_newer: bool,
    },
    /// Another transaction holds it.
    Wait,
}

impl Database<'_> {
    /// Finds and locks one row, if it matches. A row that has changed is locked before
    /// it is tested again, and stays so even if it doesn't match any more.
    pub(super) fn lock_row(
        &mut self,
        caller: usize,
        item: usize,
        locking: Locking,
        matches: impl Fn(&Self, usize) -> bool,
    ) -> Result<Found, Error> {
        let seen = self.visible(caller, item);
        if !matches(self, seen) {
            return Ok(Found::Nothing);
        }
        let is_gone = WEBSITE.contains(&item) && self.column(COMMITTED, item, LIVE) == 0;
        let is_newer = seen != PENDING && self.marks(caller, CHANGED, item);
        if is_newer && self.isolation(caller) != Isolation::ReadCommitted {
            return Err(if is_gone { Error::ConcurrentDelete } else { Error::ConcurrentUpdate });
        }
        if self.owner(item).is_some_and(|owner| owner != caller) {
            return match locking {
                Locking::Wait => Ok(Found::Wait),
                Locking::NoWait => Err(Error::LockNotAvailable),
                Locking::SkipLocked => Ok(Found::Nothing),
            };
        }
        if is_newer && is_gone {
            return Ok(Found::Nothing);
        }
        self.set_owner(item, Some(caller));
        if is_newer && !matches(self, COMMITTED) {
            return Ok(Found::Nothing);
        }
        Ok(Found::Row { image: if seen == PENDING { PENDING } else { COMMITTED }, is_newer })
    }

    /// `UPDATE q`.
    pub(super) fn update_q(&mut self, caller: usize, assignments: &[Assignment], conditions: &[Condition]) -> Progress {
        for item in Q {
            self.read_row(caller, item, conditions)?;
            match self.lock_row(caller, item, Locking::Wait, |db, image| db.holds(caller, image, item, conditions))? {
                Found::Nothing => {}
                Found::Wait => return Ok(Step::Wait(item)),
                Found::Row { .. } => {
                    self.writes(caller, item)?;
                    self.change(caller, item);
                    for &assignment in assignments {
                        self.assign(item, assignment)?;
                    }
                    // The conditions name a row, so there is no other.
                    return Ok(Step::Done(Reply::Tag(Tag::Update(1))));
                }
            }
        }
        Ok(Step::Done(Reply::Tag(Tag::Update(0))))
    }

    fn assign(&mut self, item: usize, assignment: Assignment) -> Result<(), Error> {
        let Some(column) = place(assignment.column) else { return Ok(()) };
        let cell = PENDING + columns(item).start + column;
        let value = assignment.value.unwrap_or(self.cells[cell] + 1);
        if value > LARGEST {
            return Err(Error::OutOfRange);
        }
        self.cells[cell] = value;
        Ok(())
    }

    /// `SELECT … FROM q`.
    pub(super) fn select_q(
        &mut self,
        caller: usize,
        columns: &[Column],
        conditions: &[Condition],
        one_row: bool,
        locking: Option<Locking>,
    ) -> Progress {
        let mut rows = Rows::default();
        for item in Q {
            self.read_row(caller, item, conditions)?;
            let image = if let Some(locking) = locking {
                // A row that was locked before the wait is found again as it was.
                match self.lock_row(caller, item, locking, |db, image| db.holds(caller, image, item, conditions))? {
                    Found::Wait => return Ok(Step::Wait(item)),
                    Found::Nothing => continue,
                    Found::Row { image, .. } => image,
                }
            } else {
                let seen = self.visible(caller, item);
                if !self.holds(caller, seen, item, conditions) {
                    continue;
                }
                seen
            };
            let mut row = Row::default();
            for &column in columns {
                row.push(self.value(image, item, column));
            }
            rows.push(row);
            if one_row {
                break;
            }
        }
        Ok(Step::Done(Reply::Rows(rows)))
    }

    /// `UPDATE website SET hits=hits+1`.
    pub(super) fn add_hit(&mut self, caller: usize) -> Progress {
        self.read_website(caller)?;
        let mut updated = 0;
        for item in WEBSITE {
            if self.marks(caller, DEALT_WITH, item) {
                updated += 1;
                continue;
            }
            match self.lock_row(caller, item, Locking::Wait, |db, image| db.column(image, item, LIVE) == 1)? {
                Found::Nothing => {}
                Found::Wait => return Ok(Step::Wait(item)),
                Found::Row { .. } => {
                    self.writes(caller, item)?;
                    self.change(caller, item);
                    self.mark(caller, DEALT_WITH, item);
                    let hits = &mut self.cells[PENDING + columns(item).start + HITS];
                    if *hits == LARGEST {
                        return Err(Error::OutOfRange);
                    }
                    *hits += 1;
                    updated += 1;
                }
            }
        }
        Ok(Step::Done(Reply::Tag(Tag::Update(updated))))
    }

    /// `DELETE FROM website WHERE hits=…`.
    pub(super) fn delete_hits(&mut self, caller: usize, hits: u16) -> Progress {
        self.read_website(caller)?;
        let is_it = |db: &Self, image: usize, item: usize| {
            db.column(image, item, LIVE) == 1 && db.column(image, item, HITS) == hits
        };
        for item in WEBSITE {
            match self.lock_row(caller, item, Locking::Wait, |db, image| is_it(db, image, item))? {
                Found::Nothing => {}
                Found::Wait => return Ok(Step::Wait(item)),
                Found::Row { .. } => {
                    self.writes(caller, item)?;
                    self.change(caller, item);
                    let columns = columns(item);
                    self.cells[PENDING + columns.start..PENDING + columns.end].fill(0);
                    // The two rows start one apart and rise together, so there is no other.
                    return Ok(Step::Done(Reply::Tag(Tag::Delete(1))));
                }
            }
        }
        Ok(Step::Done(Reply::Tag(Tag::Delete(0))))
    }

    /// `SELECT hits FROM website ORDER BY hits`.
    pub(super) fn select_hits(&mut self, caller: usize) -> Progress {
        self.read_website(caller)?;
        let mut rows = Rows::default();
        for item in WEBSITE {
            let image = self.visible(caller, item);
            if self.column(image, item, LIVE) == 1 {
                let mut row = Row::default();
                row.push(Value::Number(self.column(image, item, HITS)));
                rows.push(row);
            }
        }
        Ok(Step::Done(Reply::Rows(rows)))
    }

    fn read_website(&mut self, caller: usize) -> Result<(), Error> {
        WEBSITE.into_iter().try_for_each(|item| self.reads(caller, item))
    }

    /// Notes what a statement on `q` reads for a row: what it counts, and the row, unless
    /// another one is named. A count compared with a number is the same for all rows, so
    /// it comes first, and if it fails no row is read.
    fn read_row(&mut self, caller: usize, item: usize, conditions: &[Condition]) -> Result<(), Error> {
        for condition in conditions {
            let Condition { left, right, .. } = *condition;
            if left == Term::CountOfGrants && matches!(right, Term::Number(_)) {
                self.reads(caller, GRANTS)?;
                if !self.holds(caller, COMMITTED, item, from_ref(condition)) {
                    return Ok(());
                }
            }
        }
        let is_other = |condition: &Condition| {
            let Condition { left, relation, right } = *condition;
            let names_a_row = left == Term::Column(Column::Id) && relation == Relation::Equal;
            names_a_row && matches!(right, Term::Number(id) if id != id_of(item))
        };
        if conditions.iter().any(is_other) {
            return Ok(());
        }
        self.reads(caller, item)?;
        let counts = conditions.iter().any(|condition| condition.left == Term::CountOfGrants);
        if counts { self.reads(caller, GRANTS) } else { Ok(()) }
    }

    /// Whether all conditions hold for a row of `q` in an image.
    pub(super) fn holds(&self, caller: usize, image: usize, item: usize, conditions: &[Condition]) -> bool {
        conditions.iter().all(|condition| {
            let left = self.term(caller, image, item, condition.left);
            let right = self.term(caller, image, item, condition.right);
            match condition.relation {
                Relation::Equal => left == right,
                Relation::Below => left < right,
                Relation::AtMost => left <= right,
            }
        })
    }

    fn term(&self, caller: usize, image: usize, item: usize, term: Term) -> u16 {
        match term {
            Term::Number(number) => number,
            Term::CountOfGrants => self.grants(caller),
            Term::Column(column) => place(column).map_or(id_of(item), |column| self.column(image, item, column)),
        }
    }

    fn value(&self, image: usize, item: usize, column: Column) -> Value {
        let number = self.term(0, image, item, Term::Column(column));
        if column == Column::Value { Value::Letter(number) } else { Value::Number(number) }
    }
}

/// The primary key of a row of `q`.
fn id_of(item: usize) -> u16 {
    item as u16 + 1
}

/// Where a column of `q` lies; the key doesn't.
fn place(column: Column) -> Option<usize> {
    match column {
        Column::Id => None,
        Column::Granted => Some(GRANTED),
        Column::Limit => Some(LIMIT),
        Column::Value => Some(VALUE),
        Column::Version => Some(VERSION),
        Column::Fence => Some(FENCE),
    }
}
