//! Timed runs as text: what happens, when, and because of which event.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod common;

use common::{faults, line};
use expect_test::{Expect, expect};
use racescope_engine::sim::example::{guarded, stale_overwrite};
use racescope_engine::sim::{Granularity, Guard, NodeKind, Operation, Request, Scenario, Trace, run_timed};

/// Runs a scenario under faults, given as text, and compares the whole run.
fn check(scenario: &Scenario, faults_text: &str, expect: &Expect) {
    let run = run_timed(scenario, &faults(faults_text));
    expect.assert_eq(&render(scenario, &run));
}

fn render(scenario: &Scenario, run: &Trace) -> String {
    let mut text: String = (0..).take(run.events.len()).map(|index| line(scenario, run, index)).collect();
    if !run.complete {
        text += "cut short\n";
    }
    text
}

/// The same scenario, whose programs sleep for this long after "busy".
fn waiting(mut scenario: Scenario, wait_us: u64) -> Scenario {
    for step in &mut scenario.programs[0].steps {
        if let Operation::Wait { us } = &mut step.operation {
            *us = wait_us;
        }
    }
    scenario
}

/// The same scenario, where client B starts at another moment.
fn b_starts(mut scenario: Scenario, at_us: u64) -> Scenario {
    if let NodeKind::Client(client) = &mut scenario.nodes[1].kind {
        client.starts_us = at_us;
    }
    scenario
}

#[test]
fn a_calm_run() {
    check(
        &stale_overwrite(),
        "",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
        #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
        #9 2.05 A learned accepted token 33 (#8)
        #10 2.75 A sent release token 33 to Lock, there at 2.95 (#9)
        #11 2.95 Lock freed by A token 33 (#10)
        #12 3.15 A learned done token 33 (#11)
        #13 3.15 A stopped (#12)
        #14 3.55 B sent acquire to Lock, there at 3.75
        #15 3.75 Lock granted B token 34 for 3 (#14)
        #16 3.95 B learned granted token 34 (#15)
        #17 4.1 B sent read to Storage, there at 4.35 (#16)
        #18 4.35 Storage read by B v8 = 1 (#17)
        #19 4.6 B learned done (#18)
        #20 4.75 B computed 2 (#19)
        #21 4.9 B sent write token 34 to Storage, there at 5.15 (#20)
        #22 5.15 Storage accepted B v9 over v8 (read v8) token 34 (#21)
        #23 5.4 B learned accepted token 34 (#22)
        #24 6.1 B sent release token 34 to Lock, there at 6.3 (#23)
        #25 6.3 Lock freed by B token 34 (#24)
        #26 6.5 B learned done token 34 (#25)
        #27 6.5 B stopped (#26)
    "#]],
    );
}

#[test]
fn a_pause_over_the_lease_lets_the_unguarded_storage_take_the_older_write() {
    check(
        &stale_overwrite(),
        "pause A 1.5 s for 4.2 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.5 A pause begins
        #8 3.4 Lock ended the lease of A token 33 (#1)
        #9 3.55 B sent acquire to Lock, there at 3.75
        #10 3.75 Lock granted B token 34 for 3 (#9)
        #11 3.95 B learned granted token 34 (#10)
        #12 4.1 B sent read to Storage, there at 4.35 (#11)
        #13 4.35 Storage read by B v7 = 0 (#12)
        #14 4.6 B learned done (#13)
        #15 4.75 B computed 1 (#14)
        #16 4.9 B sent write token 34 to Storage, there at 5.15 (#15)
        #17 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#16)
        #18 5.4 B learned accepted token 34 (#17)
        #19 5.7 A pause ends (#7)
        #20 5.75 A sent write token 33 to Storage, there at 6 (#19)
        #21 6 Storage accepted A v9 over v8 (read v7) token 33 (#20)
        #22 6.1 B sent release token 34 to Lock, there at 6.3 (#18)
        #23 6.25 A learned accepted token 33 (#21)
        #24 6.3 Lock freed by B token 34 (#22)
        #25 6.5 B learned done token 34 (#24)
        #26 6.5 B stopped (#25)
        #27 6.95 A sent release token 33 to Lock, there at 7.15 (#23)
        #28 7.15 Lock told A not held token 33 (#27)
        #29 7.35 A learned lost token 33 (#28)
        #30 7.35 A stopped (#29)
    "#]],
    );
}

