//! Times and faults for schedules: a timed run under them takes exactly that path.

use std::ops::ControlFlow;

use racescope_engine::check::{Property, judge};
use racescope_engine::explore::{Bounds, Mark, Question, Unrealisable, random_schedule, realise, survey};
use racescope_engine::sim::example::{guarded, impatient, reference, stale_overwrite};
use racescope_engine::sim::{
    Action, Fault, Granularity, Guard, Scenario, Schedule, run_replay, run_timed, run_timed_with_schedule,
};

/// The scenario of the searches, with some work before each step.
fn working(granularity: Granularity) -> Scenario {
    let mut scenario = Scenario { granularity, ..reference(2) };
    for step in &mut scenario.programs[0].steps {
        step.work_us = 1_000;
    }
    scenario
}

/// What a schedule does, without what isn't ordered: as the same actions in any order.
fn sorted(schedule: &Schedule) -> Vec<String> {
    let name = |action: &Action| action.to_string().replace("serve-stray", "serve").replace(char::is_numeric, "");
    let mut names: Vec<String> = schedule.actions.iter().map(name).collect();
    names.sort();
    names
}

/// How many of a hundred random schedules are realised. Those that go on for very long
/// are left out.
fn realised(scenario: &Scenario, bounds: &Bounds) -> (usize, usize) {
    let (mut realised, mut all) = (0, 0);
    for number in 0..100 {
        let schedule = random_schedule(scenario, bounds, 7, number);
        if schedule.actions.len() > 200 {
            continue;
        }
        all += 1;
        let Ok(found) = realise(scenario, &schedule, bounds) else { continue };
        let (_, taken) = run_timed_with_schedule(scenario, &found.faults);
        assert!(taken.actions.starts_with(&found.schedule.actions), "{schedule}");
        assert_eq!(sorted(&found.schedule), sorted(&schedule));
        realised += 1;
    }
    (realised, all)
}

/// Every random schedule of the scenarios is realised, however much a call is.
#[track_caller]
fn check(bounds: Bounds) {
    for granularity in [Granularity::Call, Granularity::ServeDeliver, Granularity::SendServeDeliver] {
        let scenarios = [
            working(granularity),
            guarded(working(granularity), Guard::FenceAtMost),
            impatient(working(granularity), 2_000_000),
            Scenario { granularity, ..stale_overwrite() },
        ];
        for (place, scenario) in scenarios.iter().enumerate() {
            let (realised, all) = realised(scenario, &bounds);
            assert_eq!(realised, all, "scenario {place}, {granularity:?}, {bounds}");
        }
    }
}

#[test]
fn schedules_whose_leases_end_early_are_realised() {
    check(Bounds::expiries(2));
    check(Bounds { clock_steps: true, expiries: 2, ..Bounds::NONE });
    check(Bounds { late_messages: true, expiries: 2, ..Bounds::NONE });
}

#[test]
fn schedules_with_lost_messages_are_realised() {
    check(Bounds { lost_requests: 2, ..Bounds::expiries(1) });
    check(Bounds { lost_replies: 2, ..Bounds::expiries(1) });
}

#[test]
fn schedules_with_crashes_are_realised() {
    check(Bounds { crashes: 2, ..Bounds::expiries(1) });
}

#[test]
fn schedules_with_restores_and_operators_are_realised() {
    check(Bounds { restores: 2, ..Bounds::expiries(1) });
    check(Bounds { forced_unlocks: 2, state_losses: 2, ..Bounds::expiries(1) });
}

#[test]
fn schedules_with_copies_of_requests_are_realised_if_no_deadline_passes() {
    let bounds = Bounds { duplicates: 2, ..Bounds::expiries(1) };
    let granularity = Granularity::SendServeDeliver;
    for scenario in [working(granularity), Scenario { granularity, ..stale_overwrite() }] {
        let (realised, all) = realised(&scenario, &bounds);
        assert_eq!(realised, all);
    }
    let (realised, all) = realised(&impatient(working(granularity), 2_000_000), &bounds);
    assert!(realised * 10 >= all * 9, "{realised} of {all}");
}

/// The faults of a schedule, each by its kind and node.
fn kinds(scenario: &Scenario, schedule: &str, bounds: &Bounds) -> Vec<String> {
    let schedule = schedule.parse().expect("it is a schedule");
    let found = realise(scenario, &schedule, bounds).expect("there are times for it");
    let name = |fault: &Fault| format!("{fault:?}").split('(').next().unwrap_or_default().to_string();
    found.faults.iter().map(|fault| format!("{} {}", name(fault), fault.node())).collect()
}

#[test]
fn a_lease_ends_by_a_pause_where_processes_pause_and_by_a_jump_where_only_clocks_do() {
    let scenario = working(Granularity::Call);
    let schedule = "step:0 step:0 step:0 step:0 expire:2 step:1 step:1 step:1 step:1 step:1 step:0";
    assert_eq!(kinds(&scenario, schedule, &Bounds::expiries(2)), ["Pause 1", "Pause 0"]);
    let only_clocks = Bounds { clock_steps: true, expiries: 2, ..Bounds::NONE };
    assert_eq!(kinds(&scenario, schedule, &only_clocks), ["Pause 1", "Pause 0", "ClockStep 2"]);
}

#[test]
fn what_needs_nothing_to_go_wrong_needs_no_fault() {
    let scenario = stale_overwrite();
    let (_, calm) = run_timed_with_schedule(&scenario, &[]);
    let found = realise(&scenario, &calm, &Bounds::default()).expect("it has happened");
    assert_eq!(found.faults, []);
}

#[test]
fn a_step_without_work_cannot_be_held_up_and_is_refused() {
    let schedule = "step:1 step:0".parse().expect("it is a schedule");
    assert_eq!(realise(&reference(2), &schedule, &Bounds::default()), Err(Unrealisable::NotASchedule));
    let schedule = "step:0 expire:2 step:1 step:0".parse().expect("it is a schedule");
    assert_eq!(realise(&reference(2), &schedule, &Bounds::default()), Err(Unrealisable::NoTimes));
}

#[test]
fn every_shortest_schedule_that_breaks_something_comes_with_a_run_that_breaks_it() {
    let scenario = working(Granularity::SendServeDeliver);
    let question = Question {
        marks: vec![Mark::StaleWriteAccepted, Mark::LostUpdate, Mark::TokenRegression],
        ..Question::of_harm(Bounds { state_losses: 1, ..Bounds::expiries(1) })
    };
    let found = survey(&scenario, &question, &mut |_| ControlFlow::Continue(()));
    assert_eq!(found.shortest.len(), 3);
    for counterexample in &found.shortest {
        let property = match counterexample.mark {
            Mark::StaleWriteAccepted => Property::StaleWriteAccepted,
            Mark::LostUpdate => Property::LostUpdate,
            _ => Property::TokenRegression,
        };
        let replayed = run_replay(&scenario, &counterexample.schedule).expect("it is a schedule of this scenario");
        assert!(judge(&scenario, &replayed).shows(property));
        let realised = counterexample.realised.as_ref().expect("it has times");
        assert!(judge(&scenario, &run_timed(&scenario, &realised.faults)).shows(property));
    }
}
