//! The shortest schedule that shows something: breadth first, with the way back.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::mark::Mark;
use super::monitor::{Lookout, Watch};
use super::pace::{breathe, to_the_end};
use super::patient::{asking_in_time, patient};
use super::search::{Progress, Question, Stop};
use super::space::{Layout, Space, StateIndex};
use super::walk::canonical;
use crate::sim::{Action, Model, Scenario, Schedule};

/// The shortest schedule up to the action that first shows a mark; `None` if there
/// is none within the bounds of the question. Clients keep their names, so that it can be
/// [replayed](crate::sim::run_replay).
///
/// # Errors
/// It was stopped before it was through.
pub fn shortest(scenario: &Scenario, question: &Question, mark: Mark) -> Result<Option<Schedule>, Stop> {
    let watch = &mut |_| ControlFlow::Continue(());
    to_the_end(shortest_in_steps(scenario, question, mark, watch))
}

/// Looks for the shortest schedule that shows a mark, in the steps of
/// [`explore_in_steps`](super::explore_in_steps). `None` says that no schedule shows it:
/// this is so too where loops make schedules without number, since there are only so
/// many states. `watch` hears of the progress, and can stop it.
///
/// # Errors
/// It was stopped before it was through.
pub async fn shortest_in_steps(
    scenario: &Scenario,
    question: &Question,
    mark: Mark,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<Schedule>, Stop> {
    let Question { bounds, budget, .. } = question;
    let patient = patient(scenario);
    let scenario = patient.as_ref().unwrap_or(scenario);
    let model = Model::under(scenario, &bounds.assumptions());
    let lookout = Lookout::new(scenario, bounds, &[mark], None).ok_or(Stop::TooManyServers)?;
    let canonical = canonical(&model, &lookout);
    let mut world = model.start();
    let mut space = Space::new(Layout::new(world.cells().len(), bounds, &lookout, true));
    let start = Watch { left: bounds.left(), ..Watch::default() };
    canonical.tidy(&model, &mut world);
    // Two bytes hold every cell, so there is always room for a state.
    space.meet(&world, &start).map_err(|_| Stop::Memory)?;
    let mut came_from: Vec<Option<(StateIndex, Action)>> = alloc::vec![None];
    let mut possible = Vec::new();
    let (mut at, mut actions) = (0, 0);
    while at < came_from.len() {
        let memory = space.memory() + came_from.capacity() * size_of::<Option<(StateIndex, Action)>>();
        if let Some(stop) = budget.used_up(space.len(), memory) {
            return Err(stop);
        }
        if at.is_multiple_of(4_096) {
            if watch(Progress { states: space.len(), actions }).is_break() {
                return Err(Stop::Cancelled);
            }
            breathe().await;
        }
        let state = space.state(at as StateIndex, &mut world);
        bounds.possible(&model, &world, state.left, &mut possible);
        if possible.is_empty() && lookout.at_the_end(&model, &world).marks != 0 {
            return Ok(Some(asking_in_time(scenario, way_to(&came_from, at))));
        }
        for &action in &possible {
            actions += 1;
            let (mut after, mut next) = (world.clone(), state);
            let seen = lookout.apply(&model, &mut after, &mut next, action);
            if let Some(stop) = seen.ends {
                return Err(stop);
            }
            if seen.marks != 0 {
                let mut schedule = way_to(&came_from, at);
                schedule.actions.push(action);
                return Ok(Some(asking_in_time(scenario, schedule)));
            }
            canonical.tidy(&model, &mut after);
            if !space.meet(&after, &next).map_err(|_| Stop::Memory)?.1 {
                came_from.push(Some((at as StateIndex, action)));
            }
        }
        at += 1;
    }
    Ok(None)
}

fn way_to(came_from: &[Option<(StateIndex, Action)>], state: usize) -> Schedule {
    let mut actions = Vec::new();
    let mut at = state;
    while let Some((before, action)) = came_from[at] {
        actions.push(action);
        at = before as usize;
    }
    actions.reverse();
    Schedule { actions }
}
