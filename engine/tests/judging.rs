//! What the checkers find in small runs, with the events that they blame, as text.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod common;

use common::{faults, line};
use expect_test::{Expect, expect};
use racescope_engine::check::{beliefs, judge};
use racescope_engine::sim::example::{guarded, impatient, reference, stale_overwrite};
use racescope_engine::sim::{
    EventIndex, Granularity, Guard, LeaseLock, Node, NodeKind, Operation, Request, Scenario, Trace, run_replay,
    run_timed,
};

/// Judges a timed run under faults, given as text.
fn check(scenario: &Scenario, faults_text: &str, expect: &Expect) {
    expect.assert_eq(&verdict(scenario, &run_timed(scenario, &faults(faults_text))));
}

/// Judges an untimed run, given as its schedule.
fn check_schedule(scenario: &Scenario, schedule: &str, expect: &Expect) {
    let schedule = schedule.parse().expect("a schedule");
    expect.assert_eq(&verdict(scenario, &run_replay(scenario, &schedule).expect("a possible schedule")));
}

fn verdict(scenario: &Scenario, run: &Trace) -> String {
    let verdict = judge(scenario, run);
    let chain = |blame: &[EventIndex]| -> String {
        blame.iter().map(|&index| "    ".to_string() + &line(scenario, run, index)).collect()
    };
    let found = verdict.findings.iter().map(|finding| {
        let weight = if finding.property.is_harm() { "harm" } else { "no harm" };
        format!("{:?} ({weight})\n{}", finding.property, chain(&finding.blame))
    });
    let seen =
        verdict.sightings.iter().map(|sighting| format!("tried: {:?}\n{}", sighting.witness, chain(&sighting.blame)));
    let text: String = found.chain(seen).collect();
    if text.is_empty() { "nothing\n".into() } else { text }
}

