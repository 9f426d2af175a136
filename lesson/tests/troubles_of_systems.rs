//! What troubles do to real systems in a run, each scenario written as a lesson's TOML.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod written;

use expect_test::{Expect, expect};
use racescope_engine::check::judge;
use racescope_engine::sim::{Event, Scenario, Trace, What, run_replay, run_timed_with_schedule};
use racescope_lesson::author::write_duration;
use racescope_lesson::names::{danger_name, property_name};
use written::{lesson, try_lesson};

/// Runs a lesson, given as nodes, programs and faults, and writes down each event, with
/// the place of its cause, and what the judges find. The untimed rules repeat the run.
fn check(toml: &str, expect: &Expect) {
    let lesson = lesson(toml);
    let scenario = &lesson.variants[0].scenario;
    let (run, schedule) = run_timed_with_schedule(scenario, &lesson.plain_faults());
    let again = run_replay(scenario, &schedule).expect("every action was possible");
    assert!(again.changes().map(|(.., change)| change).eq(run.changes().map(|(.., change)| change)));
    assert!(run.events.is_sorted_by_key(|event| event.at_us), "time goes on");
    expect.assert_eq(&(events(scenario, &run) + &verdict(scenario, &run)));
}

fn events(scenario: &Scenario, run: &Trace) -> String {
    let line = |(index, event): (usize, &Event)| {
        let title = &scenario.nodes[usize::from(event.actor)].title;
        let title = scenario.client(event.actor).map_or(title.clone(), |client| client.letter.to_string());
        let what = match event.what {
            What::Change(change) => format!("{change:?}"),
            What::FaultBegins(_) => "trouble begins".into(),
            What::FaultEnds(_) => "trouble ends".into(),
        };
        let said = run.said(event).map_or(String::new(), |said| format!(" `{said}`"));
        let cause = event.cause.map_or(String::new(), |cause| format!(" (#{cause})"));
        format!("#{index} {} {title} {what}{said}{cause}\n", write_duration(event.at_us))
    };
    run.events.iter().enumerate().map(line).collect()
}

fn verdict(scenario: &Scenario, run: &Trace) -> String {
    let verdict = judge(scenario, run);
    let found =
        verdict.findings.iter().map(|finding| format!("{} at #{}\n", property_name(finding.property), finding.event));
    let seen =
        verdict.sightings.iter().map(|seen| format!("tried: {} at #{}\n", danger_name(seen.witness), seen.event));
    found.chain(seen).collect()
}

/// A copy that is a second behind its source, to which nothing gets through until
/// 5.05 s.
fn lagging(more: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work" }}
redis = {{ system = "redis-pair", keys = ["x"], lag = "1 s", latency = "0.1 s", keeps = "data", title = "Redis" }}
copy = {{ part_of = "redis", title = "Copy", keeps = "data", copy_of = "redis", copy_ask = "replica GET x", source_ask = "GET x" }}
[programs]
work = [
  {{ step = "ask", server = "redis", say = "INCR x", means = "write", answers = [{{ reply = "*", is = "accepted" }}] }},
]
[[faults]]
replica_lag = "redis"
at = "50 ms"
lasts = "5 s"
{more}
"#
    )
}

