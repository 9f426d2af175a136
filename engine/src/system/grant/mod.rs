//! Signed grants: a lock service, and resources that prove each write's right to
//! happen before they let it happen.
//!
//! A lease only allows its holder to try. The registry signs a grant that binds the
//! resource, the owner, the lease, the fencing token, the generation of the policy,
//! the epoch of the issuer and the root of the operation. The resource verifies it,
//! asks or is shown whether it is held, and then compares the token with the highest
//! one that it has accepted, in the transaction of the write. So a holder that was
//! paused, a message that comes late and a token that was made up all fail at the
//! same place.
//!
//! The parts: [`trust`] signs and verifies, the registry grants and forgets, the
//! resource accepts or refuses, [`ClientState`] and [`MutationState`] say what a
//! client may conclude. Fencing by the resource is described in
//! <https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html>, and
//! the token as a sequencer in <https://research.google.com/archive/chubby-osdi06.pdf>.
//!
//! An accepted write is stale if its token is lower than the highest one that its
//! resource had accepted before. A paused holder's write that arrives before the
//! first write of the next holder isn't: with a proof that is still good it is
//! accepted, here as by every fence.
//!
//! What the model takes for granted: one step reads the registry and writes the
//! resource; a revoked epoch is known everywhere at once; each caller keeps its two
//! latest grants and its latest proof. A genuine MAC is a function of the fields, so
//! the state keeps the fields only, and the MAC is computed when it is shown.

mod check;
mod client;
mod command;
mod direct;
mod registry;
mod reply;
mod resource;
pub mod trust;

pub use check::Check;
pub use client::{ClientEvent, ClientState, MutationEvent, MutationState};
pub use command::{Alteration, Command, Request, Showing};
pub use registry::{LeaseState, Wish};
pub use reply::{Reply, Verdict};
pub use resource::{Mode, Mutation, Presented, Receipt, ResourceState, Status};
pub use trust::{Grant, Mac, StatusProof, TrustBundle};

use core::ops::Range;

use super::names::{Keys, Word};
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;
use registry::Registry;
use resource::Resource;

/// A registry and the resources that it guards.
#[derive(Clone, Debug)]
pub struct SignedGrants {
    resources: Keys,
    mode: Mode,
    receipts: usize,
    proof_lasts_us: u64,
    callers: u8,
    trust: TrustBundle,
    /// The keys of somebody who isn't the issuer.
    stranger: TrustBundle,
    /// A check that its resources don't make.
    without: Option<Check>,
}

// The cells of a caller: its latest grant, the one before, its proof, and whether
// that is still good.
const BEFORE: usize = Grant::LENGTH;
const PROOF: usize = 2 * Grant::LENGTH;
const FRESH: usize = PROOF + StatusProof::LENGTH;
const POCKET: usize = FRESH + 1;

impl SignedGrants {
    /// Resources by name, each of which begins in a mode and keeps at most so many
    /// receipts; for how many microseconds a status proof is good; and how many callers
    /// there are. `None` if there are more resources and callers than timers.
    pub fn new(resources: &[&str], mode: Mode, receipts: u8, proof_lasts_us: u64, callers: u8) -> Option<Self> {
        const EPOCHS: u16 = 8;
        Timer::try_from(resources.len()).ok()?.checked_add(callers)?;
        Some(Self {
            resources: Keys::new(resources),
            mode,
            receipts: receipts.into(),
            proof_lasts_us,
            callers,
            trust: TrustBundle::new(b"the issuer", EPOCHS),
            stranger: TrustBundle::new(b"a stranger", EPOCHS),
            without: None,
        })
    }

    /// The same with resources that leave a check out.
    #[must_use]
    pub fn without(self, check: Check) -> Self {
        Self { without: Some(check), ..self }
    }

    /// The latest grant that a caller has.
    pub fn grant_of(&self, caller: Caller, cells: &[Cell]) -> Option<Grant> {
        Grant::from_cells(&cells[self.pocket(caller)?][..Grant::LENGTH])
    }

    /// The grant before the latest one that a caller has.
    pub fn old_grant_of(&self, caller: Caller, cells: &[Cell]) -> Option<Grant> {
        Grant::from_cells(&cells[self.pocket(caller)?][BEFORE..PROOF])
    }

