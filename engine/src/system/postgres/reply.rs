//! What the server answers, in its own words.

use core::fmt;

/// An answer: a command tag, rows, or an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The tag of a command that did what it says.
    Tag(Tag),
    /// The same, with a warning: there was nothing to do, or it was done already.
    Warned(Tag, Warning),
    /// The rows of a query.
    Rows(Rows),
    /// A query of one truth value: `t` or `f`.
    Truth(bool),
    /// A query of one value of type `void`.
    Void,
    /// `pg_advisory_unlock` of a lock that this session doesn't hold: `f` with a warning.
    NotOwned,
    /// The statement failed; so did the transaction that it was in.
    Error(Error),
}

/// The tag by which a command says that it is done.
/// See <https://www.postgresql.org/docs/15/protocol-message-formats.html>, `CommandComplete`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// A transaction has begun.
    Begin,
    /// A transaction is committed.
    Commit,
    /// A transaction is rolled back, also by the `COMMIT` of a failed one.
    Rollback,
    /// So many rows were updated.
    Update(u16),
    /// So many rows were inserted.
    Insert(u16),
    /// So many rows were deleted.
    Delete(u16),
    /// So many rows were selected, and kept by the client.
    Select(u16),
}

/// What a command says besides its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// `BEGIN` inside a transaction.
    AlreadyInTransaction,
    /// `COMMIT` or `ROLLBACK` outside of one.
    NoTransaction,
}

/// A few rows of a few columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    rows: [Row; 2],
    length: usize,
}

/// One row of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    values: [Value; 6],
    length: usize,
}

/// One value of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// No value.
    #[default]
    Null,
    /// A number.
    Number(u16),
    /// One letter, counted from 1 for `A`.
    Letter(u16),
    /// The name of a node, counted from 1 for `N1`, and behind `N9` for `a`.
    Node(u16),
}

/// The number of the node `a`, behind those from `N1` to `N9`.
pub(super) const FIRST_LETTER: u16 = 10;

/// What went wrong, each with its code from
/// <https://www.postgresql.org/docs/15/errcodes-appendix.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A row that this transaction's snapshot shows has been updated since; so has
    /// a key that the snapshot doesn't show been inserted.
    ConcurrentUpdate,
    /// A row that this transaction's snapshot shows has been deleted since.
    ConcurrentDelete,
    /// No serial order may explain what this transaction and others have read and written.
    ReadWriteDependencies,
    /// The transaction has failed, and only its end is accepted.
    TransactionAborted,
    /// Sessions wait for each other in a ring, and this one has to give way.
    Deadlock,
    /// `NOWAIT`, and the row is locked.
    LockNotAvailable,
    /// The key is there already.
    DuplicateKey,
    /// A number went above 32,767.
    OutOfRange,
    /// The isolation level is changed after a query.
    IsolationAfterQuery,
    /// A variable of the client is used before it was set, so that its name reaches the server.
    UnsetVariable,
    /// A table is full. The real one is so when the disk is; this one at 32,767 rows,
    /// or at 255 of one transaction.
    DiskFull,
    /// A session took one advisory lock 255 times. The real one counts further.
    OutOfMemory,
    /// More callers than the server was made for.
    TooManyClients,
    /// The server was stopped under an open transaction or a statement that waited.
    Terminated,
}

