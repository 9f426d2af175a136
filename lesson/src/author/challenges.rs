//! Challenges: what a reader is to bring about by changing the faults.

use super::cause::Cause;
use super::expectations;
use super::faults;
use super::field::Field;
use super::nodes::Nodes;
use super::shape::{Kind, Shape, Slot, may, need};
use super::table::Fields;
use crate::{Challenge, Expectation, StagedFault};

/// The most challenges of a lesson, and the most hints of one.
const MOST: usize = 10;

/// What `[[challenges]]` is.
pub(super) const LIST: Kind =
    Kind::List { of: &Kind::Table(|| vec![Shape::of(&[CHALLENGE])]), least: 0, most: Some(MOST) };

const CHALLENGE: &[Slot] = &[
    need("title", Kind::Text, "title = \"…\""),
    need("task", Kind::Text, "task = \"…\""),
    need("variant", Kind::Name, "variant = \"the id of a variant\""),
    need("goal", Kind::Table(|| vec![Shape::of(&[GOAL])]), "goal = { violates = [] }"),
    may("start", faults::LIST),
    need("hints", HINTS, "hints = [\"…\"], from the gentlest to the plainest"),
    need("solution", faults::LIST, "[[challenges.solution]] with faults that reach the goal"),
];

const HINTS: Kind = Kind::List { of: &Kind::Text, least: 1, most: Some(MOST) };

/// A goal says what is violated even if that is nothing, since a run without any
/// harm is the usual thing to reach.
const GOAL: &[Slot] = &[
    need("violates", expectations::VIOLATES, "violates = [], or the properties that must be violated"),
    may("reaches", expectations::REACHES),
    may("ends", expectations::ENDS),
];

/// Reads `[[challenges]]`. One that doesn't say how it starts, starts with the
/// lesson's own faults.
pub(super) fn read(fields: &mut Fields, nodes: &Nodes, variants: &[&str], lesson: &[StagedFault]) -> Vec<Challenge> {
    let tables = fields.tables("challenges");
    tables.into_iter().filter_map(|fields| challenge(fields, nodes, variants, lesson)).collect()
}

fn challenge(mut fields: Fields, nodes: &Nodes, variants: &[&str], lesson: &[StagedFault]) -> Option<Challenge> {
    let title = fields.text("title");
    let task = fields.text("task");
    let variant = fields.get("variant").and_then(|field| field.place_in("variant", variants, Some(Cause::Variants)));
    let goal = goal(&mut fields, nodes);
    let starts = fields.get("start").is_some();
    let start = if starts { faults::read(&mut fields, "start", nodes) } else { lesson.to_vec() };
    let hints = hints(&mut fields);
    let solution = faults::read(&mut fields, "solution", nodes);
    fields.finish();
    Some(Challenge { title: title?, task: task?, variant: variant? as u8, goal: goal?, start, hints: hints?, solution })
}

fn goal(fields: &mut Fields, nodes: &Nodes) -> Option<Expectation> {
    let mut goal = fields.get("goal")?.table()?;
    let expectation = expectations::read(&mut goal, nodes);
    goal.finish();
    Some(expectation)
}

fn hints(fields: &mut Fields) -> Option<Vec<String>> {
    fields.get("hints")?.counted()?.iter().map(Field::text).collect()
}
