//! Random schedules: at each step everything that can happen next is equally likely.
//!
//! This finds and never proves. Each schedule has a number, and is made from it and
//! the seed alone, so that any of them can be looked at again.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use rand_pcg::Pcg32;

use super::bounds::Bounds;
use super::known::{Known, MOST_MEMORY, Unknown};
use super::ledger::Class;
use super::mark::Mark;
use super::monitor::{Lookout, Seen, Watch};
use super::pace::{breathe, to_the_end};
use super::search::{Progress, Question, Stop};
use crate::sim::random::below;
use crate::sim::{Model, Scenario, Schedule, World};

/// The most actions of a random schedule; one that could go on is cut.
pub(super) const MOST_ACTIONS: usize = 10_000;

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
    let Some(lookout) = Lookout::new(scenario, &question.bounds, &question.marks, question.tally.as_ref()) else {
        return Sampling { stopped: Some(Stop::TooManyServers), ..sampling };
    };
    let mut classes: Vec<(Class, u32, u32)> = Vec::new();
    let mut actions = 0;
    let mut walks = Walks::new(&model, &lookout, &question.bounds, MOST_MEMORY);
    for number in 0..schedules {
        if number.is_multiple_of(256) {
            if watch(Progress { states: number as usize, actions }).is_break() {
                sampling.stopped = Some(Stop::Cancelled);
                break;
            }
            breathe().await;
        }
        let (seen, is_cut) = walks.go(seed, number, &mut actions);
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
    if let Some(lookout) = Lookout::new(scenario, bounds, &[], None) {
        let mut walk = RandomWalk { world: model.start(), possible: Vec::new() };
        walk.go(&model, &lookout, bounds, dice(seed, number), |action| schedule.actions.push(action));
    }
    schedule
}

/// From what the schedule with this number is made.
fn dice(seed: u64, number: u32) -> Pcg32 {
    Pcg32::new(seed, number.into())
}

/// Random walks that learn from each other, as long as there is memory for it.
struct Walks<'a> {
    model: &'a Model<'a>,
    lookout: &'a Lookout<'a>,
    bounds: &'a Bounds,
    most_memory: usize,
    known: Option<Known<'a>>,
    alone: RandomWalk,
}

impl<'a> Walks<'a> {
    fn new(model: &'a Model<'a>, lookout: &'a Lookout<'a>, bounds: &'a Bounds, most_memory: usize) -> Self {
        let known = Some(Known::new(model, lookout, bounds, false, most_memory));
        let alone = RandomWalk { world: model.start(), possible: Vec::new() };
        Self { model, lookout, bounds, most_memory, known, alone }
    }

    /// Makes the schedule with this number. Returns what was shown, and whether it was cut.
    fn go(&mut self, seed: u64, number: u32, actions: &mut u64) -> (Seen, bool) {
        while let Some(known) = &mut self.known {
            match known.go(&mut dice(seed, number), actions) {
                Ok(walked) => return walked,
                Err(Unknown::Wide) => {
                    *known = Known::new(self.model, self.lookout, self.bounds, true, self.most_memory);
                }
                Err(Unknown::Full) => self.known = None,
            }
        }
        self.alone.world = self.model.start();
        self.alone.go(self.model, self.lookout, self.bounds, dice(seed, number), |_| *actions += 1)
    }
}

/// A walk by itself.
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
        mut dice: Pcg32,
        mut happens: impl FnMut(crate::sim::Action),
    ) -> (Seen, bool) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::NodeKind;
    use crate::sim::example::reference;

    /// Makes random schedules with and without knowing of the former ones.
    fn check(scenario: &Scenario, bounds: Bounds, most_memory: usize) {
        let model = Model::under(scenario, &bounds.assumptions());
        let lookout = Lookout::new(scenario, &bounds, &Mark::ALL, None).expect("there are few servers");
        let mut walks = Walks::new(&model, &lookout, &bounds, most_memory);
        let mut alone = RandomWalk { world: model.start(), possible: Vec::new() };
        for number in 0..2_000 {
            alone.world = model.start();
            let expected = alone.go(&model, &lookout, &bounds, dice(9, number), |_| {});
            assert_eq!(walks.go(9, number, &mut 0), expected, "schedule {number} of {bounds}");
        }
        assert_eq!(walks.known.is_some(), most_memory == MOST_MEMORY, "whether there was memory enough");
    }

    #[test]
    fn what_is_known_changes_no_schedule() {
        let troubled =
            Bounds { lost_replies: 1, duplicates: 1, crashes: 1, restores: 1, state_losses: 1, ..Bounds::expiries(2) };
        for most_memory in [0, 100_000, MOST_MEMORY] {
            check(&reference(4), Bounds::expiries(2), most_memory);
            check(&reference(2), troubled, most_memory);
        }
    }

    #[test]
    fn a_number_that_needs_two_bytes_changes_no_schedule() {
        let mut scenario = reference(4);
        for node in &mut scenario.nodes {
            if let NodeKind::Lock(lock) = &mut node.kind {
                lock.first_token = 254;
            }
        }
        check(&scenario, Bounds::expiries(2), MOST_MEMORY);
    }
}
