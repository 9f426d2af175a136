//! The release gate of signed grants: many random schedules in which owners pause,
//! messages are late, lost, doubled and out of order, a registry is set back, and
//! attackers forge and alter; and a judge who keeps books of its own.
//!
//! A schedule is made from a seed and its number alone, in virtual time, so any of them
//! can be told again. No write that is stale, forged, altered, meant for another resource,
//! skipped or repeated may be accepted in any of them. Random schedules find; they never
//! prove.
//!
//! What is tested is [`SignedGrants`], whose resources can leave a check out: then the
//! gate has to fail, which shows that it is able to.

mod agenda;
mod attack;
mod books;
mod failure;
mod operator;
mod send;
mod serve;
mod summary;
mod trial;
mod worker;

pub use books::Harm;
pub use failure::Failure;
pub use summary::{Outcome, Summary, Times};

use alloc::string::String;
use alloc::vec::Vec;

use crate::system::grant::{Check, Mode, SignedGrants, TrustBundle};
use trial::Trial;

/// How long a status proof is good, in microseconds.
const PROOF_LASTS_US: u64 = 1_000_000;

/// How many callers the registry knows: the workers and the attacker.
const CALLERS: u8 = 4;

/// How many receipts a resource keeps: more than a schedule makes.
const RECEIPTS: u8 = 40;

/// By when it has to be known what became of a change, in microseconds: 15 minutes.
pub const RECONCILED_WITHIN_US: u64 = 15 * 60 * 1_000_000;

/// A gate: what is tested, and from which seed.
#[derive(Clone, Debug)]
pub struct Gate {
    seed: u64,
    system: SignedGrants,
    /// The keys of somebody who isn't the issuer.
    stranger: TrustBundle,
}

/// A line of a schedule that is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When, in microseconds of virtual time.
    pub at_us: u64,
    /// What happened.
    pub what: String,
}

impl Gate {
    /// A gate with schedules from a seed, before resources that leave a check out or none.
    pub fn new(seed: u64, without: Option<Check>) -> Self {
        let system = SignedGrants::new(&["r", "q"], Mode::Enforcing, RECEIPTS, PROOF_LASTS_US, CALLERS)
            .expect("there are timers for two resources and a few callers");
        let system = match without {
            Some(check) => system.without(check),
            None => system,
        };
        Self { seed, system, stranger: TrustBundle::new(b"a stranger to the gate", 8) }
    }

    /// Runs the schedule with a number.
    pub fn run(&self, number: u32) -> Outcome {
        Trial::new(self, number, false).go().0
    }

    /// Runs it and tells what happens.
    pub fn tell(&self, number: u32) -> (Outcome, Vec<Line>) {
        Trial::new(self, number, true).go()
    }
}
