//! Text with places for the values that a program keeps: commands, and the answers that
//! are expected.
//!
//! | written | in a command | in an expected answer |
//! |---|---|---|
//! | `$me` | the client's letter, in lower case | the same |
//! | `$n` | the number `n` | a number, which is kept as `n` |
//! | `$n+1` | the number `n` plus one | |
//! | `$n:10` | the number `n` with ten digits | |
//! | `@w` | the word `w` | a word of one to three letters, which is kept as `w` |
//! | `%n` | | the value that `n` has already |
//! | `*` | itself | anything |

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::fitting::fits;
use super::scenario::Register;
use super::world::Cell;
use crate::system::names::Word;

/// Text with places for values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template(Vec<Piece>);

/// A part of a text: as it stands, or the place of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Piece {
    Text(String),
    Me,
    Number { register: Register, add: u16, digits: u8 },
    Word(Register),
    SameNumber(Register),
    SameWord(Register),
    Anything,
}

/// Why a template can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// It names a value that the program doesn't keep.
    NoSuchValue(String),
    /// A `$`, `@` or `%` with no name behind it.
    NoName(char),
    /// An answer that reckons: `$n+1` and `$n:10` have a meaning in commands only.
    Reckons(String),
    /// An answer that gives two values with nothing between them.
    NothingBetween,
}

impl Template {
    /// Reads a command. `values` are the names of the registers; those of words begin with `@`.
    ///
    /// # Errors
    /// If it names a value that isn't among them, or names none behind its mark.
    pub fn command(text: &str, values: &[&str]) -> Result<Self, TemplateError> {
        Self::parse(text, values, false)
    }

    /// Reads an answer that is expected.
    ///
    /// # Errors
    /// If it names a value that isn't among them, or names none behind its mark.
    pub fn answer(text: &str, values: &[&str]) -> Result<Self, TemplateError> {
        Self::parse(text, values, true)
    }

    fn parse(text: &str, values: &[&str], is_answer: bool) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(mark) = rest.chars().next() {
            let behind = &rest[mark.len_utf8()..];
            let (piece, after) = match mark {
                '*' if is_answer => (Piece::Anything, behind),
                '$' | '@' => value(mark, behind, values)?,
                '%' if is_answer => value(mark, behind, values)?,
                _ => {
                    let end = rest.char_indices().skip(1).find(|&(_, other)| is_mark(other, is_answer));
                    let (text, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
                    (Piece::Text(text.to_string()), after)
                }
            };
            if is_answer {
                if let Piece::Number { add: 1.., .. } | Piece::Number { digits: 1.., .. } = piece {
                    return Err(TemplateError::Reckons(rest[..rest.len() - after.len()].to_string()));
                }
                if pieces.last().is_some_and(Piece::gives) && piece.gives() {
                    return Err(TemplateError::NothingBetween);
                }
            }
            pieces.push(piece);
            rest = after;
        }
        Ok(Self(pieces))
    }

    /// The names of the values that a text mentions, with the `@` of words and
    /// without `me`. In an answer these are the values that it gives.
    pub fn names(text: &str) -> Vec<&str> {
        let mut names = Vec::new();
        for (at, mark) in text.char_indices().filter(|&(_, mark)| mark == '$' || mark == '@') {
            let name = name_at(&text[at + 1..]);
            if name.is_empty() || (name == "me" && mark == '$') {
                continue;
            }
            let whole = if mark == '@' { &text[at..=at + name.len()] } else { name };
            if !names.contains(&whole) {
                names.push(whole);
            }
        }
        names
    }

