//! The commands of Redis that the model knows.

use serde::{Deserialize, Serialize};

use super::script::Script;
use super::text::{Key, Keys, Text, Value};

/// A command as it arrives at the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A command that runs at once, or is queued after `MULTI`.
    Data(DataCommand),
    /// `WATCH key …`: `EXEC` will do nothing if one of these keys changes before it.
    Watch(Keys),
    /// `MULTI`: from here on, commands are queued.
    Multi,
    /// `EXEC`: runs the queue in one step, unless a watched key has changed.
    Exec,
    /// `DISCARD`: forgets the queue and what is watched.
    Discard,
    /// A command that this version does not have.
    Unknown(UnknownCommand),
}

/// A command that runs in one step, and that `MULTI` queues. It is small and plain,
/// so that a queue of them fits cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataCommand {
    /// `GET key`.
    Get(Key),
    /// `SET key value …`.
    Set(Set),
    /// `SETNX key value`: sets a key that isn't there, without an end.
    SetIfAbsent(Key, Value),
    /// `DEL key …`.
    Delete(Keys),
    /// `DELEX key IFEQ value`, or `IFNE` (since 8.4).
    DeleteIf {
        /// The key.
        key: Key,
        /// What its value is compared with.
        value: Value,
        /// Whether they have to be equal (`IFEQ`) or to differ (`IFNE`).
        equal: bool,
    },
    /// `EXISTS key …`: how many of these keys are there.
    Exists(Keys),
    /// `PTTL key`: how long until its end, in milliseconds; −1 without an end, −2
    /// without the key.
    TimeLeft(Key),
    /// `PEXPIRE key ms` and `EXPIRE key s`: a new end, this many milliseconds from
    /// now. With 0 the key is deleted.
    ExpireAfter(Key, u32),
    /// `INCR key`.
    Increment(Key),
    /// `HGET key v` and `HGET key data`: what [`Script::SetIfNewer`] has written.
    HashGet(Key, Field),
    /// `FLUSHALL`: deletes every key.
    FlushAll,
    /// `UNWATCH`: forgets what is watched.
    Unwatch,
    /// `WAIT replicas ms`: how many replicas (0 or 1 is asked for) have the writes of
    /// this connection; with 0 milliseconds it waits for ever.
    Wait(u8, u32),
    /// `EVAL`, by the name of the script.
    Evaluate(Script),
    /// A `SET` whose options contradict each other or that this version doesn't have.
    BadOptions,
}

/// `SET key value` with its options (<https://redis.io/docs/latest/commands/set/>).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Set {
    /// The key.
    pub key: Key,
    /// The new value.
    pub value: Value,
    /// When it is set.
    pub condition: Condition,
    /// `GET`: the reply is the old value, whether or not the key was set. So with
    /// `NX`, nil means that it was set.
    pub returns_old: bool,
    /// What becomes of the key's end.
    pub expiry: Expiry,
}

/// When `SET` sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Condition {
    /// Always.
    Always,
    /// `NX`: only if the key isn't there.
    IfAbsent,
    /// `XX`: only if it is there.
    IfPresent,
    /// `IFEQ value`: only if it has this value (since 8.4).
    IfEqual(Value),
}

/// What `SET` does to the end of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expiry {
    /// It takes it away: the key stays until somebody deletes it.
    Never,
    /// `KEEPTTL`: the end stays what it was.
    Keep,
    /// `PX ms` or `EX s`: this many milliseconds from now. 0 is an error.
    After(u32),
}

/// A field of the hash that holds a value with its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Field {
    /// `v`: the version.
    Version,
    /// `data`: the value.
    Data,
}

/// A command that this version does not have; the answer quotes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownCommand {
    /// `DELEX` before 8.4, with its three arguments.
    DeleteIf([Text; 3]),
    /// `NOSUCH`, which no version has: the way to see what a mistyped command does.
    NoSuch,
}

impl DataCommand {
    /// Whether a replica refuses it because it may write.
    pub(super) fn may_write(self) -> bool {
        match self {
            Self::Get(_) | Self::Exists(_) | Self::TimeLeft(_) | Self::HashGet(..) | Self::Unwatch | Self::Wait(..) => {
                false
            }
            Self::Set(_)
            | Self::SetIfAbsent(..)
            | Self::Delete(_)
            | Self::DeleteIf { .. }
            | Self::ExpireAfter(..)
            | Self::Increment(_)
            | Self::FlushAll
            | Self::Evaluate(_)
            | Self::BadOptions => true,
        }
    }
}
