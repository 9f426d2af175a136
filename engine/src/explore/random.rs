//! Random schedules: at each step everything that can happen next is equally likely.
//!
//! This finds and never proves. Each schedule has a number, and is made from it and
//! the seed alone, so that any of them can be looked at again.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use rand_pcg::Pcg32;

use super::bounds::Bounds;
use super::ledger::Class;
use super::monitor::{Lookout, Mark, Seen, Watch};
use super::pace::{breathe, to_the_end};
use super::search::{Progress, Question, Stop};
use crate::sim::random::below;
use crate::sim::{Model, Scenario, Schedule, World};

/// The most actions of a random schedule; one that could go on is cut.
const MOST_ACTIONS: usize = 10_000;

/// Random schedules that show the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// What they show; empty for those that show nothing.
    pub marks: Vec<Mark>,
    /// What the tally comes to in them; 0 without one.
    pub tally: u8,
    /// How many there were.
    pub schedules: u32,
    /// The number of the first of them, for [`random_schedule`].
    pub first: u32,
}

/// What random schedules have shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// From what they were made.
    pub seed: u64,
    /// How many schedules were made: fewer than were asked for if it was stopped.
    pub schedules: u32,
    /// Why no more were made, if fewer were than were asked for.
    pub stopped: Option<Stop>,
    /// How many of them were cut, since they went on for too long.
    pub cut: u32,
    /// The schedules by what they show.
    pub outcomes: Vec<Sampled>,
}

impl Sampling {
    /// How many schedules showed a mark.
    pub fn showing(&self, mark: Mark) -> u32 {
        self.outcomes.iter().filter(|outcome| outcome.marks.contains(&mark)).map(|outcome| outcome.schedules).sum()
    }
}

/// Makes so many random schedules. `watch` hears of the progress every few hundred
/// schedules, and can stop it; the budget of the question doesn't count.
pub fn sample(
    scenario: &Scenario,
    question: &Question,
    seed: u64,
    schedules: u32,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Sampling {
    to_the_end(sample_in_steps(scenario, question, seed, schedules, watch))
}

/// Does what [`sample`] does, a few hundred schedules each time it is polled.
pub async fn sample_in_steps(
    scenario: &Scenario,
    question: &Question,
    seed: u64,
    schedules: u32,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Sampling {
    let mut sampling = Sampling { seed, schedules: 0, stopped: None, cut: 0, outcomes: Vec::new() };
    let model = Model::under(scenario, &question.bounds.assumptions());
    let Some(lookout) = Lookout::new(scenario, &question.marks, question.tally.as_ref()) else {
        return Sampling { stopped: Some(Stop::TooManyServers), ..sampling };
    };
    let mut classes: Vec<(Class, u32, u32)> = Vec::new();
    let mut actions = 0;
    let start = model.start();
    let mut walk = RandomWalk { world: start.clone(), possible: Vec::new() };
    for number in 0..schedules {
        if number.is_multiple_of(256) {
            if watch(Progress { states: number as usize, actions }).is_break() {
                sampling.stopped = Some(Stop::Cancelled);
                break;
            }
            breathe().await;
        }
        walk.world.clone_from(&start);
        let (seen, is_cut) = walk.go(&model, &lookout, &question.bounds, seed, number, |_| actions += 1);
        if seen.ends.is_some() {
            sampling.stopped = seen.ends;
            break;
        }
        sampling.schedules += 1;
        sampling.cut += u32::from(is_cut);
        let class = Class::from(seen);
        match classes.iter_mut().find(|(known, ..)| *known == class) {
            Some((_, count, _)) => *count += 1,
            None => classes.push((class, 1, number)),
        }
    }
    classes.sort_unstable();
    for (class, schedules, first) in classes {
        let Seen { marks, tally, .. } = class.into();
        sampling.outcomes.push(Sampled { marks: lookout.marks_in(marks), tally, schedules, first });
    }
    sampling
}

/// The random schedule of this seed with this number, for [`crate::sim::run_replay`].
pub fn random_schedule(scenario: &Scenario, bounds: &Bounds, seed: u64, number: u32) -> Schedule {
    let model = Model::under(scenario, &bounds.assumptions());
    let mut schedule = Schedule::default();
    if let Some(lookout) = Lookout::new(scenario, &[], None) {
        let mut walk = RandomWalk { world: model.start(), possible: Vec::new() };
        walk.go(&model, &lookout, bounds, seed, number, |action| schedule.actions.push(action));
    }
    schedule
}

struct RandomWalk {
    world: World,
    possible: Vec<crate::sim::Action>,
}

impl RandomWalk {
    /// Goes from the start to an end, or to where nothing that follows would mean
    /// anything. Returns what was shown, and whether it was cut.
    fn go(
        &mut self,
        model: &Model<'_>,
        lookout: &Lookout<'_>,
        bounds: &Bounds,
        seed: u64,
        number: u32,
        mut happens: impl FnMut(crate::sim::Action),
    ) -> (Seen, bool) {
        let mut dice = Pcg32::new(seed, number.into());
        let mut state = Watch { left: bounds.left(), ..Watch::default() };
        let mut seen = Class::from(Seen::default());
        for _ in 0..MOST_ACTIONS {
            bounds.possible(model, &self.world, state.left, &mut self.possible);
            if self.possible.is_empty() {
                return (seen.after(lookout.at_the_end(model, &self.world)).into(), false);
            }
            let action = self.possible[below(&mut dice, self.possible.len() as u32) as usize];
            let edge = lookout.apply(model, &mut self.world, &mut state, action);
            happens(action);
            if edge.ends.is_some() {
                return (edge, false);
            }
            seen = seen.after(edge);
        }
        (seen.into(), true)
    }
}
