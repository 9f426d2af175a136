//! Faults: what befalls nodes, clocks and messages.

use racescope_engine::sim::{
    ClockRate, ClockStep, Crash, Fault, ForcedUnlock, LeaderChange, Leg, MessageDelay, MessageDuplicate, MessageLoss,
    MessageReorder, NodeIndex, Partition, Pause, ReplicaLag, SnapshotRestore, StateLoss, Waking,
};
use racescope_engine::system::setup::{Setting, kinds, takes};

use super::cause::Cause;
use super::field::Field;
use super::mistake::{Complaint, list};
use super::nodes::{Nodes, Role};
use super::shape::{self, Kind, Shape, Slot, Slots, may, need};
use super::table::Fields;
use crate::{MOST_FAULTS, StagedFault};

/// What a list of faults is, such as `[[faults]]`.
pub(super) const LIST: Kind = Kind::List { of: &Kind::Table(shapes), least: 0, most: Some(MOST_FAULTS) };

/// The kinds of faults, by the field that says which node has it.
const KINDS: [(&str, Form); 14] = [
    ("pause", Form { slots: &[PAUSE, LABEL], read: pause, called: "Pause" }),
    ("clock_step", Form { slots: &[CLOCK_STEP, LABEL], read: clock_step, called: "Clock step" }),
    ("clock_rate", Form { slots: &[CLOCK_RATE, LABEL], read: clock_rate, called: "Clock rate" }),
    ("delay", Form { slots: &[DELAY, LABEL], read: delay, called: "Late message" }),
    ("crash", Form { slots: &[CRASH, LABEL], read: crash, called: "Crash" }),
    ("loss", Form { slots: &[LOSS, LABEL], read: loss, called: "Lost message" }),
    ("duplicate", Form { slots: &[DUPLICATE, LABEL], read: duplicate, called: "Doubled message" }),
    ("partition", Form { slots: &[PARTITION, LABEL], read: partition, called: "Partition" }),
    ("restore", Form { slots: &[RESTORE, LABEL], read: restore, called: "Restore" }),
    ("forced_unlock", Form { slots: &[FORCED_UNLOCK, LABEL], read: forced_unlock, called: "Forced unlock" }),
    ("state_loss", Form { slots: &[STATE_LOSS, LABEL], read: state_loss, called: "State loss" }),
    ("reorder", Form { slots: &[REORDER, LABEL], read: reorder, called: "Overtaken message" }),
    ("replica_lag", Form { slots: &[REPLICA_LAG, LABEL], read: replica_lag, called: "Replica lag" }),
    ("leader_change", Form { slots: &[LEADER_CHANGE, LABEL], read: leader_change, called: "Leader change" }),
];

#[derive(Clone, Copy)]
struct Form {
    slots: Slots,
    read: fn(&mut Fields, &Nodes) -> Option<Fault>,
    /// Its label, if it has none of its own.
    called: &'static str,
}

const LABEL: &[Slot] = &[may("label", Kind::Text)];

const PAUSE: &[Slot] = &[
    need("pause", Kind::Name, "pause = \"the name of a node\""),
    need("at", Kind::Duration, AT),
    need("lasts", Kind::Span, LASTS),
    may("on_waking", Kind::OneOf(|| shape::names(&WAKINGS))),
];

const CLOCK_STEP: &[Slot] = &[
    need("clock_step", Kind::Name, "clock_step = \"the name of a node\""),
    need("at", Kind::Duration, AT),
    need("by", Kind::Shift, "by = \"+2 s\""),
];

const CLOCK_RATE: &[Slot] = &[
    need("clock_rate", Kind::Name, "clock_rate = \"the name of a node\""),
    need("at", Kind::Duration, AT),
    need("lasts", Kind::Span, LASTS),
    need("rate", Kind::Rate, "rate = \"1.5\""),
];

const DELAY: &[Slot] = &[
    need("delay", Kind::Name, "delay = \"the name of a client\""),
    need("call", CALL, CALL_EXAMPLE),
    need("leg", Kind::OneOf(|| shape::names(&LEGS)), LEG),
    need("by", Kind::Span, BY),
];

const CRASH: &[Slot] = &[
    need("crash", Kind::Name, "crash = \"the name of a node\""),
    need("at", Kind::Duration, AT),
    need("lasts", Kind::Span, LASTS),
    may("keeps_memory", Kind::Truth),
];

const LOSS: &[Slot] = &[
    need("loss", Kind::Name, "loss = \"the name of a client\""),
    need("call", CALL, CALL_EXAMPLE),
    need("leg", Kind::OneOf(|| shape::names(&LEGS)), LEG),
];

const DUPLICATE: &[Slot] = &[
    need("duplicate", Kind::Name, "duplicate = \"the name of a client\""),
    need("call", CALL, CALL_EXAMPLE),
    need("by", Kind::Span, BY),
];

const PARTITION: &[Slot] = &[
    need("partition", Kind::Name, "partition = \"the name of a node\""),
    need("from", Kind::Name, "from = \"the name of the other node\""),
    need("at", Kind::Duration, AT),
    need("lasts", Kind::Span, LASTS),
    may("one_way", Kind::Truth),
];

