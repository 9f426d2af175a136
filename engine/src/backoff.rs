//! How long to wait before the next try.
//!
//! The kinds and their formulas are those of AWS's simulator
//! (<https://github.com/aws-samples/aws-arch-backoff-simulator>) and of the article
//! that goes with it
//! (<https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>).
//! Waiting longer keeps clients out of each other's way. It doesn't make a race
//! correct: of N clients that each must change one cell by compare-and-set, every
//! round lets one through, with or without jitter.
//!
//! All of it is integer arithmetic, rounded down. Chance comes from outside as a
//! [`Fraction`], so that equal draws give equal waits.

use serde::{Deserialize, Serialize};

/// A fraction from 0 to 1, both included, in parts per 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fraction(u64);

impl Fraction {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The whole.
    pub const ONE: Self = Self(1 << 32);

    /// A fraction of so many parts per 2^32; what is more than the whole is the whole.
    pub const fn from_parts(parts: u64) -> Self {
        if parts < Self::ONE.0 { Self(parts) } else { Self::ONE }
    }

    /// The fraction as a draw of 32 random bits gives it: from 0 to just below 1.
    pub const fn from_draw(draw: u32) -> Self {
        Self(draw as u64)
    }

    /// This fraction of a number, rounded down.
    pub const fn of(self, whole: u64) -> u64 {
        ((whole as u128 * self.0 as u128) >> 32) as u64
    }
}

/// The rule by which a wait is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// No wait at all.
    Immediate,
    /// `min(cap, base · 2^n)`: clients that met once meet again.
    Exponential,
    /// A random part of the exponential wait.
    FullJitter,
    /// Half of the exponential wait, and a random part of the other half.
    EqualJitter,
    /// `min(cap, a random number from base to three times the last wait)`.
    DecorrelatedJitter,
}

/// A policy for trying again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backoff {
    /// The rule.
    pub kind: Kind,
    /// The shortest exponential wait, in microseconds.
    pub base_us: u64,
    /// No wait is longer, in microseconds.
    pub cap_us: u64,
    /// How often to try in all, the first try included.
    pub attempts: u32,
}

impl Backoff {
    /// How long to wait after the failure of try `n`, counted from 0, in
    /// microseconds; `None` if that was the last try. `previous_us` is the wait
    /// before; after the first failure there is none, and [`Self::base_us`] stands
    /// in for it. Only [`Kind::DecorrelatedJitter`] looks at it.
    pub fn wait_us(&self, n: u32, previous_us: Option<u64>, draw: Fraction) -> Option<u64> {
        if n.saturating_add(1) >= self.attempts {
            return None;
        }
        Some(match self.kind {
            Kind::Immediate => 0,
            Kind::Exponential => self.exponential_us(n),
            Kind::FullJitter => draw.of(self.exponential_us(n)),
            Kind::EqualJitter => {
                let half = self.exponential_us(n) / 2;
                half + draw.of(half)
            }
            Kind::DecorrelatedJitter => {
                let most = previous_us.unwrap_or(self.base_us).saturating_mul(3);
                let random = self.base_us.saturating_add(draw.of(most.saturating_sub(self.base_us)));
                random.min(self.cap_us)
            }
        })
    }

    /// `min(cap, base · 2^n)`, also where the power doesn't fit a number.
    fn exponential_us(&self, n: u32) -> u64 {
        let factor = 1u64.checked_shl(n).unwrap_or(u64::MAX);
        self.base_us.saturating_mul(factor).min(self.cap_us)
    }
}
