//! Time across the plot, both ways: moments become places, and moves become spans.

/// A place across the plot, in hundredths of a per cent of its width.
pub type Share = i32;

/// A place across the plot as SVG says it, without a float: "70.79%".
pub fn percent(share: Share) -> String {
    let sign = if share < 0 { "-" } else { "" };
    let share = share.unsigned_abs();
    format!("{sign}{}.{:02}%", share / 100, share % 100)
}

/// Where the plot's first and last moment lie.
const FIRST: i64 = 150;
const LAST: i64 = 9_850;

/// How near to the middle of a fold the ruler has no room for a label.
const NEAR: Share = 1_100;

/// The most stretches that can be folded: each is longer than a sixth of the stage.
const MOST_FOLDS: usize = 5;

/// The grid that folds and spans lie on, in microseconds, so that times keep their digits.
const GRID_US: i64 = 10_000;

/// A stretch of time in which nothing happens, drawn much shorter than it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fold {
    /// Where it starts, in microseconds.
    pub from_us: u64,
    /// Where it ends, in microseconds.
    pub to_us: u64,
}

impl Fold {
    /// How much time is folded, in microseconds.
    pub fn length_us(self) -> u64 {
        self.to_us - self.from_us
    }

    /// The same as it is told: in whole tenths where it is long.
    pub fn rounded_us(self) -> u64 {
        let grid_us = if self.length_us() >= 1_000_000 { 100_000 } else { 1_000 };
        (self.length_us() + grid_us / 2) / grid_us * grid_us
    }
}

/// Maps moments to places across the plot, and moves back to spans of time. Time that
/// is folded passes quickly, so every moment still has a place, and a place a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeScale {
    end_us: u64,
    folds: [Fold; MOST_FOLDS],
    folded: usize,
    /// How long each fold looks, in microseconds of time that isn't folded.
    gap_us: i64,
}

impl TimeScale {
    /// A scale from 0 to `end_us`, which is at least a millisecond.
    pub fn new(end_us: u64) -> Self {
        Self { end_us: end_us.max(1_000), folds: [Fold::default(); MOST_FOLDS], folded: 0, gap_us: 1 }
    }

    /// The same with each stretch folded that is longer than a sixth of the whole and
    /// lies between two of the moments, which are in order. A little before and after
    /// each moment stays.
    #[must_use]
    pub fn folded(self, moments: impl IntoIterator<Item = u64>) -> Self {
        let mut scale = self;
        let grid_us = if self.end_us >= 1_000_000 { GRID_US.unsigned_abs() } else { 1 };
        let (margin_us, mut last_us, mut kept_us) = (self.end_us / 32, 0, self.end_us);
        for at_us in moments {
            if at_us <= self.end_us && at_us.saturating_sub(last_us) > self.end_us / 6 && scale.folded < MOST_FOLDS {
                let from_us = (last_us + margin_us).next_multiple_of(grid_us);
                let fold = Fold { from_us, to_us: (at_us - margin_us) / grid_us * grid_us };
                scale.folds[scale.folded] = fold;
                scale.folded += 1;
                kept_us -= fold.length_us();
            }
            last_us = at_us.max(last_us);
        }
        scale.gap_us = (kept_us / 18 / grid_us * grid_us).max(1).cast_signed();
        scale
    }

    /// What is folded, in order.
    pub fn folds(&self) -> &[Fold] {
        &self.folds[..self.folded]
    }

    /// The last moment that the plot shows, in microseconds.
    pub fn end_us(self) -> u64 {
        self.end_us
    }

    /// How much time passes on the plot until a moment, in microseconds: as much as
    /// there is, but for what is folded.
    pub fn shown_us(self, at_us: u64) -> u64 {
        self.shown(i64::try_from(at_us).unwrap_or(i64::MAX)).unsigned_abs()
    }

    /// The moment until which so much time passes on the plot, in microseconds.
    pub fn unfolded_us(self, shown_us: u64) -> u64 {
        self.unfolded(i64::try_from(shown_us).unwrap_or(i64::MAX)).unsigned_abs()
    }

