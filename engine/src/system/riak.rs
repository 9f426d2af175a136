//! A Riak bucket: what was written concurrently stays side by side, as siblings.
//!
//! - A read gives all values, and the causal context: what they know of. A write brings
//!   the context of what its writer has read, or none
//!   (<https://docs.riak.com/riak/kv/latest/learn/concepts/causal-context/>).
//! - With `allow_mult` a write takes the place of the values that its context knows. The
//!   others are concurrent: they stay beside it. Who has read them all replaces them all
//!   (<https://docs.riak.com/riak/kv/latest/developing/usage/conflict-resolution/>).
//! - With `last_write_wins` nobody looks at contexts: a write replaces whatever is there.
//!
//! Each value is known by the count of its write at the replica that took it, as with dotted
//! version vectors (<https://arxiv.org/abs/1011.5808>). Here one replica takes all writes, so a
//! [`VersionVector`] has one entry and is written as a number; the real context is opaque.
//! Left out: writes at several replicas, deletes, and data types that merge by themselves.

use alloc::vec::Vec;
use core::fmt;

use super::names::{Keys, Word, number};
use super::{Caller, Cell, ClockKind, System, Time, Timer, View};
use crate::version_vector::VersionVector;

/// What a value, or a reader, knows of: the count of writes at the one replica.
type Context = VersionVector<1>;

/// A bucket.
#[derive(Clone, Debug)]
pub struct Riak {
    keys: Keys,
    concurrent: Concurrent,
}

/// What becomes of values that were written without knowing of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrent {
    /// `allow_mult`: all of them stay.
    Siblings,
    /// `last_write_wins`: the last one stays.
    LastWriteWins,
}

/// How many siblings a key has room for.
pub const MOST_SIBLINGS: usize = 4;

/// A request; the key is counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `GET KEY`
    Get(usize),
    /// `PUT KEY VALUE [CONTEXT]`: with the context of a read, or with none.
    Put(usize, Word, u16),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200 with one value, or 300 with several, the oldest first; and their context.
    Values([Option<Word>; MOST_SIBLINGS], u16),
    /// 404: nothing was ever written.
    NotFound,
    /// 204: it is written.
    NoContent,
    /// 400: a context that no read has given.
    BadContext,
    /// 503: the key has [`MOST_SIBLINGS`] already, or its count of writes is used up.
    Overloaded,
}

// The cells of a key: the count of its writes, then of each sibling its count and its value.
const WRITES: usize = 0;
const SIBLINGS: usize = 1;
const LENGTH: usize = SIBLINGS + 2 * MOST_SIBLINGS;

impl Riak {
    /// A bucket that knows these keys.
    pub fn new(keys: &[&str], concurrent: Concurrent) -> Self {
        Self { keys: Keys::new(keys), concurrent }
    }

    fn put(&self, value: Word, context: u16, cells: &mut [Cell]) -> Reply {
        let now = VersionVector([cells[WRITES]]);
        let context = VersionVector([context]);
        if context > now {
            return Reply::BadContext;
        }
        let known = match self.concurrent {
            Concurrent::Siblings => context,
            Concurrent::LastWriteWins => now,
        };
        let stays = |sibling: &[Cell]| sibling[0] != 0 && VersionVector([sibling[0]]) > known;
        let kept = cells[SIBLINGS..].chunks_exact(2).filter(|sibling| stays(sibling)).count();
        let written = now.changed_by(0).filter(|_| kept < MOST_SIBLINGS);
        let Some(VersionVector([written])) = written else { return Reply::Overloaded };
        let mut free = 0;
        for place in 0..MOST_SIBLINGS {
            let at = SIBLINGS + 2 * place;
            let sibling = [cells[at], cells[at + 1]];
            cells[at..at + 2].fill(0);
            if stays(&sibling) {
                cells[SIBLINGS + 2 * free..][..2].copy_from_slice(&sibling);
                free += 1;
            }
        }
        cells[SIBLINGS + 2 * free..][..2].copy_from_slice(&[written, value.to_cell()]);
        cells[WRITES] = written;
        Reply::NoContent
    }
}

/// What a reader gets, and knows from then on.
fn get(cells: &[Cell]) -> Reply {
    let mut values = [None; MOST_SIBLINGS];
    let mut context = Context::EMPTY;
    for (value, sibling) in values.iter_mut().zip(cells[SIBLINGS..].chunks_exact(2)) {
        *value = Word::from_cell(sibling[1]);
        context = context.merged(&VersionVector([sibling[0]]));
    }
    if values[0].is_none() { Reply::NotFound } else { Reply::Values(values, context.0[0]) }
}

impl System for Riak {
    type Command = Command;
    type Reply = Reply;
    /// It has no timers.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["GET", key] => self.keys.find(key).map(Command::Get),
            ["PUT", key, value] => Some(Command::Put(self.keys.find(key)?, Word::parse(value)?, 0)),
            ["PUT", key, value, context] => {
                Some(Command::Put(self.keys.find(key)?, Word::parse(value)?, number(context)?))
            }
            _ => None,
        }
    }

    fn length(&self) -> usize {
        self.keys.count() * LENGTH
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        let (Command::Get(key) | Command::Put(key, ..)) = *command;
        let cells = &mut cells[key * LENGTH..][..LENGTH];
        Some(match *command {
            Command::Get(_) => get(cells),
            Command::Put(_, value, context) => self.put(value, context, cells),
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn timers(&self) -> u8 {
        0
    }

    /// A sibling replaces nothing that its writer doesn't know.
    fn view(&self, _: Caller, command: &Command, reply: Option<&Reply>, _: &[Cell]) -> View {
        match (self.concurrent, command, reply) {
            (Concurrent::Siblings, Command::Put(..), Some(Reply::NoContent)) => View::Beside,
            _ => View::Shared,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(values, context) => {
                let several = values[1].is_some();
                f.write_str(if several { "300" } else { "200" })?;
                values.iter().flatten().try_for_each(|value| write!(f, " {value}"))?;
                write!(f, " context {context}")
            }
            Self::NotFound => f.write_str("404 not found"),
            Self::NoContent => f.write_str("204"),
            Self::BadContext => f.write_str("400 bad context"),
            Self::Overloaded => f.write_str("503 overloaded"),
        }
    }
}
