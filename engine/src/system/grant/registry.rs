//! The registry: it grants leases, renews them, and says which one is held.
//!
//! It is linearizable: each command is one step, and each change makes a new
//! revision. A grant whose revision, lease or token would be above 65,535 is
//! refused; what ends a lease at the last revision stays in it.
//!
//! Its state can be copied, and the copy be put back later; then everything that
//! happened between the two is unknown to it, its counter of fencing tokens
//! included. The epoch of the issuer isn't part of the copy.

use super::reply::Reply;
use super::trust::Grant;
use crate::system::Cell;
use crate::system::names::Word;
use crate::system::{Caller, Time, Timer};

// The cells of the registry: those of a copy first, then the same again, then two more.
const REVISION: usize = 0;
const LEASES: usize = 1;
const POLICY: usize = 2;
const RECORDS: usize = 3;

// The cells of a record: the last token given out, the state of its grant, the grant.
const LAST_FENCE: usize = 0;
const STATE: usize = 1;
const GRANT: usize = 2;
const RECORD: usize = GRANT + Grant::LENGTH;

/// What became of the latest grant of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    /// It is held.
    Held,
    /// Its time ran out.
    Expired,
    /// Its owner gave it back.
    Released,
}

/// A view of the registry's cells.
pub(super) struct Registry<'a> {
    cells: &'a mut [Cell],
    resources: usize,
}

/// What a client wants to be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The resource, counted from 0.
    pub resource: usize,
    /// The id of the request: one for each attempt, the same when it is repeated.
    pub request: Word,
    /// What all segments of the operation will have in common.
    pub root: Word,
    /// How long the lease shall last, in milliseconds.
    pub ttl_ms: u16,
}

pub(super) fn length(resources: usize) -> usize {
    2 * copy_length(resources) + 2
}

fn copy_length(resources: usize) -> usize {
    RECORDS + resources * RECORD
}

impl<'a> Registry<'a> {
    pub fn new(cells: &'a mut [Cell], resources: usize) -> Self {
        Self { cells, resources }
    }

    pub fn start(&mut self) {
        self.cells[POLICY] = 1;
        *self.epoch_mut() = 1;
    }

    /// Everything is gone but the epoch, which the trust bundle's owners know too.
    pub fn forget(&mut self) {
        let epoch = self.epoch();
        self.cells.fill(0);
        self.start();
        *self.epoch_mut() = epoch;
    }

    /// The epoch in force; those before it are revoked.
    pub fn epoch(&self) -> u16 {
        self.cells[2 * copy_length(self.resources)]
    }

    fn epoch_mut(&mut self) -> &mut Cell {
        &mut self.cells[2 * copy_length(self.resources)]
    }

    /// The generation of the policy in force.
    pub fn policy(&self) -> u16 {
        self.cells[POLICY]
    }

    pub fn revision(&self) -> u16 {
        self.cells[REVISION]
    }

    fn record(&self, resource: usize) -> &[Cell] {
        &self.cells[RECORDS + resource * RECORD..][..RECORD]
    }

    fn record_mut(&mut self, resource: usize) -> &mut [Cell] {
        &mut self.cells[RECORDS + resource * RECORD..][..RECORD]
    }

    /// The latest grant of a resource, and what became of it.
    pub fn latest(&self, resource: usize) -> Option<(LeaseState, Grant)> {
        let record = self.record(resource);
        let state = match record[STATE] {
            1 => LeaseState::Held,
            2 => LeaseState::Expired,
            3 => LeaseState::Released,
            _ => return None,
        };
        Some((state, Grant::from_cells(&record[GRANT..])?))
    }

    /// Whether this very grant is held.
    pub fn holds(&self, grant: &Grant) -> bool {
        usize::from(grant.resource) < self.resources
            && self.latest(grant.resource.into()) == Some((LeaseState::Held, *grant))
    }