impl Error {
    /// Its code: five characters that a program can rely on.
    pub fn code(self) -> &'static str {
        match self {
            Error::ConcurrentUpdate | Error::ConcurrentDelete | Error::ReadWriteDependencies => "40001",
            Error::TransactionAborted => "25P02",
            Error::Deadlock => "40P01",
            Error::LockNotAvailable => "55P03",
            Error::DuplicateKey => "23505",
            Error::OutOfRange => "22003",
            Error::IsolationAfterQuery => "25001",
            Error::UnsetVariable => "42601",
            Error::DiskFull => "53100",
            Error::OutOfMemory => "53200",
            Error::TooManyClients => "53300",
            Error::Terminated => "57P01",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Error::ConcurrentUpdate => "could not serialize access due to concurrent update",
            Error::ConcurrentDelete => "could not serialize access due to concurrent delete",
            Error::ReadWriteDependencies => {
                "could not serialize access due to read/write dependencies among transactions"
            }
            Error::TransactionAborted => {
                "current transaction is aborted, commands ignored until end of transaction block"
            }
            Error::Deadlock => "deadlock detected",
            Error::LockNotAvailable => "could not obtain lock on row in relation \"q\"",
            Error::DuplicateKey => "duplicate key value violates unique constraint \"requests_pkey\"",
            Error::OutOfRange => "smallint out of range",
            Error::IsolationAfterQuery => "SET TRANSACTION ISOLATION LEVEL must be called before any query",
            Error::UnsetVariable => "syntax error at or near \":\"",
            Error::DiskFull => "could not extend file: No space left on device",
            Error::OutOfMemory => "out of memory",
            Error::TooManyClients => "sorry, too many clients already",
            Error::Terminated => "terminating connection due to administrator command",
        }
    }
}

impl Rows {
    /// Adds a row; there is room for as many as a table here has.
    pub(super) fn push(&mut self, row: Row) {
        if let Some(place) = self.rows.get_mut(self.length) {
            *place = row;
            self.length += 1;
        }
    }

    /// The one row of one value.
    pub(super) fn one(value: Value) -> Self {
        let mut row = Row::default();
        row.push(value);
        let mut rows = Self::default();
        rows.push(row);
        rows
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.length]
    }
}

impl Row {
    /// Adds a value; there is room for as many as a table here has columns.
    pub(super) fn push(&mut self, value: Value) {
        if let Some(place) = self.values.get_mut(self.length) {
            *place = value;
            self.length += 1;
        }
    }

    /// The values, in the order in which they were asked for.
    pub fn values(&self) -> &[Value] {
        &self.values[..self.length]
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Tag(tag) => write!(f, "{tag}"),
            Reply::Warned(tag, warning) => write!(f, "{tag} (WARNING {warning})"),
            Reply::Rows(rows) => write!(f, "{rows}"),
            Reply::Truth(true) => write!(f, "t"),
            Reply::Truth(false) => write!(f, "f"),
            Reply::Void => write!(f, "()"),
            Reply::NotOwned => write!(f, "f (WARNING you don't own a lock of type ExclusiveLock)"),
            Reply::Error(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tag::Begin => write!(f, "BEGIN"),
            Tag::Commit => write!(f, "COMMIT"),
            Tag::Rollback => write!(f, "ROLLBACK"),
            Tag::Update(rows) => write!(f, "UPDATE {rows}"),
            Tag::Insert(rows) => write!(f, "INSERT 0 {rows}"),
            Tag::Delete(rows) => write!(f, "DELETE {rows}"),
            Tag::Select(rows) => write!(f, "SELECT {rows}"),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}",
            match self {
                Warning::AlreadyInTransaction => "there is already a transaction in progress",
                Warning::NoTransaction => "there is no transaction in progress",
            }
        )
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, rest) = match self.rows() {
            [] => return write!(f, "(0 rows)"),
            [first, rest @ ..] => (first, rest),
        };
        write!(f, "{first}")?;
        rest.iter().try_for_each(|row| write!(f, ", {row}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(")?;
        for (place, value) in self.values().iter().enumerate() {
            write!(f, "{}{value}", if place == 0 { "" } else { "," })?;
        }
        write!(f, ")")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Null => Ok(()),
            Value::Number(number) => write!(f, "{number}"),
            Value::Letter(letter) => write!(f, "{}", char::from(b'A' - 1 + letter.clamp(1, 26) as u8)),
            Value::Node(node) if node < FIRST_LETTER => write!(f, "N{node}"),
            Value::Node(node) => write!(f, "{}", char::from(b'a' + (node - FIRST_LETTER).min(25) as u8)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self {
            Error::TooManyClients | Error::Terminated => "FATAL",
            _ => "ERROR",
        };
        write!(f, "{severity} {} {}", self.code(), self.message())
    }
}
