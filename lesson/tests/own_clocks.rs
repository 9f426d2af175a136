//! Deadlines of a client on its own two clocks: what steps and rates of them do.

mod searched;

use std::ops::ControlFlow;

use racescope_engine::check::{Witness, judge};
use racescope_engine::explore::{Bounds, Mark, Question, explore};
use racescope_engine::sim::{Change, ClockRate, ClockStep, Fault, Outcome, Scenario, What, run_timed};

/// A client that notes a deadline 3 s ahead, works for so long, and looks.
fn client(clock: &str, works: &str) -> Scenario {
    let text = format!(
        r#"
[nodes.A]
client = "look"
[nodes.row]
title = "Row"
storage = "versioned-register"
guard = "last-write-wins"
first_version = 1
first_value = 0
latency = "50 ms"
[[programs.look]]
step = "read"
storage = "row"
[[programs.look]]
step = "set-deadline"
in = "3 s"
clock = "{clock}"
[[programs.look]]
step = "check-deadline"
after = "{works}"
on_late = "stop"
"#
    );
    searched::scenario(&text)
}

fn steps(steps: &[(u64, i64)]) -> Vec<Fault> {
    let step = |&(at_ms, by_ms)| Fault::ClockStep(ClockStep { node: 0, at_us: at_ms * 1_000, by_us: by_ms * 1_000 });
    steps.iter().map(step).collect()
}

/// What the client finds by its wall clock, and by its monotonic one.
#[track_caller]
fn check(works: &str, faults: &[Fault], expected: [Outcome; 2]) {
    let found = ["wall", "monotonic"].map(|clock| {
        let run = run_timed(&client(clock, works), faults);
        assert!(run.complete);
        let looked = run.changes().find_map(|(.., change)| match change {
            Change::Learned { outcome: outcome @ (Outcome::InTime | Outcome::Late), .. } => Some(outcome),
            _ => None,
        });
        looked.expect("it looks")
    });
    assert_eq!(found, expected);
}

#[test]
fn a_step_moves_a_date_and_not_a_duration() {
    use Outcome::{InTime, Late};
    check("2 s", &[], [InTime, InTime]);
    check("4 s", &[], [Late, Late]);
    check("2 s", &steps(&[(1_000, 5_000)]), [Late, InTime]);
    check("4 s", &steps(&[(1_000, -5_000)]), [InTime, Late]);
    // A date that is before the deadline is noted moves both.
    check("2 s", &steps(&[(50, 5_000)]), [InTime, InTime]);
    let fast = Fault::ClockRate(ClockRate { node: 0, at_us: 200_000, lasts_us: 5_000_000, rate_ppm: 1_000_000 });
    check("2 s", &[fast], [Late, Late]);
}

#[test]
fn a_clock_that_is_put_back_before_its_client_looks_shows_an_earlier_date_again() {
    use Outcome::{InTime, Late};
    let there_and_back = steps(&[(1_000, 5_000), (1_500, -5_000)]);
    check("1.2 s", &there_and_back, [Late, InTime]);
    check("2 s", &there_and_back, [InTime, InTime]);
    check("4 s", &there_and_back, [Late, Late]);
}

#[test]
fn the_step_that_made_it_late_is_blamed() {
    let scenario = client("wall", "2 s");
    let run = run_timed(&scenario, &steps(&[(1_000, 5_000)]));
    let verdict = judge(&scenario, &run);
    let gave_up = verdict.sightings.iter().find(|seen| seen.witness == Witness::GaveUp).expect("it gives up");
    assert!(gave_up.blame.iter().any(|&event| matches!(run.event(event).what, What::FaultBegins(_))));
}

#[test]
fn steps_alone_make_a_client_late_only_by_its_wall_clock() {
    let bounds = Bounds { clock_steps: true, ..Bounds::NONE };
    let late = ["wall", "monotonic"].map(|clock| {
        let question = Question { marks: vec![Mark::GaveUp], ..Question::of_harm(bounds) };
        let found = explore(&client(clock, "2 s"), &question, &mut |_| ControlFlow::Continue(()));
        assert_eq!(found.stopped, None);
        !found.showing(Mark::GaveUp).is_zero()
    });
    assert_eq!(late, [true, false]);
}
