//! What etcd answers.

use core::fmt;

use super::key::{Key, KeyValue, LeaseId};
use super::txn::Txn;

/// An answer, by the names of its fields in the API
/// (<https://etcd.io/docs/v3.5/dev-guide/api_reference_v3/>). `revision` is that of the
/// header: the store's, just after the request.
///
/// The JSON gateway leaves out what is 0 or false; here it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing but the header.
    Header {
        /// The store's revision.
        revision: u16,
    },
    /// What was found.
    Get {
        /// The key's value and revisions, if it is there.
        found: Option<KeyValue>,
        /// The store's revision.
        revision: u16,
    },
    /// The key that was asked for by its prefix, if there is one.
    First {
        /// The key, its value and its revisions.
        found: Option<(Key, KeyValue)>,
        /// The store's revision.
        revision: u16,
    },
    /// How many keys were deleted.
    Deleted {
        /// 0 or 1.
        deleted: u8,
        /// The store's revision.
        revision: u16,
    },
    /// Which list of a transaction was done.
    Txn {
        /// Whether all comparisons held.
        succeeded: bool,
        /// What each operation came to.
        responses: [Option<Response>; Txn::OPERATIONS],
        /// The store's revision.
        revision: u16,
    },
    /// A lease was granted.
    Granted {
        /// Its id.
        id: LeaseId,
        /// Its time in seconds, which may be longer than was asked for.
        ttl_s: u16,
    },
    /// A lease was kept alive: its whole time in seconds. 0, and no error, if it is gone.
    KeptAlive {
        /// Seconds.
        ttl_s: u16,
    },
    /// How long a lease has left.
    TimeToLive {
        /// Whole seconds left, and the whole time in seconds. `None`, written −1, if the
        /// lease is gone.
        left_and_granted_s: Option<(u16, u16)>,
    },
    /// The lock is held, says etcd: a `LockResponse`.
    Locked {
        /// The key that stands for holding it.
        key: Key,
        /// The store's revision.
        revision: u16,
    },
    /// The session's key stands in the queue behind another. The real call shows nothing
    /// of it and goes on with the second step.
    Queued {
        /// The session's key.
        key: Key,
        /// The revision that created it.
        create_revision: u16,
    },
    /// Another member leads.
    LeadershipTransferred,
    /// A snapshot was saved.
    Saved,
    /// The store is that of the snapshot.
    Restored {
        /// The store's revision.
        revision: u16,
    },
    /// An error; nothing has changed.
    Failed(Failure),
}

/// What an operation of a transaction came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The key was written.
    Put,
    /// What was found.
    Get(Option<KeyValue>),
    /// How many keys were deleted.
    Deleted(u8),
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no such lease, or no longer.
    LeaseNotFound,
    /// The id of the lease is taken.
    LeaseExists,
    /// A transaction changes one key twice.
    DuplicateKey,
    /// The waiter's own key has gone (since 3.5).
    SessionExpired,
    /// There is no snapshot to restore.
    NoSnapshot,
    /// The model is too small for it; a real server would have done it.
    BeyondModel(Limit),
}

/// What the model has no more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Keys.
    Keys,
    /// Leases.
    Leases,
    /// Room for a snapshot.
    Snapshot,
    /// Numbers of 16 bits.
    Numbers,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { revision } => write!(f, "revision {revision}"),
            Self::Get { found, revision } => write!(f, "{}, revision {revision}", Found(*found)),
            Self::First { found: Some((key, found)), revision } => write!(f, "key {key}, {found}, revision {revision}"),
            Self::First { found: None, revision } => write!(f, "{}, revision {revision}", Found(None)),
            Self::Deleted { deleted, revision } => write!(f, "deleted {deleted}, revision {revision}"),
            Self::Txn { succeeded, responses, revision } => {
                write!(f, "succeeded {succeeded}")?;
                let tells = |response: &&Response| **response != Response::Put;
                responses.iter().flatten().filter(tells).try_for_each(|response| write!(f, " [{response}]"))?;
                write!(f, ", revision {revision}")
            }
            Self::Granted { id, ttl_s } => write!(f, "ID {id:x}, TTL {ttl_s}"),
            Self::KeptAlive { ttl_s } => write!(f, "TTL {ttl_s}"),
            Self::TimeToLive { left_and_granted_s: Some((left, granted)) } => {
                write!(f, "TTL {left}, grantedTTL {granted}")
            }
            Self::TimeToLive { left_and_granted_s: None } => f.write_str("TTL -1"),
            Self::Locked { key, revision } => write!(f, "key {key}, revision {revision}"),
            Self::Queued { key, create_revision } => write!(f, "queued {key}, create_revision {create_revision}"),
            Self::LeadershipTransferred => f.write_str("Leadership transferred"),
            Self::Saved => f.write_str("Snapshot saved"),
            Self::Restored { revision } => write!(f, "restored snapshot, revision {revision}"),
            Self::Failed(failure) => write!(f, "{failure}"),
        }
    }
}

/// A key's value and revisions, or that there is none.
struct Found(Option<KeyValue>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(found) => write!(f, "{found}"),
            None => f.write_str("count 0"),
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put => f.write_str("put"),
            Self::Get(found) => write!(f, "{}", Found(*found)),
            Self::Deleted(deleted) => write!(f, "deleted {deleted}"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LeaseNotFound => "etcdserver: requested lease not found (code 5)",
            Self::LeaseExists => "etcdserver: lease already exists (code 9)",
            Self::DuplicateKey => "etcdserver: duplicate key given in txn request (code 3)",
            Self::SessionExpired => "mutex: session is expired",
            Self::NoSnapshot => "open snapshot.db: no such file or directory",
            Self::BeyondModel(Limit::Keys) => "(the model has no more keys)",
            Self::BeyondModel(Limit::Leases) => "(the model has no more leases)",
            Self::BeyondModel(Limit::Snapshot) => "(the model has no room for a snapshot)",
            Self::BeyondModel(Limit::Numbers) => "(the model's numbers have 16 bits)",
        })
    }
}
