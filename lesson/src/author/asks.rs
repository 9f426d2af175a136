//! Steps that talk to real systems, and what a client makes of the answers.

use racescope_engine::sim::{
    Answer, Ask, MOST_CARRIED, Meaning, NodeIndex, Operation, Outcome, Template, TemplateError,
};
use racescope_engine::system::ClockKind;

use super::cause::Cause;
use super::field::Field;
use super::mistake::{Complaint, list, quote};
use super::shape::{self, Kind, Shape, Slot, may, need};
use super::steps::{Surroundings, named_value, target};
use super::system_slots;
use super::table::Fields;

pub(super) const ASK: &[Slot] = &[
    need("server", Kind::Name, "server = \"the name of a node\""),
    need("say", Kind::Text, "say = \"SET lock $me NX PX 3000\""),
    may("means", Kind::OneOf(|| shape::names(&MEANINGS))),
    may("token", Kind::Name),
    may("segment", Kind::Name),
    may("conditional", Kind::Truth),
    may("in_place", Kind::Truth),
    may("forged", Kind::Truth),
    need("answers", ANSWERS, "answers = [{ reply = \"+OK\", is = \"granted\" }]"),
];

/// What `answers` is.
pub(super) const ANSWERS: Kind = Kind::List { of: &Kind::Table(answer_shapes), least: 1, most: Some(8) };

const ANSWER: &[Slot] = &[
    need("reply", Kind::Text, "reply = \"+OK\""),
    may("is", Kind::OneOf(|| shape::names(&OUTCOMES))),
    may("then", Kind::Name),
];

pub(super) const SET_DEADLINE: &[Slot] = &[
    need("in", Kind::Span, "in = \"8 s\""),
    may("clock", Kind::OneOf(|| shape::names(&CLOCKS))),
    may("on_done", Kind::Name),
];

/// The clocks of a client by which it can note a deadline.
const CLOCKS: [(&str, ClockKind); 2] = [("monotonic", ClockKind::Monotonic), ("wall", ClockKind::Wall)];

pub(super) const CHECK_DEADLINE: &[Slot] =
    &[may("on_in_time", Kind::Name), need("on_late", Kind::Name, "on_late = \"stop\", or the label of a step")];

pub(super) const CONCLUDE: &[Slot] = &[
    need("lock", Kind::Name, "lock = \"the name of a node\""),
    need("is", Kind::OneOf(|| shape::names(&CONCLUSIONS)), "is = \"granted\""),
    may("token", Kind::Name),
    may("on_done", Kind::Name),
];

const CONCLUSIONS: [(&str, Outcome); 2] = [("granted", Outcome::Granted), ("lost", Outcome::Lost)];

const MEANINGS: [(&str, Meaning); 10] = [
    ("acquire", Meaning::Acquire),
    ("check", Meaning::Check),
    ("renew", Meaning::Renew),
    ("release", Meaning::Release),
    ("read", Meaning::Read),
    ("write", Meaning::Write),
    ("fill", Meaning::Fill),
    ("clear", Meaning::Clear),
    ("effect", Meaning::Effect),
    ("promise", Meaning::Promise),
];

const OUTCOMES: [(&str, Outcome); 10] = [
    ("done", Outcome::Done),
    ("granted", Outcome::Granted),
    ("busy", Outcome::Busy),
    ("held", Outcome::Held),
    ("lost", Outcome::Lost),
    ("accepted", Outcome::Accepted),
    ("refused", Outcome::Refused),
    ("hit", Outcome::Hit),
    ("miss", Outcome::Miss),
    ("unknown", Outcome::Unknown),
];

fn answer_shapes() -> Vec<Shape> {
    vec![Shape::of(&[ANSWER])]
}

