//! The tally: what is counted within a schedule of a scenario file.

use racescope_engine::explore::Tally;
use racescope_engine::sim::{Operation, Outcome, Program, Request, Step};

use super::cause::Cause;
use super::field::Field;
use super::mistake::{Complaint, list};
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

const OUTCOMES: [(&str, Outcome); 16] = [
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
    ("hit", Outcome::Hit),
    ("miss", Outcome::Miss),
    ("unknown", Outcome::Unknown),
    ("in-time", Outcome::InTime),
    ("late", Outcome::Late),
    ("exhausted", Outcome::Exhausted),
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

/// Reports an outcome that none of the counted steps can have.
pub(super) fn check(fields: &mut Fields, tally: &Tally, programs: &[(&str, Option<Program>)]) {
    let Some(counted) = tally.outcome else { return };
    let step =
        |&(program, step): &(u8, u8)| programs.get(usize::from(program))?.1.as_ref()?.steps.get(usize::from(step));
    let Some(steps) = tally.steps.iter().map(step).collect::<Option<Vec<&Step>>>() else { return };
    let possible: Vec<Outcome> = steps.into_iter().flat_map(outcomes).collect();
    if possible.contains(&counted) {
        return;
    }
    let names: Vec<&str> =
        OUTCOMES.iter().filter(|(_, known)| possible.contains(known)).map(|&(name, _)| name).collect();
    let table = fields.get("tally").and_then(|field| field.table());
    if let Some(field) = table.and_then(|mut table| table.get("outcome")) {
        let complaint = Complaint::new("no step that is counted ends so", format!("Write {}.", list(&names)));
        field.complain(complaint);
    }
}

/// How a step can end.
fn outcomes(step: &Step) -> Vec<Outcome> {
    use Outcome::{
        Accepted, AtLeast, Below, Busy, Done, Exhausted, Granted, Held, InTime, Late, Lost, Refused, TimedOut,
    };
    let mut outcomes = match &step.operation {
        Operation::Call { request, .. } => match request {
            Request::Acquire { blocking: true, .. } => vec![Granted],
            Request::Acquire { .. } => vec![Granted, Busy],
            Request::Check { .. } | Request::Renew { .. } => vec![Held, Lost],
            Request::Release { .. } => vec![Done, Lost],
            Request::Read { .. } => vec![Done],
            Request::Write { .. } => vec![Accepted, Refused],
            Request::Command { .. } => Vec::new(),
        },
        Operation::Ask { ask, .. } => ask.answers.iter().map(|answer| answer.outcome).collect(),
        Operation::Compare { .. } => vec![Below, AtLeast],
        Operation::CheckDeadline => vec![InTime, Late],
        Operation::TryAgain(_) => vec![Done, Exhausted],
        Operation::Stop => Vec::new(),
        Operation::Compute { .. }
        | Operation::Wait { .. }
        | Operation::SetDeadline { .. }
        | Operation::Conclude { .. } => vec![Done],
    };
    outcomes.extend(step.timeout_us.map(|_| TimedOut));
    outcomes
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
        label.complain_unless(unknown("label", name, &labels), Cause::Labels);
        return None;
    }
    Some(steps)
}
