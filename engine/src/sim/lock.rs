//! A lease lock on one Redis node.
//!
//! - Acquiring is `SET key value NX PX ttl`: one atomic step that takes a free
//!   lock or changes nothing (<https://redis.io/docs/latest/commands/set/>). The
//!   token is counted in the same script, as `INCR` would.
//! - Releasing and renewing compare the value first, in one script, so that
//!   nobody frees or extends the lock of the next holder
//!   (<https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/>).
//! - A key carries its end as an absolute time of the node's wall clock, so a step
//!   of that clock after the grant moves the end. A constant offset does nothing.

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::scenario::{NodeIndex, Outcome};
use super::world::Cell;

/// A lock service that grants one lease at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseLock {
    /// The token of the first grant; each later grant gets one more.
    pub first_token: u16,
    /// How long a message between the service and a client takes, in microseconds.
    pub latency_us: u64,
    /// Whether a lease ends by itself. The lock on a row in a transaction doesn't, nor
    /// does a key that was set without `PX`.
    pub expires: bool,
}

/// The holder plus one, or 0.
const HOLDER: usize = 0;
/// The token of the lease that is held.
const TOKEN: usize = 1;
/// The token of the next grant.
const NEXT: usize = 2;
/// The number of cells of a lock.
pub(super) const LENGTH: usize = 3;

/// The state of a lock, as a view on its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockState {
    /// Who holds it, with which token.
    pub holder: Option<(NodeIndex, u16)>,
}

pub(super) fn state(cells: &[Cell]) -> LockState {
    let holder = cells[HOLDER].checked_sub(1).map(|node| (node as NodeIndex, cells[TOKEN]));
    LockState { holder }
}

/// Names the holder anew, after clients have changed places.
pub(super) fn rename_holder(cells: &mut [Cell], renamed: &[NodeIndex]) {
    if let Some(holder) = cells[HOLDER].checked_sub(1) {
        cells[HOLDER] = Cell::from(renamed[usize::from(holder)]) + 1;
    }
}

impl LeaseLock {
    pub(super) fn start(&self, cells: &mut [Cell]) {
        cells[NEXT] = self.first_token;
    }

    /// Grants the lease if nobody holds it.
    pub(super) fn acquire(client: NodeIndex, ttl_us: u64, cells: &mut [Cell]) -> (Outcome, Cell, Change) {
        if let Some((holder, token)) = state(cells).holder {
            return (Outcome::Busy, 0, Change::Busy { holder, token });
        }
        let token = cells[NEXT];
        cells[HOLDER] = Cell::from(client) + 1;
        cells[TOKEN] = token;
        cells[NEXT] = token.wrapping_add(1);
        (Outcome::Granted, token, Change::Granted { token, ttl_us })
    }

    /// Says whether the lease with this token is the one that is held.
    pub(super) fn check(token: u16, cells: &[Cell]) -> (Outcome, Change) {
        if holds(token, cells) {
            (Outcome::Held, Change::StillHeld { token })
        } else {
            (Outcome::Lost, Change::NotHeld { token })
        }
    }

    /// Gives the lease with this token a new term, if it is the one that is held.
    pub(super) fn renew(token: u16, ttl_us: u64, cells: &[Cell]) -> (Outcome, Change) {
        if holds(token, cells) {
            (Outcome::Held, Change::Renewed { token, ttl_us })
        } else {
            (Outcome::Lost, Change::NotHeld { token })
        }
    }

    /// Frees the lock, if it is held with this token.
    pub(super) fn release(token: u16, cells: &mut [Cell]) -> (Outcome, Change) {
        if !holds(token, cells) {
            return (Outcome::Lost, Change::NotHeld { token });
        }
        cells[HOLDER] = 0;
        cells[TOKEN] = 0;
        (Outcome::Done, Change::Freed { token })
    }

    /// Ends the lease that is held.
    pub(super) fn expire(cells: &mut [Cell]) -> Option<Change> {
        free(cells).map(|(client, token)| Change::Expired { client, token })
    }

    /// Breaks the lease that is held, whoever holds it: `DEL key`.
    pub(super) fn break_lease(cells: &mut [Cell]) -> Option<Change> {
        free(cells).map(|(client, token)| Change::Broken { client, token })
    }

    /// Forgets the holder and the counter.
    pub(super) fn forget(&self, cells: &mut [Cell]) -> Change {
        cells[..LENGTH].fill(0);
        self.start(cells);
        Change::Forgotten { next: Some(self.first_token) }
    }

    /// Says what a state is that has been brought back.
    pub(super) fn restored(cells: &[Cell]) -> Change {
        Change::LockRestored { holder: state(cells).holder, next: cells[NEXT] }
    }
}

/// The token of the next grant, which is then used up.
pub(super) fn next_token(cells: &mut [Cell]) -> Cell {
    let token = cells[NEXT].max(1);
    cells[NEXT] = token.wrapping_add(1);
    token
}

/// Notes who holds the lock, with which token. Later grants get higher ones.
pub(super) fn hold(cells: &mut [Cell], client: NodeIndex, token: Cell) {
    cells[HOLDER] = Cell::from(client) + 1;
    cells[TOKEN] = token;
    cells[NEXT] = cells[NEXT].max(token.wrapping_add(1));
}

/// Sets the token of the first grant.
pub(super) fn start_at(cells: &mut [Cell], first_token: Cell) {
    cells[NEXT] = first_token;
}

/// Frees the lock; returns who held it, with which token.
pub(super) fn free(cells: &mut [Cell]) -> Option<(NodeIndex, u16)> {
    let holder = state(cells).holder?;
    cells[HOLDER] = 0;
    cells[TOKEN] = 0;
    Some(holder)
}

fn holds(token: u16, cells: &[Cell]) -> bool {
    matches!(state(cells).holder, Some((_, held)) if held == token)
}