/// Reads a step that says something to a real system.
pub(super) fn ask(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let server = fields.get("server").and_then(|field| around.nodes.talking(&field));
    let say =
        fields.get("say").and_then(|field| template(&field, around, |text| Template::command(text, &around.values)));
    let meaning = meaning(fields, server, around);
    if let (Some(field), Some(say)) = (fields.get("say"), &say)
        && say.registers().len() > MOST_CARRIED
    {
        let wrong = format!("brings {} values", say.registers().len());
        field.complain(Complaint::new(wrong, format!("Bring at most {MOST_CARRIED} in one command.")));
        return None;
    }
    let token = named_value(fields, "token", around);
    let segment = named_value(fields, "segment", around);
    let mut truth = |name| fields.get(name).map_or(Some(false), |field: Field| field.truth());
    let [conditional, in_place, forged] = ["conditional", "in_place", "forged"].map(&mut truth);
    report_flags_without_a_meaning(fields, meaning);
    let elements = fields.get("answers")?.counted()?;
    let answers: Vec<Option<Answer>> =
        elements.iter().map(|field| field.table().and_then(|fields| answer(fields, meaning?, around))).collect();
    let answers: Option<Vec<Answer>> = answers.into_iter().collect();
    if let Some(answers) = &answers {
        report_answers_that_never_count(answers, &elements);
    }
    let ask = Ask {
        say: say?,
        meaning: meaning?,
        answers: answers?,
        token: token.ok()?,
        segment: segment.ok()?,
        conditional: conditional?,
        in_place: in_place?,
        forged: forged?,
    };
    Some(Operation::Ask { server: server?, ask })
}

/// Reads what a command means, which must be something to the thing that it is said to.
fn meaning(fields: &mut Fields, server: Option<NodeIndex>, around: &Surroundings) -> Option<Meaning> {
    let Some(field) = fields.get("means") else { return Some(Meaning::Nothing) };
    let meaning = field.one_of("meaning", &MEANINGS)?;
    let fitting: &[&str] = match meaning {
        Meaning::Nothing => return Some(meaning),
        Meaning::Acquire | Meaning::Check | Meaning::Renew | Meaning::Release => &["lock"],
        Meaning::Read => &["data", "cache"],
        Meaning::Write => &["data"],
        Meaning::Fill | Meaning::Clear => &["cache"],
        Meaning::Effect | Meaning::Promise => &["effects"],
    };
    let kept = match around.nodes.keeps(server?) {
        Some(kept) if system_slots::kept_names().contains(&kept) => kept,
        // That there is no such thing to keep has been reported.
        Some(_) => return Some(meaning),
        None => "nothing that is judged",
    };
    if !fitting.contains(&kept) {
        let wrong = format!("means nothing here, since the server keeps {kept}");
        let cure = format!("Ask a thing with keeps = {}, or take it out.", list(fitting));
        field.complain_unless(Complaint::new(wrong, cure), Cause::Nodes);
        return None;
    }
    Some(meaning)
}

/// Flags say something about a write, and about one only.
fn report_flags_without_a_meaning(fields: &mut Fields, meaning: Option<Meaning>) {
    let Some(meaning) = meaning else { return };
    let writes = matches!(meaning, Meaning::Write | Meaning::Fill | Meaning::Clear | Meaning::Effect);
    let set: Vec<Field> = ["conditional", "in_place"]
        .into_iter()
        .filter_map(|name| fields.get(name).filter(|field| field.peek_truth() == Some(true)))
        .collect();
    match set.as_slice() {
        [_, second] => {
            let wrong = "a command that compares what was read doesn't work on whatever is there";
            second.complain(Complaint::new(wrong, "Keep one of conditional and in_place."));
        }
        [field] if !writes => {
            let cure = "Say what it writes, such as means = \"write\", or take it out.";
            field.complain(Complaint::new("says something about a write, and this command is none", cure));
        }
        _ => {}
    }
}

/// The first answer that fits counts, so none does behind one that always fits, or that
/// is the same.
fn report_answers_that_never_count(answers: &[Answer], elements: &[Field]) {
    for (place, (answer, field)) in answers.iter().zip(elements).enumerate().skip(1) {
        let before = answers[..place].iter().position(|other| other.reply.is_anything() || other.reply == answer.reply);
        if let Some(before) = before {
            let wrong = format!("never counts, since answer {} fits whenever this one does", before + 1);
            field.complain(Complaint::new(wrong, "Put it before that one, or take it out."));
        }
    }
}