    /// A resource, counted from 0, as it is seen from outside.
    pub fn resource(&self, resource: usize, cells: &mut [Cell]) -> ResourceState {
        self.resource_mut(resource, cells).state()
    }

    fn registry_length(&self) -> usize {
        registry::length(self.resources.count())
    }

    fn registry<'a>(&self, cells: &'a mut [Cell]) -> Registry<'a> {
        Registry::new(&mut cells[..self.registry_length()], self.resources.count())
    }

    fn resource_cells(&self, resource: usize) -> Range<usize> {
        let length = resource::length(self.receipts);
        let start = self.registry_length() + resource * length;
        start..start + length
    }

    fn resource_mut<'a>(&self, resource: usize, cells: &'a mut [Cell]) -> Resource<'a> {
        Resource { cells: &mut cells[self.resource_cells(resource)], without: self.without }
    }

    fn pocket(&self, caller: Caller) -> Option<Range<usize>> {
        let start = self.resource_cells(self.resources.count()).start + usize::from(caller) * POCKET;
        (caller < self.callers).then_some(start..start + POCKET)
    }

    fn proof_timer(&self, caller: Caller) -> Timer {
        self.resources.count() as Timer + caller
    }

    /// The grant of a caller for a resource.
    fn grant_for(&self, caller: Caller, resource: usize, cells: &[Cell]) -> Option<Grant> {
        self.grant_of(caller, cells).filter(|grant| usize::from(grant.resource) == resource)
    }

    /// The caller keeps a grant that has arrived.
    fn keep(&self, caller: Caller, grant: &Grant, cells: &mut [Cell]) {
        let Some(pocket) = self.pocket(caller).filter(|_| self.grant_of(caller, cells) != Some(*grant)) else { return };
        let pocket = &mut cells[pocket];
        pocket.copy_within(..BEFORE, BEFORE);
        pocket[..BEFORE].copy_from_slice(&grant.cells());
    }

    fn acquire(&self, caller: Caller, wish: Wish, lost: bool, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        if caller >= self.callers {
            return Reply::Exhausted;
        }
        match self.registry(cells).acquire(caller, wish, time) {
            Ok(grant) => {
                if !lost {
                    self.keep(caller, &grant, cells);
                }
                Reply::Granted(grant)
            }
            Err(refusal) => refusal,
        }
    }

    fn query(&self, caller: Caller, resource: usize, request: Word, lost: bool, cells: &mut [Cell]) -> Reply {
        match self.registry(cells).latest(resource) {
            Some((state, grant)) if (grant.owner, grant.request) == (caller, request) => {
                if state != LeaseState::Held {
                    return Reply::State(state);
                }
                if !lost {
                    self.keep(caller, &grant, cells);
                }
                Reply::Granted(grant)
            }
            _ => Reply::UnknownRequest,
        }
    }

    fn prove(&self, caller: Caller, grant: &Grant, lost: bool, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        let registry = self.registry(cells);
        let Some(mac) = self.trust.sign(grant).filter(|_| registry.holds(grant)) else { return Reply::NotHeld };
        let proof = StatusProof {
            resource: grant.resource,
            grant: trust::digest(&mac),
            revision: registry.revision(),
            policy: registry.policy(),
            epoch: registry.epoch(),
        };
        if let Some(pocket) = self.pocket(caller).filter(|_| !lost) {
            let pocket = &mut cells[pocket];
            pocket[PROOF..FRESH].copy_from_slice(&proof.cells());
            pocket[FRESH] = 1;
            time.arm(self.proof_timer(caller), self.proof_lasts_us);
        }
        Reply::Proof(proof)
    }

    /// What a caller shows: the grant as it is now, the MAC as it was made.
    fn present(&self, caller: Caller, showing: Showing, cells: &[Cell]) -> Option<Presented> {
        let of = showing.of.unwrap_or(caller);
        let issued = if showing.old { self.old_grant_of(of, cells) } else { self.grant_of(of, cells) }?;
        let mut grant = issued;
        if let Some(alteration) = showing.altered {
            alteration.apply(&mut grant);
        }
        let mac = if showing.forged { self.stranger.sign(&grant) } else { self.trust.sign(&issued) };
        let pocket = &cells[self.pocket(of)?];
        let status = match StatusProof::from_cells(&pocket[PROOF..FRESH]) {
            _ if !showing.proof => Status::Query,
            Some(proof) => Status::Proof { proof, mac: self.trust.sign(&proof)?, fresh: pocket[FRESH] != 0 },
            None => Status::Missing,
        };
        Some(Presented { grant, mac: mac.unwrap_or_default(), status })
    }

    fn apply(&self, caller: Caller, mutation: &Mutation, showing: Showing, cells: &mut [Cell]) -> Reply {
        let Some(presented) = self.present(caller, showing, cells) else { return Reply::NoGrant };
        let mode = self.resource(mutation.resource, cells).mode;
        let verdict = self.change(caller, &presented, mutation, cells);
        let happened = matches!(verdict, Verdict::Accepted(_) | Verdict::Replayed(_) | Verdict::AlreadyAccepted(_));
        if mode == Mode::Shadow && !happened { Reply::ShadowVerdict(verdict) } else { Reply::Verdict(verdict) }
    }

    fn resume(&self, resource: usize, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        let highest = self.resource(resource, cells).highest;
        self.registry(cells).continue_above(resource, highest, time);
        self.resource_mut(resource, cells).resume();
        Reply::ResumedAbove(highest)
    }

    fn answer(&self, caller: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        let lost = command.lost;
        match command.request {
            Request::Acquire(wish) => self.acquire(caller, wish, lost, cells, time),
            Request::Query(resource, request) => self.query(caller, resource, request, lost, cells),
            Request::Renew(resource) => match self.grant_for(caller, resource, cells) {
                Some(grant) => self.registry(cells).renew(&grant, time),
                None => Reply::NoGrant,
            },
            Request::Release(resource) => match self.grant_for(caller, resource, cells) {
                Some(grant) => self.registry(cells).release(&grant, time),
                None => Reply::NoGrant,
            },
            Request::Status(resource) => match self.grant_for(caller, resource, cells) {
                Some(grant) => self.prove(caller, &grant, lost, cells, time),
                None => Reply::NoGrant,
            },
            Request::Apply(mutation, showing) => self.apply(caller, &mutation, showing, cells),
            Request::Receipt(resource, operation) => {
                let resource = self.resource_mut(resource, cells);
                Reply::Receipt(resource.receipt_of(operation), resource.state().highest)
            }
            Request::Read(resource) => Reply::Resource(self.resource(resource, cells)),
            Request::RevokeEpoch => self.registry(cells).revoke_epoch(self.trust.epochs()),
            Request::ChangePolicy => self.registry(cells).change_policy(),
            Request::TakeSnapshot => self.registry(cells).take_snapshot(),
            Request::RestoreSnapshot => self.registry(cells).restore_snapshot(time),
            Request::Resume(resource) => self.resume(resource, cells, time),
            Request::Enforce(resource) => {
                self.resource_mut(resource, cells).enforce();
                Reply::Enforcing
            }
        }
    }
}

