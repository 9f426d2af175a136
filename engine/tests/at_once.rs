//! Steps that happen in the same action as the one before them, and comparisons.

use racescope_engine::sim::example::reference;
use racescope_engine::sim::{
    Branch, Change, NodeKind, Operation, Outcome, Scenario, ScenarioError, Step, Target, run_random, run_replay,
    run_timed,
};

/// One client reads, compares and computes; what leads forward is `at_once`.
fn scenario(with: u16, at_once: bool) -> Scenario {
    let mut scenario = reference(1);
    let read = scenario.programs[0].steps[2].clone();
    let local = |operation, branches| Step { work_us: 0, operation, branches, at_once, timeout_us: None };
    let stop = vec![Branch { outcome: Outcome::AtLeast, target: Target::Stop }];
    let compare = local(Operation::Compare { register: 2, with }, stop);
    let compute = local(Operation::Compute { from: 2, into: 2, add: 1 }, vec![]);
    let write = scenario.programs[0].steps[4].clone();
    scenario.programs[0].steps = vec![read, compare, compute, write];
    scenario
}

/// The schedule of a run, and the changes of the client in it.
fn told(scenario: &Scenario) -> (String, Vec<String>) {
    assert_eq!(scenario.validate(), Ok(()));
    let (trace, schedule) = run_random(scenario, 1, 0);
    assert_eq!(run_replay(scenario, &schedule).as_ref(), Ok(&trace));
    let own = trace.changes().filter(|(_, event, _)| event.actor == 0).map(|(_, _, change)| change);
    let words = own.map(|change| format!("{change:?}").split([' ', '(']).next().unwrap_or_default().to_string());
    (schedule.to_string(), words.collect())
}

#[test]
fn steps_at_once_are_one_action_with_the_call_before_them() {
    let changes = ["Sent", "Learned", "Compared", "Computed", "Sent", "Learned", "Finished"];
    assert_eq!(told(&scenario(1, true)), ("step:0 step:0".into(), changes.map(String::from).to_vec()));
    assert_eq!(told(&scenario(1, false)), ("step:0 step:0 step:0 step:0".into(), changes.map(String::from).to_vec()));
}

#[test]
fn a_value_that_has_reached_the_number_is_told_from_one_below_it() {
    let stopped = ["Sent", "Learned", "Compared", "Stopped"];
    assert_eq!(told(&scenario(0, true)), ("step:0".into(), stopped.map(String::from).to_vec()));
}

#[test]
fn a_step_that_takes_time_cannot_happen_at_once() {
    let with = |change: fn(&mut Step)| {
        let mut scenario = scenario(1, true);
        change(&mut scenario.programs[0].steps[2]);
        scenario.validate()
    };
    assert_eq!(with(|_| ()), Ok(()));
    assert_eq!(with(|step| step.work_us = 1), Err(ScenarioError::TakesTime));
    assert_eq!(with(|step| step.operation = Operation::Wait { us: 1 }), Err(ScenarioError::TakesTime));
}

#[test]
fn a_lock_whose_leases_do_not_end_keeps_its_holder() {
    let mut scenario = reference(1);
    scenario.programs[0].steps.truncate(1);
    let ended = |scenario: &Scenario| {
        let trace = run_timed(scenario, &[]);
        trace.changes().filter(|(_, _, change)| matches!(change, Change::Expired { .. })).count()
    };
    assert_eq!(ended(&scenario), 1);
    for node in &mut scenario.nodes {
        if let NodeKind::Lock(lock) = &mut node.kind {
            lock.expires = false;
        }
    }
    assert_eq!(ended(&scenario), 0);
    let (random, _) = run_random(&scenario, 1, 9);
    assert!(random.changes().all(|(_, _, change)| !matches!(change, Change::Expired { .. })));
}
