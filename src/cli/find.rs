//! Finds the lesson that a person means.

use std::path::{Path, PathBuf};

use racescope_lesson::author::{Settings, read_lesson, read_study};
use racescope_lesson::{Lesson, Study};

/// The file that makes a folder a lesson.
const FILE: &str = "lesson.toml";

/// The folder of a lesson, given the folder itself or a file in it; `None` if the
/// path isn't one.
pub fn lesson_folder(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        // "lesson.toml" alone has the empty path as its parent.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        return Some(folder.unwrap_or(Path::new(".")).to_path_buf());
    }
    path.join(FILE).is_file().then(|| path.to_path_buf())
}

/// Reads a lesson: a file or a folder, an id below `lessons`, or the id of a
/// lesson that was compiled in.
///
/// # Errors
/// The mistakes in the lesson, or that there is none, each as a line.
pub fn lesson(name: &str) -> Result<Lesson, Vec<String>> {
    let path = Path::new(name);
    let folder = lesson_folder(path).or_else(|| lesson_folder(&Path::new("lessons").join(name)));
    if let Some(folder) = folder {
        let read = read_lesson(&folder).map(|draft| draft.lesson);
        return read.map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect());
    }
    let library = racescope::library();
    library.lesson(name).cloned().ok_or_else(|| {
        let ids: Vec<&str> = library.lessons.iter().map(|lesson| lesson.id.as_str()).collect();
        let wrong =
            if path.exists() { format!("{name} holds no {FILE}") } else { format!("there is no lesson {name}") };
        vec![format!("{wrong}. Name a lesson's folder, or one of these: {}.", ids.join(", "))]
    })
}

/// Reads what can be explored: a scenario file, which is any other TOML file than that
/// of a lesson, or a lesson.
///
/// # Errors
/// The mistakes in it, or that it isn't there, each as a line.
pub fn study(name: &str, settings: Settings) -> Result<Study, Vec<String>> {
    let path = Path::new(name);
    let is_scenario = path.extension().is_some_and(|extension| extension == "toml")
        && path.file_name().is_some_and(|file| file != FILE);
    if is_scenario {
        let read = read_study(path, settings);
        return read.map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect());
    }
    if settings.clients.is_some() {
        let wrong = format!("{name} is no scenario file, so the number of its clients can't be set.");
        return Err(vec![format!("{wrong} Leave out clients, or name a scenario file such as name.toml.")]);
    }
    lesson(name).map(Study::from)
}
