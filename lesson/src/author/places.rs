//! Where the fields of a lesson are in its files, for what only a run can show.
//!
//! Reading complains with the field in hand. A run knows only the [`Lesson`], which
//! has no places, so they stand here, by the names that mistakes have for fields.
//!
//! [`Lesson`]: crate::Lesson

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::field::Field;

/// Where everything is that a run can contradict, as lines counted from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Each field of `lesson.toml`, such as `variants[2].violates[1]`.
    pub fields: BTreeMap<String, usize>,
    /// Each moment in `lesson.md`, in the order of the text.
    pub moments: Vec<MomentPlace>,
}

/// Where a moment of the text is.
#[derive(Clone, Debug, Default)]
pub(super) struct MomentPlace {
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

    /// Notes where a field is, and all that is in it. Only for a file without
    /// mistakes: its tables are no deeper than the format lets them be.
    pub fn note(&mut self, field: &Field) {
        self.fields.insert(field.path.clone(), field.source.line(field.at));
        match field.value {
            DeValue::Array(_) => {
                for field in field.elements() {
                    self.note(&field);
                }
            }
            DeValue::Table(_) => {
                for (_, field) in field.table().map(|fields| fields.all()).unwrap_or_default() {
                    self.note(&field);
                }
            }
            _ => {}
        }
    }
}
