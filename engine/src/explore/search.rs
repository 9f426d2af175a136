//! The exhaustive search from outside: what it may take, and what it finds.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::count::{Count, Share};
use super::mark::Mark;
use super::monitor::{Lookout, Seen};
use super::pace::to_the_end;
use super::patient::{asking_in_time, patient};
use super::tally::Tally;
use super::walk::{Walk, Weighing};
use crate::sim::{Model, Scenario, Schedule};

/// How much a search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most states that it may meet.
    pub states: usize,
    /// The most memory that its states may take, in bytes.
    pub memory: usize,
}

impl Default for Budget {
    /// Twenty million states, and a gibibyte and a half.
    fn default() -> Self {
        Self { states: 20_000_000, memory: 1_536 << 20 }
    }
}

impl Budget {
    /// What of it so many states in so much memory have used up, if something is.
    pub(super) fn used_up(&self, states: usize, memory: usize) -> Option<Stop> {
        match (states > self.states, memory > self.memory) {
            (true, _) => Some(Stop::States),
            (_, true) => Some(Stop::Memory),
            _ => None,
        }
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many states it has met.
    pub states: usize,
    /// How many actions it has tried.
    pub actions: u64,
}

/// Why a search stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// It has met as many states as its budget lets it.
    States,
    /// Its states have taken as much memory as its budget lets them.
    Memory,
    /// A schedule takes more actions than a search can count.
    Length,
    /// It was told to.
    Cancelled,
    /// A loop comes back to a state that it has been in, so there are schedules
    /// without an end, and more of them than any number.
    Endless,
    /// It has more storages or lock services than a search can watch.
    TooManyServers,
    /// A client is told how much time is left, and without time nobody knows.
    TellsTime,
    /// A program gets an answer that it doesn't know, and ends there.
    Unexpected,
}

/// Schedules that show the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What they show; empty for those that show nothing.
    pub marks: Vec<Mark>,
    /// What the tally comes to in them; 0 without one.
    pub tally: u8,
    /// How many there are.
    pub schedules: Count,
    /// One of them.
    pub sample: Schedule,
}

/// How likely it is that a schedule shows something, if at each step everything that
/// can happen next is equally likely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likelihood {
    /// What it shows.
    pub marks: Vec<Mark>,
    /// What the tally comes to in it; 0 without one.
    pub tally: u8,
    /// How likely that is.
    pub share: Share,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// How many states it met. Clients that can't be told apart are one state,
    /// whichever of them is where, and what can't matter any more is left out.
    pub states: usize,
    /// Why it stopped early; `None` if it is complete.
    pub stopped: Option<Stop>,
    /// The schedules by what they show; empty if the search was stopped, since a
    /// part of them says nothing.
    pub outcomes: Vec<Outcome>,
}

impl Exploration {
    /// How many complete schedules there are.
    pub fn schedules(&self) -> Count {
        self.sum(|_| true)
    }

    /// How many of them show a mark.
    pub fn showing(&self, mark: Mark) -> Count {
        self.sum(|outcome| outcome.marks.contains(&mark))
    }

    /// In how many of them the tally comes to this number.
    pub fn tallied(&self, tally: u8) -> Count {
        self.sum(|outcome| outcome.tally == tally)
    }

    fn sum(&self, which: impl Fn(&Outcome) -> bool) -> Count {
        let mut sum = Count::default();
        for outcome in self.outcomes.iter().filter(|outcome| which(outcome)) {
            sum.add(&outcome.schedules);
        }
        sum
    }
}

/// What is asked about all schedules of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// How much of what may go wrong at all goes wrong in one schedule.
    pub bounds: Bounds,
    /// What schedules are counted by.
    pub marks: Vec<Mark>,
    /// What is counted within a schedule, if something is.
    pub tally: Option<Tally>,
    /// How much the search may take.
    pub budget: Budget,
    /// Whether states with the same future are met as one. That changes no count of
    /// schedules; without it, a search meets every state that there is.
    pub reduced: bool,
}

impl Question {
    /// Asks for everything that does harm.
    pub fn of_harm(bounds: Bounds) -> Self {
        Self { bounds, marks: Mark::HARM.to_vec(), tally: None, budget: Budget::default(), reduced: true }
    }
}

/// Walks every schedule of a scenario within bounds, and counts them by what is asked
/// for. Asking again for a lock that is taken counts as [waiting for it](patient). `watch` hears of the progress every few thousand actions, and can stop the search.
pub fn explore(
    scenario: &Scenario,
    question: &Question,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Exploration {
    to_the_end(explore_in_steps(scenario, question, watch))
}

/// Does what [`explore`] does, a few thousand actions each time it is polled, for those
/// who have other things to do in between. It wakes nobody: poll it when there is time.
pub async fn explore_in_steps(
    scenario: &Scenario,
    question: &Question,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Exploration {
    let patient = patient(scenario);
    let scenario = patient.as_ref().unwrap_or(scenario);
    let model = Model::under(scenario, &question.bounds.assumptions());
    let Some(lookout) = Lookout::new(scenario, &question.bounds, &question.marks, question.tally.as_ref()) else {
        return Exploration { states: 0, stopped: Some(Stop::TooManyServers), outcomes: Vec::new() };
    };
    let (walk, stopped) = Walk::over(&model, &lookout, question, &Weighing::Schedules, watch).await;
    let mut outcomes = Vec::new();
    if stopped.is_none() {
        for (class, schedules) in walk.whole() {
            let Seen { marks, tally, .. } = class.into();
            let sample = asking_in_time(scenario, walk.sample(class));
            outcomes.push(Outcome { marks: lookout.marks_in(marks), tally, schedules, sample });
        }
    }
    Exploration { states: walk.states(), stopped, outcomes }
}

/// How likely each outcome is if at each step everything that can happen next is
/// equally likely, as a fair scheduler makes it; exactly. The numbers are longer than
/// those of the counts, so they can take too much memory where those don't.
///
/// # Errors
/// It was stopped, for the reasons for which [`explore`] is.
pub fn likelihoods(
    scenario: &Scenario,
    question: &Question,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<Likelihood>, Stop> {
    to_the_end(likelihoods_in_steps(scenario, question, watch))
}

/// Does what [`likelihoods`] does, in the steps of [`explore_in_steps`].
///
/// # Errors
/// Those of [`likelihoods`].
pub async fn likelihoods_in_steps(
    scenario: &Scenario,
    question: &Question,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<Likelihood>, Stop> {
    let patient = patient(scenario);
    let scenario = patient.as_ref().unwrap_or(scenario);
    let model = Model::under(scenario, &question.bounds.assumptions());
    let Some(lookout) = Lookout::new(scenario, &question.bounds, &question.marks, question.tally.as_ref()) else {
        return Err(Stop::TooManyServers);
    };
    let (counted, stopped) = Walk::over(&model, &lookout, question, &Weighing::Schedules, watch).await;
    let weighing = Weighing::steps(counted.most_actions());
    drop(counted);
    if let Some(stop) = stopped {
        return Err(stop);
    }
    let (walk, stopped) = Walk::over(&model, &lookout, question, &weighing, watch).await;
    if let Some(stop) = stopped {
        return Err(stop);
    }
    let mut whole = Count::default();
    walk.whole().for_each(|(_, part)| whole.add(&part));
    let likelihood = |(class, part): (_, Count)| {
        let Seen { marks, tally, .. } = Seen::from(class);
        Likelihood { marks: lookout.marks_in(marks), tally, share: Share { part, whole: whole.clone() } }
    };
    Ok(walk.whole().map(likelihood).collect())
}