#[test]
fn the_same_pause_with_a_fence_that_takes_equal_tokens() {
    check(
        &guarded(stale_overwrite(), Guard::FenceAtMost),
        "pause A 1.5 s for 4.2 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.5 A pause begins
        #8 3.4 Lock ended the lease of A token 33 (#1)
        #9 3.55 B sent acquire to Lock, there at 3.75
        #10 3.75 Lock granted B token 34 for 3 (#9)
        #11 3.95 B learned granted token 34 (#10)
        #12 4.1 B sent read to Storage, there at 4.35 (#11)
        #13 4.35 Storage read by B v7 = 0 (#12)
        #14 4.6 B learned done (#13)
        #15 4.75 B computed 1 (#14)
        #16 4.9 B sent write token 34 to Storage, there at 5.15 (#15)
        #17 5.15 Storage accepted B v8 over v7 (read v7) token 34: 34 > 32 (#16)
        #18 5.4 B learned accepted token 34 (#17)
        #19 5.7 A pause ends (#7)
        #20 5.75 A sent write token 33 to Storage, there at 6 (#19)
        #21 6 Storage refused A (read v7) token 33: 33 < 34 (#20)
        #22 6.1 B sent release token 34 to Lock, there at 6.3 (#18)
        #23 6.25 A learned refused token 33 (#21)
        #24 6.3 Lock freed by B token 34 (#22)
        #25 6.5 B learned done token 34 (#24)
        #26 6.5 B stopped (#25)
        #27 6.95 A sent release token 33 to Lock, there at 7.15 (#23)
        #28 7.15 Lock told A not held token 33 (#27)
        #29 7.35 A learned lost token 33 (#28)
        #30 7.35 A stopped (#29)
    "#]],
    );
}

#[test]
fn the_same_pause_with_a_fence_that_takes_only_greater_tokens() {
    check(
        &guarded(stale_overwrite(), Guard::FenceBelow),
        "pause A 1.5 s for 4.2 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.5 A pause begins
        #8 3.4 Lock ended the lease of A token 33 (#1)
        #9 3.55 B sent acquire to Lock, there at 3.75
        #10 3.75 Lock granted B token 34 for 3 (#9)
        #11 3.95 B learned granted token 34 (#10)
        #12 4.1 B sent read to Storage, there at 4.35 (#11)
        #13 4.35 Storage read by B v7 = 0 (#12)
        #14 4.6 B learned done (#13)
        #15 4.75 B computed 1 (#14)
        #16 4.9 B sent write token 34 to Storage, there at 5.15 (#15)
        #17 5.15 Storage accepted B v8 over v7 (read v7) token 34: 34 > 32 (#16)
        #18 5.4 B learned accepted token 34 (#17)
        #19 5.7 A pause ends (#7)
        #20 5.75 A sent write token 33 to Storage, there at 6 (#19)
        #21 6 Storage refused A (read v7) token 33: 33 < 34 (#20)
        #22 6.1 B sent release token 34 to Lock, there at 6.3 (#18)
        #23 6.25 A learned refused token 33 (#21)
        #24 6.3 Lock freed by B token 34 (#22)
        #25 6.5 B learned done token 34 (#24)
        #26 6.5 B stopped (#25)
        #27 6.95 A sent release token 33 to Lock, there at 7.15 (#23)
        #28 7.15 Lock told A not held token 33 (#27)
        #29 7.35 A learned lost token 33 (#28)
        #30 7.35 A stopped (#29)
    "#]],
    );
}

