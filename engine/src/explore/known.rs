//! What random walks have met: each state once, with the ways out of it.
//!
//! A hundred thousand schedules of a few clients pass through the same states over and
//! over. What can happen in a state, and what it leads to and shows, is worked out when
//! a walk first comes by; later walks only look it up.

use alloc::vec::Vec;

use rand_pcg::Pcg32;

use super::bounds::Bounds;
use super::ledger::Class;
use super::monitor::{Lookout, Seen, Watch};
use super::random::MOST_ACTIONS;
use super::space::{Layout, NeedsWide, Space, StateIndex};
use crate::sim::random::below;
use crate::sim::{Action, Model, World};

/// The most memory that is spent on what is known, in bytes.
pub(super) const MOST_MEMORY: usize = 96 << 20;

/// Why a walk has to be made without what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// A number didn't fit one byte.
    Wide,
    /// There is no memory left for new states.
    Full,
}

impl From<NeedsWide> for Unknown {
    fn from(_: NeedsWide) -> Self {
        Self::Wide
    }
}

/// A way out of a state.
#[derive(Clone, Copy)]
struct Way {
    action: Action,
    /// The state that it leads to, once somebody has gone there.
    to: Option<StateIndex>,
    /// What it shows.
    class: Class,
}

/// Where the ways out of a state lie; where there are none, what its end shows.
#[derive(Clone, Copy)]
struct Exits {
    first: u32,
    count: u32,
    at_the_end: Class,
}

/// All states that random walks of one scenario have met.
pub(super) struct Known<'a> {
    model: &'a Model<'a>,
    lookout: &'a Lookout<'a>,
    bounds: &'a Bounds,
    most_memory: usize,
    space: Space,
    /// By the index of the state.
    exits: Vec<Exits>,
    ways: Vec<Way>,
    world: World,
    possible: Vec<Action>,
}

impl<'a> Known<'a> {
    /// Nothing is known yet. `wide` leaves two bytes for each number.
    pub fn new(
        model: &'a Model<'a>,
        lookout: &'a Lookout<'a>,
        bounds: &'a Bounds,
        wide: bool,
        most_memory: usize,
    ) -> Self {
        let world = model.start();
        let space = Space::new(Layout::new(world.cells().len(), bounds, lookout, wide));
        let (exits, ways, possible) = (Vec::new(), Vec::new(), Vec::new());
        Self { model, lookout, bounds, most_memory, space, exits, ways, world, possible }
    }

    /// Goes from the start to an end as the dice say. Returns what was shown, and whether
    /// the schedule was cut; `actions` counts on.
    pub fn go(&mut self, dice: &mut Pcg32, actions: &mut u64) -> Result<(Seen, bool), Unknown> {
        let mut at = self.root()?;
        let mut seen = Class::from(Seen::default());
        for _ in 0..MOST_ACTIONS {
            let Exits { first, count, at_the_end } = self.exits[at as usize];
            if count == 0 {
                return Ok((seen.after(at_the_end.into()).into(), false));
            }
            let place = (first + below(dice, count)) as usize;
            *actions += 1;
            let way = self.ways[place];
            at = match way.to {
                Some(to) => {
                    seen = seen.after(way.class.into());
                    to
                }
                None => match self.explore(at, place)? {
                    Ok((to, edge)) => {
                        seen = seen.after(edge);
                        to
                    }
                    Err(edge) => return Ok((edge, false)),
                },
            };
        }
        Ok((seen.into(), true))
    }

    fn root(&mut self) -> Result<StateIndex, Unknown> {
        if self.exits.is_empty() {
            self.world = self.model.start();
            return self.meet(Watch { left: self.bounds.left(), ..Watch::default() });
        }
        Ok(0)
    }

    /// Goes a way for the first time. `Err` says why nothing that follows would mean
    /// anything.
    fn explore(&mut self, from: StateIndex, place: usize) -> Result<Result<(StateIndex, Seen), Seen>, Unknown> {
        let mut watch = self.space.state(from, &mut self.world);
        let edge = self.lookout.apply(self.model, &mut self.world, &mut watch, self.ways[place].action);
        if edge.ends.is_some() {
            return Ok(Err(edge));
        }
        let to = self.meet(watch)?;
        (self.ways[place].to, self.ways[place].class) = (Some(to), edge.into());
        Ok(Ok((to, edge)))
    }

    /// Looks up the state that the world is in, and lists the ways out of it if it is new.
    fn meet(&mut self, watch: Watch) -> Result<StateIndex, Unknown> {
        if self.memory() > self.most_memory {
            return Err(Unknown::Full);
        }
        let (index, is_known) = self.space.meet(&self.world, &watch)?;
        if is_known {
            return Ok(index);
        }
        self.bounds.possible(self.model, &self.world, watch.left, &mut self.possible);
        let (first, count) = (self.ways.len() as u32, self.possible.len() as u32);
        let class = Class::from(Seen::default());
        self.ways.extend(self.possible.iter().map(|&action| Way { action, to: None, class }));
        let at_the_end = if count == 0 { self.lookout.at_the_end(self.model, &self.world).into() } else { class };
        self.exits.push(Exits { first, count, at_the_end });
        Ok(index)
    }

    fn memory(&self) -> usize {
        self.space.memory() + self.exits.capacity() * size_of::<Exits>() + self.ways.capacity() * size_of::<Way>()
    }
}
