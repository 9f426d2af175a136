//! A client that acts as two threads: one works, one renews its lease.

mod written;

use std::sync::OnceLock;

use racescope_engine::check::beliefs;
use racescope_engine::sim::{Change, Crash};
use racescope_engine::sim::{Fault, Outcome, Pause, Scenario, Trace, Waking, run_timed};

const LESSON: &str = r#"
[nodes.A]
client = "work"

[nodes.renewal]
title = "A’s renewal"
client = "renew"
thread_of = "A"
starts = "1 s"

[nodes.redis]
title = "Redis"
system = "redis"
keys = ["lock"]
latency = "100 ms"
keeps = "lock"
held_ask = "GET lock"
held_reply = "$me"

[[programs.work]]
step = "ask"
server = "redis"
say = "SET lock $me NX PX 3000"
means = "acquire"
answers = [{ reply = "+OK", is = "granted" }]

[[programs.work]]
step = "ask"
after = "8 s"
server = "redis"
say = "EVAL CAD 1 lock $me"
means = "release"
answers = [{ reply = "1", then = "end" }, { reply = "0", is = "lost", then = "end" }]

[[programs.renew]]
label = "again"
step = "wait"
for = "1 s"

[[programs.renew]]
step = "ask"
server = "redis"
say = "EVAL EXTEND 1 lock $me 3000"
means = "renew"
answers = [{ reply = "1", is = "held", then = "again" }, { reply = "0", is = "lost", then = "end" }]
"#;

/// The scenario, read once for all tests.
fn scenario() -> &'static Scenario {
    static SCENARIO: OnceLock<Scenario> = OnceLock::new();
    SCENARIO.get_or_init(|| written::lesson(LESSON).variants.remove(0).scenario)
}

/// When A holds the lock in truth, and when it believes so: from and to, in milliseconds.
fn spans(scenario: &Scenario, run: &Trace) -> String {
    let ms = |event: usize| run.events[event].at_us / 1_000;
    let mut text = String::new();
    for (index, event, change) in run.changes() {
        let what = match change {
            Change::Granted { .. } => "granted",
            Change::Freed { .. } => "freed",
            Change::Expired { .. } => "expired",
            Change::Crashed { .. } => "crashed",
            Change::Learned { outcome: Outcome::Lost, .. } => "told that it is lost",
            _ => continue,
        };
        text += &format!("{} {what} at {}\n", event.actor, ms(index as usize));
    }
    for belief in beliefs(scenario, run) {
        let ends = belief.ends.map(|ends| ms(ends as usize));
        text += &format!("{} believes from {} to {ends:?}\n", belief.client, ms(belief.begins as usize));
    }
    text
}

#[test]
fn a_renewed_lease_lasts_as_long_as_its_holder_works() {
    let scenario = scenario();
    let run = run_timed(scenario, &[]);
    assert!(run.complete);
    assert_eq!(
        spans(scenario, &run),
        "2 granted at 100\n2 freed at 8300\n1 told that it is lost at 9400\n0 believes from 200 to Some(8200)\n"
    );
}

#[test]
fn a_pause_of_the_process_is_a_pause_of_its_renewal_too() {
    let scenario = scenario();
    let pause = Fault::Pause(Pause { node: 0, at_us: 2_500_000, lasts_us: 4_000_000, on_waking: Waking::Messages });
    let run = run_timed(scenario, &[pause]);
    // The renewal wakes first, and what it is told ends the belief of its process.
    assert_eq!(
        spans(scenario, &run),
        "2 granted at 100\n2 expired at 5100\n1 told that it is lost at 6700\n0 told that it is lost at 12400\n\
         0 believes from 200 to Some(6700)\n"
    );
}

#[test]
fn a_crash_of_one_thread_is_a_crash_of_all() {
    let scenario = scenario();
    let crash = Fault::Crash(Crash { node: 1, at_us: 2_500_000, lasts_us: 20_000_000, keeps_memory: false });
    let run = run_timed(scenario, &[crash]);
    assert_eq!(
        spans(scenario, &run).lines().take(4).collect::<Vec<_>>(),
        ["2 granted at 100", "0 crashed at 2500", "1 crashed at 2500", "2 expired at 5100"]
    );
}
