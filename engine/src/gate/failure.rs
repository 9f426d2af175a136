//! What goes wrong in the schedules of the gate.

/// A kind of failure or attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// An owner stands still for longer than its lease, just before it writes.
    OwnerPaused,
    /// The answer to a renewal is lost.
    RenewalReplyLost,
    /// An owner gives its lease back while a write of its is on its way, and asks anew.
    ReleasedAndReacquired,
    /// The segment after the next one is sent first.
    SegmentOutOfOrder,
    /// A segment arrives twice.
    SegmentTwice,
    /// A segment arrives again with another payload.
    SegmentChanged,
    /// A write is on its way for longer than its lease lasts.
    MessageDelayed,
    /// The registry gets an older state back.
    RegistrySetBack,
    /// The answer to a write is lost.
    AcknowledgementLost,
    /// A grant with a token above all others, signed with a key of somebody else.
    TokenForged,
    /// A field of a genuine grant is altered.
    GrantTampered,
    /// A genuine grant or proof is shown to another resource.
    ProofOfAnotherResource,
    /// The epoch of the issuer is revoked while its grants are in use.
    EpochRevoked,
    /// The policy changes while grants are in use.
    PolicyChanged,
    /// Somebody shows a grant of somebody else.
    GrantOfAnother,
    /// A write is shown again long after its lease and its proof are over.
    OldProof,
}

impl Failure {
    /// How many kinds there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All kinds.
    pub const ALL: [Self; 16] = [
        Self::OwnerPaused,
        Self::RenewalReplyLost,
        Self::ReleasedAndReacquired,
        Self::SegmentOutOfOrder,
        Self::SegmentTwice,
        Self::SegmentChanged,
        Self::MessageDelayed,
        Self::RegistrySetBack,
        Self::AcknowledgementLost,
        Self::TokenForged,
        Self::GrantTampered,
        Self::ProofOfAnotherResource,
        Self::EpochRevoked,
        Self::PolicyChanged,
        Self::GrantOfAnother,
        Self::OldProof,
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::OwnerPaused => "owner-paused",
            Self::RenewalReplyLost => "renewal-reply-lost",
            Self::ReleasedAndReacquired => "released-and-reacquired",
            Self::SegmentOutOfOrder => "segment-out-of-order",
            Self::SegmentTwice => "segment-twice",
            Self::SegmentChanged => "segment-changed",
            Self::MessageDelayed => "message-delayed",
            Self::RegistrySetBack => "registry-set-back",
            Self::AcknowledgementLost => "acknowledgement-lost",
            Self::TokenForged => "token-forged",
            Self::GrantTampered => "grant-tampered",
            Self::ProofOfAnotherResource => "proof-of-another-resource",
            Self::EpochRevoked => "epoch-revoked",
            Self::PolicyChanged => "policy-changed",
            Self::GrantOfAnother => "grant-of-another",
            Self::OldProof => "old-proof",
        }
    }
}
