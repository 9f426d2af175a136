//! What there is to know about all schedules of a scenario, asked at once.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::mark::Mark;
use super::realise::{Realisation, Unrealisable, realise};
use super::search::{Exploration, Likelihood, Progress, Question, Stop, explore, likelihoods};
use super::shortest::shortest;
use crate::sim::{Scenario, Schedule};

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The counts.
    pub exploration: Exploration,
    /// For each mark that some schedule shows the shortest one up to the action that
    /// first shows it.
    pub shortest: Vec<Counterexample>,
    /// For each mark that some schedule shows, and whose shortest was not found, why the
    /// search for it was stopped.
    pub not_found: Vec<(Mark, Stop)>,
    /// How likely each outcome is, step by step, or why that isn't known; `None` for a
    /// question without a tally, and where there are no counts.
    pub likelihoods: Option<Result<Vec<Likelihood>, Stop>>,
}

/// A schedule that shows a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What it shows.
    pub mark: Mark,
    /// The shortest schedule up to the action that first shows it.
    pub schedule: Schedule,
    /// The faults under which a timed run takes it; or, if there are none, one of
    /// the samples that show the mark.
    pub realised: Result<Realisation, Unrealisable>,
}

/// Counts all schedules, and looks for the shortest that shows each mark. `watch`
/// hears of the progress of the counting, and can stop it; then nothing else is
/// looked for.
pub fn survey(scenario: &Scenario, question: &Question, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Survey {
    let exploration = explore(scenario, question, watch);
    let (mut found, mut not_found) = (Vec::new(), Vec::new());
    for &mark in question.marks.iter().filter(|&&mark| !exploration.showing(mark).is_zero()) {
        let schedule = match shortest(scenario, question, mark) {
            Ok(Some(schedule)) => schedule,
            Ok(None) => continue,
            Err(stop) => {
                not_found.push((mark, stop));
                continue;
            }
        };
        let mut realised = realise(scenario, &schedule, &question.bounds);
        for outcome in exploration.outcomes.iter().filter(|outcome| outcome.marks.contains(&mark)) {
            if realised.is_err() {
                realised = realise(scenario, &outcome.sample, &question.bounds).or(realised);
            }
        }
        found.push(Counterexample { mark, schedule, realised });
    }
    let is_asked = question.tally.is_some() && exploration.stopped.is_none();
    let likelihoods = is_asked.then(|| likelihoods(scenario, question, watch));
    Survey { exploration, shortest: found, not_found, likelihoods }
}
