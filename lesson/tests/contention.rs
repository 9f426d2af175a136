//! Waits before another try: how long they are, how many there are, and that a search
//! knows their bound.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod searched;

use std::ops::ControlFlow;

use expect_test::{Expect, expect};
use racescope_engine::explore::{Bounds, Mark, Question, explore};
use racescope_engine::sim::{Change, Outcome, Scenario, run_timed};
use racescope_lesson::author::write_duration;

/// Clients that all change one row by compare-and-set, and try again by such a rule.
fn crowd(clients: u8, backoff: &str) -> Scenario {
    let text = format!(
        r#"
granularity = "call"
[nodes.worker]
client = "add"
count = {clients}
[nodes.row]
title = "Row"
storage = "versioned-register"
guard = "version-compare-and-set"
first_version = 1
first_value = 0
latency = "50 ms"
[[programs.add]]
label = "again"
step = "read"
storage = "row"
[[programs.add]]
step = "write"
after = "10 ms"
storage = "row"
on_accepted = "end"
on_refused = "next"
[[programs.add]]
step = "backoff"
{backoff}
on_done = "again"
on_exhausted = "stop"
"#
    );
    searched::scenario(&text)
}

/// How long each client waits, in order, and how many writes are refused.
fn check(clients: u8, backoff: &str, expect: &Expect) {
    let scenario = crowd(clients, backoff);
    let run = run_timed(&scenario, &[]);
    let mut lines = String::new();
    for client in scenario.clients() {
        let mut since_us = 0;
        let mut waits = Vec::new();
        for (_, event, change) in run.changes().filter(|(_, event, _)| event.actor == client) {
            match change {
                Change::Waited => waits.push(write_duration(event.at_us - since_us)),
                Change::Learned { outcome: Outcome::Exhausted, .. } => waits.push("no try left".to_string()),
                _ => {}
            }
            since_us = event.at_us;
        }
        lines += &format!("{}: {}\n", scenario.nodes[usize::from(client)].title, waits.join(", "));
    }
    let refused = run.changes().filter(|(.., change)| matches!(change, Change::Refused { .. })).count();
    expect.assert_eq(&format!("{lines}{refused} refused\n"));
}

#[test]
fn the_rules_wait_as_long_as_they_say() {
    check(
        5,
        "kind = \"immediate\"\nattempts = 9",
        &expect![[r#"
        Client A: 
        Client B: 0 s
        Client C: 0 s, 0 s
        Client D: 0 s, 0 s, 0 s
        Client E: 0 s, 0 s, 0 s, 0 s
        10 refused
    "#]],
    );
    check(
        5,
        "kind = \"exponential\"\nbase = \"100 ms\"\ncap = \"300 ms\"\nattempts = 9",
        &expect![[r#"
        Client A: 
        Client B: 100 ms
        Client C: 100 ms, 200 ms
        Client D: 100 ms, 200 ms, 300 ms
        Client E: 100 ms, 200 ms, 300 ms, 300 ms
        10 refused
    "#]],
    );
    check(
        5,
        "kind = \"full-jitter\"\nattempts = 9\nseed = 3",
        &expect![[r#"
        Client A: 
        Client B: 33.261 ms
        Client C: 78.344 ms
        Client D: 96.49 ms, 123.613 ms
        Client E: 93.294 ms
        5 refused
    "#]],
    );
    check(
        5,
        "kind = \"equal-jitter\"\nattempts = 9\nseed = 3",
        &expect![[r#"
        Client A: 
        Client B: 66.63 ms
        Client C: 89.172 ms
        Client D: 98.245 ms, 161.806 ms
        Client E: 96.647 ms, 177.895 ms
        6 refused
    "#]],
    );
    check(
        5,
        "kind = \"decorrelated-jitter\"\ncap = \"400 ms\"\nattempts = 9\nseed = 3",
        &expect![[r#"
        Client A: 
        Client B: 166.523 ms
        Client C: 256.689 ms
        Client D: 292.98 ms, 400 ms
        Client E: 286.588 ms
        5 refused
    "#]],
    );
}

#[test]
fn after_the_last_try_a_client_gives_up() {
    check(
        4,
        "kind = \"exponential\"\nattempts = 2",
        &expect![[r#"
        Client A: 
        Client B: 100 ms
        Client C: 100 ms, no try left
        Client D: 100 ms, no try left
        5 refused
    "#]],
    );
}

#[test]
fn equal_seeds_draw_equal_waits_and_others_draw_others() {
    let jitter = |seed: u16| run_timed(&crowd(3, &format!("kind = \"full-jitter\"\nattempts = 9\nseed = {seed}")), &[]);
    assert_eq!(jitter(1), jitter(1));
    assert_ne!(jitter(1).events, jitter(2).events);
}

#[test]
fn a_search_comes_to_an_end_by_the_bound_of_tries() {
    let found = |attempts: u8| {
        let scenario = crowd(3, &format!("kind = \"full-jitter\"\nattempts = {attempts}"));
        let marks = vec![Mark::GaveUp, Mark::LostUpdate];
        let question = Question { marks, ..Question::of_harm(Bounds::NONE) };
        let found = explore(&scenario, &question, &mut |_| ControlFlow::Continue(()));
        assert_eq!(found.stopped, None);
        let showing = |mark| found.showing(mark).decimal();
        format!(
            "{} of {} give up, {} lose",
            showing(Mark::GaveUp),
            found.schedules().decimal(),
            showing(Mark::LostUpdate)
        )
    };
    expect![[r#"
        192 of 198 give up, 0 lose
        768 of 1458 give up, 0 lose
        0 of 1458 give up, 0 lose"#]]
    .assert_eq(&[found(1), found(2), found(3)].join("\n"));
}