impl System for SignedGrants {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        command::parse(&self.resources, words)
    }

    fn length(&self) -> usize {
        self.resource_cells(self.resources.count()).start + usize::from(self.callers) * POCKET
    }

    fn start(&self, cells: &mut [Cell]) {
        self.registry(cells).start();
        if self.mode == Mode::Enforcing {
            for resource in 0..self.resources.count() {
                self.resource_mut(resource, cells).enforce();
            }
        }
    }

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        let reply = self.answer(caller, command, cells, time);
        Some(if command.lost { Reply::Lost } else { reply })
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], _: &mut dyn Time) {
        let resources = self.resources.count();
        match usize::from(timer).checked_sub(resources) {
            None => self.registry(cells).expire(timer.into()),
            Some(caller) => {
                if let Some(pocket) = self.pocket(caller as Caller) {
                    cells[pocket.start + FRESH] = 0;
                }
            }
        }
    }

    /// A client's memory is gone; what it has sent isn't.
    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time) {
        if let Some(pocket) = self.pocket(caller) {
            cells[pocket].fill(0);
            time.disarm(self.proof_timer(caller));
        }
    }

    /// The registry stops. Resources and clients live elsewhere and keep what they have.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        if !keeps_memory {
            self.registry(cells).forget();
            (0..self.resources.count()).for_each(|resource| time.disarm(resource as Timer));
        }
    }

    fn timers(&self) -> u8 {
        self.resources.count() as u8 + self.callers
    }
}
