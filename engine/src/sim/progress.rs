//! Where clients are in their programs while a run goes on.

use alloc::vec::Vec;

use super::model::Model;
use super::scenario::NodeIndex;
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

/// Notes which clients have come to another step.
pub(super) fn note(progress: &mut Vec<Progress>, model: &Model, world: &World, now_us: u64) {
    for client in model.scenario().clients() {
        let step = model.next_step(world, client).and_then(|step| u8::try_from(step).ok());
        let last = progress.iter().rev().find(|made| made.client == client);
        if last.is_none_or(|last| last.step != step) {
            progress.push(Progress { at_us: now_us, client, step });
        }
    }
}
