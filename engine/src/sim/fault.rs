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
    /// A node stops, and starts again later.
    Crash(Crash),
    /// A message never arrives.
    MessageLoss(MessageLoss),
    /// A request arrives twice.
    MessageDuplicate(MessageDuplicate),
    /// Messages between two nodes are lost for a while.
    Partition(Partition),
    /// A server gets an older state back.
    SnapshotRestore(SnapshotRestore),
    /// An operator breaks a lease without asking its holder.
    ForcedUnlock(ForcedUnlock),
    /// A lock service forgets all that it knew, and goes on.
    StateLoss(StateLoss),
    /// A request is overtaken by the next one.
    MessageReorder(MessageReorder),
    /// Replication stands still.
    ReplicaLag(ReplicaLag),
    /// Another member of a system becomes its leader.
    LeaderChange(LeaderChange),
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
    /// What a client handles first when it wakes.
    pub on_waking: Waking,
}

/// What a client handles first when it wakes, if both have come due meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Waking {
    /// The reply that lies in its buffer.
    #[default]
    Messages,
    /// The deadline of its call, so that it never looks at the reply.
    Deadlines,
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

/// A node stops at once and starts again later. What it has sent is still on its
/// way. A client that has ended its program, or not begun it, has nothing to lose,
/// and a node that is down can't crash again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Crash {
    /// The node that stops: a client, or a server.
    pub node: NodeIndex,
    /// When it stops, in microseconds.
    pub at_us: u64,
    /// How long it is down, in microseconds.
    pub lasts_us: u64,
    /// Whether it still knows afterwards what it knew. A client then does the step
    /// again that it was in; otherwise it begins its program anew, and a server is
    /// as it was at the start.
    pub keeps_memory: bool,
}

/// One leg of one call never arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MessageLoss {
    /// The client whose call it is.
    pub node: NodeIndex,
    /// Which of its calls, counted from 0.
    pub call: u16,
    /// Which of the call's two messages.
    pub leg: Leg,
}

/// The request of one call arrives twice. The reply to the copy is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MessageDuplicate {
    /// The client whose call it is.
    pub node: NodeIndex,
    /// Which of its calls, counted from 0.
    pub call: u16,
    /// How much later the copy arrives, in microseconds.
    pub by_us: u64,
}

/// What two nodes send each other meanwhile is lost; what is on its way already arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Partition {
    /// One of the two nodes.
    pub node: NodeIndex,
    /// The other one.
    pub other: NodeIndex,
    /// When it starts, in microseconds.
    pub at_us: u64,
    /// How long it lasts, in microseconds.
    pub lasts_us: u64,
    /// Whether only what `node` sends to `other` is lost.
    pub one_way: bool,
}

/// A server gets the state back that it had when a snapshot was taken: tokens and
/// versions go back. A lease that comes back so ends on its own date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SnapshotRestore {
    /// The lock service or the storage.
    pub node: NodeIndex,
    /// When the state is brought back, in microseconds.
    pub at_us: u64,
    /// When the snapshot was taken, in microseconds. A later one of the same node
    /// takes its place, and one that isn't there yet does nothing.
    pub taken_us: u64,
}

/// An operator breaks the lease that is held, without asking its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ForcedUnlock {
    /// The lock service.
    pub node: NodeIndex,
    /// When, in microseconds.
    pub at_us: u64,
}

/// A lock service forgets its holder and its counter: its state has expired, or an
/// empty replica has taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StateLoss {
    /// The lock service.
    pub node: NodeIndex,
    /// When, in microseconds.
    pub at_us: u64,
}

/// The request of one call is overtaken: it is handled after the next request of
/// somebody else that reaches the server, or when nothing else is left to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MessageReorder {
    /// The client whose call it is.
    pub node: NodeIndex,
    /// Which of its calls, counted from 0.
    pub call: u16,
}

/// Nothing gets through from a server to its copies for a while. What was due
/// meanwhile arrives at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReplicaLag {
    /// The server.
    pub node: NodeIndex,
    /// When it starts, in microseconds.
    pub at_us: u64,
    /// How long it lasts, in microseconds.
    pub lasts_us: u64,
}