#[test]
fn the_same_pause_with_a_version_compared() {
    check(
        &guarded(stale_overwrite(), Guard::VersionCompareAndSet),
        "pause A 1.5 s for 4.2 s",
        &expect![[r#"
            #0 0.2 A sent acquire to Lock, there at 0.4
            #1 0.4 Lock granted A token 33 for 3 (#0)
            #2 0.6 A learned granted token 33 (#1)
            #3 0.75 A sent read to Storage, there at 1 (#2)
            #4 1 Storage read by A v7 = 0 (#3)
            #5 1.25 A learned done (#4)
            #6 1.4 A computed 1 (#5)
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #9 3.55 B sent acquire to Lock, there at 3.75
            #10 3.75 Lock granted B token 34 for 3 (#9)
            #11 3.95 B learned granted token 34 (#10)
            #12 4.1 B sent read to Storage, there at 4.35 (#11)
            #13 4.35 Storage read by B v7 = 0 (#12)
            #14 4.6 B learned done (#13)
            #15 4.75 B computed 1 (#14)
            #16 4.9 B sent write token 34 to Storage, there at 5.15 (#15)
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34: 7 = 7 (#16)
            #18 5.4 B learned accepted token 34 (#17)
            #19 5.7 A pause ends (#7)
            #20 5.75 A sent write token 33 to Storage, there at 6 (#19)
            #21 6 Storage refused A (read v7) token 33: 7 ≠ 8 (#20)
            #22 6.1 B sent release token 34 to Lock, there at 6.3 (#18)
            #23 6.25 A learned refused (#21)
            #24 6.3 Lock freed by B token 34 (#22)
            #25 6.5 B learned done token 34 (#24)
            #26 6.5 B stopped (#25)
            #27 6.95 A sent release token 33 to Lock, there at 7.15 (#23)
            #28 7.15 Lock told A not held token 33 (#27)
            #29 7.35 A learned lost token 33 (#28)
            #30 7.35 A stopped (#29)
        "#]],
    );
}

#[test]
fn a_pause_shorter_than_what_is_left_of_the_lease_does_no_harm() {
    check(
        &stale_overwrite(),
        "pause A 1.5 s for 0.4 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.5 A pause begins
        #8 1.9 A pause ends (#7)
        #9 1.95 A sent write token 33 to Storage, there at 2.2 (#8)
        #10 2.2 Storage accepted A v8 over v7 (read v7) token 33 (#9)
        #11 2.45 A learned accepted token 33 (#10)
        #12 3.15 A sent release token 33 to Lock, there at 3.35 (#11)
        #13 3.35 Lock freed by A token 33 (#12)
        #14 3.55 B sent acquire to Lock, there at 3.75
        #15 3.55 A learned done token 33 (#13)
        #16 3.55 A stopped (#15)
        #17 3.75 Lock granted B token 34 for 3 (#14)
        #18 3.95 B learned granted token 34 (#17)
        #19 4.1 B sent read to Storage, there at 4.35 (#18)
        #20 4.35 Storage read by B v8 = 1 (#19)
        #21 4.6 B learned done (#20)
        #22 4.75 B computed 2 (#21)
        #23 4.9 B sent write token 34 to Storage, there at 5.15 (#22)
        #24 5.15 Storage accepted B v9 over v8 (read v8) token 34 (#23)
        #25 5.4 B learned accepted token 34 (#24)
        #26 6.1 B sent release token 34 to Lock, there at 6.3 (#25)
        #27 6.3 Lock freed by B token 34 (#26)
        #28 6.5 B learned done token 34 (#27)
        #29 6.5 B stopped (#28)
    "#]],
    );
}

#[test]
fn no_fence_refuses_the_older_write_before_the_newer_holder_has_written() {
    check(
        &guarded(stale_overwrite(), Guard::FenceBelow),
        "pause A 1.5 s for 2.9 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.5 A pause begins
        #8 3.4 Lock ended the lease of A token 33 (#1)
        #9 3.55 B sent acquire to Lock, there at 3.75
        #10 3.75 Lock granted B token 34 for 3 (#9)
        #11 3.95 B learned granted token 34 (#10)
        #12 4.1 B sent read to Storage, there at 4.35 (#11)
        #13 4.35 Storage read by B v7 = 0 (#12)
        #14 4.4 A pause ends (#7)
        #15 4.45 A sent write token 33 to Storage, there at 4.7 (#14)
        #16 4.6 B learned done (#13)
        #17 4.7 Storage accepted A v8 over v7 (read v7) token 33: 33 > 32 (#15)
        #18 4.75 B computed 1 (#16)
        #19 4.9 B sent write token 34 to Storage, there at 5.15 (#18)
        #20 4.95 A learned accepted token 33 (#17)
        #21 5.15 Storage accepted B v9 over v8 (read v7) token 34: 34 > 33 (#19)
        #22 5.4 B learned accepted token 34 (#21)
        #23 5.65 A sent release token 33 to Lock, there at 5.85 (#20)
        #24 5.85 Lock told A not held token 33 (#23)
        #25 6.05 A learned lost token 33 (#24)
        #26 6.05 A stopped (#25)
        #27 6.1 B sent release token 34 to Lock, there at 6.3 (#22)
        #28 6.3 Lock freed by B token 34 (#27)
        #29 6.5 B learned done token 34 (#28)
        #30 6.5 B stopped (#29)
    "#]],
    );
}

#[test]
fn a_step_forward_of_the_lock_ends_the_lease_at_once() {
    check(
        &b_starts(stale_overwrite(), 1_000_000),
        "step lock 0.9 s by 15 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 0.9 Lock clock step begins
        #5 0.900001 Lock ended the lease of A token 33 (#4)
        #6 1 Storage read by A v7 = 0 (#3)
        #7 1.05 B sent acquire to Lock, there at 1.25
        #8 1.25 Lock granted B token 34 for 3 (#7)
        #9 1.25 A learned done (#6)
        #10 1.4 A computed 1 (#9)
        #11 1.45 B learned granted token 34 (#8)
        #12 1.55 A sent write token 33 to Storage, there at 1.8 (#10)
        #13 1.6 B sent read to Storage, there at 1.85 (#11)
        #14 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#12)
        #15 1.85 Storage read by B v8 = 1 (#13)
        #16 2.05 A learned accepted token 33 (#14)
        #17 2.1 B learned done (#15)
        #18 2.25 B computed 2 (#17)
        #19 2.4 B sent write token 34 to Storage, there at 2.65 (#18)
        #20 2.65 Storage accepted B v9 over v8 (read v8) token 34 (#19)
        #21 2.75 A sent release token 33 to Lock, there at 2.95 (#16)
        #22 2.9 B learned accepted token 34 (#20)
        #23 2.95 Lock told A not held token 33 (#21)
        #24 3.15 A learned lost token 33 (#23)
        #25 3.15 A stopped (#24)
        #26 3.6 B sent release token 34 to Lock, there at 3.8 (#22)
        #27 3.8 Lock freed by B token 34 (#26)
        #28 4 B learned done token 34 (#27)
        #29 4 B stopped (#28)
    "#]],
    );
}

#[test]
fn a_step_back_of_the_lock_makes_the_lease_last_longer() {
    let faults = "
        step lock 1 s by -5 s
        pause A 1.5 s for 8 s";
    check(
        &waiting(stale_overwrite(), 2_000_000),
        faults,
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1 Lock clock step begins
        #6 1.25 A learned done (#4)
        #7 1.4 A computed 1 (#6)
        #8 1.5 A pause begins
        #9 3.55 B sent acquire to Lock, there at 3.75
        #10 3.75 Lock told B busy, A holds token 33 (#9)
        #11 3.95 B learned busy (#10)
        #12 5.95 B waited (#11)
        #13 6 B sent acquire to Lock, there at 6.2 (#12)
        #14 6.2 Lock told B busy, A holds token 33 (#13)
        #15 6.4 B learned busy (#14)
        #16 8.4 B waited (#15)
        #17 8.4 Lock ended the lease of A token 33 (#5)
        #18 8.45 B sent acquire to Lock, there at 8.65 (#16)
        #19 8.65 Lock granted B token 34 for 3 (#18)
        #20 8.85 B learned granted token 34 (#19)
        #21 9 B sent read to Storage, there at 9.25 (#20)
        #22 9.25 Storage read by B v7 = 0 (#21)
        #23 9.5 A pause ends (#8)
        #24 9.5 B learned done (#22)
        #25 9.55 A sent write token 33 to Storage, there at 9.8 (#23)
        #26 9.65 B computed 1 (#24)
        #27 9.8 B sent write token 34 to Storage, there at 10.05 (#26)
        #28 9.8 Storage accepted A v8 over v7 (read v7) token 33 (#25)
        #29 10.05 Storage accepted B v9 over v8 (read v7) token 34 (#27)
        #30 10.05 A learned accepted token 33 (#28)
        #31 10.3 B learned accepted token 34 (#29)
        #32 10.75 A sent release token 33 to Lock, there at 10.95 (#30)
        #33 10.95 Lock told A not held token 33 (#32)
        #34 11 B sent release token 34 to Lock, there at 11.2 (#31)
        #35 11.15 A learned lost token 33 (#33)
        #36 11.15 A stopped (#35)
        #37 11.2 Lock freed by B token 34 (#34)
        #38 11.4 B learned done token 34 (#37)
        #39 11.4 B stopped (#38)
    "#]],
    );
}

#[test]
fn a_lock_whose_clock_runs_twice_as_fast_ends_the_lease_after_half_the_time() {
    let faults = "
        rate lock 0 s for 10 s by 1000000
        pause A 1.2 s for 3 s";
    check(
        &b_starts(stale_overwrite(), 1_700_000),
        faults,
        &expect![[r#"
        #0 0 Lock clock rate begins
        #1 0.2 A sent acquire to Lock, there at 0.4
        #2 0.4 Lock granted A token 33 for 3 (#1)
        #3 0.6 A learned granted token 33 (#2)
        #4 0.75 A sent read to Storage, there at 1 (#3)
        #5 1 Storage read by A v7 = 0 (#4)
        #6 1.2 A pause begins
        #7 1.75 B sent acquire to Lock, there at 1.95
        #8 1.9 Lock ended the lease of A token 33 (#0)
        #9 1.95 Lock granted B token 34 for 3 (#8)
        #10 2.15 B learned granted token 34 (#9)
        #11 2.3 B sent read to Storage, there at 2.55 (#10)
        #12 2.55 Storage read by B v7 = 0 (#11)
        #13 2.8 B learned done (#12)
        #14 2.95 B computed 1 (#13)
        #15 3.1 B sent write token 34 to Storage, there at 3.35 (#14)
        #16 3.35 Storage accepted B v8 over v7 (read v7) token 34 (#15)
        #17 3.45 Lock ended the lease of B token 34 (#0)
        #18 3.6 B learned accepted token 34 (#16)
        #19 4.2 A pause ends (#6)
        #20 4.2 A learned done (#19)
        #21 4.3 B sent release token 34 to Lock, there at 4.5 (#18)
        #22 4.35 A computed 1 (#20)
        #23 4.5 A sent write token 33 to Storage, there at 4.75 (#22)
        #24 4.5 Lock told B not held token 34 (#21)
        #25 4.7 B learned lost token 34 (#24)
        #26 4.7 B stopped (#25)
        #27 4.75 Storage accepted A v9 over v8 (read v7) token 33 (#23)
        #28 5 A learned accepted token 33 (#27)
        #29 5.7 A sent release token 33 to Lock, there at 5.9 (#28)
        #30 5.9 Lock told A not held token 33 (#29)
        #31 6.1 A learned lost token 33 (#30)
        #32 6.1 A stopped (#31)
        #33 10 Lock clock rate ends (#0)
    "#]],
    );
}

#[test]
fn an_offset_from_before_the_lease_does_nothing() {
    check(
        &stale_overwrite(),
        "step lock 0.1 s by 3600 s",
        &expect![[r#"
        #0 0.1 Lock clock step begins
        #1 0.2 A sent acquire to Lock, there at 0.4
        #2 0.4 Lock granted A token 33 for 3 (#1)
        #3 0.6 A learned granted token 33 (#2)
        #4 0.75 A sent read to Storage, there at 1 (#3)
        #5 1 Storage read by A v7 = 0 (#4)
        #6 1.25 A learned done (#5)
        #7 1.4 A computed 1 (#6)
        #8 1.55 A sent write token 33 to Storage, there at 1.8 (#7)
        #9 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#8)
        #10 2.05 A learned accepted token 33 (#9)
        #11 2.75 A sent release token 33 to Lock, there at 2.95 (#10)
        #12 2.95 Lock freed by A token 33 (#11)
        #13 3.15 A learned done token 33 (#12)
        #14 3.15 A stopped (#13)
        #15 3.55 B sent acquire to Lock, there at 3.75
        #16 3.75 Lock granted B token 34 for 3 (#15)
        #17 3.95 B learned granted token 34 (#16)
        #18 4.1 B sent read to Storage, there at 4.35 (#17)
        #19 4.35 Storage read by B v8 = 1 (#18)
        #20 4.6 B learned done (#19)
        #21 4.75 B computed 2 (#20)
        #22 4.9 B sent write token 34 to Storage, there at 5.15 (#21)
        #23 5.15 Storage accepted B v9 over v8 (read v8) token 34 (#22)
        #24 5.4 B learned accepted token 34 (#23)
        #25 6.1 B sent release token 34 to Lock, there at 6.3 (#24)
        #26 6.3 Lock freed by B token 34 (#25)
        #27 6.5 B learned done token 34 (#26)
        #28 6.5 B stopped (#27)
    "#]],
    );
}

#[test]
fn a_write_that_is_late_on_its_way_arrives_after_a_newer_one() {
    check(
        &stale_overwrite(),
        "delay A 2 request by 5 s",
        &expect![[r#"
            #0 0.2 A sent acquire to Lock, there at 0.4
            #1 0.4 Lock granted A token 33 for 3 (#0)
            #2 0.6 A learned granted token 33 (#1)
            #3 0.75 A sent read to Storage, there at 1 (#2)
            #4 1 Storage read by A v7 = 0 (#3)
            #5 1.25 A learned done (#4)
            #6 1.4 A computed 1 (#5)
            #7 1.55 A sent write token 33 to Storage, there at 6.8 (#6)
            #8 1.55 A late message begins (#7)
            #9 3.4 Lock ended the lease of A token 33 (#1)
            #10 3.55 B sent acquire to Lock, there at 3.75
            #11 3.75 Lock granted B token 34 for 3 (#10)
            #12 3.95 B learned granted token 34 (#11)
            #13 4.1 B sent read to Storage, there at 4.35 (#12)
            #14 4.35 Storage read by B v7 = 0 (#13)
            #15 4.6 B learned done (#14)
            #16 4.75 B computed 1 (#15)
            #17 4.9 B sent write token 34 to Storage, there at 5.15 (#16)
            #18 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#17)
            #19 5.4 B learned accepted token 34 (#18)
            #20 6.1 B sent release token 34 to Lock, there at 6.3 (#19)
            #21 6.3 Lock freed by B token 34 (#20)
            #22 6.5 B learned done token 34 (#21)
            #23 6.5 B stopped (#22)
            #24 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#8)
            #25 7.05 A learned accepted token 33 (#24)
            #26 7.75 A sent release token 33 to Lock, there at 7.95 (#25)
            #27 7.95 Lock told A not held token 33 (#26)
            #28 8.15 A learned lost token 33 (#27)
            #29 8.15 A stopped (#28)
        "#]],
    );
}

#[test]
fn a_late_reply_changes_only_what_its_client_does() {
    check(
        &stale_overwrite(),
        "delay A 0 reply by 2.9 s",
        &expect![[r#"
            #0 0.2 A sent acquire to Lock, there at 0.4
            #1 0.4 Lock granted A token 33 for 3 (#0)
            #2 0.4 A late message begins (#1)
            #3 3.4 Lock ended the lease of A token 33 (#1)
            #4 3.5 A learned granted token 33 (#2)
            #5 3.55 B sent acquire to Lock, there at 3.75
            #6 3.65 A sent read to Storage, there at 3.9 (#4)
            #7 3.75 Lock granted B token 34 for 3 (#5)
            #8 3.9 Storage read by A v7 = 0 (#6)
            #9 3.95 B learned granted token 34 (#7)
            #10 4.1 B sent read to Storage, there at 4.35 (#9)
            #11 4.15 A learned done (#8)
            #12 4.3 A computed 1 (#11)
            #13 4.35 Storage read by B v7 = 0 (#10)
            #14 4.45 A sent write token 33 to Storage, there at 4.7 (#12)
            #15 4.6 B learned done (#13)
            #16 4.7 Storage accepted A v8 over v7 (read v7) token 33 (#14)
            #17 4.75 B computed 1 (#15)
            #18 4.9 B sent write token 34 to Storage, there at 5.15 (#17)
            #19 4.95 A learned accepted token 33 (#16)
            #20 5.15 Storage accepted B v9 over v8 (read v7) token 34 (#18)
            #21 5.4 B learned accepted token 34 (#20)
            #22 5.65 A sent release token 33 to Lock, there at 5.85 (#19)
            #23 5.85 Lock told A not held token 33 (#22)
            #24 6.05 A learned lost token 33 (#23)
            #25 6.05 A stopped (#24)
            #26 6.1 B sent release token 34 to Lock, there at 6.3 (#21)
            #27 6.3 Lock freed by B token 34 (#26)
            #28 6.5 B learned done token 34 (#27)
            #29 6.5 B stopped (#28)
        "#]],
    );
}

#[test]
fn two_pauses_that_overlap_are_one_long_pause() {
    let faults = "
        pause A 1.5 s for 2 s
        pause A 2.5 s for 3.2 s";
    check(
        &stale_overwrite(),
        faults,
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.5 A pause begins
        #8 2.5 A pause begins
        #9 3.4 Lock ended the lease of A token 33 (#1)
        #10 3.5 A pause ends (#7)
        #11 3.55 B sent acquire to Lock, there at 3.75
        #12 3.75 Lock granted B token 34 for 3 (#11)
        #13 3.95 B learned granted token 34 (#12)
        #14 4.1 B sent read to Storage, there at 4.35 (#13)
        #15 4.35 Storage read by B v7 = 0 (#14)
        #16 4.6 B learned done (#15)
        #17 4.75 B computed 1 (#16)
        #18 4.9 B sent write token 34 to Storage, there at 5.15 (#17)
        #19 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#18)
        #20 5.4 B learned accepted token 34 (#19)
        #21 5.7 A pause ends (#8)
        #22 5.75 A sent write token 33 to Storage, there at 6 (#21)
        #23 6 Storage accepted A v9 over v8 (read v7) token 33 (#22)
        #24 6.1 B sent release token 34 to Lock, there at 6.3 (#20)
        #25 6.25 A learned accepted token 33 (#23)
        #26 6.3 Lock freed by B token 34 (#24)
        #27 6.5 B learned done token 34 (#26)
        #28 6.5 B stopped (#27)
        #29 6.95 A sent release token 33 to Lock, there at 7.15 (#25)
        #30 7.15 Lock told A not held token 33 (#29)
        #31 7.35 A learned lost token 33 (#30)
        #32 7.35 A stopped (#31)
    "#]],
    );
}

#[test]
fn a_pause_after_which_the_reply_is_still_on_its_way_is_no_cause() {
    check(
        &stale_overwrite(),
        "pause A 0.45 s for 0.1 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.45 A pause begins
        #3 0.55 A pause ends (#2)
        #4 0.6 A learned granted token 33 (#1)
        #5 0.75 A sent read to Storage, there at 1 (#4)
        #6 1 Storage read by A v7 = 0 (#5)
        #7 1.25 A learned done (#6)
        #8 1.4 A computed 1 (#7)
        #9 1.55 A sent write token 33 to Storage, there at 1.8 (#8)
        #10 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#9)
        #11 2.05 A learned accepted token 33 (#10)
        #12 2.75 A sent release token 33 to Lock, there at 2.95 (#11)
        #13 2.95 Lock freed by A token 33 (#12)
        #14 3.15 A learned done token 33 (#13)
        #15 3.15 A stopped (#14)
        #16 3.55 B sent acquire to Lock, there at 3.75
        #17 3.75 Lock granted B token 34 for 3 (#16)
        #18 3.95 B learned granted token 34 (#17)
        #19 4.1 B sent read to Storage, there at 4.35 (#18)
        #20 4.35 Storage read by B v8 = 1 (#19)
        #21 4.6 B learned done (#20)
        #22 4.75 B computed 2 (#21)
        #23 4.9 B sent write token 34 to Storage, there at 5.15 (#22)
        #24 5.15 Storage accepted B v9 over v8 (read v8) token 34 (#23)
        #25 5.4 B learned accepted token 34 (#24)
        #26 6.1 B sent release token 34 to Lock, there at 6.3 (#25)
        #27 6.3 Lock freed by B token 34 (#26)
        #28 6.5 B learned done token 34 (#27)
        #29 6.5 B stopped (#28)
    "#]],
    );
}

#[test]
fn a_server_that_stands_still_answers_when_it_wakes() {
    check(
        &stale_overwrite(),
        "pause storage 0.9 s for 0.5 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 0.9 Storage pause begins
        #5 1.4 Storage pause ends (#4)
        #6 1.4 Storage read by A v7 = 0 (#5)
        #7 1.65 A learned done (#6)
        #8 1.8 A computed 1 (#7)
        #9 1.95 A sent write token 33 to Storage, there at 2.2 (#8)
        #10 2.2 Storage accepted A v8 over v7 (read v7) token 33 (#9)
        #11 2.45 A learned accepted token 33 (#10)
        #12 3.15 A sent release token 33 to Lock, there at 3.35 (#11)
        #13 3.35 Lock freed by A token 33 (#12)
        #14 3.55 B sent acquire to Lock, there at 3.75
        #15 3.55 A learned done token 33 (#13)
        #16 3.55 A stopped (#15)
        #17 3.75 Lock granted B token 34 for 3 (#14)
        #18 3.95 B learned granted token 34 (#17)
        #19 4.1 B sent read to Storage, there at 4.35 (#18)
        #20 4.35 Storage read by B v8 = 1 (#19)
        #21 4.6 B learned done (#20)
        #22 4.75 B computed 2 (#21)
        #23 4.9 B sent write token 34 to Storage, there at 5.15 (#22)
        #24 5.15 Storage accepted B v9 over v8 (read v8) token 34 (#23)
        #25 5.4 B learned accepted token 34 (#24)
        #26 6.1 B sent release token 34 to Lock, there at 6.3 (#25)
        #27 6.3 Lock freed by B token 34 (#26)
        #28 6.5 B learned done token 34 (#27)
        #29 6.5 B stopped (#28)
    "#]],
    );
}

#[test]
fn a_lock_that_stands_still_ends_the_lease_when_it_wakes() {
    let faults = "
        pause A 1.5 s for 4.2 s
        pause lock 3.3 s for 1 s";
    check(
        &stale_overwrite(),
        faults,
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.5 A pause begins
        #8 3.3 Lock pause begins
        #9 3.55 B sent acquire to Lock, there at 3.75
        #10 4.3 Lock pause ends (#8)
        #11 4.3 Lock ended the lease of A token 33 (#10)
        #12 4.3 Lock granted B token 34 for 3 (#11)
        #13 4.5 B learned granted token 34 (#12)
        #14 4.65 B sent read to Storage, there at 4.9 (#13)
        #15 4.9 Storage read by B v7 = 0 (#14)
        #16 5.15 B learned done (#15)
        #17 5.3 B computed 1 (#16)
        #18 5.45 B sent write token 34 to Storage, there at 5.7 (#17)
        #19 5.7 A pause ends (#7)
        #20 5.7 Storage accepted B v8 over v7 (read v7) token 34 (#18)
        #21 5.75 A sent write token 33 to Storage, there at 6 (#19)
        #22 5.95 B learned accepted token 34 (#20)
        #23 6 Storage accepted A v9 over v8 (read v7) token 33 (#21)
        #24 6.25 A learned accepted token 33 (#23)
        #25 6.65 B sent release token 34 to Lock, there at 6.85 (#22)
        #26 6.85 Lock freed by B token 34 (#25)
        #27 6.95 A sent release token 33 to Lock, there at 7.15 (#24)
        #28 7.05 B learned done token 34 (#26)
        #29 7.05 B stopped (#28)
        #30 7.15 Lock told A not held token 33 (#27)
        #31 7.35 A learned lost token 33 (#30)
        #32 7.35 A stopped (#31)
    "#]],
    );
}

#[test]
fn a_fault_of_a_node_that_is_not_there_does_nothing() {
    let calm = render(&stale_overwrite(), &run_timed(&stale_overwrite(), &[]));
    let faults = faults(
        "pause nobody 1 s for 2 s
        step nobody 1 s by 2 s
        delay nobody 0 reply by 1 s",
    );
    assert_eq!(render(&stale_overwrite(), &run_timed(&stale_overwrite(), &faults)), calm);
}

#[test]
fn a_client_that_waits_for_the_lock_takes_it_when_it_is_freed_and_not_while_it_stands_still() {
    let mut scenario = b_starts(stale_overwrite(), 150_000);
    scenario.granularity = Granularity::Call;
    for step in &mut scenario.programs[0].steps {
        if let Operation::Call { request: Request::Acquire { blocking, .. }, .. } = &mut step.operation {
            *blocking = true;
        }
    }
    check(
        &scenario,
        "pause B 1 s for 2 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock
        #1 0.2 Lock granted A token 33 for 3 (#0)
        #2 0.2 A learned granted token 33 (#1)
        #3 0.35 A sent read to Storage (#2)
        #4 0.35 Storage read by A v7 = 0 (#3)
        #5 0.35 A learned done (#4)
        #6 0.5 A computed 1 (#5)
        #7 0.65 A sent write token 33 to Storage (#6)
        #8 0.65 Storage accepted A v8 over v7 (read v7) token 33 (#7)
        #9 0.65 A learned accepted token 33 (#8)
        #10 1 B pause begins
        #11 1.35 A sent release token 33 to Lock (#9)
        #12 1.35 Lock freed by A token 33 (#11)
        #13 1.35 A learned done token 33 (#12)
        #14 1.35 A stopped (#13)
        #15 3 B pause ends (#10)
        #16 3 B sent acquire to Lock (#15)
        #17 3 Lock granted B token 34 for 3 (#16)
        #18 3 B learned granted token 34 (#17)
        #19 3.15 B sent read to Storage (#18)
        #20 3.15 Storage read by B v8 = 1 (#19)
        #21 3.15 B learned done (#20)
        #22 3.3 B computed 2 (#21)
        #23 3.45 B sent write token 34 to Storage (#22)
        #24 3.45 Storage accepted B v9 over v8 (read v8) token 34 (#23)
        #25 3.45 B learned accepted token 34 (#24)
        #26 4.15 B sent release token 34 to Lock (#25)
        #27 4.15 Lock freed by B token 34 (#26)
        #28 4.15 B learned done token 34 (#27)
        #29 4.15 B stopped (#28)
    "#]],
    );
}
