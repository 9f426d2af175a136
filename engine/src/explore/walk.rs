//! The walk over all states: depth first, with a stack of its own.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::count::Count;
use super::ledger::{Class, Futures, Ledger};
use super::mark::Mark;
use super::monitor::{Lookout, Seen, Watch};
use super::pace::breathe;
use super::search::{Progress, Question, Stop};
use super::space::{Layout, NeedsWide, Space, StateIndex};
use crate::sim::{Action, Ask, Canonical, Kept, Meaning, Model, NodeIndex, Operation, Scenario, Schedule, World};

/// What a schedule weighs.
pub(super) enum Weighing {
    /// Each is one.
    Schedules,
    /// Each is as likely as chance takes it, step by step. A state whose longest
    /// schedule has n actions has the weights of its futures in parts of this number
    /// to the power of n; so all weights are whole. Each number of actions that a
    /// state can have divides it.
    Steps(Count),
}

impl Weighing {
    /// The second one, where no state has more actions than this.
    pub fn steps(most_actions: u32) -> Self {
        let numbers = 1..=u128::from(most_actions);
        Self::Steps(numbers.fold(Count::Small(1), |multiple, number| multiple.least_common_multiple(number)))
    }
}

/// A state whose actions are being tried.
struct Frame {
    state: StateIndex,
    /// Where its actions lie on the stack of actions: the next one, and the end.
    next: usize,
    end: usize,
    /// How many actions there are, counting twins.
    actions: u32,
    /// What the action showed that is being followed, and for how many twins it stands.
    edge: Seen,
    stands_for: u16,
    futures: Futures,
}

/// A walk over all states of a scenario.
pub(super) struct Walk<'a> {
    model: &'a Model<'a>,
    lookout: &'a Lookout<'a>,
    question: &'a Question,
    weighing: &'a Weighing,
    canonical: Canonical,
    space: Space,
    ledger: Ledger,
    frames: Vec<Frame>,
    /// The actions of the states on the stack, each with the number of twins it stands for.
    actions: Vec<(Action, u16)>,
    /// Room for the actions of one state.
    possible: Vec<Action>,
    stands_for: Vec<u16>,
    /// Room for the futures of states to come.
    spare: Vec<Futures>,
    renamed: Vec<NodeIndex>,
    tried: u64,
    /// The most actions of a state, counting twins.
    most_actions: u32,
}

impl<'a> Walk<'a> {
    /// Walks over everything, or as far as the budget and the one who watches let it.
    pub async fn over(
        model: &'a Model<'a>,
        lookout: &'a Lookout<'a>,
        question: &'a Question,
        weighing: &'a Weighing,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> (Self, Option<Stop>) {
        for wide in [false, true] {
            let mut walk = Self::new(model, lookout, question, weighing, wide);
            if let Ok(stopped) = walk.go(watch).await {
                return (walk, stopped);
            }
        }
        unreachable!("two bytes hold every cell")
    }

    fn new(
        model: &'a Model<'a>,
        lookout: &'a Lookout<'a>,
        question: &'a Question,
        weighing: &'a Weighing,
        wide: bool,
    ) -> Self {
        let cells = model.start().cells().len();
        let layout = Layout::new(cells, &question.bounds, lookout, wide);
        Self {
            model,
            lookout,
            question,
            weighing,
            canonical: canonical(model, lookout),
            space: Space::new(layout),
            ledger: Ledger::default(),
            frames: Vec::new(),
            actions: Vec::new(),
            possible: Vec::new(),
            stands_for: Vec::new(),
            spare: Vec::new(),
            renamed: vec![0; model.scenario().nodes.len()],
            tried: 0,
            most_actions: 0,
        }
    }

    /// How many states were met.
    pub fn states(&self) -> usize {
        self.space.len()
    }

    /// The most actions of a state, counting twins.
    pub fn most_actions(&self) -> u32 {
        self.most_actions
    }

