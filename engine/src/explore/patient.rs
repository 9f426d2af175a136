//! Asking again and again for a lock that is taken, as waiting for it.
//!
//! A client that hears that the lock is taken, sleeps, and asks again can do so any
//! number of times, and so there is no number of schedules. Asking in vain changes
//! nothing for anybody, though. A search therefore leaves it out: it counts the
//! schedules in which a client asks when it gets the lock. Each of them is a schedule of
//! the scenario as it is, and what it has more only asks in vain in between.

use alloc::vec::Vec;

use crate::sim::{Action, Granularity, Model, Operation, Outcome, Program, Request, Scenario, Schedule, Step, Target};

/// The scenario with waiting in place of asking again; `None` if nobody asks again.
pub fn patient(scenario: &Scenario) -> Option<Scenario> {
    let mut patient = scenario.clone();
    let mut is_other = false;
    for program in &mut patient.programs {
        let again: Vec<usize> = (0..program.steps.len()).filter(|&at| asks_again(program, at)).collect();
        for step in again {
            let step = &mut program.steps[step];
            if let Operation::Call { request: Request::Acquire { blocking, .. }, .. } = &mut step.operation {
                *blocking = true;
            }
            step.branches.retain(|branch| branch.outcome != Outcome::Busy);
            is_other = true;
        }
    }
    is_other.then_some(patient)
}

/// Whether a step asks for a lock and, where that is taken, does nothing but sleep
/// before it asks again. With a deadline it would hear nothing for too long instead.
fn asks_again(program: &Program, at: usize) -> bool {
    let asks = |step: &Step| match step.operation {
        Operation::Call { request: Request::Acquire { blocking, .. }, .. } => !blocking && step.timeout_us.is_none(),
        _ => false,
    };
    let sleeps = |step: &&Step| matches!(step.operation, Operation::Wait { .. });
    let after = |from: usize, target: Target| match target {
        Target::Next => Some(from + 1),
        Target::Step(step) => Some(usize::from(step)),
        Target::Stop | Target::End => None,
    };
    let mut next = after(at, program.steps[at].target(Outcome::Busy));
    for _ in 0..program.steps.len() {
        let Some(place) = next.filter(|&place| place != at) else { break };
        let step = program.steps.get(place).filter(sleeps);
        next = step.and_then(|step| after(place, step.target(Outcome::Done)));
    }
    asks(&program.steps[at]) && next == Some(at)
}

/// The same schedule of a patient scenario, in which a client sends its request for a
/// lock only right before it gets it; one that never gets it doesn't ask.
pub(super) fn asking_in_time(patient: &Scenario, schedule: Schedule) -> Schedule {
    if patient.granularity != Granularity::SendServeDeliver {
        return schedule;
    }
    let model = Model::new(patient);
    let mut world = model.start();
    let mut waiting: Vec<Action> = Vec::new();
    let mut actions = Vec::new();
    for action in schedule.actions {
        if sends_for_a_lock(&model, &world, action) {
            waiting.push(action);
        } else {
            let own = |sent: &Action| !is_stray(action) && sent.place() == action.place();
            actions.extend(waiting.iter().position(own).map(|place| waiting.remove(place)));
            actions.push(action);
        }
        model.apply(&mut world, action, &mut ());
    }
    Schedule { actions }
}

fn sends_for_a_lock(model: &Model<'_>, world: &crate::sim::World, action: Action) -> bool {
    let Action::Step(client) = action else { return false };
    let asks = |step: &Step| {
        matches!(step.operation, Operation::Call { request: Request::Acquire { blocking: true, .. }, .. })
    };
    model.step_of(world, client).is_some_and(asks)
}

/// Whether an action names a message and not a node.
fn is_stray(action: Action) -> bool {
    matches!(action, Action::ServeStray(_) | Action::LoseStray(_))
}
