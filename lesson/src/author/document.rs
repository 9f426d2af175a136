//! `lesson.toml` as a whole.

use racescope_engine::sim::Granularity;
use toml::de::DeTable;

use super::mistake::Complaint;
use super::nodes::{self, Nodes};
use super::places::Places;
use super::shape::{self, Kind, Shape, Slot, may, need};
use super::source::Source;
use super::table::Fields;
use super::variants::{self, Shared};
use super::{bounds, challenges, commands, faults, programs, reading};
use crate::Lesson;

/// What `lesson.toml` is.
pub(super) const LESSON: Kind = Kind::Table(|| vec![Shape::of(&[HEAD])]);

const HEAD: &[Slot] = &[
    need("format", Kind::Number(FORMAT, FORMAT), "format = 1"),
    need("title", Kind::Text, "title = \"…\""),
    need("summary", Kind::Text, "summary = \"…\""),
    need("order", Kind::Number(1, 999), "order = 1, the lesson's place among all"),
    need("shows", Kind::Span, "shows = \"8 s\", the time that the stage shows"),
    may("cursor", Kind::Duration),
    may("granularity", Kind::OneOf(|| shape::names(&GRANULARITIES))),
    may("bounds", bounds::BOUNDS),
    need("nodes", nodes::TABLE, "[nodes.A] and the other nodes"),
    need("programs", programs::TABLE, "[[programs.name]] with the steps of a program"),
    need("variants", variants::LIST, "[[variants]] with an id, a title and what it shows"),
    may("faults", faults::LIST),
    may("prediction", reading::PREDICTION),
    may("challenges", challenges::LIST),
    may("questions", reading::QUESTIONS),
    may("sources", reading::SOURCES),
];

/// The number of the format that is read here.
pub(super) const FORMAT: u16 = 1;

pub(super) const GRANULARITIES: [(&str, Granularity); 3] = [
    ("call", Granularity::Call),
    ("serve-deliver", Granularity::ServeDeliver),
    ("send-serve-deliver", Granularity::SendServeDeliver),
];

/// `lesson.toml` as it was read.
pub(super) struct Document {
    /// The lesson's place among the others.
    pub order: u16,
    /// Everything but the text.
    pub lesson: Lesson,
    /// Where its fields are.
    pub places: Places,
}

/// Reads everything but the text. With any mistake, and be it in a part that could
/// be left out, there is no lesson.
pub(super) fn read(source: &Source, id: &str) -> Option<Document> {
    parsed(source, &LESSON, |fields, root| {
        let Whole { order, lesson, nodes } = lesson(fields, id)?;
        let mut places = Places { nodes, ..Places::default() };
        places.note_all(source, "", root);
        Some(Document { order, lesson, places })
    })
}

/// Reads a file of this kind, if it is TOML of our format. With any mistake there is
/// nothing.
pub(super) fn parsed<T>(
    source: &Source,
    kind: &'static Kind,
    read: impl FnOnce(&mut Fields, &DeTable) -> Option<T>,
) -> Option<T> {
    let (root, errors) = DeTable::parse_recoverable(source.text());
    // The others may only follow from the first.
    if let Some(error) = errors.first() {
        let wrong = format!("this is not TOML: {}", error.message().replace('\n', ", "));
        let at = error.span().map_or(0, |span| span.start);
        source.report(at, "", Complaint::new(wrong, "Mend the line; https://toml.io shows how each thing is written."));
        return None;
    }
    let mut fields = Fields::new(source, String::new(), 0, root.get_ref(), kind);
    if !has_our_format(&mut fields) {
        return None;
    }
    let read = read(&mut fields, root.get_ref());
    fields.finish();
    read.filter(|_| source.mistakes() == 0)
}

/// A file of another format would only give misleading mistakes.
fn has_our_format(fields: &mut Fields) -> bool {
    let Some(field) = fields.get("format") else { return false };
    match field.number_in(0..=u16::MAX) {
        Some(FORMAT) => true,
        Some(other) => {
            let wrong = format!("the format {other} isn't known here");
            field.complain(Complaint::new(wrong, format!("Write format = {FORMAT}, or use a later Racescope.")));
            false
        }
        None => false,
    }
}

/// What of `lesson.toml` has no place.
struct Whole {
    order: u16,
    lesson: Lesson,
    /// The name of the table of each node.
    nodes: Vec<String>,
}

fn lesson(fields: &mut Fields, id: &str) -> Option<Whole> {
    let title = fields.text("title");
    let summary = fields.text("summary");
    let order = fields.get("order").and_then(|field| field.number());
    let shows_us = fields.get("shows").and_then(|field| field.span_us());
    let cursor_us = fields.get("cursor").map(|field| field.duration_us());
    let granularity = granularity(fields);
    let bounds = bounds::read(fields);
    let nodes = fields.get("nodes").map(|field| Nodes::read(&field, None));
    let (nodes, programs) = (nodes?, fields.get("programs")?);
    let programs = programs::read(&programs, &nodes);
    let shared = Shared { nodes: &nodes, programs: &programs, granularity: granularity?, are_searched: false };
    let variants = variants::read(fields, &shared);
    commands::check(fields, &variants.sound);
    let faults = faults::read(fields, "faults", &nodes);
    let prediction = reading::prediction(fields);
    let challenges = challenges::read(fields, &nodes, &variants.names, &faults);
    let questions = reading::questions(fields);
    let sources = reading::sources(fields);
    let lesson = Lesson {
        id: id.to_string(),
        shelf: String::new(),
        title: title?,
        summary: summary?,
        shows_us: shows_us?,
        bounds: bounds?,
        cursor_us: cursor_us.flatten(),
        faults,
        variants: variants.sound,
        sections: Vec::new(),
        prediction,
        challenges,
        questions,
        sources,
    };
    Some(Whole { order: order?, lesson, nodes: nodes.tables() })
}

/// Reads `granularity`.
pub(super) fn granularity(fields: &mut Fields) -> Option<Granularity> {
    let field = fields.get("granularity");
    field.map_or(Some(Granularity::SendServeDeliver), |field| field.one_of("granularity", &GRANULARITIES))
}
