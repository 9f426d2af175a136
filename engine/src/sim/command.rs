//! What clients say to real systems, and what they make of the answers.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::scenario::{Outcome, Register, Target};
use super::template::Template;

/// A command, and what its answers lead to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The command in the server's own words.
    pub say: Template,
    /// What it means to those who judge the run.
    pub meaning: Meaning,
    /// The answers that the program knows. The first that fits counts.
    pub answers: Vec<Answer>,
    /// The value that is the token of the lease: this answer or an earlier one gives
    /// it, a write brings it. Without one, grants are numbered in their order. Of a
    /// promise or an effect it says which one it is.
    pub token: Option<Register>,
    /// The segment that a write brings, if it is one of a row.
    pub segment: Option<Register>,
    /// Whether the command holds only if what was read is still there.
    pub conditional: bool,
    /// Whether the command works on what is there when it is handled, such as an
    /// increment: it builds on nothing that was read before.
    pub in_place: bool,
    /// Whether the grant that comes with it is forged or changed.
    pub forged: bool,
}

/// What a command means to those who judge a run. It changes nothing of what
/// happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Meaning {
    /// Nothing by itself.
    #[default]
    Nothing,
    /// It asks for a lease.
    Acquire,
    /// It asks whether a lease still lasts.
    Check,
    /// It asks for a new term.
    Renew,
    /// It gives a lease back.
    Release,
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It puts what was read into a cache.
    Fill,
    /// It takes an entry out of a cache.
    Clear,
    /// It does something that can't be taken back.
    Effect,
    /// It promises an effect.
    Promise,
}

/// One of the answers that a program knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What the server says.
    pub reply: Template,
    /// What the program makes of it.
    pub outcome: Outcome,
    /// Where the program goes on.
    pub target: Target,
}

/// Most values that one command can carry.
pub const MOST_CARRIED: usize = 3;
