//! Statements that wait for a lock, and deadlocks.
//!
//! A statement that waits keeps its snapshot and the rows that it has locked so far.
//! When it has waited for a second, `deadlock_timeout`, its session looks whether it
//! waits for itself in a ring, and if so its transaction fails: it need not be the one
//! that closed the ring (<https://www.postgresql.org/docs/15/runtime-config-locks.html>).
//! A session that holds nothing is in no ring, so it doesn't look.
//!
//! One thing is simpler here. The real server lets all waiters of a row but the first
//! wait for the first one, which so may be part of a ring of three or more, and give way,
//! without holding anything. Here each of them waits for the holder.

use super::layout::{COMPUTED, Database, VICTIM, WAITING, WAITS_FOR};

/// `deadlock_timeout` as it is by default, in microseconds.
const DEADLOCK_TIMEOUT_US: u64 = 1_000_000;

impl Database<'_> {
    /// Makes a session wait for a lock with the statement of this fingerprint.
    pub(super) fn wait_for(&mut self, caller: usize, lock: usize, fingerprint: u16) {
        let waits_for = lock as u16 + 1;
        if self.get(caller, WAITS_FOR) == waits_for {
            return;
        }
        self.set(caller, WAITING, fingerprint);
        self.set(caller, WAITS_FOR, waits_for);
        if Self::locks().any(|held| self.owner(held) == Some(caller)) {
            self.time.arm(caller as u8, DEADLOCK_TIMEOUT_US);
        }
    }

    /// Ends a wait, if there is one.
    pub(super) fn stop_waiting(&mut self, caller: usize) {
        if self.is(caller, WAITING) {
            self.time.disarm(caller as u8);
        }
        for field in [WAITING, WAITS_FOR, VICTIM, COMPUTED] {
            self.set(caller, field, 0);
        }
    }

    /// A session has waited for long enough to look for a deadlock.
    pub(super) fn look_for_deadlock(&mut self, caller: usize) {
        let mut at = caller;
        for _ in self.sessions() {
            let lock = usize::from(self.get(at, WAITS_FOR)).checked_sub(1);
            let Some(owner) = lock.and_then(|lock| self.owner(lock)) else { return };
            if owner == caller {
                self.set(caller, VICTIM, 1);
                return;
            }
            at = owner;
        }
    }
}
