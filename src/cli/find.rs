//! Finds the lesson that a person means.

use std::path::{Path, PathBuf};

use racescope_lesson::Lesson;
use racescope_lesson::author::read_lesson;

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
