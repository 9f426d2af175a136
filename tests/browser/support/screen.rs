//! A screen that nobody sees, for a browser that needs one.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running Xvfb; it ends when this is dropped.
pub struct Screen {
    child: Child,
    number: u32,
    /// Kept open as long as the screen.
    _output: BufReader<ChildStdout>,
}

impl Screen {
    /// Starts a screen with the first number that is free.
    ///
    /// # Panics
    /// If it doesn't start, or doesn't say its number.
    pub fn start(program: &Path) -> Self {
        let mut command = Command::new(program);
        // It writes its number to its standard output.
        command.args(["-displayfd", "1", "-screen", "0", "1600x1600x24", "-nolisten", "tcp"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let mut output = BufReader::new(child.stdout.take().expect("its output is piped"));
        let mut line = String::new();
        let number = output.read_line(&mut line).ok().and_then(|_| line.trim().parse().ok());
        let Some(number) = number else {
            drop(child.kill());
            drop(child.wait());
            panic!("{} doesn't say which screen it is", program.display());
        };
        Self { child, number, _output: output }
    }

    /// What programs call it.
    pub fn name(&self) -> String {
        format!(":{}", self.number)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If it has ended, both only fail, and that is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