    /// What all schedules weigh, by what they show. Only for a walk that came to its end.
    pub fn whole(&self) -> impl Iterator<Item = (Class, Count)> + '_ {
        self.ledger.weights(0)
    }

    async fn go(&mut self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<Option<Stop>, NeedsWide> {
        let (mut world, mut state) = self.start();
        let (root, _) = self.meet(&mut world, &mut state)?;
        self.enter(root, &world, &state);
        while !self.frames.is_empty() {
            if let Err(stop) = self.advance(&mut world)? {
                return Ok(Some(stop));
            }
            let memory = self.space.memory() + self.ledger.memory();
            if let Some(stop) = self.question.budget.used_up(self.space.len(), memory) {
                return Ok(Some(stop));
            }
            let progress = Progress { states: self.space.len(), actions: self.tried };
            if self.tried.is_multiple_of(8_192) {
                if watch(progress).is_break() {
                    return Ok(Some(Stop::Cancelled));
                }
                breathe().await;
            }
        }
        Ok(None)
    }

    fn start(&self) -> (World, Watch) {
        (self.model.start(), Watch { left: self.question.bounds.left(), ..Watch::default() })
    }

    /// Tries the next action of the state on top, or goes back if there is none.
    fn advance(&mut self, world: &mut World) -> Result<Result<(), Stop>, NeedsWide> {
        let Some(frame) = self.frames.last_mut() else { return Ok(Ok(())) };
        // The ledger has two bytes for the length of a schedule.
        if frame.futures.longest == u16::MAX {
            return Ok(Err(Stop::Length));
        }
        if frame.next == frame.end {
            self.leave();
            return Ok(Ok(()));
        }
        let (from, (action, stands_for)) = (frame.state, self.actions[frame.next]);
        frame.next += 1;
        self.tried += 1;
        let mut state = self.space.state(from, world);
        let edge = self.lookout.apply(self.model, world, &mut state, action);
        if let Some(stop) = edge.ends {
            return Ok(Err(stop));
        }
        let (to, known) = self.meet(world, &mut state)?;
        let frame = self.frames.last_mut().expect("the frame is still there");
        (frame.edge, frame.stands_for) = (edge, stands_for);
        if !known {
            self.enter(to, world, &state);
        } else if self.ledger.is_done(to) {
            self.add(to);
        } else {
            return Ok(Err(Stop::Endless));
        }
        Ok(Ok(()))
    }

    /// Writes a state in the one way in which states with its future are written,
    /// and looks it up.
    fn meet(&mut self, world: &mut World, state: &mut Watch) -> Result<(StateIndex, bool), NeedsWide> {
        if self.question.reduced {
            canonicalise(&self.canonical, self.model, world, state, &mut self.renamed);
        }
        let met = self.space.meet(world, state)?;
        if !met.1 {
            self.ledger.open();
        }
        Ok(met)
    }

    /// Starts with a state that is new.
    fn enter(&mut self, state: StateIndex, world: &World, watch: &Watch) {
        self.question.bounds.possible(self.model, world, watch.left, &mut self.possible);
        let actions = self.possible.len() as u32;
        self.most_actions = self.most_actions.max(actions);
        let mut futures = self.spare.pop().unwrap_or_default();
        if actions == 0 {
            futures.weights.push((self.lookout.at_the_end(self.model, world).into(), Count::Small(1)));
            self.close(state, futures);
            return;
        }
        self.merge_twins(world, watch);
        let next = self.actions.len();
        self.actions.extend(self.possible.iter().copied().zip(self.stands_for.iter().copied()));
        let end = self.actions.len();
        self.frames.push(Frame { state, next, end, actions, edge: Seen::default(), stands_for: 1, futures });
    }

    /// Leaves one of several actions that can't be told apart.
    fn merge_twins(&mut self, world: &World, watch: &Watch) {
        if !self.question.reduced {
            self.stands_for.clear();
            self.stands_for.resize(self.possible.len(), 1);
            return;
        }
        let named = self.model.named_clients(world) | watch.named();
        self.canonical.merge_twins(self.model, world, named, &mut self.possible, &mut self.stands_for);
    }

    /// Is done with the state on top.
    fn leave(&mut self) {
        let frame = self.frames.pop().expect("there is a frame to leave");
        self.actions.truncate(self.frames.last().map_or(0, |parent| parent.end));
        self.close(frame.state, frame.futures);
    }

    /// Writes down what follows a state, and adds it to what follows the one before.
    fn close(&mut self, state: StateIndex, mut futures: Futures) {
        self.ledger.close(state, &futures);
        futures.clear();
        self.spare.push(futures);
        self.add(state);
    }

    /// Adds what follows a state to what follows the one on top, after the action
    /// that is being followed.
    fn add(&mut self, state: StateIndex) {
        let Some(frame) = self.frames.last_mut() else { return };
        let longest = self.ledger.longest(state).saturating_add(1);
        let mut factor = Count::Small(u128::from(frame.stands_for));
        if let Weighing::Steps(parts) = self.weighing {
            // Both in parts of the same size.
            if longest > frame.futures.longest {
                let finer = parts.to_the(longest - frame.futures.longest);
                for (_, weight) in &mut frame.futures.weights {
                    *weight = core::mem::take(weight).times(&finer);
                }
            }
            factor = factor.times(&parts.divided_by(frame.actions));
            factor = factor.times(&parts.to_the(frame.futures.longest.max(longest) - longest));
        }
        frame.futures.longest = frame.futures.longest.max(longest);
        for (class, weight) in self.ledger.weights(state) {
            frame.futures.add(class.after(frame.edge), &weight.times(&factor));
        }
    }

    /// One schedule of a class, by the real names of its clients. Only for a walk that
    /// came to its end, and a class that it has found.
    pub fn sample(&self, class: Class) -> Schedule {
        let (mut world, mut state) = self.start();
        let mut seen = Seen::default();
        let mut schedule = Schedule::default();
        let mut possible = Vec::new();
        loop {
            self.question.bounds.possible(self.model, &world, state.left, &mut possible);
            let step = possible.iter().find_map(|&action| {
                let (mut next, mut watch) = (world.clone(), state);
                let edge = self.lookout.apply(self.model, &mut next, &mut watch, action);
                let seen = Seen::from(Class::from(edge).after(seen));
                let (mut written, mut remembered) = (next.clone(), watch);
                let mut renamed = self.renamed.clone();
                if self.question.reduced {
                    canonicalise(&self.canonical, self.model, &mut written, &mut remembered, &mut renamed);
                }
                let found = self.space.find(&written, &remembered)?;
                let leads = self.ledger.weights(found).any(|(rest, _)| rest.after(seen) == class);
                leads.then_some((action, next, watch, seen))
            });
            let Some((action, next, watch, shown)) = step else { return schedule };
            schedule.actions.push(action);
            (world, state, seen) = (next, watch, shown);
        }
    }
}

