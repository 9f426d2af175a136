//! What a form can change of a fault: its numbers and its choices.

use std::rc::Rc;

use racescope_engine::sim::{
    Fault, LIMITS, Leg, MessageDelay, MessageDuplicate, MessageLoss, MessageReorder, NodeIndex, Waking,
};

use super::placed::Placed;
use super::state::State;
use crate::scene::Wire;
use crate::tell::{FaultKind, letter, time};

/// A number or a choice of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// When it starts, in microseconds.
    Start,
    /// How long it lasts or by how much it is late, in microseconds.
    Length,
    /// How far a clock jumps, in microseconds; below zero is back.
    Jump,
    /// How much faster a clock runs, in parts per million.
    Rate,
    /// When the snapshot was taken that is brought back, in microseconds.
    Taken,
    /// The node that it befalls, by its index.
    Node,
    /// The other side of a partition, by its index.
    Other,
    /// The message that it befalls, as [`message_value`] numbers them.
    Message,
    /// Whether only the first side of a partition is cut off: 0 or 1.
    OneWay,
    /// Whether a node still knows after a crash what it knew: 0 or 1.
    Memory,
    /// Whether a client looks at its deadlines first when it wakes: 0 or 1.
    Waking,
    /// The pane that it is pinned to, by its place; -1 for all of them.
    Pane,
}

impl Field {
    /// All fields, in the order of the form.
    pub const ALL: [Self; 12] = [
        Self::Node,
        Self::Message,
        Self::Other,
        Self::Start,
        Self::Length,
        Self::Taken,
        Self::Jump,
        Self::Rate,
        Self::OneWay,
        Self::Memory,
        Self::Waking,
        Self::Pane,
    ];

    /// What the field is called on a fault of a kind.
    pub fn name(self, kind: FaultKind) -> &'static str {
        match (self, kind) {
            (Self::Start, FaultKind::Pause | FaultKind::Crash | FaultKind::ClockRate | FaultKind::Partition) => "Start",
            (Self::Start, _) => "At",
            (Self::Length, FaultKind::Delay) => "Late by",
            (Self::Length, FaultKind::Duplicate) => "Copy after",
            (Self::Length, _) => "Length",
            (Self::Jump, _) => "Jumps by",
            (Self::Rate, _) => "Runs",
            (Self::Taken, _) => "State of",
            (Self::Node, FaultKind::Partition) => "Between",
            (Self::Node, _) => "Lane",
            (Self::Other, _) => "And",
            (Self::Message, _) => "Message",
            (Self::OneWay, _) => "Cuts",
            (Self::Memory, _) => "Memory",
            (Self::Waking, _) => "On waking",
            (Self::Pane, _) => "Applies to",
        }
    }

    /// What history calls it: "length".
    pub(super) fn plain_name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Length => "length",
            Self::Jump => "jump",
            Self::Rate => "rate",
            Self::Taken => "snapshot",
            Self::Node => "lane",
            Self::Other => "other side",
            Self::Message => "message",
            Self::OneWay => "direction",
            Self::Memory => "memory",
            Self::Waking => "waking",
            Self::Pane => "panes",
        }
    }

    /// Whether it is chosen from a list, and not a number.
    pub fn is_choice(self) -> bool {
        !matches!(self, Self::Start | Self::Length | Self::Jump | Self::Rate | Self::Taken)
    }
}

/// The number that stands for a message: of whose call, which call, which leg.
pub fn message_value(client: NodeIndex, call: u16, leg: Leg) -> i64 {
    i64::from(client) << 17 | i64::from(call) << 1 | i64::from(leg == Leg::Reply)
}

/// A field of a fault, in its unit; `None` if the fault has no such field.
pub fn value_of(placed: &Placed, field: Field) -> Option<i64> {
    let fault = &placed.fault;
    let us = |us: u64| i64::try_from(us).ok();
    match (fault, field) {
        (_, Field::Pane) => Some(placed.pane.map_or(-1, i64::from)),
        (_, Field::Start) => fault.at_us().and_then(us),
        (Fault::MessageDelay(delay), Field::Length) => us(delay.by_us),
        (Fault::MessageDuplicate(copy), Field::Length) => us(copy.by_us),
        (_, Field::Length) => fault.lasts_us().and_then(us),
        (Fault::ClockStep(step), Field::Jump) => Some(step.by_us),
        (Fault::ClockRate(rate), Field::Rate) => Some(rate.rate_ppm.into()),
        (Fault::SnapshotRestore(restore), Field::Taken) => us(restore.taken_us),
        (_, Field::Message) => fault.message().map(|(call, leg)| message_value(fault.node(), call, leg)),
        (_, Field::Node) => fault.message().is_none().then(|| fault.node().into()),
        (Fault::Partition(cut), Field::Other) => Some(cut.other.into()),
        (Fault::Partition(cut), Field::OneWay) => Some(cut.one_way.into()),
        (Fault::Crash(crash), Field::Memory) => Some(crash.keeps_memory.into()),
        (Fault::Pause(pause), Field::Waking) => Some((pause.on_waking == Waking::Deadlines).into()),
        _ => None,
    }
}

