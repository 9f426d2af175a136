//! A file of a lesson while it is read, and the mistakes found in it so far.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::mistake::{Complaint, Mistake};

/// The largest file that is read, in bytes. Lessons are text that a person reads.
const MOST_BYTES: u64 = 256 * 1024;

/// The most mistakes that are noted in a file; nobody reads more at once.
const MOST_MISTAKES: usize = 100;

/// A file of a lesson.
pub(super) struct Source {
    file: String,
    text: String,
    /// Where each line but the first begins, in bytes.
    lines: Vec<usize>,
    mistakes: RefCell<Vec<Mistake>>,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// The file is missing, too large, or no text.
    pub fn read(path: &Path) -> Result<Self, Mistake> {
        let file = path.display().to_string();
        let bytes = read_at_most(path).map_err(|complaint| whole_file(&file, complaint))?;
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
        if self.mistakes() >= MOST_MISTAKES {
            return;
        }
        let line = Some(self.line(at));
        let mistake = Mistake { file: self.file.clone(), line, field: field.to_string(), complaint };
        self.mistakes.borrow_mut().push(mistake);
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

    /// All mistakes, each once, in the order of lines.
    pub fn into_mistakes(self) -> Vec<Mistake> {
        let mut mistakes: Vec<Mistake> = Vec::new();
        for mistake in self.mistakes.into_inner() {
            if !mistakes.contains(&mistake) {
                mistakes.push(mistake);
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

fn read_at_most(path: &Path) -> Result<Vec<u8>, Complaint> {
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Complaint::new("the file is missing", "Write it; every lesson needs one."),
        _ => Complaint::new(format!("the file can't be read: {error}"), "Look at its name and its permissions."),
    };
    let mut bytes = Vec::new();
    File::open(path).map_err(cannot)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Complaint::new("the file is larger than 256 KiB", "Split the lesson in two."));
    }
    Ok(bytes)
}
