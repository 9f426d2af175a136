//! The judge's own books: what was granted, proved and accepted, by what was asked and
//! answered. They don't look at how a resource decides.

use alloc::vec::Vec;

use crate::system::Caller;
use crate::system::grant::trust::digest;
use crate::system::grant::{Grant, Mac, Mutation, Presented, Status, StatusProof};
use crate::system::names::Word;

/// A write that must not be accepted, and was; or a refusal that left a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Harm {
    /// Its token is lower than the highest one that was accepted.
    Stale,
    /// Its grant was signed by somebody else.
    Forged,
    /// A field of its grant was altered after it was signed.
    Tampered,
    /// Its grant or proof is for another resource.
    CrossResource,
    /// Its grant belongs to somebody else.
    OtherOwner,
    /// The epoch of its grant is revoked.
    RevokedEpoch,
    /// The policy has changed since its grant.
    ChangedPolicy,
    /// Its lease is over, or its proof is.
    ExpiredOwner,
    /// A segment is missing before it.
    Skipped,
    /// Two grants have its token, or tokens went back and nobody had let writes go on.
    Regressed,
    /// The same operation was accepted before.
    Repeated,
    /// A write was refused, and the highest token is another one all the same.
    Contaminated,
}

impl Harm {
    /// How many kinds there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All kinds.
    pub const ALL: [Self; 12] = [
        Self::Stale,
        Self::Forged,
        Self::Tampered,
        Self::CrossResource,
        Self::OtherOwner,
        Self::RevokedEpoch,
        Self::ChangedPolicy,
        Self::ExpiredOwner,
        Self::Skipped,
        Self::Regressed,
        Self::Repeated,
        Self::Contaminated,
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Forged => "forged",
            Self::Tampered => "tampered",
            Self::CrossResource => "cross-resource",
            Self::OtherOwner => "other-owner",
            Self::RevokedEpoch => "revoked-epoch",
            Self::ChangedPolicy => "changed-policy",
            Self::ExpiredOwner => "expired-owner",
            Self::Skipped => "skipped",
            Self::Regressed => "regressed",
            Self::Repeated => "repeated",
            Self::Contaminated => "contaminated",
        }
    }
}

/// How many resources there are.
pub(super) const RESOURCES: usize = 2;

/// What was seen accepted at a resource.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    pub highest: u16,
    holder: Option<Grant>,
    segment: u16,
    operations: Vec<Word>,
    /// Whether a token that went back was found, and nobody has let writes go on since.
    pub halted: bool,
}

/// What was seen granted and ended at the registry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leases {
    pub held: [Option<Grant>; RESOURCES],
    pub policy: u16,
}

/// All that the judge knows.
#[derive(Clone, Debug)]
pub(super) struct Books {
    pub resources: [Book; RESOURCES],
    pub leases: Leases,
    pub snapshot: Option<Leases>,
    /// The latest token of each resource when the snapshot was taken.
    pub fences_in_snapshot: [u16; RESOURCES],
    pub epoch: u16,
    /// Each grant that was made, with its MAC.
    pub issued: Vec<(Grant, Mac)>,
    /// Each proof that was given, the grant that it is about, and until when it is good.
    pub proofs: Vec<(StatusProof, Grant, u64)>,
}

impl Books {
    pub fn new() -> Self {
        Self {
            resources: Default::default(),
            leases: Leases { held: [None; RESOURCES], policy: 1 },
            snapshot: None,
            fences_in_snapshot: [0; RESOURCES],
            epoch: 1,
            issued: Vec::new(),
            proofs: Vec::new(),
        }
    }

    /// Judges a write that was accepted, and takes note of it.
    pub fn accepted(&mut self, now_us: u64, caller: Caller, shown: &Presented, mutation: &Mutation) -> Vec<Harm> {
        let mut harms = Vec::new();
        let grant = &shown.grant;
        if !self.issued.contains(&(*grant, shown.mac)) {
            let is_altered = self.issued.iter().any(|(_, mac)| *mac == shown.mac);
            harms.push(if is_altered { Harm::Tampered } else { Harm::Forged });
        }
        if usize::from(grant.resource) != mutation.resource {
            harms.push(Harm::CrossResource);
        }
        if grant.owner != caller {
            harms.push(Harm::OtherOwner);
        }
        if grant.epoch < self.epoch {
            harms.push(Harm::RevokedEpoch);
        }
        harms.extend(self.status(now_us, shown, mutation));
        let book = &mut self.resources[mutation.resource];
        if grant.fence < book.highest {
            harms.push(Harm::Stale);
        }
        if grant.fence == book.highest && book.holder != Some(*grant) || book.halted {
            harms.push(Harm::Regressed);
        }
        let before = if grant.fence == book.highest { book.segment } else { 0 };
        if before.checked_add(1) != Some(mutation.segment) {
            harms.push(Harm::Skipped);
        }
        if book.operations.contains(&mutation.operation) {
            harms.push(Harm::Repeated);
        }
        book.operations.push(mutation.operation);
        if grant.fence >= book.highest {
            (book.highest, book.holder, book.segment) = (grant.fence, Some(*grant), mutation.segment);
        }
        harms
    }

    /// The token of the latest grant of a resource, or 0.
    pub fn latest_fence(&self, resource: usize) -> u16 {
        let of_it = |(grant, _): &&(Grant, Mac)| usize::from(grant.resource) == resource;
        self.issued.iter().rev().find(of_it).map_or(0, |(grant, _)| grant.fence)
    }

    /// Whether the token of a grant is the one that was accepted last, under another grant.
    pub fn was_given_before(&self, grant: &Grant) -> bool {
        let book = &self.resources[usize::from(grant.resource)];
        grant.fence == book.highest && book.holder != Some(*grant)
    }

    /// The segment that would come next under a grant.
    pub fn next_segment(&self, grant: &Grant) -> u16 {
        let book = &self.resources[usize::from(grant.resource)];
        if grant.fence == book.highest { book.segment + 1 } else { 1 }
    }

    /// Whether the lease was held and the policy the same, as far as its writer could
    /// show it.
    fn status(&self, now_us: u64, shown: &Presented, mutation: &Mutation) -> Option<Harm> {
        let grant = &shown.grant;
        let policy = match shown.status {
            Status::Query if self.leases.held[mutation.resource] != Some(*grant) => return Some(Harm::ExpiredOwner),
            Status::Query => self.leases.policy,
            Status::Missing => return Some(Harm::ExpiredOwner),
            Status::Proof { proof, .. } if usize::from(proof.resource) != mutation.resource => {
                return Some(Harm::CrossResource);
            }
            Status::Proof { proof, .. } => {
                let is_about_it = proof.grant == digest(&shown.mac);
                let known =
                    |(known, of, until): &&(StatusProof, Grant, u64)| *known == proof && of == grant && *until > now_us;
                if !is_about_it || !self.proofs.iter().any(|given| known(&given)) {
                    return Some(Harm::ExpiredOwner);
                }
                proof.policy
            }
        };
        (policy != grant.policy).then_some(Harm::ChangedPolicy)
    }
}
