//! The resource: the only place where a write is accepted or refused for good.
//!
//! It keeps the highest fencing token that it has accepted, the grant and the last
//! segment under it, and a receipt for each accepted segment. The business change,
//! the segment and the receipt are one transaction.

use super::registry::Registry;
use super::reply::Verdict;
use super::trust::{Grant, Mac, StatusProof, TrustBundle, digest};
use crate::system::Caller;
use crate::system::Cell;
use crate::system::names::Word;

// The cells of a resource.
const HIGHEST: usize = 0;
const ROOT: usize = 1;
const DIGEST: usize = 2; // and one more
const SEGMENT: usize = 4;
const HALTED: usize = 5;
const ENFORCING: usize = 6;
const VALUE: usize = 7;
const CHANGES: usize = 8;
const QUARANTINED: usize = 9;
const SHADOWED: usize = 10;
const RECEIPTS: usize = 11;
const FIRST_RECEIPT: usize = 12;
/// The cells of a receipt: fence, segment, operation, payload.
const RECEIPT: usize = 4;

/// Whether a resource acts on its verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It counts what it would refuse, and lets it happen.
    Shadow,
    /// It refuses.
    Enforcing,
}

/// A change that a client asks for: one segment of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The resource, counted from 0.
    pub resource: usize,
    /// The place of this segment in the operation, from 1.
    pub segment: u16,
    /// The id of this change. Whoever does it over uses the same.
    pub operation: Word,
    /// What the value becomes.
    pub payload: Word,
}

/// What a client shows with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presented {
    /// The grant, as it arrives.
    pub grant: Grant,
    /// The MAC that came with it.
    pub mac: Mac,
    /// How the resource learns that it is held.
    pub status: Status,
}

/// How the resource learns that a grant is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It asks the registry, in the same step.
    Query,
    /// It was shown a proof, which is still good or not.
    Proof {
        /// The proof.
        proof: StatusProof,
        /// The MAC that came with it.
        mac: Mac,
        /// Whether it is recent enough.
        fresh: bool,
    },
    /// It was to be shown a proof, and there is none.
    Missing,
}

/// What a resource looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceState {
    /// The highest token that was accepted, or 0.
    pub highest: u16,
    /// The operation under it.
    pub root: Option<Word>,
    /// Its last segment.
    pub segment: u16,
    /// Whether writes are stopped because a token went back.
    pub halted: bool,
    /// Whether it acts on its verdicts.
    pub mode: Mode,
    /// The value.
    pub value: Option<Word>,
    /// How many changes the value has seen, up to 65,535.
    pub changes: u16,
    /// How many mutations were set aside for people to look at, up to 65,535.
    pub quarantined: u16,
    /// How many mutations happened only because of the shadow mode, up to 65,535.
    pub shadowed: u16,
    /// How many receipts there are.
    pub receipts: u16,
}

/// A receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its number, from 1.
    pub number: u16,
    /// The token under which the change was accepted.
    pub fence: u16,
    /// Its segment.
    pub segment: u16,
    /// What the value became.
    pub payload: Word,
}

/// A view of a resource's cells.
pub(super) struct Resource<'a>(pub &'a mut [Cell]);

pub(super) fn length(receipts: usize) -> usize {
    FIRST_RECEIPT + receipts * RECEIPT
}

/// Judges a change in this order: is the grant authentic and for this resource, is
/// it held, is the caller its owner, is its token the newest, is this the next
/// segment. Then the change, the segment and the receipt happen together.
///
/// What fails before the token is looked at changes nothing but the count of a shadow.
pub(super) fn apply_fenced_mutation(
    trust: &TrustBundle,
    registry: &Registry,
    resource: &mut Resource,
    caller: Caller,
    presented: &Presented,
    mutation: &Mutation,
) -> Verdict {
    let admitted = is_authentic(trust, presented, mutation).and_then(|()| is_held(trust, registry, presented));
    let verdict = match admitted {
        Err(refusal) => refusal,
        Ok(()) if caller != presented.grant.owner => Verdict::WrongOwner,
        Ok(()) => resource.judge(presented, mutation),
    };
    resource.settle(verdict, presented, mutation)
}

fn is_authentic(trust: &TrustBundle, presented: &Presented, mutation: &Mutation) -> Result<(), Verdict> {
    if !trust.verifies(&presented.grant, &presented.mac) {
        return Err(Verdict::Forged);
    }
    if usize::from(presented.grant.resource) != mutation.resource {
        return Err(Verdict::WrongResource);
    }
    Ok(())
}

fn is_held(trust: &TrustBundle, registry: &Registry, presented: &Presented) -> Result<(), Verdict> {
    let grant = &presented.grant;
    if grant.epoch < registry.epoch() {
        return Err(Verdict::RevokedEpoch);
    }
    let (held, policy) = match presented.status {
        Status::Query => (registry.holds(grant), registry.policy()),
        Status::Missing => return Err(Verdict::NotHeld),
        Status::Proof { proof, mac, .. } if !trust.verifies(&proof, &mac) => return Err(Verdict::Forged),
        Status::Proof { fresh: false, .. } => return Err(Verdict::StatusProofExpired),
        Status::Proof { proof, .. } if proof.epoch < registry.epoch() => return Err(Verdict::RevokedEpoch),
        Status::Proof { proof, .. } => {
            ((proof.resource, proof.grant) == (grant.resource, digest(&presented.mac)), proof.policy)
        }
    };
    if !held {
        return Err(Verdict::NotHeld);
    }
    if grant.policy != policy {
        return Err(Verdict::PolicyChanged);
    }
    Ok(())
}

