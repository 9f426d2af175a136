//! The tally: what is counted within a schedule of a scenario file.

use racescope_engine::explore::Tally;
use racescope_engine::sim::Outcome;

use super::field::Field;
use super::nearest::unknown;
use super::shape::{self, Kind, Shape, Slot, may, need};
use super::steps;
use super::table::Fields;

/// What `[tally]` is.
pub(super) const TALLY: Kind = Kind::Table(|| vec![Shape::of(&[SLOTS])]);

const SLOTS: &[Slot] = &[
    need("name", Kind::Name, "name = \"grants\", what the number is called"),
    need("of", Kind::Name, "of = \"the label of the step that is counted\""),
    may("outcome", Kind::OneOf(|| shape::names(&OUTCOMES))),
];

const OUTCOMES: [(&str, Outcome); 10] = [
    ("done", Outcome::Done),
    ("granted", Outcome::Granted),
    ("busy", Outcome::Busy),
    ("held", Outcome::Held),
    ("lost", Outcome::Lost),
    ("accepted", Outcome::Accepted),
    ("refused", Outcome::Refused),
    ("timed-out", Outcome::TimedOut),
    ("below", Outcome::Below),
    ("at-least", Outcome::AtLeast),
];

/// Reads `[tally]`, if there is one. What is wrong is reported, and then no study is
/// made of the file.
pub(super) fn read(fields: &mut Fields, programs: &Field) -> Option<Tally> {
    let mut table = fields.get("tally")?.table()?;
    let name = table.get("name").and_then(|field| field.new_name().map(ToString::to_string));
    let steps = table.get("of").and_then(|field| labelled(&field, programs));
    let outcome = table.get("outcome").map(|field| field.one_of("outcome", &OUTCOMES));
    table.finish();
    let outcome = match outcome {
        Some(outcome) => Some(outcome?),
        None => None,
    };
    Some(Tally { name: name?, steps: steps?, outcome })
}

/// The steps of this label in all programs, each by its program and its place.
fn labelled(label: &Field, programs: &Field) -> Option<Vec<(u8, u8)>> {
    let name = label.word()?;
    let (mut steps, mut labels) = (Vec::new(), Vec::new());
    for (program, (_, field)) in (0..).zip(programs.table()?.all()) {
        for (step, field) in (0..).zip(field.elements()) {
            let Some(mut table) = field.table() else { continue };
            table.shaped(steps::BEFOREHAND);
            let known = table.get("label").and_then(|field| field.peek());
            labels.extend(known);
            if known == Some(name) {
                steps.push((program, step));
            }
        }
    }
    if steps.is_empty() {
        label.complain(unknown("label", name, &labels));
        return None;
    }
    Some(steps)
}
