//! Redlock: a lock on most of several Redis nodes that know nothing of each other.
//!
//! All of it happens in the client
//! (<https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/>):
//!
//! 1. It reads its clock, and sends every node `SET key value NX PX lease`, with one
//!    random value.
//! 2. When the answers are in, or a node has had its time, it reads its clock again
//!    and decides: [`Library::decide`].
//! 3. If it doesn't hold the lock, it releases on all nodes, those that refused or
//!    didn't answer too, waits a random delay and tries again.
//!
//! It extends by asking every node to give the key a new end if it has the client's
//! value, and decides in the same way. Releasing is a compare-and-delete on every
//! node. Both are scripts of [`super::redis`].
//!
//! The decision is all there is in here; the nodes are [`super::redis::Redis`] each.
//! There is no fencing token: the value is random and says no order. And the lock
//! excludes others only while the holder keeps within [`Decision::validity_us`], no
//! node's wall clock is stepped, and no node that has lost its keys comes back
//! sooner than the longest lease after that.

mod library;

pub use library::{Accepts, ClientClock, Delay, Drift, ExtendAfterEnd, Library, OnFailedNode, Rounding, Rounds};

use super::redis::{Answer, Reply};

/// What a client knows of a node's vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// The node has said yes.
    Granted,
    /// The node has said no.
    Refused,
    /// The node has answered with an error, or not in time. It may have done it all the
    /// same.
    Failed,
}

impl Vote {
    /// The vote in an answer to `SET … NX`, or to a script that answers 1 or 0. `None`
    /// is no answer.
    pub fn of(reply: Option<&Reply>) -> Self {
        match reply {
            Some(Reply::One(Answer::Ok | Answer::Integer(1))) => Self::Granted,
            Some(Reply::One(Answer::Nil | Answer::Integer(_))) => Self::Refused,
            _ => Self::Failed,
        }
    }
}

/// What a client's two clocks show at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The wall clock, in microseconds; it can be stepped.
    pub wall_us: i64,
    /// The monotonic clock, in microseconds.
    pub monotonic_us: i64,
}

/// What came of one round of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// How many nodes have said yes.
    pub votes: usize,
    /// How many are a majority.
    pub quorum: usize,
    /// How long the round took by the client's clock, in microseconds. It is negative
    /// if a wall clock was stepped back meanwhile.
    pub elapsed_us: i64,
    /// What was taken off for drift, in microseconds.
    pub drift_us: i64,
    /// How much of the lease is left, in microseconds: lease − elapsed − drift.
    pub validity_us: i64,
    /// When nothing of the lease is left, as a reading of the library's clock, in
    /// microseconds.
    pub until_us: i64,
    /// What the caller of the library is told.
    pub verdict: Verdict,
}

/// What the caller of a library is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has the lock.
    Held,
    /// It doesn't. When every node is asked to release says [`Library::rounds`].
    Refused,
    /// It is told an error, and nothing was released: the nodes that said yes keep the
    /// key until its end.
    Raised,
}

impl Library {
    /// Decides whether the client has the lock after a round: one vote for each node,
    /// and the readings before the first node was asked (in the first round, if
    /// [`Library::rounds`] are joined) and after the last answer. It is the same for
    /// taking and for extending.
    ///
    /// Time that passes before the second reading is noticed; time after it is not.
    pub fn decide(&self, lease_us: u64, start: Reading, end: Reading, votes: &[Vote]) -> Decision {
        let granted = votes.iter().filter(|vote| **vote == Vote::Granted).count();
        let quorum = quorum(votes.len());
        let now_us = self.read(end);
        let elapsed_us = now_us.saturating_sub(self.read(start));
        let drift_us = self.drift_us(lease_us);
        let validity_us = signed(lease_us).saturating_sub(elapsed_us).saturating_sub(drift_us);
        let is_in_time = match self.accepts {
            Accepts::QuorumAndTimeLeft => validity_us > 0,
            Accepts::QuorumAndNotBeyondEnd => validity_us >= 0,
            Accepts::QuorumAlone => true,
        };
        let raises = self.on_failed_node == OnFailedNode::Raises && votes.contains(&Vote::Failed);
        let verdict = match granted >= quorum && is_in_time {
            true if raises => Verdict::Raised,
            true => Verdict::Held,
            false => Verdict::Refused,
        };
        let until_us = now_us.saturating_add(validity_us);
        Decision { votes: granted, quorum, elapsed_us, drift_us, validity_us, until_us, verdict }
    }

    /// What is taken off a lease for drift, in microseconds.
    pub fn drift_us(&self, lease_us: u64) -> i64 {
        let Drift::Hundredth { rounding, plus_us } = self.drift else { return 0 };
        let hundredth_us = match rounding {
            Rounding::Down => lease_us / 100_000 * 1_000,
            Rounding::Nearest => lease_us.saturating_add(50_000) / 100_000 * 1_000,
            Rounding::Exact => lease_us / 100,
        };
        signed(hundredth_us.saturating_add(plus_us))
    }

    /// What the library's clock shows, as finely as it is read, in microseconds.
    pub fn read(&self, reading: Reading) -> i64 {
        let us = match self.clock {
            ClientClock::Wall => reading.wall_us,
            ClientClock::Monotonic => reading.monotonic_us,
        };
        us.saturating_sub(us.rem_euclid(signed(self.resolution_us.max(1))))
    }
}

impl Decision {
    /// Whether the lock is still good, by the only thing that a client can trust: the
    /// time that is left. `now_us` is a reading of the library's clock.
    pub fn is_good_at(&self, now_us: i64) -> bool {
        self.verdict == Verdict::Held && now_us < self.until_us
    }
}

/// How many of so many nodes are a majority.
pub fn quorum(nodes: usize) -> usize {
    nodes / 2 + 1
}

/// What redsync's `Valid()` says: whether most nodes have answered that they hold the
/// client's value. It doesn't ask when: by the time the last answer is in, the keys
/// that the first ones spoke of may be gone. It is deprecated for that reason
/// (<https://github.com/go-redsync/redsync/issues/72>); [`Decision::is_good_at`] asks
/// the time instead.
pub fn valid_by_votes(votes: &[Vote]) -> bool {
    votes.iter().filter(|vote| **vote == Vote::Granted).count() >= quorum(votes.len())
}

fn signed(us: u64) -> i64 {
    i64::try_from(us).unwrap_or(i64::MAX)
}
