//! Real systems as nodes: which one, and what on it is judged.

use racescope_engine::sim::{Comparing, Held, NodeIndex, Part, Probe, Role, SystemNode, Template};
use racescope_engine::system::setup::{self, Setting, Setup, SetupError};

use super::cause::Cause;
use super::field::Field;
use super::mistake::{Complaint, list};
use super::nearest::unknown;
use super::nodes;
use super::shape::{Kind, Slots, may};
use super::steps::Reported;
use super::system_slots::{KEPT, Kept};
use super::table::Fields;
use super::{commands, diagnosis};

/// What others may take a node for.
pub(super) struct Thing<'s> {
    name: &'s str,
    role: Option<nodes::Role>,
    kept: Option<Kept>,
    is_thread: bool,
}

/// What a node can refer to.
pub(super) struct Others<'s> {
    /// All nodes.
    pub things: &'s [Thing<'s>],
    /// The letters of all clients, in lower case: words that every system knows.
    pub letters: &'s [String],
}

/// The fields that are looked at from outside of a node.
pub(super) const LOOKED_AT: Slots = &[&[
    may("keeps", Kind::Text),
    may("thread_of", Kind::Name),
    may("part_of", Kind::Name),
    may("system", Kind::Name),
    may("held_ask", Kind::Text),
    may("empty_ask", Kind::Text),
    may("copy_ask", Kind::Text),
    may("source_ask", Kind::Text),
    may("unlock", Kind::Text),
    may("change_leader", Kind::Text),
]];

/// What a node says in one of its fields, whatever that means.
pub(super) fn said<'a>(fields: &Fields<'a>, name: &'static str) -> Option<&'a str> {
    let mut fields = fields.beneath(None);
    fields.shaped(LOOKED_AT);
    fields.get(name)?.peek()
}

impl<'s> Thing<'s> {
    /// A node by its name, its role and its fields.
    pub fn of(name: &'s str, role: Option<nodes::Role>, fields: &Fields) -> Self {
        let kept = said(fields, "keeps").and_then(|says| KEPT.iter().find(|(known, _)| *known == says));
        Self { name, role, kept: kept.map(|&(_, kept)| kept), is_thread: said(fields, "thread_of").is_some() }
    }
}

impl Others<'_> {
    /// The index of the node that a field names, if it is what is meant.
    fn place(&self, field: &Field, what: &str, fits: impl Fn(&Thing) -> bool) -> Option<NodeIndex> {
        let name = field.word()?;
        let place = self.things.iter().position(|thing| thing.name == name && fits(thing));
        if place.is_none() {
            let fitting: Vec<&str> = self.things.iter().filter(|thing| fits(thing)).map(|thing| thing.name).collect();
            field.complain_unless(unknown(what, name, &fitting), Cause::Nodes);
        }
        place.map(|place| place as NodeIndex)
    }

    fn keeping(&self, field: &Field, what: &str, kept: Kept) -> Option<NodeIndex> {
        self.place(field, what, |thing| thing.kept == Some(kept))
    }

    /// The client that a field names as the process of which this one is a thread.
    pub fn process(&self, field: &Field, own: &str) -> Option<NodeIndex> {
        let is_process = |thing: &Thing| thing.role == Some(nodes::Role::Client) && !thing.is_thread;
        self.place(field, "client that is no thread", |thing| is_process(thing) && thing.name != own)
    }
}

/// The fields of which only some systems make something.
const SETTINGS: [(&str, Setting); 4] =
    [("keys", Setting::Keys), ("words", Setting::Words), ("lag", Setting::Lag), ("retention", Setting::Retention)];

/// Reports fields that say nothing to a system of this kind.
fn report_idle_settings(fields: &mut Fields, kind: &str) {
    for (name, setting) in SETTINGS.into_iter().filter(|&(_, setting)| !setup::takes(kind, setting)) {
        if let Some(field) = fields.get(name) {
            let others: Vec<&str> = setup::kinds().into_iter().filter(|kind| setup::takes(kind, setting)).collect();
            let wrong = format!("says nothing to {kind}");
            field.complain(Complaint::new(wrong, format!("Take it out; it is for {}.", list(&others))));
        }
    }
}

