//! What attackers send: grants that are forged, altered, or of somebody else.

use super::agenda::Event;
use super::failure::Failure;
use super::serve::{Ask, Message, Proof, Write};
use super::trial::{ATTACKER, Trial};
use crate::system::grant::trust::digest;
use crate::system::grant::{Alteration, Grant, Mac, Mutation, StatusProof};

const ATTACKS: [Failure; 4] =
    [Failure::TokenForged, Failure::GrantTampered, Failure::ProofOfAnotherResource, Failure::GrantOfAnother];

/// A token above all others.
const OVERSIZED: u16 = 60_000;

impl Trial<'_> {
    /// Plans when the attacks of this schedule happen.
    pub(super) fn plan_attacks(&mut self) {
        for attack in ATTACKS {
            if self.is_planned(attack) {
                for _ in 0..self.between(1, 4) {
                    let at_us = u64::from(self.between(50_000, 1_500_000));
                    self.agenda.note(at_us, Event::Attack(attack));
                }
            }
        }
    }

    pub(super) fn attack(&mut self, attack: Failure) {
        let held = self.books.leases.held.into_iter().flatten().next();
        let Some(&last) = self.books.issued.last() else { return };
        let (genuine, mac) = self.books.issued.iter().copied().find(|(grant, _)| Some(*grant) == held).unwrap_or(last);
        let proof = self.overheard(&genuine);
        let (from, write) = match attack {
            Failure::TokenForged => self.forged(genuine),
            Failure::GrantTampered => self.tampered(genuine, mac, proof),
            Failure::ProofOfAnotherResource => self.shown_to_another(genuine, mac, proof),
            _ => {
                let segment = self.next_segment(&genuine);
                (ATTACKER, self.shown(genuine, mac, proof, genuine.resource.into(), segment))
            }
        };
        self.bring_about(attack);
        self.arrive(&Message { from, call: None, ask: Ask::Write(write), reply_lost: true });
    }

    /// A proof about a grant that somebody has been given, if it is still good.
    fn overheard(&self, grant: &Grant) -> Option<Proof> {
        let &(stated, _, until_us) = self.books.proofs.iter().rev().find(|(_, of, _)| of == grant)?;
        let mac = self.gate.system.trust().sign(&stated)?;
        Some(Proof { stated, mac, until_us })
    }

    /// The segment that would come next under a grant.
    pub(super) fn next_segment(&self, grant: &Grant) -> u16 {
        self.books.next_segment(grant)
    }

    /// A write of something that nobody else has written.
    pub(super) fn shown(
        &mut self,
        grant: Grant,
        mac: Mac,
        proof: Option<Proof>,
        resource: usize,
        segment: u16,
    ) -> Write {
        let (operation, payload) = (self.fresh_word(), self.fresh_word());
        Write { grant, mac, proof, mutation: Mutation { resource, segment, operation, payload } }
    }

    /// A grant that looks like a genuine one with a huge token, and perhaps a proof to go
    /// with it, all signed with a key of somebody else.
    fn forged(&mut self, genuine: Grant) -> (usize, Write) {
        let grant = Grant { fence: OVERSIZED, owner: ATTACKER as u8, epoch: self.books.epoch, ..genuine };
        let stranger = &self.gate.stranger;
        let mac = stranger.sign(&grant).unwrap_or_default();
        let stated = StatusProof {
            resource: grant.resource,
            grant: digest(&mac),
            revision: grant.revision,
            policy: grant.policy,
            epoch: grant.epoch,
        };
        let proof_mac = stranger.sign(&stated).unwrap_or_default();
        let with_proof = self.chance(2, 3);
        let until_us = self.now_us + super::PROOF_LASTS_US;
        let proof = with_proof.then_some(Proof { stated, mac: proof_mac, until_us });
        (ATTACKER, self.shown(grant, mac, proof, grant.resource.into(), 1))
    }

    /// A genuine grant, with its MAC, in which one field is another.
    fn tampered(&mut self, genuine: Grant, mac: Mac, proof: Option<Proof>) -> (usize, Write) {
        let mut grant = genuine;
        let alteration = match self.between(0, 4) {
            0 => Alteration::Owner(ATTACKER as u8),
            1 => Alteration::Resource(1 - genuine.resource),
            2 => Alteration::Epoch(genuine.epoch + 1),
            _ => Alteration::Fence(OVERSIZED),
        };
        alteration.apply(&mut grant);
        let segment = if grant.fence == genuine.fence { self.next_segment(&genuine) } else { 1 };
        (grant.owner.into(), self.shown(grant, mac, proof, grant.resource.into(), segment))
    }

    /// A genuine grant of one resource, shown to the other one; or to its own with a proof
    /// that is about a grant of the other one.
    fn shown_to_another(&mut self, genuine: Grant, mac: Mac, proof: Option<Proof>) -> (usize, Write) {
        let owner = genuine.owner.into();
        let other = 1 - usize::from(genuine.resource);
        let of_other = self.books.issued.iter().rev().find(|(grant, _)| usize::from(grant.resource) == other).copied();
        let proof_of_other = of_other.and_then(|(grant, _)| self.overheard(&grant));
        match proof_of_other {
            Some(proof) if self.chance(1, 2) => {
                let segment = self.next_segment(&genuine);
                (owner, self.shown(genuine, mac, Some(proof), genuine.resource.into(), segment))
            }
            _ => (owner, self.shown(genuine, mac, proof, other, 1)),
        }
    }
}
