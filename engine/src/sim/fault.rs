//! What can go wrong, as one closed list. Files, links and exports carry these.

use serde::{Deserialize, Serialize};

use super::scenario::{LIMITS, NodeIndex};

/// The slowest and the fastest that a clock may run, in parts per million more
/// than true time: it stands still, or it runs 1,001 times as fast.
pub(super) const RATES_PPM: (i64, i64) = (-1_000_000, 1_000_000_000);

/// One fault at one place on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Fault {
    /// A process stands still and doesn't notice.
    Pause(Pause),
    /// A node's wall clock jumps.
    ClockStep(ClockStep),
    /// A node's clocks run fast or slow for a while.
    ClockRate(ClockRate),
    /// A message takes longer.
    MessageDelay(MessageDelay),
}

/// A process stands still; its clocks go on. An event at the very moment when the
/// pause starts still happens before it, and one at its end happens after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pause {
    /// The node that stands still: a client, or a server.
    pub node: NodeIndex,
    /// When it starts, in microseconds.
    pub at_us: u64,
    /// How long it lasts, in microseconds.
    pub lasts_us: u64,
}

/// A node's wall clock jumps forward or back. Its monotonic clock doesn't.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClockStep {
    /// The node whose clock jumps.
    pub node: NodeIndex,
    /// When, in microseconds of true time.
    pub at_us: u64,
    /// How far, in microseconds.
    pub by_us: i64,
}

/// Both clocks of a node run at another rate for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClockRate {
    /// The node whose clocks are meant.
    pub node: NodeIndex,
    /// From when, in microseconds of true time.
    pub at_us: u64,
    /// For how long, in microseconds of true time.
    pub lasts_us: u64,
    /// How much faster, in parts per million; below zero is slower.
    pub rate_ppm: i32,
}

/// One leg of one call takes longer than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MessageDelay {
    /// The client whose call it is.
    pub node: NodeIndex,
    /// Which of its calls, counted from 0.
    pub call: u16,
    /// Which of the call's two messages.
    pub leg: Leg,
    /// How much longer, in microseconds.
    pub by_us: u64,
}

/// One of the two messages of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Leg {
    /// From the client to the server.
    Request,
    /// From the server to the client.
    Reply,
}

impl Fault {
    /// The node that the fault is drawn on.
    pub fn node(&self) -> NodeIndex {
        match self {
            Self::Pause(fault) => fault.node,
            Self::ClockStep(fault) => fault.node,
            Self::ClockRate(fault) => fault.node,
            Self::MessageDelay(fault) => fault.node,
        }
    }

    /// When the fault starts, in microseconds; `None` for a late message, which
    /// starts with its sending.
    pub fn at_us(&self) -> Option<u64> {
        match self {
            Self::Pause(fault) => Some(fault.at_us),
            Self::ClockStep(fault) => Some(fault.at_us),
            Self::ClockRate(fault) => Some(fault.at_us),
            Self::MessageDelay(_) => None,
        }
    }

    /// The same fault with its numbers inside what a run can hold: times up to
    /// [`LIMITS`], and clocks that never run backwards. Every run does this to its
    /// faults first, so that numbers from strangers can't overflow.
    #[must_use]
    pub fn clamped(self) -> Self {
        let most_us = LIMITS.time_us;
        let (slowest, fastest) = (RATES_PPM.0 as i32, RATES_PPM.1 as i32);
        let time = |us: u64| us.min(most_us);
        match self {
            Self::Pause(it) => Self::Pause(Pause { at_us: time(it.at_us), lasts_us: time(it.lasts_us), ..it }),
            Self::ClockStep(it) => {
                let by_us = it.by_us.clamp(-most_us.cast_signed(), most_us.cast_signed());
                Self::ClockStep(ClockStep { at_us: time(it.at_us), by_us, ..it })
            }
            Self::ClockRate(it) => {
                let rate_ppm = it.rate_ppm.clamp(slowest, fastest);
                Self::ClockRate(ClockRate { at_us: time(it.at_us), lasts_us: time(it.lasts_us), rate_ppm, ..it })
            }
            Self::MessageDelay(it) => Self::MessageDelay(MessageDelay { by_us: time(it.by_us), ..it }),
        }
    }

    /// How long the fault lasts, in microseconds; `None` where that has no meaning.
    pub fn lasts_us(&self) -> Option<u64> {
        match self {
            Self::Pause(fault) => Some(fault.lasts_us),
            Self::ClockRate(fault) => Some(fault.lasts_us),
            Self::ClockStep(_) | Self::MessageDelay(_) => None,
        }
    }
}
