//! Labels: words twice as long as a cell's, for the names of nodes, keys and data.

use core::fmt;

use super::names::Word;
use crate::system::Cell;

/// A word of at most [`Label::MOST`] characters out of `a-z`, `0-9`, `-`, `_` and `.`,
/// or of none.
///
/// Two cells hold it, so that a state keeps what clients chose without a table of
/// names, and can write it again. Labels are ordered as text is, by their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label([Option<Word>; 2]);

impl Label {
    /// The longest label, in characters.
    pub const MOST: usize = 6;
    /// How many characters a cell holds.
    const IN_CELL: usize = 3;
    /// The label without a character.
    pub const EMPTY: Self = Self([None; 2]);

    /// Reads a label; `None` if it is empty, too long, or has another character.
    pub fn parse(text: &str) -> Option<Self> {
        let (first, second) = text.split_at_checked(Self::IN_CELL).unwrap_or((text, ""));
        let second = if second.is_empty() { None } else { Some(Word::parse(second)?) };
        Some(Self([Some(Word::parse(first)?), second]))
    }

    /// The label that two cells hold.
    pub fn from_cells(cells: [Cell; 2]) -> Self {
        Self(cells.map(Word::from_cell))
    }

    /// The two cells that hold it.
    pub fn cells(self) -> [Cell; 2] {
        self.0.map(Word::cell_of)
    }

    /// Whether it has no character.
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().flatten().try_for_each(|word| write!(f, "{word}"))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_label_is_written_as_it_was_read() {
        for text in ["a", "abc", "lock-", "stock", "v1.0_z", "------"] {
            let label = Label::parse(text).expect("it is one");
            assert_eq!(label.to_string(), text);
            assert_eq!(Label::from_cells(label.cells()), label);
        }
    }

    #[test]
    fn what_is_no_label_is_refused() {
        for text in ["", "sevenly", "A", "abcD", "a b", "é", "aé", "aaé"] {
            assert_eq!(Label::parse(text), None, "{text}");
        }
    }

    #[test]
    fn labels_are_ordered_as_text() {
        let texts = ["-", "10", "9", "_", "a", "aa", "ab", "abc", "abcd", "abd", "b"];
        assert!(texts.is_sorted());
        assert!(texts.map(Label::parse).is_sorted());
        assert!(Some(Label::EMPTY) < Label::parse("-"));
    }
}
