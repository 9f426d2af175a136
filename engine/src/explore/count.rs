//! Numbers of schedules: as wide as they need to be.

use alloc::string::{String, ToString};

use num_bigint::BigUint;

/// A number of schedules. It starts out in 128 bits, and goes on in as many as it
/// takes when they aren't enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// Fits 128 bits.
    Small(u128),
    /// Doesn't.
    Large(BigUint),
}

impl Default for Count {
    fn default() -> Self {
        Self::Small(0)
    }
}

impl Count {
    /// Whether there is none.
    pub fn is_zero(&self) -> bool {
        *self == Self::Small(0)
    }

    /// Adds another number, exactly.
    pub fn add(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Small(sum), Self::Small(other)) => match sum.checked_add(*other) {
                Some(new) => *sum = new,
                None => *self = Self::Large(BigUint::from(*sum) + *other),
            },
            (Self::Small(sum), Self::Large(other)) => *self = Self::Large(other + *sum),
            (Self::Large(sum), Self::Small(other)) => *sum += *other,
            (Self::Large(sum), Self::Large(other)) => *sum += other,
        }
    }

    /// The number in decimal digits.
    pub fn decimal(&self) -> String {
        match self {
            Self::Small(number) => number.to_string(),
            Self::Large(number) => number.to_string(),
        }
    }

    /// This number as parts of a million of another one, rounded down; 0 of 0 is 0.
    pub fn per_million_of(&self, whole: &Self) -> u32 {
        let wide = |count: &Self| match count {
            Self::Small(number) => BigUint::from(*number),
            Self::Large(number) => number.clone(),
        };
        if whole.is_zero() {
            return 0;
        }
        u32::try_from(wide(self) * 1_000_000_u32 / wide(whole)).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_outgrows_128_bits_stays_exact() {
        let mut sum = Count::Small(u128::MAX);
        sum.add(&Count::Small(1));
        assert_eq!(sum.decimal(), "340282366920938463463374607431768211456");
        let again = sum.clone();
        sum.add(&again);
        assert_eq!(sum.decimal(), "680564733841876926926749214863536422912");
        let mut small = Count::Small(4);
        small.add(&sum);
        assert_eq!(small.decimal(), "680564733841876926926749214863536422916");
    }

    #[test]
    fn shares_are_exact_and_rounded_down() {
        assert_eq!(Count::Small(1_288).per_million_of(&Count::Small(4_846)), 265_786);
        assert_eq!(Count::Small(0).per_million_of(&Count::Small(0)), 0);
    }
}