#[test]
fn a_calm_run_shows_nothing_and_tries_nothing() {
    check(
        &stale_overwrite(),
        "",
        &expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn an_older_write_after_a_newer_one_is_stale_and_blamed_on_the_pause() {
    check(
        &stale_overwrite(),
        "pause A 1.5 s for 4.2 s",
        &expect![[r#"
        OverlapOfBelief (no harm)
            #2 0.6 A learned granted token 33 (#1)
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #11 3.95 B learned granted token 34 (#10)
        StaleWriteAccepted (harm)
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #10 3.75 Lock granted B token 34 for 3 (#9)
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#16)
            #21 6 Storage accepted A v9 over v8 (read v7) token 33 (#20)
        LostUpdate (harm)
            #4 1 Storage read by A v7 = 0 (#3)
            #7 1.5 A pause begins
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#16)
            #21 6 Storage accepted A v9 over v8 (read v7) token 33 (#20)
        tried: BeliefOutlivedLease
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
        tried: StaleWriteTried
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #10 3.75 Lock granted B token 34 for 3 (#9)
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#16)
            #21 6 Storage accepted A v9 over v8 (read v7) token 33 (#20)
        tried: OutdatedWriteTried
            #4 1 Storage read by A v7 = 0 (#3)
            #7 1.5 A pause begins
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#16)
            #21 6 Storage accepted A v9 over v8 (read v7) token 33 (#20)
    "#]],
    );
}

#[test]
fn a_fence_refuses_the_stale_write_which_was_tried_all_the_same() {
    check(
        &guarded(stale_overwrite(), Guard::FenceAtMost),
        "pause A 1.5 s for 4.2 s",
        &expect![[r#"
        OverlapOfBelief (no harm)
            #2 0.6 A learned granted token 33 (#1)
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #11 3.95 B learned granted token 34 (#10)
        tried: BeliefOutlivedLease
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
        tried: StaleWriteTried
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #10 3.75 Lock granted B token 34 for 3 (#9)
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34: 34 > 32 (#16)
            #21 6 Storage refused A (read v7) token 33: 33 < 34 (#20)
        tried: OutdatedWriteTried
            #4 1 Storage read by A v7 = 0 (#3)
            #7 1.5 A pause begins
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34: 34 > 32 (#16)
            #21 6 Storage refused A (read v7) token 33: 33 < 34 (#20)
    "#]],
    );
}

#[test]
fn a_compared_version_refuses_the_stale_write_which_was_tried_all_the_same() {
    check(
        &guarded(stale_overwrite(), Guard::VersionCompareAndSet),
        "pause A 1.5 s for 4.2 s",
        &expect![[r#"
        OverlapOfBelief (no harm)
            #2 0.6 A learned granted token 33 (#1)
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #11 3.95 B learned granted token 34 (#10)
        tried: BeliefOutlivedLease
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
        tried: StaleWriteTried
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #10 3.75 Lock granted B token 34 for 3 (#9)
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34: 7 = 7 (#16)
            #21 6 Storage refused A (read v7) token 33: 7 ≠ 8 (#20)
        tried: OutdatedWriteTried
            #4 1 Storage read by A v7 = 0 (#3)
            #7 1.5 A pause begins
            #17 5.15 Storage accepted B v8 over v7 (read v7) token 34: 7 = 7 (#16)
            #21 6 Storage refused A (read v7) token 33: 7 ≠ 8 (#20)
    "#]],
    );
}

#[test]
fn an_older_write_before_the_first_newer_one_is_not_stale_but_its_update_is_lost() {
    let faults_text = "pause A 1.5 s for 2.9 s";
    let [at_most, below] = [Guard::FenceAtMost, Guard::FenceBelow].map(|guard| guarded(stale_overwrite(), guard));
    check(
        &below,
        faults_text,
        &expect![[r#"
        OverlapOfBelief (no harm)
            #2 0.6 A learned granted token 33 (#1)
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #11 3.95 B learned granted token 34 (#10)
        LostUpdate (harm)
            #7 1.5 A pause begins
            #13 4.35 Storage read by B v7 = 0 (#12)
            #17 4.7 Storage accepted A v8 over v7 (read v7) token 33: 33 > 32 (#15)
            #21 5.15 Storage accepted B v9 over v8 (read v7) token 34: 34 > 33 (#19)
        tried: BeliefOutlivedLease
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
        tried: OutdatedWriteTried
            #7 1.5 A pause begins
            #13 4.35 Storage read by B v7 = 0 (#12)
            #17 4.7 Storage accepted A v8 over v7 (read v7) token 33: 33 > 32 (#15)
            #21 5.15 Storage accepted B v9 over v8 (read v7) token 34: 34 > 33 (#19)
    "#]],
    );
    let [run_at_most, run_below] = [&at_most, &below].map(|scenario| run_timed(scenario, &faults(faults_text)));
    assert_eq!(verdict(&at_most, &run_at_most), verdict(&below, &run_below));
}

#[test]
fn a_compared_version_saves_the_older_write_that_came_first() {
    check(
        &guarded(stale_overwrite(), Guard::VersionCompareAndSet),
        "pause A 1.5 s for 2.9 s",
        &expect![[r#"
        OverlapOfBelief (no harm)
            #2 0.6 A learned granted token 33 (#1)
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #11 3.95 B learned granted token 34 (#10)
        tried: BeliefOutlivedLease
            #7 1.5 A pause begins
            #8 3.4 Lock ended the lease of A token 33 (#1)
        tried: OutdatedWriteTried
            #7 1.5 A pause begins
            #13 4.35 Storage read by B v7 = 0 (#12)
            #17 4.7 Storage accepted A v8 over v7 (read v7) token 33: 7 = 7 (#15)
            #21 5.15 Storage refused B (read v7) token 34: 7 ≠ 8 (#19)
    "#]],
    );
}

#[test]
fn a_write_that_was_late_on_its_way_is_stale_without_any_pause() {
    check(
        &stale_overwrite(),
        "delay A 2 request by 5 s",
        &expect![[r#"
            OverlapOfBelief (no harm)
                #2 0.6 A learned granted token 33 (#1)
                #8 1.55 A late message begins (#7)
                #9 3.4 Lock ended the lease of A token 33 (#1)
                #12 3.95 B learned granted token 34 (#11)
            StaleWriteAccepted (harm)
                #8 1.55 A late message begins (#7)
                #9 3.4 Lock ended the lease of A token 33 (#1)
                #11 3.75 Lock granted B token 34 for 3 (#10)
                #18 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#17)
                #24 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#8)
            LostUpdate (harm)
                #4 1 Storage read by A v7 = 0 (#3)
                #8 1.55 A late message begins (#7)
                #18 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#17)
                #24 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#8)
            tried: BeliefOutlivedLease
                #8 1.55 A late message begins (#7)
                #9 3.4 Lock ended the lease of A token 33 (#1)
            tried: StaleWriteTried
                #8 1.55 A late message begins (#7)
                #9 3.4 Lock ended the lease of A token 33 (#1)
                #11 3.75 Lock granted B token 34 for 3 (#10)
                #18 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#17)
                #24 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#8)
            tried: OutdatedWriteTried
                #4 1 Storage read by A v7 = 0 (#3)
                #8 1.55 A late message begins (#7)
                #18 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#17)
                #24 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#8)
        "#]],
    );
}

#[test]
fn a_clock_step_that_ended_the_lease_early_is_blamed() {
    let faults = "
        step lock 1 s by 15 s
        delay A 2 request by 5 s";
    check(
        &stale_overwrite(),
        faults,
        &expect![[r#"
            OverlapOfBelief (no harm)
                #2 0.6 A learned granted token 33 (#1)
                #5 1 Lock clock step begins
                #6 1.000001 Lock ended the lease of A token 33 (#5)
                #13 3.95 B learned granted token 34 (#12)
            StaleWriteAccepted (harm)
                #5 1 Lock clock step begins
                #6 1.000001 Lock ended the lease of A token 33 (#5)
                #10 1.55 A late message begins (#9)
                #12 3.75 Lock granted B token 34 for 3 (#11)
                #19 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#18)
                #25 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#10)
            LostUpdate (harm)
                #4 1 Storage read by A v7 = 0 (#3)
                #5 1 Lock clock step begins
                #10 1.55 A late message begins (#9)
                #19 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#18)
                #25 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#10)
            tried: BeliefOutlivedLease
                #5 1 Lock clock step begins
                #6 1.000001 Lock ended the lease of A token 33 (#5)
            tried: StaleWriteTried
                #5 1 Lock clock step begins
                #6 1.000001 Lock ended the lease of A token 33 (#5)
                #10 1.55 A late message begins (#9)
                #12 3.75 Lock granted B token 34 for 3 (#11)
                #19 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#18)
                #25 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#10)
            tried: OutdatedWriteTried
                #4 1 Storage read by A v7 = 0 (#3)
                #5 1 Lock clock step begins
                #10 1.55 A late message begins (#9)
                #19 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#18)
                #25 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#10)
        "#]],
    );
}

#[test]
fn a_pause_that_held_nothing_up_is_not_blamed() {
    let faults = "
        pause A 0.45 s for 0.1 s
        delay A 2 request by 5 s";
    check(
        &stale_overwrite(),
        faults,
        &expect![[r#"
            OverlapOfBelief (no harm)
                #4 0.6 A learned granted token 33 (#1)
                #10 1.55 A late message begins (#9)
                #11 3.4 Lock ended the lease of A token 33 (#1)
                #14 3.95 B learned granted token 34 (#13)
            StaleWriteAccepted (harm)
                #10 1.55 A late message begins (#9)
                #11 3.4 Lock ended the lease of A token 33 (#1)
                #13 3.75 Lock granted B token 34 for 3 (#12)
                #20 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#19)
                #26 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#10)
            LostUpdate (harm)
                #6 1 Storage read by A v7 = 0 (#5)
                #10 1.55 A late message begins (#9)
                #20 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#19)
                #26 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#10)
            tried: BeliefOutlivedLease
                #10 1.55 A late message begins (#9)
                #11 3.4 Lock ended the lease of A token 33 (#1)
            tried: StaleWriteTried
                #10 1.55 A late message begins (#9)
                #11 3.4 Lock ended the lease of A token 33 (#1)
                #13 3.75 Lock granted B token 34 for 3 (#12)
                #20 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#19)
                #26 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#10)
            tried: OutdatedWriteTried
                #6 1 Storage read by A v7 = 0 (#5)
                #10 1.55 A late message begins (#9)
                #20 5.15 Storage accepted B v8 over v7 (read v7) token 34 (#19)
                #26 6.8 Storage accepted A v9 over v8 (read v7) token 33 (#10)
        "#]],
    );
}

#[test]
fn beliefs_overlap_when_the_newer_holder_hears_of_its_lease_before_the_older_notices() {
    let schedule = "step:0 expire:2 step:1 step:0";
    check_schedule(
        &reference(2),
        schedule,
        &expect![[r#"
            OverlapOfBelief (no harm)
                #2 0.000001 A learned granted token 33 (#1)
                #3 0.000002 Lock ended the lease of A token 33 (#1)
                #6 0.000003 B learned granted token 34 (#5)
            tried: BeliefOutlivedLease
                #3 0.000002 Lock ended the lease of A token 33 (#1)
            tried: GaveUp
                #3 0.000002 Lock ended the lease of A token 33 (#1)
                #9 0.000004 A learned lost token 33 (#8)
                #10 0.000004 A stopped (#9)
        "#]],
    );
}

#[test]
fn a_schedule_with_a_stale_write_has_no_fault_to_blame() {
    let schedule = "step:0 step:0 step:0 step:0 expire:2 step:1 step:1 step:1 step:1 step:1 step:0";
    check_schedule(
        &reference(2),
        schedule,
        &expect![[r#"
        OverlapOfBelief (no harm)
            #2 0.000001 A learned granted token 33 (#1)
            #10 0.000005 Lock ended the lease of A token 33 (#1)
            #13 0.000006 B learned granted token 34 (#12)
        StaleWriteAccepted (harm)
            #10 0.000005 Lock ended the lease of A token 33 (#1)
            #12 0.000006 Lock granted B token 34 for 3 (#11)
            #22 0.00001 Storage accepted B v8 over v7 (read v7) token 34 (#21)
            #25 0.000011 Storage accepted A v9 over v8 (read v7) token 33 (#24)
        LostUpdate (harm)
            #7 0.000003 Storage read by A v7 = 0 (#6)
            #22 0.00001 Storage accepted B v8 over v7 (read v7) token 34 (#21)
            #25 0.000011 Storage accepted A v9 over v8 (read v7) token 33 (#24)
        tried: BeliefOutlivedLease
            #10 0.000005 Lock ended the lease of A token 33 (#1)
        tried: StaleWriteTried
            #10 0.000005 Lock ended the lease of A token 33 (#1)
            #12 0.000006 Lock granted B token 34 for 3 (#11)
            #22 0.00001 Storage accepted B v8 over v7 (read v7) token 34 (#21)
            #25 0.000011 Storage accepted A v9 over v8 (read v7) token 33 (#24)
        tried: OutdatedWriteTried
            #7 0.000003 Storage read by A v7 = 0 (#6)
            #22 0.00001 Storage accepted B v8 over v7 (read v7) token 34 (#21)
            #25 0.000011 Storage accepted A v9 over v8 (read v7) token 33 (#24)
    "#]],
    );
}

#[test]
fn writing_over_ones_own_write_loses_nothing() {
    let mut scenario = reference(1);
    let write = scenario.programs[0].steps[4].clone();
    scenario.programs[0].steps.insert(5, write);
    check_schedule(
        &scenario,
        "step:0 step:0 step:0 step:0 step:0 step:0 step:0",
        &expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn equal_tokens_of_two_locks_are_kept_apart() {
    let mut scenario = reference(1);
    let lock = NodeKind::Lock(LeaseLock { first_token: 33, latency_us: 0, expires: true });
    scenario.nodes.push(Node { title: "Other lock".into(), kind: lock });
    let mut acquire = scenario.programs[0].steps[0].clone();
    acquire.operation =
        Operation::Call { server: 3, request: Request::Acquire { ttl_us: 3_000_000, token: 0, blocking: true } };
    scenario.programs[0].steps.insert(1, acquire);
    // Both leases have token 33. The first ends, and the check of it says so.
    let schedule = "step:0 step:0 expire:1 step:0".parse().expect("a schedule");
    let run = run_replay(&scenario, &schedule).expect("a possible schedule");
    let held: Vec<_> =
        beliefs(&scenario, &run).iter().map(|belief| (belief.lock, belief.token, belief.false_from)).collect();
    assert_eq!(held, [(1, 33, Some(6)), (3, 33, None)]);
    assert_eq!(beliefs(&scenario, &run)[1].ends, Some(run.events.len() as EventIndex - 1), "the client has given up");
}

/// Client A alone, whose calls have a deadline of a second.
fn alone(guard: Guard) -> Scenario {
    let mut scenario = impatient(guarded(stale_overwrite(), guard), 1_000_000);
    scenario.programs.push(scenario.programs[0].clone());
    scenario.programs[1].steps.clear();
    if let NodeKind::Client(client) = &mut scenario.nodes[1].kind {
        client.program = 1;
    }
    scenario
}

#[test]
fn a_write_that_is_sent_again_without_a_comparison_is_done_twice() {
    check(
        &alone(Guard::LastWriteWins),
        "loss A 2 reply",
        &expect![[r#"
        OutcomeUnknown (no harm)
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
            #9 1.8 A lost message begins (#8)
            #10 1.925 Storage lost the reply to A (#9)
            #11 2.55 A learned nothing in time token 33 (#10)
        EffectTwice (harm)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
            #9 1.8 A lost message begins (#8)
            #12 2.7 A sent write token 33 to Storage, there at 2.95 (#11)
            #13 2.95 Storage accepted A v9 over v8 (read v7) token 33 (#12)
        tried: MessageLost
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
            #9 1.8 A lost message begins (#8)
            #10 1.925 Storage lost the reply to A (#9)
        tried: WriteUnanswered
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
            #9 1.8 A lost message begins (#8)
            #10 1.925 Storage lost the reply to A (#9)
        tried: WriteUnanswered
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
            #9 1.8 A lost message begins (#8)
            #10 1.925 Storage lost the reply to A (#9)
            #11 2.55 A learned nothing in time token 33 (#10)
        tried: EffectTwiceTried
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
            #9 1.8 A lost message begins (#8)
            #12 2.7 A sent write token 33 to Storage, there at 2.95 (#11)
            #13 2.95 Storage accepted A v9 over v8 (read v7) token 33 (#12)
        tried: BeliefOutlivedLease
            #9 1.8 A lost message begins (#8)
            #15 3.4 Lock ended the lease of A token 33 (#1)
    "#]],
    );
}

#[test]
fn a_fence_that_takes_equal_tokens_does_not_notice_a_second_time() {
    check(
        &alone(Guard::FenceAtMost),
        "duplicate A 2 by 0.1 s",
        &expect![[r#"
        EffectTwice (harm)
            #8 1.55 A doubled message begins (#7)
            #9 1.55 A doubled the request to Storage, there at 1.9 (#8)
            #10 1.8 Storage accepted A v8 over v7 (read v7) token 33: 33 > 32 (#7)
            #11 1.9 Storage accepted A v9 over v8 (read v7) token 33: 33 = 33 (#9)
        tried: EffectTwiceTried
            #8 1.55 A doubled message begins (#7)
            #9 1.55 A doubled the request to Storage, there at 1.9 (#8)
            #10 1.8 Storage accepted A v8 over v7 (read v7) token 33: 33 > 32 (#7)
            #11 1.9 Storage accepted A v9 over v8 (read v7) token 33: 33 = 33 (#9)
    "#]],
    );
}

#[test]
fn a_fence_that_takes_higher_tokens_only_refuses_the_second_time() {
    check(
        &alone(Guard::FenceBelow),
        "duplicate A 2 by 0.1 s",
        &expect![[r#"
        tried: EffectTwiceTried
            #8 1.55 A doubled message begins (#7)
            #9 1.55 A doubled the request to Storage, there at 1.9 (#8)
            #10 1.8 Storage accepted A v8 over v7 (read v7) token 33: 33 > 32 (#7)
            #11 1.9 Storage refused A (read v7) token 33: 33 = 33 (#9)
    "#]],
    );
}

#[test]
fn a_compared_version_refuses_the_second_time_whose_sender_never_learns_of_the_first() {
    check(
        &alone(Guard::VersionCompareAndSet),
        "loss A 2 reply",
        &expect![[r#"
        OutcomeUnknown (no harm)
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33: 7 = 7 (#7)
            #9 1.8 A lost message begins (#8)
            #10 1.925 Storage lost the reply to A (#9)
            #11 2.55 A learned nothing in time token 33 (#10)
        tried: MessageLost
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33: 7 = 7 (#7)
            #9 1.8 A lost message begins (#8)
            #10 1.925 Storage lost the reply to A (#9)
        tried: WriteUnanswered
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33: 7 = 7 (#7)
            #9 1.8 A lost message begins (#8)
            #10 1.925 Storage lost the reply to A (#9)
        tried: WriteUnanswered
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33: 7 = 7 (#7)
            #9 1.8 A lost message begins (#8)
            #10 1.925 Storage lost the reply to A (#9)
            #11 2.55 A learned nothing in time token 33 (#10)
        tried: EffectTwiceTried
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33: 7 = 7 (#7)
            #9 1.8 A lost message begins (#8)
            #12 2.7 A sent write token 33 to Storage, there at 2.95 (#11)
            #13 2.95 Storage refused A (read v7) token 33: 7 ≠ 8 (#12)
        tried: BeliefOutlivedLease
            #9 1.8 A lost message begins (#8)
            #15 3.4 Lock ended the lease of A token 33 (#1)
    "#]],
    );
}

#[test]
fn a_write_that_never_arrived_and_is_sent_again_is_done_once() {
    check(
        &alone(Guard::LastWriteWins),
        "loss A 2 request",
        &expect![[r#"
        OutcomeUnknown (no harm)
            #7 1.55 A sent write token 33 to Storage (#6)
            #8 1.55 A lost message begins (#7)
            #9 1.675 A lost the request to Storage (#8)
            #10 2.55 A learned nothing in time token 33 (#9)
        tried: MessageLost
            #7 1.55 A sent write token 33 to Storage (#6)
            #8 1.55 A lost message begins (#7)
            #9 1.675 A lost the request to Storage (#8)
        tried: WriteUnanswered
            #7 1.55 A sent write token 33 to Storage (#6)
            #8 1.55 A lost message begins (#7)
            #9 1.675 A lost the request to Storage (#8)
        tried: WriteUnanswered
            #7 1.55 A sent write token 33 to Storage (#6)
            #8 1.55 A lost message begins (#7)
            #9 1.675 A lost the request to Storage (#8)
            #10 2.55 A learned nothing in time token 33 (#9)
        tried: BeliefOutlivedLease
            #8 1.55 A lost message begins (#7)
            #14 3.4 Lock ended the lease of A token 33 (#1)
    "#]],
    );
}

#[test]
fn who_waits_for_ever_is_not_blamed_on_a_copy_that_is_served_later() {
    let scenario = Scenario { granularity: Granularity::SendServeDeliver, ..reference(1) };
    let call = "step:0 serve:0 deliver:0";
    check_schedule(
        &scenario,
        &format!("{call} {call} {call} step:0 step:0 duplicate:0 lose:0 serve-stray:0"),
        &expect![[r#"
            NoProgress (harm)
                #10 0.000011 A sent write token 33 to Storage (#9)
                #12 0.000013 A lost the request to Storage (#10)
            tried: MessageLost
                #10 0.000011 A sent write token 33 to Storage (#9)
                #12 0.000013 A lost the request to Storage (#10)
            tried: WriteUnanswered
                #10 0.000011 A sent write token 33 to Storage (#9)
                #12 0.000013 A lost the request to Storage (#10)
        "#]],
    );
}

#[test]
fn a_client_without_a_deadline_waits_for_ever_for_what_is_lost() {
    check(
        &stale_overwrite(),
        "loss A 1 request",
        &expect![[r#"
        NoProgress (harm)
            #3 0.75 A sent read to Storage (#2)
            #4 0.75 A lost message begins (#3)
            #5 0.875 A lost the request to Storage (#4)
        OverlapOfBelief (no harm)
            #2 0.6 A learned granted token 33 (#1)
            #6 3.4 Lock ended the lease of A token 33 (#1)
            #9 3.95 B learned granted token 34 (#8)
        tried: MessageLost
            #3 0.75 A sent read to Storage (#2)
            #4 0.75 A lost message begins (#3)
            #5 0.875 A lost the request to Storage (#4)
        tried: BeliefOutlivedLease
            #6 3.4 Lock ended the lease of A token 33 (#1)
    "#]],
    );
}

#[test]
fn a_client_that_begins_anew_does_not_send_the_same_write_again() {
    check(
        &alone(Guard::LastWriteWins),
        "crash A 1.9 s for 3 s",
        &expect![[r#"
        OutcomeUnknown (no harm)
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
            #9 1.9 A crash begins
            #10 1.9 A crashed, without memory (#9)
        tried: WriteUnanswered
            #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
            #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
            #9 1.9 A crash begins
            #10 1.9 A crashed, without memory (#9)
    "#]],
    );
}

#[test]
fn a_client_that_does_its_step_again_does() {
    check(
        &alone(Guard::LastWriteWins),
        "crash A 1.9 s for 1 s with-memory",
        &expect![[r#"
            OutcomeUnknown (no harm)
                #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
                #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
                #9 1.9 A crash begins
                #10 1.9 A crashed, with memory (#9)
            EffectTwice (harm)
                #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
                #9 1.9 A crash begins
                #13 3.05 A sent write token 33 to Storage, there at 3.3 (#12)
                #14 3.3 Storage accepted A v9 over v8 (read v7) token 33 (#13)
            tried: WriteUnanswered
                #7 1.55 A sent write token 33 to Storage, there at 1.8 (#6)
                #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
                #9 1.9 A crash begins
                #10 1.9 A crashed, with memory (#9)
            tried: EffectTwiceTried
                #8 1.8 Storage accepted A v8 over v7 (read v7) token 33 (#7)
                #9 1.9 A crash begins
                #13 3.05 A sent write token 33 to Storage, there at 3.3 (#12)
                #14 3.3 Storage accepted A v9 over v8 (read v7) token 33 (#13)
            tried: BeliefOutlivedLease
                #9 1.9 A crash begins
                #15 3.4 Lock ended the lease of A token 33 (#1)
        "#]],
    );
}

#[test]
fn a_restored_lock_grants_a_token_again() {
    check(
        &stale_overwrite(),
        "restore lock 3 s taken 0.3 s",
        &expect![[r#"
        TokenRegression (harm)
            #2 0.4 Lock granted A token 33 for 3 (#0)
            #13 3 Lock restore begins
            #14 3 Lock restored: free, next token 33 (#13)
            #18 3.75 Lock granted B token 33 for 3 (#17)
        tried: CounterSetBack
            #2 0.4 Lock granted A token 33 for 3 (#0)
            #13 3 Lock restore begins
            #14 3 Lock restored: free, next token 33 (#13)
    "#]],
    );
}

#[test]
fn a_counter_that_goes_back_after_the_last_grant_harms_nobody() {
    check(
        &stale_overwrite(),
        "forget lock 7 s",
        &expect![[r#"
        tried: CounterSetBack
            #15 3.75 Lock granted B token 34 for 3 (#14)
            #28 7 Lock state loss begins
            #29 7 Lock forgot everything, next token 33 (#28)
    "#]],
    );
}

#[test]
fn a_broken_lease_ends_a_belief_that_goes_on_and_is_blamed_on_the_operator() {
    check(
        &guarded(stale_overwrite(), Guard::FenceAtMost),
        "delay A 2 request by 4 s\nunlock lock 2 s",
        &expect![[r#"
            OverlapOfBelief (no harm)
                #2 0.6 A learned granted token 33 (#1)
                #9 2 Lock forced unlock begins
                #10 2 Lock lost the lease of A token 33 (#9)
                #13 3.95 B learned granted token 34 (#12)
            tried: BeliefOutlivedLease
                #9 2 Lock forced unlock begins
                #10 2 Lock lost the lease of A token 33 (#9)
            tried: StaleWriteTried
                #8 1.55 A late message begins (#7)
                #9 2 Lock forced unlock begins
                #10 2 Lock lost the lease of A token 33 (#9)
                #12 3.75 Lock granted B token 34 for 3 (#11)
                #19 5.15 Storage accepted B v8 over v7 (read v7) token 34: 34 > 32 (#18)
                #21 5.8 Storage refused A (read v7) token 33: 33 < 34 (#8)
            tried: OutdatedWriteTried
                #4 1 Storage read by A v7 = 0 (#3)
                #8 1.55 A late message begins (#7)
                #9 2 Lock forced unlock begins
                #19 5.15 Storage accepted B v8 over v7 (read v7) token 34: 34 > 32 (#18)
                #21 5.8 Storage refused A (read v7) token 33: 33 < 34 (#8)
        "#]],
    );
}

#[test]
fn without_time_a_trouble_stands_for_itself() {
    let scenario = reference(2);
    check_schedule(
        &scenario,
        "step:0 crash:2 restart:2 step:1 step:0",
        &expect![[r#"
        TokenRegression (harm)
            #1 0.000001 Lock granted A token 33 for 3 (#0)
            #3 0.000002 Lock crashed, without memory
            #6 0.000004 Lock granted B token 33 for 3 (#5)
        OverlapOfBelief (no harm)
            #2 0.000001 A learned granted token 33 (#1)
            #3 0.000002 Lock crashed, without memory
            #7 0.000004 B learned granted token 33 (#6)
        tried: BeliefOutlivedLease
            #3 0.000002 Lock crashed, without memory
        tried: CounterSetBack
            #1 0.000001 Lock granted A token 33 for 3 (#0)
            #3 0.000002 Lock crashed, without memory
    "#]],
    );
}

#[test]
fn a_request_to_a_lock_that_is_down_is_blamed_on_its_crash() {
    check(
        &stale_overwrite(),
        "crash lock 2 s for 1 s with-memory",
        &expect![[r#"
        NoProgress (harm)
            #9 2 Lock crash begins
            #12 2.75 A sent release token 33 to Lock, there at 2.95 (#11)
            #13 2.95 A lost the request to Lock (#10)
        tried: MessageLost
            #9 2 Lock crash begins
            #12 2.75 A sent release token 33 to Lock, there at 2.95 (#11)
            #13 2.95 A lost the request to Lock (#10)
    "#]],
    );
}

#[test]
fn a_reply_that_a_partition_loses_is_blamed_on_the_partition() {
    check(
        &stale_overwrite(),
        "partition A storage 0.8 s for 0.5 s",
        &expect![[r#"
        NoProgress (harm)
            #3 0.75 A sent read to Storage, there at 1 (#2)
            #4 0.8 A partition begins
            #6 1.125 Storage lost the reply to A (#4)
        OverlapOfBelief (no harm)
            #2 0.6 A learned granted token 33 (#1)
            #8 3.4 Lock ended the lease of A token 33 (#1)
            #11 3.95 B learned granted token 34 (#10)
        tried: MessageLost
            #3 0.75 A sent read to Storage, there at 1 (#2)
            #4 0.8 A partition begins
            #6 1.125 Storage lost the reply to A (#4)
        tried: BeliefOutlivedLease
            #8 3.4 Lock ended the lease of A token 33 (#1)
    "#]],
    );
}

#[test]
fn a_client_that_is_told_in_time_gives_up() {
    check_schedule(
        &reference(2),
        "step:0 expire:2 step:0",
        &expect![[r#"
        tried: BeliefOutlivedLease
            #3 0.000002 Lock ended the lease of A token 33 (#1)
        tried: GaveUp
            #3 0.000002 Lock ended the lease of A token 33 (#1)
            #6 0.000003 A learned lost token 33 (#5)
            #7 0.000003 A stopped (#6)
    "#]],
    );
}
