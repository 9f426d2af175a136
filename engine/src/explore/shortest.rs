//! The shortest schedule that shows something: breadth first, with the way back.

use alloc::vec::Vec;

use super::monitor::{ASSUMED, Bounds, Mark, Monitor, Watch, beliefs_overlap, storage_places};
use super::search::Budget;
use super::space::{Space, StateIndex};
use crate::sim::{Action, Canonical, Model, Scenario, Schedule};

/// The shortest schedule up to the action that first shows a mark; `None` if there
/// is none within the bounds and the budget. Clients keep their names, so that it
/// can be [replayed](crate::sim::run_replay).
pub fn shortest(scenario: &Scenario, bounds: Bounds, mark: Mark, budget: Budget) -> Option<Schedule> {
    let model = Model::under(scenario, &ASSUMED);
    let canonical = Canonical::new(&model, mark == Mark::OverlapOfBelief);
    let places = storage_places(&model);
    let mut world = model.start();
    let mut space = Space::new(world.cells().len(), true);
    let start = Watch { expiries_left: bounds.expiries, ..Watch::default() };
    canonical.tidy(&model, &mut world);
    space.meet(&world, &start).ok()?;
    let mut came_from: Vec<Option<(StateIndex, Action)>> = alloc::vec![None];
    let mut enabled = Vec::new();
    let mut at = 0;
    while at < came_from.len() && space.len() <= budget.states && space.memory() <= budget.memory {
        let state = space.state(at as StateIndex, &mut world);
        model.enabled(&world, &mut enabled);
        let stuck = mark == Mark::NoProgress
            && enabled.iter().all(|action| state.expiries_left == 0 && matches!(action, Action::Expire(_)))
            && scenario.clients().any(|client| model.next_step(&world, client).is_some());
        if stuck {
            return Some(way_to(&came_from, at));
        }
        for &action in &enabled {
            let mut next = state;
            if let Action::Expire(_) = action {
                let Some(left) = next.expiries_left.checked_sub(1) else { continue };
                next.expiries_left = left;
            }
            let mut after = world.clone();
            let mut monitor = Monitor { watch: &mut next, wanted: mark.bit(), places: &places, seen: 0 };
            model.apply(&mut after, action, &mut monitor);
            let shown = monitor.seen != 0 || (mark == Mark::OverlapOfBelief && beliefs_overlap(&model, &after));
            if shown {
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
