//! What reading gives: a lesson with its places, and all lessons of a folder.

use std::path::PathBuf;

use super::mistake::{Complaint, Mistake};
use super::places::{Places, TextPlace};
use crate::{Lesson, Library};

/// The file with all but the text.
pub(super) const TOML: &str = "lesson.toml";

/// The file with the text.
pub(super) const TEXT: &str = "lesson.md";

/// A lesson as it was read: it may still say what its runs don't show, which
/// [`prove`](super::prove()) finds.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The lesson.
    pub lesson: Lesson,
    /// Its folder, as it was named.
    pub folder: PathBuf,
    /// Its place among all lessons.
    pub(super) order: u16,
    /// Where its fields are.
    pub(super) places: Places,
}

/// What a folder of lessons holds.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// The lessons without a mistake, in their order.
    pub drafts: Vec<Draft>,
    /// How many entries of the folder are no such lesson.
    pub bad: usize,
    /// All mistakes in those.
    pub mistakes: Vec<Mistake>,
}

impl Draft {
    /// A mistake at a field of `lesson.toml`.
    pub(super) fn mistake(&self, field: &str, complaint: Complaint) -> Mistake {
        let file = self.folder.join(TOML).display().to_string();
        Mistake { file, line: self.places.line(field), field: field.to_string(), complaint }
    }

    /// A mistake at a moment of `lesson.md`, by its place among all moments.
    pub(super) fn mistake_at_moment(&self, place: usize, complaint: Complaint) -> Mistake {
        self.mistake_in_text(self.places.moments.get(place), complaint)
    }

    /// A mistake at a link to a lesson in `lesson.md`, by its place among all of them.
    pub(super) fn mistake_at_link(&self, place: usize, complaint: Complaint) -> Mistake {
        self.mistake_in_text(self.places.lessons.get(place).map(|(_, place)| place), complaint)
    }

    fn mistake_in_text(&self, place: Option<&TextPlace>, complaint: Complaint) -> Mistake {
        let file = self.folder.join(TEXT).display().to_string();
        let field = place.map_or("", |place| place.section).to_string();
        Mistake { file, line: place.map(|place| place.line), field, complaint }
    }
}

impl Shelf {
    /// The lessons that can be read, for the app to carry.
    pub fn library(&self) -> Library {
        Library { lessons: self.drafts.iter().map(|draft| draft.lesson.clone()).collect() }
    }

    /// Notes an entry that is no lesson, and why.
    pub(super) fn refuse(&mut self, mistakes: impl IntoIterator<Item = Mistake>) {
        self.bad += 1;
        self.mistakes.extend(mistakes);
    }
}
