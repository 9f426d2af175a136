//! Moments under constraints: each must be so much later than another one.

use alloc::vec;
use alloc::vec::Vec;

/// A moment's place; 0 is the start of the run.
pub(super) type Moment = usize;

/// `later` is at least `by_us` microseconds after `earlier`; before it, if negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Constraint {
    pub earlier: Moment,
    pub later: Moment,
    pub by_us: i64,
}

/// The earliest moments that keep all constraints, in microseconds; `None` if there
/// are none. These are the longest paths from the start.
pub(super) fn solve(moments: usize, constraints: &[Constraint]) -> Option<Vec<i64>> {
    let mut at_us = vec![0_i64; moments];
    for _ in 0..=moments {
        let mut changed = false;
        for constraint in constraints {
            let least = at_us[constraint.earlier] + constraint.by_us;
            if at_us[constraint.later] < least {
                at_us[constraint.later] = least;
                changed = true;
            }
        }
        if !changed {
            // The start can't be moved.
            return (at_us[0] == 0).then_some(at_us);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(earlier: Moment, later: Moment, by_us: i64) -> Constraint {
        Constraint { earlier, later, by_us }
    }

    #[test]
    fn moments_are_as_early_as_they_can_be() {
        assert_eq!(solve(3, &[after(0, 1, 5), after(1, 2, 1), after(0, 2, 3)]), Some(vec![0, 5, 6]));
    }

    #[test]
    fn an_equality_moves_what_comes_before() {
        // The second is exactly 10 after the first, and the third lies between 20 and that.
        let equal = [after(1, 2, 10), after(2, 1, -10)];
        let between = [after(0, 3, 20), after(3, 2, 1), after(1, 3, 1)];
        assert_eq!(solve(4, &[equal, [between[0], between[1]]].concat()), Some(vec![0, 11, 21, 20]));
    }

    #[test]
    fn what_contradicts_itself_has_no_moments() {
        assert_eq!(solve(3, &[after(1, 2, 10), after(2, 1, -9)]), None);
        assert_eq!(solve(2, &[after(1, 0, 1)]), None, "nothing comes before the start");
    }
}
