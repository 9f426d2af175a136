//! Every schedule, counted: against an independent program's counts, against the
//! naive walk, and against itself.

use std::future::Future;
use std::ops::ControlFlow;
use std::task::{Context, Poll, Waker};

use racescope_engine::check::{Property, judge};
use racescope_engine::explore::{
    Bounds, Budget, Exploration, Mark, Question, Stop, explore, explore_in_steps, patient, shortest,
};
use racescope_engine::sim::example::{guarded, impatient, reference, stale_overwrite};
use racescope_engine::sim::{Action, Granularity, Guard, Model, Scenario, Schedule, World, run_replay};

const TWO: Bounds = Bounds::expiries(2);

fn question(bounds: Bounds, marks: &[Mark]) -> Question {
    Question { marks: marks.to_vec(), ..Question::of_harm(bounds) }
}

fn search(scenario: &Scenario, bounds: Bounds, marks: &[Mark]) -> Exploration {
    explore(scenario, &question(bounds, marks), &mut |_| ControlFlow::Continue(()))
}

/// Schedules in all, and those with a stale write accepted.
#[track_caller]
fn check(scenario: &Scenario, schedules: &str, stale: &str) {
    let found = search(scenario, TWO, &[Mark::StaleWriteAccepted]);
    assert_eq!(found.stopped, None);
    assert_eq!(
        (found.schedules().decimal(), found.showing(Mark::StaleWriteAccepted).decimal()),
        (schedules.to_string(), stale.to_string())
    );
}

#[test]
fn the_reference_scenario_has_the_counts_of_an_independent_program() {
    check(&reference(2), "4846", "1288");
    check(&reference(3), "6217224", "3833196");
    check(&reference(4), "720393048", "664039488");
}

#[test]
fn without_reductions_every_state_is_met_and_the_counts_are_the_same() {
    let marks = [Mark::StaleWriteAccepted, Mark::LostUpdate];
    for scenario in [reference(3), Scenario { granularity: Granularity::ServeDeliver, ..reference(2) }] {
        let reduced = search(&scenario, TWO, &marks);
        let raw = Question { reduced: false, ..question(TWO, &marks) };
        let raw = explore(&scenario, &raw, &mut |_| ControlFlow::Continue(()));
        assert!(raw.states > reduced.states, "{} and {}", raw.states, reduced.states);
        let counts = |found: &Exploration| marks.map(|mark| found.showing(mark).decimal());
        assert_eq!((raw.schedules(), counts(&raw)), (reduced.schedules(), counts(&reduced)));
    }
}

#[test]
fn with_a_fence_the_schedules_are_as_many_and_none_is_stale() {
    check(&guarded(reference(2), Guard::FenceAtMost), "4846", "0");
    check(&guarded(reference(3), Guard::FenceAtMost), "6217224", "0");
    check(&guarded(reference(4), Guard::FenceAtMost), "720393048", "0");
}

/// The same counts by walking each schedule on its own.
fn naive(model: &Model<'_>, world: &World, expiries: u8, stale: &mut dyn FnMut(&[Action]), path: &mut Vec<Action>) {
    let mut enabled = Vec::new();
    model.enabled(world, &mut enabled);
    enabled.retain(|action| expiries > 0 || !matches!(action, Action::Expire(_)));
    if enabled.is_empty() {
        stale(path);
    }
    for action in enabled {
        let mut next = world.clone();
        model.apply(&mut next, action, &mut ());
        path.push(action);
        naive(model, &next, expiries - u8::from(matches!(action, Action::Expire(_))), stale, path);
        path.pop();
    }
}

#[test]
fn merged_states_count_like_schedules_walked_one_by_one() {
    let guards = [Guard::LastWriteWins, Guard::FenceBelow, Guard::FenceAtMost, Guard::VersionCompareAndSet];
    let calls = guards.map(|guard| (guard, Granularity::Call));
    // A call of two actions has too many schedules to walk one by one for every guard.
    for (guard, granularity) in calls.into_iter().chain([(Guard::LastWriteWins, Granularity::ServeDeliver)]) {
        let scenario = Scenario { granularity, ..guarded(reference(2), guard) };
        let properties = [Property::StaleWriteAccepted, Property::LostUpdate, Property::OverlapOfBelief];
        let (schedules, showing) = walk_all(&scenario, 1, properties);
        let marks = [Mark::StaleWriteAccepted, Mark::LostUpdate, Mark::OverlapOfBelief];
        let found = search(&scenario, Bounds::expiries(1), &marks);
        assert_eq!(found.schedules().decimal(), schedules.to_string(), "{guard:?} {granularity:?}");
        let counted = marks.map(|mark| found.showing(mark).decimal());
        assert_eq!(counted, showing.map(|count| count.to_string()), "{guard:?} {granularity:?}");
    }
}

