//! The two clocks of a node, as functions of true time.
//!
//! All faults of a timed run are known before it starts, so a clock is a function
//! and needs no state. A step at `t` shows from `t + 1` on: what happens at the
//! very moment of a fault still happens before it.

use alloc::vec::Vec;

use super::fault::{ClockRate, ClockStep, Fault};
use super::scenario::{LIMITS, NodeIndex};

/// The wall clock and the monotonic clock of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeClock {
    steps: Vec<ClockStep>,
    rates: Vec<ClockRate>,
}

impl NodeClock {
    /// The clocks of a node under these faults.
    pub fn new(node: NodeIndex, faults: &[Fault]) -> Self {
        let mut clock = Self::default();
        for fault in faults {
            match *fault {
                Fault::ClockStep(step) if step.node == node => clock.steps.push(step),
                Fault::ClockRate(rate) if rate.node == node => clock.rates.push(rate),
                _ => {}
            }
        }
        clock
    }

    /// What the monotonic clock shows at a moment, both in microseconds. It feels
    /// a wrong rate and no step.
    pub fn monotonic_us(&self, at_us: u64) -> i64 {
        let drift = |rate: &ClockRate| {
            let felt_us = at_us.saturating_sub(rate.at_us).min(rate.lasts_us);
            felt_us.cast_signed() * i64::from(rate.rate_ppm) / 1_000_000
        };
        at_us.cast_signed() + self.rates.iter().map(drift).sum::<i64>()
    }

    /// What the wall clock shows at a moment, both in microseconds.
    pub fn wall_us(&self, at_us: u64) -> i64 {
        let jumped = self.steps.iter().filter(|step| step.at_us < at_us).map(|step| step.by_us);
        self.monotonic_us(at_us) + jumped.sum::<i64>()
    }

    /// The first moment, not before `from_us`, at which the wall clock shows
    /// `deadline_us` or more; `None` if that is beyond the longest run.
    pub fn wall_reaches_us(&self, deadline_us: i64, from_us: u64) -> Option<u64> {
        self.reaches(deadline_us, from_us, Self::wall_us)
    }

    /// The same for the monotonic clock.
    pub fn monotonic_reaches_us(&self, deadline_us: i64, from_us: u64) -> Option<u64> {
        self.reaches(deadline_us, from_us, Self::monotonic_us)
    }

    /// Between two faults a clock never goes back, so each stretch can be halved.
    fn reaches(&self, deadline_us: i64, from_us: u64, shows: fn(&Self, u64) -> i64) -> Option<u64> {
        let mut starts: Vec<u64> = self.bends().filter(|&bend| bend > from_us).collect();
        starts.push(from_us);
        starts.sort_unstable();
        starts.dedup();
        starts.iter().enumerate().find_map(|(index, &start)| {
            let last = starts.get(index + 1).map_or(4 * LIMITS.time_us + start, |next| next - 1);
            (shows(self, last) >= deadline_us).then(|| first_in(start, last, |at| shows(self, at) >= deadline_us))
        })
    }

    fn bends(&self) -> impl Iterator<Item = u64> + '_ {
        let steps = self.steps.iter().map(|step| step.at_us + 1);
        steps.chain(self.rates.iter().flat_map(|rate| [rate.at_us, rate.at_us + rate.lasts_us]))
    }
}

/// The first number of a range that fits, if all after a fitting one fit and the last does.
fn first_in(mut low: u64, mut high: u64, fits: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(faults: &[Fault]) -> NodeClock {
        NodeClock::new(0, faults)
    }

    #[test]
    fn without_faults_a_clock_shows_true_time() {
        assert_eq!(clock(&[]).wall_us(1_234), 1_234);
        assert_eq!(clock(&[]).wall_reaches_us(3_000, 1_000), Some(3_000));
    }

    #[test]
    fn a_step_moves_the_wall_clock_from_the_next_microsecond_on() {
        let stepped = clock(&[Fault::ClockStep(ClockStep { node: 0, at_us: 500, by_us: 10_000 })]);
        assert_eq!((stepped.wall_us(500), stepped.wall_us(501)), (500, 10_501));
        assert_eq!(stepped.monotonic_us(501), 501);
        assert_eq!(stepped.wall_reaches_us(3_000, 0), Some(501));
        assert_eq!(stepped.monotonic_reaches_us(3_000, 0), Some(3_000));
    }

    #[test]
    fn a_step_back_makes_a_deadline_later() {
        let stepped = clock(&[Fault::ClockStep(ClockStep { node: 0, at_us: 500, by_us: -400 })]);
        assert_eq!(stepped.wall_reaches_us(3_000, 0), Some(3_400));
        assert_eq!(stepped.wall_reaches_us(500, 0), Some(500), "it was reached before the step");
    }

    #[test]
    fn a_fast_clock_reaches_a_deadline_early() {
        let fast =
            clock(&[Fault::ClockRate(ClockRate { node: 0, at_us: 1_000, lasts_us: 1_000, rate_ppm: 1_000_000 })]);
        assert_eq!(fast.wall_us(1_500), 2_000);
        assert_eq!(fast.wall_reaches_us(2_000, 0), Some(1_500));
        assert_eq!(fast.wall_reaches_us(4_000, 0), Some(3_000), "one second too many stays");
    }

    #[test]
    fn faults_of_other_nodes_do_nothing() {
        let other = clock(&[Fault::ClockStep(ClockStep { node: 1, at_us: 0, by_us: 99 })]);
        assert_eq!(other.wall_us(10), 10);
    }
}
