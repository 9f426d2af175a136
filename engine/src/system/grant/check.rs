//! The checks of a resource, each of which can be left out to see what it is there for.

/// A check that a resource makes before it lets a change happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// The MAC fits the fields.
    Authenticity,
    /// The grant is for this resource.
    Resource,
    /// The epoch of its issuer isn't revoked.
    Epoch,
    /// The lease is held: by a query, or by a proof that is genuine, recent and about this
    /// very grant.
    Status,
    /// The policy is still the one of the grant.
    Policy,
    /// The caller is the owner.
    Owner,
    /// The token isn't lower than the highest one.
    Fence,
    /// Two grants with one token are told apart.
    Digest,
    /// Writes stop when a token went back, until somebody lets them go on.
    Halt,
    /// The segment is the next one.
    Segment,
    /// What has a receipt isn't done again.
    Receipt,
}

impl Check {
    /// All of them, in the order in which they are made.
    pub const ALL: [Self; 11] = [
        Self::Authenticity,
        Self::Resource,
        Self::Epoch,
        Self::Status,
        Self::Policy,
        Self::Owner,
        Self::Halt,
        Self::Fence,
        Self::Digest,
        Self::Receipt,
        Self::Segment,
    ];

    /// Its name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Authenticity => "authenticity",
            Self::Resource => "resource",
            Self::Epoch => "epoch",
            Self::Status => "status",
            Self::Policy => "policy",
            Self::Owner => "owner",
            Self::Fence => "fence",
            Self::Digest => "digest",
            Self::Halt => "halt",
            Self::Segment => "segment",
            Self::Receipt => "receipt",
        }
    }
}
