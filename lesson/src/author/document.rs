//! `lesson.toml` as a whole.

use racescope_engine::sim::Granularity;
use toml::de::DeTable;

use super::mistake::Complaint;
use super::nodes::Nodes;
use super::places::Places;
use super::source::Source;
use super::table::Fields;
use super::variants::{self, Shared};
use super::{challenges, faults, programs, reading};
use crate::Lesson;

/// The number of the format that is read here.
const FORMAT: u16 = 1;

const GRANULARITIES: [(&str, Granularity); 3] = [
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
    let (root, errors) = DeTable::parse_recoverable(source.text());
    // The others may only follow from the first.
    if let Some(error) = errors.first() {
        let wrong = format!("this is not TOML: {}", error.message().replace('\n', ", "));
        let at = error.span().map_or(0, |span| span.start);
        source.report(at, "", Complaint::new(wrong, "Mend the line; https://toml.io shows how each thing is written."));
        return None;
    }
    let mut fields = Fields::new(source, String::new(), 0, root.get_ref());
    if !has_our_format(&mut fields) {
        return None;
    }
    let read = lesson(&mut fields, id);
    let all = fields.all();
    fields.finish();
    let (order, lesson) = read.filter(|_| source.mistakes() == 0)?;
    let mut places = Places::default();
    for (_, field) in &all {
        places.note(field);
    }
    Some(Document { order, lesson, places })
}

/// A file of another format would only give misleading mistakes.
fn has_our_format(fields: &mut Fields) -> bool {
    let Some(field) = fields.need("format", &format!("format = {FORMAT}")) else { return false };
    match field.number(0..=u16::MAX) {
        Some(FORMAT) => true,
        Some(other) => {
            let wrong = format!("the format {other} isn't known here");
            field.complain(Complaint::new(wrong, format!("Write format = {FORMAT}, or use a later Racescope.")));
            false
        }
        None => false,
    }
}

fn lesson(fields: &mut Fields, id: &str) -> Option<(u16, Lesson)> {
    let title = fields.text("title");
    let summary = fields.text("summary");
    let order = fields.need("order", "order = 1, the lesson's place among all").and_then(|field| field.number(1..=999));
    let shows_us = fields.need("shows", "shows = \"8 s\", the time that the stage shows");
    let shows_us = shows_us.and_then(|field| field.span_us());
    let cursor_us = fields.get("cursor").map(|field| field.duration_us());
    let granularity = fields
        .get("granularity")
        .map_or(Some(Granularity::SendServeDeliver), |field| field.one_of("granularity", &GRANULARITIES));
    let nodes = fields.need("nodes", "[nodes.A] and the other nodes").map(|field| Nodes::read(&field));
    let programs = fields.need("programs", "[[programs.name]] with the steps of a program");
    let (nodes, programs) = (nodes?, programs?);
    let programs = programs::read(&programs, &nodes);
    let shared = Shared { nodes: &nodes, programs: &programs, granularity: granularity? };
    let variants = variants::read(fields, &shared);
    let faults = faults::read(fields, "faults", &nodes);
    let prediction = reading::prediction(fields);
    let challenges = challenges::read(fields, &nodes, &variants.names, &faults);
    let questions = reading::questions(fields);
    let sources = reading::sources(fields);
    let lesson = Lesson {
        id: id.to_string(),
        title: title?,
        summary: summary?,
        shows_us: shows_us?,
        cursor_us: cursor_us.flatten(),
        faults,
        variants: variants.sound,
        sections: Vec::new(),
        prediction,
        challenges,
        questions,
        sources,
    };
    Some((order?, lesson))
}