/// Reads a node that is a real system.
pub(super) fn system(fields: &mut Fields, others: &Others, own: NodeIndex) -> Option<SystemNode> {
    let kind = fields.get("system")?;
    let name = kind.word()?;
    if !setup::kinds().contains(&name) {
        kind.complain(unknown("system", name, &setup::kinds()));
        return None;
    }
    let variant = fields.get("variant");
    let known = setup::variants(name);
    if let Some(field) = &variant
        && let Some(says) = field.peek()
        && !known.contains(&says)
    {
        field.complain(match known {
            [] => Complaint::new(format!("{name} has no variants"), "Take it out."),
            _ => unknown("variant", says, known),
        });
        return None;
    }
    let mut words = names(fields, "words")?;
    words.extend(others.letters.iter().filter(|letter| !words.contains(letter)).cloned().collect::<Vec<_>>());
    let setup = Setup {
        kind: name.to_string(),
        keys: names(fields, "keys")?,
        words,
        variant: match variant {
            Some(field) => Some(field.text()?),
            None => None,
        },
        lag_us: fields.get("lag").map_or(Some(0), |field| field.span_us())?,
        retention_us: match fields.get("retention") {
            Some(field) => Some(field.span_us()?),
            None => None,
        },
    };
    report_idle_settings(fields, name);
    let callers = others.letters.len() as u8 + 1;
    let server = match setup.build(callers) {
        Ok(server) => server,
        Err(SetupError::TooManyClients(most)) => {
            let wrong = format!("{name} tells only {most} clients apart");
            kind.complain(Complaint::new(wrong, "Have fewer clients in this lesson."));
            return None;
        }
        Err(_) => {
            let cure = "Use fewer and shorter names, out of a-z, 0-9, \"-\", \"_\" and \".\"; \
                        docs/reference/systems.md says how many.";
            let wrong = "its keys or words are too many or too long for this system";
            fields.get("keys").as_ref().unwrap_or(&kind).complain(Complaint::new(wrong, cure));
            return None;
        }
    };
    let commands = texts(fields, "at_start")?;
    let elements = fields.get("at_start").map(|field| field.elements()).unwrap_or_default();
    for (words, field) in commands.iter().zip(&elements).filter(|(words, _)| !server.knows(words)) {
        field.complain(diagnosis::unknown_command(&*server, &setup, words));
    }
    for (place, wrong) in commands::not_done(&*server, callers - 1, &commands) {
        elements[place].complain(Complaint::new(wrong, "Mend it, or take it out: at the start, all is done at once."));
    }
    Some(SystemNode {
        setup,
        at_start: commands,
        latency_us: fields.get("latency")?.span_us()?,
        role: role(fields, others, own)?,
        unlock: fields.get("unlock").and_then(|field| field.text()),
        change_leader: fields.get("change_leader").and_then(|field| field.text()),
    })
}

/// Reads a node that is another thing on a system.
pub(super) fn part(fields: &mut Fields, others: &Others, own: NodeIndex) -> Option<Part> {
    let of = others.place(&fields.get("part_of")?, "system", |thing| thing.role == Some(nodes::Role::System))?;
    Some(Part { of: Some(of), role: role(fields, others, own)? })
}

/// Reads a node that is a lock on several others.
pub(super) fn quorum(fields: &mut Fields, others: &Others) -> Option<Part> {
    let elements = fields.get("quorum")?.counted()?;
    let members: Option<Vec<NodeIndex>> =
        elements.iter().map(|field| others.keeping(field, "lock on a system", Kept::Lock)).collect();
    if let Some(members) = &members
        && let Some(again) = (1..members.len()).find(|&place| members[..place].contains(&members[place]))
    {
        elements[again].complain(Complaint::new("nobody has two votes", "Name another node, or take it out."));
    }
    let field = fields.get("needed")?;
    let needed = field.number()? as u8;
    if let Some(members) = members.as_ref().filter(|members| members.len() < usize::from(needed)) {
        let wrong = format!("nobody can hold {needed} of {}", members.len());
        field.complain(Complaint::new(wrong, "Name more of them in quorum, or need fewer."));
        return None;
    }
    let first_token = first_token(fields)?;
    Some(Part { of: None, role: Role::Lock { first_token, held: Held::ByQuorum { members: members?, needed } } })
}

