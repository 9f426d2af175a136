//! Timed runs under deadlines, crashes, losses and operators, as text.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod common;

use common::{faults, line};
use expect_test::{Expect, expect};
use racescope_engine::sim::example::{guarded, impatient, stale_overwrite};
use racescope_engine::sim::{Guard, NodeKind, Scenario, run_replay, run_timed_with_schedule};

/// Runs a scenario under faults, given as text, and compares the whole run. What
/// the faults did, they did by actions, so the run's schedule repeats its changes.
fn check(scenario: &Scenario, faults_text: &str, expect: &Expect) {
    let (run, schedule) = run_timed_with_schedule(scenario, &faults(faults_text));
    let text: String = (0..).take(run.events.len()).map(|index| line(scenario, &run, index)).collect();
    expect.assert_eq(&text);
    assert!(run.complete);
    let again = run_replay(scenario, &schedule).expect("every action was possible");
    assert!(again.changes().map(|(.., change)| change).eq(run.changes().map(|(.., change)| change)));
}

/// Client A alone: B comes after all is over.
fn alone(mut scenario: Scenario) -> Scenario {
    if let NodeKind::Client(client) = &mut scenario.nodes[1].kind {
        client.program = 1;
    }
    let mut idle = scenario.programs[0].clone();
    idle.steps.clear();
    scenario.programs.push(idle);
    scenario
}

/// Client A alone, whose calls have a deadline of a second.
fn patient_for_a_second() -> Scenario {
    impatient(alone(stale_overwrite()), 1_000_000)
}

#[test]
fn a_deadline_that_does_not_pass_changes_nothing() {
    let calm = run_timed_with_schedule(&alone(stale_overwrite()), &[]);
    assert_eq!(run_timed_with_schedule(&patient_for_a_second(), &[]), calm);
}

