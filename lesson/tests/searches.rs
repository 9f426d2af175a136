//! What a search finds where real systems take part, and that it can be played: small
//! scenarios in, counts out.

mod searched;

use racescope_engine::check::judge;
use racescope_engine::explore::{Bounds, Mark, Question, realise, survey};
use racescope_engine::sim::{Scenario, run_timed};

/// The scenario with these nodes and programs, in which a call is one action.
fn scenario(text: &str) -> Scenario {
    searched::scenario(&format!("granularity = \"call\"\n{text}"))
}

/// How many schedules there are within bounds, and how many of them show a mark.
#[track_caller]
fn check(scenario: &Scenario, bounds: Bounds, mark: Mark, expected: &str) {
    let question = Question { marks: vec![mark], ..Question::of_harm(bounds) };
    let found = survey(scenario, &question, &mut |_| std::ops::ControlFlow::Continue(()));
    let exploration = &found.exploration;
    assert_eq!(exploration.stopped, None);
    let told = format!("{} of {}", exploration.showing(mark).decimal(), exploration.schedules().decimal());
    assert_eq!(told, expected);
    for example in &found.shortest {
        let faults = example.realised.as_ref().expect("the shortest has times").faults.clone();
        let trace = run_timed(scenario, &faults);
        let shown = judge(scenario, &trace).findings;
        assert!(shown.iter().any(|finding| Mark::harm_of(finding.property) == Some(mark)), "{faults:?}");
        assert!(realise(scenario, &example.schedule, &bounds).is_ok());
    }
}

const TWO_WRITES: &str = r#"
[nodes.client]
client = "update"
count = 2

[nodes.db]
title = "PostgreSQL"
system = "postgres"
latency = "10 ms"
keeps = "data"

[[programs.update]]
step = "ask"
after = "10 ms"
server = "db"
say = "select granted from q where id=1"
means = "read"
answers = [{ reply = "($n)" }]

[[programs.update]]
step = "ask"
after = "10 ms"
server = "db"
say = "update q set granted=7 where id=1"
means = "write"
answers = [{ reply = "UPDATE 1", is = "accepted" }]

[[programs.update]]
step = "ask"
after = "10 ms"
server = "db"
say = "update q set granted=8 where id=1"
means = "write"
answers = [{ reply = "UPDATE 1", is = "accepted" }]
"#;

#[test]
fn who_wrote_the_version_of_a_real_system_is_remembered() {
    let one = scenario(&TWO_WRITES.replace("count = 2", "count = 1"));
    check(&one, Bounds::NONE, Mark::LostUpdate, "0 of 1");
    // Only where one client is done before the other begins is nothing lost.
    check(&scenario(TWO_WRITES), Bounds::NONE, Mark::LostUpdate, "18 of 20");
}

const SESSION: &str = r#"
[nodes.A]
client = "update"

[nodes.B]
client = "update"

[nodes.zookeeper]
title = "ZooKeeper"
system = "zookeeper"
at_start = ["connect 30000", "create /app"]
latency = "10 ms"
keeps = "lock"
held_ask = "get /app/lock"
held_reply = "$me"

[nodes.storage]
title = "Storage"
storage = "versioned-register"
guard = "last-write-wins"
latency = "10 ms"

[[programs.update]]
step = "ask"
after = "10 ms"
server = "zookeeper"
say = "connect 4000"
answers = [{ reply = "negotiated timeout = *" }]

[[programs.update]]
step = "ask"
after = "10 ms"
server = "zookeeper"
say = "create -e /app/lock $me"
means = "acquire"
answers = [{ reply = "Created *", is = "granted" }, { reply = "*", is = "busy", then = "stop" }]

[[programs.update]]
step = "read"
storage = "storage"
after = "10 ms"

[[programs.update]]
step = "write"
storage = "storage"
after = "10 ms"
"#;

#[test]
fn a_session_ends_by_pauses_and_not_by_a_clock_that_jumps() {
    let scenario = scenario(SESSION);
    let two = |bounds| Bounds { expiries: 2, ..bounds };
    let steps = two(Bounds { clock_steps: true, ..Bounds::NONE });
    let none = Question { marks: vec![Mark::LostUpdate], ..Question::of_harm(steps) };
    let found = survey(&scenario, &none, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(found.exploration.showing(Mark::LostUpdate).is_zero(), "its clock is the monotonic one");
    let pauses = Question { bounds: two(Bounds { pauses: true, ..Bounds::NONE }), ..none };
    let found = survey(&scenario, &pauses, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(!found.exploration.showing(Mark::LostUpdate).is_zero());
}

const KEY: &str = r#"
[nodes.client]
client = "update"
count = 2

[nodes.redis]
title = "Redis"
system = "redis"
keys = ["lock"]
latency = "10 ms"
keeps = "lock"
held_ask = "GET lock"
held_reply = "$me"

[nodes.storage]
title = "Storage"
storage = "versioned-register"
guard = "last-write-wins"
latency = "10 ms"

[[programs.update]]
step = "ask"
after = "10 ms"
server = "redis"
say = "SET lock $me NX PX 3000"
means = "acquire"
answers = [{ reply = "+OK", is = "granted" }, { reply = "nil", is = "busy", then = "stop" }]

[[programs.update]]
step = "read"
storage = "storage"
after = "10 ms"

[[programs.update]]
step = "write"
storage = "storage"
after = "10 ms"
"#;

#[test]
fn a_process_that_is_down_loses_its_lock_without_a_bound_and_wakes_up_to_write() {
    let halts = Bounds { halts: 1, ..Bounds::NONE };
    check(&scenario(KEY), halts, Mark::LostUpdate, "60 of 386");
}
