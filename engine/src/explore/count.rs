//! Numbers of schedules: as wide as they need to be.

use alloc::format;
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

    /// So many times this number, exactly.
    #[must_use]
    pub fn times(self, factor: &Self) -> Self {
        match (self, factor) {
            // Most factors are one, and wide products take long in wasm.
            (number, Self::Small(1)) => number,
            (Self::Small(number), Self::Small(factor)) => match number.checked_mul(*factor) {
                Some(product) => Self::Small(product),
                None => Self::Large(BigUint::from(number) * *factor),
            },
            (Self::Small(number), Self::Large(factor)) => Self::Large(factor * number),
            (Self::Large(number), Self::Small(factor)) => Self::Large(number * *factor),
            (Self::Large(number), Self::Large(factor)) => Self::Large(number * factor),
        }
    }

    /// This number to a power.
    pub(super) fn to_the(&self, power: u16) -> Self {
        match self {
            Self::Small(number) => match number.checked_pow(power.into()) {
                Some(product) => Self::Small(product),
                None => Self::Large(self.wide().pow(power.into())),
            },
            Self::Large(number) => Self::Large(number.pow(power.into())),
        }
    }

    /// This number divided by one that divides it.
    pub(super) fn divided_by(&self, number: u32) -> Self {
        match self {
            Self::Small(whole) => Self::Small(whole / u128::from(number)),
            Self::Large(whole) => Self::Large(whole / number),
        }
    }

    /// The least number that both this one and another divide.
    pub(super) fn least_common_multiple(&self, number: u128) -> Self {
        let common = u128::try_from(self.wide() % number).map_or(1, |rest| greatest_common_divisor(number, rest));
        self.clone().times(&Self::Small(number / common))
    }

    /// As a number of any width.
    fn wide(&self) -> BigUint {
        match self {
            Self::Small(number) => BigUint::from(*number),
            Self::Large(number) => number.clone(),
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
        if whole.is_zero() {
            return 0;
        }
        u32::try_from(self.wide() * 1_000_000_u32 / whole.wide()).unwrap_or(u32::MAX)
    }
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// A share of a whole, exactly: a probability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// How much it is.
    pub part: Count,
    /// Of how much; never 0.
    pub whole: Count,
}

impl Share {
    /// The share as a decimal fraction with so many digits, rounded down: `0.2658`.
    pub fn decimal(&self, digits: u32) -> String {
        let scale = BigUint::from(10_u32).pow(digits);
        let scaled = (self.part.wide() * &scale / self.whole.wide()).to_string();
        let padded = "0".repeat((digits as usize + 1).saturating_sub(scaled.len())) + &scaled;
        let (whole, fraction) = padded.split_at(padded.len() - digits as usize);
        format!("{whole}.{fraction}")
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
    fn a_share_is_written_with_as_many_digits_as_are_asked_for() {
        let share = |part, whole| Share { part: Count::Small(part), whole: Count::Small(whole) };
        assert_eq!(share(1_288, 4_846).decimal(4), "0.2657");
        assert_eq!(share(1, 3_000).decimal(6), "0.000333");
        assert_eq!(share(7, 7).decimal(3), "1.000");
    }

    #[test]
    fn a_product_that_outgrows_128_bits_stays_exact() {
        let large = Count::Small(u128::MAX).times(&Count::Small(2));
        assert_eq!(large.decimal(), "680564733841876926926749214863536422910");
        assert_eq!(Count::Small(3).times(&Count::Small(4)), Count::Small(12));
        assert_eq!(Count::Small(2).times(&large), large.clone().times(&Count::Small(2)));
    }

    #[test]
    fn shares_are_exact_and_rounded_down() {
        assert_eq!(Count::Small(1_288).per_million_of(&Count::Small(4_846)), 265_786);
        assert_eq!(Count::Small(0).per_million_of(&Count::Small(0)), 0);
    }
}
