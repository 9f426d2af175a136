//! Waits between tries: the two rows of the table, what holds for every draw, and
//! what a crowd on one cell costs.

use proptest::prelude::*;
use racescope_engine::backoff::{Backoff, Fraction, Kind};

const HALF: Fraction = Fraction::from_parts(1 << 31);
const QUARTER: Fraction = Fraction::from_parts(1 << 30);
const KINDS: [Kind; 5] =
    [Kind::Immediate, Kind::Exponential, Kind::FullJitter, Kind::EqualJitter, Kind::DecorrelatedJitter];

fn policy(kind: Kind) -> Backoff {
    Backoff { kind, base_us: 100, cap_us: 2000, attempts: 100 }
}

#[test]
fn j1_full_and_equal_jitter_take_their_part_of_the_exponential_wait() {
    let waits = |n, draw| {
        [Kind::FullJitter, Kind::EqualJitter].map(|kind| policy(kind).wait_us(n, None, draw).expect("it goes on"))
    };
    assert_eq!(waits(0, HALF), [50, 75]);
    assert_eq!(waits(3, QUARTER), [200, 500]);
    assert_eq!(waits(10, Fraction::ONE), [2000, 2000]);
}

#[test]
fn j2_decorrelated_jitter_grows_from_the_wait_before() {
    let wait = |previous_us, draw| policy(Kind::DecorrelatedJitter).wait_us(5, Some(previous_us), draw);
    assert_eq!(wait(100, HALF), Some(200));
    assert_eq!(wait(1000, Fraction::ONE), Some(2000));
    let first = policy(Kind::DecorrelatedJitter).wait_us(0, None, Fraction::ZERO);
    assert_eq!(first, Some(100), "the first wait starts from the base");
}

#[test]
fn the_exponential_wait_doubles_up_to_the_cap_and_stays_there() {
    let waits = [0, 1, 2, 3, 4, 5, 63, 64, 90].map(|n| policy(Kind::Exponential).wait_us(n, None, HALF).unwrap());
    assert_eq!(waits, [100, 200, 400, 800, 1600, 2000, 2000, 2000, 2000]);
    assert_eq!(policy(Kind::Immediate).wait_us(4, None, Fraction::ONE), Some(0));
}

#[test]
fn the_last_try_is_followed_by_no_wait() {
    for kind in KINDS {
        let tries_three_times = Backoff { attempts: 3, ..policy(kind) };
        let goes_on = [0, 1, 2, u32::MAX].map(|n| tries_three_times.wait_us(n, None, HALF).is_some());
        assert_eq!(goes_on, [true, true, false, false], "{kind:?}");
    }
}

/// Rounds and attempts until each of N clients has changed one cell by
/// compare-and-set, where those that try in a round have all read the same version.
fn crowd(clients: u64, mut tries_in_round: impl FnMut(u64, u64) -> bool) -> (u64, u64) {
    let mut left: Vec<u64> = (0..clients).collect();
    let (mut rounds, mut attempts) = (0, 0);
    while !left.is_empty() {
        let trying: Vec<u64> = left.iter().copied().filter(|&client| tries_in_round(client, rounds)).collect();
        attempts += trying.len() as u64;
        rounds += 1;
        if let Some(winner) = trying.first() {
            left.retain(|client| client != winner);
        }
    }
    (rounds, attempts)
}

#[test]
fn a_crowd_needs_as_many_commits_with_any_backoff_and_wastes_fewer_attempts_when_it_is_spread() {
    let all_at_once = crowd(20, |_, _| true);
    let in_turn = crowd(20, |client, round| client == round);
    assert_eq!(all_at_once, (20, 20 * 21 / 2));
    assert_eq!(in_turn, (20, 20));
}

proptest! {
    #[test]
    fn no_wait_is_above_the_cap_nor_outside_its_rule(
        kind in proptest::sample::select(KINDS.to_vec()),
        base_us in 0..=u64::MAX,
        cap_us in 0..=u64::MAX,
        n in 0..200u32,
        previous_us in proptest::option::of(0..=u64::MAX),
        draw in any::<u32>(),
    ) {
        let policy = Backoff { kind, base_us, cap_us, attempts: 201 };
        let wait = policy.wait_us(n, previous_us, Fraction::from_draw(draw)).expect("it goes on");
        let exponential = Backoff { kind: Kind::Exponential, ..policy }.wait_us(n, None, Fraction::ZERO).unwrap();
        prop_assert!(wait <= cap_us);
        match kind {
            Kind::Immediate => prop_assert_eq!(wait, 0),
            Kind::Exponential => prop_assert_eq!(wait, exponential),
            Kind::FullJitter => prop_assert!(wait <= exponential),
            Kind::EqualJitter => prop_assert!(exponential / 2 <= wait && wait <= exponential),
            Kind::DecorrelatedJitter => prop_assert!(base_us.min(cap_us) <= wait),
        }
    }
}
