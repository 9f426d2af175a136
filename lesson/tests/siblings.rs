//! Two who write what they have computed from the same value: side by side nothing is lost,
//! and where the last write wins, one is.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod judged;
mod written;

use std::ops::ControlFlow;

use expect_test::{Expect, expect};
use judged::check;
use racescope_engine::explore::{Bounds, Mark, Question, explore};

/// Two clients that read and write the same key of such a bucket.
fn bucket(variant: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "update" }}
B = {{ client = "update", starts = "0.01 s" }}
riak = {{ system = "riak", variant = "{variant}", keys = ["k"], at_start = ["PUT k x"], keeps = "data", latency = "0.05 s", title = "Riak" }}
[programs]
update = [
  {{ step = "ask", server = "riak", say = "GET k", means = "read", answers = [{{ reply = "200 * context $context" }}, {{ reply = "300 * context $context" }}] }},
  {{ step = "ask", server = "riak", say = "PUT k $me $context", means = "write", answers = [{{ reply = "204", is = "accepted" }}] }},
]
"#
    )
}

#[test]
fn siblings_lose_nothing() {
    check(
        &bucket("siblings"),
        &expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn the_last_write_loses_the_one_before() {
    check(
        &bucket("last-write-wins"),
        &expect![[r#"
        lost-update
            60 ms Riak Read { version: 1, value: 0 } `200 x context 1`
            150 ms Riak Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `204`
            160 ms Riak Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `204`
        tried: outdated-write-tried
            60 ms Riak Read { version: 1, value: 0 } `200 x context 1`
            150 ms Riak Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `204`
            160 ms Riak Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `204`
    "#]],
    );
}

/// How many of all schedules lose an update.
#[track_caller]
fn counted(variant: &str, expect: &Expect) {
    let lesson = written::lesson(&bucket(variant));
    let question = Question { marks: vec![Mark::LostUpdate], ..Question::of_harm(Bounds::NONE) };
    let found = explore(&lesson.variants[0].scenario, &question, &mut |_| ControlFlow::Continue(()));
    assert_eq!(found.stopped, None);
    let lost = found.showing(Mark::LostUpdate).decimal();
    expect.assert_eq(&format!("{lost} of {} lose an update", found.schedules().decimal()));
}

#[test]
fn of_all_schedules_none_with_siblings_loses_anything() {
    counted("siblings", &expect!["0 of 924 lose an update"]);
    counted("last-write-wins", &expect!["850 of 924 lose an update"]);
}
