//! `PostgreSQL`: snapshots, row locks, isolation levels, advisory locks, and a lease in a row.
//!
//! Five small tables are there from the start. All numbers are of type `smallint`.
//!
//! | table | rows at the start |
//! |---|---|
//! | `q(id, granted, lim, val, version, fence)` | (1, 0, 1, A, 1, 0) and (2, 0, 1, A, 1, 0) |
//! | `grants(value)` | none; it is inserted into and counted, and its values aren't kept |
//! | `website(hits)` | 9 and 10 |
//! | `requests(key)`, where `key` is unique | none; `k1` and `k2` can be inserted |
//! | `shedlock(lock_until, locked_by)` | one, whose end has passed and which nobody holds |
//!
//! Each caller is a session; one that is gone and sends again is a new one. What it can
//! say is listed in `parse.rs`. The rules are those of
//! <https://www.postgresql.org/docs/15/mvcc.html>.
//!
//! A statement that waits changes nothing that another session can see in a table. It
//! does keep what the real one keeps while it waits, and this lies in the cells: its
//! snapshot, what it waits for, and the rows that it has locked so far. A session whose
//! statement waits doesn't look at another one before that has its reply.
//!
//! Timers: for each session one that looks for a deadlock, then one for each deadline.

mod advisory;
mod command;
mod layout;
mod lease;
mod parse;
mod reader;
mod reply;
mod requests;
mod rows;
mod serializable;
mod transaction;
mod waiting;

pub use command::{
    AdvisoryCall, Assignment, Column, Command, Condition, Isolation, LeaseCondition, Locking, Relation, Statement,
    Term, Until,
};
pub use reply::{Error, Reply, Row, Rows, Tag, Value, Warning};

use super::{Caller, ClockKind, System, Time, Timer, View};
use crate::system::Cell;
use layout::{
    COMMITTED, Database, HITS, LIMIT, LIVE, Q, TERMINATED, VALUE, VARIABLES_SET, VERSION, VICTIM, WAITING, WEBSITE,
    columns, place,
};
use transaction::Status;

/// A server with a fixed number of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Postgres {
    sessions: u8,
}

/// How far a statement came: its reply, or the lock that it waits for.
enum Step {
    Done(Reply),
    Wait(usize),
}

/// How far a statement came, or why it failed.
type Progress = Result<Step, Error>;

impl Postgres {
    /// The most sessions that a server can have.
    pub const MOST_SESSIONS: u8 = 20;

    /// A server for so many sessions, from 1 to [`Self::MOST_SESSIONS`]; `None` for another number.
    pub fn new(sessions: u8) -> Option<Self> {
        (1..=Self::MOST_SESSIONS).contains(&sessions).then_some(Self { sessions })
    }

    fn callers(self) -> usize {
        usize::from(self.sessions)
    }
}

impl System for Postgres {
    type Command = Command;
    type Reply = Reply;

    const CLOCK: ClockKind = ClockKind::Wall;

    fn parse(&self, words: &str) -> Option<Command> {
        parse::parse(words)
    }

    fn length(&self) -> usize {
        layout::length(self.callers())
    }

    fn start(&self, cells: &mut [Cell]) {
        for item in Q {
            let row = COMMITTED + columns(item).start;
            for column in [LIMIT, VALUE, VERSION] {
                cells[row + column] = 1;
            }
        }
        for (item, hits) in WEBSITE.zip(9..) {
            let row = COMMITTED + columns(item).start;
            (cells[row + LIVE], cells[row + HITS]) = (1, hits);
        }
    }

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        if caller >= self.sessions {
            return Some(Reply::Error(Error::TooManyClients));
        }
        let mut database = Database { callers: self.callers(), cells, time };
        let reply = database.answer(place(caller), command);
        database.drop_idle_deadlines();
        reply
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        let mut database = Database { callers: self.callers(), cells, time };
        match usize::from(timer).checked_sub(self.callers()) {
            None => database.look_for_deadlock(usize::from(timer)),
            Some(deadline) if deadline < layout::deadlines(self.callers()) => database.pass_deadline(deadline),
            Some(_) => {}
        }
    }

    /// Its transaction is rolled back, and its locks are free.
    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time) {
        if caller < self.sessions {
            let mut database = Database { callers: self.callers(), cells, time };
            database.close(place(caller));
            database.clear_session(place(caller));
            database.drop_idle_deadlines();
        }
    }

    /// With its data on disk, what was committed is there again, and nothing else. A
    /// client that had a transaction open or waited learns it by its next command.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        if !keeps_memory {
            (0..self.timers()).for_each(|timer| time.disarm(timer));
            cells.fill(0);
            self.start(cells);
            return;
        }
        let mut database = Database { callers: self.callers(), cells, time };
        for caller in database.sessions() {
            let was_busy = database.status(caller) != Status::Idle || database.is(caller, TERMINATED);
            database.close(caller);
            database.set(caller, TERMINATED, u16::from(was_busy));
        }
        database.drop_idle_deadlines();
    }

    fn timers(&self) -> u8 {
        (self.callers() + layout::deadlines(self.callers())) as u8
    }

    fn has_transactions(&self) -> bool {
        true
    }

    fn view(&self, caller: Caller, command: &Command, reply: Option<&Reply>, cells: &[Cell]) -> View {
        if caller >= self.sessions {
            return View::Shared;
        }
        transaction::view(cells, self.callers(), place(caller), &command.statement, reply)
    }
}

