//! Faults: pauses, clock faults and late messages.

use racescope_engine::sim::{ClockRate, ClockStep, Fault, Leg, MessageDelay, NodeIndex, Pause};

use super::field::Field;
use super::mistake::Complaint;
use super::nodes::{Nodes, Role};
use super::table::Fields;
use crate::{MOST_FAULTS, StagedFault};

#[derive(Clone, Copy)]
enum Kind {
    Pause,
    ClockStep,
    ClockRate,
    Delay,
}

const KINDS: [(&str, Kind); 4] =
    [("pause", Kind::Pause), ("clock_step", Kind::ClockStep), ("clock_rate", Kind::ClockRate), ("delay", Kind::Delay)];

const LEGS: [(&str, Leg); 2] = [("request", Leg::Request), ("reply", Leg::Reply)];

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
    let (field, kind) = fields.exactly_one(&KINDS, "pause = \"the name of a node\"")?;
    let (fault, name) = match kind {
        Kind::Pause => (pause(&mut fields, nodes.any(&field)), "Pause"),
        Kind::ClockStep => (clock_step(&mut fields, nodes.any(&field)), "Clock step"),
        Kind::ClockRate => (clock_rate(&mut fields, nodes.any(&field)), "Clock rate"),
        Kind::Delay => (delay(&mut fields, nodes.with_role(&field, Role::Client)), "Late message"),
    };
    let label = fields.get("label").map_or_else(|| Some(name.to_string()), |field| field.text());
    fields.finish();
    Some(StagedFault { fault: fault?, label: label? })
}

fn pause(fields: &mut Fields, node: Option<NodeIndex>) -> Option<Fault> {
    let (at_us, lasts_us) = (at_us(fields), lasts_us(fields));
    Some(Fault::Pause(Pause { node: node?, at_us: at_us?, lasts_us: lasts_us? }))
}

fn clock_step(fields: &mut Fields, node: Option<NodeIndex>) -> Option<Fault> {
    let at_us = at_us(fields);
    let by_us = fields.need("by", "by = \"+2 s\"").and_then(|field| field.shift_us());
    Some(Fault::ClockStep(ClockStep { node: node?, at_us: at_us?, by_us: by_us? }))
}

fn clock_rate(fields: &mut Fields, node: Option<NodeIndex>) -> Option<Fault> {
    let (at_us, lasts_us) = (at_us(fields), lasts_us(fields));
    let rate_ppm = fields.need("rate", "rate = \"1.5\"").and_then(|field| field.rate_ppm());
    Some(Fault::ClockRate(ClockRate { node: node?, at_us: at_us?, lasts_us: lasts_us?, rate_ppm: rate_ppm? }))
}

/// Files count calls from 1, the engine from 0.
fn delay(fields: &mut Fields, node: Option<NodeIndex>) -> Option<Fault> {
    let call = fields.need("call", "call = 1, for the client's first call").and_then(|field| field.number(1..=1_000));
    let leg = fields.need("leg", "leg = \"request\"").and_then(|field| field.one_of("leg", &LEGS));
    let by_us = fields.need("by", "by = \"2 s\"").as_ref().and_then(Field::span_us);
    Some(Fault::MessageDelay(MessageDelay { node: node?, call: call? - 1, leg: leg?, by_us: by_us? }))
}

fn at_us(fields: &mut Fields) -> Option<u64> {
    fields.need("at", "at = \"1.5 s\"")?.duration_us()
}

fn lasts_us(fields: &mut Fields) -> Option<u64> {
    fields.need("lasts", "lasts = \"4 s\"")?.span_us()
}
