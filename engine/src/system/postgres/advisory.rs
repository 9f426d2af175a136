//! Advisory locks: numbers that mean what applications agree on.
//!
//! A session may take the same one again and has to free it as often. One that it took
//! for itself outlives a rollback and goes with the connection; one taken for a
//! transaction goes with that. Nothing else respects them, and no number comes with
//! them that could serve as a fencing token
//! (<https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS>).

use super::command::AdvisoryCall;
use super::layout::{ADVISORY, ADVISORY_NAMES, Database};
use super::reply::{Error, Reply};
use super::{Progress, Step};

const BY_SESSION: usize = 0;
const BY_TRANSACTION: usize = 1;

impl Database<'_> {
    /// `SELECT pg_…_advisory_…(…)`.
    pub(super) fn advisory(&mut self, caller: usize, call: AdvisoryCall, advisory: usize) -> Progress {
        let is_held_by_other = self.owner(ADVISORY + advisory).is_some_and(|owner| owner != caller);
        let (waits, place) = match call {
            AdvisoryCall::Lock => (true, BY_SESSION),
            AdvisoryCall::TryLock => (false, BY_SESSION),
            AdvisoryCall::TransactionLock => (true, BY_TRANSACTION),
            AdvisoryCall::TryTransactionLock => (false, BY_TRANSACTION),
            AdvisoryCall::Unlock => return Ok(Step::Done(self.unlock(caller, advisory))),
        };
        if is_held_by_other {
            return Ok(if waits { Step::Wait(ADVISORY + advisory) } else { Step::Done(Reply::Truth(false)) });
        }
        let mut counts = self.advisory_counts(advisory);
        counts[place] = counts[place].checked_add(1).ok_or(Error::OutOfMemory)?;
        self.set_owner(ADVISORY + advisory, Some(caller));
        self.set_advisory_counts(advisory, counts);
        Ok(Step::Done(if waits { Reply::Void } else { Reply::Truth(true) }))
    }

    fn unlock(&mut self, caller: usize, advisory: usize) -> Reply {
        let [by_session, by_transaction] = self.advisory_counts(advisory);
        if self.owner(ADVISORY + advisory) != Some(caller) || by_session == 0 {
            return Reply::NotOwned;
        }
        self.keep(advisory, [by_session - 1, by_transaction]);
        Reply::Truth(true)
    }

    /// Frees what a transaction took for itself.
    pub(super) fn free_transaction_locks(&mut self, caller: usize) {
        for advisory in 0..ADVISORY_NAMES.len() {
            if self.owner(ADVISORY + advisory) == Some(caller) {
                let [by_session, _] = self.advisory_counts(advisory);
                self.keep(advisory, [by_session, 0]);
            }
        }
    }

    /// Frees what a session took, as its connection is gone.
    pub(super) fn free_session_locks(&mut self, caller: usize) {
        for advisory in 0..ADVISORY_NAMES.len() {
            if self.owner(ADVISORY + advisory) == Some(caller) {
                self.keep(advisory, [0, 0]);
            }
        }
    }

    fn keep(&mut self, advisory: usize, counts: [u8; 2]) {
        self.set_advisory_counts(advisory, counts);
        if counts == [0, 0] {
            self.set_owner(ADVISORY + advisory, None);
        }
    }
}