impl Database<'_> {
    /// Answers a command, or makes it wait.
    fn answer(&mut self, caller: usize, command: &Command) -> Option<Reply> {
        if self.is(caller, TERMINATED) {
            self.set(caller, TERMINATED, 0);
            return Some(Reply::Error(Error::Terminated));
        }
        if self.is(caller, WAITING) && self.get(caller, WAITING) != command.fingerprint {
            return None;
        }
        let progress = match &command.statement {
            Statement::Rollback => Ok(Step::Done(self.rollback(caller))),
            Statement::Commit => self.commit(caller).map(Step::Done),
            statement if statement.names_a_variable() && !self.is(caller, VARIABLES_SET) => Err(Error::UnsetVariable),
            _ if self.status(caller) == Status::Failed => Err(Error::TransactionAborted),
            _ if self.is(caller, VICTIM) => Err(Error::Deadlock),
            Statement::Begin(isolation) => self.begin(caller, *isolation).map(Step::Done),
            statement => {
                self.start_statement(caller);
                self.run(caller, statement)
            }
        };
        match progress {
            Ok(Step::Done(reply)) => {
                self.end_statement(caller);
                if self.status(caller) == Status::OneStatement
                    && let Err(error) = self.commit(caller)
                {
                    self.fail(caller);
                    return Some(Reply::Error(error));
                }
                Some(reply)
            }
            Ok(Step::Wait(lock)) => {
                self.wait_for(caller, lock, command.fingerprint);
                None
            }
            Err(error) => {
                self.fail(caller);
                Some(Reply::Error(error))
            }
        }
    }

    fn run(&mut self, caller: usize, statement: &Statement) -> Progress {
        match statement {
            Statement::Begin(_) | Statement::Commit | Statement::Rollback => {
                unreachable!("transactions begin and end above")
            }
            Statement::UpdateQ { assignments, conditions } => self.update_q(caller, assignments, conditions),
            Statement::SelectQ { columns, conditions, one_row, locking } => {
                self.select_q(caller, columns, conditions, *one_row, *locking)
            }
            Statement::CountGrants => self.count_grants(caller),
            Statement::InsertGrant { conditions } => self.insert_grant(caller, conditions),
            Statement::AddHit => self.add_hit(caller),
            Statement::DeleteHits(hits) => self.delete_hits(caller, *hits),
            Statement::SelectHits => self.select_hits(caller),
            Statement::InsertRequest { key, or_nothing } => self.insert_request(caller, *key, *or_nothing),
            Statement::CountRequests(key) => self.count_requests(caller, *key),
            Statement::ReadClock(lasts_us) => Ok(Step::Done(self.set_variables(caller, *lasts_us))),
            Statement::UpdateLease { until, locked_by, conditions } => {
                self.update_lease(caller, *until, *locked_by, conditions)
            }
            Statement::SelectLockedBy { conditions } => self.select_locked_by(caller, conditions),
            Statement::Advisory(call, advisory) => self.advisory(caller, *call, *advisory),
        }
    }

    /// Ends a session: its transaction and its locks.
    fn close(&mut self, caller: usize) {
        self.rollback(caller);
        self.free_session_locks(caller);
    }
}
