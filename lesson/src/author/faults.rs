//! Faults: pauses, clock faults and late messages.

use racescope_engine::sim::{ClockRate, ClockStep, Fault, Leg, MessageDelay, NodeIndex, Pause};

use super::field::Field;
use super::mistake::Complaint;
use super::nodes::{Nodes, Role};
use super::shape::{self, Kind, Shape, Slot, Slots, may, need};
use super::table::Fields;
use crate::{MOST_FAULTS, StagedFault};

/// What a list of faults is, such as `[[faults]]`.
pub(super) const LIST: Kind = Kind::List { of: &Kind::Table(shapes), least: 0, most: Some(MOST_FAULTS) };

/// The kinds of faults, by the field that says which node has it.
const KINDS: [(&str, Form); 4] = [
    ("pause", Form { slots: &[PAUSE, LABEL], read: pause, called: "Pause" }),
    ("clock_step", Form { slots: &[CLOCK_STEP, LABEL], read: clock_step, called: "Clock step" }),
    ("clock_rate", Form { slots: &[CLOCK_RATE, LABEL], read: clock_rate, called: "Clock rate" }),
    ("delay", Form { slots: &[DELAY, LABEL], read: delay, called: "Late message" }),
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
    need("at", Kind::Duration, "at = \"1.5 s\""),
    need("lasts", Kind::Span, "lasts = \"4 s\""),
];

const CLOCK_STEP: &[Slot] = &[
    need("clock_step", Kind::Name, "clock_step = \"the name of a node\""),
    need("at", Kind::Duration, "at = \"1.5 s\""),
    need("by", Kind::Shift, "by = \"+2 s\""),
];

const CLOCK_RATE: &[Slot] = &[
    need("clock_rate", Kind::Name, "clock_rate = \"the name of a node\""),
    need("at", Kind::Duration, "at = \"1.5 s\""),
    need("lasts", Kind::Span, "lasts = \"4 s\""),
    need("rate", Kind::Rate, "rate = \"1.5\""),
];

const DELAY: &[Slot] = &[
    need("delay", Kind::Name, "delay = \"the name of a client\""),
    need("call", Kind::Number(1, 1_000), "call = 1, for the client's first call"),
    need("leg", Kind::OneOf(|| shape::names(&LEGS)), "leg = \"request\""),
    need("by", Kind::Span, "by = \"2 s\""),
];

const LEGS: [(&str, Leg); 2] = [("request", Leg::Request), ("reply", Leg::Reply)];

fn shapes() -> Vec<Shape> {
    KINDS.iter().map(|(_, form)| Shape::of(form.slots)).collect()
}

/// Reads a list of faults, such as `[[faults]]`.
pub(super) fn read(fields: &mut Fields, name: &'static str, nodes: &Nodes) -> Vec<StagedFault> {
    let tables = fields.tables(name);
    if let Some(extra) = tables.get(MOST_FAULTS) {
        let wrong = format!("{} faults are too many", tables.len());
        extra.complain(Complaint::new(wrong, format!("Have at most {MOST_FAULTS}.")));
    }
    tables.into_iter().filter_map(|fields| fault(fields, nodes)).collect()
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
    Some(Fault::Pause(Pause { node: node?, at_us: at_us?, lasts_us: lasts_us? }))
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

/// Files count calls from 1, the engine from 0.
fn delay(fields: &mut Fields, nodes: &Nodes) -> Option<Fault> {
    let node = fields.get("delay").and_then(|field| nodes.with_role(&field, Role::Client));
    let call = fields.get("call").and_then(|field| field.number());
    let leg = fields.get("leg").and_then(|field| field.one_of("leg", &LEGS));
    let by_us = fields.get("by").as_ref().and_then(Field::span_us);
    Some(Fault::MessageDelay(MessageDelay { node: node?, call: call? - 1, leg: leg?, by_us: by_us? }))
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
