//! Finds the lesson or the scenario that a person means.

use std::path::{Path, PathBuf};

use racescope_lesson::author::{Mistake, Settings, read_lesson, read_study, shown};
use racescope_lesson::{Lesson, Study};

/// The file that makes a folder a lesson.
const FILE: &str = "lesson.toml";

/// The text beside it.
const TEXT: &str = "lesson.md";

/// The folder of a lesson, given the folder itself or a file in it; `None` if the
/// path isn't one.
pub fn lesson_folder(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return path.join(FILE).exists().then(|| path.to_path_buf());
    }
    if !path.exists() || !(path.ends_with(FILE) || path.ends_with(TEXT)) {
        return None;
    }
    // "lesson.toml" alone has the empty path as its parent.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Some(folder.unwrap_or(Path::new(".")).to_path_buf())
}

/// Reads a lesson: a file or a folder, an id below `lessons`, or the id of a
/// lesson that was compiled in.
///
/// # Errors
/// The mistakes in the lesson, or that there is none, each as a line.
pub fn lesson(path: &Path) -> Result<Lesson, Vec<String>> {
    known(path).unwrap_or_else(|| Err(vec![nothing(path, "a lesson's folder")]))
}

/// Reads what can be explored: a scenario file, which is any other TOML file than that
/// of a lesson, or a lesson.
///
/// # Errors
/// The mistakes in it, or that it isn't there, each as a line.
pub fn study(path: &Path, settings: Settings) -> Result<Study, Vec<String>> {
    if is_scenario(path) {
        return read_study(path, settings).map_err(|mistakes| lines(&mistakes));
    }
    if settings.clients.is_some() {
        let wrong = format!("{} is no scenario file, so the number of its clients can't be set.", shown(path));
        return Err(vec![format!("{wrong} Leave out clients, or name a scenario file such as name.toml.")]);
    }
    let cure = "a scenario file, whose name ends in .toml, a lesson's folder";
    known(path).unwrap_or_else(|| Err(vec![nothing(path, cure)])).map(Study::from)
}

/// Reads a lesson if there is one by this name.
fn known(path: &Path) -> Option<Result<Lesson, Vec<String>>> {
    if let Some(folder) = lesson_folder(path).or_else(|| lesson_folder(&Path::new("lessons").join(path))) {
        return Some(read_lesson(&folder).map(|draft| draft.lesson).map_err(|mistakes| lines(&mistakes)));
    }
    Some(Ok(racescope::library().lesson(path.to_str()?)?.clone()))
}

/// That a path leads to nothing, and what to name instead.
fn nothing(path: &Path, instead: &str) -> String {
    let wrong = why_no_lesson(path).unwrap_or("there is no lesson of this name");
    let library = racescope::library();
    let ids: Vec<&str> = library.lessons.iter().map(|lesson| lesson.id.as_str()).collect();
    format!("{}: {wrong}. Name {instead}, or one of these: {}.", shown(path), ids.join(", "))
}

/// Why something that is there is no lesson; `None` if it isn't there, or may not be
/// looked at.
pub fn why_no_lesson(path: &Path) -> Option<&'static str> {
    if path.is_dir() {
        Some("there is no lesson.toml in this folder")
    } else if is_scenario(path) && path.exists() {
        Some("this file is no lesson.toml, and `racescope explore` reads scenario files")
    } else {
        path.exists().then_some("this file belongs to no lesson")
    }
}

fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml") && !path.ends_with(FILE)
}

fn lines(mistakes: &[Mistake]) -> Vec<String> {
    mistakes.iter().map(ToString::to_string).collect()
}