fn first_token(fields: &mut Fields) -> Option<u16> {
    fields.get("first_token").map_or(Some(1), |field| field.number())
}

fn role(fields: &mut Fields, others: &Others, own: NodeIndex) -> Option<Role> {
    let Some(keeps) = fields.get("keeps") else { return Some(Role::Server) };
    Some(match keeps.one_of("thing to keep", &KEPT)? {
        Kept::Lock => {
            let held = probe(fields, "held_ask", "held_reply").ok()?.map_or(Held::ByAnswers, Held::ByProbe);
            if let Some(field) = fields.get("held_reply")
                && field.peek().is_some_and(|reply| !reply.contains("$me"))
            {
                let cure = "Let $me stand for the client's letter in it, such as held_reply = \"$me\".";
                field.complain(Complaint::new("doesn't say which client holds the lock", cure));
            }
            Role::Lock { first_token: first_token(fields)?, held }
        }
        Kept::Data => {
            let first_version = fields.get("first_version").map_or(Some(1), |field| field.number());
            Role::Data { first_version: first_version?, copy_of: copy_of(fields, others, own).ok()? }
        }
        Kept::Cache => {
            let of = others.keeping(&fields.get("of")?, "node that keeps data", Kept::Data)?;
            Role::Cache { of, empty: probe(fields, "empty_ask", "empty_reply").ok()? }
        }
        Kept::Effects => {
            let limit = match fields.get("limit") {
                Some(field) => Some(field.number()?),
                None => None,
            };
            Role::Effects { limit }
        }
    })
}

/// What something is a copy of, and how the two are compared.
fn copy_of(fields: &mut Fields, others: &Others, own: NodeIndex) -> Result<Option<(NodeIndex, Comparing)>, Reported> {
    let (of, copy, source) = (fields.get("copy_of"), fields.get("copy_ask"), fields.get("source_ask"));
    match (of, copy, source) {
        (None, None, None) => Ok(None),
        (Some(of), Some(copy), source) => {
            let field = of;
            let of = others.keeping(&field, "node that keeps data", Kept::Data).ok_or(Reported)?;
            if of == own {
                field.complain(Complaint::new("nothing is a copy of itself", "Name the node that it is copied from."));
                return Err(Reported);
            }
            let copy = copy.text().ok_or(Reported)?;
            let source = source.map_or_else(|| Some(copy.clone()), |field| field.text()).ok_or(Reported)?;
            Ok(Some((of, Comparing { copy, source })))
        }
        (of, copy, source) => {
            let cure = "A copy needs both: of what, and the command that it is compared by. \
                        source_ask says what its source is asked, if that is another command.";
            if let Some(field) = of.or(copy).or(source) {
                field.complain(Complaint::new("copy_of and copy_ask come together", cure));
            }
            Err(Reported)
        }
    }
}

/// A question and its answer, which come together.
fn probe(fields: &mut Fields, ask: &'static str, reply: &'static str) -> Result<Option<Probe>, Reported> {
    match (fields.get(ask), fields.get(reply)) {
        (None, None) => Ok(None),
        (Some(ask), Some(reply)) => {
            let (ask, text) = (ask.text().ok_or(Reported)?, reply.text().ok_or(Reported)?);
            if let Ok(reply) = Template::answer(&text, &[]) {
                return Ok(Some(Probe { ask, reply }));
            }
            let cure = "Only $me, the letter of a client, and * can stand in it.";
            reply.complain(Complaint::new("names a value, and a bystander has none", cure));
            Err(Reported)
        }
        (Some(field), None) | (None, Some(field)) => {
            let wrong = format!("{ask} and {reply} come together");
            field.complain(Complaint::new(wrong, "Write the question and the answer that is meant."));
            Err(Reported)
        }
    }
}

/// The texts of a list, which are no more than a list holds.
fn texts(fields: &mut Fields, name: &'static str) -> Option<Vec<String>> {
    let Some(field) = fields.get(name) else { return Some(Vec::new()) };
    field.counted()?.iter().map(Field::text).collect()
}

/// The names of a list, each there once.
fn names(fields: &mut Fields, name: &'static str) -> Option<Vec<String>> {
    let names = texts(fields, name)?;
    fields.get(name).map(|field| field.different_elements());
    Some(names)
}
