//! What a worker does: acquire, prove, write segment by segment, renew, release; and
//! find out what became of a write whose answer is missing.

use alloc::vec::Vec;

use super::RECONCILED_WITHIN_US;
use super::agenda::Event;
use super::failure::Failure;
use super::serve::{Ask, Heard, Proof};
use super::trial::Trial;
use crate::system::grant::{
    ClientEvent, ClientState, Grant, LeaseState, Mac, MutationEvent, MutationState, Reply, Verdict, Wish,
};
use crate::system::names::Word;

/// How often a worker goes on before it gives up.
const MOST_WAKES: u32 = 2_000;

/// A piece of a worker's operation: one segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub operation: Word,
    pub payload: Word,
    pub state: Option<MutationState>,
}

/// What a worker waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Acquire,
    Query,
    Renew,
    Release,
    Prove,
    Write,
    Receipt,
}

/// A worker with its operation, and what it knows.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub resource: usize,
    root: Word,
    pub pieces: Vec<Piece>,
    /// The piece that comes next.
    pub at: usize,
    pub shows_proofs: bool,
    ttl_ms: u16,
    ownership: Option<ClientState>,
    request: Word,
    grant: Option<(Grant, Mac)>,
    pub proof: Option<Proof>,
    /// The last segment that was accepted under its grant.
    pub segment: u16,
    renew_at_us: u64,
    pub call: u32,
    pub waits_for: Option<Purpose>,
    /// Whether it has asked for a receipt, and tries something else next.
    has_asked: bool,
    /// Whether its grant is of no use any more, and is given back.
    gives_back: bool,
    /// Since when it has wanted the lease.
    pub wanted_since_us: Option<u64>,
    /// Since when it doesn't know what became of a write.
    pub unknown_since_us: Option<u64>,
    pub stands_still_until_us: u64,
    wakes: u32,
}

impl Worker {
    pub fn new(trial: &mut Trial<'_>, number: usize) -> Self {
        let pieces = (0..trial.between(1, 4)).map(|_| Piece {
            operation: trial.fresh_word(),
            payload: trial.fresh_word(),
            state: None,
        });
        let pieces = pieces.collect();
        Self {
            // The third one is at the other resource now and then.
            resource: usize::from(number == 2 && trial.chance(1, 2)),
            root: trial.fresh_word(),
            pieces,
            at: 0,
            shows_proofs: trial.chance(1, 2),
            ttl_ms: trial.between(300, 1_500) as u16,
            ownership: None,
            request: trial.fresh_word(),
            grant: None,
            proof: None,
            segment: 0,
            renew_at_us: 0,
            call: 0,
            waits_for: None,
            has_asked: false,
            gives_back: false,
            wanted_since_us: None,
            unknown_since_us: None,
            stands_still_until_us: 0,
            wakes: 0,
        }
    }

    fn learn(&mut self, event: ClientEvent) {
        self.ownership = self.ownership.and_then(|ownership| ownership.after(event)).or(self.ownership);
        if matches!(self.ownership, Some(ClientState::Expired | ClientState::Released)) {
            (self.ownership, self.grant, self.proof) = (None, None, None);
            self.gives_back = false;
        }
    }

    fn hold(&mut self, grant: Grant, mac: Mac, now_us: u64) {
        if self.grant.is_none_or(|(held, _)| held != grant) {
            (self.segment, self.proof) = (0, None);
        }
        self.grant = Some((grant, mac));
        self.renew_at_us = now_us + u64::from(self.ttl_ms) * 500;
    }
}

