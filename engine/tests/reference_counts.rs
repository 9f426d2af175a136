//! The counts of the reference scenario, by the most naive search there is: walk
//! every schedule of two clients to its end. The explorer must agree with these.

use racescope_engine::check::{Property, judge};
use racescope_engine::sim::example::{guarded, reference};
use racescope_engine::sim::{Action, Guard, Model, Scenario, Schedule, World, run_replay};

/// Walks all schedules with at most `expiries` ended leases; returns how many
/// there are and how many of them have a stale write.
fn count(scenario: &Scenario, expiries: u32) -> (u64, u64) {
    let model = Model::new(scenario);
    let mut path = Schedule::default();
    let mut counts = (0, 0);
    walk(&model, &model.start(), expiries, &mut path, &mut counts);
    counts
}

fn walk(model: &Model<'_>, world: &World, expiries: u32, path: &mut Schedule, counts: &mut (u64, u64)) {
    let mut enabled = Vec::new();
    model.enabled(world, &mut enabled);
    enabled.retain(|action| expiries > 0 || !matches!(action, Action::Expire(_)));
    if enabled.is_empty() {
        let run = run_replay(model.scenario(), path).expect("a path that was walked can be walked again");
        counts.0 += 1;
        counts.1 += u64::from(judge(model.scenario(), &run).shows(Property::StaleWriteAccepted));
    }
    for action in enabled {
        let mut next = world.clone();
        model.apply(&mut next, action, &mut ());
        let left = expiries - u32::from(matches!(action, Action::Expire(_)));
        path.actions.push(action);
        walk(model, &next, left, path, counts);
        path.actions.pop();
    }
}

#[test]
fn two_clients_without_a_fence_have_1288_stale_schedules_of_4846() {
    assert_eq!(count(&reference(2), 2), (4_846, 1_288));
}

#[test]
fn two_clients_with_a_fence_have_no_stale_schedule_of_4846() {
    assert_eq!(count(&guarded(reference(2), Guard::FenceAtMost), 2), (4_846, 0));
}
