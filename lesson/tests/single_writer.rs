//! A queue with one worker as the only writer: what it saves from a pause, and what takes
//! that away again.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod judged;
mod written;

use std::ops::ControlFlow;

use expect_test::{Expect, expect};
use judged::check;
use racescope_engine::explore::{Bounds, Mark, Question, explore};

/// A program that takes one more out of the stock, after this step and before that one.
fn takes_one(before: &str, then: &str) -> String {
    format!(
        r#"{before}
  {{ step = "ask", server = "redis", say = "GET stock", means = "read", answers = [{{ reply = "$stock" }}] }},
  {{ step = "ask", server = "redis", say = "SET stock $stock+1", means = "write", answers = [{{ reply = "+OK", is = "accepted", then = "{then}" }}] }},
"#
    )
}

const REDIS: &str = r#"redis = { system = "redis", keys = ["stock"], at_start = ["SET stock 9"], keeps = "data", latency = "0.05 s", title = "Redis" }"#;

/// Two clients that write themselves, and this fault.
fn themselves(fault: &str) -> String {
    format!(
        r#"{fault}
[nodes]
A = {{ client = "work" }}
B = {{ client = "work", starts = "1 s" }}
{REDIS}
[programs]
work = [{}]
"#,
        takes_one("", "end")
    )
}

/// The same with a queue between them and so many workers, who take out what to write.
fn by_workers(workers: u8, fault: &str) -> String {
    let next = r#"
  { label = "take", step = "ask", server = "queue", say = "BLPOP jobs 9", answers = [{ reply = "[jobs, *]" }, { reply = "nil", then = "end" }] },"#;
    let names = ["W", "X"].iter().take(workers.into());
    let workers: Vec<String> = names.map(|name| format!("{name} = {{ client = \"write\" }}")).collect();
    let workers = workers.join("\n");
    format!(
        r#"{fault}
[nodes]
A = {{ client = "hand-over" }}
B = {{ client = "hand-over", starts = "1 s" }}
{workers}
queue = {{ system = "redis-list", keys = ["jobs"], latency = "0.05 s", title = "Queue" }}
{REDIS}
[programs]
hand-over = [{{ step = "ask", server = "queue", say = "RPUSH jobs $me", answers = [{{ reply = "$length" }}] }}]
write = [{}]
"#,
        takes_one(next, "take")
    )
}

fn pause(client: &str, at: &str) -> String {
    format!("[[faults]]\npause = \"{client}\"\nat = \"{at}\"\nlasts = \"3 s\"\n")
}

#[test]
fn who_writes_itself_overwrites_what_came_during_its_pause() {
    check(
        &themselves(""),
        &expect![[r#"
        nothing
    "#]],
    );
    check(
        &themselves(&pause("A", "70 ms")),
        &expect![[r#"
        lost-update
            50 ms Redis Read { version: 1, value: 0 } `9`
            70 ms A trouble begins
            1.15 s Redis Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `+OK`
            3.12 s Redis Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `+OK`
        tried: outdated-write-tried
            50 ms Redis Read { version: 1, value: 0 } `9`
            70 ms A trouble begins
            1.15 s Redis Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `+OK`
            3.12 s Redis Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `+OK`
    "#]],
    );
}

#[test]
fn through_one_worker_nobodys_pause_loses_anything() {
    check(
        &by_workers(1, &pause("A", "20 ms")),
        &expect![[r#"
        tried: kept-waiting
            300 ms W Sent { server: 3, request: Command { step: 0, meaning: Nothing }, token: 0 } `BLPOP jobs 9`
            350 ms Queue Waits
        tried: kept-waiting
            1.3 s W Sent { server: 3, request: Command { step: 0, meaning: Nothing }, token: 0 } `BLPOP jobs 9`
            1.35 s Queue Waits
    "#]],
    );
    check(
        &by_workers(1, &pause("W", "170 ms")),
        &expect![[r#"
        tried: kept-waiting
            170 ms W trouble begins
            3.57 s W Sent { server: 3, request: Command { step: 0, meaning: Nothing }, token: 0 } `BLPOP jobs 9`
            3.62 s Queue Waits
    "#]],
    );
}

#[test]
fn two_workers_are_two_writers() {
    check(
        &by_workers(2, &pause("W", "170 ms")),
        &expect![[r#"
        lost-update
            150 ms Redis Read { version: 1, value: 0 } `9`
            170 ms W trouble begins
            1.25 s Redis Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `+OK`
            3.22 s Redis Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `+OK`
        tried: kept-waiting
            0 s X Sent { server: 4, request: Command { step: 0, meaning: Nothing }, token: 0 } `BLPOP jobs 9`
            50 ms Queue Waits
        tried: kept-waiting
            1.3 s X Sent { server: 4, request: Command { step: 0, meaning: Nothing }, token: 0 } `BLPOP jobs 9`
            1.35 s Queue Waits
        tried: outdated-write-tried
            150 ms Redis Read { version: 1, value: 0 } `9`
            170 ms W trouble begins
            1.25 s Redis Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `+OK`
            3.22 s Redis Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `+OK`
        tried: kept-waiting
            170 ms W trouble begins
            3.27 s W Sent { server: 4, request: Command { step: 0, meaning: Nothing }, token: 0 } `BLPOP jobs 9`
            3.32 s Queue Waits
    "#]],
    );
}

/// How many of all schedules lose an update.
#[track_caller]
fn counted(toml: &str, expect: &Expect) {
    let lesson = written::lesson(toml);
    let question = Question { marks: vec![Mark::LostUpdate], ..Question::of_harm(Bounds::NONE) };
    let found = explore(&lesson.variants[0].scenario, &question, &mut |_| ControlFlow::Continue(()));
    assert_eq!(found.stopped, None);
    let lost = found.showing(Mark::LostUpdate).decimal();
    expect.assert_eq(&format!("{lost} of {} lose an update", found.schedules().decimal()));
}

#[test]
fn of_all_schedules_those_with_one_worker_lose_nothing() {
    counted(&themselves(""), &expect!["850 of 924 lose an update"]);
    counted(&by_workers(1, ""), &expect!["0 of 407264 lose an update"]);
    counted(&by_workers(2, ""), &expect!["389984850864 of 514708444272 lose an update"]);
}
