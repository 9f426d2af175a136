//! SERIALIZABLE: refuses reads and writes that no serial order may explain.
//!
//! Snapshots alone let two transactions each read what the other replaces. The server
//! notes these dependencies, from a reader to the writer that replaced what it read,
//! and fails a transaction that has one on both sides once the last of the three has
//! committed first. This can be as late as its `COMMIT`. It never waits for them.
//!
//! The rules, and which of the three has to fail, are those of
//! <https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/storage/lmgr/README-SSI>
//! and `predicate.c` beside it. What is read is noted by row of `q` and by key of
//! `requests`, and by table for the rest.
//!
//! Of finished transactions only a summary is kept, as the real server does when its
//! memory for them is full. It doesn't know that one of them has only read, nor which of
//! several has written what, so with two finished ones there may be a 40001 that the
//! real server doesn't give, but never one less.

use super::command::Isolation;
use super::layout::{
    CHANGED, DOOMED, Database, EARLIER_WRITES, FINISHED_PIVOT_WRITES, FINISHED_WRITES, Field, GRANTS, HAS_SNAPSHOT,
    LATE_READS, OUT_TO_FINISHED, Q, READS, Set, WAITING, WRITES,
};
use super::reply::Error;
use super::transaction::Status;

const FAILURE: Error = Error::ReadWriteDependencies;

impl Database<'_> {
    /// Notes that a transaction reads an item in its snapshot.
    pub(super) fn reads(&mut self, caller: usize, item: usize) -> Result<(), Error> {
        if self.isolation(caller) != Isolation::Serializable {
            return Ok(());
        }
        // What a statement has read before it waited, it doesn't read again.
        if self.is(caller, WAITING) && self.marks(caller, READS, item) {
            return Ok(());
        }
        if self.is(caller, DOOMED) || self.marks(caller, FINISHED_PIVOT_WRITES, item) {
            return Err(FAILURE);
        }
        self.mark(caller, READS, item);
        if self.marks(caller, FINISHED_WRITES, item) {
            self.set(caller, OUT_TO_FINISHED, 1);
            if self.marks(caller, EARLIER_WRITES, item) || self.readers_before(caller).next().is_some() {
                return Err(FAILURE);
            }
        }
        for writer in self.rivals(caller) {
            if self.marks(writer, WRITES, item) && !self.reads_an_older_version(caller, item) {
                self.put(Set::OutTo(caller), writer, true);
                if self.is(writer, OUT_TO_FINISHED) {
                    self.set(writer, DOOMED, 1);
                }
            }
        }
        Ok(())
    }

    /// Notes that a transaction writes an item.
    pub(super) fn writes(&mut self, caller: usize, item: usize) -> Result<(), Error> {
        if self.isolation(caller) != Isolation::Serializable {
            return Ok(());
        }
        if self.is(caller, DOOMED) {
            return Err(FAILURE);
        }
        self.mark(caller, WRITES, item);
        let mut is_replaced_for_others = self.marks(caller, LATE_READS, item);
        if is_replaced_for_others {
            self.add(caller, EARLIER_WRITES, self.get(caller, FINISHED_WRITES));
        }
        for reader in self.rivals(caller) {
            if self.marks(reader, READS, item) && !self.reads_an_older_version(reader, item) {
                self.put(Set::OutTo(reader), caller, true);
                is_replaced_for_others = true;
            }
        }
        if is_replaced_for_others && self.is(caller, OUT_TO_FINISHED) { Err(FAILURE) } else { Ok(()) }
    }

    /// Before a transaction commits as the first of three, the middle one has to fail.
    pub(super) fn check_before_commit(&mut self, caller: usize) -> Result<(), Error> {
        if self.isolation(caller) != Isolation::Serializable {
            return Ok(());
        }
        if self.is(caller, DOOMED) {
            return Err(FAILURE);
        }
        for middle in self.rivals(caller) {
            if self.has(Set::OutTo(middle), caller) && self.readers_before(middle).next().is_some() {
                self.set(middle, DOOMED, 1);
            }
        }
        Ok(())
    }

    /// Leaves to those that go on what they need to know of a transaction that commits.
    pub(super) fn remember_finished(&mut self, caller: usize) {
        if self.isolation(caller) != Isolation::Serializable {
            return;
        }
        let writes = self.get(caller, WRITES);
        let is_read = |&item: &usize| self.marks(caller, READS, item) && !self.reads_an_older_version(caller, item);
        let reads = (0..=GRANTS).filter(is_read).fold(0, |reads, item| reads | 1 << item);
        for other in self.sessions().filter(|&other| other != caller) {
            if !self.is_serializable(other) {
                continue;
            }
            // Its reads matter only if it has written as well, or another one had that was
            // finished before.
            let earlier = self.get(other, FINISHED_WRITES) | writes;
            if earlier != 0 {
                self.add(other, LATE_READS, reads);
            }
            if self.has(Set::OutTo(caller), other) {
                self.add(other, EARLIER_WRITES, earlier);
            }
            if self.has(Set::OutTo(other), caller) {
                self.set(other, OUT_TO_FINISHED, 1);
            }
            self.add(other, FINISHED_WRITES, writes);
            if self.is(caller, OUT_TO_FINISHED) {
                self.add(other, FINISHED_PIVOT_WRITES, writes);
            }
        }
    }

    /// Forgets what a transaction has read and written.
    pub(super) fn forget_dependencies(&mut self, caller: usize) {
        for other in self.sessions() {
            self.put(Set::OutTo(other), caller, false);
            self.put(Set::OutTo(caller), other, false);
        }
        for field in
            [READS, WRITES, FINISHED_WRITES, FINISHED_PIVOT_WRITES, LATE_READS, EARLIER_WRITES, OUT_TO_FINISHED, DOOMED]
        {
            self.set(caller, field, 0);
        }
    }

    fn add(&mut self, caller: usize, field: Field, items: u16) {
        self.set(caller, field, self.get(caller, field) | items);
    }

    /// Whether a transaction reads a version of a row of `q` that is not the last one. It
    /// depends on who replaced that version, and not on who replaces the last.
    fn reads_an_older_version(&self, caller: usize, item: usize) -> bool {
        Q.contains(&item) && self.marks(caller, CHANGED, item)
    }

    /// Whether a session's transaction is serializable and has begun to read.
    fn is_serializable(&self, caller: usize) -> bool {
        self.status(caller) == Status::Open
            && self.isolation(caller) == Isolation::Serializable
            && self.is(caller, HAS_SNAPSHOT)
    }

    /// The other transactions that count and don't have to fail anyway.
    fn rivals(&self, caller: usize) -> impl Iterator<Item = usize> + use<> {
        let rivals = self
            .sessions()
            .filter(|&other| other != caller && self.is_serializable(other) && !self.is(other, DOOMED))
            .fold(0_u32, |rivals, other| rivals | 1 << other);
        (0..32).filter(move |other| rivals >> other & 1 == 1)
    }

    /// Those that have read what a transaction has replaced.
    fn readers_before(&self, caller: usize) -> impl Iterator<Item = usize> + '_ {
        self.rivals(caller).filter(move |&reader| self.has(Set::OutTo(reader), caller))
    }
}
