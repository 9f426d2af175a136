//! Real systems, each as small as its replies allow.
//!
//! A [`System`] is one server: it takes commands as clients of the real one write
//! them, and answers in the real one's words. One file (or folder) holds one
//! system. A table of operations and replies, replayed against the real server,
//! says what is right; `engine/tests/conformance/` holds the same rows.
//!
//! - State lies in cells, so that it becomes part of a world of fixed size.
//! - There is no clock in here. A deadline is a timer that the system arms; who
//!   drives the system says when it fires. See [`Time`].
//! - A command that would block changes nothing that others can see, and answers
//!   nothing: it is tried again when something has changed. A system may note among
//!   the cells of its caller that it waits, and for what.

/// Whether this build has systems. Without them, whoever asks what a node of a scenario is
/// hears that it is none, and the compiler leaves out what would serve only systems.
pub(crate) const ARE_HERE: bool = cfg!(feature = "systems");

pub mod cassandra;
pub mod chubby;
pub mod consul;
pub mod dynamodb;
pub mod dynamodb_lock;
pub mod elasticsearch;
mod entries;
pub mod etcd;
pub mod grant;
pub mod idempotency;
pub mod journal_node;
pub mod kafka;
pub mod kubernetes;
pub mod label;
pub mod memcached;
pub mod names;
pub mod outbox;
pub mod outside;
pub mod postgres;
pub mod redis;
pub mod redis_list;
pub mod redlock;
pub mod riak;
pub mod s3;
pub mod saga;
pub mod setup;
pub mod transcript;
pub mod zookeeper;

use core::fmt::Display;

use serde::{Deserialize, Serialize};

/// One number of state: a version, a token, the letters of a word.
pub type Cell = u16;

/// Who sends a command: a connection, a session or a process, counted from 0.
pub type Caller = u8;

/// A timer of a system, counted from 0.
pub type Timer = u8;

/// A server that answers as a real one does.
pub trait System {
    /// A command of its clients.
    type Command: Clone;
    /// An answer; it is displayed in the real system's own words.
    type Reply: Display;

    /// The clock that its deadlines follow.
    const CLOCK: ClockKind;

    /// Reads a command as a client writes it; `None` if it is none.
    fn parse(&self, words: &str) -> Option<Self::Command>;

    /// How many cells of state it needs.
    fn length(&self) -> usize;

    /// Sets up fresh cells, which are all zero.
    fn start(&self, cells: &mut [Cell]);

    /// Handles a command. `None` means that it has to wait; then nothing has changed
    /// that another caller could see, and waiting on changes nothing at all.
    fn execute(
        &self,
        caller: Caller,
        command: &Self::Command,
        cells: &mut [Cell],
        time: &mut dyn Time,
    ) -> Option<Self::Reply>;

    /// A timer that was armed fires.
    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time);

    /// The connection of a caller is gone, without a word. Most systems don't care.
    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time) {
        let _ = (caller, cells, time);
    }

    /// The server stops and comes back; `keeps_memory` says whether its data was on
    /// disk. What was armed stays armed unless the system disarms it here.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        if !keeps_memory {
            for timer in 0..self.timers() {
                time.disarm(timer);
            }
            cells.fill(0);
            self.start(cells);
        }
    }

    /// How many timers it has.
    fn timers(&self) -> u8;

    /// The clock that a timer follows. What is on its way to a copy takes its time, whatever
    /// the date is.
    fn clock(&self, timer: Timer) -> ClockKind {
        if self.is_replication(timer) { ClockKind::Monotonic } else { Self::CLOCK }
    }

    /// Whether a timer is the arrival of what a copy lags behind. Such timers wait
    /// while replication stands still.
    fn is_replication(&self, timer: Timer) -> bool {
        let _ = timer;
        false
    }

    /// Whether its callers can do something that others don't see before it is decided:
    /// in transactions, or by proposals.
    fn has_transactions(&self) -> bool {
        false
    }

    /// Whether a transaction goes on without the connection that began it, and when the
    /// server comes back with its data.
    fn transactions_outlive_connections(&self) -> bool {
        false
    }

    /// What a command saw, and who sees what it did: for those who judge a run. It is
    /// asked when the command was answered; without a reply, when it is kept.
    fn view(&self, caller: Caller, command: &Self::Command, reply: Option<&Self::Reply>, cells: &[Cell]) -> View {
        let _ = (caller, command, reply, cells);
        View::Shared
    }

    /// What a command decides about what was left open before it: for those who judge a run.
    /// It is asked before the command is handled.
    fn decides(&self, command: &Self::Command, cells: &[Cell]) -> Option<Decided> {
        let _ = (command, cells);
        None
    }
}

/// What a command saw, and who sees what it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// What is there for all, and all see at once what it did.
    #[default]
    Shared,
    /// A copy that lags.
    Copy,
    /// What is there for all; and what it wrote stays beside all that its writer hadn't read.
    Beside,
    /// What its own transaction has written, and of the rest what is there for all.
    /// Nobody else sees yet what it did.
    Open,
    /// The same, but of the rest what was there when its transaction took its snapshot.
    Snapshot,
    /// It ended its transaction, and from now on all see what that has done.
    Committed,
    /// Nobody will ever see what its transaction has done.
    Undone,
    /// It has happened, and all see it, whatever its client makes of the answer.
    Landed,
    /// Nothing that anybody will ever see has come of it, whatever its client makes of the
    /// answer.
    Void,
    /// Whether it ever happens is open, whatever its client makes of the answer: that is
    /// decided by somebody's later command.
    Proposed,
    /// It put the copy in the place of the original.
    Promoted,
}

/// What a command decides about what was left open before it. The thing is the one that
/// the command is asked about, so what is decided row by row needs a thing for each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// What was proposed for the same thing, by whomever, counts from now on.
    Completed,
    /// What was proposed for the same thing, by whomever, will never be seen.
    Lost,
    /// What all others have in open transactions on this server counts from now on.
    OthersCommitted,
    /// What anybody has in an open transaction on this server will never be seen.
    AllUndone,
}

/// The clock that a deadline follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClockKind {
    /// Deadlines are dates: a step of the clock moves them.
    Wall,
    /// Deadlines are durations: only the clock's rate matters.
    Monotonic,
}

/// The timers of a system, kept by who drives it.
pub trait Time {
    /// Arms a timer to fire after a while, in microseconds of the system's clock.
    /// One that is armed already is set anew.
    fn arm(&mut self, timer: Timer, after_us: u64);
    /// Takes a timer back.
    fn disarm(&mut self, timer: Timer);
    /// How long until an armed timer fires, in microseconds; `None` if it isn't
    /// armed. In an untimed search there is no such number, and it is 0.
    fn left_us(&self, timer: Timer) -> Option<u64>;
    /// The same for somebody who is told the number, or decides by it. An untimed search
    /// can't say what it would be, and ends there.
    fn told_left_us(&self, timer: Timer) -> Option<u64> {
        self.left_us(timer)
    }
}

/// The timers of whoever tries a system out while time stands still: none is ever armed.
pub struct NoTime;

impl Time for NoTime {
    fn arm(&mut self, _: Timer, _: u64) {}

    fn disarm(&mut self, _: Timer) {}

    fn left_us(&self, _: Timer) -> Option<u64> {
        None
    }
}
