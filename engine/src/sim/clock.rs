//! The two clocks of a node, as functions of true time.
//!
//! All faults of a timed run are known before it starts, so a clock is a function
//! and needs no state. A step at `t` shows from `t + 1` on: what happens at the
//! very moment of a fault still happens before it.

use alloc::vec::Vec;

use super::fault::{ClockRate, ClockStep, Fault, RATES_PPM};
use super::scenario::{LIMITS, NodeIndex};
use crate::order::sort_by;
use crate::system::ClockKind;

/// The wall clock and the monotonic clock of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeClock {
    steps: Vec<ClockStep>,
    stretches: Vec<Stretch>,
}

/// A time during which the clocks run at another rate. Stretches don't overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    from_us: u64,
    to_us: u64,
    rate_ppm: i64,
}

impl NodeClock {
    /// The clocks of a node under these faults. Rates that overlap add up, but no
    /// clock runs backwards.
    pub fn new(node: NodeIndex, faults: &[Fault]) -> Self {
        let (mut steps, mut rates) = (Vec::new(), Vec::new());
        for fault in faults {
            match fault.clamped() {
                Fault::ClockStep(step) if step.node == node => steps.push(step),
                Fault::ClockRate(rate) if rate.node == node => rates.push(rate),
                _ => {}
            }
        }
        Self { steps, stretches: stretches(&rates) }
    }

    /// What the monotonic clock shows at a moment, both in microseconds. It feels
    /// a wrong rate and no step.
    pub fn monotonic_us(&self, at_us: u64) -> i64 {
        let drift = |stretch: &Stretch| {
            let felt_us = at_us.clamp(stretch.from_us, stretch.to_us) - stretch.from_us;
            (felt_us.cast_signed() * stretch.rate_ppm).div_euclid(1_000_000)
        };
        at_us.cast_signed() + self.stretches.iter().map(drift).sum::<i64>()
    }

    /// What the wall clock shows at a moment, both in microseconds.
    pub fn wall_us(&self, at_us: u64) -> i64 {
        let jumped = self.steps.iter().filter(|step| step.at_us < at_us).map(|step| step.by_us);
        self.monotonic_us(at_us) + jumped.sum::<i64>()
    }

    /// What one of the two clocks shows at a moment, both in microseconds.
    pub fn shows_us(&self, kind: ClockKind, at_us: u64) -> i64 {
        match kind {
            ClockKind::Wall => self.wall_us(at_us),
            ClockKind::Monotonic => self.monotonic_us(at_us),
        }
    }

    /// The first moment, not before `from_us`, at which one of the two clocks shows
    /// `deadline_us` or more; `None` if that is beyond the longest run.
    pub fn reaches_us(&self, kind: ClockKind, deadline_us: i64, from_us: u64) -> Option<u64> {
        match kind {
            ClockKind::Wall => self.wall_reaches_us(deadline_us, from_us),
            ClockKind::Monotonic => self.monotonic_reaches_us(deadline_us, from_us),
        }
    }

    /// The first moment, not before `from_us`, at which the wall clock shows
    /// `deadline_us` or more; `None` if that is beyond the longest run.
    pub fn wall_reaches_us(&self, deadline_us: i64, from_us: u64) -> Option<u64> {
        self.reaches(deadline_us, from_us, Self::wall_us)
    }

    /// The first moment, not before `from_us`, from which on the wall clock always shows
    /// `deadline_us` or more; `None` if that is beyond the longest run.
    pub fn wall_stays_us(&self, deadline_us: i64, from_us: u64) -> Option<u64> {
        let reached_us = self.wall_reaches_us(deadline_us, from_us)?;
        let put_back = self.bends().filter(|&bend| bend > reached_us && self.wall_us(bend) < deadline_us).max();
        put_back.map_or(Some(reached_us), |put_back_us| self.wall_reaches_us(deadline_us, put_back_us))
    }

