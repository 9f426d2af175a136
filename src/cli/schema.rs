//! `racescope schema`: the format of `lesson.toml` for editors.

use racescope_lesson::author;

use super::report::Report;

/// Prints the JSON Schema of `lesson.toml`, which `docs/lesson.schema.json` holds.
pub fn report() -> Report {
    let mut report = Report::default();
    report.say(author::schema().trim_end());
    report
}
