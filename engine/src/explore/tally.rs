//! What is counted within a schedule: how many clients got something, say.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::sim::Outcome;

/// How often clients do certain steps in one schedule. Schedules are then counted by
/// this number, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// What the number is called, such as "grants".
    pub name: String,
    /// The steps, each by its program and its place in it.
    pub steps: Vec<(u8, u8)>,
    /// The outcome that counts; `None` for any.
    pub outcome: Option<Outcome>,
}

impl Tally {
    pub(super) fn counts(&self, program: u8, step: u8, outcome: Outcome) -> bool {
        self.outcome.is_none_or(|counted| counted == outcome) && self.steps.contains(&(program, step))
    }
}