impl Resource<'_> {
    pub fn state(&self) -> ResourceState {
        ResourceState {
            highest: self.0[HIGHEST],
            root: Word::from_cell(self.0[ROOT]),
            segment: self.0[SEGMENT],
            halted: self.0[HALTED] != 0,
            mode: if self.0[ENFORCING] != 0 { Mode::Enforcing } else { Mode::Shadow },
            value: Word::from_cell(self.0[VALUE]),
            changes: self.0[CHANGES],
            quarantined: self.0[QUARANTINED],
            shadowed: self.0[SHADOWED],
            receipts: self.0[RECEIPTS],
        }
    }

    /// From now on verdicts count. Nothing takes this back.
    pub fn enforce(&mut self) {
        self.0[ENFORCING] = 1;
    }

    /// Lets writes go on. The highest token stays what it is.
    pub fn resume(&mut self) {
        self.0[HALTED] = 0;
    }

    fn receipts(&self) -> impl Iterator<Item = (Word, Receipt)> {
        let used = self.0[FIRST_RECEIPT..].chunks_exact(RECEIPT).take(self.0[RECEIPTS].into());
        (1..).zip(used).filter_map(|(number, cells)| {
            let (operation, payload) = (Word::from_cell(cells[2])?, Word::from_cell(cells[3])?);
            Some((operation, Receipt { number, fence: cells[0], segment: cells[1], payload }))
        })
    }

    /// The receipt of an operation.
    pub fn receipt_of(&self, operation: Word) -> Option<Receipt> {
        self.receipts().find(|&(of, _)| of == operation).map(|(_, receipt)| receipt)
    }

    /// The verdict on a change of an owner whose grant is held.
    fn judge(&self, presented: &Presented, mutation: &Mutation) -> Verdict {
        let fence = presented.grant.fence;
        let highest = self.0[HIGHEST];
        if self.0[HALTED] != 0 {
            return Verdict::FenceRegression;
        }
        if fence < highest {
            // The registry itself says that this grant is the newest one: it has gone back.
            return if presented.status == Status::Query { Verdict::FenceRegression } else { Verdict::StaleOwner };
        }
        if fence == highest && self.0[DIGEST..][..2] != digest(&presented.mac) {
            return Verdict::FenceRegression;
        }
        let accepted =
            self.receipts().find(|(_, receipt)| (receipt.fence, receipt.segment) == (fence, mutation.segment));
        if let Some((operation, receipt)) = accepted {
            let same = (operation, receipt.payload) == (mutation.operation, mutation.payload);
            return if same { Verdict::Replayed(receipt.number) } else { Verdict::Quarantined };
        }
        let last = if fence == highest { self.0[SEGMENT] } else { 0 };
        if last.checked_add(1) != Some(mutation.segment) {
            return Verdict::SegmentGap;
        }
        match self.receipt_of(mutation.operation) {
            Some(receipt) if receipt.payload == mutation.payload => Verdict::AlreadyAccepted(receipt.number),
            Some(_) => Verdict::Quarantined,
            None if length(self.0[RECEIPTS].into()) >= self.0.len() => Verdict::ReceiptsFull,
            None => Verdict::Accepted(self.0[RECEIPTS] + 1),
        }
    }

    /// Makes a verdict come true, or lets a refused change happen all the same.
    fn settle(&mut self, verdict: Verdict, presented: &Presented, mutation: &Mutation) -> Verdict {
        match verdict {
            Verdict::Accepted(_) => {
                let Grant { fence, root, .. } = presented.grant;
                let receipt = [fence, mutation.segment, mutation.operation.to_cell(), mutation.payload.to_cell()];
                let at = length(self.0[RECEIPTS].into());
                self.0[at..at + RECEIPT].copy_from_slice(&receipt);
                self.0[RECEIPTS] += 1;
                self.0[HIGHEST] = fence;
                self.0[ROOT] = root.to_cell();
                self.0[DIGEST..][..2].copy_from_slice(&digest(&presented.mac));
                self.0[SEGMENT] = mutation.segment;
                self.change(mutation.payload);
            }
            Verdict::Replayed(_) | Verdict::AlreadyAccepted(_) => {}
            _ if self.0[ENFORCING] == 0 => {
                self.0[SHADOWED] = self.0[SHADOWED].saturating_add(1);
                self.change(mutation.payload);
            }
            Verdict::Quarantined => self.0[QUARANTINED] = self.0[QUARANTINED].saturating_add(1),
            Verdict::FenceRegression => self.0[HALTED] = 1,
            _ => {}
        }
        verdict
    }

    fn change(&mut self, payload: Word) {
        self.0[VALUE] = payload.to_cell();
        self.0[CHANGES] = self.0[CHANGES].saturating_add(1);
    }
}