#[test]
fn a_copy_catches_up_when_nothing_lags() {
    check(
        &lagging(""),
        &expect![[r#"
            #0 0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `INCR x`
            #1 50 ms Redis trouble begins
            #2 100 ms Redis Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `1` (#0)
            #3 200 ms A Learned { outcome: Accepted, server: 1, token: 0 } (#2)
            #4 200 ms A Finished (#3)
            #5 5.05 s Redis trouble ends (#1)
            #6 5.05 s Copy CaughtUp { version: 2 } (#5)
        "#]],
    );
}

#[test]
fn a_server_that_is_down_when_the_lag_ends_catches_up_when_it_starts_again() {
    check(
        &lagging("[[faults]]\ncrash = \"redis\"\nat = \"4 s\"\nlasts = \"4 s\"\nkeeps_memory = true"),
        &expect![[r#"
            #0 0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `INCR x`
            #1 50 ms Redis trouble begins
            #2 100 ms Redis Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `1` (#0)
            #3 200 ms A Learned { outcome: Accepted, server: 1, token: 0 } (#2)
            #4 200 ms A Finished (#3)
            #5 4 s Redis trouble begins
            #6 4 s Redis Crashed { keeps_memory: true } (#5)
            #7 5.05 s Redis trouble ends (#1)
            #8 8 s Redis trouble ends (#5)
            #9 8 s Redis Restarted (#8)
            #10 8 s Copy CaughtUp { version: 2 } (#9)
        "#]],
    );
}

#[test]
fn a_server_that_stands_still_when_the_lag_ends_catches_up_when_it_goes_on() {
    check(
        &lagging("[[faults]]\npause = \"redis\"\nat = \"4 s\"\nlasts = \"4 s\""),
        &expect![[r#"
            #0 0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `INCR x`
            #1 50 ms Redis trouble begins
            #2 100 ms Redis Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `1` (#0)
            #3 200 ms A Learned { outcome: Accepted, server: 1, token: 0 } (#2)
            #4 200 ms A Finished (#3)
            #5 4 s Redis trouble begins
            #6 5.05 s Redis trouble ends (#1)
            #7 8 s Redis trouble ends (#5)
            #8 8 s Copy CaughtUp { version: 2 } (#7)
        "#]],
    );
}

#[test]
fn a_copy_does_not_ask_the_wall_clock_when_it_is_there() {
    check(
        &lagging("[[faults]]\nclock_step = \"redis\"\nat = \"0.15 s\"\nby = \"-15 s\"\nlabel = \"NTP\""),
        &expect![[r#"
            #0 0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `INCR x`
            #1 50 ms Redis trouble begins
            #2 100 ms Redis Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `1` (#0)
            #3 150 ms Redis trouble begins
            #4 200 ms A Learned { outcome: Accepted, server: 1, token: 0 } (#2)
            #5 200 ms A Finished (#4)
            #6 5.05 s Redis trouble ends (#1)
            #7 5.05 s Copy CaughtUp { version: 2 } (#6)
        "#]],
    );
}

/// A client, with a thread of its own, takes a lock that is a part of a server.
fn parted(fault: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work", starts = "0.5 s" }}
thread = {{ client = "work", thread_of = "A", starts = "1 s", title = "Thread" }}
redis = {{ system = "redis", keys = ["lock"], latency = "0.1 s", title = "Redis" }}
lock = {{ part_of = "redis", title = "Lock", keeps = "lock", held_ask = "GET lock", held_reply = "$me" }}
[programs]
work = [
  {{ step = "ask", server = "lock", say = "SET lock $me NX PX 9000", means = "acquire", timeout = "1 s", on_timed_out = "stop",
    answers = [{{ reply = "+OK", is = "granted" }}, {{ reply = "nil", is = "busy", then = "stop" }}] }},
]
[[faults]]
partition = {fault}
at = "1 ms"
lasts = "10 s"
"#
    )
}

#[test]
fn a_cut_from_a_part_is_a_cut_from_its_server() {
    check(
        &parted("\"A\"\nfrom = \"lock\""),
        &expect![[r#"
        #0 1 ms A trouble begins
        #1 500 ms A Sent { server: 3, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 9000`
        #2 550 ms A Lost { leg: Request, server: 3 } (#0)
        #3 1 s T Sent { server: 3, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 9000`
        #4 1.05 s T Lost { leg: Request, server: 3 } (#0)
        #5 1.5 s A Learned { outcome: TimedOut, server: 3, token: 0 } (#2)
        #6 1.5 s A Stopped (#5)
        #7 2 s T Learned { outcome: TimedOut, server: 3, token: 0 } (#4)
        #8 2 s T Stopped (#7)
        #9 10.001 s A trouble ends (#0)
        tried: message-lost at #2
        tried: message-lost at #4
    "#]],
    );
}

#[test]
fn a_cut_from_a_thread_is_a_cut_from_its_process() {
    check(
        &parted("\"redis\"\nfrom = \"thread\""),
        &expect![[r#"
        #0 1 ms Redis trouble begins
        #1 500 ms A Sent { server: 3, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 9000`
        #2 550 ms A Lost { leg: Request, server: 3 } (#0)
        #3 1 s T Sent { server: 3, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 9000`
        #4 1.05 s T Lost { leg: Request, server: 3 } (#0)
        #5 1.5 s A Learned { outcome: TimedOut, server: 3, token: 0 } (#2)
        #6 1.5 s A Stopped (#5)
        #7 2 s T Learned { outcome: TimedOut, server: 3, token: 0 } (#4)
        #8 2 s T Stopped (#7)
        #9 10.001 s Redis trouble ends (#0)
        tried: message-lost at #2
        tried: message-lost at #4
    "#]],
    );
}

/// A lease of 10 s that is renewed at 7.3 s and set back at 8 s.
fn renewed(faults: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work" }}
lock = {{ lock = "redis-lease", first_token = 1, latency = "0.1 s", title = "Lock" }}
[programs]
work = [
  {{ step = "acquire", lock = "lock", ttl = "10 s", on_busy = "stop" }},
  {{ step = "renew", after = "7 s", lock = "lock", ttl = "10 s", on_lost = "stop" }},
  {{ step = "wait", for = "20 s" }},
]
{faults}
"#
    )
}

#[test]
fn a_lease_that_is_set_back_ends_on_the_date_that_it_had() {
    check(
        &renewed("[[faults]]\nrestore = \"lock\"\ntaken = \"1 s\"\nat = \"8 s\""),
        &expect![[r#"
        #0 0 s A Sent { server: 1, request: Acquire { ttl_us: 10000000, token: 0, blocking: false }, token: 0 }
        #1 100 ms Lock Granted { token: 1, ttl_us: 10000000 } (#0)
        #2 200 ms A Learned { outcome: Granted, server: 1, token: 1 } (#1)
        #3 1 s Lock Saved
        #4 7.2 s A Sent { server: 1, request: Renew { ttl_us: 10000000, token: 0 }, token: 1 } (#2)
        #5 7.3 s Lock Renewed { token: 1, ttl_us: 10000000 } (#4)
        #6 7.4 s A Learned { outcome: Held, server: 1, token: 1 } (#5)
        #7 8 s Lock trouble begins
        #8 10.1 s Lock Expired { client: 0, token: 1 } (#7)
        #9 27.4 s A Waited (#6)
        #10 27.4 s A Finished (#9)
        tried: belief-outlived-lease at #8
    "#]],
    );
}

#[test]
fn a_later_snapshot_takes_the_place_of_one_that_differs_only_by_its_dates() {
    let first = "[[faults]]\nrestore = \"lock\"\ntaken = \"1 s\"\nat = \"9 s\"\n";
    let second = "[[faults]]\nrestore = \"lock\"\ntaken = \"8 s\"\nat = \"9.5 s\"";
    check(
        &renewed(&format!("{first}{second}")),
        &expect![[r#"
        #0 0 s A Sent { server: 1, request: Acquire { ttl_us: 10000000, token: 0, blocking: false }, token: 0 }
        #1 100 ms Lock Granted { token: 1, ttl_us: 10000000 } (#0)
        #2 200 ms A Learned { outcome: Granted, server: 1, token: 1 } (#1)
        #3 1 s Lock Saved
        #4 7.2 s A Sent { server: 1, request: Renew { ttl_us: 10000000, token: 0 }, token: 1 } (#2)
        #5 7.3 s Lock Renewed { token: 1, ttl_us: 10000000 } (#4)
        #6 7.4 s A Learned { outcome: Held, server: 1, token: 1 } (#5)
        #7 9 s Lock trouble begins
        #8 9.5 s Lock trouble begins
        #9 17.3 s Lock Expired { client: 0, token: 1 } (#8)
        #10 27.4 s A Waited (#6)
        #11 27.4 s A Finished (#10)
        tried: belief-outlived-lease at #9
    "#]],
    );
}

/// W and B add one to a row; so does A, who has read it before B and writes after B.
/// The row is as it was before W's write when B comes.
fn set_back(row: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "slow" }}
B = {{ client = "work", starts = "2.5 s" }}
W = {{ client = "work", starts = "0.5 s" }}
{row}
[programs]
slow = [
  {{ step = "ask", after = "1 s", server = "row", say = "select granted from q where id=1", means = "read", answers = [{{ reply = "($v)" }}] }},
  {{ step = "ask", after = "3 s", server = "row", say = "update q set granted=$v+1 where id=1", means = "write", answers = [{{ reply = "UPDATE 1", is = "accepted" }}] }},
]
work = [
  {{ step = "ask", server = "row", say = "select granted from q where id=1", means = "read", answers = [{{ reply = "($v)" }}] }},
  {{ step = "ask", server = "row", say = "update q set granted=$v+1 where id=1", means = "write", answers = [{{ reply = "UPDATE 1", is = "accepted" }}] }},
]
[[faults]]
restore = "row"
taken = "0.1 s"
at = "2 s"
"#
    )
}

#[test]
fn an_update_is_lost_although_its_version_has_the_number_of_one_that_was_taken_back() {
    let row = r#"row = { system = "postgres", keeps = "data", latency = "0.1 s", title = "Row" }"#;
    check(
        &set_back(row),
        &expect![[r#"
            #0 100 ms Row Saved
            #1 500 ms W Sent { server: 3, request: Command { step: 0, meaning: Read }, token: 0 } `select granted from q where id=1`
            #2 600 ms Row Read { version: 1, value: 0 } `(0)` (#1)
            #3 700 ms W Learned { outcome: Done, server: 3, token: 0 } (#2)
            #4 700 ms W Sent { server: 3, request: Command { step: 1, meaning: Write }, token: 0 } `update q set granted=1 where id=1` (#3)
            #5 800 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1` (#4)
            #6 900 ms W Learned { outcome: Accepted, server: 3, token: 0 } (#5)
            #7 900 ms W Finished (#6)
            #8 1 s A Sent { server: 3, request: Command { step: 0, meaning: Read }, token: 0 } `select granted from q where id=1`
            #9 1.1 s Row Read { version: 2, value: 0 } `(1)` (#8)
            #10 1.2 s A Learned { outcome: Done, server: 3, token: 0 } (#9)
            #11 2 s Row trouble begins
            #12 2 s Row StorageRestored { version: 1, fence: 0 } (#11)
            #13 2.5 s B Sent { server: 3, request: Command { step: 0, meaning: Read }, token: 0 } `select granted from q where id=1`
            #14 2.6 s Row Read { version: 1, value: 0 } `(0)` (#13)
            #15 2.7 s B Learned { outcome: Done, server: 3, token: 0 } (#14)
            #16 2.7 s B Sent { server: 3, request: Command { step: 1, meaning: Write }, token: 0 } `update q set granted=1 where id=1` (#15)
            #17 2.8 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 3, comparison: None, conditional: false } `UPDATE 1` (#16)
            #18 2.9 s B Learned { outcome: Accepted, server: 3, token: 0 } (#17)
            #19 2.9 s B Finished (#18)
            #20 4.2 s A Sent { server: 3, request: Command { step: 1, meaning: Write }, token: 0 } `update q set granted=2 where id=1` (#10)
            #21 4.3 s Row Accepted { token: 0, based_on: 2, replaced: 3, version: 4, comparison: None, conditional: false } `UPDATE 1` (#20)
            #22 4.4 s A Learned { outcome: Accepted, server: 3, token: 0 } (#21)
            #23 4.4 s A Finished (#22)
            lost-update at #21
            tried: outdated-write-tried at #21
        "#]],
    );
}

#[test]
fn the_same_in_plain_storage() {
    check(
        r#"
[nodes]
A = { client = "slow" }
B = { client = "work", starts = "2.5 s" }
W = { client = "work", starts = "0.5 s" }
row = { storage = "versioned-register", guard = "version-compare-and-set", first_version = 1, first_value = 0, latency = "0.1 s", title = "Row" }
[programs]
slow = [
  { step = "read", after = "1 s", storage = "row" },
  { step = "write", after = "3 s", storage = "row", on_refused = "stop" },
]
work = [
  { step = "read", storage = "row" },
  { step = "write", storage = "row", on_refused = "stop" },
]
[[faults]]
restore = "row"
taken = "0.1 s"
at = "2 s"
"#,
        &expect![[r#"
            #0 100 ms Row Saved
            #1 500 ms W Sent { server: 3, request: Read { version: 0, value: 1 }, token: 0 }
            #2 600 ms Row Read { version: 1, value: 0 } (#1)
            #3 700 ms W Learned { outcome: Done, server: 3, token: 0 } (#2)
            #4 700 ms W Sent { server: 3, request: Write { value: 1, based_on: 0, token: None }, token: 0 } (#3)
            #5 800 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: Some(Comparison { brought: 1, relation: Equal, kept: 1 }), conditional: true } (#4)
            #6 900 ms W Learned { outcome: Accepted, server: 3, token: 0 } (#5)
            #7 900 ms W Finished (#6)
            #8 1 s A Sent { server: 3, request: Read { version: 0, value: 1 }, token: 0 }
            #9 1.1 s Row Read { version: 2, value: 0 } (#8)
            #10 1.2 s A Learned { outcome: Done, server: 3, token: 0 } (#9)
            #11 2 s Row trouble begins
            #12 2 s Row StorageRestored { version: 1, fence: 0 } (#11)
            #13 2.5 s B Sent { server: 3, request: Read { version: 0, value: 1 }, token: 0 }
            #14 2.6 s Row Read { version: 1, value: 0 } (#13)
            #15 2.7 s B Learned { outcome: Done, server: 3, token: 0 } (#14)
            #16 2.7 s B Sent { server: 3, request: Write { value: 1, based_on: 0, token: None }, token: 0 } (#15)
            #17 2.8 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: Some(Comparison { brought: 1, relation: Equal, kept: 1 }), conditional: true } (#16)
            #18 2.9 s B Learned { outcome: Accepted, server: 3, token: 0 } (#17)
            #19 2.9 s B Finished (#18)
            #20 4.2 s A Sent { server: 3, request: Write { value: 1, based_on: 0, token: None }, token: 0 } (#10)
            #21 4.3 s Row Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: Some(Comparison { brought: 2, relation: Equal, kept: 2 }), conditional: true } (#20)
            #22 4.4 s A Learned { outcome: Accepted, server: 3, token: 0 } (#21)
            #23 4.4 s A Finished (#22)
            aba at #21
            tried: outdated-write-tried at #21
            tried: aba-tried at #21
        "#]],
    );
}

#[test]
fn a_comparison_of_versions_says_nothing_about_a_lease() {
    check(
        r#"
[nodes]
A = { client = "work" }
B = { client = "write", starts = "0.5 s" }
redis = { system = "redis", keys = ["lock"], latency = "0.1 s", title = "Redis", keeps = "lock", held_ask = "GET lock", held_reply = "$me" }
row = { system = "postgres", keeps = "data", latency = "0.1 s", title = "Row" }
[programs]
work = [
  { step = "ask", server = "redis", say = "SET lock $me NX PX 3000", means = "acquire", answers = [{ reply = "+OK", is = "granted" }] },
  { step = "ask", server = "row", say = "select granted, version from q where id=1", means = "read", answers = [{ reply = "($v,$ver)" }] },
  { step = "ask", after = "1 s", server = "row", say = "update q set granted=$v+1, version=version+1 where id=1 and version=$ver", means = "write",
    conditional = true, answers = [{ reply = "UPDATE 1", is = "accepted" }, { reply = "UPDATE 0", is = "refused" }] },
  { step = "wait", for = "5 s" },
]
write = [
  { step = "ask", server = "row", say = "update q set version=version+1 where id=1", means = "write", answers = [{ reply = "UPDATE 1", is = "accepted" }] },
]
"#,
        &expect![[r#"
            #0 0 s A Sent { server: 2, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 3000`
            #1 100 ms Redis Granted { token: 1, ttl_us: 0 } `+OK` (#0)
            #2 200 ms A Learned { outcome: Granted, server: 2, token: 1 } (#1)
            #3 200 ms A Sent { server: 3, request: Command { step: 1, meaning: Read }, token: 1 } `select granted, version from q where id=1` (#2)
            #4 300 ms Row Read { version: 1, value: 0 } `(0,1)` (#3)
            #5 400 ms A Learned { outcome: Done, server: 3, token: 0 } (#4)
            #6 500 ms B Sent { server: 3, request: Command { step: 0, meaning: Write }, token: 0 } `update q set version=version+1 where id=1`
            #7 600 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1` (#6)
            #8 700 ms B Learned { outcome: Accepted, server: 3, token: 0 } (#7)
            #9 700 ms B Finished (#8)
            #10 1.4 s A Sent { server: 3, request: Command { step: 2, meaning: Write }, token: 1 } `update q set granted=1, version=version+1 where id=1 and version=1` (#5)
            #11 1.5 s Row Refused { token: 1, based_on: 1, comparison: Comparison { brought: 1, relation: Different, kept: 2 } } `UPDATE 0` (#10)
            #12 1.6 s A Learned { outcome: Refused, server: 3, token: 0 } (#11)
            #13 3.1 s Redis Expired { client: 0, token: 1 } (#1)
            #14 6.6 s A Waited (#12)
            #15 6.6 s A Finished (#14)
            tried: outdated-write-tried at #11
            tried: aba-tried at #11
            tried: belief-outlived-lease at #13
        "#]],
    );
}

/// A lock on Redis, and a client with a thread that comes at 3 s.
fn threads(programs: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "own" }}
other = {{ client = "others", thread_of = "A", starts = "3 s", title = "Thread" }}
redis = {{ system = "redis", keys = ["lock"], latency = "0.1 s", title = "Redis", keeps = "lock", held_ask = "GET lock", held_reply = "$me" }}
[programs]
{programs}
"#
    )
}

const TAKE: &str = r#"{ step = "ask", server = "redis", say = "SET lock $me NX PX 9000", means = "acquire", answers = [{ reply = "+OK", is = "granted" }] },"#;

#[test]
fn a_thread_gives_back_the_lock_of_its_process() {
    let free = r#"{ step = "ask", server = "redis", say = "EVAL CAD 1 lock $me", means = "release", answers = [{ reply = "1" }, { reply = "0", is = "lost" }] }"#;
    let programs = format!("own = [{TAKE} {{ step = \"wait\", for = \"5 s\" }}]\nothers = [{free}]");
    check(
        &threads(&programs),
        &expect![[r#"
        #0 0 s A Sent { server: 2, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 9000`
        #1 100 ms Redis Granted { token: 1, ttl_us: 0 } `+OK` (#0)
        #2 200 ms A Learned { outcome: Granted, server: 2, token: 1 } (#1)
        #3 3 s O Sent { server: 2, request: Command { step: 0, meaning: Release }, token: 1 } `EVAL CAD 1 lock a`
        #4 3.1 s Redis Freed { token: 1 } `1` (#3)
        #5 3.2 s O Learned { outcome: Done, server: 2, token: 1 } (#4)
        #6 3.2 s O Finished (#5)
        #7 5.2 s A Waited (#2)
        #8 5.2 s A Finished (#7)
    "#]],
    );
}

#[test]
fn a_thread_takes_a_lock_for_its_process() {
    let programs = format!("own = [{{ step = \"wait\", for = \"8 s\" }}]\nothers = [{TAKE}]");
    check(
        &threads(&programs),
        &expect![[r#"
        #0 3 s O Sent { server: 2, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 9000`
        #1 3.1 s Redis Granted { token: 1, ttl_us: 0 } `+OK` (#0)
        #2 3.2 s O Learned { outcome: Granted, server: 2, token: 1 } (#1)
        #3 3.2 s O Finished (#2)
        #4 8 s A Waited
        #5 8 s A Finished (#4)
        #6 12.1 s Redis Expired { client: 0, token: 1 } (#1)
    "#]],
    );
}

/// A lease of 8 s, and a step of its server's wall clock by 5 s.
fn stepped(nodes: &str, program: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work" }}
{nodes}
[programs]
work = [{program}]
[[faults]]
clock_step = "server"
at = "3 s"
by = "+5 s"
label = "NTP"
"#
    )
}

#[test]
fn a_step_of_a_clock_that_nobody_reads_is_not_blamed() {
    check(
        &stepped(
            r#"server = { system = "etcd", keys = ["r"], latency = "0.1 s", title = "etcd", keeps = "lock", held_ask = "get mtx/ --prefix --sort-by=CREATE --limit=1", held_reply = "key mtx/$me, *" }"#,
            r#"
  { step = "ask", server = "server", say = "lease grant 8 --id=$me", answers = [{ reply = "ID $me, TTL *" }] },
  { step = "ask", server = "server", say = "lock mtx $me", means = "acquire", token = "rev",
    answers = [{ reply = "key mtx/$me, revision $rev", is = "granted" }, { reply = "queued *", is = "busy", then = "stop" }] },
  { step = "wait", for = "12 s" },"#,
        ),
        &expect![[r#"
            #0 0 s A Sent { server: 1, request: Command { step: 0, meaning: Nothing }, token: 0 } `lease grant 8 --id=a`
            #1 100 ms etcd Answered { outcome: Done } `ID a, TTL 8` (#0)
            #2 200 ms A Learned { outcome: Done, server: 1, token: 0 } (#1)
            #3 200 ms A Sent { server: 1, request: Command { step: 1, meaning: Acquire }, token: 0 } `lock mtx a` (#2)
            #4 300 ms etcd Granted { token: 2, ttl_us: 0 } `key mtx/a, revision 2` (#3)
            #5 400 ms A Learned { outcome: Granted, server: 1, token: 2 } (#4)
            #6 3 s etcd trouble begins
            #7 8.6 s etcd Expired { client: 0, token: 2 } (#4)
            #8 12.4 s A Waited (#5)
            #9 12.4 s A Finished (#8)
            tried: belief-outlived-lease at #7
        "#]],
    );
}

#[test]
fn a_step_of_the_clock_that_ends_a_lease_is_blamed_on_any_lane_of_its_server() {
    check(
        &stepped(
            r#"server = { system = "redis", keys = ["lock"], latency = "0.1 s", title = "Redis" }
lock = { part_of = "server", title = "Lock", keeps = "lock", held_ask = "GET lock", held_reply = "$me" }"#,
            r#"
  { step = "ask", server = "lock", say = "SET lock $me NX PX 7000", means = "acquire", answers = [{ reply = "+OK", is = "granted" }] },
  { step = "wait", for = "12 s" },"#,
        ),
        &expect![[r#"
            #0 0 s A Sent { server: 2, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 7000`
            #1 100 ms Lock Granted { token: 1, ttl_us: 0 } `+OK` (#0)
            #2 200 ms A Learned { outcome: Granted, server: 2, token: 1 } (#1)
            #3 3 s Redis trouble begins
            #4 3.000001 s Lock Expired { client: 0, token: 1 } (#3)
            #5 12.2 s A Waited (#2)
            #6 12.2 s A Finished (#5)
            tried: belief-outlived-lease at #4
        "#]],
    );
}

#[test]
fn nobody_makes_up_a_token_of_a_lock_that_counts_them() {
    let mistakes = try_lesson(
        r#"
[nodes]
A = { client = "work" }
lock = { lock = "redis-lease", first_token = 33, latency = "0.1 s", title = "Lock" }
[programs]
work = [{ step = "conclude", lock = "lock", is = "granted" }]
"#,
    );
    expect![[r#"12: variants[1]: the engine doesn't take it: only the lock of node 1 gives its tokens: say which one the client concludes it has. Add token = "…" to the step, with a value that the program keeps."#]].assert_eq(&mistakes.expect_err("it has none"));
}

/// A lock on a pair whose replica lags by a second, and a `WAIT` of so many milliseconds.
fn waits(ms: u32) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work" }}
redis = {{ system = "redis-pair", keys = ["lock"], lag = "1 s", latency = "0.1 s", keeps = "lock", held_ask = "GET lock", held_reply = "$me", title = "Redis" }}
[programs]
work = [
  {{ step = "ask", server = "redis", say = "SET lock $me NX PX 30000", means = "acquire", answers = [{{ reply = "+OK", is = "granted" }}] }},
  {{ step = "ask", server = "redis", say = "WAIT 1 {ms}", answers = [{{ reply = "$n", then = "stop" }}] }},
]
"#
    )
}

#[test]
fn a_wait_ends_when_its_time_is_over() {
    check(
        &waits(200),
        &expect![[r#"
            #0 0 s A Sent { server: 1, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 30000`
            #1 100 ms Redis Granted { token: 1, ttl_us: 0 } `+OK` (#0)
            #2 200 ms A Learned { outcome: Granted, server: 1, token: 1 } (#1)
            #3 200 ms A Sent { server: 1, request: Command { step: 1, meaning: Nothing }, token: 1 } `WAIT 1 200` (#2)
            #4 300 ms Redis Waits (#3)
            #5 500 ms Redis Answered { outcome: Done } `0` (#4)
            #6 600 ms A Learned { outcome: Done, server: 1, token: 0 } (#5)
            #7 600 ms A Stopped (#6)
            #8 30.1 s Redis Expired { client: 0, token: 1 } (#1)
            tried: kept-waiting at #4
        "#]],
    );
}

#[test]
fn a_wait_ends_when_the_replica_has_the_writes() {
    check(
        &waits(2_000),
        &expect![[r#"
            #0 0 s A Sent { server: 1, request: Command { step: 0, meaning: Acquire }, token: 0 } `SET lock a NX PX 30000`
            #1 100 ms Redis Granted { token: 1, ttl_us: 0 } `+OK` (#0)
            #2 200 ms A Learned { outcome: Granted, server: 1, token: 1 } (#1)
            #3 200 ms A Sent { server: 1, request: Command { step: 1, meaning: Nothing }, token: 1 } `WAIT 1 2000` (#2)
            #4 300 ms Redis Waits (#3)
            #5 1.1 s Redis Answered { outcome: Done } `1` (#4)
            #6 1.2 s A Learned { outcome: Done, server: 1, token: 0 } (#5)
            #7 1.2 s A Stopped (#6)
            #8 30.1 s Redis Expired { client: 0, token: 1 } (#1)
            tried: kept-waiting at #4
        "#]],
    );
}
