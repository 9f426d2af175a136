//! One step of a program: what it does, and where its outcomes lead.

use racescope_engine::sim::{Branch, NodeIndex, Operation, Outcome, Register, Request, Step, Target};

use super::field::Field;
use super::mistake::{Complaint, list, quote};
use super::nearest::unknown;
use super::nodes::{Nodes, Role};
use super::table::Fields;

/// What the steps of a program can refer to.
pub(super) struct Surroundings<'s, 'a> {
    pub nodes: &'s Nodes<'a>,
    /// The label of each step, in order.
    pub labels: Vec<Option<&'a str>>,
    /// The named values that steps put somewhere.
    pub values: Vec<&'a str>,
}

/// The kinds of steps, with the outcomes that each can have. Those in the second
/// list must be dealt with: to go on as if nothing had happened is never meant.
const KINDS: [(&str, Kind); 9] = [
    ("acquire", Kind { read: acquire, outcomes: &[Outcome::Granted, Outcome::Busy], vital: Some(Outcome::Busy) }),
    ("check", Kind { read: check, outcomes: &[Outcome::Held, Outcome::Lost], vital: Some(Outcome::Lost) }),
    ("renew", Kind { read: renew, outcomes: &[Outcome::Held, Outcome::Lost], vital: Some(Outcome::Lost) }),
    ("release", Kind { read: release, outcomes: &[Outcome::Done, Outcome::Lost], vital: None }),
    ("read", Kind { read: fetch, outcomes: &[Outcome::Done], vital: None }),
    ("write", Kind { read: write, outcomes: &[Outcome::Accepted, Outcome::Refused], vital: None }),
    ("compute", Kind { read: compute, outcomes: &[Outcome::Done], vital: None }),
    ("wait", Kind { read: wait, outcomes: &[Outcome::Done], vital: None }),
    ("stop", Kind { read: |_, _| Some(Operation::Stop), outcomes: &[], vital: None }),
];

#[derive(Clone, Copy)]
struct Kind {
    read: fn(&mut Fields, &Surroundings) -> Option<Operation>,
    outcomes: &'static [Outcome],
    vital: Option<Outcome>,
}

/// The fields of a step in which it names the values that it puts somewhere, with
/// the names that they have if it doesn't say.
pub(super) fn puts(kind: Option<&str>) -> &'static [(&'static str, &'static str)] {
    match kind {
        Some("acquire") => &[("token", "token")],
        Some("read") => &[("version", "version"), ("value", "value")],
        Some("compute") => &[("into", "value")],
        _ => &[],
    }
}

