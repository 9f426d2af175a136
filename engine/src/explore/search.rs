//! The exhaustive search: depth first, with a stack of its own.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::count::Count;
use super::monitor::{ASSUMED, Bounds, Mark, Monitor, STORAGES, Watch, beliefs_overlap, storage_places, storages};
use super::space::{NeedsWide, Space, StateIndex};
use crate::sim::{Action, Canonical, Model, NodeIndex, Scenario, World};

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

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many states it has met.
    pub states: usize,
    /// How many actions it has tried.
    pub actions: u64,
}

/// Why a search stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its budget was used up.
    Budget,
    /// It was told to.
    Cancelled,
    /// A loop comes back to a state that it has been in, so there are schedules
    /// without an end, and more of them than any number.
    Endless,
    /// It has more storages than a search can watch.
    TooManyStorages,
}

/// Schedules that show the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What they show; empty for those that show nothing.
    pub marks: Vec<Mark>,
    /// How many there are.
    pub schedules: Count,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// How many states it met.
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

    fn sum(&self, which: impl Fn(&Outcome) -> bool) -> Count {
        let mut sum = Count::default();
        for outcome in self.outcomes.iter().filter(|outcome| which(outcome)) {
            sum.add(&outcome.schedules);
        }
        sum
    }
}

/// Walks every schedule of a scenario within bounds, and counts them by the marks
/// that are looked for. `watch` hears of the progress every few thousand states,
/// and can stop the search.
pub fn explore(
    scenario: &Scenario,
    bounds: Bounds,
    marks: &[Mark],
    budget: Budget,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Exploration {
    let model = Model::under(scenario, &ASSUMED);
    if storages(scenario) > STORAGES {
        return Exploration { states: 0, stopped: Some(Stop::TooManyStorages), outcomes: Vec::new() };
    }
    for wide in [false, true] {
        if let Ok(found) = Search::new(&model, bounds, marks, wide).run(budget, watch) {
            return found;
        }
    }
    unreachable!("two bytes hold every cell")
}

/// A state whose actions are being tried.
struct Frame {
    state: StateIndex,
    /// Where its actions lie on the stack of actions: the next one, and the end.
    next: usize,
    end: usize,
    /// What the action showed that is being followed.
    edge: usize,
}

struct Search<'a> {
    model: &'a Model<'a>,
    canonical: Canonical,
    bounds: Bounds,
    wanted: u8,
    /// The marks that are looked for, in the order of the bits of a class.
    marks: Vec<Mark>,
    places: Vec<u8>,
    space: Space,
    /// For each state and each class of outcomes, how many schedules follow.
    counts: Vec<Count>,
    /// Whether all that follows a state is counted.
    counted: Vec<bool>,
    frames: Vec<Frame>,
    actions: Vec<Action>,
    enabled: Vec<Action>,
    renamed: Vec<NodeIndex>,
    world: World,
    tried: u64,
}

impl<'a> Search<'a> {
    fn new(model: &'a Model<'a>, bounds: Bounds, marks: &[Mark], wide: bool) -> Self {
        let mut marks = marks.to_vec();
        marks.sort_unstable();
        marks.dedup();
        let wanted = marks.iter().fold(0, |wanted, mark| wanted | mark.bit());
        let world = model.start();
        Self {
            model,
            canonical: Canonical::new(model, marks.contains(&Mark::OverlapOfBelief)),
            bounds,
            wanted,
            places: storage_places(model),
            space: Space::new(world.cells().len(), wide),
            counts: Vec::new(),
            counted: Vec::new(),
            frames: Vec::new(),
            actions: Vec::new(),
            enabled: Vec::new(),
            renamed: vec![0; model.scenario().nodes.len()],
            world,
            tried: 0,
            marks,
        }
    }

    /// How many classes of outcomes there are: each mark is shown or not.
    fn classes(&self) -> usize {
        1 << self.marks.len()
    }