    fn shown(self, at_us: i64) -> i64 {
        let mut shown = at_us;
        for fold in self.folds() {
            let length_us = fold.length_us().cast_signed();
            let passed_us = at_us.saturating_sub(fold.from_us.cast_signed()).clamp(0, length_us);
            shown -= passed_us - passed_us * self.gap_us / length_us;
        }
        shown
    }

    fn unfolded(self, shown: i64) -> i64 {
        let mut at_us = shown;
        for fold in self.folds() {
            let passed_us = at_us.saturating_sub(fold.from_us.cast_signed()).clamp(0, self.gap_us);
            // Rounded up, so that what passes on the plot passes in truth.
            let truly_us = (passed_us * fold.length_us().cast_signed() + self.gap_us - 1) / self.gap_us;
            at_us = at_us.saturating_add(truly_us - passed_us);
        }
        at_us
    }

    /// The end of the plot in time that passes on it.
    fn width_us(self) -> i64 {
        self.shown(i64::try_from(self.end_us).unwrap_or(i64::MAX))
    }

    /// Where a moment lies; later moments than the last lie beyond it.
    pub fn share(self, at_us: u64) -> Share {
        let width = self.width_us();
        let at = self.shown(i64::try_from(at_us).unwrap_or(i64::MAX)).min(4 * width);
        (FIRST + at * (LAST - FIRST) / width) as Share
    }

    /// The moment at a place, in microseconds, within what the plot shows.
    pub fn moment(self, share: Share) -> u64 {
        self.anywhere(share).clamp(0, i64::try_from(self.end_us).unwrap_or(i64::MAX)).unsigned_abs()
    }

    /// How much time lies between a place and one that is so far from it, in microseconds.
    pub fn span_us(self, from: Share, by: Share) -> i64 {
        self.anywhere(from.saturating_add(by)) - self.anywhere(from)
    }

    fn anywhere(self, share: Share) -> i64 {
        self.unfolded((i64::from(share) - FIRST) * self.width_us() / (LAST - FIRST))
    }

    /// The widest part between two places that no fold tears: words that lie there are whole.
    pub fn untorn(self, from: Share, to: Share) -> (Share, Share) {
        let mut widest = (from, from);
        let mut start = from;
        let gaps = self.folds().iter().map(|fold| (self.share(fold.from_us), self.share(fold.to_us)));
        for (left, right) in gaps.chain([(to, to)]) {
            let part = (start, left.clamp(start, to.max(start)));
            if part.1 - part.0 > widest.1 - widest.0 {
                widest = part;
            }
            start = start.max(right);
        }
        widest
    }

    /// The ruler's ticks; those at whole steps have labels where no fold has its own, and
    /// the last its unit.
    pub fn ticks(self) -> Vec<(u64, Option<String>)> {
        let step_us = self.step_us();
        let halves = self.end_us * 2 / step_us;
        let is_folded = |at_us: u64| self.folds().iter().any(|fold| (fold.from_us..=fold.to_us).contains(&at_us));
        let is_by_a_fold = |at_us: u64| {
            let middle = |fold: &Fold| i32::midpoint(self.share(fold.from_us), self.share(fold.to_us));
            self.folds().iter().any(|fold| (middle(fold) - self.share(at_us)).abs() < NEAR)
        };
        let tick = |half: u64| {
            let at_us = half * step_us / 2;
            let last = half == halves / 2 * 2;
            let label = (half.is_multiple_of(2) && !is_by_a_fold(at_us)).then(|| label(at_us, step_us, last));
            (!is_folded(at_us)).then_some((at_us, label))
        };
        (0..=halves).filter_map(tick).collect()
    }

