//! Who takes note of what happens.

use super::change::Change;
use super::scenario::{NodeIndex, Outcome};
use crate::system::Timer;

/// Takes note of changes. The searches take none, and pay nothing for it.
pub trait Record {
    /// `actor` did this, in a call of `client` if it is one.
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change);

    /// A client has done a step of its program, by its place, with this outcome.
    fn has_done(&mut self, _client: NodeIndex, _step: u8, _outcome: Outcome) {}

    /// The request of a client's call goes on as a stray message in this slot.
    fn goes_astray(&mut self, _client: NodeIndex, _slot: u8) {}

    /// A copy of the request of a client's call is a stray message in this slot.
    fn is_copied(&mut self, _client: NodeIndex, _slot: u8) {}

    /// What is noted next concerns the stray message in this slot, which is then gone.
    fn concerns_stray(&mut self, _slot: u8) {}

    /// What is noted next has been done by another client before, and comes by the command of
    /// this one now; of an operator, if of none.
    fn comes_by(&mut self, _client: Option<NodeIndex>) {}

    /// What is noted next is said in these words.
    fn say(&mut self, _words: &str) {}

    /// What is noted next follows from what was noted last.
    fn follows(&mut self) {}

    /// A timer of a real system is set to fire after a while, in microseconds of the
    /// clock that its deadlines follow.
    fn arm(&mut self, _node: NodeIndex, _timer: Timer, _after_us: u64) {}

    /// How long until a timer that is set fires, in microseconds; without time, 0.
    fn left_us(&self, _node: NodeIndex, _timer: Timer) -> u64 {
        0
    }

    /// The same for somebody who is told the number, or decides by it.
    fn told_left_us(&self, node: NodeIndex, timer: Timer) -> u64 {
        self.left_us(node, timer)
    }
}

impl Record for () {
    fn note(&mut self, _: NodeIndex, _: Option<NodeIndex>, _: Change) {}
}
