//! What a run must show, as variants and challenges say it.

use super::field::Field;
use super::mistake::{Complaint, quote};
use super::nodes::Nodes;
use super::shape::{self, Kind};
use super::table::Fields;
use crate::names::{DANGERS, PROPERTIES, property_name};
use crate::{Ending, Expectation};
use racescope_engine::check::Property;
use racescope_engine::explore::Mark;
use racescope_engine::sim::{LIMITS, NodeIndex};

/// What `violates` is.
pub(super) const VIOLATES: Kind = Kind::List { of: &Kind::OneOf(|| shape::names(&harmful())), least: 0, most: None };

/// What `reaches` is.
pub(super) const REACHES: Kind = Kind::List { of: &Kind::OneOf(|| shape::names(DANGERS)), least: 0, most: None };

/// What `violates` is where it speaks of all schedules.
pub(super) const SHOWN: Kind = Kind::List { of: &Kind::OneOf(|| shape::names(&searched())), least: 0, most: None };

/// What `ends` is.
pub(super) const ENDS: Kind = Kind::Named { of: &Kind::OneOf(|| shape::names(&ENDINGS)), most: LIMITS.nodes };

/// How the program of a client can end.
pub(super) const ENDINGS: [(&str, Ending); 3] =
    [("end", Ending::Finished), ("stop", Ending::GaveUp), ("open", Ending::Open)];

/// Reads `ends`.
fn ends(fields: &mut Fields, nodes: &Nodes) -> Vec<(NodeIndex, Ending)> {
    let Some(table) = fields.get("ends").and_then(|field| field.table()) else { return Vec::new() };
    let end = |(name, field): &(&str, Field)| {
        let client = nodes.client_called(name, field);
        let ending = field.one_of("end of a program", &ENDINGS);
        Some((client?, ending?))
    };
    table.all().iter().filter_map(end).collect()
}

/// Reads `violates` where it speaks of all schedules.
pub(super) fn shown(fields: &mut Fields) -> Expectation {
    let elements = fields.get("violates").map(|field| field.different_elements()).unwrap_or_default();
    let violates = elements.iter().filter_map(|field| field.one_of("property", &searched())).collect();
    Expectation { violates, ..Expectation::default() }
}

/// The properties that a search looks for, by name.
fn searched() -> Vec<(&'static str, Property)> {
    PROPERTIES.iter().copied().filter(|(_, property)| Mark::harm_of(*property).is_some()).collect()
}

/// Reads `violates`, `reaches` and `ends`.
pub(super) fn read(fields: &mut Fields, nodes: &Nodes) -> Expectation {
    let violates = fields.get("violates").map(|field| properties(&field)).unwrap_or_default();
    let reaches = fields.get("reaches").map(|field| field.different_elements()).unwrap_or_default();
    let reaches = reaches.iter().filter_map(|field| field.one_of("danger", DANGERS)).collect();
    Expectation { violates, reaches, ends: ends(fields, nodes) }
}

fn properties(field: &Field) -> Vec<Property> {
    let mut properties = Vec::new();
    for field in field.different_elements() {
        if let Some((name, cure)) = HARMLESS.into_iter().find(|(name, _)| field.peek() == Some(name)) {
            field.complain(Complaint::new(format!("{} does no harm by itself", quote(name)), cure));
        } else {
            properties.extend(field.one_of("property", &harmful()));
        }
    }
    properties
}

/// The properties that do no harm, with what to say instead.
const HARMLESS: [(&str, &str); 2] = [
    (
        property_name(Property::OverlapOfBelief),
        "Take it out; \"belief-outlived-lease\" in \"reaches\" says that a belief was false.",
    ),
    (
        property_name(Property::OutcomeUnknown),
        "Take it out; \"write-unanswered\" in \"reaches\" says that a client didn't hear of its write.",
    ),
];

/// The properties that do harm, by name.
fn harmful() -> Vec<(&'static str, Property)> {
    PROPERTIES.iter().copied().filter(|(_, property)| property.is_harm()).collect()
}