    /// The distance between two labels, so that there are at most ten, or six that are longer.
    pub(super) fn step_us(self) -> u64 {
        let steps = (0..8).flat_map(|power| [1, 2, 5].map(|lead| lead * 10_u64.pow(power) * 100));
        let fits = |step: &u64| self.width_us().unsigned_abs() / step <= if *step < 1_000_000 { 6 } else { 10 };
        steps.into_iter().find(fits).unwrap_or(3_600_000_000)
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
        assert_eq!([9_700, -4_850, 0].map(|share| scale.span_us(150, share)), [8_000_000, -4_000_000, 0]);
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
        assert_eq!(labels(1_000_000), ["0", "0.2", "0.4", "0.6", "0.8", "1.0 s"]);
        assert_eq!(labels(20_000_000), ["0", "2", "4", "6", "8", "10", "12", "14", "16", "18", "20 s"]);
    }

    const MOMENTS: [u64; 6] = [200_000, 1_500_000, 3_400_000, 3_750_000, 6_000_000, 7_250_000];

    fn folds(end_us: u64, moments: &[u64]) -> Vec<(u64, u64)> {
        let scale = TimeScale::new(end_us).folded(moments.iter().copied());
        scale.folds().iter().map(|fold| (fold.from_us, fold.to_us)).collect()
    }

    #[test]
    fn what_is_idle_for_long_is_folded_but_for_a_little_on_either_side() {
        assert_eq!(folds(8_000_000, &MOMENTS), [(1_750_000, 3_150_000), (4_000_000, 5_750_000)]);
        assert_eq!(folds(8_000_000, &[1_000_000, 2_000_000]), [], "what comes after the last event is the end");
        assert_eq!(folds(8_000_000, &[8_000_000]), [(250_000, 7_750_000)]);
        assert_eq!(folds(900, &[7, 900]), [(38, 869)]);
    }

    #[test]
    fn a_folded_ruler_keeps_the_labels_that_have_room() {
        let scale = TimeScale::new(8_000_000).folded(MOMENTS);
        let labels: Vec<String> = scale.ticks().into_iter().filter_map(|tick| tick.1).collect();
        assert_eq!(labels, ["0", "1", "7", "8 s"]);
    }

    #[test]
    fn words_go_where_no_fold_tears_them() {
        let scale = TimeScale::new(8_000_000).folded([200_000, 1_500_000, 3_400_000, 4_500_000]);
        let fold = scale.folds()[0];
        let (left, right) = (scale.share(fold.from_us), scale.share(fold.to_us));
        assert_eq!(scale.untorn(100, 9_000), (right, 9_000));
        assert_eq!(scale.untorn(100, right + 10), (100, left));
        assert_eq!(scale.untorn(right + 1, 9_000), (right + 1, 9_000));
        assert_eq!(scale.untorn(left + 10, right - 10), (left + 10, left + 10));
    }

    proptest::proptest! {
        #[test]
        fn a_folded_scale_goes_both_ways(
            // On a shorter stage, a share is less than a microsecond.
            end_us in 10_000_u64..400_000_000,
            mut shares in proptest::collection::vec(0_u64..=1_000, 0..12),
            at in 0_u64..=1_000,
        ) {
            shares.sort_unstable();
            let scale = TimeScale::new(end_us).folded(shares.iter().map(|share| share * end_us / 1_000));
            let at_us = at * end_us / 1_000;
            let shown_us = scale.shown_us(at_us);
            proptest::prop_assert_eq!(scale.shown_us(scale.unfolded_us(shown_us)), shown_us);
            proptest::prop_assert!(scale.unfolded_us(shown_us + 1) > at_us, "playing never stands still");
            proptest::prop_assert!(scale.shown_us(at_us + 1) >= shown_us);
            let share = scale.share(at_us);
            proptest::prop_assert!((scale.share(scale.moment(share)) - share).abs() <= 1);
            proptest::prop_assert!((150..=9_850).contains(&share));
            proptest::prop_assert_eq!(scale.span_us(share, 77), -scale.span_us(share + 77, -77));
            for fold in scale.folds() {
                let inside = |share: &&u64| {
                    let at_us = **share * end_us / 1_000;
                    fold.from_us < at_us && at_us < fold.to_us
                };
                proptest::prop_assert_eq!(shares.iter().find(inside), None, "nothing that happens is folded");
            }
        }
    }
}
