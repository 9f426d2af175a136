//! `racescope check`: do lessons show what they say?

use std::path::{Path, PathBuf};

use clap::Args;
use racescope_lesson::author::{Complaint, Draft, Shelf, dead_links, prove, read_lesson, read_library, shown};

use super::find::{lesson_folder, why_no_lesson};
use super::report::{Report, Status};

/// Reads lessons, runs them, and says whether they show what they say.
#[derive(Args)]
pub struct Check {
    /// A folder of lessons, or the folder of one lesson.
    #[arg(default_value = "lessons")]
    paths: Vec<PathBuf>,
}

impl Check {
    /// Checks everything.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        let library = racescope::library();
        let shelves: Vec<Shelf> = self.paths.iter().map(|path| read(path)).collect();
        let read = shelves.iter().flat_map(|shelf| &shelf.drafts).map(|draft| &draft.lesson);
        let lessons: Vec<&str> = library.lessons.iter().chain(read).map(|lesson| lesson.id.as_str()).collect();
        for (path, shelf) in self.paths.iter().zip(&shelves) {
            if shelf.drafts.is_empty() && shelf.bad == 0 {
                let wrong = why_no_lesson(path).filter(|_| !path.is_dir());
                let complaint = Complaint::new(wrong.unwrap_or("there is no lesson in this folder"), CURE);
                report.fail(Status::BadInput, format!("{}: {complaint}", shown(path)));
            }
            shelf.drafts.iter().for_each(|draft| check(draft, &lessons, &mut report));
            shelf.mistakes.iter().for_each(|mistake| report.fail(Status::BadInput, mistake));
        }
        report
    }
}

/// What to name instead of something that holds no lesson.
const CURE: &str = "Name a folder that holds lessons, each a folder with a lesson.toml and a lesson.md.";

/// The lessons in a folder, or the one that it is; none in what is no folder.
fn read(path: &Path) -> Shelf {
    let Some(folder) = lesson_folder(path) else {
        return if path.is_dir() || !path.exists() { read_library(path) } else { Shelf::default() };
    };
    match read_lesson(&folder) {
        Ok(draft) => Shelf { drafts: vec![draft], ..Shelf::default() },
        Err(mistakes) => Shelf { bad: 1, mistakes, ..Shelf::default() },
    }
}

fn check(draft: &Draft, lessons: &[&str], report: &mut Report) {
    let mut mistakes = prove(draft);
    mistakes.extend(dead_links(draft, lessons));
    for mistake in &mistakes {
        report.fail(Status::Untrue, mistake);
    }
    if mistakes.is_empty() {
        let variants = count(draft.lesson.variants.len(), "variant");
        let challenges = count(draft.lesson.challenges.len(), "challenge");
        report.say(format!("{}: {variants}, {challenges}: as they say", shown(&draft.folder)));
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