/// Whether a command that writes is told apart by the token of the lease that its client
/// believes in, since it names none.
fn sends_what_it_believes(scenario: &Scenario) -> bool {
    let is_such = |ask: &Ask| ask.token.is_none() && (ask.meaning == Meaning::Write || ask.segment.is_some());
    let steps = scenario.programs.iter().flat_map(|program| &program.steps);
    steps.into_iter().any(|step| matches!(&step.operation, Operation::Ask { ask, .. } if is_such(ask)))
}

/// What of the worlds of a scenario can be left out in a search.
pub(super) fn canonical(model: &Model<'_>, lookout: &Lookout<'_>) -> Canonical {
    let asks_about_tokens = [Mark::StaleWriteAccepted, Mark::StaleWriteRefused, Mark::SegmentSkipped];
    let beliefs = lookout.wants(Mark::OverlapOfBelief)
        || (asks_about_tokens.into_iter().any(|mark| lookout.wants(mark)) && sends_what_it_believes(model.scenario()));
    let kept = Kept { beliefs, versions: lookout.wants(Mark::LostUpdate) };
    Canonical::new(model, kept)
}

fn canonicalise(
    canonical: &Canonical,
    model: &Model<'_>,
    world: &mut World,
    state: &mut Watch,
    renamed: &mut [NodeIndex],
) {
    canonical.tidy(model, world);
    canonical.sort_twins(model, world, renamed);
    state.rename(renamed);
}
