//! Names that fit a system's cells: short words, and the keys that a system knows.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::system::Cell;

/// A value or an id as callers write it: one to three characters out of `a-z`,
/// `0-9`, `-`, `_` and `.`, so that it fits one cell and can be written again.
/// Words are ordered by their bytes, as strings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(Cell);

/// The characters of words, in the order of ASCII.
const LETTERS: &[u8; 39] = b"-.0123456789_abcdefghijklmnopqrstuvwxyz";
/// What a letter counts at each place. A digit of 0 is the end of a shorter word.
const PLACES: [Cell; 3] = [BASE * BASE, BASE, 1];
const BASE: Cell = LETTERS.len() as Cell + 1;

impl Word {
    /// Reads a word; `None` if it is empty, longer, or has another character.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > PLACES.len() {
            return None;
        }
        let digit = |letter: u8| LETTERS.iter().position(|&known| known == letter).map(|at| at as Cell + 1);
        let mut letters = text.bytes().zip(PLACES);
        letters.try_fold(0, |word, (letter, place)| Some(word + digit(letter)? * place)).map(Self)
    }

    /// The word that a cell holds; `None` for 0, which stands for no word.
    pub fn from_cell(cell: Cell) -> Option<Self> {
        (cell != 0).then_some(Self(cell))
    }

    /// The word as a cell, which is never 0.
    pub fn to_cell(self) -> Cell {
        self.0
    }

    /// Its letters in ASCII; `None` stands behind the last one of a shorter word.
    pub fn letters(self) -> [Option<u8>; 3] {
        PLACES.map(|place| {
            let digit = (self.0 / place % BASE).checked_sub(1)?;
            LETTERS.get(usize::from(digit)).copied()
        })
    }

    /// A word or none as a cell, where none is 0.
    pub fn cell_of(word: Option<Self>) -> Cell {
        word.map_or(0, Self::to_cell)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.letters().into_iter().flatten().try_for_each(|letter| write!(f, "{}", char::from(letter)))
    }
}

/// The keys that a system knows, in the order of their cells. A command that names
/// another key can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys(Vec<String>);

impl Keys {
    /// Keys by their names.
    pub fn new(names: &[&str]) -> Self {
        Self(names.iter().map(ToString::to_string).collect())
    }

    /// Which key a name is, counted from 0.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|known| known == name)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// Writes spaces around each of these marks, so that a text can be split at spaces.
pub(super) fn spaced(text: &str, marks: &str) -> String {
    let mut spaced = String::new();
    for letter in text.chars() {
        if marks.contains(letter) {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
    }
    spaced
}

/// A number from 0 to 65,534, which leaves 0 as the mark of no number: see [`number_cell`].
pub(super) fn number(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    text.parse().ok().filter(|&number| digits && number < u16::MAX)
}

/// A number or none as a cell: one more than the number, or 0.
pub(super) fn number_cell(number: Option<u16>) -> Cell {
    number.map_or(0, |number| number.saturating_add(1))
}

/// What [`number_cell`] has written.
pub(super) fn number_from(cell: Cell) -> Option<u16> {
    cell.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_written_as_it_was_read() {
        for text in ["a", "z9", "t-1", "...", "a.b", "0"] {
            let word = Word::parse(text).unwrap();
            assert_eq!(word.to_string(), text);
            assert_eq!(Word::from_cell(word.to_cell()), Some(word));
        }
    }

    #[test]
    fn words_are_ordered_as_strings_are() {
        let words = ["-", "0", "a", "a-", "aa", "ab", "b", "zz."];
        let cells: Vec<Cell> = words.iter().map(|word| Word::parse(word).unwrap().to_cell()).collect();
        assert!(words.is_sorted() && cells.is_sorted(), "{cells:?}");
    }

    #[test]
    fn what_is_no_word_is_refused() {
        for text in ["", "abcd", "A", "a b", "é"] {
            assert_eq!(Word::parse(text), None);
        }
        assert_eq!(Word::from_cell(0), None);
    }

    #[test]
    fn numbers_and_their_absence_differ() {
        assert_eq!(number_from(number_cell(None)), None);
        assert_eq!(number_from(number_cell(Some(0))), Some(0));
        assert_eq!(number("65534"), Some(65534));
        assert_eq!(number("65535"), None);
        assert_eq!(number("+1"), None);
    }
}
