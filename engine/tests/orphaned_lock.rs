//! Locks that are held by clients which don't know it, as the judge sees them.

mod common;

use common::{faults, line};
use expect_test::{Expect, expect};
use racescope_engine::check::{Property, Witness, judge};
use racescope_engine::sim::example::{impatient, stale_overwrite};
use racescope_engine::sim::{EventIndex, NodeKind, Outcome, Scenario, Target, run_timed};

/// B asks once, after so many seconds, and gives up if the lock is taken; leases end
/// or they don't.
fn one_try(expires: bool, seconds: u64) -> Scenario {
    let mut scenario = impatient(stale_overwrite(), 1_000_000);
    for branch in scenario.programs[0].steps.iter_mut().flat_map(|step| &mut step.branches) {
        if branch.outcome == Outcome::Busy {
            branch.target = Target::Stop;
        }
    }
    for node in &mut scenario.nodes {
        match &mut node.kind {
            NodeKind::Lock(lock) => lock.expires = expires,
            NodeKind::Client(client) if client.letter == 'B' => client.starts_us = seconds * 1_000_000,
            _ => {}
        }
    }
    scenario
}

fn check(scenario: &Scenario, faults_text: &str, expect: &Expect) {
    let run = run_timed(scenario, &faults(faults_text));
    let verdict = judge(scenario, &run);
    let chain = |blame: &[EventIndex]| -> String {
        blame.iter().map(|&index| "    ".to_string() + &line(scenario, &run, index)).collect()
    };
    let found = verdict.findings.iter().filter(|finding| finding.property == Property::OrphanedLock);
    let seen = verdict.sightings.iter().filter(|sighting| sighting.witness == Witness::RefusedByOrphan);
    let found = found.map(|finding| format!("for ever\n{}", chain(&finding.blame)));
    let text: String = found.chain(seen.map(|seen| format!("refused\n{}", chain(&seen.blame)))).collect();
    expect.assert_eq(&text);
}

#[test]
fn a_lock_that_is_given_back_is_nobodys() {
    check(&one_try(false, 2), "", &expect![[""]]);
}

#[test]
fn a_lock_whose_grant_was_not_heard_refuses_for_ever() {
    check(
        &one_try(false, 2),
        "loss A 0 reply",
        &expect![[r#"
        for ever
            #1 0.4 Lock granted A token 33 for 0 (#0)
            #2 0.4 A lost message begins (#1)
            #4 1.2 A learned nothing in time (#3)
            #7 2.25 Lock told B busy, A holds token 33 (#6)
        refused
            #1 0.4 Lock granted A token 33 for 0 (#0)
            #2 0.4 A lost message begins (#1)
            #4 1.2 A learned nothing in time (#3)
            #7 2.25 Lock told B busy, A holds token 33 (#6)
    "#]],
    );
}

#[test]
fn a_lease_whose_grant_was_not_heard_refuses_until_it_ends() {
    check(
        &one_try(true, 2),
        "loss A 0 reply",
        &expect![[r#"
        refused
            #1 0.4 Lock granted A token 33 for 3 (#0)
            #2 0.4 A lost message begins (#1)
            #4 1.2 A learned nothing in time (#3)
            #7 2.25 Lock told B busy, A holds token 33 (#6)
    "#]],
    );
}

#[test]
fn a_grant_that_comes_after_its_client_has_gone_is_not_heard_either() {
    check(
        &one_try(false, 2),
        "delay A 0 request by 1.2 s",
        &expect![[r#"
        for ever
            #1 0.2 A late message begins (#0)
            #4 1.6 Lock granted A token 33 for 0 (#1)
            #6 2.25 Lock told B busy, A holds token 33 (#5)
        refused
            #1 0.2 A late message begins (#0)
            #4 1.6 Lock granted A token 33 for 0 (#1)
            #6 2.25 Lock told B busy, A holds token 33 (#5)
    "#]],
    );
}

#[test]
fn a_lock_of_a_client_that_forgot_it_refuses_that_client_too() {
    check(
        &one_try(false, 9),
        "crash A 0.7 s for 0.5 s",
        &expect![[r#"
        for ever
            #1 0.4 Lock granted A token 33 for 0 (#0)
            #3 0.7 A crash begins
            #4 0.7 A crashed, without memory (#3)
            #8 1.45 Lock told A busy, A holds token 33 (#7)
        refused
            #1 0.4 Lock granted A token 33 for 0 (#0)
            #3 0.7 A crash begins
            #4 0.7 A crashed, without memory (#3)
            #8 1.45 Lock told A busy, A holds token 33 (#7)
    "#]],
    );
}

#[test]
fn a_lock_that_is_late_to_be_given_back_refuses_but_not_for_ever() {
    check(
        &one_try(false, 4),
        "delay A 3 request by 1.5 s",
        &expect![[r#"
        refused
            #1 0.4 Lock granted A token 33 for 0 (#0)
            #11 2.75 A late message begins (#10)
            #12 3.75 A learned nothing in time token 33 (#11)
            #15 4.25 Lock told B busy, A holds token 33 (#14)
    "#]],
    );
}

#[test]
fn a_lock_that_its_holder_knows_of_refuses_rightly() {
    check(&one_try(false, 1), "", &expect![[""]]);
}
