//! All schedules as one bar: what share of them shows what.

use super::scale::Share;

/// What schedules came to, as a bar shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Harm was done.
    Harm,
    /// Harm was tried and refused.
    Refused,
    /// A client noticed and gave up.
    GaveUp,
    /// Nothing of this.
    Plain,
}

impl Fate {
    /// The class of its filling.
    pub fn class(self) -> &'static str {
        match self {
            Self::Harm => "o-harm",
            Self::Refused => "o-refused",
            Self::GaveUp => "o-gave-up",
            Self::Plain => "o-plain",
        }
    }
}

/// A part of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarPart {
    /// What it stands for.
    pub fate: Fate,
    /// Where it starts.
    pub from: Share,
    /// How wide it is.
    pub width: Share,
}

/// The least width of a part that isn't nothing, so that it is seen.
const LEAST: Share = 50;

/// The whole width.
const ALL: Share = 10_000;

/// A bar of such shares, in millionths, the last of which ends at the right edge. Parts
/// that would be too narrow to be seen take a little from the others.
pub fn bar(shares: &[(Fate, u32)]) -> Vec<BarPart> {
    let width = |share: u32| Share::try_from(share / 100).unwrap_or(ALL).clamp(LEAST, ALL);
    let whole: Share = shares.iter().map(|&(_, share)| width(share)).sum();
    let mut parts: Vec<BarPart> = Vec::new();
    let mut so_far = 0;
    for &(fate, share) in shares {
        let from = so_far * ALL / whole.max(1);
        so_far += width(share);
        parts.push(BarPart { fate, from, width: so_far * ALL / whole.max(1) - from });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shares: &[(Fate, u32)], expected: &[(Share, Share)]) {
        let drawn: Vec<(Share, Share)> = bar(shares).iter().map(|part| (part.from, part.width)).collect();
        assert_eq!(drawn, expected);
    }

    #[test]
    fn parts_lie_side_by_side_and_fill_the_bar() {
        check(&[(Fate::Plain, 734_214), (Fate::Harm, 265_786)], &[(0, 7_342), (7_342, 2_658)]);
        check(&[(Fate::Plain, 1_000_000)], &[(0, 10_000)]);
        check(&[], &[]);
    }

    #[test]
    fn what_hardly_ever_happens_is_seen_all_the_same() {
        check(&[(Fate::Harm, 1), (Fate::Plain, 999_999)], &[(0, 49), (49, 9_951)]);
    }
}
