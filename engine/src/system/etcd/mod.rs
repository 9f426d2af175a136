//! An etcd cluster, as its clients see it: one store with leases and a lock.
//!
//! What it models: revisions and versions, transactions, leases and who refreshes them,
//! the mutex of the client library with and without the check that 3.4 lacks, and a
//! restore from a snapshot.
//!
//! What it leaves out: reads that may be old (`--consistency=s`), old revisions and
//! compaction, watches, ranges but the oldest key of a queue, access control, members that come and go. What it is
//! too small for it says in brackets, as the real server never does.
//!
//! ```
//! use racescope_engine::system::{etcd::{Etcd, Release, Sizes}, transcript};
//!
//! let etcd = Etcd::new(Release::V3_5, Sizes { keys: 4, leases: 2, snapshot: false });
//! transcript::check(
//!     &etcd,
//!     "A lease grant 5 --id=1 → ID 1, TTL 5
//!      A lock mtx 1 → key mtx/1, revision 2
//!      B lease grant 60 --id=2 → ID 2, TTL 60
//!      B lock mtx 2 → queued mtx/2, create_revision 3
//!      B lock mtx 2 since 3 → (waits)
//!      wait 6 s
//!      B … lock mtx 2 since 3 → key mtx/2, revision 4",
//! );
//! ```

mod command;
mod key;
mod lease;
mod mutex;
mod reply;
mod snapshot;
mod state;
mod txn;

pub use command::Command;
pub use key::{Key, KeyValue, LeaseId};
pub use reply::{Failure, Limit, Reply, Response};
pub use txn::{Compare, Operation, Operations, Target, Txn};

use self::state::State;
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// Which release it is, as far as that makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// 3.4 and before: a lock call that has waited doesn't look whether its own lease has
    /// ended. Debian 12 has this one.
    V3_4,
    /// 3.5 and later: it looks.
    V3_5,
}

/// How much room the model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// How many keys there can be at once.
    pub keys: u8,
    /// How many leases there can be at once.
    pub leases: u8,
    /// Whether there is room for a snapshot, which doubles the cells.
    pub snapshot: bool,
}

/// An etcd cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Etcd {
    release: Release,
    sizes: Sizes,
    revoked_after_ms: u16,
}

impl Etcd {
    /// How often the leader looks for leases whose time is over, in milliseconds.
    pub const LOOKS_EVERY_MS: u16 = 500;

    /// A cluster of this release and size. Its leases are revoked as late after their end
    /// as is usual at the most: after [`Etcd::LOOKS_EVERY_MS`].
    pub fn new(release: Release, sizes: Sizes) -> Self {
        Self { release, sizes, revoked_after_ms: Self::LOOKS_EVERY_MS }
    }

    /// The same cluster, with another time from the end of a lease to its revocation, in
    /// milliseconds. In a real one it differs each time, from nothing to
    /// [`Etcd::LOOKS_EVERY_MS`] and as long as the cluster then takes to agree.
    #[must_use]
    pub fn with_revocation(self, after_ms: u16) -> Self {
        Self { revoked_after_ms: after_ms, ..self }
    }

    /// The store, and the cells of a snapshot: whether there is one, then its copy.
    fn parts<'a>(&'a self, cells: &'a mut [Cell]) -> (State<'a>, &'a mut [Cell]) {
        let (store, snapshot) = cells.split_at_mut(state::length(self));
        (State { etcd: self, cells: store }, snapshot)
    }
}

impl System for Etcd {
    type Command = Command;
    type Reply = Reply;

    /// Leases are timed by Go's `time.Now`, which carries a monotonic reading:
    /// <https://pkg.go.dev/time#hdr-Monotonic_Clocks>.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let is_of_a_snapshot = |command: &Command| matches!(command, Command::Save | Command::Restore { .. });
        command::parse(words).filter(|command| self.sizes.snapshot || !is_of_a_snapshot(command))
    }

    fn length(&self) -> usize {
        let store = state::length(self);
        if self.sizes.snapshot { 2 * store + 1 } else { store }
    }

    fn start(&self, cells: &mut [Cell]) {
        self.parts(cells).0.start();
    }

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        let (mut state, snapshot) = self.parts(cells);
        let reply = match *command {
            Command::Put { key, value, lease } => state.put(key, value, lease),
            Command::Get(key) => Ok(Reply::Get { found: state.get(key), revision: state.revision() }),
            Command::First(name) => Ok(Reply::First { found: state.first(name), revision: state.revision() }),
            Command::Delete(key) => state.delete(key),
            Command::Txn(ref txn) => state.txn(txn),
            Command::Grant { id, ttl_s } => state.grant(id, ttl_s, time),
            Command::KeepAlive(id) => return state.keep_alive(id, time),
            Command::TimeToLive(id) => Ok(state.time_to_live(id, time)),
            Command::Revoke(id) => state.revoke(id, time),
            Command::Lock { name, lease } => state.lock(name, lease),
            Command::AwaitLock { name, lease, since } => return state.await_lock(name, lease, since),
            Command::Unlock(key) => state.unlock(key),
            Command::MoveLeader => {
                state.refresh_all(time);
                Ok(Reply::LeadershipTransferred)
            }
            Command::Save => state.save(snapshot),
            Command::Restore { bump_revision } => state.restore(snapshot, bump_revision, time),
        };
        Some(reply.unwrap_or_else(Reply::Failed))
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        self.parts(cells).0.lease_fires(timer, time);
    }

    /// With its data, every lease has its whole time again. Without, only a snapshot is
    /// left, which lies elsewhere.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        let (mut state, _) = self.parts(cells);
        if keeps_memory {
            state.refresh_all(time);
            return;
        }
        for timer in 0..self.timers() {
            time.disarm(timer);
        }
        state.cells.fill(0);
        state.start();
    }

    fn timers(&self) -> u8 {
        self.sizes.leases
    }
}