    /// Whether it is an answer that fits any text.
    pub fn is_anything(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|piece| *piece == Piece::Anything)
    }

    /// The registers that it mentions, each once, in order.
    pub fn registers(&self) -> Vec<Register> {
        let mut registers = Vec::new();
        for piece in &self.0 {
            if let Piece::Number { register, .. }
            | Piece::Word(register)
            | Piece::SameNumber(register)
            | Piece::SameWord(register) = *piece
                && !registers.contains(&register)
            {
                registers.push(register);
            }
        }
        registers
    }

    /// The registers to which it gives a value, if it is an answer.
    pub fn given(&self) -> impl Iterator<Item = Register> + '_ {
        self.0.iter().filter_map(|piece| match *piece {
            Piece::Number { register, .. } | Piece::Word(register) => Some(register),
            _ => None,
        })
    }

    /// The registers whose values it compares, if it is an answer.
    pub fn compared(&self) -> impl Iterator<Item = Register> + '_ {
        self.0.iter().filter_map(|piece| match *piece {
            Piece::SameNumber(register) | Piece::SameWord(register) => Some(register),
            _ => None,
        })
    }

    /// The text with the values of a client.
    pub fn write(&self, me: char, value: &dyn Fn(Register) -> Cell) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            piece.write(me, value, &mut text);
        }
        text
    }

    /// The text with the names of the values in it, as its author wrote it, but for the
    /// client's letter. `names` are those of the registers.
    pub fn named(&self, me: char, names: &[String]) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            let name = |register: &Register| names.get(usize::from(*register)).map_or("", String::as_str);
            match piece {
                Piece::Number { register, add, .. } => {
                    text.push('$');
                    text.push_str(name(register));
                    if *add != 0 {
                        text += &format!("+{add}");
                    }
                }
                Piece::Word(register) | Piece::SameNumber(register) | Piece::SameWord(register) => {
                    text.push('$');
                    text.push_str(name(register).trim_start_matches('@'));
                }
                Piece::Anything => text.push('…'),
                plain => plain.write(me, &|_| 0, &mut text),
            }
        }
        text
    }

    /// Whether a text is this answer, and the values that it gives: each register with its value.
    pub fn read(&self, text: &str, me: char, value: &dyn Fn(Register) -> Cell) -> Option<Vec<(Register, Cell)>> {
        let mut given = Vec::new();
        fits(&self.0, text, me, value, &mut given).then_some(given)
    }
}

impl Piece {
    /// Whether it gives a value in an answer.
    fn gives(&self) -> bool {
        matches!(self, Self::Number { .. } | Self::Word(_))
    }

    pub(super) fn write(&self, me: char, value: &dyn Fn(Register) -> Cell, text: &mut String) {
        let written = match self {
            Self::Text(own) => {
                text.push_str(own);
                Ok(())
            }
            Self::Me => {
                text.push(me.to_ascii_lowercase());
                Ok(())
            }
            Self::Number { register, add, digits } => {
                let number = value(*register).wrapping_add(*add);
                write!(text, "{number:0digits$}", digits = usize::from(*digits))
            }
            Self::SameNumber(register) => write!(text, "{}", value(*register)),
            Self::Word(register) | Self::SameWord(register) => match Word::from_cell(value(*register)) {
                Some(word) => write!(text, "{word}"),
                None => Ok(()),
            },
            Self::Anything => Ok(()),
        };
        debug_assert!(written.is_ok(), "writing to a string can't fail");
    }
}

fn is_mark(letter: char, is_answer: bool) -> bool {
    matches!(letter, '$' | '@') || (is_answer && matches!(letter, '%' | '*'))
}

/// The name at the start of a text.
fn name_at(text: &str) -> &str {
    let length = text.bytes().take_while(|letter| letter.is_ascii_lowercase() || *letter == b'_').count();
    &text[..length]
}

/// A value behind its mark, and what follows it.
fn value<'t>(mark: char, text: &'t str, values: &[&str]) -> Result<(Piece, &'t str), TemplateError> {
    let name = name_at(text);
    let rest = &text[name.len()..];
    if name.is_empty() {
        return Err(TemplateError::NoName(mark));
    }
    if mark == '$' && name == "me" {
        return Ok((Piece::Me, rest));
    }
    let place = |name: &str| values.iter().position(|known| *known == name).map(|place| place as Register);
    let word = place(&format!("@{name}"));
    let none = || TemplateError::NoSuchValue(name.to_string());
    match mark {
        '@' => Ok((Piece::Word(word.ok_or_else(none)?), rest)),
        '%' => match (place(name), word) {
            (Some(number), _) => Ok((Piece::SameNumber(number), rest)),
            (None, Some(word)) => Ok((Piece::SameWord(word), rest)),
            (None, None) => Err(none()),
        },
        _ => {
            let register = place(name).ok_or_else(none)?;
            let (add, rest) = suffix(rest, '+');
            let (digits, rest) = suffix(rest, ':');
            Ok((Piece::Number { register, add, digits: digits.min(10) as u8 }, rest))
        }
    }
}

