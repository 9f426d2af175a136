//! Folders: one lesson, and all of them.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use super::document::{self, Document};
use super::draft::{Draft, Shelf, TEXT, TOML};
use super::field::check_name;
use super::markdown::{self, Text};
use super::mistake::{Complaint, Mistake, quote};
use super::places::Places;
use super::source::{Source, Whole, shown, whole_file};
use crate::Lesson;

/// The files that a lesson consists of.
const FILES: [&str; 2] = [TOML, TEXT];

/// Reads a folder of lessons, each a folder of its own. A folder that holds nothing but
/// folders is a shelf of lessons too. A lesson with a mistake is left out, and so is
/// the second of two with the same `order`.
pub fn read_library(folder: &Path) -> Shelf {
    let mut shelf = Shelf::default();
    put_on(&mut shelf, folder, "");
    shelf.drafts.sort_by_key(|draft| draft.order);
    shelf
}

fn put_on(shelf: &mut Shelf, folder: &Path, name: &str) {
    let paths = entries(folder).unwrap_or_else(|mistake| {
        shelf.refuse([mistake]);
        Vec::new()
    });
    for path in paths {
        if !path.is_dir() {
            shelf.refuse([stray(&path, "Put only folders here, one for each lesson.")]);
            continue;
        }
        if is_shelf(&path) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            put_on(shelf, &path, &name);
            continue;
        }
        match read_lesson(&path) {
            Err(mistakes) => shelf.refuse(mistakes),
            Ok(draft) => {
                if shelf.drafts.iter().any(|other| other.lesson.id == draft.lesson.id) {
                    shelf.refuse([id_taken(&path)]);
                } else if let Some(other) = shelf.drafts.iter().find(|other| other.order == draft.order) {
                    shelf.refuse([order_taken(&draft, &other.lesson.id)]);
                } else {
                    let lesson = Lesson { shelf: name.to_string(), ..draft.lesson };
                    shelf.drafts.push(Draft { lesson, ..draft });
                }
            }
        }
    }
}

/// Whether a folder holds folders, none of which stands where a lesson's file should.
fn is_shelf(folder: &Path) -> bool {
    let fits = |path: &PathBuf| path.is_dir() && !FILES.iter().any(|file| path.ends_with(file));
    entries(folder).is_ok_and(|paths| !paths.is_empty() && paths.iter().all(fits))
}

/// Reads the folder of one lesson.
///
/// # Errors
/// All mistakes in its files, and files that don't belong there.
pub fn read_lesson(folder: &Path) -> Result<Draft, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    for path in entries(folder).map_err(|mistake| vec![mistake])? {
        if !FILES.iter().any(|file| path.file_name().is_some_and(|name| name == *file)) {
            mistakes.push(stray(&path, "A lesson is a lesson.toml and a lesson.md, and nothing else."));
        }
    }
    let id = id(folder).map_err(|mistake| mistakes.push(mistake)).unwrap_or_default();
    let mut in_file =
        |file: &str| Source::read(&folder.join(file), Whole::Lesson).map_err(|mistake| mistakes.push(mistake)).ok();
    let (toml, text) = (in_file(TOML), in_file(TEXT));
    let document = toml.and_then(|source| {
        let document = document::read(&source, &id);
        mistakes.extend(source.into_mistakes());
        document
    });
    let text = text.map_or_else(Text::default, |source| {
        let text = markdown::read(&source);
        mistakes.extend(source.into_mistakes());
        text
    });
    match document {
        Some(Document { order, lesson, places }) if mistakes.is_empty() => {
            let lesson = Lesson { sections: text.sections, ..lesson };
            let places = Places { moments: text.moments, lessons: text.lessons, ..places };
            Ok(Draft { lesson, folder: folder.to_path_buf(), order, places })
        }
        _ => Err(mistakes),
    }
}

/// A lesson's id is the name of its folder, however its path is written.
fn id(folder: &Path) -> Result<String, Mistake> {
    let full = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let name = full.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match check_name(&name) {
        Ok(()) => Ok(name),
        Err(complaint) => Err(whole_file(&shown(folder), complaint)),
    }
}

/// What is in a folder, in the order of names.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, Mistake> {
    let cannot = |error: Error| {
        let complaint = match error.kind() {
            ErrorKind::NotFound => Complaint::new("there is no such folder", "Look at its name."),
            ErrorKind::NotADirectory => Complaint::new("this is no folder", "Name a folder of lessons, or of one."),
            ErrorKind::PermissionDenied => Complaint::new("you may not read this folder", "Change its permissions."),
            _ => Complaint::new(format!("the folder can't be read: {error}"), "Look at its name."),
        };
        whole_file(&shown(folder), complaint)
    };
    let entries = fs::read_dir(folder).map_err(cannot)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(cannot)?;
    paths.sort();
    Ok(paths)
}

fn stray(path: &Path, cure: &str) -> Mistake {
    whole_file(&shown(path), Complaint::new("this file belongs to no lesson", cure))
}

fn id_taken(folder: &Path) -> Mistake {
    let cure = "The name of its folder is the name of a lesson. Choose another one.";
    whole_file(&shown(folder), Complaint::new("another shelf has a lesson of this name", cure))
}

fn order_taken(draft: &Draft, other: &str) -> Mistake {
    let wrong = format!("{} is the place of the lesson {} too", draft.order, quote(other));
    draft.mistake("order", Complaint::new(wrong, "Choose a number of its own."))
}
