//! Steps that talk to real systems, and what a client makes of the answers.

use racescope_engine::sim::{
    Answer, Ask, MOST_CARRIED, Meaning, NodeIndex, Operation, Outcome, Template, TemplateError,
};

use super::field::Field;
use super::mistake::{Complaint, list, quote};
use super::shape::{self, Kind, Shape, Slot, may, need};
use super::steps::{Surroundings, named_value, target};
use super::systems;
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

pub(super) const SET_DEADLINE: &[Slot] = &[need("in", Kind::Span, "in = \"8 s\""), may("on_done", Kind::Name)];

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
    let answers = fields.get("answers")?.elements();
    let answers: Vec<Option<Answer>> =
        answers.iter().map(|field| field.table().and_then(|fields| answer(fields, around))).collect();
    let answers: Option<Vec<Answer>> = answers.into_iter().collect();
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
        Some(kept) if systems::kept_names().contains(&kept) => kept,
        // That there is no such thing to keep has been reported.
        Some(_) => return Some(meaning),
        None => "nothing that is judged",
    };
    if !fitting.contains(&kept) {
        let wrong = format!("means nothing here, since the server keeps {kept}");
        let cure = format!("Ask a thing with keeps = {}, or take it out.", list(fitting));
        field.complain(Complaint::new(wrong, cure));
        return None;
    }
    Some(meaning)
}

fn answer(mut fields: Fields, around: &Surroundings) -> Option<Answer> {
    fields.shaped(&[ANSWER]);
    let reply =
        fields.get("reply").and_then(|field| template(&field, around, |text| Template::answer(text, &around.values)));
    let outcome = fields.get("is").map_or(Some(Outcome::Done), |field| field.one_of("outcome", &OUTCOMES));
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
    let complaint = match read(&text) {
        Ok(template) => return Some(template),
        Err(TemplateError::NoName(mark)) => {
            let cure = "Write the name of a value behind it, such as $token, or $me for the client's letter.";
            Complaint::new(format!("no name stands behind {}", quote(&mark.to_string())), cure)
        }
        Err(TemplateError::NoSuchValue(name)) => {
            let wrong = format!("uses the value {}, and no step puts one there", quote(&name));
            let known = if around.values.is_empty() {
                "Let an answer give it, such as reply = \"$token\".".to_string()
            } else {
                format!("Use one of {}.", list(&around.values))
            };
            Complaint::new(wrong, known)
        }
    };
    field.complain(complaint);
    None
}

/// Reads a step that notes a deadline.
pub(super) fn set_deadline(fields: &mut Fields, _: &Surroundings) -> Option<Operation> {
    Some(Operation::SetDeadline { us: fields.get("in")?.span_us()? })
}

/// Reads a step that comes to believe something about a lock.
pub(super) fn conclude(fields: &mut Fields, around: &Surroundings) -> Option<Operation> {
    let lock = fields.get("lock").and_then(|field| around.nodes.lock(&field));
    let outcome = fields.get("is").and_then(|field| field.one_of("conclusion", &CONCLUSIONS));
    let token = named_value(fields, "token", around);
    Some(Operation::Conclude { lock: lock?, outcome: outcome?, token: token.ok()? })
}
