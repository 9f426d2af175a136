//! The shortest schedule that shows something: breadth first, with the way back.

use alloc::vec::Vec;

use super::monitor::{Lookout, Mark, Watch};
use super::search::Question;
use super::space::{Layout, Space, StateIndex};
use super::walk::canonical;
use crate::sim::{Action, Model, Scenario, Schedule};

/// The shortest schedule up to the action that first shows a mark; `None` if there
/// is none within the bounds and the budget of the question. Clients keep their
/// names, so that it can be [replayed](crate::sim::run_replay).
pub fn shortest(scenario: &Scenario, question: &Question, mark: Mark) -> Option<Schedule> {
    let Question { bounds, budget, .. } = question;
    let model = Model::under(scenario, &bounds.assumptions());
    let lookout = Lookout::new(scenario, &[mark], None)?;
    let canonical = canonical(&model, &lookout);
    let mut world = model.start();
    let mut space = Space::new(Layout::new(scenario, world.cells().len(), bounds, &lookout, true));
    let start = Watch { left: bounds.left(), ..Watch::default() };
    canonical.tidy(&model, &mut world);
    space.meet(&world, &start).ok()?;
    let mut came_from: Vec<Option<(StateIndex, Action)>> = alloc::vec![None];
    let mut possible = Vec::new();
    let mut at = 0;
    while at < came_from.len() && space.len() <= budget.states && space.memory() <= budget.memory {
        let state = space.state(at as StateIndex, &mut world);
        bounds.possible(&model, &world, state.left, &mut possible);
        if possible.is_empty() && lookout.at_the_end(&model, &world).marks != 0 {
            return Some(way_to(&came_from, at));
        }
        for &action in &possible {
            let (mut after, mut next) = (world.clone(), state);
            if lookout.apply(&model, &mut after, &mut next, action).marks != 0 {
                let mut schedule = way_to(&came_from, at);
                schedule.actions.push(action);
                return Some(schedule);
            }
            canonical.tidy(&model, &mut after);
            if !space.meet(&after, &next).ok()?.1 {
                came_from.push(Some((at as StateIndex, action)));
            }
        }
        at += 1;
    }
    None
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
