//! `racescope check`: do lessons show what they say?

use std::path::{Path, PathBuf};

use clap::Args;
use racescope_lesson::Lesson;
use racescope_lesson::author::{Mistake, prove, read_lesson, read_library};

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
        for path in &self.paths {
            match read(path) {
                Ok(lessons) => lessons.iter().for_each(|(folder, lesson)| check(folder, lesson, &mut report)),
                Err(mistakes) => mistakes.iter().for_each(|mistake| report.fail(Status::BadInput, mistake)),
            }
        }
        report
    }
}

fn read(path: &Path) -> Result<Vec<(PathBuf, Lesson)>, Vec<Mistake>> {
    if let Some(folder) = lesson_folder(path) {
        return Ok(vec![(folder.clone(), read_lesson(&folder)?)]);
    }
    let lessons = read_library(path)?.lessons;
    Ok(lessons.into_iter().map(|lesson| (path.join(&lesson.id), lesson)).collect())
}

fn check(folder: &Path, lesson: &Lesson, report: &mut Report) {
    let mistakes = prove(lesson, folder);
    for mistake in &mistakes {
        report.fail(Status::Untrue, mistake);
    }
    if mistakes.is_empty() {
        let variants = count(lesson.variants.len(), "variant");
        let challenges = count(lesson.challenges.len(), "challenge");
        report.say(format!("{}: {variants}, {challenges}: as they say", folder.display()));
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