/// How many schedules there are, and how many of them show each property, by
/// judging every single one.
fn walk_all(scenario: &Scenario, expiries: u8, properties: [Property; 3]) -> (u64, [u64; 3]) {
    let model = Model::new(scenario);
    let (mut schedules, mut showing) = (0, [0; 3]);
    let mut judge_path = |path: &[Action]| {
        let schedule = Schedule { actions: path.to_vec() };
        let run = run_replay(scenario, &schedule).expect("a path that was walked can be walked again");
        let verdict = judge(scenario, &run);
        schedules += 1;
        for (count, property) in showing.iter_mut().zip(properties) {
            *count += u64::from(verdict.shows(property));
        }
    };
    naive(&model, &model.start(), expiries, &mut judge_path, &mut Vec::new());
    (schedules, showing)
}

#[test]
fn outcomes_add_up_to_all_schedules() {
    let marks = [Mark::StaleWriteAccepted, Mark::GaveUp, Mark::NoProgress];
    let found = search(&reference(2), TWO, &marks);
    let outcomes: Vec<String> =
        found.outcomes.iter().map(|outcome| format!("{:?} {}", outcome.marks, outcome.schedules.decimal())).collect();
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.starts_with("[StaleWriteAccepted]")).count(),
        1,
        "{outcomes:?}"
    );
    assert_eq!(found.schedules().decimal(), "4846");
}

#[test]
fn the_shortest_stale_write_takes_eleven_steps_and_can_be_replayed() {
    let scenario = reference(2);
    let found = shortest(&scenario, &Question::of_harm(TWO), Mark::StaleWriteAccepted);
    let schedule = found.expect("it is small").expect("there is one");
    assert_eq!(schedule.actions.len(), 11, "{schedule}");
    let run = run_replay(&scenario, &schedule).expect("it is a schedule of this scenario");
    assert!(judge(&scenario, &run).shows(Property::StaleWriteAccepted));
    let fenced = guarded(scenario, Guard::FenceAtMost);
    assert_eq!(shortest(&fenced, &Question::of_harm(TWO), Mark::StaleWriteAccepted), Ok(None));
}

#[test]
fn a_loop_without_an_end_is_said_to_be_endless() {
    let scenario = impatient(stale_overwrite(), 1_000_000);
    let found = search(&scenario, TWO, &[Mark::StaleWriteAccepted]);
    assert_eq!(found.stopped, Some(Stop::Endless), "a client whose call takes too long asks again for ever");
    assert!(found.outcomes.is_empty());
}

#[test]
fn asking_again_for_a_lock_that_is_taken_counts_as_waiting_for_it() {
    let asking = stale_overwrite();
    let waiting = patient(&asking).expect("it asks again");
    assert_eq!((patient(&waiting), patient(&reference(2))), (None, None));
    let marks = [Mark::StaleWriteAccepted, Mark::LostUpdate];
    let (found, expected) = (search(&asking, TWO, &marks), search(&waiting, TWO, &marks));
    assert_eq!((found.stopped, found.schedules()), (None, expected.schedules()));
    for outcome in &found.outcomes {
        let run = run_replay(&asking, &outcome.sample).expect("it is a schedule of the scenario as it is");
        let verdict = judge(&asking, &run);
        assert_eq!(verdict.shows(Property::StaleWriteAccepted), outcome.marks.contains(&marks[0]));
        assert_eq!(verdict.shows(Property::LostUpdate), outcome.marks.contains(&marks[1]));
    }
    let shortest = shortest(&asking, &question(TWO, &marks), marks[0]).expect("it is small").expect("there is one");
    let run = run_replay(&asking, &shortest).expect("it is a schedule of the scenario as it is");
    assert!(judge(&asking, &run).shows(Property::StaleWriteAccepted));
}

#[test]
fn steps_lead_to_the_same_answer() {
    let scenario = reference(4);
    let asked = question(TWO, &[Mark::LostUpdate]);
    let mut slices = 0;
    let mut watch = |_| ControlFlow::Continue(());
    let mut work = Box::pin(explore_in_steps(&scenario, &asked, &mut watch));
    let found = loop {
        match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(found) => break found,
            Poll::Pending => slices += 1,
        }
    };
    assert!(slices > 0, "it came to its end at once");
    assert_eq!(found, explore(&scenario, &asked, &mut |_| ControlFlow::Continue(())));
}

#[test]
fn a_search_that_is_stopped_gives_no_counts() {
    let asked = question(TWO, &[Mark::LostUpdate]);
    let small = Question { budget: Budget { states: 100, ..Budget::default() }, ..asked.clone() };
    let found = explore(&reference(3), &small, &mut |_| ControlFlow::Continue(()));
    assert_eq!((found.stopped, found.outcomes.len()), (Some(Stop::States), 0));
    let found = explore(&reference(4), &asked, &mut |_| ControlFlow::Break(()));
    assert_eq!(found.stopped, Some(Stop::Cancelled));
}
