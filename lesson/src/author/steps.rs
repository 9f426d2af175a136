//! One step of a program: what it does, and where its outcomes lead.

use racescope_engine::sim::{Branch, NodeIndex, Operation, Outcome, Register, Request, Step, Target};

use super::asks::{self, ASK, CHECK_DEADLINE, CONCLUDE, SET_DEADLINE};
use super::cause::Cause;
use super::contention;
use super::field::Field;
use super::mistake::{Complaint, list, quote};
use super::nearest::unknown;
use super::nodes::{Nodes, Role};
use super::shape::{self, Shape, Slots};
use super::step_slots::{
    ACQUIRE, ACQUIRE_BLOCKING, BACKOFF, CHECK, COMPARE, COMPUTE, DEADLINE, LOCAL, PUTS, READ, RELEASE, RENEW, STEP,
    WAIT, WRITE,
};
use super::table::Fields;

/// What the steps of a program can refer to.
pub(super) struct Surroundings<'s, 'a> {
    pub nodes: &'s Nodes<'a>,
    /// The label of each step, in order.
    pub labels: Vec<Option<&'a str>>,
    /// The named values that steps put somewhere.
    pub values: Vec<&'a str>,
}

/// The kinds of steps.
const KINDS: [(&str, Kind); 15] = [
    ("acquire", Kind { slots: &[STEP, ACQUIRE, DEADLINE], read: acquire, outcomes: TRIED }),
    ("check", Kind { slots: &[STEP, CHECK, DEADLINE], read: check, outcomes: &[Outcome::Held, Outcome::Lost] }),
    ("renew", Kind { slots: &[STEP, RENEW, DEADLINE], read: renew, outcomes: &[Outcome::Held, Outcome::Lost] }),
    ("release", Kind { slots: &[STEP, RELEASE, DEADLINE], read: release, outcomes: &[Outcome::Done, Outcome::Lost] }),
    ("read", Kind { slots: &[STEP, READ, DEADLINE], read: fetch, outcomes: &[Outcome::Done] }),
    ("write", Kind { slots: &[STEP, WRITE, DEADLINE], read: write, outcomes: &[Outcome::Accepted, Outcome::Refused] }),
    ("compute", Kind { slots: &[STEP, COMPUTE, LOCAL], read: compute, outcomes: &[Outcome::Done] }),
    ("compare", Kind { slots: &[STEP, COMPARE, LOCAL], read: compare, outcomes: &[Outcome::Below, Outcome::AtLeast] }),
    ("ask", Kind { slots: &[STEP, ASK, DEADLINE], read: asks::ask, outcomes: &[] }),
    (
        "set-deadline",
        Kind { slots: &[STEP, SET_DEADLINE, LOCAL], read: asks::set_deadline, outcomes: &[Outcome::Done] },
    ),
    (
        "check-deadline",
        Kind {
            slots: &[STEP, CHECK_DEADLINE, LOCAL],
            read: |_, _| Some(Operation::CheckDeadline),
            outcomes: &[Outcome::InTime, Outcome::Late],
        },
    ),
    ("conclude", Kind { slots: &[STEP, CONCLUDE, LOCAL], read: asks::conclude, outcomes: &[Outcome::Done] }),
    ("wait", Kind { slots: &[STEP, WAIT], read: wait, outcomes: &[Outcome::Done] }),
    (
        "backoff",
        Kind { slots: &[STEP, BACKOFF], read: contention::backoff, outcomes: &[Outcome::Done, Outcome::Exhausted] },
    ),
    ("stop", Kind { slots: &[STEP, LOCAL], read: |_, _| Some(Operation::Stop), outcomes: &[] }),
];

/// How an `acquire` ends that the service answers at once.
const TRIED: &[Outcome] = &[Outcome::Granted, Outcome::Busy];

/// Whether an `acquire` waits. Of one whose `blocking` can't be read, nobody knows
/// whether it needs an `on_busy`.
fn is_blocking(fields: &mut Fields) -> bool {
    let says = fields.get("blocking").map(|field| field.peek_truth());
    says == Some(Some(true)) || (says == Some(None) && !fields.has("on_busy"))
}