#[test]
fn a_lost_request_is_lost_half_way_and_its_client_waits_for_ever() {
    check(
        &alone(stale_overwrite()),
        "loss A 1 request",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage (#2)
        #4 0.75 A lost message begins (#3)
        #5 0.875 A lost the request to Storage (#4)
        #6 3.4 Lock ended the lease of A token 33 (#1)
    "#]],
    );
}

#[test]
fn a_lost_reply_leaves_a_write_that_happened_and_is_sent_again() {
    check(
        &patient_for_a_second(),
        "loss A 2 reply",
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
        #9 1.8 A lost message begins (#8)
        #10 1.925 Storage lost the reply to A (#9)
        #11 2.55 A learned nothing in time token 33 (#10)
        #12 2.7 A sent write token 33 to Storage, there at 2.95 (#11)
        #13 2.95 Storage accepted A v9 over v8 (read v7) token 33 (#12)
        #14 3.2 A learned accepted token 33 (#13)
        #15 3.4 Lock ended the lease of A token 33 (#1)
        #16 3.9 A sent release token 33 to Lock, there at 4.1 (#14)
        #17 4.1 Lock told A not held token 33 (#16)
        #18 4.3 A learned lost token 33 (#17)
        #19 4.3 A stopped (#18)
    "#]],
    );
}

#[test]
fn a_compared_version_refuses_what_is_sent_again() {
    let scenario = guarded(patient_for_a_second(), Guard::VersionCompareAndSet);
    check(
        &scenario,
        "loss A 2 reply",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
        #8 1.8 Storage accepted A v8 over v7 (read v7) token 33: 7 = 7 (#7)
        #9 1.8 A lost message begins (#8)
        #10 1.925 Storage lost the reply to A (#9)
        #11 2.55 A learned nothing in time token 33 (#10)
        #12 2.7 A sent write token 33 to Storage, there at 2.95 (#11)
        #13 2.95 Storage refused A (read v7) token 33: 7 ≠ 8 (#12)
        #14 3.2 A learned refused (#13)
        #15 3.4 Lock ended the lease of A token 33 (#1)
        #16 3.9 A sent release token 33 to Lock, there at 4.1 (#14)
        #17 4.1 Lock told A not held token 33 (#16)
        #18 4.3 A learned lost token 33 (#17)
        #19 4.3 A stopped (#18)
    "#]],
    );
}

#[test]
fn a_late_request_goes_astray_and_is_served_after_its_sender_has_gone_on() {
    check(
        &patient_for_a_second(),
        "delay A 2 request by 1.5 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.55 A sent write token 33 to Storage, there at 3.3 (#6)
        #8 1.55 A late message begins (#7)
        #9 2.55 A learned nothing in time token 33 (#8)
        #10 2.7 A sent write token 33 to Storage, there at 2.95 (#9)
        #11 2.95 Storage accepted A v8 over v7 (read v7) token 33 (#10)
        #12 3.2 A learned accepted token 33 (#11)
        #13 3.3 Storage accepted A v9 over v8 (read v7) token 33 (#8)
        #14 3.4 Lock ended the lease of A token 33 (#1)
        #15 3.9 A sent release token 33 to Lock, there at 4.1 (#12)
        #16 4.1 Lock told A not held token 33 (#15)
        #17 4.3 A learned lost token 33 (#16)
        #18 4.3 A stopped (#17)
    "#]],
    );
}

#[test]
fn a_deadline_goes_by_the_clients_own_clock() {
    check(
        &patient_for_a_second(),
        "rate A 0 s for 20 s by 1000000\ndelay A 1 request by 9 s",
        &expect![[r#"
        #0 0 A clock rate begins
        #1 0.2 A sent acquire to Lock, there at 0.4
        #2 0.4 Lock granted A token 33 for 3 (#1)
        #3 0.6 A learned granted token 33 (#2)
        #4 0.75 A sent read to Storage, there at 10 (#3)
        #5 0.75 A late message begins (#4)
        #6 1.25 A learned nothing in time (#5)
        #7 1.25 A stopped (#6)
        #8 3.4 Lock ended the lease of A token 33 (#2)
        #9 10 Storage read by A v7 = 0 (#5)
        #10 20 A clock rate ends (#0)
    "#]],
    );
}

#[test]
fn a_client_that_wakes_takes_its_reply_first_unless_it_looks_at_its_deadline_first() {
    let scenario = patient_for_a_second();
    let run = |text| {
        let (run, _) = run_timed_with_schedule(&scenario, &faults(text));
        let woken = (0..).take(run.events.len()).skip_while(|&index| run.event(index).at_us < 3_000_000).take(3);
        woken.map(|index| line(&scenario, &run, index)).collect::<String>()
    };
    expect![[r#"
        #6 3 A pause ends (#4)
        #7 3 A learned done (#6)
        #8 3.15 A computed 1 (#7)
    "#]]
    .assert_eq(&run("pause A 0.8 s for 2.2 s"));
    expect![[r#"
        #6 3 A pause ends (#4)
        #7 3 A learned nothing in time (#6)
        #8 3 A stopped (#7)
    "#]]
    .assert_eq(&run("pause A 0.8 s for 2.2 s deadlines-first"));
}

#[test]
fn a_copy_of_a_write_is_accepted_where_nothing_compares() {
    check(
        &alone(stale_overwrite()),
        "duplicate A 2 by 0.3 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
        #8 1.55 A doubled message begins (#7)
        #9 1.55 A doubled the request to Storage, there at 2.1 (#8)
        #10 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
        #11 2.05 A learned accepted token 33 (#10)
        #12 2.1 Storage accepted A v9 over v8 (read v7) token 33 (#9)
        #13 2.75 A sent release token 33 to Lock, there at 2.95 (#11)
        #14 2.95 Lock freed by A token 33 (#13)
        #15 3.15 A learned done token 33 (#14)
        #16 3.15 A stopped (#15)
    "#]],
    );
}

#[test]
fn a_copy_of_an_acquire_takes_the_lock_for_nobody() {
    check(
        &alone(stale_overwrite()),
        "duplicate A 0 by 4 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.2 A doubled message begins (#0)
        #2 0.2 A doubled the request to Lock, there at 4.4 (#1)
        #3 0.4 Lock granted A token 33 for 3 (#0)
        #4 0.6 A learned granted token 33 (#3)
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
        #16 4.4 Lock granted A token 34 for 3 (#13)
        #17 7.4 Lock ended the lease of A token 34 (#16)
    "#]],
    );
}

#[test]
fn a_partition_loses_what_is_sent_meanwhile_and_not_what_is_on_its_way() {
    check(
        &patient_for_a_second(),
        "partition A storage 0.8 s for 0.5 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 0.8 A partition begins
        #5 1 Storage read by A v7 = 0 (#3)
        #6 1.125 Storage lost the reply to A (#4)
        #7 1.3 A partition ends (#4)
        #8 1.75 A learned nothing in time (#6)
        #9 1.75 A stopped (#8)
        #10 3.4 Lock ended the lease of A token 33 (#1)
    "#]],
    );
}

#[test]
fn a_one_way_partition_lets_the_other_way_through() {
    let scenario = patient_for_a_second();
    let calm = run_timed_with_schedule(&scenario, &[]).1;
    let schedule = |text| run_timed_with_schedule(&scenario, &faults(text)).1;
    assert_eq!(schedule("partition storage A 0.7 s for 0.1 s one-way"), calm);
    assert_ne!(schedule("partition A storage 0.7 s for 0.1 s one-way"), calm);
    assert_eq!(schedule("partition A storage 0.75 s for 0.1 s"), calm, "what is sent at its very start gets through");
}

#[test]
fn a_client_that_crashes_without_memory_begins_anew_and_finds_its_own_lease_in_the_way() {
    check(
        &alone(stale_overwrite()),
        "crash A 1.3 s for 1 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.3 A crash begins
        #7 1.3 A crashed, without memory (#6)
        #8 2.3 A crash ends (#6)
        #9 2.3 A started again (#8)
        #10 2.35 A sent acquire to Lock, there at 2.55 (#9)
        #11 2.55 Lock told A busy, A holds token 33 (#10)
        #12 2.75 A learned busy (#11)
        #13 2.95 A waited (#12)
        #14 3 A sent acquire to Lock, there at 3.2 (#13)
        #15 3.2 Lock told A busy, A holds token 33 (#14)
        #16 3.4 A learned busy (#15)
        #17 3.4 Lock ended the lease of A token 33 (#1)
        #18 3.6 A waited (#16)
        #19 3.65 A sent acquire to Lock, there at 3.85 (#18)
        #20 3.85 Lock granted A token 34 for 3 (#19)
        #21 4.05 A learned granted token 34 (#20)
        #22 4.2 A sent read to Storage, there at 4.45 (#21)
        #23 4.45 Storage read by A v7 = 0 (#22)
        #24 4.7 A learned done (#23)
        #25 4.85 A computed 1 (#24)
        #26 5 A sent write token 34 to Storage, there at 5.25 (#25)
        #27 5.25 Storage accepted A v8 over v7 (read v7) token 34 (#26)
        #28 5.5 A learned accepted token 34 (#27)
        #29 6.2 A sent release token 34 to Lock, there at 6.4 (#28)
        #30 6.4 Lock freed by A token 34 (#29)
        #31 6.6 A learned done token 34 (#30)
        #32 6.6 A stopped (#31)
    "#]],
    );
}

#[test]
fn a_client_that_crashes_with_memory_does_its_step_again() {
    check(
        &alone(stale_overwrite()),
        "crash A 1.7 s for 1 s with-memory",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
        #8 1.7 A crash begins
        #9 1.7 A crashed, with memory (#8)
        #10 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
        #11 2.7 A crash ends (#8)
        #12 2.7 A started again (#11)
        #13 2.85 A sent write token 33 to Storage, there at 3.1 (#12)
        #14 3.1 Storage accepted A v9 over v8 (read v7) token 33 (#13)
        #15 3.35 A learned accepted token 33 (#14)
        #16 3.4 Lock ended the lease of A token 33 (#1)
        #17 4.05 A sent release token 33 to Lock, there at 4.25 (#15)
        #18 4.25 Lock told A not held token 33 (#17)
        #19 4.45 A learned lost token 33 (#18)
        #20 4.45 A stopped (#19)
    "#]],
    );
}

#[test]
fn a_lock_that_crashes_without_memory_grants_its_first_token_again() {
    check(
        &stale_overwrite(),
        "crash lock 2 s for 1 s",
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
        #9 2 Lock crash begins
        #10 2 Lock crashed, without memory (#9)
        #11 2.05 A learned accepted token 33 (#8)
        #12 2.75 A sent release token 33 to Lock, there at 2.95 (#11)
        #13 2.95 A lost the request to Lock (#10)
        #14 3 Lock crash ends (#9)
        #15 3 Lock started again (#14)
        #16 3.55 B sent acquire to Lock, there at 3.75
        #17 3.75 Lock granted B token 33 for 3 (#16)
        #18 3.95 B learned granted token 33 (#17)
        #19 4.1 B sent read to Storage, there at 4.35 (#18)
        #20 4.35 Storage read by B v8 = 1 (#19)
        #21 4.6 B learned done (#20)
        #22 4.75 B computed 2 (#21)
        #23 4.9 B sent write token 33 to Storage, there at 5.15 (#22)
        #24 5.15 Storage accepted B v9 over v8 (read v8) token 33 (#23)
        #25 5.4 B learned accepted token 33 (#24)
        #26 6.1 B sent release token 33 to Lock, there at 6.3 (#25)
        #27 6.3 Lock freed by B token 33 (#26)
        #28 6.5 B learned done token 33 (#27)
        #29 6.5 B stopped (#28)
    "#]],
    );
}

#[test]
fn a_lock_that_was_down_finds_the_lease_overdue_when_it_starts_again() {
    check(
        &alone(stale_overwrite()),
        "crash lock 2 s for 3 s with-memory",
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
        #9 2 Lock crash begins
        #10 2 Lock crashed, with memory (#9)
        #11 2.05 A learned accepted token 33 (#8)
        #12 2.75 A sent release token 33 to Lock, there at 2.95 (#11)
        #13 2.95 A lost the request to Lock (#10)
        #14 5 Lock crash ends (#9)
        #15 5 Lock started again (#14)
        #16 5 Lock ended the lease of A token 33 (#15)
    "#]],
    );
}

#[test]
fn a_restored_lock_holds_a_lease_again_and_grants_tokens_again() {
    check(
        &stale_overwrite(),
        "restore lock 4 s taken 0.3 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.3 Lock copied its state aside
        #2 0.4 Lock granted A token 33 for 3 (#0)
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
        #18 4 Lock restore begins
        #19 4 Lock restored: free, next token 33 (#18)
        #20 4.1 B sent read to Storage, there at 4.35 (#17)
        #21 4.35 Storage read by B v8 = 1 (#20)
        #22 4.6 B learned done (#21)
        #23 4.75 B computed 2 (#22)
        #24 4.9 B sent write token 34 to Storage, there at 5.15 (#23)
        #25 5.15 Storage accepted B v9 over v8 (read v8) token 34 (#24)
        #26 5.4 B learned accepted token 34 (#25)
        #27 6.1 B sent release token 34 to Lock, there at 6.3 (#26)
        #28 6.3 Lock told B not held token 34 (#27)
        #29 6.5 B learned lost token 34 (#28)
        #30 6.5 B stopped (#29)
    "#]],
    );
}

#[test]
fn a_restored_lease_ends_on_its_own_date() {
    check(
        &alone(stale_overwrite()),
        "restore lock 3.2 s taken 1 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1 Lock copied its state aside
        #6 1.25 A learned done (#4)
        #7 1.4 A computed 1 (#6)
        #8 1.55 A sent write token 33 to Storage, there at 1.8 (#7)
        #9 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#8)
        #10 2.05 A learned accepted token 33 (#9)
        #11 2.75 A sent release token 33 to Lock, there at 2.95 (#10)
        #12 2.95 Lock freed by A token 33 (#11)
        #13 3.15 A learned done token 33 (#12)
        #14 3.15 A stopped (#13)
        #15 3.2 Lock restore begins
        #16 3.2 Lock restored: A token 33, next token 34 (#15)
        #17 3.4 Lock ended the lease of A token 33 (#16)
    "#]],
    );
}

#[test]
fn a_restored_storage_accepts_an_older_token_again() {
    let scenario = guarded(stale_overwrite(), Guard::FenceAtMost);
    check(
        &scenario,
        "pause A 1.5 s for 4.2 s\nrestore storage 5.5 s taken 5 s",
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
        #17 5 Storage copied its state aside
        #18 5.15 Storage accepted B v8 over v7 (read v7) token 34: 34 > 32 (#16)
        #19 5.4 B learned accepted token 34 (#18)
        #20 5.5 Storage restore begins
        #21 5.5 Storage restored: v7, fence 32 (#20)
        #22 5.7 A pause ends (#7)
        #23 5.75 A sent write token 33 to Storage, there at 6 (#22)
        #24 6 Storage accepted A v8 over v7 (read v7) token 33: 33 > 32 (#23)
        #25 6.1 B sent release token 34 to Lock, there at 6.3 (#19)
        #26 6.25 A learned accepted token 33 (#24)
        #27 6.3 Lock freed by B token 34 (#25)
        #28 6.5 B learned done token 34 (#27)
        #29 6.5 B stopped (#28)
        #30 6.95 A sent release token 33 to Lock, there at 7.15 (#26)
        #31 7.15 Lock told A not held token 33 (#30)
        #32 7.35 A learned lost token 33 (#31)
        #33 7.35 A stopped (#32)
    "#]],
    );
}

#[test]
fn an_operator_frees_the_lock_under_its_holder() {
    let scenario = guarded(stale_overwrite(), Guard::FenceAtMost);
    check(
        &scenario,
        "delay A 2 request by 4 s\nunlock lock 2 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.55 A sent write token 33 to Storage, there at 5.8 (#6)
        #8 1.55 A late message begins (#7)
        #9 2 Lock forced unlock begins
        #10 2 Lock lost the lease of A token 33 (#9)
        #11 3.55 B sent acquire to Lock, there at 3.75
        #12 3.75 Lock granted B token 34 for 3 (#11)
        #13 3.95 B learned granted token 34 (#12)
        #14 4.1 B sent read to Storage, there at 4.35 (#13)
        #15 4.35 Storage read by B v7 = 0 (#14)
        #16 4.6 B learned done (#15)
        #17 4.75 B computed 1 (#16)
        #18 4.9 B sent write token 34 to Storage, there at 5.15 (#17)
        #19 5.15 Storage accepted B v8 over v7 (read v7) token 34: 34 > 32 (#18)
        #20 5.4 B learned accepted token 34 (#19)
        #21 5.8 Storage refused A (read v7) token 33: 33 < 34 (#8)
        #22 6.05 A learned refused token 33 (#21)
        #23 6.1 B sent release token 34 to Lock, there at 6.3 (#20)
        #24 6.3 Lock freed by B token 34 (#23)
        #25 6.5 B learned done token 34 (#24)
        #26 6.5 B stopped (#25)
        #27 6.75 A sent release token 33 to Lock, there at 6.95 (#22)
        #28 6.95 Lock told A not held token 33 (#27)
        #29 7.15 A learned lost token 33 (#28)
        #30 7.15 A stopped (#29)
    "#]],
    );
}

#[test]
fn a_lock_that_forgets_its_state_grants_its_first_token_again() {
    check(
        &stale_overwrite(),
        "delay A 2 request by 4 s\nforget lock 2 s",
        &expect![[r#"
        #0 0.2 A sent acquire to Lock, there at 0.4
        #1 0.4 Lock granted A token 33 for 3 (#0)
        #2 0.6 A learned granted token 33 (#1)
        #3 0.75 A sent read to Storage, there at 1 (#2)
        #4 1 Storage read by A v7 = 0 (#3)
        #5 1.25 A learned done (#4)
        #6 1.4 A computed 1 (#5)
        #7 1.55 A sent write token 33 to Storage, there at 5.8 (#6)
        #8 1.55 A late message begins (#7)
        #9 2 Lock state loss begins
        #10 2 Lock forgot everything, next token 33 (#9)
        #11 3.55 B sent acquire to Lock, there at 3.75
        #12 3.75 Lock granted B token 33 for 3 (#11)
        #13 3.95 B learned granted token 33 (#12)
        #14 4.1 B sent read to Storage, there at 4.35 (#13)
        #15 4.35 Storage read by B v7 = 0 (#14)
        #16 4.6 B learned done (#15)
        #17 4.75 B computed 1 (#16)
        #18 4.9 B sent write token 33 to Storage, there at 5.15 (#17)
        #19 5.15 Storage accepted B v8 over v7 (read v7) token 33 (#18)
        #20 5.4 B learned accepted token 33 (#19)
        #21 5.8 Storage accepted A v9 over v8 (read v7) token 33 (#8)
        #22 6.05 A learned accepted token 33 (#21)
        #23 6.1 B sent release token 33 to Lock, there at 6.3 (#20)
        #24 6.3 Lock freed by B token 33 (#23)
        #25 6.5 B learned done token 33 (#24)
        #26 6.5 B stopped (#25)
        #27 6.75 A sent release token 33 to Lock, there at 6.95 (#22)
        #28 6.95 Lock told A not held token 33 (#27)
        #29 7.15 A learned lost token 33 (#28)
        #30 7.15 A stopped (#29)
    "#]],
    );
}

#[test]
fn trouble_where_there_is_nothing_to_befall_does_nothing() {
    let scenario = alone(stale_overwrite());
    let calm = run_timed_with_schedule(&scenario, &[]).1;
    for text in [
        "unlock lock 0.3 s",
        "forget lock 0.3 s",
        "crash A 0.1 s for 0.05 s",
        "crash A 9 s for 1 s",
        "loss A 7 request",
        "partition A nobody 0 s for 9 s",
        "crash nobody 1 s for 1 s",
        "restore nobody 2 s taken 1 s",
        "unlock A 1 s",
        "forget storage 1 s",
    ] {
        assert_eq!(run_timed_with_schedule(&scenario, &faults(text)).1, calm, "{text}");
    }
}