/// A step, and the outcomes that it can have.
pub(super) type StepAndOutcomes = (Step, &'static [Outcome]);

/// Reads one step.
pub(super) fn read(mut fields: Fields, surroundings: &Surroundings) -> Option<StepAndOutcomes> {
    let kind = fields.need("step", "step = \"read\"")?.one_of("kind of step", &KINDS)?;
    fields.get("label");
    let work_us = fields.get("after").map_or(Some(0), |field| field.duration_us());
    let operation = (kind.read)(&mut fields, surroundings);
    let outcomes = match operation {
        Some(Operation::Call { request: Request::Acquire { blocking: true, .. }, .. }) => &[Outcome::Granted],
        _ => kind.outcomes,
    };
    let lead = |&outcome| branch(&mut fields, outcome, kind.vital, surroundings);
    let branches = outcomes.iter().filter_map(lead).collect();
    fields.finish();
    Some((Step { work_us: work_us?, operation: operation?, branches }, outcomes))
}

fn branch(fields: &mut Fields, outcome: Outcome, vital: Option<Outcome>, around: &Surroundings) -> Option<Branch> {
    let name = match outcome {
        Outcome::Done => "on_done",
        Outcome::Granted => "on_granted",
        Outcome::Busy => "on_busy",
        Outcome::Held => "on_held",
        Outcome::Lost => "on_lost",
        Outcome::Accepted => "on_accepted",
        Outcome::Refused => "on_refused",
    };
    let field = if vital == Some(outcome) {
        fields.need(name, &format!("{name} = \"stop\", or the label of the step to go on with"))?
    } else {
        fields.get(name)?
    };
    target(&field, around).map(|target| Branch { outcome, target })
}

fn target(field: &Field, around: &Surroundings) -> Option<Target> {
    let name = field.word()?;
    match name {
        "next" => return Some(Target::Next),
        "stop" => return Some(Target::Stop),
        _ => {}
    }
    let step = around.labels.iter().position(|label| *label == Some(name));
    if step.is_none() {
        let mut known: Vec<&str> = around.labels.iter().flatten().copied().collect();
        known.extend(["next", "stop"]);
        field.complain(unknown("label", name, &known));
    }
    step.map(|step| Target::Step(step as u8))
}

fn acquire(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let server = server(fields, "lock", Role::Lock, around);
    let ttl_us = ttl_us(fields);
    let blocking = fields.get("blocking").map_or(Some(false), |field| field.truth());
    let token = value(fields, "token", "token", around);
    call(server, Request::Acquire { ttl_us: ttl_us?, token: token?, blocking: blocking? })
}

fn check(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let server = server(fields, "lock", Role::Lock, around);
    let token = value(fields, "token", "token", around);
    call(server, Request::Check { token: token? })
}

fn renew(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let server = server(fields, "lock", Role::Lock, around);
    let ttl_us = ttl_us(fields);
    let token = value(fields, "token", "token", around);
    call(server, Request::Renew { ttl_us: ttl_us?, token: token? })
}

fn release(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let server = server(fields, "lock", Role::Lock, around);
    let token = value(fields, "token", "token", around);
    call(server, Request::Release { token: token? })
}

fn fetch(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let server = server(fields, "storage", Role::Storage, around);
    let version = value(fields, "version", "version", around);
    let value = value(fields, "value", "value", around);
    call(server, Request::Read { version: version?, value: value? })
}

fn write(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let server = server(fields, "storage", Role::Storage, around);
    let based_on = value(fields, "based_on", "version", around);
    let token = match fields.get("token") {
        Some(field) => place_of(&field, around).map(Some),
        None => Some(None),
    };
    let value = value(fields, "value", "value", around);
    let request = Request::Write { value: value?, based_on: based_on?, token: token? };
    call(server, request)
}

fn compute(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let from = value(fields, "from", "value", around);
    let into = value(fields, "into", "value", around);
    let add = fields.get("add").map_or(Some(1), |field| field.number(0..=u16::MAX));
    Some(Operation::Compute { from: from?, into: into?, add: add? })
}

fn wait(fields: &mut Fields, _: &Surroundings) -> Option<Operation> {
    Some(Operation::Wait { us: fields.need("for", "for = \"200 ms\"")?.span_us()? })
}

fn ttl_us(fields: &mut Fields) -> Option<u64> {
    fields.need("ttl", "ttl = \"3 s\"")?.span_us()
}

fn server(fields: &mut Fields, name: &'static str, role: Role, around: &Surroundings) -> Option<NodeIndex> {
    let example = format!("{name} = \"the name of a node\"");
    around.nodes.with_role(&fields.need(name, &example)?, role)
}

fn call(server: Option<NodeIndex>, request: Request) -> Option<Operation> {
    Some(Operation::Call { server: server?, request })
}

/// The place of a named value: the one that a field names, or the default.
fn value(fields: &mut Fields, name: &'static str, default: &str, around: &Surroundings) -> Option<Register> {
    if let Some(field) = fields.get(name) {
        return place_of(&field, around);
    }
    let place = around.values.iter().position(|known| *known == default);
    if place.is_none() {
        let cure = if around.values.is_empty() {
            "Acquire or read before.".to_string()
        } else {
            format!("Add {name} = {}.", list(&around.values))
        };
        let wrong = format!("uses the value {}, and no step puts one there", quote(default));
        fields.complain(Complaint::new(wrong, cure));
    }
    place.map(|place| place as Register)
}

fn place_of(field: &Field, around: &Surroundings) -> Option<Register> {
    field.place_in("value", &around.values).map(|place| place as Register)
}
