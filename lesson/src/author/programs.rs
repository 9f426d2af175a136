//! Programs: the steps that clients run, their labels and the values they keep.

use racescope_engine::sim::{LIMITS, Program, Template};

use super::field::{Field, check_name};
use super::flow;
use super::mistake::{Complaint, quote};
use super::nodes::Nodes;
use super::shape::Kind;
use super::steps::{self, Surroundings};
use super::table::Fields;

/// What `[programs]` is.
pub(super) const TABLE: Kind = Kind::Named {
    of: &Kind::List { of: &Kind::Table(steps::shapes), least: 1, most: Some(LIMITS.steps) },
    most: LIMITS.nodes,
};

/// The names that branches can lead to without a label.
const RESERVED: [&str; 3] = ["next", "stop", "end"];

/// Reads `[[programs.…]]`: the name of each, and the program if it is sound.
pub(super) fn read<'a>(field: &Field<'a>, nodes: &Nodes<'a>) -> Vec<(&'a str, Option<Program>)> {
    let all = field.table().map(|table| table.all()).unwrap_or_default();
    // Threads share their values, so all programs of a lesson with threads have the same ones.
    let shared = nodes.has_threads().then(|| {
        let mut shared = Vec::new();
        for (_, field) in &all {
            let tables: Vec<Fields> = field.elements().iter().filter_map(Field::table).collect();
            let own = values(field, &tables);
            shared.extend(own.into_iter().filter(|name| !shared.contains(name)).collect::<Vec<_>>());
        }
        shared
    });
    let read = |(name, field): &(&'a str, Field<'a>)| (*name, program(name, field, nodes, shared.as_deref()));
    let programs: Vec<_> = all.iter().map(read).collect();
    if programs.len() > LIMITS.nodes {
        let wrong = format!("{} programs are too many", programs.len());
        field.complain(Complaint::new(wrong, format!("Have at most {}.", LIMITS.nodes)));
    }
    programs
}

fn program<'a>(name: &str, field: &Field<'a>, nodes: &Nodes<'a>, shared: Option<&[&'a str]>) -> Option<Program> {
    let before = field.source.mistakes();
    if let Err(complaint) = check_name(name) {
        field.complain(complaint);
    }
    let elements = field.elements();
    if field.source.mistakes() > before {
        return None;
    }
    let most = LIMITS.steps;
    if elements.is_empty() || elements.len() > most {
        let wrong = format!("a program of {} steps can't run", elements.len());
        field.complain(Complaint::new(wrong, format!("Have 1 to {most} steps.")));
        return None;
    }
    let tables: Vec<Fields> = elements.iter().filter_map(Field::table).collect();
    let surroundings = Surroundings {
        nodes,
        labels: labels(&tables),
        values: shared.map_or_else(|| values(field, &tables), <[&str]>::to_vec),
    };
    let steps: Vec<_> = tables.into_iter().map(|fields| steps::read(fields, &surroundings)).collect();
    let steps: Option<Vec<_>> = steps.into_iter().collect();
    if field.source.mistakes() > before {
        return None;
    }
    let steps = steps?;
    for (step, complaint) in flow::complaints(&steps) {
        elements[step].complain(complaint);
    }
    let steps = steps.into_iter().map(|(step, _)| step).collect();
    let registers = surroundings.values.iter().map(ToString::to_string).collect();
    Some(Program { name: name.to_string(), steps, registers })
}

/// The label of each step, in order.
fn labels<'a>(steps: &[Fields<'a>]) -> Vec<Option<&'a str>> {
    let mut labels = Vec::new();
    for step in steps {
        let mut step = step.beneath(None);
        step.shaped(steps::BEFOREHAND);
        let field = step.get("label");
        let label = field.as_ref().and_then(Field::new_name);
        if let (Some(field), Some(name)) = (&field, label) {
            if RESERVED.contains(&name) {
                let wrong = format!("{} can't be a label, since branches use it", quote(name));
                field.complain(Complaint::new(wrong, "Choose another name."));
            } else if labels.contains(&label) {
                let wrong = format!("two steps have the label {}", quote(name));
                field.complain(Complaint::new(wrong, "Give one of them another label."));
            }
        }
        labels.push(label);
    }
    labels
}

/// The answers that a step knows, if it asks a real system.
fn given_by<'a>(step: &mut Fields<'a>) -> Vec<&'a str> {
    let answers = step.get("answers").map(|field| field.elements()).unwrap_or_default();
    let reply = |field: &Field<'a>| field.table()?.get("reply")?.peek();
    answers.iter().filter_map(reply).collect()
}

/// The names of the values that steps put somewhere, each once.
fn values<'a>(program: &Field<'a>, steps: &[Fields<'a>]) -> Vec<&'a str> {
    let mut values = Vec::new();
    for step in steps {
        let mut step = step.beneath(None);
        step.shaped(steps::BEFOREHAND);
        let kind = step.get("step");
        for text in given_by(&mut step) {
            for name in Template::names(text) {
                if !values.contains(&name) {
                    values.push(name);
                }
            }
        }
        for &(field, default) in steps::puts(kind.as_ref().and_then(Field::peek)) {
            let named = step.get(field);
            let name = named.as_ref().map_or(Some(default), Field::new_name);
            values.extend(name.filter(|name| !values.contains(name)));
        }
    }
    if values.len() > LIMITS.registers {
        let wrong = format!("{} named values are too many", values.len());
        program.complain(Complaint::new(wrong, format!("Have at most {}.", LIMITS.registers)));
    }
    values
}