/// The outcomes that mean nothing to what is asked.
fn is_absurd(meaning: Meaning, outcome: Outcome) -> bool {
    use Outcome::{Accepted, Busy, Granted, Held, Hit, Lost, Miss, Refused};
    match meaning {
        Meaning::Nothing => false,
        Meaning::Acquire => matches!(outcome, Accepted | Refused | Hit | Miss),
        Meaning::Check | Meaning::Renew | Meaning::Release => {
            matches!(outcome, Granted | Accepted | Refused | Hit | Miss)
        }
        Meaning::Read => matches!(outcome, Granted | Busy | Held | Lost | Accepted | Refused),
        Meaning::Write | Meaning::Fill | Meaning::Promise => matches!(outcome, Granted | Hit | Miss),
        Meaning::Effect | Meaning::Clear => matches!(outcome, Granted),
    }
}

fn answer(mut fields: Fields, meaning: Meaning, around: &Surroundings) -> Option<Answer> {
    fields.shaped(&[ANSWER]);
    let reply =
        fields.get("reply").and_then(|field| template(&field, around, |text| Template::answer(text, &around.values)));
    let outcome = match fields.get("is") {
        None => Some(Outcome::Done),
        Some(field) => {
            let outcome = field.one_of("outcome", &OUTCOMES);
            if let (Some(outcome), Some((name, _))) = (outcome, MEANINGS.iter().find(|(_, known)| *known == meaning))
                && is_absurd(meaning, outcome)
            {
                let fitting = OUTCOMES.iter().filter(|(_, outcome)| !is_absurd(meaning, *outcome));
                let fitting: Vec<&str> = fitting.map(|&(name, _)| name).collect();
                let wrong = format!("is no answer to a command that means {}", quote(name));
                field.complain(Complaint::new(wrong, format!("Write {}.", list(&fitting))));
            }
            outcome
        }
    };
    let target = fields.get("then").map_or(Some(racescope_engine::sim::Target::Next), |field| target(&field, around));
    fields.finish();
    Some(Answer { reply: reply?, outcome: outcome?, target: target? })
}

fn template(
    field: &Field,
    around: &Surroundings,
    read: impl FnOnce(&str) -> Result<Template, TemplateError>,
) -> Option<Template> {
    let text = field.text()?;
    let mut cause = None;
    let complaint = match read(&text) {
        Ok(template) => return Some(template),
        Err(TemplateError::NoName(mark)) => {
            let cure = "Write the name of a value behind it, such as $token, or $me for the client's letter.";
            Complaint::new(format!("no name stands behind {}", quote(&mark.to_string())), cure)
        }
        Err(TemplateError::Reckons(part)) => {
            let wrong = format!("{} reckons, and an answer only gives values", quote(&part));
            Complaint::new(wrong, "Name the value alone, and reckon where a command uses it.")
        }
        Err(TemplateError::NothingBetween) => {
            let wrong = "gives two values with nothing between them, and nobody knows where the first one ends";
            Complaint::new(wrong, "Give one of them, or write what stands between them.")
        }
        Err(TemplateError::NoSuchValue(name)) => {
            cause = Some(Cause::Values);
            let wrong = format!("uses the value {}, and no step puts one there", quote(&name));
            let word = format!("@{name}");
            let known = if text.contains(&word) || around.values.is_empty() {
                let given = if text.contains(&word) { word } else { format!("${name}") };
                format!("Let an answer give it, such as reply = {}.", quote(&given))
            } else {
                format!("Use one of {}.", list(&around.values))
            };
            Complaint::new(wrong, known)
        }
    };
    match cause {
        Some(cause) => field.complain_unless(complaint, cause),
        None => field.complain(complaint),
    }
    None
}

/// Reads a step that notes a deadline.
pub(super) fn set_deadline(fields: &mut Fields, _: &Surroundings) -> Option<Operation> {
    let clock = fields.get("clock").map_or(Some(ClockKind::Monotonic), |field| field.one_of("clock", &CLOCKS));
    Some(Operation::SetDeadline { us: fields.get("in")?.span_us()?, clock: clock? })
}

/// Reads a step that comes to believe something about a lock.
pub(super) fn conclude(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let lock = fields.get("lock").and_then(|field| around.nodes.lock(&field));
    let outcome = fields.get("is").and_then(|field| field.one_of("conclusion", &CONCLUSIONS));
    let token = named_value(fields, "token", around);
    Some(Operation::Conclude { lock: lock?, outcome: outcome?, token: token.ok()? })
}
