//! What kinds of faults there are, and what they are called.

use racescope_engine::sim::{Fault, NodeIndex, NodeKind, Scenario};

/// A kind of fault, without its place and its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A process stands still.
    Pause,
    /// A node stops and starts again.
    Crash,
    /// A clock jumps.
    ClockStep,
    /// A clock runs fast or slow.
    ClockRate,
    /// A message is late.
    Delay,
    /// A message is lost.
    Loss,
    /// A request arrives twice.
    Duplicate,
    /// Two nodes can't reach each other.
    Partition,
    /// A server gets an older state back.
    Restore,
    /// An operator breaks a lease.
    ForcedUnlock,
    /// A lock service forgets what it knew.
    StateLoss,
    /// A request is overtaken by the next one.
    Reorder,
    /// Copies lag behind.
    Lag,
    /// Another member leads.
    LeaderChange,
}

impl FaultKind {
    /// All kinds, in the order in which they are offered.
    pub const ALL: [Self; 14] = [
        Self::Pause,
        Self::Crash,
        Self::ClockStep,
        Self::ClockRate,
        Self::Delay,
        Self::Loss,
        Self::Duplicate,
        Self::Partition,
        Self::Restore,
        Self::ForcedUnlock,
        Self::StateLoss,
        Self::Reorder,
        Self::Lag,
        Self::LeaderChange,
    ];

    /// The kind of a fault.
    pub fn of(fault: &Fault) -> Self {
        match fault {
            Fault::Pause(_) => Self::Pause,
            Fault::Crash(_) => Self::Crash,
            Fault::ClockStep(_) => Self::ClockStep,
            Fault::ClockRate(_) => Self::ClockRate,
            Fault::MessageDelay(_) => Self::Delay,
            Fault::MessageLoss(_) => Self::Loss,
            Fault::MessageDuplicate(_) => Self::Duplicate,
            Fault::Partition(_) => Self::Partition,
            Fault::SnapshotRestore(_) => Self::Restore,
            Fault::ForcedUnlock(_) => Self::ForcedUnlock,
            Fault::StateLoss(_) => Self::StateLoss,
            Fault::MessageReorder(_) => Self::Reorder,
            Fault::ReplicaLag(_) => Self::Lag,
            Fault::LeaderChange(_) => Self::LeaderChange,
        }
    }

    /// What it is called: "Clock step".
    pub fn name(self) -> &'static str {
        match self {
            Self::Pause => "Pause",
            Self::Crash => "Crash",
            Self::ClockStep => "Clock step",
            Self::ClockRate => "Clock rate",
            Self::Delay => "Delay",
            Self::Loss => "Loss",
            Self::Duplicate => "Duplicate",
            Self::Partition => "Partition",
            Self::Restore => "Snapshot restore",
            Self::ForcedUnlock => "Forced unlock",
            Self::StateLoss => "State loss",
            Self::Reorder => "Overtaking",
            Self::Lag => "Replica lag",
            Self::LeaderChange => "Leader change",
        }
    }

    /// What it does, in a few words.
    pub fn remark(self) -> &'static str {
        match self {
            Self::Pause => "a process stands still and doesn’t notice",
            Self::Crash => "a node stops, and starts again later",
            Self::ClockStep => "a wall clock jumps",
            Self::ClockRate => "a node’s clocks run fast or slow",
            Self::Delay => "a message takes longer",
            Self::Loss => "a message never arrives",
            Self::Duplicate => "a request arrives twice",
            Self::Partition => "two nodes can’t reach each other",
            Self::Restore => "a server gets an older state back",
            Self::ForcedUnlock => "an operator breaks the lease",
            Self::StateLoss => "a service forgets everything",
            Self::Reorder => "a request is handled after the next one",
            Self::Lag => "nothing gets through to the copies",
            Self::LeaderChange => "another member becomes the leader",
        }
    }

    /// Whether it befalls a message, and not a node.
    pub fn is_of_message(self) -> bool {
        matches!(self, Self::Delay | Self::Loss | Self::Duplicate | Self::Reorder)
    }

    /// Whether it can befall a node, or a message from or to it.
    pub fn suits(self, scenario: &Scenario, node: NodeIndex) -> bool {
        // A lock on several others is no machine: what befalls it befalls them.
        if scenario.stands_on_others(node) {
            return false;
        }
        let Some(node) = scenario.nodes.get(usize::from(node)) else { return false };
        match (self, &node.kind) {
            (Self::ForcedUnlock | Self::StateLoss, NodeKind::Lock(_)) | (Self::StateLoss, NodeKind::System(_)) => true,
            (Self::ForcedUnlock, NodeKind::System(system)) => system.unlock.is_some(),
            (Self::LeaderChange, NodeKind::System(system)) => system.change_leader.is_some(),
            (Self::Lag, NodeKind::System(system)) => system.setup.lag_us > 0,
            (Self::ForcedUnlock | Self::StateLoss | Self::LeaderChange | Self::Lag, _)
            | (Self::Restore, NodeKind::Client(_)) => false,
            _ => true,
        }
    }

    /// Those that can befall anything in a scenario, in the order in which they are offered.
    pub fn suiting(scenario: &Scenario) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| scenario.indices().any(|node| kind.suits(scenario, node)))
    }
}
