//! What nobody else can notice, moved to just before what follows from it: a message that
//! would be late is then sent late, or a process that would stand still hears late.

use alloc::vec::Vec;

use super::super::bounds::Bounds;
use super::early::slot_of;
use crate::sim::{Action, Granularity, Model, Operation, Scenario, Schedule, World};

/// The same schedule with requests sent as late as they can be, unless messages may be
/// late, and with answers heard as late as they can be, unless processes may pause. `None`
/// if nothing is moved, or if it would come to anything else.
pub(super) fn late(scenario: &Scenario, schedule: &Schedule, bounds: &Bounds) -> Option<Schedule> {
    let model = Model::new(scenario);
    let mut world = model.start();
    let mut is_movable = Vec::new();
    for &action in &schedule.actions {
        is_movable.push(match action {
            Action::Step(client) => {
                let sends = |operation: &Operation| matches!(operation, Operation::Call { .. } | Operation::Ask { .. });
                let is_a_message = scenario.granularity == Granularity::SendServeDeliver;
                !bounds.late_messages
                    && is_a_message
                    && model.step_of(&world, client).is_some_and(|step| sends(&step.operation))
            }
            Action::Deliver(_) => !bounds.pauses,
            _ => false,
        });
        model.apply(&mut world, action, &mut ());
    }
    let mut moved = schedule.actions.clone();
    for place in (0..moved.len()).rev().filter(|&place| is_movable[place]) {
        let is_own = |other: &Action| slot_of(*other).is_none() && other.place() == moved[place].place();
        let next = moved[place + 1..].iter().position(is_own).map_or(place, |next| place + next);
        moved[place..=next].rotate_left(1);
    }
    let moved = Schedule { actions: moved };
    (moved != *schedule && comes_to(&model, &moved) == Some(world)).then_some(moved)
}

/// What a schedule comes to, if it is one.
fn comes_to(model: &Model<'_>, schedule: &Schedule) -> Option<World> {
    let mut world = model.start();
    for &action in &schedule.actions {
        if !model.can(&world, action) {
            return None;
        }
        model.apply(&mut world, action, &mut ());
    }
    Some(world)
}
