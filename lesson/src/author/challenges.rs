//! Challenges: what a reader is to bring about by changing the faults.

use super::expectations;
use super::faults;
use super::field::Field;
use super::mistake::Complaint;
use super::nodes::Nodes;
use super::table::Fields;
use crate::{Challenge, Expectation, StagedFault};

/// Reads `[[challenges]]`. One that doesn't say how it starts, starts with the
/// lesson's own faults.
pub(super) fn read(fields: &mut Fields, nodes: &Nodes, variants: &[&str], lesson: &[StagedFault]) -> Vec<Challenge> {
    let tables = fields.tables("challenges");
    tables.into_iter().filter_map(|fields| challenge(fields, nodes, variants, lesson)).collect()
}

fn challenge(mut fields: Fields, nodes: &Nodes, variants: &[&str], lesson: &[StagedFault]) -> Option<Challenge> {
    let title = fields.text("title");
    let task = fields.text("task");
    let variant = fields.need("variant", "variant = \"the id of a variant\"");
    let variant = variant.and_then(|field| field.place_in("variant", variants));
    let goal = goal(&mut fields);
    let starts = fields.get("start").is_some();
    let start = if starts { faults::read(&mut fields, "start", nodes) } else { lesson.to_vec() };
    let hints = hints(&mut fields);
    fields.need("solution", "[[challenges.solution]] with faults that reach the goal");
    let solution = faults::read(&mut fields, "solution", nodes);
    fields.finish();
    Some(Challenge { title: title?, task: task?, variant: variant? as u8, goal: goal?, start, hints: hints?, solution })
}

/// A goal says what is violated even if that is nothing, since a run without any
/// harm is the usual thing to reach.
fn goal(fields: &mut Fields) -> Option<Expectation> {
    let mut goal = fields.need("goal", "goal = { violates = [] }")?.table()?;
    goal.need("violates", "violates = [], or the properties that must be violated")?;
    let expectation = expectations::read(&mut goal);
    goal.finish();
    Some(expectation)
}

fn hints(fields: &mut Fields) -> Option<Vec<String>> {
    let field = fields.need("hints", "hints = [\"…\"], from the gentlest to the plainest")?;
    let elements = field.elements();
    if elements.is_empty() {
        field.complain(Complaint::new("there is no hint", "Write at least one, from the gentlest to the plainest."));
    }
    elements.iter().map(Field::text).collect()
}
