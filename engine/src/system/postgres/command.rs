//! The statements that the server knows: a closed list, over five small tables.

use alloc::vec::Vec;

/// A statement as a client sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it asks for.
    pub statement: Statement,
    /// A number made of its words, never 0, by which a session knows the statement that waits.
    pub(super) fingerprint: u16,
}

/// A statement, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `begin`, with or without an isolation level; without one it is READ COMMITTED.
    Begin(Option<Isolation>),
    /// `commit`.
    Commit,
    /// `rollback`.
    Rollback,
    /// `update q set … where id=N and …`.
    UpdateQ {
        /// What becomes of the row.
        assignments: Vec<Assignment>,
        /// All of them have to hold.
        conditions: Vec<Condition>,
    },
    /// `select … from q where …`, with or without a row lock.
    SelectQ {
        /// The columns, in the order in which they were asked for.
        columns: Vec<Column>,
        /// All of them have to hold.
        conditions: Vec<Condition>,
        /// `limit 1`.
        one_row: bool,
        /// `for update` and how.
        locking: Option<Locking>,
    },
    /// `select count(*) from grants`.
    CountGrants,
    /// `insert into grants …`: one row, if the conditions hold.
    InsertGrant {
        /// None of them for `values (N)`.
        conditions: Vec<Condition>,
    },
    /// `update website set hits=hits+1`: all rows.
    AddHit,
    /// `delete from website where hits=N`.
    DeleteHits(u16),
    /// `select hits from website order by hits`.
    SelectHits,
    /// `insert into requests values ('kN')`.
    InsertRequest {
        /// Which key, counted from 0.
        key: usize,
        /// `on conflict do nothing`.
        or_nothing: bool,
    },
    /// `select count(*) from requests where key='kN'`: a key counted from 0.
    CountRequests(usize),
    /// `select clock_timestamp() as now, clock_timestamp()+interval 'N s' as until \gset`: the
    /// client reads the clock and keeps two times as variables. In microseconds.
    ReadClock(u64),
    /// `update shedlock set lock_until=… where …`.
    UpdateLease {
        /// The new end.
        until: Until,
        /// The new holder, counted from 1, if it is set at all.
        locked_by: Option<u16>,
        /// All of them have to hold.
        conditions: Vec<LeaseCondition>,
    },
    /// `select locked_by from shedlock [where …]`.
    SelectLockedBy {
        /// All of them have to hold.
        conditions: Vec<LeaseCondition>,
    },
    /// `select pg_…_advisory_…(N)`: the lock is counted from 0.
    Advisory(AdvisoryCall, usize),
}

impl Statement {
    /// Whether it uses a variable of the client, `:'now'` or `:'until'`.
    pub(super) fn names_a_variable(&self) -> bool {
        let (until, conditions) = match self {
            Statement::UpdateLease { until, conditions, .. } => (Some(*until), conditions),
            Statement::SelectLockedBy { conditions } => (None, conditions),
            _ => return false,
        };
        until == Some(Until::Variable) || conditions.contains(&LeaseCondition::OverAtReading)
    }
}

/// An isolation level. See <https://www.postgresql.org/docs/15/transaction-iso.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Each statement has a snapshot of its own.
    ReadCommitted,
    /// The first statement's snapshot holds to the end.
    RepeatableRead,
    /// The same, and dangerous reads and writes are refused.
    Serializable,
}

/// A column of `q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The primary key.
    Id,
    /// How many grants were made.
    Granted,
    /// How many may be made.
    Limit,
    /// A letter.
    Value,
    /// The version.
    Version,
    /// The highest fencing token.
    Fence,
}

/// What becomes of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The column.
    pub column: Column,
    /// A new value, or `None` for one more than the old.
    pub value: Option<u16>,
}

/// A comparison in a `where`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The left side.
    pub left: Term,
    /// How the two must relate.
    pub relation: Relation,
    /// The right side.
    pub right: Term,
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A column of the row.
    Column(Column),
    /// A number, or a letter counted from 1.
    Number(u16),
    /// `(select count(*) from grants)`.
    CountOfGrants,
}

/// How two numbers must relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `=`.
    Equal,
    /// `<`.
    Below,
    /// `<=`.
    AtMost,
}

/// What a query does about rows that others hold.
/// See <https://www.postgresql.org/docs/15/sql-select.html>, "The Locking Clause".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locking {
    /// `for update`: it waits.
    Wait,
    /// `for update nowait`: it fails.
    NoWait,
    /// `for update skip locked`: it leaves them out.
    SkipLocked,
}

/// The end that an update of `shedlock` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// `clock_timestamp()+interval '…'`: the server's time of this moment and so many microseconds.
    ClockPlus(u64),
    /// `clock_timestamp()`: at once.
    Clock,
    /// `:'until'`: what the client worked out when it read the clock.
    Variable,
}

/// A condition on the row of `shedlock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseCondition {
    /// `lock_until<=now()`: over when this transaction began.
    OverAtStart,
    /// `lock_until<=clock_timestamp()`: over by now.
    OverByNow,
    /// `lock_until<=:'now'`: over when the client read the clock.
    OverAtReading,
    /// `lock_until>clock_timestamp()`: not over yet.
    Ahead,
    /// `locked_by='N1'` or `locked_by='a'`: held by this node, counted from 1.
    LockedBy(u16),
}

/// A function of advisory locks.
/// See <https://www.postgresql.org/docs/15/functions-admin.html>, "Advisory Lock Functions".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdvisoryCall {
    /// `pg_advisory_lock`: waits; the session keeps it.
    Lock,
    /// `pg_try_advisory_lock`: says `f` instead of waiting.
    TryLock,
    /// `pg_advisory_xact_lock`: waits; it is freed when the transaction ends.
    TransactionLock,
    /// `pg_try_advisory_xact_lock`: says `f` instead of waiting.
    TryTransactionLock,
    /// `pg_advisory_unlock`: frees what the session keeps, once.
    Unlock,
}
