//! The mutex of etcd's `concurrency` package, which `etcdctl lock` and the lock service use.
//!
//! - Each session puts a key `<lock>/<lease>` with its lease; the one with the lowest
//!   create revision holds the lock. So it goes to whoever has queued first.
//! - A session that locks again finds its own key, and is answered at once: no exclusion
//!   inside a session.
//! - `Unlock` deletes the key, whoever asks and whether or not it is there.
//! - A call that waits does so until no older key is left. Before 3.5 it didn't look
//!   whether its own key was still there, and answered that the lock was held when its
//!   lease had ended long ago ([#11456](https://github.com/etcd-io/etcd/issues/11456)).
//!   Since 3.5 it looks; but only then, so it still hears late.
//!
//! A fence is the create revision of the own key: it grows from holder to holder. Writes
//! to etcd itself can be guarded by `create(<lock>/<lease>) = <create revision>`
//! (`Mutex.IsOwner`). etcd's own documents say that the lock alone doesn't exclude:
//! <https://etcd.io/docs/v3.5/learning/why/#notes-on-the-usage-of-lock-and-lease>.
//!
//! See <https://github.com/etcd-io/etcd/blob/main/client/v3/concurrency/mutex.go> and
//! <https://jepsen.io/analyses/etcd-3.4.3>.

use super::Release;
use super::key::{Key, KeyValue, LeaseId};
use super::reply::{Failure, Reply};
use super::state::State;
use crate::system::label::Label;

impl State<'_> {
    /// The oldest key in the queue of a lock.
    pub(super) fn first(&self, name: Label) -> Option<(Key, KeyValue)> {
        let queue = self.all().filter(|(key, _)| key.name == name && key.queued.is_some());
        queue.min_by_key(|(_, found)| found.create_revision)
    }

    /// The create revision of the oldest key in the queue of a lock.
    fn first_in_queue(&self, name: Label) -> Option<u16> {
        self.first(name).map(|(_, found)| found.create_revision)
    }

    /// Queues for a lock, or finds the place that the session has.
    pub(super) fn lock(&mut self, name: Label, lease: LeaseId) -> Result<Reply, Failure> {
        let key = Key { name, queued: Some(lease) };
        if self.get(key).is_none() {
            self.put(key, Label::EMPTY, Some(lease))?;
        }
        let create_revision = self.get(key).map_or(0, |found| found.create_revision);
        Ok(if self.first_in_queue(name) == Some(create_revision) {
            Reply::Locked { key, revision: self.revision() }
        } else {
            Reply::Queued { key, create_revision }
        })
    }

    /// Waits (`None`) while an older key is in the queue.
    pub(super) fn await_lock(&self, name: Label, lease: LeaseId, since: u16) -> Option<Reply> {
        if self.first_in_queue(name).is_some_and(|first| first < since) {
            return None;
        }
        let key = Key { name, queued: Some(lease) };
        Some(match self.etcd.release {
            Release::V3_5 if self.get(key).is_none() => Reply::Failed(Failure::SessionExpired),
            Release::V3_4 | Release::V3_5 => Reply::Locked { key, revision: self.revision() },
        })
    }

    pub(super) fn unlock(&mut self, key: Key) -> Result<Reply, Failure> {
        self.delete(key)?;
        Ok(Reply::Header { revision: self.revision() })
    }
}
