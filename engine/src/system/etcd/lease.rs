//! Leases: keys that go when nobody keeps their lease alive.
//!
//! - The shortest is [`SHORTEST_S`] seconds: one and a half election timeouts, rounded up.
//! - The leader times it, by Go's monotonic clock. "Wall clock" in the documents means
//!   real time that has passed.
//! - When its time is over it can't be renewed any more, but its keys are still there
//!   until the leader has looked for such leases, every half a second, and has revoked it.
//! - A new leader, also one that was started again, gives every lease its whole time and
//!   an election timeout more. So a dead client's lock can last for nearly twice its TTL.
//!   (Checkpoints, which keep the time left, are off by default before 3.6 and left out.)
//! - A client renews every third of the TTL, and counts its own deadline from when the
//!   reply arrives: later than the leader does, so what it believes can outlive the lease.
//!
//! See <https://github.com/etcd-io/etcd/blob/main/server/lease/lessor.go> and
//! <https://github.com/etcd-io/etcd/blob/main/client/v3/lease.go>.

use super::key::LeaseId;
use super::reply::{Failure, Limit, Reply};
use super::state::State;
use crate::system::{Time, Timer};

/// The shortest lease in seconds, with the default heartbeat of 100 ms and election
/// timeout of 1 s.
const SHORTEST_S: u16 = 2;
/// The default election timeout in microseconds.
const ELECTION_US: u64 = 1_000_000;

impl State<'_> {
    pub(super) fn grant(&mut self, id: LeaseId, ttl_s: u16, time: &mut dyn Time) -> Result<Reply, Failure> {
        if self.lease(id).is_some() {
            return Err(Failure::LeaseExists);
        }
        let timer = self.free_timer().ok_or(Failure::BeyondModel(Limit::Leases))?;
        let ttl_s = ttl_s.max(SHORTEST_S);
        self.set_lease(timer, id, ttl_s);
        self.refresh(timer, 0, time);
        Ok(Reply::Granted { id, ttl_s })
    }

    /// Gives a lease its whole time again, and some more.
    fn refresh(&mut self, timer: Timer, more_us: u64, time: &mut dyn Time) {
        self.set_over(timer, false);
        time.arm(timer, u64::from(self.ttl_s(timer)) * 1_000_000 + more_us);
    }

    /// A leader is elected.
    pub(super) fn refresh_all(&mut self, time: &mut dyn Time) {
        for timer in self.timers() {
            if self.id(timer).is_some() {
                self.refresh(timer, ELECTION_US, time);
            }
        }
    }

    /// A lease whose time is over isn't renewed: the request waits until it is revoked
    /// (`None`), and then says that it is gone.
    pub(super) fn keep_alive(&mut self, id: LeaseId, time: &mut dyn Time) -> Option<Reply> {
        let Some(timer) = self.lease(id) else { return Some(Reply::KeptAlive { ttl_s: 0 }) };
        if self.is_over(timer) {
            return None;
        }
        self.refresh(timer, 0, time);
        Some(Reply::KeptAlive { ttl_s: self.ttl_s(timer) })
    }

    /// Whole seconds, cut off. In an untimed search there is no such number, and it is 0.
    pub(super) fn time_to_live(&self, id: LeaseId, time: &dyn Time) -> Reply {
        let left_and_granted_s = self.lease(id).map(|timer| {
            let left_us = if self.is_over(timer) { 0 } else { time.told_left_us(timer).unwrap_or(0) };
            ((left_us / 1_000_000) as u16, self.ttl_s(timer))
        });
        Reply::TimeToLive { left_and_granted_s }
    }

    pub(super) fn revoke(&mut self, id: LeaseId, time: &mut dyn Time) -> Result<Reply, Failure> {
        let timer = self.lease(id).ok_or(Failure::LeaseNotFound)?;
        self.end_lease(timer, id, time);
        Ok(Reply::Header { revision: self.revision() })
    }

    /// The timer of a lease fires: its time is over, or the leader has looked.
    pub(super) fn lease_fires(&mut self, timer: Timer, time: &mut dyn Time) {
        let Some(id) = self.id(timer) else { return };
        if self.etcd.revoked_after_ms == 0 || self.is_over(timer) {
            self.end_lease(timer, id, time);
        } else {
            self.set_over(timer, true);
            time.arm(timer, u64::from(self.etcd.revoked_after_ms) * 1_000);
        }
    }

    /// A lease goes, and its keys with it as one change.
    fn end_lease(&mut self, timer: Timer, id: LeaseId, time: &mut dyn Time) {
        time.disarm(timer);
        self.clear_lease(timer);
        if self.erase_attached(id) {
            self.set_revision(self.revision() + 1);
        }
    }
}
