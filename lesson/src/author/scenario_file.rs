//! A scenario file: the TOML of a lesson without its story, for searches.

use std::path::Path;

use super::document::{FORMAT, granularity, parsed};
use super::field::check_name;
use super::mistake::Mistake;
use super::nodes::{self, Nodes};
use super::shape::{Kind, Shape, Slot, may, need};
use super::source::{Source, Whole, shown, whole_file};
use super::table::Fields;
use super::variants::{self, Shared};
use super::{bounds, commands, document, programs, shape, tally};
use crate::Study;

/// What a scenario file is.
pub(super) const SCENARIO: Kind = Kind::Table(|| vec![Shape::of(&[HEAD])]);

const HEAD: &[Slot] = &[
    need("format", Kind::Number(FORMAT, FORMAT), "format = 1"),
    need("title", Kind::Text, "title = \"…\""),
    may("granularity", Kind::OneOf(|| shape::names(&document::GRANULARITIES))),
    may("bounds", bounds::BOUNDS),
    need("nodes", nodes::TABLE, "[nodes.client] and the other nodes"),
    need("programs", programs::TABLE, "[[programs.name]] with the steps of a program"),
    may("tally", tally::TALLY),
    need("variants", variants::SEARCHED, "[[variants]] with an id, a title and what it violates"),
];

/// What takes the place of something in a file while it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How many clients the table with a `count` stands for.
    pub clients: Option<u16>,
}

/// Reads a scenario file.
///
/// # Errors
/// All mistakes in it.
pub fn read_study(file: &Path, settings: Settings) -> Result<Study, Vec<Mistake>> {
    let source = Source::read(file, Whole::Scenario).map_err(|mistake| vec![mistake])?;
    let id = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    check_name(&id).map_err(|complaint| vec![whole_file(&shown(file), complaint)])?;
    read(source, &id, settings)
}

/// Reads a scenario from the text of a file, under the name that the file would have.
///
/// # Errors
/// All mistakes in it.
pub fn study_of(id: &str, text: &str) -> Result<Study, Vec<Mistake>> {
    study_of_text(id, text, Settings::default())
}

/// Reads a scenario from the text of a file, with other settings than it has.
///
/// # Errors
/// All mistakes in it.
pub fn study_of_text(id: &str, text: &str, settings: Settings) -> Result<Study, Vec<Mistake>> {
    read(Source::of(format!("{id}.toml"), text.to_string()), id, settings)
}

fn read(source: Source, id: &str, settings: Settings) -> Result<Study, Vec<Mistake>> {
    let study = parsed(&source, &SCENARIO, |fields, _| study(fields, id, settings));
    study.ok_or_else(|| source.into_mistakes())
}

fn study(fields: &mut Fields, id: &str, settings: Settings) -> Option<Study> {
    let title = fields.text("title");
    let granularity = granularity(fields);
    let bounds = bounds::read(fields);
    let nodes = fields.get("nodes").map(|field| Nodes::read(&field, settings.clients));
    let (nodes, programs) = (nodes?, fields.get("programs")?);
    let tally = tally::read(fields, &programs);
    let programs = programs::read(&programs, &nodes);
    if let Some(tally) = &tally {
        tally::check(fields, tally, &programs);
    }
    let shared = Shared { nodes: &nodes, programs: &programs, granularity: granularity?, are_searched: true };
    let variants = variants::read(fields, &shared);
    commands::check(fields, &variants.sound);
    Some(Study {
        id: id.to_string(),
        title: title?,
        bounds: bounds?,
        tally,
        variants: variants.sound,
        speaks_of_schedules: true,
    })
}