/// An `acquire` that the service keeps until the lock is free.
const BLOCKING: Kind =
    Kind { slots: &[STEP, ACQUIRE_BLOCKING, DEADLINE], read: acquire, outcomes: &[Outcome::Granted] };

#[derive(Clone, Copy)]
struct Kind {
    slots: Slots,
    read: fn(&mut Fields, &Surroundings) -> Option<Operation>,
    /// The outcomes that it can have; its slots have a field for each.
    outcomes: &'static [Outcome],
}

/// All shapes that a step can have.
pub(super) fn shapes() -> Vec<Shape> {
    let kinds = KINDS.iter().copied().chain([("acquire", BLOCKING)]);
    kinds.map(|(name, kind)| Shape { slots: kind.slots, mark: Some(("step", name)) }).collect()
}

/// The fields of a step in which it names the values that it puts somewhere, with
/// the names that they have if it doesn't say.
pub(super) fn puts(kind: Option<&str>) -> &'static [(&'static str, &'static str)] {
    match kind {
        Some("acquire") => &[("token", "token")],
        Some("read") => &[("version", "version"), ("value", "value")],
        Some("compute") => &[("into", "value")],
        Some("backoff") => &[("tries", "tries")],
        _ => &[],
    }
}

/// The fields that are looked at before a step is read: those of each step, and those
/// in which it names values.
pub(super) const BEFOREHAND: Slots = &[STEP, PUTS];

/// The names of all kinds of steps.
pub(super) fn kinds() -> Vec<&'static str> {
    shape::names(&KINDS)
}

