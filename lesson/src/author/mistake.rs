//! What is wrong in a lesson, said so that its author can mend it.

use core::fmt;

/// One thing that is wrong, with its place and its cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file, as its folder was named.
    pub file: String,
    /// The line, counted from 1; `None` for a whole file.
    pub line: Option<usize>,
    /// The field, such as `nodes.lock.latency`, or nothing. Elements of lists are
    /// counted from 1: `faults[1].at` is in the first fault.
    pub field: String,
    /// What is wrong, and how to mend it.
    pub complaint: Complaint,
}

/// What is wrong, and how to mend it, wherever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What is wrong, without a full stop.
    pub wrong: String,
    /// How to mend it, as a whole sentence.
    pub cure: String,
}

impl Complaint {
    /// A complaint from its two halves.
    pub fn new(wrong: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { wrong: wrong.into(), cure: cure.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.wrong, self.cure)
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if !self.field.is_empty() {
            write!(f, " {}:", self.field)?;
        }
        write!(f, " {}", self.complaint)
    }
}

/// What an author wrote, in quotes, on one line and not too long.
pub(super) fn quote(text: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// A text as a string of TOML (<https://toml.io/en/v1.0.0#string>).
pub(super) fn as_toml(text: &str) -> String {
    let mut written = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => written.extend(['\\', letter]),
            _ if letter.is_control() => written += &format!("\\u{:04X}", u32::from(letter)),
            _ => written.push(letter),
        }
    }
    written + "\""
}

/// Names as a list that can be read out: `"a", "b" or "c"`.
pub(super) fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| quote(name)).collect();
    match quoted.split_last() {
        None => "nothing".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}
