//! A file of a lesson while it is read, and the mistakes found in it so far.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

use super::cause::Cause;
use super::mistake::{Complaint, Mistake};

/// The largest file that is read, in bytes. Lessons are text that a person reads.
const MOST_BYTES: u64 = 256 * 1024;

/// The most mistakes that are noted in a file; nobody reads more at once.
const MOST_MISTAKES: usize = 100;

/// Of what a file is a part, which decides how it is mended as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Lesson,
    Scenario,
    Matrix,
}

/// A file that an author wrote.
pub(super) struct Source {
    file: String,
    text: String,
    /// Where each line but the first begins, in bytes.
    lines: Vec<usize>,
    mistakes: RefCell<Vec<Noted>>,
}

/// A mistake, and what it follows from if that isn't right.
struct Noted {
    mistake: Mistake,
    cause: Option<Cause>,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// The file is missing, too large, no text, or something else than a file.
    pub fn read(path: &Path, whole: Whole) -> Result<Self, Mistake> {
        let file = shown(path);
        let bytes = read_at_most(path, whole).map_err(|complaint| whole_file(&file, complaint))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let line = line_after(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
            let complaint = Complaint::new("this is not UTF-8 text", "Save the file as UTF-8.");
            Mistake { line: Some(line), ..whole_file(&file, complaint) }
        })?;
        Ok(Self::of(file, text))
    }

    /// A text that is there already, under a name.
    pub fn of(file: String, text: String) -> Self {
        let lines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1).collect();
        Self { file, text, lines, mistakes: RefCell::default() }
    }

    /// What the file says.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Notes a mistake at a place, in bytes from the start of the file. Those beyond
    /// the hundredth are left out.
    pub fn report(&self, at: usize, field: &str, complaint: Complaint) {
        self.note(at, field, complaint, None);
    }

    /// Notes a mistake that isn't told if one is found in what defines the names that
    /// this field refers to.
    pub fn report_unless(&self, at: usize, field: &str, complaint: Complaint, cause: Cause) {
        self.note(at, field, complaint, Some(cause));
    }

    fn note(&self, at: usize, field: &str, complaint: Complaint, cause: Option<Cause>) {
        if self.mistakes() >= MOST_MISTAKES {
            return;
        }
        let line = Some(self.line(at));
        let mistake = Mistake { file: self.file.clone(), line, field: field.to_string(), complaint };
        self.mistakes.borrow_mut().push(Noted { mistake, cause });
    }

    /// The line of a place, which is in bytes from the start of the file. Lines are
    /// counted from 1.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at) + 1
    }

    /// How many mistakes were found so far.
    pub fn mistakes(&self) -> usize {
        self.mistakes.borrow().len()
    }

    /// All mistakes but those that only follow from others, each once, in the order of
    /// lines.
    pub fn into_mistakes(self) -> Vec<Mistake> {
        let noted = self.mistakes.into_inner();
        let mut mistakes: Vec<Mistake> = Vec::new();
        for Noted { mistake, cause } in &noted {
            let causes = |other: &Noted| {
                other.cause.is_none() && cause.is_some_and(|cause| cause.is_in(&other.mistake.field, &mistake.field))
            };
            if !mistakes.contains(mistake) && !noted.iter().any(causes) {
                mistakes.push(mistake.clone());
            }
        }
        mistakes.sort_by_key(|mistake| mistake.line);
        mistakes
    }
}

/// The line on which these bytes end, counted from 1.
fn line_after(bytes: &[u8]) -> usize {
    bytes.split(|&byte| byte == b'\n').count()
}

/// A mistake that concerns a file as a whole.
pub(super) fn whole_file(file: &str, complaint: Complaint) -> Mistake {
    Mistake { file: file.to_string(), line: None, field: String::new(), complaint }
}

/// A path as people are told of it: on one line, whatever its name holds.
pub fn shown(path: &Path) -> String {
    let escaped = |letter: char| if letter.is_control() { letter.escape_default().to_string() } else { letter.into() };
    path.display().to_string().chars().map(escaped).collect()
}

fn read_at_most(path: &Path, whole: Whole) -> Result<Vec<u8>, Complaint> {
    let cannot = |error: Error| why_unreadable(&error, whole);
    // Only a file has an end: opening a pipe would wait for somebody who writes.
    let kind = fs::metadata(path).map_err(cannot)?.file_type();
    if !kind.is_file() {
        let is = if kind.is_dir() { "a folder" } else { "a pipe, a device or the like" };
        return Err(Complaint::new(format!("this is {is} and not a file"), "Name a file of text."));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(cannot)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MOST_BYTES {
        let cure = match whole {
            Whole::Lesson => "Split the lesson in two.",
            Whole::Scenario => "Split the scenario in two.",
            Whole::Matrix => "Take rows or columns out.",
        };
        return Err(Complaint::new("the file is larger than 256 KiB", cure));
    }
    Ok(bytes)
}

fn why_unreadable(error: &Error, whole: Whole) -> Complaint {
    match (error.kind(), whole) {
        (ErrorKind::NotFound, Whole::Lesson) => {
            Complaint::new("the file is missing", "Write it; every lesson needs one.")
        }
        (ErrorKind::NotFound, Whole::Scenario) => {
            Complaint::new("there is no such file", "Name a scenario file, whose name ends in .toml.")
        }
        (ErrorKind::NotFound, Whole::Matrix) => {
            Complaint::new("the file is missing", "Write it; it names the rows and the columns.")
        }
        (ErrorKind::PermissionDenied, _) => {
            Complaint::new("you may not read this file", "Change its permissions, or those of its folder.")
        }
        _ => Complaint::new(format!("the file can't be read: {error}"), "Look at its name and its permissions."),
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, ErrorKind, Path, Whole, shown, why_unreadable};

    #[test]
    fn what_keeps_a_file_from_being_read_is_told_with_its_cure() {
        let check = |kind, whole, told| assert_eq!(why_unreadable(&Error::from(kind), whole).to_string(), told);
        check(ErrorKind::NotFound, Whole::Lesson, "the file is missing. Write it; every lesson needs one.");
        let scenario = "there is no such file. Name a scenario file, whose name ends in .toml.";
        check(ErrorKind::NotFound, Whole::Scenario, scenario);
        let denied = "you may not read this file. Change its permissions, or those of its folder.";
        check(ErrorKind::PermissionDenied, Whole::Scenario, denied);
    }

    #[test]
    fn a_path_is_told_on_one_line() {
        assert_eq!(shown(Path::new("caf\u{e9}/two\nlines.toml")), "caf\u{e9}/two\\nlines.toml");
    }
}