const RESTORE: &[Slot] = &[
    need("restore", Kind::Name, "restore = \"the name of a server\""),
    need("taken", Kind::Duration, "taken = \"1 s\""),
    need("at", Kind::Duration, AT),
];

const FORCED_UNLOCK: &[Slot] = &[
    need("forced_unlock", Kind::Name, "forced_unlock = \"the name of a lock service\""),
    need("at", Kind::Duration, AT),
];

const REORDER: &[Slot] =
    &[need("reorder", Kind::Name, "reorder = \"the name of a client\""), need("call", CALL, CALL_EXAMPLE)];

const REPLICA_LAG: &[Slot] = &[
    need("replica_lag", Kind::Name, "replica_lag = \"the name of a system\""),
    need("at", Kind::Duration, AT),
    need("lasts", Kind::Span, LASTS),
];

const LEADER_CHANGE: &[Slot] =
    &[need("leader_change", Kind::Name, "leader_change = \"the name of a system\""), need("at", Kind::Duration, AT)];

const STATE_LOSS: &[Slot] =
    &[need("state_loss", Kind::Name, "state_loss = \"the name of a lock service\""), need("at", Kind::Duration, AT)];

const AT: &str = "at = \"1.5 s\"";
const LASTS: &str = "lasts = \"4 s\"";
const CALL: Kind = Kind::Number(1, 1_000);
const CALL_EXAMPLE: &str = "call = 1, for the client's first call";
const LEG: &str = "leg = \"request\"";
const BY: &str = "by = \"2 s\"";

const LEGS: [(&str, Leg); 2] = [("request", Leg::Request), ("reply", Leg::Reply)];

const WAKINGS: [(&str, Waking); 2] = [("messages", Waking::Messages), ("deadlines", Waking::Deadlines)];

fn shapes() -> Vec<Shape> {
    KINDS.iter().map(|(_, form)| Shape::of(form.slots)).collect()
}

/// Reads a list of faults, such as `[[faults]]`.
pub(super) fn read(fields: &mut Fields, name: &'static str, nodes: &Nodes) -> Vec<StagedFault> {
    let tables = fields.tables(name);
    let mut faults: Vec<StagedFault> = Vec::new();
    for fields in tables {
        let whole = fields.beneath(None);
        let Some(staged) = fault(fields, nodes) else { continue };
        if let Some(first) = faults.iter().position(|other| other.fault == staged.fault) {
            let wrong = format!("this is fault {} of the list once more", first + 1);
            whole.complain(Complaint::new(wrong, "Take it out, or change one of the two."));
        }
        faults.push(staged);
    }
    faults
}

fn fault(mut fields: Fields, nodes: &Nodes) -> Option<StagedFault> {
    let (_, form) = fields.exactly_one(&KINDS, "pause = \"the name of a node\"")?;
    fields.shaped(form.slots);
    let fault = (form.read)(&mut fields, nodes);
    let label = fields.get("label").map_or_else(|| Some(form.called.to_string()), |field| field.text());
    fields.finish();
    Some(StagedFault { fault: fault?, label: label? })
}

fn pause(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node(fields, "pause", nodes);
    let (at_us, lasts_us) = (at_us(fields), lasts_us(fields));
    let on_waking = fields.get("on_waking");
    let on_waking = on_waking.map_or(Some(Waking::default()), |field| field.one_of("choice", &WAKINGS));
    Some(Fault::Pause(Pause { node: node?, at_us: at_us?, lasts_us: lasts_us?, on_waking: on_waking? }))
}

fn clock_step(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node(fields, "clock_step", nodes);
    let at_us = at_us(fields);
    let by_us = fields.get("by").and_then(|field| field.shift_us());
    Some(Fault::ClockStep(ClockStep { node: node?, at_us: at_us?, by_us: by_us? }))
}

fn clock_rate(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node(fields, "clock_rate", nodes);
    let (at_us, lasts_us) = (at_us(fields), lasts_us(fields));
    let rate_ppm = fields.get("rate").and_then(|field| field.rate_ppm());
    Some(Fault::ClockRate(ClockRate { node: node?, at_us: at_us?, lasts_us: lasts_us?, rate_ppm: rate_ppm? }))
}

fn delay(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node_with(fields, "delay", nodes, Role::Client);
    let (call, leg, by_us) = (call(fields), leg(fields), by_us(fields));
    Some(Fault::MessageDelay(MessageDelay { node: node?, call: call?, leg: leg?, by_us: by_us? }))
}

fn crash(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node(fields, "crash", nodes);
    let (at_us, lasts_us) = (at_us(fields), lasts_us(fields));
    let keeps_memory = truth(fields, "keeps_memory");
    Some(Fault::Crash(Crash { node: node?, at_us: at_us?, lasts_us: lasts_us?, keeps_memory: keeps_memory? }))
}

fn loss(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node_with(fields, "loss", nodes, Role::Client);
    let (call, leg) = (call(fields), leg(fields));
    Some(Fault::MessageLoss(MessageLoss { node: node?, call: call?, leg: leg? }))
}