/// A number behind a sign, or 0 and the text as it was.
fn suffix(text: &str, sign: char) -> (u16, &str) {
    let number = text.strip_prefix(sign).map(|rest| {
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest.split_at(length)
    });
    match number.and_then(|(digits, rest)| Some((digits.parse().ok()?, rest))) {
        Some(read) => read,
        None => (0, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [&str; 3] = ["n", "seq", "@w"];

    fn written(text: &str, values: [Cell; 3]) -> String {
        Template::command(text, &VALUES).expect("it is one").write('B', &|register| values[usize::from(register)])
    }

    fn read(answer: &str, text: &str) -> Option<Vec<(Register, Cell)>> {
        Template::answer(answer, &VALUES).expect("it is one").read(text, 'B', &|_| 7)
    }

    #[test]
    fn a_command_carries_the_values_of_its_client() {
        let word = Word::parse("abc").expect("it is one").to_cell();
        assert_eq!(written("SET lock $me NX PX 3000", [0; 3]), "SET lock b NX PX 3000");
        assert_eq!(written("SET stock $n+1 $n", [41, 0, 0]), "SET stock 42 41");
        assert_eq!(written("get /lock/x-$seq:10, @w", [0, 3, word]), "get /lock/x-0000000003, abc");
        assert_eq!(written("SELECT * FROM t", [0; 3]), "SELECT * FROM t");
    }

    #[test]
    fn an_answer_gives_values() {
        assert_eq!(read("+OK", "+OK"), Some(Vec::new()));
        assert_eq!(read("+OK", "+OK then"), None);
        assert_eq!(read("lease-$n fence-$seq", "lease-1 fence-12"), Some(alloc::vec![(0, 1), (1, 12)]));
        assert_eq!(read("*revision $n", "succeeded true, revision 2"), Some(alloc::vec![(0, 2)]));
        assert_eq!(read("$n", "65536"), None, "it doesn't fit a cell");
        assert_eq!(read("{v=$n owner=$me}", "{v=7 owner=b}"), Some(alloc::vec![(0, 7)]));
        assert_eq!(read("v=%n", "v=7"), Some(Vec::new()));
        assert_eq!(read("v=%n", "v=8"), None);
        assert_eq!(read("[lock-%n, *]", "[lock-0000000007, lock-0000000008]"), Some(Vec::new()));
        let word = Word::parse("s1").expect("it is one").to_cell();
        assert_eq!(read("{\"ID\":\"@w\"}", "{\"ID\":\"s1\"}"), Some(alloc::vec![(2, word)]));
        assert_eq!(read("* x$n *", "a x1 x2 b"), Some(alloc::vec![(0, 1)]), "the first that fits");
        assert_eq!(read("*r$n", "r1 r2"), Some(alloc::vec![(0, 2)]), "the one that ends the text");
        assert_eq!(read("a*a", "a"), None);
        assert_eq!(read("**", ""), Some(Vec::new()));
        assert_eq!(read("*b*", "abc"), Some(Vec::new()));
    }

    #[test]
    fn many_stars_take_no_time() {
        let text = "r".repeat(2_000);
        assert_eq!(read(&"*r*".repeat(200), &text), Some(Vec::new()));
        assert_eq!(read(&("*r".repeat(200) + "*Z"), &text), None);
        assert_eq!(read(&("*".repeat(2_000) + "Z"), &text), None);
    }

    #[test]
    fn what_it_names_must_be_there() {
        let error = |text| Template::command(text, &VALUES).expect_err("it isn't one");
        assert_eq!(error("GET $nothing"), TemplateError::NoSuchValue("nothing".into()));
        assert_eq!(error("GET $"), TemplateError::NoName('$'));
        let answer = |text| Template::answer(text, &VALUES).expect_err("it isn't one");
        assert_eq!(answer("at $n+1"), TemplateError::Reckons("$n+1".into()));
        assert_eq!(answer("$n:10"), TemplateError::Reckons("$n:10".into()));
        assert_eq!(answer("$n$seq"), TemplateError::NothingBetween);
        assert_eq!(error("GET @n"), TemplateError::NoSuchValue("n".into()));
        assert_eq!(Template::names("a $n+1 b $me @w $n"), ["n", "@w"]);
    }
}