    /// Grants a free resource. A request that is repeated gets its grant again while
    /// that is held, and nothing afterwards.
    pub fn acquire(&mut self, owner: Caller, wish: Wish, time: &mut dyn Time) -> Result<Grant, Reply> {
        let Wish { resource, request, root, ttl_ms } = wish;
        if let Some((state, latest)) = self.latest(resource) {
            let repeated = (latest.owner, latest.request) == (owner, request);
            match state {
                LeaseState::Held if repeated => return Ok(latest),
                LeaseState::Held => return Err(Reply::Busy),
                _ if repeated => return Err(Reply::State(state)),
                _ => {}
            }
        }
        let next = |count: Cell| count.checked_add(1).ok_or(Reply::Exhausted);
        let fence = next(self.record(resource)[LAST_FENCE])?;
        let lease = next(self.cells[LEASES])?;
        let revision = next(self.cells[REVISION])?;
        let (policy, epoch) = (self.policy(), self.epoch());
        let resource_number = resource as u16;
        let grant =
            Grant { resource: resource_number, owner, request, lease, root, fence, revision, policy, epoch, ttl_ms };
        self.cells[LEASES] = lease;
        self.cells[REVISION] = revision;
        let record = self.record_mut(resource);
        record[LAST_FENCE] = fence;
        record[STATE] = LeaseState::Held.cell();
        record[GRANT..].copy_from_slice(&grant.cells());
        time.arm(resource as Timer, u64::from(ttl_ms) * 1000);
        Ok(grant)
    }

    /// Gives a lease that is held a new term.
    pub fn renew(&mut self, grant: &Grant, time: &mut dyn Time) -> Reply {
        if !self.holds(grant) {
            return self.state_of(grant);
        }
        time.arm(grant.resource as Timer, u64::from(grant.ttl_ms) * 1000);
        Reply::State(LeaseState::Held)
    }

    /// Frees a resource whose lease is held.
    pub fn release(&mut self, grant: &Grant, time: &mut dyn Time) -> Reply {
        if !self.holds(grant) {
            return self.state_of(grant);
        }
        time.disarm(grant.resource as Timer);
        self.end(grant.resource.into(), LeaseState::Released);
        Reply::State(LeaseState::Released)
    }

    /// What became of a grant that isn't held: only the latest one is remembered.
    fn state_of(&self, grant: &Grant) -> Reply {
        match self.latest(grant.resource.into()) {
            Some((state, latest)) if latest == *grant => Reply::State(state),
            _ => Reply::NotHeld,
        }
    }

    /// The lease of a resource ends.
    pub fn expire(&mut self, resource: usize) {
        if let Some((LeaseState::Held, _)) = self.latest(resource) {
            self.end(resource, LeaseState::Expired);
        }
    }

    fn end(&mut self, resource: usize, state: LeaseState) {
        self.record_mut(resource)[STATE] = state.cell();
        self.cells[REVISION] = self.cells[REVISION].saturating_add(1);
    }

    /// Revokes the epoch in force: a new one begins, if there is a key for it.
    pub fn revoke_epoch(&mut self, epochs: u16) -> Reply {
        if self.epoch() >= epochs {
            return Reply::Exhausted;
        }
        *self.epoch_mut() += 1;
        Reply::Epoch(self.epoch())
    }

    /// Puts a new generation of the policy in force.
    pub fn change_policy(&mut self) -> Reply {
        let Some(next) = self.policy().checked_add(1) else { return Reply::Exhausted };
        self.cells[POLICY] = next;
        self.cells[REVISION] = self.cells[REVISION].saturating_add(1);
        Reply::Policy(next)
    }

    /// Copies the state, in place of an earlier copy.
    pub fn take_snapshot(&mut self) -> Reply {
        let length = copy_length(self.resources);
        self.cells.copy_within(..length, length);
        self.cells[2 * length + 1] = 1;
        Reply::SnapshotAt(self.revision())
    }

    /// Puts the copy back. A lease that was held then is held again, for a full term.
    pub fn restore_snapshot(&mut self, time: &mut dyn Time) -> Reply {
        let length = copy_length(self.resources);
        if self.cells[2 * length + 1] == 0 {
            return Reply::NoSnapshot;
        }
        self.cells.copy_within(length..2 * length, 0);
        for resource in 0..self.resources {
            match self.latest(resource) {
                Some((LeaseState::Held, grant)) => time.arm(resource as Timer, u64::from(grant.ttl_ms) * 1000),
                _ => time.disarm(resource as Timer),
            }
        }
        Reply::RestoredTo(self.revision())
    }

    /// Makes the next token of a resource greater than `highest`, and takes a grant
    /// back whose token isn't.
    pub fn continue_above(&mut self, resource: usize, highest: u16, time: &mut dyn Time) {
        if self.record(resource)[LAST_FENCE] > highest {
            return;
        }
        if let Some((LeaseState::Held, _)) = self.latest(resource) {
            time.disarm(resource as Timer);
            self.end(resource, LeaseState::Expired);
        }
        self.record_mut(resource)[LAST_FENCE] = highest;
    }
}

impl LeaseState {
    fn cell(self) -> Cell {
        match self {
            Self::Held => 1,
            Self::Expired => 2,
            Self::Released => 3,
        }
    }
}
