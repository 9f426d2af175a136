//! What is signed, and the keys that sign it.
//!
//! The MAC is HMAC-SHA-256 (<https://www.rfc-editor.org/rfc/rfc2104>) over the
//! fields in a fixed order and width, behind a name that says what they are. So no
//! two contents have the same bytes, and a grant is never taken for a proof.

use alloc::vec::Vec;

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;

use crate::system::Caller;
use crate::system::Cell;
use crate::system::names::Word;

/// A message authentication code.
pub type Mac = [u8; 32];

/// The first 32 bits of a grant's MAC: enough of it to tell two grants apart.
pub type Digest = [Cell; 2];

/// The digest of what a MAC belongs to.
pub fn digest(mac: &Mac) -> Digest {
    [Cell::from_be_bytes([mac[0], mac[1]]), Cell::from_be_bytes([mac[2], mac[3]])]
}

/// A grant: who may try to change which resource, under which number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The resource, counted from 0.
    pub resource: u16,
    /// The workload that it was granted to.
    pub owner: Caller,
    /// The id of the request that was answered with it.
    pub request: Word,
    /// The lease that it lives by.
    pub lease: u16,
    /// What all segments of the operation have in common.
    pub root: Word,
    /// The fencing token: each grant of a resource has a greater one.
    pub fence: u16,
    /// The registry's revision at which it was made.
    pub revision: u16,
    /// The generation of the policy under which it was made.
    pub policy: u16,
    /// The epoch of its issuer, which chooses the key.
    pub epoch: u16,
    /// How long the lease lasts without a renewal, by the registry's clock, in
    /// milliseconds.
    pub ttl_ms: u16,
}

/// A statement of the registry that a grant is held, good for a short while.
///
/// It names the grant by its digest: a registry that went back gives leases and
/// tokens out again, so those don't say which grant is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusProof {
    /// The resource, counted from 0.
    pub resource: u16,
    /// The grant that is held.
    pub grant: Digest,
    /// The registry's revision at which this was so.
    pub revision: u16,
    /// The generation of the policy that was in force.
    pub policy: u16,
    /// The epoch of the issuer.
    pub epoch: u16,
}

/// Something with fields that a MAC covers.
pub trait Signed {
    /// What it is, and in which version.
    const NAME: &'static [u8];

    /// Its fields, in a fixed order.
    fn fields(&self) -> impl IntoIterator<Item = Cell>;

    /// The epoch of its issuer.
    fn epoch(&self) -> u16;
}

impl Signed for Grant {
    const NAME: &'static [u8] = b"lockGrant.v1\0";

    fn fields(&self) -> impl IntoIterator<Item = Cell> {
        self.cells()
    }

    fn epoch(&self) -> u16 {
        self.epoch
    }
}

impl Signed for StatusProof {
    const NAME: &'static [u8] = b"lockStatus.v1\0";

    fn fields(&self) -> impl IntoIterator<Item = Cell> {
        self.cells()
    }

    fn epoch(&self) -> u16 {
        self.epoch
    }
}

impl Grant {
    /// The number of cells of a grant.
    pub(super) const LENGTH: usize = 10;

    pub(super) fn cells(&self) -> [Cell; Self::LENGTH] {
        [
            self.resource,
            self.owner.into(),
            self.request.to_cell(),
            self.lease,
            self.root.to_cell(),
            self.fence,
            self.revision,
            self.policy,
            self.epoch,
            self.ttl_ms,
        ]
    }

    /// What [`Self::cells`] has written; `None` for cells that are all zero.
    pub(super) fn from_cells(cells: &[Cell]) -> Option<Self> {
        Some(Self {
            resource: cells[0],
            owner: cells[1] as Caller,
            request: Word::from_cell(cells[2])?,
            lease: cells[3],
            root: Word::from_cell(cells[4])?,
            fence: cells[5],
            revision: cells[6],
            policy: cells[7],
            epoch: cells[8],
            ttl_ms: cells[9],
        })
    }
}

impl StatusProof {
    /// The number of cells of a proof.
    pub(super) const LENGTH: usize = 6;

    pub(super) fn cells(&self) -> [Cell; Self::LENGTH] {
        [self.resource, self.grant[0], self.grant[1], self.revision, self.policy, self.epoch]
    }

    /// What [`Self::cells`] has written; `None` for cells that are all zero.
    pub(super) fn from_cells(cells: &[Cell]) -> Option<Self> {
        let [resource, first, second, revision, policy, epoch] = *cells else { return None };
        (epoch != 0).then_some(Self { resource, grant: [first, second], revision, policy, epoch })
    }
}

/// The keys of the issuer, by epoch. They are fixed: only a new bundle, rolled out
/// on purpose, brings others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustBundle {
    keys: Vec<Mac>,
}

impl TrustBundle {
    /// As many keys as there are epochs, derived from a secret. Epochs count from 1.
    pub fn new(secret: &[u8], epochs: u16) -> Self {
        let key = |epoch: u16| mac_of(secret, b"issuer epoch\0", [epoch]).finalize().into_bytes().into();
        Self { keys: (1..=epochs).map(key).collect() }
    }

    /// How many epochs have a key.
    pub fn epochs(&self) -> u16 {
        self.keys.len() as u16
    }

    /// Signs with the key of the content's own epoch; `None` if it has no key.
    pub fn sign<T: Signed>(&self, content: &T) -> Option<Mac> {
        Some(self.mac(content)?.finalize().into_bytes().into())
    }

    /// Whether a MAC is the one that [`Self::sign`] gives. It takes as long for a
    /// wrong one as for a right one.
    pub fn verifies<T: Signed>(&self, content: &T, mac: &Mac) -> bool {
        self.mac(content).is_some_and(|own| own.verify_slice(mac).is_ok())
    }

    fn mac<T: Signed>(&self, content: &T) -> Option<Hmac<Sha256>> {
        let key = self.keys.get(usize::from(content.epoch().checked_sub(1)?))?;
        Some(mac_of(key, T::NAME, content.fields()))
    }
}

fn mac_of(key: &[u8], name: &[u8], fields: impl IntoIterator<Item = Cell>) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(name);
    for field in fields {
        mac.update(&field.to_be_bytes());
    }
    mac
}
