//! What the registry and the resources do about the messages that reach them.

use alloc::format;

use super::agenda::Event;
use super::books::Harm;
use super::failure::Failure;
use super::trial::Trial;
use crate::system::grant::{
    Grant, LeaseState, Mac, Mutation, Presented, Reply, Request, Status, StatusProof, Verdict, Wish,
};
use crate::system::names::Word;

/// A message to the registry or to a resource.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// Who sends it, as its network proves it: a worker, or an attacker.
    pub from: usize,
    /// The call that it belongs to, if somebody waits for the answer.
    pub call: Option<u32>,
    /// What is asked.
    pub ask: Ask,
    /// Whether the answer is lost.
    pub reply_lost: bool,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(super) enum Ask {
    Acquire(Wish),
    Query(usize, Word),
    Renew(Grant),
    Release(Grant),
    Prove(Grant, Mac),
    Write(Write),
    Receipt(usize, Word),
}

/// A write, with what is shown for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub grant: Grant,
    pub mac: Mac,
    /// A proof, or none if the resource shall ask the registry.
    pub proof: Option<Proof>,
    pub mutation: Mutation,
}

/// A proof, its MAC, and until when it is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proof {
    pub stated: StatusProof,
    pub mac: Mac,
    pub until_us: u64,
}

/// What a worker hears.
#[derive(Clone, Debug)]
pub(super) enum Heard {
    Reply(Reply),
    Proof(Proof),
    Verdict(Verdict, u16),
}

impl Trial<'_> {
    /// A message arrives and is served at once.
    pub(super) fn arrive(&mut self, message: &Message) {
        let heard = match message.ask {
            Ask::Write(write) => Heard::Verdict(self.write(message.from, &write), write.mutation.segment),
            Ask::Prove(grant, mac) => self.prove(&grant, mac),
            ref ask => Heard::Reply(self.registry(message.from, ask)),
        };
        if let Some(call) = message.call.filter(|_| !message.reply_lost) {
            let at_us = self.now_us + self.latency_us();
            self.agenda.note(at_us, Event::Hear(message.from, call, heard));
        }
    }

    fn registry(&mut self, from: usize, ask: &Ask) -> Reply {
        let (system, caller) = (&self.gate.system, from as u8);
        let (cells, alarms) = (&mut self.cells, &mut self.alarms);
        let reply = match *ask {
            Ask::Acquire(wish) => system.request(caller, wish, cells, alarms),
            Ask::Query(resource, request) => system.find(caller, resource, request, cells),
            Ask::Renew(grant) => system.renew(&grant, cells, alarms),
            Ask::Release(grant) => system.release(&grant, cells, alarms),
            Ask::Receipt(resource, operation) => self.operator(Request::Receipt(resource, operation)),
            Ask::Write(_) | Ask::Prove(..) => return Reply::NoGrant,
        };
        match (ask, reply) {
            (Ask::Acquire(wish), Reply::Granted(grant)) => {
                self.books.leases.held[wish.resource] = Some(grant);
                if let Some(mac) = system.trust().sign(&grant)
                    && !self.books.issued.contains(&(grant, mac))
                {
                    self.books.issued.push((grant, mac));
                }
            }
            (Ask::Release(grant), Reply::State(LeaseState::Released)) => {
                let held = &mut self.books.leases.held[usize::from(grant.resource)];
                if *held == Some(*grant) {
                    *held = None;
                    self.ended_us[usize::from(grant.resource)] = Some(self.now_us);
                }
            }
            _ => {}
        }
        let name = name(from);
        self.tell(|| match ask {
            Ask::Acquire(wish) => format!("{name} asks for {} → {reply}", key(wish.resource)),
            Ask::Query(..) => format!("{name} asks what became of its request → {reply}"),
            Ask::Renew(_) => format!("{name} renews → {reply}"),
            Ask::Release(_) => format!("{name} releases → {reply}"),
            _ => format!("{name} asks for a receipt → {reply}"),
        });
        reply
    }

    fn prove(&mut self, grant: &Grant, grant_mac: Mac) -> Heard {
        let system = &self.gate.system;
        let until_us = self.now_us + super::PROOF_LASTS_US;
        let proof = system.proof_of(grant, &grant_mac, &mut self.cells);
        match proof.and_then(|stated| Some(Proof { stated, mac: system.trust().sign(&stated)?, until_us })) {
            Some(proof) => {
                self.books.proofs.push((proof.stated, *grant, until_us));
                self.tell(|| format!("{} gets a proof of fence-{}", name(grant.owner.into()), grant.fence));
                Heard::Proof(proof)
            }
            None => Heard::Reply(Reply::NotHeld),
        }
    }

    /// A write reaches its resource.
    fn write(&mut self, from: usize, write: &Write) -> Verdict {
        let system = &self.gate.system;
        let Write { grant, mac, proof, mutation } = *write;
        let status = proof.map_or(Status::Query, |Proof { stated, mac, until_us }| Status::Proof {
            proof: stated,
            mac,
            fresh: until_us > self.now_us,
        });
        let shown = Presented { grant, mac, status };
        let before = system.resource(mutation.resource, &mut self.cells).highest;
        let verdict = system.change(from as u8, &shown, &mutation, &mut self.cells);
        let after = system.resource(mutation.resource, &mut self.cells).highest;
        self.outcome.writes += 1;
        let known = self.outcome.harms.len();
        match verdict {
            Verdict::Accepted(_) => {
                self.outcome.accepted += 1;
                self.note_hand_off(from, &grant, mutation.resource);
                let harms = self.books.accepted(self.now_us, from as u8, &shown, &mutation);
                self.outcome.harms.extend(harms);
            }
            Verdict::Replayed(_) | Verdict::AlreadyAccepted(_) => self.outcome.repeated += 1,
            refusal => {
                *self.outcome.refused.entry(refusal.name()).or_default() += 1;
                if refusal == Verdict::FenceRegression {
                    self.books.resources[mutation.resource].halted = true;
                    self.call_an_operator(mutation.resource);
                }
            }
        }
        if after != before && !matches!(verdict, Verdict::Accepted(_)) {
            self.outcome.harms.push(Harm::Contaminated);
        }
        self.tell(|| {
            let (fence, segment) = (grant.fence, mutation.segment);
            format!("{} writes to {}, fence {fence}, segment {segment} → {verdict}", name(from), key(mutation.resource))
        });
        for place in known..self.outcome.harms.len() {
            let harm = self.outcome.harms[place];
            self.tell(|| format!("  this must not be: {}", harm.name()));
        }
        verdict
    }

    /// How long it took until the next owner could write, if it was waiting for that.
    fn note_hand_off(&mut self, from: usize, grant: &Grant, resource: usize) {
        let is_next = grant.fence > self.books.resources[resource].highest;
        let ended_us = self.ended_us[resource].filter(|_| is_next);
        let wanted_us = self.workers.get(from).and_then(|worker| worker.wanted_since_us);
        if let (Some(ended_us), Some(wanted_us)) = (ended_us, wanted_us) {
            self.outcome.hand_offs_us.push(self.now_us - ended_us.max(wanted_us));
        }
    }

    /// A failure has been brought about.
    pub(super) fn bring_about(&mut self, failure: Failure) {
        self.outcome.failures[failure as usize] += 1;
        self.tell(|| format!("  failure: {}", failure.name()));
    }
}

/// A worker, or the attacker, by its letter.
pub(super) fn name(from: usize) -> char {
    char::from(b'A' + from as u8)
}

pub(super) fn key(resource: usize) -> &'static str {
    ["r", "q"][resource]
}
