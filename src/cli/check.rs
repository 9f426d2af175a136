//! `racescope check`: do lessons show what they say?

use std::path::{Path, PathBuf};

use clap::Args;
use racescope_lesson::author::{Complaint, Draft, Shelf, dead_links, prove, read_lesson, read_library};

use super::find::lesson_folder;
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
                let cure = "Name a folder that holds lessons, each a folder with a lesson.toml and a lesson.md.";
                let complaint = Complaint::new("there is no lesson in this folder", cure);
                report.fail(Status::BadInput, format!("{}: {complaint}", path.display()));
            }
            shelf.drafts.iter().for_each(|draft| check(draft, &lessons, &mut report));
            shelf.mistakes.iter().for_each(|mistake| report.fail(Status::BadInput, mistake));
        }
        report
    }
}

/// The lessons in a folder, or the one that it is.
fn read(path: &Path) -> Shelf {
    let Some(folder) = lesson_folder(path) else { return read_library(path) };
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
        report.say(format!("{}: {variants}, {challenges}: as they say", draft.folder.display()));
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
