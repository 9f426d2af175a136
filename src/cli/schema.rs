//! `racescope schema`: the format of `lesson.toml` for editors.

use clap::Args;
use racescope_lesson::author;

use super::report::Report;

/// Prints the JSON Schema of lesson.toml, which docs/lesson.schema.json holds.
#[derive(Args)]
pub struct Schema {}

impl Schema {
    /// Prints the schema.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        report.say(author::schema().trim_end());
        report
    }
}
