//! Trying again: how long a client waits before it does, and how often.

use rand_core::Rng;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use super::scenario::{NodeIndex, Register};
use crate::backoff::{Backoff, Fraction};

/// A wait before another try. Who has no try left goes on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TryAgain {
    /// The rule by which the wait is chosen, in microseconds of the client's own
    /// monotonic clock, and how many tries there are.
    pub backoff: Backoff,
    /// What the jitter is drawn from; each client has draws of its own. In a run without
    /// time every order is possible, whatever is drawn.
    pub seed: u16,
    /// The register with the number of tries that have failed before.
    pub tries: Register,
}

impl TryAgain {
    /// How long a client waits when so many of its tries have failed before the last one,
    /// in microseconds; `None` if there is no try left.
    pub fn wait_us(&self, client: NodeIndex, tries: u16) -> Option<u64> {
        let mut draws = Pcg32::seed_from_u64(u64::from(self.seed) << 8 | u64::from(client));
        if u32::from(tries).saturating_add(1) >= self.backoff.attempts {
            return None;
        }
        let mut waited_us = None;
        for n in 0..=u32::from(tries) {
            let draw = Fraction::from_draw(draws.next_u32());
            waited_us = self.backoff.wait_us(n, waited_us, draw);
        }
        waited_us
    }
}
