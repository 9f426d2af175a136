//! What a worker sends, and what goes wrong with it on its way.

use super::agenda::Event;
use super::failure::Failure;
use super::serve::{Ask, Message, Write};
use super::trial::Trial;
use super::worker::Purpose;
use crate::system::grant::{Grant, Mac, Mutation, MutationState};

/// How long a worker waits for an answer, in microseconds.
const PATIENCE_US: u64 = 150_000;

impl Trial<'_> {
    pub(super) fn call(&mut self, number: usize, purpose: Purpose, ask: Ask) {
        let reply_lost = purpose == Purpose::Renew && self.happens_now(Failure::RenewalReplyLost);
        if reply_lost {
            self.bring_about(Failure::RenewalReplyLost);
        }
        let arrives_us = self.now_us + self.latency_us();
        self.send(number, purpose, ask, arrives_us, reply_lost);
    }

    fn send(&mut self, number: usize, purpose: Purpose, ask: Ask, arrives_us: u64, reply_lost: bool) {
        let now_us = self.now_us;
        let worker = &mut self.workers[number];
        worker.call += 1;
        worker.waits_for = Some(purpose);
        let call = worker.call;
        let from_us = worker.stands_still_until_us.max(now_us);
        self.agenda.note(arrives_us, Event::Arrive(Message { from: number, call: Some(call), ask, reply_lost }));
        self.agenda.note(from_us + PATIENCE_US, Event::Miss(number, call));
    }

    /// Sends the next segment, with what goes wrong on the way.
    pub(super) fn send_piece(&mut self, number: usize, grant: Grant, mac: Mac) {
        let ttl_us = u64::from(grant.ttl_ms) * 1_000;
        let write = self.write_of(number, 0, grant, mac);
        let Some(write) = write else { return };
        self.go_on_for_the_other(number, grant, mac);
        let worker = &mut self.workers[number];
        let piece = &mut worker.pieces[worker.at];
        if !matches!(piece.state, Some(MutationState::Unknown { .. })) {
            piece.state = Some(MutationState::Sent { fence: grant.fence });
        }
        let mut arrives_us = self.now_us + self.latency_us();
        if self.happens_now(Failure::SegmentOutOfOrder)
            && let Some(next) = self.write_of(number, 1, grant, mac)
        {
            self.bring_about(Failure::SegmentOutOfOrder);
            self.copy(number, next, self.now_us + 500);
        }
        for (failure, from_us, to_us) in
            [(Failure::SegmentTwice, 1_000, 800_000), (Failure::OldProof, 1_600_000, 4_000_000)]
        {
            if self.happens_now(failure) {
                let later_us = self.between(from_us, to_us);
                self.bring_about(failure);
                self.copy(number, write, arrives_us + u64::from(later_us));
            }
        }
        if self.happens_now(Failure::ReleasedAndReacquired) {
            self.bring_about(Failure::ReleasedAndReacquired);
            let later_us = u64::from(self.between(50_000, 600_000));
            self.copy(number, write, arrives_us + later_us);
            self.no_answer_to_write(number);
            return self.call(number, Purpose::Release, Ask::Release(grant));
        }
        if self.happens_now(Failure::OwnerPaused) {
            self.bring_about(Failure::OwnerPaused);
            let until_us = self.now_us + ttl_us + ttl_us * u64::from(self.between(2, 20)) / 10;
            self.workers[number].stands_still_until_us = until_us;
            arrives_us = until_us + self.latency_us();
        } else if self.happens_now(Failure::MessageDelayed) {
            self.bring_about(Failure::MessageDelayed);
            arrives_us += ttl_us + ttl_us * u64::from(self.between(1, 20)) / 10;
        }
        let reply_lost = self.happens_now(Failure::AcknowledgementLost);
        if reply_lost {
            self.bring_about(Failure::AcknowledgementLost);
        }
        self.send(number, Purpose::Write, Ask::Write(write), arrives_us, reply_lost);
    }

    /// Whoever has a token that was given before goes on where its first owner has stopped.
    fn go_on_for_the_other(&mut self, number: usize, grant: Grant, mac: Mac) {
        if !self.books.was_given_before(&grant) {
            return;
        }
        let segment = self.next_segment(&grant);
        let worker = &self.workers[number];
        let (proof, resource) = (worker.proof.filter(|_| worker.shows_proofs), worker.resource);
        let write = self.shown(grant, mac, proof, resource, segment);
        self.copy(number, write, self.now_us + 500);
    }

    /// The write of the piece that comes next, or so many later.
    pub(super) fn write_of(&self, number: usize, later: u16, grant: Grant, mac: Mac) -> Option<Write> {
        let worker = &self.workers[number];
        let piece = worker.pieces.get(worker.at + usize::from(later))?;
        let (operation, payload) = (piece.operation, piece.payload);
        let mutation = Mutation { resource: worker.resource, segment: worker.segment + 1 + later, operation, payload };
        Some(Write { grant, mac, proof: worker.proof.filter(|_| worker.shows_proofs), mutation })
    }

    /// Sends a message whose answer nobody waits for.
    pub(super) fn copy(&mut self, number: usize, write: Write, arrives_us: u64) {
        let message = Message { from: number, call: None, ask: Ask::Write(write), reply_lost: true };
        self.agenda.note(arrives_us, Event::Arrive(message));
    }
}
