//! The resource: the only place where a write is accepted or refused for good.
//!
//! It keeps the highest fencing token that it has accepted, the grant and the last
//! segment under it, and a receipt for each accepted segment. The business change,
//! the segment and the receipt are one transaction.

use super::check::Check;
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
pub(super) struct Resource<'a> {
    pub cells: &'a mut [Cell],
    /// A check that it leaves out.
    pub without: Option<Check>,
}

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
    let makes = |check| resource.makes(check);
    let admitted =
        is_authentic(trust, presented, mutation, &makes).and_then(|()| is_held(trust, registry, presented, &makes));
    let verdict = match admitted {
        Err(refusal) => refusal,
        Ok(()) if makes(Check::Owner) && caller != presented.grant.owner => Verdict::WrongOwner,
        Ok(()) => resource.judge(presented, mutation),
    };
    resource.settle(verdict, presented, mutation)
}

fn is_authentic(
    trust: &TrustBundle,
    presented: &Presented,
    mutation: &Mutation,
    makes: &dyn Fn(Check) -> bool,
) -> Result<(), Verdict> {
    if makes(Check::Authenticity) && !trust.verifies(&presented.grant, &presented.mac) {
        return Err(Verdict::Forged);
    }
    if makes(Check::Resource) && usize::from(presented.grant.resource) != mutation.resource {
        return Err(Verdict::WrongResource);
    }
    Ok(())
}

fn is_held(
    trust: &TrustBundle,
    registry: &Registry,
    presented: &Presented,
    makes: &dyn Fn(Check) -> bool,
) -> Result<(), Verdict> {
    let grant = &presented.grant;
    let is_revoked = |epoch| makes(Check::Epoch) && epoch < registry.epoch();
    if is_revoked(grant.epoch) {
        return Err(Verdict::RevokedEpoch);
    }
    if !makes(Check::Status) {
        return Ok(());
    }
    let (held, policy) = match presented.status {
        Status::Query => (registry.holds(grant), registry.policy()),
        Status::Missing => return Err(Verdict::NotHeld),
        Status::Proof { proof, mac, .. } if makes(Check::Authenticity) && !trust.verifies(&proof, &mac) => {
            return Err(Verdict::Forged);
        }
        Status::Proof { fresh: false, .. } => return Err(Verdict::StatusProofExpired),
        Status::Proof { proof, .. } if is_revoked(proof.epoch) => return Err(Verdict::RevokedEpoch),
        Status::Proof { proof, .. } => {
            ((proof.resource, proof.grant) == (grant.resource, digest(&presented.mac)), proof.policy)
        }
    };
    if !held {
        return Err(Verdict::NotHeld);
    }
    if makes(Check::Policy) && grant.policy != policy {
        return Err(Verdict::PolicyChanged);
    }
    Ok(())
}

impl Resource<'_> {
    fn makes(&self, check: Check) -> bool {
        self.without != Some(check)
    }

    pub fn state(&self) -> ResourceState {
        ResourceState {
            highest: self.cells[HIGHEST],
            root: Word::from_cell(self.cells[ROOT]),
            segment: self.cells[SEGMENT],
            halted: self.cells[HALTED] != 0,
            mode: if self.cells[ENFORCING] != 0 { Mode::Enforcing } else { Mode::Shadow },
            value: Word::from_cell(self.cells[VALUE]),
            changes: self.cells[CHANGES],
            quarantined: self.cells[QUARANTINED],
            shadowed: self.cells[SHADOWED],
            receipts: self.cells[RECEIPTS],
        }
    }

    /// From now on verdicts count. Nothing takes this back.
    pub fn enforce(&mut self) {
        self.cells[ENFORCING] = 1;
    }

    /// Lets writes go on. The highest token stays what it is.
    pub fn resume(&mut self) {
        self.cells[HALTED] = 0;
    }

    fn receipts(&self) -> impl Iterator<Item = (Word, Receipt)> {
        let used = self.cells[FIRST_RECEIPT..].chunks_exact(RECEIPT).take(self.cells[RECEIPTS].into());
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
        let highest = self.cells[HIGHEST];
        if self.makes(Check::Halt) && self.cells[HALTED] != 0 {
            return Verdict::FenceRegression;
        }
        if self.makes(Check::Fence) && fence < highest {
            // The registry itself says that this grant is the newest one: it has gone back.
            return if presented.status == Status::Query { Verdict::FenceRegression } else { Verdict::StaleOwner };
        }
        let is_holders = self.cells[DIGEST..][..2] == digest(&presented.mac);
        if self.makes(Check::Digest) && fence == highest && !is_holders {
            return Verdict::FenceRegression;
        }
        let accepted =
            self.receipts().find(|(_, receipt)| (receipt.fence, receipt.segment) == (fence, mutation.segment));
        if let Some((operation, receipt)) = accepted.filter(|_| self.makes(Check::Receipt)) {
            let same = (operation, receipt.payload) == (mutation.operation, mutation.payload);
            return if same { Verdict::Replayed(receipt.number) } else { Verdict::Quarantined };
        }
        let last = if fence == highest { self.cells[SEGMENT] } else { 0 };
        if self.makes(Check::Segment) && last.checked_add(1) != Some(mutation.segment) {
            return Verdict::SegmentGap;
        }
        match self.receipt_of(mutation.operation).filter(|_| self.makes(Check::Receipt)) {
            Some(receipt) if receipt.payload == mutation.payload => Verdict::AlreadyAccepted(receipt.number),
            Some(_) => Verdict::Quarantined,
            None if length(self.cells[RECEIPTS].into()) >= self.cells.len() => Verdict::ReceiptsFull,
            None => Verdict::Accepted(self.cells[RECEIPTS] + 1),
        }
    }

    /// Makes a verdict come true, or lets a refused change happen all the same.
    fn settle(&mut self, verdict: Verdict, presented: &Presented, mutation: &Mutation) -> Verdict {
        match verdict {
            Verdict::Accepted(_) => {
                let Grant { fence, root, .. } = presented.grant;
                let receipt = [fence, mutation.segment, mutation.operation.to_cell(), mutation.payload.to_cell()];
                let at = length(self.cells[RECEIPTS].into());
                self.cells[at..at + RECEIPT].copy_from_slice(&receipt);
                self.cells[RECEIPTS] += 1;
                self.cells[HIGHEST] = fence;
                self.cells[ROOT] = root.to_cell();
                self.cells[DIGEST..][..2].copy_from_slice(&digest(&presented.mac));
                self.cells[SEGMENT] = mutation.segment;
                self.change(mutation.payload);
            }
            Verdict::Replayed(_) | Verdict::AlreadyAccepted(_) => {}
            _ if self.cells[ENFORCING] == 0 => {
                self.cells[SHADOWED] = self.cells[SHADOWED].saturating_add(1);
                self.change(mutation.payload);
            }
            Verdict::Quarantined => self.cells[QUARANTINED] = self.cells[QUARANTINED].saturating_add(1),
            Verdict::FenceRegression => self.cells[HALTED] = 1,
            _ => {}
        }
        verdict
    }

    fn change(&mut self, payload: Word) {
        self.cells[VALUE] = payload.to_cell();
        self.cells[CHANGES] = self.cells[CHANGES].saturating_add(1);
    }
}
