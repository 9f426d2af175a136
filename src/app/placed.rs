//! A fault on the stage, and how a new one looks.

use racescope_engine::sim::{
    ClockRate, ClockStep, Crash, Fault, ForcedUnlock, LeaderChange, Leg, MessageDelay, MessageDuplicate, MessageLoss,
    MessageReorder, NodeIndex, Partition, Pause, ReplicaLag, Scenario, SnapshotRestore, StateLoss, Waking,
};
use racescope_lesson::StagedFault;
use serde::{Deserialize, Serialize};

use crate::scene::Wire;
use crate::tell::FaultKind;

/// A fault as it lies on the stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// The fault.
    pub fault: Fault,
    /// What it stands for, such as "GC pause".
    pub label: String,
    /// The only pane that it befalls, by its place; `None` for all of them.
    pub pane: Option<u8>,
}

impl From<&StagedFault> for Placed {
    fn from(staged: &StagedFault) -> Self {
        Self { fault: staged.fault, label: staged.label.clone(), pane: None }
    }
}

impl Placed {
    /// A new fault under the name of its kind, in all panes.
    pub fn new(fault: Fault) -> Self {
        Self { label: FaultKind::of(&fault).name().to_string(), fault: fault.clamped(), pane: None }
    }

    /// Whether a pane is under this fault.
    pub fn befalls(&self, pane: usize) -> bool {
        self.pane.is_none_or(|only| usize::from(only) == pane)
    }

    /// The last moment that belongs to the fault, in microseconds; 0 for one of a message.
    pub fn ends_us(&self) -> u64 {
        self.fault.at_us().map_or(0, |at_us| at_us.saturating_add(self.fault.lasts_us().unwrap_or(0)))
    }
}

/// A new fault of a kind on a lane. It lasts `length_us` where it has a length. A clock
/// jumps eight times as far: beyond the end of any lease on the stage. One
/// of a message takes the message nearest to the moment; there may be none.
pub(super) fn new_fault(
    kind: FaultKind,
    scenario: &Scenario,
    node: NodeIndex,
    at_us: u64,
    length_us: u64,
    wires: &[Wire],
) -> Option<Fault> {
    if !kind.suits(scenario, node) {
        return None;
    }
    let wire = || nearest_wire(wires, node, at_us, matches!(kind, FaultKind::Duplicate | FaultKind::Reorder));
    let lasts_us = length_us;
    Some(match kind {
        FaultKind::Pause => Fault::Pause(Pause { node, at_us, lasts_us, on_waking: Waking::Messages }),
        FaultKind::Crash => Fault::Crash(Crash { node, at_us, lasts_us, keeps_memory: false }),
        FaultKind::ClockStep => Fault::ClockStep(ClockStep { node, at_us, by_us: 8 * length_us.cast_signed() }),
        FaultKind::ClockRate => Fault::ClockRate(ClockRate { node, at_us, lasts_us: 2 * length_us, rate_ppm: 500_000 }),
        FaultKind::Delay => {
            let Wire { client, call, leg, .. } = wire()?;
            Fault::MessageDelay(MessageDelay { node: client, call, leg, by_us: length_us })
        }
        FaultKind::Loss => {
            let Wire { client, call, leg, .. } = wire()?;
            Fault::MessageLoss(MessageLoss { node: client, call, leg })
        }
        FaultKind::Duplicate => {
            let Wire { client, call, .. } = wire()?;
            Fault::MessageDuplicate(MessageDuplicate { node: client, call, by_us: length_us })
        }
        FaultKind::Partition => {
            let other = other_side(scenario, node)?;
            Fault::Partition(Partition { node, other, at_us, lasts_us, one_way: false })
        }
        FaultKind::Restore => {
            let taken_us = at_us.saturating_sub(length_us);
            Fault::SnapshotRestore(SnapshotRestore { node, at_us, taken_us })
        }
        FaultKind::ForcedUnlock => Fault::ForcedUnlock(ForcedUnlock { node, at_us }),
        FaultKind::StateLoss => Fault::StateLoss(StateLoss { node, at_us }),
        FaultKind::Reorder => {
            let Wire { client, call, .. } = wire()?;
            Fault::MessageReorder(MessageReorder { node: client, call })
        }
        FaultKind::Lag => Fault::ReplicaLag(ReplicaLag { node, at_us, lasts_us }),
        FaultKind::LeaderChange => Fault::LeaderChange(LeaderChange { node, at_us }),
    })
}

/// The message that leaves or reaches a lane nearest to a moment.
pub(super) fn nearest_wire(wires: &[Wire], node: NodeIndex, at_us: u64, requests_only: bool) -> Option<Wire> {
    let here = wires.iter().filter(|wire| wire.client == node || wire.server == node);
    let fitting = here.filter(|wire| !requests_only || wire.leg == Leg::Request);
    let distance = |wire: &&Wire| {
        let leaves_here = (wire.client == node) == (wire.leg == Leg::Request);
        at_us.abs_diff(if leaves_here { wire.sent_us } else { wire.arrives_us })
    };
    fitting.min_by_key(distance).copied()
}

/// Whom a partition cuts a node off from at first: the nearest one of the other sort.
fn other_side(scenario: &Scenario, node: NodeIndex) -> Option<NodeIndex> {
    let is_client = |node| scenario.client(node).is_some();
    let is_there = |other: &NodeIndex| is_client(*other) != is_client(node) && !scenario.stands_on_others(*other);
    scenario.indices().filter(is_there).min_by_key(|other| other.abs_diff(node))
}
