//! The fields that a node can have that is a real system, or a thing on one.

use racescope_engine::sim::LIMITS;
use racescope_engine::system::setup;

use super::mistake::Complaint;
use super::shape::{self, Kind, Shape, Slot, Slots, may, need};
use super::table::Fields;

/// A node that is a real system.
const SYSTEM: &[Slot] = &[
    need("system", Kind::OneOf(setup::kinds), "system = \"redis\""),
    may("variant", Kind::Text),
    may("keys", WORDS),
    may("words", WORDS),
    may("lag", Kind::Span),
    may("retention", Kind::Span),
    may("at_start", WORDS),
    may("unlock", Kind::Text),
    may("change_leader", Kind::Text),
    need("latency", Kind::Span, "latency = \"200 ms\""),
    need("title", Kind::Text, "title = \"…\""),
];

/// A node that is another thing on such a system.
const PART: &[Slot] =
    &[need("part_of", Kind::Name, "part_of = \"the name of a system\""), need("title", Kind::Text, "title = \"…\"")];

/// A node that is a lock on several others.
pub(super) const QUORUM: &[Slot] = &[
    need("quorum", Kind::List { of: &Kind::Name, least: 1, most: Some(LIMITS.nodes) }, "quorum = [\"one\", \"two\"]"),
    need("needed", Kind::Number(1, LIMITS.nodes as u16), "needed = 2"),
    may("first_token", Kind::Number(1, LIMITS.first_number)),
    need("title", Kind::Text, "title = \"…\""),
];

const WORDS: Kind = Kind::List { of: &Kind::Text, least: 0, most: Some(32) };

/// What can be judged on a system.
pub(super) const KEPT: [(&str, Kept); 4] =
    [("lock", Kept::Lock), ("data", Kept::Data), ("cache", Kept::Cache), ("effects", Kept::Effects)];

/// The names of what can be judged on a system.
pub(super) fn kept_names() -> Vec<&'static str> {
    shape::names(&KEPT)
}

/// What is judged on a system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    Lock,
    Data,
    Cache,
    Effects,
}

const NOTHING: &[Slot] = &[may("keeps", Kind::OneOf(|| shape::names(&KEPT)))];
const KEEPS: &[Slot] = &[need("keeps", Kind::OneOf(|| shape::names(&KEPT)), "keeps = \"lock\"")];
const LOCK: &[Slot] = &[
    may("first_token", Kind::Number(1, LIMITS.first_number)),
    may("held_ask", Kind::Text),
    may("held_reply", Kind::Text),
];
const DATA: &[Slot] = &[
    may("first_version", Kind::Number(1, LIMITS.first_number)),
    may("copy_of", Kind::Name),
    may("copy_ask", Kind::Text),
    may("source_ask", Kind::Text),
];
const CACHE: &[Slot] = &[
    need("of", Kind::Name, "of = \"the name of what is cached\""),
    may("empty_ask", Kind::Text),
    may("empty_reply", Kind::Text),
];
const EFFECTS: &[Slot] = &[may("limit", Kind::Number(1, LIMITS.first_number))];

/// The fields of a system, by what is judged on it.
fn system_slots(kept: Option<Kept>) -> Slots {
    match kept {
        None => &[SYSTEM, NOTHING],
        Some(Kept::Lock) => &[SYSTEM, KEEPS, LOCK],
        Some(Kept::Data) => &[SYSTEM, KEEPS, DATA],
        Some(Kept::Cache) => &[SYSTEM, KEEPS, CACHE],
        Some(Kept::Effects) => &[SYSTEM, KEEPS, EFFECTS],
    }
}

/// The fields that say something about what is kept.
fn own_slots(kept: Kept) -> &'static [Slot] {
    match kept {
        Kept::Lock => LOCK,
        Kept::Data => DATA,
        Kept::Cache => CACHE,
        Kept::Effects => EFFECTS,
    }
}

fn part_slots(kept: Option<Kept>) -> Slots {
    match kept {
        None => &[PART, KEEPS],
        Some(Kept::Lock) => &[PART, KEEPS, LOCK],
        Some(Kept::Data) => &[PART, KEEPS, DATA],
        Some(Kept::Cache) => &[PART, KEEPS, CACHE],
        Some(Kept::Effects) => &[PART, KEEPS, EFFECTS],
    }
}

/// All shapes that such a node can have.
pub(super) fn shapes() -> Vec<Shape> {
    let marked = |slots: Slots, name| Shape { slots, mark: Some(("keeps", name)) };
    let systems = KEPT.iter().map(|&(name, kept)| marked(system_slots(Some(kept)), name));
    let parts = KEPT.iter().map(|&(name, kept)| marked(part_slots(Some(kept)), name));
    let others = [Shape::of(&[SYSTEM]), Shape::of(&[QUORUM])];
    systems.chain(parts).chain(others).collect()
}

/// The fields of a node, by what it says that it keeps. `None` if it keeps something unknown.
pub(super) fn slots_of(fields: &mut Fields, is_part: bool) -> Option<Slots> {
    fields.shaped(if is_part { part_slots(None) } else { system_slots(None) });
    let kept = match fields.get("keeps") {
        Some(field) => Some(field.one_of("thing to keep", &KEPT)?),
        None if is_part => return None,
        None => None,
    };
    if kept.is_none()
        && let Some((name, field)) =
            KEPT.iter().find_map(|&(name, kept)| Some((name, fields.first_of(own_slots(kept))?)))
    {
        let wrong = format!("says something about {name}, and the system doesn't say that it keeps any");
        field.complain(Complaint::new(wrong, format!("Add keeps = \"{name}\", or take this out.")));
        return None;
    }
    Some(if is_part { part_slots(kept) } else { system_slots(kept) })
}

/// Whether a node says that it keeps a lock.
pub(super) fn keeps_lock(fields: &mut Fields) -> bool {
    fields.get("keeps").is_some_and(|field| field.peek() == Some("lock"))
}