impl Trial<'_> {
    /// A worker goes on.
    pub(super) fn wake(&mut self, number: usize) {
        if self.is_standing_still(number, Event::Wake(number)) || self.workers[number].waits_for.is_some() {
            return;
        }
        let now_us = self.now_us;
        let worker = &mut self.workers[number];
        worker.wakes += 1;
        if worker.wakes > MOST_WAKES {
            return;
        }
        if worker.unknown_since_us.is_some_and(|since| since + RECONCILED_WITHIN_US < now_us) {
            worker.unknown_since_us = None;
            worker.at += 1;
            self.outcome.unreconciled += 1;
            return self.wake_later(number, 1_000, 2_000);
        }
        let is_unknown = worker.unknown_since_us.is_some();
        if is_unknown && !worker.has_asked {
            worker.has_asked = true;
            let ask = Ask::Receipt(worker.resource, worker.pieces[worker.at].operation);
            return self.call(number, Purpose::Receipt, ask);
        }
        worker.has_asked = false;
        let is_done = worker.at == worker.pieces.len();
        match (worker.ownership, worker.grant) {
            (None | Some(ClientState::Expired | ClientState::Released), _) if is_done => {}
            (None | Some(ClientState::Expired | ClientState::Released), _) => {
                worker.wanted_since_us.get_or_insert(now_us);
                worker.ownership = Some(ClientState::Requested);
                self.workers[number].request = self.fresh_word();
                self.acquire(number);
            }
            (Some(ClientState::Requested), _) => self.acquire(number),
            (Some(ClientState::Held | ClientState::Renewing), Some((grant, mac))) => {
                self.go_on_as_owner(number, grant, mac, is_done);
            }
            (Some(_), _) => {
                let ask = Ask::Query(worker.resource, worker.request);
                self.call(number, Purpose::Query, ask);
            }
        }
    }

    fn go_on_as_owner(&mut self, number: usize, grant: Grant, mac: Mac, is_done: bool) {
        let now_us = self.now_us;
        let worker = &mut self.workers[number];
        if is_done || worker.gives_back {
            return self.call(number, Purpose::Release, Ask::Release(grant));
        }
        if now_us >= worker.renew_at_us {
            worker.learn(ClientEvent::RenewalSent);
            worker.renew_at_us = now_us + u64::from(worker.ttl_ms) * 500;
            return self.call(number, Purpose::Renew, Ask::Renew(grant));
        }
        if worker.shows_proofs && worker.proof.is_none_or(|proof| proof.until_us <= now_us) {
            return self.call(number, Purpose::Prove, Ask::Prove(grant, mac));
        }
        self.send_piece(number, grant, mac);
    }

    fn acquire(&mut self, number: usize) {
        let worker = &self.workers[number];
        let &Worker { resource, request, root, ttl_ms, .. } = worker;
        self.call(number, Purpose::Acquire, Ask::Acquire(Wish { resource, request, root, ttl_ms }));
    }

    /// Whether a worker stands still; then what befalls it waits.
    fn is_standing_still(&mut self, number: usize, event: Event) -> bool {
        let until_us = self.workers[number].stands_still_until_us;
        if until_us > self.now_us {
            self.agenda.note(until_us, event);
        }
        until_us > self.now_us
    }

    fn wake_later(&mut self, number: usize, from_us: u32, to_us: u32) {
        let later_us = u64::from(self.between(from_us, to_us));
        self.agenda.note(self.now_us + later_us, Event::Wake(number));
    }

    /// An answer is missing for too long.
    pub(super) fn miss(&mut self, number: usize, call: u32) {
        if self.workers[number].call != call || self.workers[number].waits_for.is_none() {
            return;
        }
        if self.is_standing_still(number, Event::Miss(number, call)) {
            return;
        }
        match self.workers[number].waits_for.take() {
            Some(Purpose::Acquire | Purpose::Renew | Purpose::Release) => {
                self.workers[number].learn(ClientEvent::AnswerMissing);
            }
            Some(Purpose::Write) => self.no_answer_to_write(number),
            _ => {}
        }
        self.wake_later(number, 1_000, 20_000);
    }

    pub(super) fn no_answer_to_write(&mut self, number: usize) {
        let now_us = self.now_us;
        let worker = &mut self.workers[number];
        let piece = &mut worker.pieces[worker.at];
        piece.state = piece.state.and_then(|state| state.after(MutationEvent::AnswerMissing)).or(piece.state);
        worker.unknown_since_us.get_or_insert(now_us);
    }

    /// An answer reaches a worker.
    pub(super) fn hear(&mut self, number: usize, call: u32, heard: Heard) {
        if self.workers[number].call != call || self.workers[number].waits_for.is_none() {
            return;
        }
        if self.is_standing_still(number, Event::Hear(number, call, heard.clone())) {
            return;
        }
        let Some(purpose) = self.workers[number].waits_for.take() else { return };
        let (now_us, trust) = (self.now_us, self.gate.system.trust());
        let worker = &mut self.workers[number];
        match (purpose, heard) {
            (Purpose::Acquire | Purpose::Query, Heard::Reply(Reply::Granted(grant))) => {
                worker.learn(if purpose == Purpose::Acquire { ClientEvent::Granted } else { ClientEvent::FoundHeld });
                worker.hold(grant, trust.sign(&grant).unwrap_or_default(), now_us);
            }
            (Purpose::Acquire, Heard::Reply(Reply::Busy)) => return self.wake_later(number, 20_000, 80_000),
            (Purpose::Renew, Heard::Reply(Reply::State(LeaseState::Held))) => worker.learn(ClientEvent::Renewed),
            (_, Heard::Proof(proof)) => worker.proof = Some(proof),
            (Purpose::Receipt, Heard::Reply(Reply::Receipt(receipt, highest))) => {
                let event = match receipt {
                    Some(receipt) => MutationEvent::Receipt { receipt: receipt.number },
                    None => MutationEvent::NoReceipt { highest },
                };
                self.learn_of_write(number, event);
            }
            (_, Heard::Verdict(verdict, segment)) => return self.hear_verdict(number, verdict, segment),
            (_, Heard::Reply(Reply::State(LeaseState::Released))) => {
                worker.learn(ClientEvent::FoundReleased);
                // A request that is repeated after its release has come to its end, too.
                worker.learn(ClientEvent::FoundExpired);
            }
            _ => worker.learn(ClientEvent::FoundExpired),
        }
        self.wake_later(number, 1_000, 100_000);
    }

    fn learn_of_write(&mut self, number: usize, event: MutationEvent) {
        let now_us = self.now_us;
        let worker = &mut self.workers[number];
        let Some(piece) = worker.pieces.get_mut(worker.at) else { return };
        piece.state = piece.state.and_then(|state| state.after(event)).or(piece.state);
        let is_known = !matches!(piece.state, Some(MutationState::Unknown { .. } | MutationState::Sent { .. }));
        if matches!(piece.state, Some(MutationState::Accepted { .. })) {
            worker.at += 1;
            worker.wanted_since_us = None;
        }
        if is_known && let Some(since_us) = worker.unknown_since_us.take() {
            self.outcome.reconciliations_us.push(now_us - since_us);
        }
    }

    fn hear_verdict(&mut self, number: usize, verdict: Verdict, segment: u16) {
        let worker = &mut self.workers[number];
        match verdict {
            Verdict::Accepted(receipt) | Verdict::Replayed(receipt) | Verdict::AlreadyAccepted(receipt) => {
                if !matches!(verdict, Verdict::AlreadyAccepted(_)) {
                    worker.segment = segment;
                }
                self.change_the_last_one(number, segment);
                self.learn_of_write(number, MutationEvent::Receipt { receipt });
                return self.wake_later(number, 1_000, 200_000);
            }
            Verdict::StatusProofExpired => worker.proof = None,
            // A segment can be missing, or be there as something else, since another one was
            // sent too early: under a new grant they are counted anew.
            Verdict::RevokedEpoch
            | Verdict::PolicyChanged
            | Verdict::FenceRegression
            | Verdict::SegmentGap
            | Verdict::Quarantined => worker.gives_back = true,
            _ => worker.learn(ClientEvent::AnswerMissing),
        }
        self.learn_of_write(number, MutationEvent::Refused);
        self.wake_later(number, 20_000, 200_000);
    }

    /// Sends the segment that was just accepted once more, with another payload.
    fn change_the_last_one(&mut self, number: usize, segment: u16) {
        let Some((grant, mac)) = self.workers[number].grant else { return };
        if !self.happens_now(Failure::SegmentChanged) {
            return;
        }
        let payload = self.fresh_word();
        if let Some(mut write) = self.write_of(number, 0, grant, mac) {
            (write.mutation.segment, write.mutation.payload) = (segment, payload);
            self.bring_about(Failure::SegmentChanged);
            let later_us = u64::from(self.between(1_000, 100_000));
            self.copy(number, write, self.now_us + later_us);
        }
    }
}
