//! What a command has to say, and how it ends.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// How a command ends. The order is that of weight: the worst one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// All is as it says.
    #[default]
    Good,
    /// A scenario doesn't show what it says.
    Untrue,
    /// The input can't be used.
    BadInput,
}

/// What a command has to say.
#[derive(Debug, Default)]
pub struct Report {
    results: String,
    errors: String,
    status: Status,
}

impl Report {
    /// Adds a line to the results.
    pub fn say(&mut self, line: impl Display) {
        self.results.push_str(&format!("{line}\n"));
    }

    /// Adds an error, and what it means for the end.
    pub fn fail(&mut self, status: Status, error: impl Display) {
        self.errors.push_str(&format!("{error}\n"));
        self.status = self.status.max(status);
    }

    /// Prints everything and gives the exit code. A reader that has gone away, as
    /// `head` does, is no error.
    pub fn print(self) -> ExitCode {
        std::io::stdout().write_all(self.results.as_bytes()).ok();
        std::io::stderr().write_all(self.errors.as_bytes()).ok();
        match self.status {
            Status::Good => ExitCode::SUCCESS,
            Status::Untrue => ExitCode::from(1),
            Status::BadInput => ExitCode::from(2),
        }
    }
}
