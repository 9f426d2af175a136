//! What there is to know about all schedules of a scenario, asked at once.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::monitor::{Bounds, Mark};
use super::search::{Budget, Exploration, Progress, explore};
use super::shortest::shortest;
use crate::sim::{Scenario, Schedule};

/// What is asked about all schedules of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// How much of what may go wrong at all goes wrong in one schedule.
    pub bounds: Bounds,
    /// What schedules are counted by.
    pub marks: Vec<Mark>,
    /// How much the search may take.
    pub budget: Budget,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The counts.
    pub exploration: Exploration,
    /// For each mark that some schedule shows the shortest one up to the action that
    /// first shows it.
    pub shortest: Vec<(Mark, Schedule)>,
}

impl Question {
    /// Asks for everything that does harm.
    pub fn of_harm(bounds: Bounds) -> Self {
        Self { bounds, marks: Mark::HARM.to_vec(), budget: Budget::default() }
    }
}

/// Counts all schedules, and looks for the shortest that shows each mark. `watch`
/// hears of the progress of the counting, and can stop it; then nothing else is
/// looked for.
pub fn survey(scenario: &Scenario, question: &Question, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Survey {
    let Question { bounds, marks, budget } = question;
    let exploration = explore(scenario, *bounds, marks, *budget, watch);
    let mut found = Vec::new();
    for &mark in marks.iter().filter(|&&mark| !exploration.showing(mark).is_zero()) {
        found.extend(shortest(scenario, *bounds, mark, *budget).map(|schedule| (mark, schedule)));
    }
    Survey { exploration, shortest: found }
}
