//! Reads statements word by word.

use alloc::string::String;
use alloc::vec::Vec;

use super::command::{Column, Condition, Locking, Relation, Term};
use super::layout::LARGEST;
use super::reply::FIRST_LETTER;

/// Reads tokens from the front.
pub(super) struct Reader<'a> {
    tokens: &'a [Token],
}

impl<'a> Reader<'a> {
    /// Reads these tokens.
    pub(super) fn new(tokens: &'a [Token]) -> Self {
        Self { tokens }
    }

    /// Whether all of them are read.
    pub(super) fn is_at_end(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Reads on if the words of this text come next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let rest = tokens(text).and_then(|next| self.tokens.strip_prefix(next.as_slice()));
        self.tokens = rest.unwrap_or(self.tokens);
        rest.is_some()
    }

    /// Reads on over these words, or says that they aren't there.
    pub(super) fn expect(&mut self, text: &str) -> Option<()> {
        self.eat(text).then_some(())
    }

    /// Tries a shape, and goes back if it isn't there.
    pub(super) fn attempt<T>(&mut self, shape: impl Fn(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.tokens;
        let read = shape(self);
        if read.is_none() {
            self.tokens = start;
        }
        read
    }

    /// One or more, with something between them.
    pub(super) fn list<T>(&mut self, between: &str, shape: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::from([shape(self)?]);
        while self.eat(between) {
            list.push(shape(self)?);
        }
        Some(list)
    }

    fn next(&mut self) -> Option<&Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    /// A number up to 32,767.
    pub(super) fn number(&mut self) -> Option<u16> {
        if let Token::Number(number) = *self.next()? { Some(number) } else { None }
    }

    fn quoted(&mut self) -> Option<&str> {
        if let Token::Quoted(text) = self.next()? { Some(text) } else { None }
    }

    /// A number, or a letter between quotes.
    pub(super) fn literal(&mut self, is_letter: bool) -> Option<u16> {
        if !is_letter {
            return self.number();
        }
        match self.quoted()?.as_bytes() {
            [letter @ b'A'..=b'Z'] => Some(u16::from(letter - b'A' + 1)),
            _ => None,
        }
    }

    /// The name of a column of `q`.
    pub(super) fn column(&mut self) -> Option<Column> {
        Some(match self.next()? {
            Token::Word(word) if word == "id" => Column::Id,
            Token::Word(word) if word == "granted" => Column::Granted,
            Token::Word(word) if word == "lim" => Column::Limit,
            Token::Word(word) if word == "val" => Column::Value,
            Token::Word(word) if word == "version" => Column::Version,
            Token::Word(word) if word == "fence" => Column::Fence,
            _ => return None,
        })
    }

    /// A comparison; a letter is compared with a letter only.
    pub(super) fn condition(&mut self) -> Option<Condition> {
        let left =
            if self.eat("(select count(*) from grants)") { Term::CountOfGrants } else { Term::Column(self.column()?) };
        let relation = if self.eat("=") {
            Relation::Equal
        } else if self.eat("<=") {
            Relation::AtMost
        } else {
            self.expect("<").map(|()| Relation::Below)?
        };
        let is_letter = left == Term::Column(Column::Value);
        let right = match self.attempt(Self::column) {
            Some(column) if is_letter != (column == Column::Value) => return None,
            Some(column) => Term::Column(column),
            None => Term::Number(self.literal(is_letter)?),
        };
        Some(Condition { left, relation, right })
    }

    /// `for update` and how, if it is there.
    pub(super) fn locking(&mut self) -> Option<Locking> {
        self.expect("for update")?;
        Some(if self.eat("nowait") {
            Locking::NoWait
        } else if self.eat("skip locked") {
            Locking::SkipLocked
        } else {
            Locking::Wait
        })
    }

    /// A key of `requests`, counted from 0.
    pub(super) fn request_key(&mut self) -> Option<usize> {
        ["k1", "k2"].iter().position(|&key| self.tokens.first() == Some(&Token::Quoted(key.into()))).inspect(|_| {
            self.next();
        })
    }

    /// The name of a node, counted from 1: `N1` to `N9`, then the letters.
    pub(super) fn node(&mut self) -> Option<u16> {
        match self.quoted()?.as_bytes() {
            [b'N', number @ b'1'..=b'9'] => Some(u16::from(number - b'0')),
            [letter @ b'a'..=b'z'] => Some(FIRST_LETTER + u16::from(letter - b'a')),
            _ => None,
        }
    }

    /// A duration between quotes, up to 32,767 s and not 0.
    pub(super) fn interval_us(&mut self) -> Option<u64> {
        let (number, unit) = self.quoted()?.split_once(' ')?;
        let number = number.parse::<u16>().ok().filter(|&number| (1..=LARGEST).contains(&number))?;
        match unit {
            "s" => Some(u64::from(number) * 1_000_000),
            "ms" => Some(u64::from(number) * 1_000),
            _ => None,
        }
    }
}

/// A piece of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or keyword, in small letters.
    Word(String),
    Number(u16),
    /// What stands between quotes.
    Quoted(String),
    Symbol(char),
    /// `<=`.
    AtMost,
}

/// Cuts a text into tokens; `None` if it holds a number that is too large or a quote that is open.
pub(super) fn tokens(mut text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    loop {
        text = text.trim_start();
        let Some(first) = text.chars().next() else { return Some(tokens) };
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let (token, rest) = if is_name(first) {
            let (name, rest) = text.split_at(text.find(|letter| !is_name(letter)).unwrap_or(text.len()));
            if first.is_ascii_digit() {
                (Token::Number(name.parse().ok().filter(|&number| number <= LARGEST)?), rest)
            } else {
                (Token::Word(name.to_ascii_lowercase()), rest)
            }
        } else if let Some(rest) = text.strip_prefix('\'') {
            let (quoted, rest) = rest.split_once('\'')?;
            (Token::Quoted(quoted.into()), rest)
        } else if let Some(rest) = text.strip_prefix("<=") {
            (Token::AtMost, rest)
        } else {
            (Token::Symbol(first), &text[first.len_utf8()..])
        };
        tokens.push(token);
        text = rest;
    }
}
