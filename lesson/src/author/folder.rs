//! Folders: one lesson, and all of them.

use std::fs;
use std::path::{Path, PathBuf};

use super::field::check_name;
use super::mistake::{Complaint, Mistake, quote};
use super::source::{Source, whole_file};
use super::{document, markdown};
use crate::{Lesson, Library};

/// The files that a lesson consists of.
const FILES: [&str; 2] = ["lesson.toml", "lesson.md"];

/// Reads a folder of lessons, each a folder of its own.
///
/// # Errors
/// All mistakes in all lessons: in their files, files that belong to none, and
/// two lessons with the same `order`.
pub fn read_library(folder: &Path) -> Result<Library, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let mut lessons: Vec<(u16, Lesson)> = Vec::new();
    for path in entries(folder).map_err(|mistake| vec![mistake])? {
        if !path.is_dir() {
            mistakes.push(stray(&path, "Put only folders here, one for each lesson."));
            continue;
        }
        match read(&path) {
            Err(more) => mistakes.extend(more),
            Ok((order, lesson)) => {
                if let Some((_, other)) = lessons.iter().find(|(taken, _)| *taken == order) {
                    let wrong = format!("{order} is the place of the lesson {} too", quote(&other.id));
                    mistakes.push(order_taken(&path, wrong));
                }
                lessons.push((order, lesson));
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    lessons.sort_by_key(|(order, _)| *order);
    Ok(Library { lessons: lessons.into_iter().map(|(_, lesson)| lesson).collect() })
}

/// Reads the folder of one lesson.
///
/// # Errors
/// All mistakes in its files, and files that don't belong there.
pub fn read_lesson(folder: &Path) -> Result<Lesson, Vec<Mistake>> {
    read(folder).map(|(_, lesson)| lesson)
}

fn read(folder: &Path) -> Result<(u16, Lesson), Vec<Mistake>> {
    let mut mistakes = Vec::new();
    for path in entries(folder).map_err(|mistake| vec![mistake])? {
        if !FILES.iter().any(|file| path.file_name().is_some_and(|name| name == *file)) {
            mistakes.push(stray(&path, "A lesson is a lesson.toml and a lesson.md, and nothing else."));
        }
    }
    let id = id(folder).map_err(|mistake| mistakes.push(mistake)).unwrap_or_default();
    let mut in_file = |file: &str| Source::read(&folder.join(file)).map_err(|mistake| mistakes.push(mistake)).ok();
    let (toml, text) = (in_file(FILES[0]), in_file(FILES[1]));
    let lesson = toml.and_then(|source| {
        let lesson = document::read(&source, &id);
        mistakes.extend(source.into_mistakes());
        lesson
    });
    let sections = text.map_or_else(Vec::new, |source| {
        let sections = markdown::read(&source);
        mistakes.extend(source.into_mistakes());
        sections
    });
    match lesson {
        Some((order, lesson)) if mistakes.is_empty() => Ok((order, Lesson { sections, ..lesson })),
        _ => Err(mistakes),
    }
}

/// A lesson's id is the name of its folder, however its path is written.
fn id(folder: &Path) -> Result<String, Mistake> {
    let full = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let name = full.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match check_name(&name) {
        Ok(()) => Ok(name),
        Err(complaint) => Err(whole_file(&folder.display().to_string(), complaint)),
    }
}

/// What is in a folder, in the order of names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Mistake> {
    let cannot = |error: std::io::Error| {
        let complaint = Complaint::new(format!("the folder can't be read: {error}"), "Look at its name.");
        whole_file(&folder.display().to_string(), complaint)
    };
    let entries = fs::read_dir(folder).map_err(cannot)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(cannot)?;
    paths.sort();
    Ok(paths)
}

fn stray(path: &Path, cure: &str) -> Mistake {
    whole_file(&path.display().to_string(), Complaint::new("this file belongs to no lesson", cure))
}

fn order_taken(folder: &Path, wrong: String) -> Mistake {
    let file = folder.join(FILES[0]).display().to_string();
    Mistake { field: "order".to_string(), ..whole_file(&file, Complaint::new(wrong, "Choose a number of its own.")) }
}