    fn run(
        mut self,
        budget: Budget,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Exploration, NeedsWide> {
        let mut world = self.model.start();
        let mut state = Watch { expiries_left: self.bounds.expiries, ..Watch::default() };
        let (root, _) = self.meet(&mut world, &mut state)?;
        self.enter(root, &world, &state);
        let mut stopped = None;
        while !self.frames.is_empty() {
            if let Err(stop) = self.advance()? {
                stopped = Some(stop);
                break;
            }
            if self.space.len() > budget.states || self.memory() > budget.memory {
                stopped = Some(Stop::Budget);
                break;
            }
            let progress = Progress { states: self.space.len(), actions: self.tried };
            if self.tried.is_multiple_of(8_192) && watch(progress).is_break() {
                stopped = Some(Stop::Cancelled);
                break;
            }
        }
        let outcomes = if stopped.is_none() { self.outcomes(root) } else { Vec::new() };
        Ok(Exploration { states: self.space.len(), stopped, outcomes })
    }

    /// How much memory the states and what is counted of them take, in bytes. A
    /// count beyond 128 bits takes a little more.
    fn memory(&self) -> usize {
        self.space.memory() + self.counts.capacity() * size_of::<Count>()
    }

    /// Tries the next action of the state on top, or goes back if there is none.
    fn advance(&mut self) -> Result<Result<(), Stop>, NeedsWide> {
        let Some(frame) = self.frames.last_mut() else { return Ok(Ok(())) };
        if frame.next == frame.end {
            self.leave();
            return Ok(Ok(()));
        }
        let (from, action) = (frame.state, self.actions[frame.next]);
        frame.next += 1;
        self.tried += 1;
        let mut world = core::mem::replace(&mut self.world, World::empty());
        let mut state = self.space.state(from, &mut world);
        let seen = self.apply(&mut world, &mut state, action);
        let edge = self.class_of(seen);
        let met = self.meet(&mut world, &mut state);
        let (to, known) = met?;
        let result = if !known {
            self.frames.last_mut().expect("the frame is still there").edge = edge;
            self.enter(to, &world, &state);
            Ok(())
        } else if self.counted[to as usize] {
            self.add(from, to, edge);
            Ok(())
        } else {
            Err(Stop::Endless)
        };
        self.world = world;
        Ok(result)
    }

    fn apply(&self, world: &mut World, state: &mut Watch, action: Action) -> u8 {
        if let Action::Expire(_) = action {
            state.expiries_left -= 1;
        }
        let mut monitor = Monitor { watch: state, wanted: self.wanted, places: &self.places, seen: 0 };
        self.model.apply(world, action, &mut monitor);
        let mut seen = monitor.seen;
        if self.wanted & Mark::OverlapOfBelief.bit() != 0 && beliefs_overlap(self.model, world) {
            seen |= Mark::OverlapOfBelief.bit();
        }
        seen
    }

    /// Writes a state in the one way in which states with its future are written,
    /// and looks it up.
    fn meet(&mut self, world: &mut World, state: &mut Watch) -> Result<(StateIndex, bool), NeedsWide> {
        self.canonical.tidy(self.model, world);
        self.canonical.sort_twins(self.model, world, &mut self.renamed);
        for writer in state.writer.iter_mut().filter(|writer| **writer != 0) {
            *writer = self.renamed[usize::from(*writer - 1)] + 1;
        }
        let met = self.space.meet(world, state)?;
        if !met.1 {
            self.counted.push(false);
            let classes = self.classes();
            self.counts.extend(core::iter::repeat_n(Count::default(), classes));
        }
        Ok(met)
    }

    /// Starts with a state that is new.
    fn enter(&mut self, state: StateIndex, world: &World, watch: &Watch) {
        self.model.enabled(world, &mut self.enabled);
        if watch.expiries_left == 0 {
            self.enabled.retain(|action| !matches!(action, Action::Expire(_)));
        }
        if self.enabled.is_empty() {
            let stuck = self.model.scenario().clients().any(|client| self.model.next_step(world, client).is_some());
            let seen = if stuck { Mark::NoProgress.bit() & self.wanted } else { 0 };
            let class = self.class_of(seen);
            let place = state as usize * self.classes() + class;
            self.counts[place] = Count::Small(1);
            self.counted[state as usize] = true;
            // It is a leaf: whoever led here adds it at once.
            if let Some(parent) = self.frames.last() {
                let (from, edge) = (parent.state, parent.edge);
                self.add(from, state, edge);
            }
            return;
        }
        let next = self.actions.len();
        self.actions.extend_from_slice(&self.enabled);
        self.frames.push(Frame { state, next, end: self.actions.len(), edge: 0 });
    }

    /// Is done with the state on top.
    fn leave(&mut self) {
        let frame = self.frames.pop().expect("there is a frame to leave");
        self.counted[frame.state as usize] = true;
        let first = self.frames.last().map_or(0, |parent| parent.end);
        self.actions.truncate(first);
        if let Some(parent) = self.frames.last() {
            let (from, edge) = (parent.state, parent.edge);
            self.add(from, frame.state, edge);
        }
    }

    /// Adds the schedules that follow one state to those that follow another one,
    /// after an action that showed something itself.
    fn add(&mut self, from: StateIndex, to: StateIndex, edge: usize) {
        let classes = self.classes();
        let (from, to) = (from as usize * classes, to as usize * classes);
        for class in 0..classes {
            let more = core::mem::take(&mut self.counts[to + class]);
            self.counts[from + (class | edge)].add(&more);
            self.counts[to + class] = more;
        }
    }

    /// The class of what was seen: the bits of the marks that are looked for, moved together.
    fn class_of(&self, seen: u8) -> usize {
        let bits = self.marks.iter().enumerate();
        bits.map(|(place, mark)| usize::from(seen & mark.bit() != 0) << place).sum()
    }

    fn outcomes(&self, root: StateIndex) -> Vec<Outcome> {
        let classes = self.classes();
        let counts = &self.counts[root as usize * classes..][..classes];
        let outcome = |(class, schedules): (usize, &Count)| Outcome {
            marks: (0..)
                .zip(&self.marks)
                .filter(|(place, _)| class & (1 << place) != 0)
                .map(|(_, &mark)| mark)
                .collect(),
            schedules: schedules.clone(),
        };
        counts.iter().enumerate().filter(|(_, schedules)| !schedules.is_zero()).map(outcome).collect()
    }
}