fn duplicate(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node_with(fields, "duplicate", nodes, Role::Client);
    let (call, by_us) = (call(fields), by_us(fields));
    Some(Fault::MessageDuplicate(MessageDuplicate { node: node?, call: call?, by_us: by_us? }))
}

fn partition(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node(fields, "partition", nodes);
    let field = fields.get("from");
    let other = field.as_ref().and_then(|field| nodes.any(field));
    let (at_us, lasts_us) = (at_us(fields), lasts_us(fields));
    let one_way = truth(fields, "one_way");
    if let (Some(field), true) = (field, other.is_some() && other == node) {
        field.complain(Complaint::new("no node is cut off from itself", "Name the other node."));
        return None;
    }
    let (node, other) = (node?, other?);
    Some(Fault::Partition(Partition { node, other, at_us: at_us?, lasts_us: lasts_us?, one_way: one_way? }))
}

fn restore(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = fields.get("restore").and_then(|field| nodes.server(&field));
    let field = fields.get("taken");
    let taken_us = field.as_ref().and_then(Field::duration_us);
    let at_us = at_us(fields);
    if let (Some(field), true) = (field, taken_us? >= at_us?) {
        let wrong = "the snapshot is brought back before it is taken";
        field.complain(Complaint::new(wrong, "Write a moment that is earlier than \"at\"."));
        return None;
    }
    Some(Fault::SnapshotRestore(SnapshotRestore { node: node?, at_us: at_us?, taken_us: taken_us? }))
}

fn forced_unlock(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let field = fields.get("forced_unlock");
    let node = field.as_ref().and_then(|field| nodes.lock(field));
    if let (Some(field), Some(node)) = (&field, node)
        && !nodes.is_plain_lock(node)
        && nodes.said_by_host(node, "unlock").is_none()
    {
        let cure = "Add unlock = \"…\" to the system: the command by which an operator breaks the lock.";
        field.complain_unless(Complaint::new("nobody knows how to break this lock", cure), Cause::Nodes);
    }
    let at_us = at_us(fields);
    Some(Fault::ForcedUnlock(ForcedUnlock { node: node?, at_us: at_us? }))
}

fn state_loss(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = fields.get("state_loss").and_then(|field| nodes.forgetful(&field));
    let at_us = at_us(fields);
    Some(Fault::StateLoss(StateLoss { node: node?, at_us: at_us? }))
}

fn reorder(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = node_with(fields, "reorder", nodes, Role::Client);
    let call = call(fields);
    Some(Fault::MessageReorder(MessageReorder { node: node?, call: call? }))
}

fn replica_lag(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let field = fields.get("replica_lag");
    let node = field.as_ref().and_then(|field| nodes.talking(field));
    if let (Some(field), Some(kind)) = (field, node.and_then(|node| nodes.said_by_host(node, "system")))
        && !takes(kind, Setting::Lag)
    {
        let copied: Vec<&str> = kinds().into_iter().filter(|kind| takes(kind, Setting::Lag)).collect();
        let cure = format!("Name a system such as {}.", list(&copied));
        field.complain(Complaint::new(format!("{kind} has no copies that could lag"), cure));
    }
    let (at_us, lasts_us) = (at_us(fields), lasts_us(fields));
    Some(Fault::ReplicaLag(ReplicaLag { node: node?, at_us: at_us?, lasts_us: lasts_us? }))
}

fn leader_change(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let field = fields.get("leader_change");
    let node = field.as_ref().and_then(|field| nodes.talking(field));
    if let (Some(field), Some(node)) = (field, node)
        && nodes.said_by_host(node, "change_leader").is_none()
    {
        let cure = "Add change_leader = \"…\" to the system: the command by which another member leads.";
        let wrong = "nobody knows how this system changes its leader";
        field.complain_unless(Complaint::new(wrong, cure), Cause::Nodes);
    }
    let at_us = at_us(fields);
    Some(Fault::LeaderChange(LeaderChange { node: node?, at_us: at_us? }))
}

/// Files count calls from 1, the engine from 0.
fn call(fields: &mut Fields) -> Option<u16> {
    fields.get("call")?.number().map(|call| call - 1)
}

fn leg(fields: &mut Fields) -> Option<Leg> {
    fields.get("leg")?.one_of("leg", &LEGS)
}

fn by_us(fields: &mut Fields) -> Option<u64> {
    fields.get("by")?.span_us()
}

fn truth(fields: &mut Fields, name: &'static str) -> Option<bool> {
    fields.get(name).map_or(Some(false), |field| field.truth())
}

fn node_with(fields: &mut Fields, name: &'static str, nodes: &Nodes, role: Role) -> Option<NodeIndex> {
    nodes.with_role(&fields.get(name)?, role)
}

fn node(fields: &mut Fields, name: &'static str, nodes: &Nodes) -> Option<NodeIndex> {
    nodes.any(&fields.get(name)?)
}

fn at_us(fields: &mut Fields) -> Option<u64> {
    fields.get("at")?.duration_us()
}

fn lasts_us(fields: &mut Fields) -> Option<u64> {
    fields.get("lasts")?.span_us()
}