/// A fault with another value of a field, within the engine's limits.
pub(super) fn with_value(placed: &Placed, field: Field, value: i64) -> Placed {
    let mut placed = placed.clone();
    if field == Field::Pane {
        placed.pane = u8::try_from(value).ok();
        return placed;
    }
    placed.fault = with_number(placed.fault, field, value).clamped();
    placed
}

fn with_number(mut fault: Fault, field: Field, value: i64) -> Fault {
    let most = i64::try_from(LIMITS.time_us).unwrap_or(i64::MAX);
    let time_us = value.clamp(0, most).unsigned_abs();
    let index = NodeIndex::try_from(value).unwrap_or_default();
    let yes = value != 0;
    match (&mut fault, field) {
        (Fault::Pause(it), Field::Start) => it.at_us = time_us,
        (Fault::Pause(it), Field::Length) => it.lasts_us = time_us,
        (Fault::Pause(it), Field::Node) => it.node = index,
        (Fault::Pause(it), Field::Waking) => it.on_waking = if yes { Waking::Deadlines } else { Waking::Messages },
        (Fault::Crash(it), Field::Start) => it.at_us = time_us,
        (Fault::Crash(it), Field::Length) => it.lasts_us = time_us,
        (Fault::Crash(it), Field::Node) => it.node = index,
        (Fault::Crash(it), Field::Memory) => it.keeps_memory = yes,
        (Fault::ClockStep(it), Field::Start) => it.at_us = time_us,
        (Fault::ClockStep(it), Field::Jump) => it.by_us = value.clamp(-most, most),
        (Fault::ClockStep(it), Field::Node) => it.node = index,
        (Fault::ClockRate(it), Field::Start) => it.at_us = time_us,
        (Fault::ClockRate(it), Field::Length) => it.lasts_us = time_us,
        (Fault::ClockRate(it), Field::Rate) => it.rate_ppm = value.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
        (Fault::ClockRate(it), Field::Node) => it.node = index,
        (Fault::Partition(it), Field::Start) => it.at_us = time_us,
        (Fault::Partition(it), Field::Length) => it.lasts_us = time_us,
        (Fault::Partition(it), Field::Node) => it.node = index,
        (Fault::Partition(it), Field::Other) => it.other = index,
        (Fault::Partition(it), Field::OneWay) => it.one_way = yes,
        (Fault::SnapshotRestore(it), Field::Start) => it.at_us = time_us,
        (Fault::SnapshotRestore(it), Field::Taken) => it.taken_us = time_us,
        (Fault::SnapshotRestore(it), Field::Node) => it.node = index,
        (Fault::ForcedUnlock(it), Field::Start) => it.at_us = time_us,
        (Fault::ForcedUnlock(it), Field::Node) => it.node = index,
        (Fault::StateLoss(it), Field::Start) => it.at_us = time_us,
        (Fault::StateLoss(it), Field::Node) => it.node = index,
        (Fault::LeaderChange(it), Field::Start) => it.at_us = time_us,
        (Fault::LeaderChange(it), Field::Node) => it.node = index,
        (Fault::ReplicaLag(it), Field::Start) => it.at_us = time_us,
        (Fault::ReplicaLag(it), Field::Length) => it.lasts_us = time_us,
        (Fault::ReplicaLag(it), Field::Node) => it.node = index,
        (
            Fault::MessageDelay(MessageDelay { by_us: us, .. })
            | Fault::MessageDuplicate(MessageDuplicate { by_us: us, .. }),
            Field::Length,
        ) => *us = time_us,
        (_, Field::Message) => return with_message(fault, value),
        _ => {}
    }
    fault
}

