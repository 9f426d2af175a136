//! Requests to the HTTP interface, with their parameters written behind the path.

use alloc::vec::Vec;

use super::reply::SessionId;
use crate::system::names::{Word, number};

/// The longest lock-delay, in seconds.
pub const MOST_LOCK_DELAY_S: u16 = 60;

/// The lock-delay of a session that asks for none, in seconds.
const DEFAULT_LOCK_DELAY_S: u16 = 15;
/// The least TTL, in seconds.
const LEAST_TTL_S: u16 = 10;

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `PUT session/create [TTL=<seconds>s] [LockDelay=<seconds>s] [Behavior=delete]
    /// [NodeChecks=[]]`
    Create(Create),
    /// `PUT session/renew/ID`
    Renew(SessionId),
    /// `PUT session/destroy/ID`: invalidates the session.
    Destroy(SessionId),
    /// `serfHealth ID critical`: no request, but what the gossip of the cluster says of
    /// the session's node, whether or not that is so.
    Critical(SessionId),
    /// `GET kv/KEY`
    Get(usize),
    /// `DELETE kv/KEY`: also if somebody holds it.
    Delete(usize),
    /// `PUT kv/KEY VALUE`: also if somebody holds it.
    Put(Put),
    /// `PUT kv/KEY?cas=INDEX VALUE`: only if this is its `ModifyIndex`; 0 is no key.
    CompareAndSet(Put, u16),
    /// `PUT kv/KEY?acquire=ID VALUE`
    Acquire(Put, SessionId),
    /// `PUT kv/KEY?release=ID VALUE`
    Release(Put, SessionId),
    /// `PUT txn check-session KEY ID, set KEY VALUE`
    CheckedPut {
        /// The key that has to be held.
        lock: usize,
        /// By whom.
        session: SessionId,
        /// What is written then.
        put: Put,
    },
}

/// A value for a key, given by its place in the list of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    /// The key.
    pub key: usize,
    /// The value.
    pub value: Word,
}

/// What a session is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Create {
    /// From 10 to 65,534 seconds; `None` is no limit.
    pub ttl_s: Option<u16>,
    /// For how many seconds its keys can't be acquired after it was invalidated, up to
    /// [`MOST_LOCK_DELAY_S`].
    pub lock_delay_s: u16,
    /// What becomes of its keys when it is invalidated.
    pub behavior: Behavior,
    /// Whether the health of its node is checked, as it is unless told otherwise.
    pub is_checked: bool,
}

/// What becomes of the keys of an invalidated session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// They are held by nobody.
    Release,
    /// They are deleted.
    Delete,
}

impl Command {
    /// Whether it may need a new index.
    pub(super) fn writes(self) -> bool {
        !matches!(self, Self::Renew(_) | Self::Get(_))
    }
}

/// Reads a request; `None` if it is none.
pub(super) fn parse(text: &str, keys: &[Word], sessions: u8) -> Option<Command> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let find = |name: &str| {
        let name = Word::parse(name)?;
        keys.iter().position(|&key| key == name)
    };
    let session = |name: &str| SessionId::parse(name).filter(|session| session.0 < sessions);
    let put = |key: &str, value: &str| Some(Put { key: find(key)?, value: Word::parse(value)? });
    match words.as_slice() {
        ["PUT", "session/create", options @ ..] => create(options).map(Command::Create),
        ["PUT", path] => match path.rsplit_once('/')? {
            ("session/renew", id) => Some(Command::Renew(session(id)?)),
            ("session/destroy", id) => Some(Command::Destroy(session(id)?)),
            _ => None,
        },
        ["serfHealth", id, "critical"] => Some(Command::Critical(session(id)?)),
        ["GET", path] => Some(Command::Get(find(path.strip_prefix("kv/")?)?)),
        ["DELETE", path] => Some(Command::Delete(find(path.strip_prefix("kv/")?)?)),
        ["PUT", "txn", "check-session", lock, id, "set", key, value] => {
            let session = session(id.strip_suffix(',')?)?;
            Some(Command::CheckedPut { lock: find(lock)?, session, put: put(key, value)? })
        }
        ["PUT", path, value] => {
            let path = path.strip_prefix("kv/")?;
            let Some((key, parameter)) = path.split_once('?') else { return Some(Command::Put(put(path, value)?)) };
            let put = put(key, value)?;
            match parameter.split_once('=')? {
                ("cas", index) => Some(Command::CompareAndSet(put, number(index)?)),
                ("acquire", id) => Some(Command::Acquire(put, session(id)?)),
                ("release", id) => Some(Command::Release(put, session(id)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn create(options: &[&str]) -> Option<Create> {
    let mut create =
        Create { ttl_s: None, lock_delay_s: DEFAULT_LOCK_DELAY_S, behavior: Behavior::Release, is_checked: true };
    let seconds = |text: &str| number(text.strip_suffix('s')?);
    for option in options {
        match option.split_once('=')? {
            ("TTL", ttl) => create.ttl_s = Some(seconds(ttl).filter(|&ttl_s| ttl_s >= LEAST_TTL_S)?),
            ("LockDelay", delay) => {
                create.lock_delay_s = seconds(delay).filter(|&delay_s| delay_s <= MOST_LOCK_DELAY_S)?;
            }
            ("Behavior", "release") => create.behavior = Behavior::Release,
            ("Behavior", "delete") => create.behavior = Behavior::Delete,
            ("NodeChecks", "[]") => create.is_checked = false,
            _ => return None,
        }
    }
    Some(create)
}
