//! The names and values of one Redis: which words there are, and how a value
//! becomes a cell and is written again.

use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::system::Cell;

/// A short text that is held in place, so that an answer needs no heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    bytes: [u8; Text::MOST],
    length: u8,
}

impl Text {
    /// The longest text, in bytes: as long as the longest integer.
    pub const MOST: usize = 20;

    /// Takes a text; `None` if it is longer than [`Text::MOST`] bytes.
    pub fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { bytes, length: text.len() as u8 })
    }

    /// A number, in digits.
    fn of_number(mut number: u16) -> Self {
        let mut text = Self { bytes: [0; Self::MOST], length: 0 };
        let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
        for byte in text.bytes[..digits].iter_mut().rev() {
            *byte = b'0' + (number % 10) as u8;
            number /= 10;
        }
        text.length = digits as u8;
        text
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length.into()).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A key of one Redis, by its place in the list that it was made with. It means
/// nothing to another Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(pub(super) u8);

/// A set of keys of one Redis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys(pub(super) u16);

impl Keys {
    pub(super) fn of(key: Key) -> Self {
        Self(1 << key.0)
    }

    pub(super) fn has(self, key: Key) -> bool {
        self.0 & Self::of(key).0 != 0
    }

    pub(super) fn with(self, key: Key) -> Self {
        Self(self.0 | Self::of(key).0)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Key> {
        (0..MOST_KEYS as u8).map(Key).filter(move |&key| self.has(key))
    }
}

/// A value of one Redis: the empty string, a word of the list that it was made
/// with, or a number from 0 to [`Value::LARGEST_NUMBER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value(Cell);

/// How many keys a Redis can have: a set of them is one cell.
pub const MOST_KEYS: usize = 16;
/// How many words a Redis can have.
pub const MOST_WORDS: usize = 254;

// What a cell says: 0 is no value, then come the empty string, the words, the numbers.
const FIRST_WORD: Cell = 2;
const FIRST_NUMBER: Cell = FIRST_WORD + MOST_WORDS as Cell;

impl Value {
    /// The empty string.
    pub const EMPTY: Self = Self(1);
    /// The largest number that isn't a word of the list.
    pub const LARGEST_NUMBER: u16 = Cell::MAX - FIRST_NUMBER;

    /// A number as a value; `None` above [`Value::LARGEST_NUMBER`].
    pub fn number(number: u16) -> Option<Self> {
        FIRST_NUMBER.checked_add(number).map(Self)
    }

    pub(super) fn to_cell(self) -> Cell {
        self.0
    }

    pub(super) fn from_cell(cell: Cell) -> Option<Self> {
        (cell != 0).then_some(Self(cell))
    }
}

/// Why a Redis can't be made with these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesError {
    /// There are more keys than [`MOST_KEYS`].
    TooManyKeys,
    /// There are more words than [`MOST_WORDS`].
    TooManyWords,
    /// A name is empty, has a space in it, or is longer than [`Text::MOST`] bytes.
    BadName,
}

/// The keys and the words that one Redis knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    keys: Vec<Text>,
    words: Vec<Text>,
}

impl Names {
    pub(super) fn new(keys: &[&str], words: &[&str]) -> Result<Self, NamesError> {
        if keys.len() > MOST_KEYS {
            return Err(NamesError::TooManyKeys);
        }
        if words.len() > MOST_WORDS {
            return Err(NamesError::TooManyWords);
        }
        let text = |name: &&str| {
            let is_one_word = !name.is_empty() && !name.contains(char::is_whitespace);
            Text::new(name).filter(|_| is_one_word).ok_or(NamesError::BadName)
        };
        Ok(Self {
            keys: keys.iter().map(text).collect::<Result<_, _>>()?,
            words: words.iter().map(text).collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn key_count(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn key(&self, name: &str) -> Option<Key> {
        self.keys.iter().position(|key| key.as_str() == name).map(|place| Key(place as u8))
    }

    /// Reads a value as a client writes it; `""` is the empty string.
    pub(super) fn value(&self, text: &str) -> Option<Value> {
        if text == "\"\"" {
            return Some(Value::EMPTY);
        }
        let number = integer(text).and_then(|number| u16::try_from(number).ok()).and_then(Value::number);
        let word = || self.words.iter().position(|word| word.as_str() == text);
        number.or_else(|| word().map(|place| Value(FIRST_WORD + place as Cell)))
    }

    /// What a value is as an integer, if it is one.
    pub(super) fn integer(&self, value: Value) -> Option<i64> {
        match value.0.checked_sub(FIRST_NUMBER) {
            Some(number) => Some(number.into()),
            None => integer(self.word(value)?.as_str()),
        }
    }

    /// The value that an integer is; `None` if it is neither small nor one of the words.
    pub(super) fn value_of(&self, number: i64) -> Option<Value> {
        let small = u16::try_from(number).ok().and_then(Value::number);
        let word = || self.words.iter().position(|word| integer(word.as_str()) == Some(number));
        small.or_else(|| word().map(|place| Value(FIRST_WORD + place as Cell)))
    }

    /// A value as it is written.
    pub(super) fn text(&self, value: Value) -> Text {
        match value.0.checked_sub(FIRST_NUMBER) {
            Some(number) => Text::of_number(number),
            None => self.word(value).unwrap_or(Text { bytes: [0; Text::MOST], length: 0 }),
        }
    }

    /// A word of the list; `None` for the empty string, a number, and a word of another Redis.
    fn word(&self, value: Value) -> Option<Text> {
        value.0.checked_sub(FIRST_WORD).and_then(|place| self.words.get(usize::from(place)).copied())
    }
}

/// Reads an integer as Redis does: no sign but `-`, no leading zeros, no spaces.
/// See `string2ll` in <https://github.com/redis/redis/blob/7.0.15/src/util.c>.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = match digits.as_bytes() {
        [b'0'] => text == "0",
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    text.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_integers_are_numbers() {
        for (text, number) in [("0", 0), ("-1", -1), ("10", 10), ("9223372036854775807", i64::MAX)] {
            assert_eq!(integer(text), Some(number));
        }
        for text in ["", "-", "-0", "01", "+1", " 1", "1 ", "9223372036854775808", "1.0", "abc"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn one_integer_is_one_value_however_it_came() {
        let names = Names::new(&["l"], &["a", "9007199254740992", "7"]).unwrap();
        for number in [0, 7, i64::from(Value::LARGEST_NUMBER), 9_007_199_254_740_992] {
            let value = names.value_of(number).unwrap();
            assert_eq!(names.integer(value), Some(number));
            assert_eq!(names.value(names.text(value).as_str()), Some(value));
        }
        assert_eq!(names.value("7"), Value::number(7));
        assert_eq!(names.value("65280"), None);
        assert_eq!(names.value("b"), None);
        assert_eq!(names.integer(names.value("a").unwrap()), None);
    }

    #[test]
    fn names_that_do_not_fit_are_refused() {
        assert_eq!(Names::new(&["k"; 17], &[]), Err(NamesError::TooManyKeys));
        assert_eq!(Names::new(&[], &["w"; 255]), Err(NamesError::TooManyWords));
        for name in ["", "a b", "abcdefghijklmnopqrstu"] {
            assert_eq!(Names::new(&[name], &[]), Err(NamesError::BadName));
            assert_eq!(Names::new(&[], &[name]), Err(NamesError::BadName));
        }
    }
}
