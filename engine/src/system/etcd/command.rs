//! What clients of etcd ask for, and how they write it.

use alloc::boxed::Box;

use super::key::{Key, LeaseId, parse_id};
use super::txn::{self, Txn};
use crate::system::label::Label;

/// A request of a client.
///
/// Most read as in [etcdctl](https://github.com/etcd-io/etcd/blob/main/etcdctl/README.md);
/// there the server chooses the id of a lease, here the client does.
///
/// | text | what |
/// |---|---|
/// | `put k a`, `put k a --lease=1` | writes a key; with the lease it goes when that ends |
/// | `get k`, `del k` | reads or deletes a key |
/// | `get mtx/ --prefix --sort-by=CREATE --limit=1` | the first in the queue of the lock `mtx` |
/// | `txn if create(k) = 0, value(j) = a then put k b else get k` | see [`Txn`] |
/// | `lease grant 5 --id=1` | a lease of 5 s; the shortest is 2 s |
/// | `lease keep-alive --once 1` | it has its whole time again |
/// | `lease timetolive 1`, `lease revoke 1` | how long it has left; ends it |
/// | `lock mtx 1` | queues for the lock `mtx` under lease 1: see [`Command::Lock`] |
/// | `lock mtx 1 since 11` | waits until it is first: see [`Command::AwaitLock`] |
/// | `unlock mtx/1` | deletes that key, whoever asks |
/// | `move-leader` | another member leads |
/// | `snapshot save`, `snapshot restore` | see [`Command::Restore`] |
/// | `snapshot restore --bump-revision 1000 --mark-compacted` | the same, with a higher revision |
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Writes a key.
    Put {
        /// Which key.
        key: Key,
        /// What is written.
        value: Label,
        /// The lease with which it goes; without one, a former lease lets go of it.
        lease: Option<LeaseId>,
    },
    /// Reads a key.
    Get(Key),
    /// Reads the oldest key in the queue of a lock, which is how the mutex finds out who
    /// holds it (`WithFirstCreate`).
    First(Label),
    /// Deletes a key.
    Delete(Key),
    /// Compares, then does one of two lists of operations, in one step.
    Txn(Box<Txn>),
    /// Grants a lease.
    Grant {
        /// The id, which the client chooses.
        id: LeaseId,
        /// How long it lasts, in seconds.
        ttl_s: u16,
    },
    /// Gives a lease its whole time again.
    KeepAlive(LeaseId),
    /// Asks how long a lease has left.
    TimeToLive(LeaseId),
    /// Ends a lease and deletes its keys.
    Revoke(LeaseId),
    /// The first step of `concurrency.Mutex.Lock`: puts the key of this session into the
    /// queue, unless it is there. Whoever is first has the lock.
    Lock {
        /// The lock.
        name: Label,
        /// The session's lease.
        lease: LeaseId,
    },
    /// The second step: waits until no key of this lock is older than the session's own.
    AwaitLock {
        /// The lock.
        name: Label,
        /// The session's lease.
        lease: LeaseId,
        /// The create revision of the session's key, from the reply to the first step.
        since: u16,
    },
    /// Deletes a key.
    Unlock(Key),
    /// Lets another member lead.
    MoveLeader,
    /// Keeps a copy of the store and its leases.
    Save,
    /// Starts anew from the copy.
    Restore {
        /// How much higher than in the copy the store's revision shall be.
        bump_revision: u16,
    },
}

pub(super) fn parse(text: &str) -> Option<Command> {
    let words = text.split_whitespace();
    let mut words = words.fuse();
    let verb = words.next()?;
    if verb == "txn" {
        return txn::parse(text.trim().strip_prefix("txn")?).map(|txn| Command::Txn(Box::new(txn)));
    }
    let mut next = || words.next();
    let command = match verb {
        "put" => {
            let (key, value) = (Key::parse(next()?)?, Label::parse(next()?)?);
            let lease = match next() {
                Some(flag) => Some(parse_id(flag.strip_prefix("--lease=")?)?),
                None => None,
            };
            Command::Put { key, value, lease }
        }
        "get" => {
            let key = next()?;
            match next() {
                Some("--prefix") => first(key, [next()?, next()?])?,
                Some(_) => return None,
                None => Command::Get(Key::parse(key)?),
            }
        }
        "del" => Command::Delete(Key::parse(next()?)?),
        "lease" => lease(&mut next)?,
        "lock" => {
            let (name, lease) = (Label::parse(next()?)?, parse_id(next()?)?);
            match next() {
                Some("since") => Command::AwaitLock { name, lease, since: next()?.parse().ok()? },
                Some(_) => return None,
                None => Command::Lock { name, lease },
            }
        }
        "unlock" => Command::Unlock(Key::parse(next()?)?),
        "move-leader" => Command::MoveLeader,
        "snapshot" => match next()? {
            "save" => Command::Save,
            "restore" => Command::Restore { bump_revision: bump(&mut next)? },
            _ => return None,
        },
        _ => return None,
    };
    words.next().is_none().then_some(command)
}

fn lease<'a>(next: &mut impl FnMut() -> Option<&'a str>) -> Option<Command> {
    Some(match next()? {
        "grant" => {
            let ttl_s = next()?.parse().ok()?;
            Command::Grant { ttl_s, id: parse_id(next()?.strip_prefix("--id=")?)? }
        }
        "keep-alive" => Command::KeepAlive(next().filter(|flag| *flag == "--once").and_then(|_| parse_id(next()?))?),
        "timetolive" => Command::TimeToLive(parse_id(next()?)?),
        "revoke" => Command::Revoke(parse_id(next()?)?),
        _ => return None,
    })
}

fn first(prefix: &str, flags: [&str; 2]) -> Option<Command> {
    (flags == ["--sort-by=CREATE", "--limit=1"]).then_some(())?;
    Label::parse(prefix.strip_suffix('/')?).map(Command::First)
}

/// etcdutl wants both flags or none.
fn bump<'a>(next: &mut impl FnMut() -> Option<&'a str>) -> Option<u16> {
    match next() {
        Some("--bump-revision") => {
            let by = next()?.parse().ok().filter(|by| *by > 0)?;
            (next()? == "--mark-compacted").then_some(by)
        }
        Some(_) => None,
        None => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_no_command() {
        for words in [
            "",
            "put k",
            "put k a b",
            "put k a --lease=0",
            "get K",
            "get k --prefix --sort-by=CREATE --limit=1",
            "get k/ --prefix --sort-by=MODIFY --limit=1",
            "get k/ --prefix",
            "lease grant 65536 --id=1",
            "lease grant 5",
            "lease keep-alive 1",
            "lease revoke g",
            "lock mtx",
            "lock mtx 1 since",
            "lock mtx 1 since 65536",
            "unlock",
            "snapshot restore --bump-revision 5",
            "snapshot restore --mark-compacted",
            "snapshot restore --bump-revision 0 --mark-compacted",
            "txn",
            "txn if create(k) = 0",
            "txn if create(k) = 65536 then get k",
            "txn if nothing(k) = 0 then get k",
            "txn if value(k) ~ a then get k",
            "txn then get a, get b, get c, get d, get e",
            "txn then get a else",
        ] {
            assert_eq!(parse(words), None, "{words}");
        }
    }
}
