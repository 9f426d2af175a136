//! Where clients are in their programs while a run goes on.

use alloc::vec;
use alloc::vec::Vec;

use super::model::Model;
use super::scenario::{NodeIndex, Scenario};
use super::world::World;

/// A client comes to a step of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// When, in microseconds of true time.
    pub at_us: u64,
    /// Which client.
    pub client: NodeIndex,
    /// Which step it is then at, by its place; `None` once its program has ended.
    pub step: Option<u8>,
}

/// Where a client is at a moment: `None` before its process has started, and
/// `Some(None)` once its program has ended.
pub fn step_at(progress: &[Progress], client: NodeIndex, at_us: u64) -> Option<Option<u8>> {
    let own = progress.iter().filter(|made| made.client == client);
    own.take_while(|made| made.at_us <= at_us).last().map(|made| made.step)
}

/// Takes note of where clients are.
pub(super) struct Steps {
    made: Vec<Progress>,
    /// Where each node is by now, if it is a client.
    now: Vec<Option<u8>>,
}

impl Steps {
    /// Each client comes to its first step when it starts.
    pub fn new(scenario: &Scenario, starts_us: impl Fn(NodeIndex) -> u64) -> Self {
        let first = |client| Progress { at_us: starts_us(client), client, step: Some(0) };
        Self { made: scenario.clients().map(first).collect(), now: vec![Some(0); scenario.nodes.len()] }
    }

    /// Notes which clients have come to another step.
    pub fn note(&mut self, model: &Model, world: &World, at_us: u64) {
        for client in model.scenario().clients() {
            let step = model.next_step(world, client).and_then(|step| u8::try_from(step).ok());
            let before = core::mem::replace(&mut self.now[usize::from(client)], step);
            if before != step {
                self.made.push(Progress { at_us, client, step });
            }
        }
    }

    /// All that was noted, in order.
    pub fn into_progress(self) -> Vec<Progress> {
        self.made
    }
}
