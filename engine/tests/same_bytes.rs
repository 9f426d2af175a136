//! Same input, same bytes: a thousand runs as one number. A browser test asks the
//! wasm build for the same number.

use racescope_engine::sim::example::{digest_of_seeds, replicated};
use racescope_engine::sim::{Change, run_timed};

/// If this changes, every run may have changed: links carry digests, so a change
/// of meaning needs a new format version of links.
const OF_500_SEEDS: u64 = 0xb19b_f9ef_63ca_c1a3;

#[test]
fn the_runs_of_500_seeds_have_the_bytes_that_they_always_had() {
    assert_eq!(digest_of_seeds(0, 500), OF_500_SEEDS, "{:#018x}", digest_of_seeds(0, 500));
}

#[test]
fn every_seed_counts() {
    let whole = digest_of_seeds(0, 100);
    assert_ne!(whole, digest_of_seeds(0, 99));
    assert_ne!(whole, digest_of_seeds(1, 100));
}

#[test]
fn seeds_wrap_around_at_the_end() {
    assert_eq!(digest_of_seeds(u64::MAX, 2), digest_of_seeds(u64::MAX, 2));
    assert_ne!(digest_of_seeds(u64::MAX, 1), digest_of_seeds(0, 1));
}

#[test]
fn the_example_with_a_real_system_is_one_that_can_be_run() {
    let scenario = replicated(3);
    assert_eq!(scenario.validate(), Ok(()));
    let run = run_timed(&scenario, &[]);
    let is_read =
        |lane| run.changes().any(|(_, event, change)| event.actor == lane && matches!(change, Change::Read { .. }));
    assert!(run.complete && is_read(5), "the replica is read");
}