/// Another member of a system becomes its leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LeaderChange {
    /// The system.
    pub node: NodeIndex,
    /// When, in microseconds.
    pub at_us: u64,
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
            Self::Crash(fault) => fault.node,
            Self::MessageLoss(fault) => fault.node,
            Self::MessageDuplicate(fault) => fault.node,
            Self::Partition(fault) => fault.node,
            Self::SnapshotRestore(fault) => fault.node,
            Self::ForcedUnlock(fault) => fault.node,
            Self::StateLoss(fault) => fault.node,
            Self::MessageReorder(fault) => fault.node,
            Self::ReplicaLag(fault) => fault.node,
            Self::LeaderChange(fault) => fault.node,
        }
    }

    /// When the fault starts, in microseconds; `None` for what befalls a message,
    /// since that starts with its sending.
    pub fn at_us(&self) -> Option<u64> {
        match self {
            Self::Pause(fault) => Some(fault.at_us),
            Self::ClockStep(fault) => Some(fault.at_us),
            Self::ClockRate(fault) => Some(fault.at_us),
            Self::Crash(fault) => Some(fault.at_us),
            Self::Partition(fault) => Some(fault.at_us),
            Self::SnapshotRestore(fault) => Some(fault.at_us),
            Self::ForcedUnlock(fault) => Some(fault.at_us),
            Self::StateLoss(fault) => Some(fault.at_us),
            Self::ReplicaLag(fault) => Some(fault.at_us),
            Self::LeaderChange(fault) => Some(fault.at_us),
            Self::MessageDelay(_) | Self::MessageLoss(_) | Self::MessageDuplicate(_) | Self::MessageReorder(_) => None,
        }
    }

    /// The message that the fault befalls: of which call, and on which leg; `None`
    /// for a fault of a node.
    pub fn message(&self) -> Option<(u16, Leg)> {
        match self {
            Self::MessageDelay(fault) => Some((fault.call, fault.leg)),
            Self::MessageLoss(fault) => Some((fault.call, fault.leg)),
            Self::MessageDuplicate(fault) => Some((fault.call, Leg::Request)),
            Self::MessageReorder(fault) => Some((fault.call, Leg::Request)),
            _ => None,
        }
    }

    /// The same fault with its numbers inside what a run can hold: times up to
    /// [`LIMITS`], and clocks that never run backwards. Every run does this to its
    /// faults first, so that numbers from strangers can't overflow.
    #[must_use]
    pub fn clamped(mut self) -> Self {
        let most_us = LIMITS.time_us;
        let clamp = |us: &mut u64| *us = (*us).min(most_us);
        match &mut self {
            Self::Pause(Pause { at_us, lasts_us, .. })
            | Self::Crash(Crash { at_us, lasts_us, .. })
            | Self::Partition(Partition { at_us, lasts_us, .. })
            | Self::ReplicaLag(ReplicaLag { at_us, lasts_us, .. })
            | Self::SnapshotRestore(SnapshotRestore { at_us, taken_us: lasts_us, .. }) => {
                clamp(at_us);
                clamp(lasts_us);
            }
            Self::ClockStep(it) => {
                clamp(&mut it.at_us);
                it.by_us = it.by_us.clamp(-most_us.cast_signed(), most_us.cast_signed());
            }
            Self::ClockRate(it) => {
                clamp(&mut it.at_us);
                clamp(&mut it.lasts_us);
                it.rate_ppm = it.rate_ppm.clamp(RATES_PPM.0 as i32, RATES_PPM.1 as i32);
            }
            Self::MessageDelay(MessageDelay { by_us: us, .. })
            | Self::MessageDuplicate(MessageDuplicate { by_us: us, .. })
            | Self::ForcedUnlock(ForcedUnlock { at_us: us, .. })
            | Self::StateLoss(StateLoss { at_us: us, .. })
            | Self::LeaderChange(LeaderChange { at_us: us, .. }) => clamp(us),
            Self::MessageLoss(_) | Self::MessageReorder(_) => {}
        }
        self
    }

    /// How long the fault lasts, in microseconds; `None` where that has no meaning.
    pub fn lasts_us(&self) -> Option<u64> {
        match self {
            Self::Pause(fault) => Some(fault.lasts_us),
            Self::ClockRate(fault) => Some(fault.lasts_us),
            Self::Crash(fault) => Some(fault.lasts_us),
            Self::Partition(fault) => Some(fault.lasts_us),
            Self::ReplicaLag(fault) => Some(fault.lasts_us),
            Self::ClockStep(_)
            | Self::MessageDelay(_)
            | Self::MessageLoss(_)
            | Self::MessageDuplicate(_)
            | Self::SnapshotRestore(_)
            | Self::ForcedUnlock(_)
            | Self::StateLoss(_)
            | Self::MessageReorder(_)
            | Self::LeaderChange(_) => None,
        }
    }

    /// The same fault on another node.
    #[must_use]
    pub fn on(mut self, node: NodeIndex) -> Self {
        let place = match &mut self {
            Self::Pause(fault) => &mut fault.node,
            Self::ClockStep(fault) => &mut fault.node,
            Self::ClockRate(fault) => &mut fault.node,
            Self::MessageDelay(fault) => &mut fault.node,
            Self::Crash(fault) => &mut fault.node,
            Self::MessageLoss(fault) => &mut fault.node,
            Self::MessageDuplicate(fault) => &mut fault.node,
            Self::Partition(fault) => &mut fault.node,
            Self::SnapshotRestore(fault) => &mut fault.node,
            Self::ForcedUnlock(fault) => &mut fault.node,
            Self::StateLoss(fault) => &mut fault.node,
            Self::MessageReorder(fault) => &mut fault.node,
            Self::ReplicaLag(fault) => &mut fault.node,
            Self::LeaderChange(fault) => &mut fault.node,
        };
        *place = node;
        self
    }
}