fn with_message(mut fault: Fault, value: i64) -> Fault {
    let client = NodeIndex::try_from(value >> 17).unwrap_or_default();
    let number = u16::try_from(value >> 1 & 0xffff).unwrap_or_default();
    let which = if value & 1 == 1 { Leg::Reply } else { Leg::Request };
    match &mut fault {
        Fault::MessageDelay(MessageDelay { node, call, leg, .. })
        | Fault::MessageLoss(MessageLoss { node, call, leg }) => (*node, *call, *leg) = (client, number, which),
        Fault::MessageDuplicate(MessageDuplicate { node, call, .. })
        | Fault::MessageReorder(MessageReorder { node, call }) => (*node, *call) = (client, number),
        _ => {}
    }
    fault
}

impl State {
    /// What a choice of a fault can be: values for [`super::Message::Set`] with their names.
    pub fn options(&self, place: usize, field: Field) -> Vec<(i64, String)> {
        let (Some(placed), Some(variant)) = (self.faults.get(place), self.lesson.variants.first()) else {
            return Vec::new();
        };
        let (scenario, kind) = (&variant.scenario, FaultKind::of(&placed.fault));
        let nodes = || scenario.indices().map(|node| (node, scenario.nodes[usize::from(node)].title.clone()));
        let two = |no: &str, yes: &str| vec![(0, no.to_string()), (1, yes.to_string())];
        match field {
            Field::Node => {
                let other = value_of(placed, Field::Other);
                let fitting = nodes().filter(|&(node, _)| kind.suits(scenario, node) && other != Some(node.into()));
                fitting.map(|(node, title)| (node.into(), title)).collect()
            }
            Field::Other => {
                let others = nodes().filter(|&(node, _)| node != placed.fault.node());
                others.map(|(node, title)| (node.into(), title)).collect()
            }
            Field::Message => self.messages(place, placed),
            Field::OneWay => two("both ways", "one way, from the first"),
            Field::Memory => two("lost", "kept"),
            Field::Waking => two("messages first", "deadlines first"),
            Field::Pane => {
                let panes = self.lesson.variants.iter().zip(0..).map(|(variant, pane)| (pane, variant.title.clone()));
                std::iter::once((-1, "all panes".to_string())).chain(panes).collect()
            }
            Field::Start | Field::Length | Field::Jump | Field::Rate | Field::Taken => Vec::new(),
        }
    }

    /// The messages that a fault can befall; its own is among them even if it is never sent.
    fn messages(&self, place: usize, placed: &Placed) -> Vec<(i64, String)> {
        let Some(variant) = self.lesson.variants.first() else { return Vec::new() };
        let name = |wire: &Wire| {
            let (client, server) = (letter(&variant.scenario, wire.client), letter(&variant.scenario, wire.server));
            let (from, to) = if wire.leg == Leg::Request { (client, server) } else { (server, client) };
            format!("{} {from} → {to}", time(wire.sent_us))
        };
        let only_requests = matches!(FaultKind::of(&placed.fault), FaultKind::Duplicate | FaultKind::Reorder);
        let wires = self.wires_for(place).into_iter().filter(|wire| !only_requests || wire.leg == Leg::Request);
        let mut all: Vec<_> =
            wires.map(|wire| (message_value(wire.client, wire.call, wire.leg), name(&wire))).collect();
        if let Some(own) = value_of(placed, Field::Message).filter(|own| all.iter().all(|(value, _)| value != own)) {
            let (call, _) = placed.fault.message().unwrap_or((0, Leg::Request));
            let client = letter(&variant.scenario, placed.fault.node());
            all.push((own, format!("call {} of {client}, not sent here", u32::from(call) + 1)));
        }
        all
    }

    /// The messages that a fault can befall: one that loses a message, or has it overtaken, is
    /// left out, since nothing is sent after it that waits for it.
    pub(super) fn wires_for(&self, place: usize) -> Vec<Wire> {
        let hides = |placed: &Placed| matches!(FaultKind::of(&placed.fault), FaultKind::Loss | FaultKind::Reorder);
        if !self.faults.get(place).is_some_and(hides) {
            return self.wires();
        }
        let mut without = self.clone();
        let mut faults = (*self.faults).clone();
        faults.remove(place);
        without.faults = Rc::new(faults);
        without.run();
        without.wires()
    }

    /// The messages of all panes, each once, in the order of their sending.
    pub fn wires(&self) -> Vec<Wire> {
        let mut wires: Vec<Wire> = Vec::new();
        for wire in self.panes.iter().flat_map(|pane| &pane.scene.wires) {
            let same = |other: &Wire| (other.client, other.call, other.leg) == (wire.client, wire.call, wire.leg);
            if !wires.iter().any(same) {
                let at = wires.partition_point(|other| other.sent_us <= wire.sent_us);
                wires.insert(at, *wire);
            }
        }
        wires
    }
}
