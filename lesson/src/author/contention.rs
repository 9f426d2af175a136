//! Reads a wait before another try.

use racescope_engine::backoff::{Backoff, Kind};
use racescope_engine::sim::{Operation, TryAgain};

use super::mistake::Complaint;
use super::shape;
use super::steps::{Surroundings, value};
use super::table::Fields;

/// The rules by which a wait can be chosen.
const KINDS: [(&str, Kind); 5] = [
    ("immediate", Kind::Immediate),
    ("exponential", Kind::Exponential),
    ("full-jitter", Kind::FullJitter),
    ("equal-jitter", Kind::EqualJitter),
    ("decorrelated-jitter", Kind::DecorrelatedJitter),
];

const BASE_US: u64 = 100_000;
const CAP_US: u64 = 10_000_000;

/// The names of the rules.
pub(super) fn kinds() -> Vec<&'static str> {
    shape::names(&KINDS)
}

/// Reads a step that waits before another try.
pub(super) fn backoff(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let kind = fields.get("kind").and_then(|field| field.one_of("kind of backoff", &KINDS));
    let unused: &[&str] = match kind {
        Some(Kind::Immediate) => &["base", "cap", "seed"],
        Some(Kind::Exponential) => &["seed"],
        _ => &[],
    };
    for name in unused {
        if let Some(field) = fields.get(name) {
            field.complain(Complaint::new("this kind of backoff makes nothing of it", "Take it out."));
        }
    }
    let base_us = fields.get("base").map_or(Some(BASE_US), |field| field.span_us());
    let cap_us = fields.get("cap").map_or(Some(CAP_US), |field| field.span_us());
    let attempts = fields.get("attempts").and_then(|field| field.number());
    let seed = fields.get("seed").map_or(Some(0), |field| field.number());
    let tries = value(fields, "tries", "tries", around);
    let backoff = Backoff { kind: kind?, base_us: base_us?, cap_us: cap_us?, attempts: attempts?.into() };
    Some(Operation::TryAgain(TryAgain { backoff, seed: seed?, tries: tries? }))
}
