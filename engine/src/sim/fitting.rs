//! Whether a text is an answer that a program expects, and which values it gives.

use alloc::string::String;
use alloc::vec::Vec;

use super::scenario::Register;
use super::template::Piece;
use super::world::Cell;
use crate::system::names::Word;

/// Whether pieces fit a text. What they give is put into `given`.
///
/// Between two `*` the earliest place that fits is taken and never left again. No later
/// one could fit where this one doesn't: each piece takes as much as it can, so what
/// begins later doesn't end earlier.
pub(super) fn fits(
    pieces: &[Piece],
    text: &str,
    me: char,
    value: &dyn Fn(Register) -> Cell,
    given: &mut Vec<(Register, Cell)>,
) -> bool {
    let mut runs = pieces.split(|piece| *piece == Piece::Anything);
    let Some(mut rest) = runs.next().and_then(|first| behind(first, text, me, value, given)) else { return false };
    let Some(last) = runs.next_back() else { return rest.is_empty() };
    for run in runs.filter(|run| !run.is_empty()) {
        let Some(after) = suffixes(rest).find_map(|from| behind(run, from, me, value, given)) else { return false };
        rest = after;
    }
    last.is_empty()
        || suffixes(rest).any(|from| {
            let before = given.len();
            let fits = behind(last, from, me, value, given) == Some("");
            if !fits {
                given.truncate(before);
            }
            fits
        })
}

/// The ends of a text, the longest first.
fn suffixes(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).map(|at| &text[at..])
}

/// What stands behind pieces without a `*` at the start of a text; `None` if it doesn't
/// begin with them. What they give is put into `given`, and taken out again then.
fn behind<'t>(
    pieces: &[Piece],
    text: &'t str,
    me: char,
    value: &dyn Fn(Register) -> Cell,
    given: &mut Vec<(Register, Cell)>,
) -> Option<&'t str> {
    let before = given.len();
    let mut rest = text;
    for piece in pieces {
        let Some(after) = piece.behind(rest, me, value, given) else {
            given.truncate(before);
            return None;
        };
        rest = after;
    }
    Some(rest)
}

impl Piece {
    /// What stands behind this piece at the start of a text, if it stands there.
    fn behind<'t>(
        &self,
        text: &'t str,
        me: char,
        value: &dyn Fn(Register) -> Cell,
        given: &mut Vec<(Register, Cell)>,
    ) -> Option<&'t str> {
        let split = |belongs: fn(u8) -> bool| text.split_at(text.bytes().take_while(|&letter| belongs(letter)).count());
        match self {
            Self::Number { register, .. } => {
                let (own, rest) = split(|letter| letter.is_ascii_digit());
                given.push((*register, own.parse().ok()?));
                Some(rest)
            }
            Self::Word(register) => {
                let (own, rest) = split(is_word_letter);
                given.push((*register, Word::parse(own)?.to_cell()));
                Some(rest)
            }
            // Zeros in front make no other number.
            Self::SameNumber(register) => {
                let (own, rest) = split(|letter| letter.is_ascii_digit());
                (own.parse() == Ok(value(*register))).then_some(rest)
            }
            _ => {
                let mut own = String::new();
                self.write(me, value, &mut own);
                text.strip_prefix(own.as_str())
            }
        }
    }
}

fn is_word_letter(letter: u8) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || b"-_.".contains(&letter)
}
