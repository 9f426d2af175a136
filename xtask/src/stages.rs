//! A run in stages: each is announced, timed, and ends the run if it fails.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The stages so far, for the summary at the end.
pub struct Stages {
    finished: Vec<(String, Outcome)>,
}

enum Outcome {
    Passed(Duration),
    Skipped(String),
}

impl Stages {
    /// A run without stages yet.
    pub fn new() -> Self {
        Self { finished: Vec::new() }
    }

    /// Does the work of one stage and returns what it returns.
    pub fn stage<T>(&mut self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("\n==> {name}");
        let start = Instant::now();
        let value = work().with_context(|| format!("stage failed: {name}"))?;
        let time = start.elapsed();
        eprintln!("<== {name}: passed in {}", seconds(time));
        self.finished.push((name.to_owned(), Outcome::Passed(time)));
        Ok(value)
    }

    /// Records, loudly, that a stage was left out.
    pub fn skip(&mut self, name: &str, reason: String) {
        eprintln!("\n==> {name}\n*** SKIPPED *** {reason}");
        self.finished.push((name.to_owned(), Outcome::Skipped(reason)));
    }

    /// Prints every stage with its time.
    pub fn summary(&self) {
        eprint!("\n{}", self.table());
    }

    fn table(&self) -> String {
        let lines = self.finished.iter().map(|(name, outcome)| match outcome {
            Outcome::Passed(time) => format!("  passed   {:>8}  {name}\n", seconds(*time)),
            Outcome::Skipped(reason) => format!("  SKIPPED            {name}: {reason}\n"),
        });
        lines.collect()
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_tells_passed_from_skipped() {
        let mut stages = Stages::new();
        let value = stages.stage("first", || Ok(7)).unwrap();
        stages.skip("second", "no browser".to_owned());
        assert_eq!(value, 7);
        let table = stages.table();
        assert!(table.contains("passed      0.0 s  first\n"), "{table}");
        assert!(table.contains("SKIPPED            second: no browser\n"), "{table}");
    }

    #[test]
    fn a_failing_stage_names_itself_and_is_not_listed() {
        let mut stages = Stages::new();
        let error = stages.stage("first", || anyhow::bail!("broken") as Result<()>).unwrap_err();
        assert_eq!(format!("{error:#}"), "stage failed: first: broken");
        assert_eq!(stages.table(), "");
    }
}
