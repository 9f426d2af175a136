//! Time across the plot, both ways: moments become places, and moves become spans.

/// A place across the plot, in hundredths of a per cent of its width.
pub type Share = i32;

/// Where the plot's first and last moment lie.
const FIRST: i64 = 150;
const LAST: i64 = 9_850;

/// Maps moments to places across the plot, and moves back to spans of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeScale {
    end_us: u64,
}

impl TimeScale {
    /// A scale from 0 to `end_us`, which is at least a millisecond.
    pub fn new(end_us: u64) -> Self {
        Self { end_us: end_us.max(1_000) }
    }

    /// The last moment that the plot shows, in microseconds.
    pub fn end_us(self) -> u64 {
        self.end_us
    }

    /// Where a moment lies; later moments than the last lie beyond it.
    pub fn share(self, at_us: u64) -> Share {
        let end = i64::try_from(self.end_us).unwrap_or(i64::MAX);
        let at = i64::try_from(at_us).unwrap_or(i64::MAX).min(4 * end);
        (FIRST + at * (LAST - FIRST) / end) as Share
    }

    /// The moment at a place, in microseconds, within what the plot shows.
    pub fn moment(self, share: Share) -> u64 {
        self.span_us(share - FIRST as Share).clamp(0, i64::try_from(self.end_us).unwrap_or(i64::MAX)).unsigned_abs()
    }

    /// How much time lies in a share of the plot's width, in microseconds.
    pub fn span_us(self, share: Share) -> i64 {
        i64::from(share) * i64::try_from(self.end_us).unwrap_or(i64::MAX) / (LAST - FIRST)
    }

    /// The ruler's ticks; those at whole steps have labels, and the last its unit.
    pub fn ticks(self) -> Vec<(u64, Option<String>)> {
        let step_us = self.step_us();
        let halves = self.end_us * 2 / step_us;
        let tick = |half: u64| {
            let at_us = half * step_us / 2;
            let last = half == halves / 2 * 2;
            let label = (half.is_multiple_of(2)).then(|| label(at_us, step_us, last));
            (at_us, label)
        };
        (0..=halves).map(tick).collect()
    }

    /// The distance between two labels, so that there are at most ten.
    pub(super) fn step_us(self) -> u64 {
        let steps = (0..8).flat_map(|power| [1, 2, 5].map(|lead| lead * 10_u64.pow(power) * 100));
        steps.into_iter().find(|step| self.end_us / step <= 10).unwrap_or(3_600_000_000)
    }
}

fn label(at_us: u64, step_us: u64, last: bool) -> String {
    let unit = if last && at_us > 0 { " s" } else { "" };
    let tenths = at_us / 100_000;
    if step_us >= 1_000_000 || at_us == 0 {
        format!("{}{unit}", at_us / 1_000_000)
    } else if step_us >= 100_000 {
        format!("{}.{}{unit}", tenths / 10, tenths % 10)
    } else {
        let digits = format!("{:06}", at_us % 1_000_000);
        format!("{}.{}{unit}", at_us / 1_000_000, digits.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_moment_keep_a_margin() {
        let scale = TimeScale::new(8_000_000);
        assert_eq!([0, 4_000_000, 8_000_000].map(|at| scale.share(at)), [150, 5_000, 9_850]);
    }

    #[test]
    fn a_share_of_the_plot_is_a_span_of_time() {
        let scale = TimeScale::new(8_000_000);
        assert_eq!([9_700, -4_850, 0].map(|share| scale.span_us(share)), [8_000_000, -4_000_000, 0]);
    }

    #[test]
    fn a_place_is_a_moment_on_the_stage() {
        let scale = TimeScale::new(8_000_000);
        assert_eq!([-900, 150, 5_000, 9_999].map(|share| scale.moment(share)), [0, 0, 4_000_000, 8_000_000]);
    }

    #[test]
    fn labels_stand_at_whole_steps() {
        let labels = |end_us| TimeScale::new(end_us).ticks().into_iter().filter_map(|tick| tick.1).collect::<Vec<_>>();
        assert_eq!(labels(8_000_000), ["0", "1", "2", "3", "4", "5", "6", "7", "8 s"]);
        assert_eq!(labels(1_000_000), ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0 s"]);
        assert_eq!(labels(20_000_000), ["0", "2", "4", "6", "8", "10", "12", "14", "16", "18", "20 s"]);
    }
}
