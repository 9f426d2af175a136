//! What came of one schedule, and of many.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::books::Harm;
use super::failure::Failure;

/// What came of one schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How often each kind of failure was brought about.
    pub failures: [u32; Failure::COUNT],
    /// How many writes reached a resource.
    pub writes: u32,
    /// How many were accepted.
    pub accepted: u32,
    /// How many were answered with the receipt of an earlier one.
    pub repeated: u32,
    /// How many were refused, by what was said.
    pub refused: BTreeMap<&'static str, u32>,
    /// What must not be.
    pub harms: Vec<Harm>,
    /// From the end of a lease until the first write of the next owner is accepted, if that
    /// was waiting, in microseconds each.
    pub hand_offs_us: Vec<u64>,
    /// From when the outcome of a write is unknown until it is known, in microseconds each.
    pub reconciliations_us: Vec<u64>,
    /// How many outcomes were still unknown when their time was over, or at the end.
    pub unreconciled: u32,
}

impl Outcome {
    /// Whether nothing happened that must not.
    pub fn is_good(&self) -> bool {
        self.harms.is_empty() && self.unreconciled == 0
    }
}

/// What came of many schedules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many there were.
    pub schedules: u32,
    /// The number of the first one that was bad.
    pub first_bad: Option<u32>,
    /// How many were bad.
    pub bad: u32,
    /// The outcomes of all of them added up.
    pub total: Outcome,
    /// How many of each kind of harm there were.
    pub harms: [u32; Harm::COUNT],
}

impl Summary {
    /// Adds what came of a schedule.
    pub fn add(&mut self, number: u32, outcome: Outcome) {
        self.schedules += 1;
        if !outcome.is_good() {
            self.bad += 1;
            self.first_bad = Some(self.first_bad.map_or(number, |first| first.min(number)));
        }
        for harm in &outcome.harms {
            self.harms[*harm as usize] += 1;
        }
        self.absorb(outcome);
    }

    /// Adds what came of other schedules.
    pub fn merge(&mut self, other: Self) {
        self.schedules += other.schedules;
        self.bad += other.bad;
        self.first_bad = self.first_bad.into_iter().chain(other.first_bad).min();
        for (count, more) in self.harms.iter_mut().zip(other.harms) {
            *count += more;
        }
        self.absorb(other.total);
    }

    fn absorb(&mut self, other: Outcome) {
        let total = &mut self.total;
        for (count, more) in total.failures.iter_mut().zip(other.failures) {
            *count += more;
        }
        total.writes += other.writes;
        total.accepted += other.accepted;
        total.repeated += other.repeated;
        total.unreconciled += other.unreconciled;
        for (said, count) in other.refused {
            *total.refused.entry(said).or_default() += count;
        }
        total.hand_offs_us.extend(other.hand_offs_us);
        total.reconciliations_us.extend(other.reconciliations_us);
    }

    /// How long hand-offs took.
    pub fn hand_offs(&self) -> Times {
        Times::of(&self.total.hand_offs_us)
    }

    /// How long it took until it was known what became of a write.
    pub fn reconciliations(&self) -> Times {
        Times::of(&self.total.reconciliations_us)
    }
}

/// A distribution of times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// All of them in order, in microseconds.
    sorted_us: Vec<u64>,
}

impl Times {
    fn of(times_us: &[u64]) -> Self {
        let mut sorted_us = times_us.to_vec();
        sorted_us.sort_unstable();
        Self { sorted_us }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.sorted_us.len()
    }

    /// The shortest time that at least so many of a hundred don't exceed, in microseconds:
    /// 0 gives the shortest of all, 50 the median, 100 the longest. 0 if there is none.
    pub fn percentile_us(&self, percent: usize) -> u64 {
        let place = (self.sorted_us.len() * percent).div_ceil(100).saturating_sub(1);
        self.sorted_us.get(place).copied().unwrap_or(0)
    }

    /// How many times lie below each of these bounds in milliseconds and not below the one
    /// before, and how many below none.
    pub fn histogram(&self, bounds_ms: &[u64]) -> Vec<usize> {
        let below = |bound_ms: &u64| self.sorted_us.partition_point(|&time_us| time_us < bound_ms * 1_000);
        let mut places: Vec<usize> = bounds_ms.iter().map(below).collect();
        places.push(self.sorted_us.len());
        let before = core::iter::once(0).chain(places.iter().copied());
        before.zip(&places).map(|(from, to)| to - from).collect()
    }
}