    /// The same as [`NodeClock::wall_reaches_us`] for the monotonic clock.
    pub fn monotonic_reaches_us(&self, deadline_us: i64, from_us: u64) -> Option<u64> {
        self.reaches(deadline_us, from_us, Self::monotonic_us)
    }

    /// Between two faults a clock never goes back, so each stretch can be halved.
    fn reaches(&self, deadline_us: i64, from_us: u64, shows: fn(&Self, u64) -> i64) -> Option<u64> {
        let mut starts: Vec<u64> = self.bends().filter(|&bend| bend > from_us).collect();
        starts.push(from_us);
        sort_by(&mut starts, |a, b| a > b);
        starts.dedup();
        starts.iter().enumerate().find_map(|(index, &start)| {
            let last = starts.get(index + 1).map_or(4 * LIMITS.time_us + start, |next| next - 1);
            (shows(self, last) >= deadline_us).then(|| first_in(start, last, |at| shows(self, at) >= deadline_us))
        })
    }

    fn bends(&self) -> impl Iterator<Item = u64> + '_ {
        let steps = self.steps.iter().map(|step| step.at_us + 1);
        steps.chain(self.stretches.iter().flat_map(|stretch| [stretch.from_us, stretch.to_us]))
    }
}

fn stretches(rates: &[ClockRate]) -> Vec<Stretch> {
    let span = |rate: &ClockRate| (rate.at_us, rate.at_us + rate.lasts_us);
    let mut bends: Vec<u64> = rates.iter().map(span).flat_map(|(from, to)| [from, to]).collect();
    sort_by(&mut bends, |a, b| a > b);
    bends.dedup();
    let between = bends.windows(2).map(|pair| {
        let (from_us, to_us) = (pair[0], pair[1]);
        let felt = rates.iter().filter(|&rate| span(rate).0 <= from_us && to_us <= span(rate).1);
        let total_ppm: i64 = felt.map(|rate| i64::from(rate.rate_ppm)).sum();
        Stretch { from_us, to_us, rate_ppm: total_ppm.clamp(RATES_PPM.0, RATES_PPM.1) }
    });
    between.filter(|stretch| stretch.rate_ppm != 0).collect()
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
    fn rates_that_overlap_add_up_but_never_turn_a_clock_back() {
        let rate = |at_us, lasts_us, rate_ppm| Fault::ClockRate(ClockRate { node: 0, at_us, lasts_us, rate_ppm });
        let fast = clock(&[rate(0, 100, 1_000_000), rate(50, 100, 1_000_000)]);
        assert_eq!([50, 100, 150, 200].map(|at| fast.wall_us(at)), [100, 250, 350, 400]);
        let slow = clock(&[rate(0, 100, -900_000), rate(50, 100, -900_000)]);
        assert_eq!([50, 100, 150, 200].map(|at| slow.wall_us(at)), [5, 5, 10, 60]);
        assert_eq!(slow.wall_reaches_us(6, 0), Some(110));
    }

    #[test]
    fn numbers_from_strangers_do_not_overflow() {
        let wild = clock(&[
            Fault::ClockStep(ClockStep { node: 0, at_us: u64::MAX, by_us: i64::MIN }),
            Fault::ClockStep(ClockStep { node: 0, at_us: 0, by_us: i64::MAX }),
            Fault::ClockRate(ClockRate { node: 0, at_us: u64::MAX, lasts_us: u64::MAX, rate_ppm: i32::MAX }),
            Fault::ClockRate(ClockRate { node: 0, at_us: 0, lasts_us: u64::MAX, rate_ppm: i32::MIN }),
        ]);
        assert_eq!(wild.monotonic_us(1_000), 0, "the slowest clock stands still");
        assert_eq!(wild.wall_us(1_000), LIMITS.time_us.cast_signed());
        assert!(wild.wall_reaches_us(i64::MAX, 0).is_none());
    }

    #[test]
    fn faults_of_other_nodes_do_nothing() {
        let other = clock(&[Fault::ClockStep(ClockStep { node: 1, at_us: 0, by_us: 99 })]);
        assert_eq!(other.wall_us(10), 10);
    }
}
