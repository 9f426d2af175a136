//! What is wished of the moments of a schedule: that nothing is held up that isn't assumed
//! to be.

use alloc::vec::Vec;

use super::super::bounds::Bounds;
use super::solve::Constraint;
use super::timeline::{Due, Message, Timeline, Waits};

/// That messages are on time unless they may be late, and clients unless they may pause.
/// `last` is the moment of the last action.
pub(super) fn wishes(timeline: &Timeline, bounds: &Bounds, last: usize) -> Vec<Constraint> {
    let mut wishes = Vec::new();
    let mut by = |at: usize, since: usize, us: i64| wishes.push(Constraint { earlier: at, later: since, by_us: -us });
    let dues = || (1..).zip(&timeline.dues);
    if !bounds.late_messages {
        for (at, due) in dues() {
            match due {
                Due::Arrival(Message { sent, latency_us, copy: None, .. }) => by(at, *sent, *latency_us),
                Due::Reply { message, .. } if !bounds.pauses => by(at, message.sent, message.latency_us),
                _ => {}
            }
        }
        for waits in &timeline.waits {
            if let Waits::Message(Message { sent, latency_us, copy: None, .. }) = waits {
                by(last, *sent, latency_us - 1);
            }
        }
    }
    if !bounds.pauses {
        for (at, due) in dues() {
            if let Due::Step { since, offset_us, work_us, wait_us } = due {
                by(at, *since, offset_us + work_us + wait_us);
            }
        }
        for waits in &timeline.waits {
            if let Waits::Step { since, offset_us, takes_us, .. } = waits {
                by(last, *since, offset_us + takes_us - 1);
            }
        }
    }
    wishes
}
