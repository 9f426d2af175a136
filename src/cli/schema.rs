//! `racescope schema`: the formats of lessons and scenarios for editors.

use clap::Args;
use racescope_lesson::author;

use super::report::Report;

/// Prints the JSON Schema of lesson.toml, for editors.
#[derive(Args)]
pub struct Schema {
    /// The schema of a scenario file instead.
    #[arg(long)]
    scenario: bool,
}

impl Schema {
    /// Prints what `docs/lesson.schema.json` or `docs/scenario.schema.json` holds.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        let schema = if self.scenario { author::scenario_schema() } else { author::schema() };
        report.say(schema.trim_end());
        report
    }
}
