//! The release gate of signed grants: nothing bad is accepted, everything that can go wrong
//! does so, and whoever leaves a check out is found.

use racescope_engine::gate::{Failure, Gate, Harm, RECONCILED_WITHIN_US, Summary};
use racescope_engine::system::grant::Check;

fn run(gate: &Gate, schedules: u32) -> Summary {
    let mut summary = Summary::default();
    (0..schedules).for_each(|number| summary.add(number, gate.run(number)));
    summary
}

#[test]
fn nothing_bad_is_accepted_and_every_failure_was_brought_about() {
    let found = run(&Gate::new(1, None), 2_000);
    assert_eq!((found.bad, found.first_bad, found.harms), (0, None, [0; Harm::COUNT]));
    for failure in Failure::ALL {
        assert!(found.total.failures[failure as usize] > 50, "{failure:?} of {:?}", found.total.failures);
    }
    let refused: Vec<&str> = found.total.refused.keys().copied().collect();
    let wanted = [
        "FENCE_REGRESSION",
        "FORGED",
        "NOT_HELD",
        "POLICY_CHANGED",
        "QUARANTINED",
        "REVOKED_EPOCH",
        "SEGMENT_GAP",
        "STALE_OWNER",
        "STATUS_PROOF_EXPIRED",
        "WRONG_OWNER",
        "WRONG_RESOURCE",
    ];
    assert_eq!(refused, wanted, "{:?}", found.total.refused);
    assert!(found.total.accepted > 5_000 && found.total.repeated > 100);
    assert!(found.hand_offs().count() > 500);
    assert!(found.reconciliations().percentile_us(100) < RECONCILED_WITHIN_US);
}

/// Leaves a check out: this must be found within so many schedules.
#[track_caller]
fn check(without: Check, harm: Harm) {
    let gate = Gate::new(1, Some(without));
    let found = run(&gate, 1_500);
    assert!(found.harms[harm as usize] > 0, "{without:?}: {:?}", found.harms);
    let first = found.first_bad.expect("one is bad");
    let (outcome, lines) = gate.tell(first);
    assert_eq!(outcome, gate.run(first));
    assert!(lines.iter().any(|line| line.what.starts_with("  this must not be: ")), "{lines:?}");
}

#[test]
fn every_check_that_is_left_out_is_missed() {
    check(Check::Authenticity, Harm::Forged);
    check(Check::Authenticity, Harm::Tampered);
    check(Check::Resource, Harm::CrossResource);
    check(Check::Epoch, Harm::RevokedEpoch);
    check(Check::Status, Harm::ExpiredOwner);
    check(Check::Policy, Harm::ChangedPolicy);
    check(Check::Owner, Harm::OtherOwner);
    check(Check::Fence, Harm::Stale);
    check(Check::Digest, Harm::Regressed);
    check(Check::Halt, Harm::Regressed);
    check(Check::Segment, Harm::Skipped);
    check(Check::Receipt, Harm::Repeated);
}

#[test]
fn every_check_that_is_left_out_is_missed_soon_whatever_the_seed() {
    for without in Check::ALL {
        for seed in 1..=20 {
            let gate = Gate::new(seed, Some(without));
            assert!((0..500).any(|number| !gate.run(number).is_good()), "{without:?} from the seed {seed}");
        }
    }
}

#[test]
fn equal_seeds_give_equal_schedules_and_others_give_others() {
    let found = run(&Gate::new(7, None), 200);
    assert_eq!(found, run(&Gate::new(7, None), 200));
    assert_ne!(found, run(&Gate::new(8, None), 200));
    let mut parts = Summary::default();
    let gate = Gate::new(7, None);
    for part in [100..200, 0..100] {
        let mut summary = Summary::default();
        part.for_each(|number| summary.add(number, gate.run(number)));
        parts.merge(summary);
    }
    assert_eq!(parts.hand_offs(), found.hand_offs());
    assert_eq!((parts.schedules, parts.total.failures), (found.schedules, found.total.failures));
}

#[test]
fn times_are_given_by_their_shares() {
    let mut summary = Summary::default();
    let mut outcome = Gate::new(1, None).run(0);
    outcome.hand_offs_us = (1..=200).rev().map(|ms| ms * 1_000).collect();
    summary.add(0, outcome);
    let times = summary.hand_offs();
    let shares = [0, 50, 90, 99, 100].map(|percent| times.percentile_us(percent));
    assert_eq!(shares, [1_000, 100_000, 180_000, 198_000, 200_000]);
    assert_eq!(times.histogram(&[11, 101]), [10, 90, 100]);
}
