//! Where the fields of a lesson are in its files, for what only a run can show.
//!
//! Reading complains with the field in hand. A run knows only the [`Lesson`], which
//! has no places, so they stand here, by the names that mistakes have for fields.
//!
//! [`Lesson`]: crate::Lesson

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::source::Source;
use super::table::join;

/// Where everything is that a run can contradict, as lines counted from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Each field of `lesson.toml`, such as `variants[2].violates[1]`.
    pub fields: BTreeMap<String, usize>,
    /// The name of the table of each node, in the order of the lanes.
    pub nodes: Vec<String>,
    /// Each moment in `lesson.md`, in the order of the text.
    pub moments: Vec<TextPlace>,
    /// Each lesson to which `lesson.md` links, in the order of the text.
    pub lessons: Vec<(String, TextPlace)>,
}

/// Where something is in the text.
#[derive(Clone, Debug, Default)]
pub(super) struct TextPlace {
    /// The section, as its heading calls it.
    pub section: &'static str,
    /// The line.
    pub line: usize,
}

impl Places {
    /// The line of a field of `lesson.toml`, or of what it would stand in.
    pub fn line(&self, field: &str) -> Option<usize> {
        let mut path = field;
        loop {
            if let Some(line) = self.fields.get(path) {
                return Some(*line);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// Notes where the fields of a table are, and all that is in them. Only for a file
    /// without mistakes: its tables are no deeper than the format lets them be.
    pub fn note_all(&mut self, source: &Source, path: &str, table: &DeTable) {
        for (key, value) in table {
            let path = join(path, key.get_ref());
            self.fields.insert(path.clone(), source.line(key.span().start));
            self.note_inside(source, &path, value.get_ref());
        }
    }

    fn note_inside(&mut self, source: &Source, path: &str, value: &DeValue) {
        match value {
            DeValue::Table(table) => self.note_all(source, path, table),
            DeValue::Array(array) => {
                for (place, element) in (1..).zip(array.iter()) {
                    let path = format!("{path}[{place}]");
                    self.fields.insert(path.clone(), source.line(element.span().start));
                    self.note_inside(source, &path, element.get_ref());
                }
            }
            _ => {}
        }
    }
}
