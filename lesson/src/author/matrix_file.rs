//! The safety matrix: a folder with `matrix.toml`, which names the assumptions and
//! the mechanisms, and with the scenario files that the mechanisms are variants of.

use std::path::Path;

use racescope_engine::explore::{Bounds, Mark};

use super::bounds;
use super::document::{FORMAT, granularity, parsed};
use super::field::Field;
use super::mistake::{Complaint, Mistake, quote};
use super::scenario_file::{Settings, read_study};
use super::shape::{self, Kind, Shape, Slot, may, need};
use super::source::{Source, Whole, shown, whole_file};
use super::table::Fields;
use super::{document, folder};
use crate::{Column, Group, Matrix, Row, Study};

/// The file that names all others.
const FILE: &str = "matrix.toml";

/// What `matrix.toml` is.
const MATRIX: Kind = Kind::Table(|| vec![Shape::of(&[HEAD])]);

const HEAD: &[Slot] = &[
    need("format", Kind::Number(FORMAT, FORMAT), "format = 1"),
    need("columns", COLUMNS, "[[columns]] with an id, a title and bounds"),
    need("groups", GROUPS, "[[groups]] with a title and [[groups.rows]]"),
];

const COLUMNS: Kind = Kind::List { of: &Kind::Table(|| vec![Shape::of(&[COLUMN])]), least: 1, most: None };

const COLUMN: &[Slot] = &[
    need("id", Kind::Name, "id = \"pauses\""),
    need("title", Kind::Text, "title = \"Processes may pause\""),
    may("granularity", Kind::OneOf(|| shape::names(&document::GRANULARITIES))),
    may("bounds", bounds::BOUNDS),
];

const GROUPS: Kind = Kind::List { of: &Kind::Table(|| vec![Shape::of(&[GROUP])]), least: 1, most: None };

const GROUP: &[Slot] = &[
    need("title", Kind::Text, "title = \"Compared in the write itself\""),
    need("rows", ROWS, "[[groups.rows]] with an id, a scenario, a variant and what it counts"),
];

const ROWS: Kind = Kind::List { of: &Kind::Table(|| vec![Shape::of(&[ROW])]), least: 1, most: None };

const ROW: &[Slot] = &[
    need("id", Kind::Name, "id = \"fencing-token\""),
    need("scenario", Kind::Name, "scenario = \"the name of a file beside this one, without .toml\""),
    need("variant", Kind::Name, "variant = \"fenced\""),
    need("counts", Kind::OneOf(|| shape::names(&harms())), "counts = \"lost-update\""),
];

/// Reads the folder of a matrix.
///
/// # Errors
/// All mistakes in its files, and files that don't belong there.
pub fn read_matrix(folder: &Path) -> Result<Matrix, Vec<Mistake>> {
    let source = Source::read(&folder.join(FILE), Whole::Matrix).map_err(|mistake| vec![mistake])?;
    let mut mistakes = Vec::new();
    let mut studies = Vec::new();
    for path in folder::entries(folder).map_err(|mistake| vec![mistake])? {
        let is_scenario = path.extension().is_some_and(|extension| extension == "toml");
        if path.file_name().is_some_and(|name| name == FILE) {
            continue;
        }
        if !is_scenario {
            let cure = "A matrix is a matrix.toml and scenario files, and nothing else.";
            let complaint = Complaint::new("this file belongs to no matrix", cure);
            mistakes.push(whole_file(&shown(&path), complaint));
            continue;
        }
        match read_study(&path, Settings::default()) {
            Ok(study) => studies.push(study),
            Err(found) => mistakes.extend(found),
        }
    }
    // What a row says of a file that can't be read would only follow from that.
    let matrix = if mistakes.is_empty() { parsed(&source, &MATRIX, |fields, _| matrix(fields, studies)) } else { None };
    mistakes.extend(source.into_mistakes());
    matrix.ok_or(mistakes)
}

fn matrix(fields: &mut Fields, studies: Vec<Study>) -> Option<Matrix> {
    let mut ids = Vec::new();
    let columns: Option<Vec<Column>> =
        fields.tables("columns").into_iter().map(|fields| column(fields, &mut ids)).collect();
    let mut ids = Vec::new();
    let groups: Option<Vec<Group>> =
        fields.tables("groups").into_iter().map(|fields| group(fields, &studies, &mut ids)).collect();
    Some(Matrix { columns: columns?, groups: groups?, studies })
}

fn column<'a>(mut fields: Fields<'a>, ids: &mut Vec<&'a str>) -> Option<Column> {
    let id = fields.get("id").and_then(|field| new_id(&field, ids));
    let title = fields.text("title");
    let granularity = granularity(&mut fields);
    let bounds = bounds::read_over(&mut fields, Bounds::NONE);
    fields.finish();
    Some(Column { id: id?.to_string(), title: title?, bounds: bounds?, granularity: granularity? })
}

fn group<'a>(mut fields: Fields<'a>, studies: &[Study], ids: &mut Vec<&'a str>) -> Option<Group> {
    let title = fields.text("title");
    let rows: Option<Vec<Row>> = fields.tables("rows").into_iter().map(|fields| row(fields, studies, ids)).collect();
    fields.finish();
    Some(Group { title: title?, rows: rows? })
}

fn row<'a>(mut fields: Fields<'a>, studies: &[Study], ids: &mut Vec<&'a str>) -> Option<Row> {
    let id = fields.get("id").and_then(|field| new_id(&field, ids));
    let names: Vec<&str> = studies.iter().map(|study| study.id.as_str()).collect();
    let study = fields.get("scenario").and_then(|field| field.place_in("scenario", &names, None));
    let variant = fields.get("variant");
    let variant = study.zip(variant).and_then(|(study, field)| {
        let names: Vec<&str> = studies[study].variants.iter().map(|variant| variant.id.as_str()).collect();
        field.place_in("variant", &names, None)
    });
    let harm = fields.get("counts").and_then(|field| field.one_of("harm", &harms()));
    fields.finish();
    Some(Row { id: id?.to_string(), study: study? as u8, variant: variant? as u8, harm: harm? })
}

fn new_id<'a>(field: &Field<'a>, ids: &mut Vec<&'a str>) -> Option<&'a str> {
    let id = field.new_name()?;
    if ids.contains(&id) {
        field.complain(Complaint::new(format!("two have the id {}", quote(id)), "Give one another id."));
    }
    ids.push(id);
    Some(id)
}

/// The harm that a search can look for, by name.
fn harms() -> Vec<(&'static str, Mark)> {
    Mark::HARM.into_iter().chain([Mark::StaleCacheEntryStays]).map(|mark| (mark.name(), mark)).collect()
}
