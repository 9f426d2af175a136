//! The same protocol for those who keep grants and proofs themselves and show them: what
//! is shown can then be older than what they have by now, as with a message that is late.

use super::registry::Registry;
use super::resource::{Mutation, Presented, Resource, apply_fenced_mutation};
use super::trust::{self, Grant, Mac, StatusProof, TrustBundle};
use super::{Reply, SignedGrants, Verdict, Wish};
use crate::system::names::Word;
use crate::system::{Caller, Cell, Time};

impl SignedGrants {
    /// The keys by which grants and proofs are signed.
    pub fn trust(&self) -> &TrustBundle {
        &self.trust
    }

    /// Asks for a grant, as `ACQUIRE` does.
    pub fn request(&self, caller: Caller, wish: Wish, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        self.acquire(caller, wish, true, cells, time)
    }

    /// Asks what became of a request, as `QUERY` does.
    pub fn find(&self, caller: Caller, resource: usize, request: Word, cells: &mut [Cell]) -> Reply {
        self.query(caller, resource, request, true, cells)
    }

    /// Asks for a new term of a lease, as `RENEW` does.
    pub fn renew(&self, grant: &Grant, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        self.registry(cells).renew(grant, time)
    }

    /// Gives a lease back, as `RELEASE` does.
    pub fn release(&self, grant: &Grant, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        self.registry(cells).release(grant, time)
    }

    /// A proof that a grant is held, as `STATUS` gives it; `None` if it isn't.
    pub fn proof_of(&self, grant: &Grant, mac: &Mac, cells: &mut [Cell]) -> Option<StatusProof> {
        let registry = self.registry(cells);
        registry.holds(grant).then(|| StatusProof {
            resource: grant.resource,
            grant: trust::digest(mac),
            revision: registry.revision(),
            policy: registry.policy(),
            epoch: registry.epoch(),
        })
    }

    /// Asks a resource for a change, as `APPLY` does.
    pub fn change(&self, caller: Caller, shown: &Presented, mutation: &Mutation, cells: &mut [Cell]) -> Verdict {
        let length = self.registry_length();
        let place = self.resource_cells(mutation.resource);
        let (registry, rest) = cells.split_at_mut(length);
        let registry = Registry::new(registry, self.resources.count());
        let mut resource =
            Resource { cells: &mut rest[place.start - length..place.end - length], without: self.without };
        apply_fenced_mutation(&self.trust, &registry, &mut resource, caller, shown, mutation)
    }
}
