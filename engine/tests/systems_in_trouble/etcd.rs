//! etcd: revisions, leases and the lock that is made of them.

use racescope_engine::system::etcd::{Etcd, Release, Reply, Sizes};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, number_after};

const COMMANDS: [&str; 29] = [
    "lease grant 5 --id=1",
    "lease grant 5 --id=2",
    "lease grant 5 --id=3",
    "lease keep-alive --once 1",
    "lease keep-alive --once 2",
    "lease revoke 1",
    "lease revoke 2",
    "lease timetolive 1",
    "lock mtx 1",
    "lock mtx 2",
    "lock mtx 3",
    "lock mtx 1 since #",
    "lock mtx 2 since #",
    "lock mtx 3 since #",
    "unlock mtx/1",
    "unlock mtx/2",
    "put k a",
    "put k b --lease=1",
    "get k",
    "del k",
    "txn if create(k) = 0 then put k c",
    "txn if mod(k) = # then put k d else get k",
    "txn if version(k) = # then put k e, put j e",
    "txn if create(mtx/1) = # then put j f",
    "txn if value(k) = b then del k, put j g",
    "put j h --lease=2",
    "move-leader",
    "snapshot save",
    "snapshot restore --bump-revision 100 --mark-compacted",
];

const QUEUE: [&str; 3] = ["get mtx/1", "get mtx/2", "get mtx/3"];

#[derive(Default)]
struct Cluster {
    revision: Rising,
    /// The create revision of the last key that was the first in the queue.
    fence: Rising,
    /// Whether the snapshot that there is was restored before, or is older than a loss.
    is_restored: bool,
}

/// The create revision in an answer to `get`; `None` if there is no key.
fn create_revision(found: &str) -> Option<u64> {
    found.contains("create_revision").then(|| number_after(found, "create_revision"))
}

impl Promises for Cluster {
    type System = Etcd;

    fn looks(&self) -> &'static [&'static str] {
        &["get k", "get j", QUEUE[0], QUEUE[1], QUEUE[2]]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        matches!(reply, Reply::Failed(_) | Reply::Get { .. } | Reply::TimeToLive { .. })
    }

    /// A restore starts a hundred revisions above the snapshot's, more than a walk makes. So
    /// it gives no number out twice, unless the same snapshot is restored again. But holders
    /// that were in the snapshot are back with the fences that they had.
    fn judge(&mut self, step: &Step<Etcd>) {
        let is_back = step.answer().is_some_and(|(_, _, reply)| reply.starts_with("restored"));
        if step.is_set_back() || is_back && self.is_restored {
            self.revision = Rising::default();
        }
        if step.is_set_back() || is_back {
            self.fence = Rising::default();
        }
        // After a loss of memory, too, a snapshot is of other times.
        self.is_restored |= is_back || step.is_set_back();
        self.is_restored &= step.answer().is_none_or(|(_, _, reply)| reply != "Snapshot saved");
        self.revision.see(step.after.cells[0].into(), step);
        let first = QUEUE.iter().filter_map(|look| create_revision(&step.look(look))).min();
        let answer = step.answer();
        if let Some(first) = first {
            self.fence.see(first, step);
        }
        for look in self.looks() {
            let found = step.look(look);
            if found.contains("lease ") {
                let lease = number_after(&found, "lease ");
                let left = step.look(&format!("lease timetolive {lease}"));
                assert_ne!(left, "TTL -1", "{look}: a key without its lease");
            }
        }
        let Some((_, words, reply)) = answer else { return };
        if words.starts_with("lock") && reply.starts_with("key ") {
            let key = &reply["key ".len()..reply.find(',').expect("a revision follows")];
            let own = create_revision(&step.look(&format!("get {key}")));
            assert!(own.is_some(), "{words}: since 3.5, who is told so has a key");
            // Whoever asks with a revision that isn't its key's is told too early.
            let is_own = !words.contains("since") || own == Some(number_after(words, "since "));
            assert!(!is_own || own == first, "{words}: {key} is first in the queue");
        }
    }
}

#[test]
fn etcd() {
    let etcd = Etcd::new(Release::V3_5, Sizes { keys: 6, leases: 3, snapshot: true });
    let wanted = ["key mtx/1", "queued mtx/2", "succeeded true", "succeeded false", "session is expired", "restored"];
    for etcd in [etcd.clone(), etcd.with_revocation(0)] {
        keeps_its_promises(&etcd, Cluster::default, &COMMANDS, &wanted);
    }
}
