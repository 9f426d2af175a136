//! The answers of the registry and of the resources.

use core::fmt;

use super::registry::LeaseState;
use super::resource::{Mode, Receipt, ResourceState};
use super::trust::{Grant, StatusProof};

/// What a resource says to a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It happened, and this is its receipt.
    Accepted(u16),
    /// It had happened under this token and segment; the first receipt.
    Replayed(u16),
    /// The same change had happened under another token or segment; its receipt.
    AlreadyAccepted(u16),
    /// What was accepted under this segment or id is something else: set aside for
    /// people to look at.
    Quarantined,
    /// The MAC doesn't fit the fields.
    Forged,
    /// The grant is for another resource.
    WrongResource,
    /// The epoch of its issuer is revoked.
    RevokedEpoch,
    /// The proof is too old.
    StatusProofExpired,
    /// The lease isn't held.
    NotHeld,
    /// The policy has changed since the grant.
    PolicyChanged,
    /// The grant belongs to somebody else.
    WrongOwner,
    /// A newer owner has written.
    StaleOwner,
    /// The registry has gone back: it calls a token the newest that isn't, or has
    /// given one token out twice. Writes stop.
    FenceRegression,
    /// A segment is missing before this one.
    SegmentGap,
    /// The model keeps no more receipts.
    ReceiptsFull,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The grant.
    Granted(Grant),
    /// Somebody else holds the resource.
    Busy,
    /// What became of the lease.
    State(LeaseState),
    /// The lease isn't the latest one of its resource.
    NotHeld,
    /// The registry has no such request, or has forgotten it.
    UnknownRequest,
    /// The proof that a lease is held.
    Proof(StatusProof),
    /// The epoch that begins.
    Epoch(u16),
    /// The generation that begins.
    Policy(u16),
    /// The revision that was copied.
    SnapshotAt(u16),
    /// The revision that was put back.
    RestoredTo(u16),
    /// There is no copy to put back.
    NoSnapshot,
    /// Writes may go on, with tokens above this one.
    ResumedAbove(u16),
    /// Verdicts count from now on.
    Enforcing,
    /// The verdict on a change, by a resource that acts on it.
    Verdict(Verdict),
    /// The verdict on a change that happened, since the resource doesn't act on it.
    ShadowVerdict(Verdict),
    /// The receipt of an operation, if it has one, and the highest token.
    Receipt(Option<Receipt>, u16),
    /// A resource.
    Resource(ResourceState),
    /// The caller has no grant to show.
    NoGrant,
    /// A counter or the keys of the issuer are used up.
    Exhausted,
    /// The answer didn't arrive.
    Lost,
}

impl Verdict {
    /// Its name, without the number of a receipt.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted(_) => "ACCEPTED",
            Self::Replayed(_) => "REPLAYED",
            Self::AlreadyAccepted(_) => "ALREADY_ACCEPTED",
            Self::Quarantined => "QUARANTINED",
            Self::Forged => "FORGED",
            Self::WrongResource => "WRONG_RESOURCE",
            Self::RevokedEpoch => "REVOKED_EPOCH",
            Self::StatusProofExpired => "STATUS_PROOF_EXPIRED",
            Self::NotHeld => "NOT_HELD",
            Self::PolicyChanged => "POLICY_CHANGED",
            Self::WrongOwner => "WRONG_OWNER",
            Self::StaleOwner => "STALE_OWNER",
            Self::FenceRegression => "FENCE_REGRESSION",
            Self::SegmentGap => "SEGMENT_GAP",
            Self::ReceiptsFull => "RECEIPTS_FULL",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Accepted(receipt) | Self::Replayed(receipt) | Self::AlreadyAccepted(receipt) => {
                write!(f, " receipt-{receipt}")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for LeaseState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held => "HELD",
            Self::Expired => "EXPIRED",
            Self::Released => "RELEASED",
        })
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Granted(grant) => write!(f, "HELD lease-{} fence-{}", grant.lease, grant.fence),
            Self::Busy => write!(f, "BUSY"),
            Self::State(state) => write!(f, "{state}"),
            Self::NotHeld => write!(f, "NOT_HELD"),
            Self::UnknownRequest => write!(f, "UNKNOWN_REQUEST"),
            Self::Proof(proof) => write!(f, "HELD@revision-{}", proof.revision),
            Self::Epoch(epoch) => write!(f, "epoch-{epoch}"),
            Self::Policy(policy) => write!(f, "policy-{policy}"),
            Self::SnapshotAt(revision) => write!(f, "snapshot@revision-{revision}"),
            Self::RestoredTo(revision) => write!(f, "restored@revision-{revision}"),
            Self::NoSnapshot => write!(f, "no snapshot"),
            Self::ResumedAbove(highest) => write!(f, "resumed above fence-{highest}"),
            Self::Enforcing => write!(f, "enforcing"),
            Self::Verdict(verdict) => write!(f, "{verdict}"),
            Self::ShadowVerdict(verdict) => write!(f, "happened, would be {verdict}"),
            Self::Receipt(Some(receipt), _) => {
                write!(f, "receipt-{} fence-{} segment-{}", receipt.number, receipt.fence, receipt.segment)
            }
            Self::Receipt(None, highest) => write!(f, "no receipt, highest fence-{highest}"),
            Self::Resource(state) => write!(f, "{state}"),
            Self::NoGrant => write!(f, "no grant"),
            Self::Exhausted => write!(f, "exhausted"),
            Self::Lost => write!(f, "(lost)"),
        }
    }
}

impl fmt::Display for ResourceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = self.value {
            write!(f, "{value} ")?;
        }
        write!(f, "changes-{} fence-{} segment-{}", self.changes, self.highest, self.segment)?;
        if self.quarantined > 0 {
            write!(f, " quarantined-{}", self.quarantined)?;
        }
        if self.mode == Mode::Shadow {
            write!(f, " shadowed-{}", self.shadowed)?;
        }
        if self.halted { write!(f, " HALTED") } else { Ok(()) }
    }
}
