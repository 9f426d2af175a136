//! What an action changes, as far as the moments of a schedule depend on it.

use alloc::vec::Vec;

use crate::sim::{Change, NodeIndex, Record};
use crate::system::Timer;

/// The changes of one action.
#[derive(Default)]
pub(super) struct Noted {
    /// Who changed what.
    pub changes: Vec<(NodeIndex, Change)>,
    /// The slot of a request that goes on by itself, or of a copy.
    pub astray: Option<u8>,
    /// The timers that were set, and to when, in microseconds from then.
    pub armed: Vec<(NodeIndex, Timer, u64)>,
}

impl Record for Noted {
    fn note(&mut self, actor: NodeIndex, _: Option<NodeIndex>, change: Change) {
        self.changes.push((actor, change));
    }

    fn goes_astray(&mut self, _: NodeIndex, slot: u8) {
        self.astray = Some(slot);
    }

    fn is_copied(&mut self, _: NodeIndex, slot: u8) {
        self.astray = Some(slot);
    }

    fn arm(&mut self, node: NodeIndex, timer: Timer, after_us: u64) {
        self.armed.push((node, timer, after_us));
    }
}