/// A step, and the outcomes that it can have.
pub(super) type StepAndOutcomes = (Step, &'static [Outcome]);

/// Reads one step.
pub(super) fn read(mut fields: Fields, surroundings: &Surroundings) -> Option<StepAndOutcomes> {
    fields.shaped(&[STEP]);
    let mut kind = fields.get("step")?.one_of("kind of step", &KINDS)?;
    fields.shaped(kind.slots);
    if kind.outcomes == TRIED && is_blocking(&mut fields) {
        kind = BLOCKING;
        fields.shaped(kind.slots);
    }
    fields.get("label");
    let work_us = fields.get("after").map_or(Some(0), |field| field.duration_us());
    let operation = (kind.read)(&mut fields, surroundings);
    let lead = |&outcome| branch(&mut fields, outcome, surroundings);
    let mut branches: Vec<Branch> = kind.outcomes.iter().filter_map(lead).collect();
    let timeout_us = match operation {
        Some(Operation::Call { .. } | Operation::Ask { .. }) => timeout_us(&mut fields, &mut branches, surroundings),
        _ => None,
    };
    let asks = matches!(
        operation,
        Some(Operation::Call { .. } | Operation::Ask { .. } | Operation::Wait { .. } | Operation::TryAgain(_)) | None
    );
    let is_local = !asks;
    let at_once = is_local && at_once(&mut fields, work_us)?;
    fields.finish();
    Some((Step { work_us: work_us?, operation: operation?, branches, at_once, timeout_us }, kind.outcomes))
}

/// Whether a step happens in the same action as the one before it.
fn at_once(fields: &mut Fields, work_us: Option<u64>) -> Option<bool> {
    let Some(field) = fields.get("at_once") else { return Some(false) };
    let at_once = field.truth()?;
    if at_once && work_us.is_some_and(|us| us > 0) {
        field.complain(Complaint::new("the process works before this step", "Take this or \"after\" out."));
    }
    Some(at_once)
}

/// How long a call may take, and where the program goes on after that. To go on as
/// if the call were over is never meant, so that must be said. What is wrong is
/// reported, and then no program is made of it.
fn timeout_us(fields: &mut Fields, branches: &mut Vec<Branch>, around: &Surroundings) -> Option<u64> {
    match (fields.get("timeout"), fields.get("on_timed_out")) {
        (None, Some(field)) => {
            let wrong = "can't happen, since the step waits for ever";
            field.complain(Complaint::new(wrong, "Add timeout = \"1 s\", or take this out."));
        }
        (Some(field), None) => {
            let cure = "Add on_timed_out = \"stop\", or the label of the step to go on with.";
            field.complain(Complaint::new("nothing says how the program goes on after it", cure));
        }
        (Some(field), Some(_)) => {
            branches.extend(branch(fields, Outcome::TimedOut, around));
            return field.span_us();
        }
        (None, None) => {}
    }
    None
}

fn branch(fields: &mut Fields, outcome: Outcome, around: &Surroundings) -> Option<Branch> {
    let name = match outcome {
        Outcome::Done => "on_done",
        Outcome::Granted => "on_granted",
        Outcome::Busy => "on_busy",
        Outcome::Held => "on_held",
        Outcome::Lost => "on_lost",
        Outcome::Accepted => "on_accepted",
        Outcome::Refused => "on_refused",
        Outcome::TimedOut => "on_timed_out",
        Outcome::Below => "on_below",
        Outcome::AtLeast => "on_at_least",
        Outcome::Hit => "on_hit",
        Outcome::Miss => "on_miss",
        Outcome::Unknown => "on_unknown",
        Outcome::InTime => "on_in_time",
        Outcome::Late => "on_late",
        Outcome::Unexpected => "on_unexpected",
        Outcome::Exhausted => "on_exhausted",
    };
    target(&fields.get(name)?, around).map(|target| Branch { outcome, target })
}

/// Where a branch leads.
pub(super) fn target(field: &Field, around: &Surroundings) -> Option<Target> {
    let name = field.word()?;
    match name {
        "next" => return Some(Target::Next),
        "stop" => return Some(Target::Stop),
        "end" => return Some(Target::End),
        _ => {}
    }
    let step = around.labels.iter().position(|label| *label == Some(name));
    if step.is_none() {
        let mut known: Vec<&str> = around.labels.iter().flatten().copied().collect();
        known.extend(["next", "stop", "end"]);
        field.complain_unless(unknown("label", name, &known), Cause::Labels);
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
    let add = fields.get("add").map_or(Some(1), |field| field.number());
    Some(Operation::Compute { from: from?, into: into?, add: add? })
}

fn compare(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let register = value(fields, "value", "value", around);
    let with = fields.get("with").and_then(|field| field.number());
    Some(Operation::Compare { register: register?, with: with? })
}

fn wait(fields: &mut Fields, _: &Surroundings) -> Option<Operation> {
    Some(Operation::Wait { us: fields.get("for")?.span_us()? })
}

fn ttl_us(fields: &mut Fields) -> Option<u64> {
    fields.get("ttl")?.span_us()
}

fn server(fields: &mut Fields, name: &'static str, role: Role, around: &Surroundings) -> Option<NodeIndex> {
    around.nodes.with_role(&fields.get(name)?, role)
}

fn call(server: Option<NodeIndex>, request: Request) -> Option<Operation> {
    Some(Operation::Call { server: server?, request })
}

/// The place of a named value: the one that a field names, or the default.
pub(super) fn value(fields: &mut Fields, name: &'static str, default: &str, around: &Surroundings) -> Option<Register> {
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
        fields.complain_unless(Complaint::new(wrong, cure), Cause::Values);
    }
    place.map(|place| place as Register)
}

/// The place of a value that a field may name.
pub(super) fn named_value(
    fields: &mut Fields,
    name: &'static str,
    around: &Surroundings,
) -> Result<Option<Register>, Reported> {
    let Some(field) = fields.get(name) else { return Ok(None) };
    place_of(&field, around).map(Some).ok_or(Reported)
}

/// What is wrong has been reported.
pub(super) struct Reported;

fn place_of(field: &Field, around: &Surroundings) -> Option<Register> {
    field.place_in("value", &around.values, Some(Cause::Values)).map(|place| place as Register)
}
