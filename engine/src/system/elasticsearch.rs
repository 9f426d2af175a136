//! Elasticsearch: documents of one shard, written under `if_seq_no` and
//! `if_primary_term`.
//!
//! - Each change of the shard has the next `_seq_no`, and each primary a higher
//!   `_primary_term` than the one before. A conditional write needs both to match, else
//!   the answer is 409
//!   (<https://www.elastic.co/docs/reference/elasticsearch/rest-apis/optimistic-concurrency-control>).
//! - A primary that is cut off goes on for a while. The next one can use the same
//!   `_seq_no`, and the same `_version`, for another change: only with the term do they
//!   name one state of a document
//!   (<https://github.com/elastic/elasticsearch/issues/19269>).
//!
//! Left out: replicas other than the one that becomes primary, `external` versions, and
//! when a cut-off primary notices that it is none.

use alloc::vec::Vec;
use core::fmt;

use super::names::{Word, number};
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// A shard, with its primary and one that was primary before and is cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elasticsearch {
    documents: Vec<Word>,
    first_seq_no: u16,
    first_term: u16,
}

/// A request; documents are given by their place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// One to the shard's primary, or with `old` in front to the one that is cut off.
    Document {
        /// Whether it reaches the one that is cut off.
        to_old: bool,
        /// Which document.
        document: usize,
        /// What is asked.
        operation: Operation,
    },
    /// `cut off`: the primary can't reach the others, and another one is made primary.
    CutOff,
    /// `heal`: the one that was cut off drops what it wrote since.
    Heal,
}

/// What is asked of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `GET _doc/D`
    Get,
    /// `PUT _doc/D[?if_seq_no=1&if_primary_term=1] VALUE`
    Index(Word, Option<Expected>),
    /// `PUT _create/D VALUE`: only if there is none.
    Create(Word),
    /// `DELETE _doc/D[?if_seq_no=1&if_primary_term=1]`
    Delete(Option<Expected>),
}

/// The change that a document is expected to be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// `if_seq_no`
    pub seq_no: u16,
    /// `if_primary_term`
    pub term: u16,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200 with the document.
    Found(State),
    /// 201 or 200 with the numbers of the change.
    Changed(&'static str, State),
    /// 404: there is none.
    NotFound,
    /// 409: the document is in another change, or there is none.
    Conflict {
        /// The document.
        id: Word,
        /// What was expected.
        expected: Expected,
        /// What there is.
        current: Option<Expected>,
    },
    /// 409: there is one already.
    Exists {
        /// The document.
        id: Word,
        /// Its version.
        version: u16,
    },
    /// A primary was cut off, or comes back.
    Noted,
    /// 503: nobody is cut off.
    NoOldPrimary,
    /// The model has used up its 65,535 changes; the real counter has 63 bits.
    NoNumbersLeft,
}

/// A document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// `_version`, which counts changes of the document.
    pub version: u16,
    /// `_seq_no` of the last one.
    pub seq_no: u16,
    /// `_primary_term` of the last one.
    pub term: u16,
    /// Its content; none if it was deleted.
    pub value: Option<Word>,
}

// A copy of the shard: two numbers, then the documents. First comes the primary's, then
// the one that is cut off, whose term is 0 if there is none.
const TERM: usize = 0;
const NEXT_SEQ_NO: usize = 1;
const DOCUMENTS: usize = 2;
const DOCUMENT: usize = 4; // as in `State`

impl Elasticsearch {
    /// A shard that knows these documents, and whose next change has this `_seq_no`
    /// under this `_primary_term`. `None` if an id isn't a [`Word`] or the term is 0.
    pub fn new(documents: &[&str], first_seq_no: u16, first_term: u16) -> Option<Self> {
        let documents: Vec<Word> = documents.iter().map(|id| Word::parse(id)).collect::<Option<_>>()?;
        (first_term > 0).then_some(Self { documents, first_seq_no, first_term })
    }

    fn copy_length(&self) -> usize {
        DOCUMENTS + self.documents.len() * DOCUMENT
    }

    fn operate(id: Word, operation: Operation, shard: &mut [Cell], at: usize) -> Reply {
        let old = load(&shard[at..]);
        let current = old.filter(|state| state.value.is_some());
        let (value, expected) = match operation {
            Operation::Get => return current.map_or(Reply::NotFound, Reply::Found),
            Operation::Create(value) => match current {
                Some(State { version, .. }) => return Reply::Exists { id, version },
                None => (Some(value), None),
            },
            Operation::Index(value, expected) => (Some(value), expected),
            Operation::Delete(expected) => (None, expected),
        };
        if let Some(expected) = expected {
            let current = current.map(|State { seq_no, term, .. }| Expected { seq_no, term });
            if current != Some(expected) {
                return Reply::Conflict { id, expected, current };
            }
        }
        if value.is_none() && current.is_none() {
            return Reply::NotFound;
        }
        let (seq_no, term) = (shard[NEXT_SEQ_NO], shard[TERM]);
        let version = old.map_or(0, |state| state.version).checked_add(1);
        let (Some(version), Some(next)) = (version, seq_no.checked_add(1)) else { return Reply::NoNumbersLeft };
        shard[NEXT_SEQ_NO] = next;
        let state = State { version, seq_no, term, value };
        shard[at..at + DOCUMENT].copy_from_slice(&[version, seq_no, term, Word::cell_of(value)]);
        let result = match (value, current) {
            (None, _) => "deleted",
            (Some(_), None) => "created",
            (Some(_), Some(_)) => "updated",
        };
        Reply::Changed(result, state)
    }

    fn cut_off(&self, cells: &mut [Cell]) -> Reply {
        let (shard, old) = cells.split_at_mut(self.copy_length());
        let Some(term) = shard[TERM].checked_add(1) else { return Reply::NoNumbersLeft };
        old.copy_from_slice(shard);
        shard[TERM] = term;
        Reply::Noted
    }
}

fn load(cells: &[Cell]) -> Option<State> {
    let state = State { version: cells[0], seq_no: cells[1], term: cells[2], value: Word::from_cell(cells[3]) };
    (state.version != 0).then_some(state)
}

impl System for Elasticsearch {
    type Command = Command;
    type Reply = Reply;
    /// It has no timers.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let (to_old, request) = match words.as_slice() {
            ["cut", "off"] => return Some(Command::CutOff),
            ["heal"] => return Some(Command::Heal),
            ["old", request @ ..] => (true, request),
            request => (false, request),
        };
        let (&path, value) = match request {
            ["GET" | "DELETE", path] => (path, None),
            ["PUT", path, value] => (path, Some(Word::parse(value)?)),
            _ => return None,
        };
        let (path, expected) = match path.split_once('?') {
            Some((path, parameters)) => (path, Some(Expected::parse(parameters)?)),
            None => (path, None),
        };
        let (kind, id) = path.split_once('/')?;
        let id = Word::parse(id)?;
        let document = self.documents.iter().position(|&known| known == id)?;
        let operation = match (request[0], kind, value, expected) {
            ("GET", "_doc", None, None) => Operation::Get,
            ("DELETE", "_doc", None, expected) => Operation::Delete(expected),
            ("PUT", "_doc", Some(value), expected) => Operation::Index(value, expected),
            ("PUT", "_create", Some(value), None) => Operation::Create(value),
            _ => return None,
        };
        Some(Command::Document { to_old, document, operation })
    }

    fn length(&self) -> usize {
        2 * self.copy_length()
    }

    fn start(&self, cells: &mut [Cell]) {
        cells[TERM] = self.first_term;
        cells[NEXT_SEQ_NO] = self.first_seq_no;
    }

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        Some(match *command {
            Command::CutOff => self.cut_off(cells),
            Command::Heal => {
                cells[self.copy_length()..].fill(0);
                Reply::Noted
            }
            Command::Document { to_old, document, operation } => {
                let start = if to_old { self.copy_length() } else { 0 };
                let shard = &mut cells[start..start + self.copy_length()];
                if shard[TERM] == 0 {
                    return Some(Reply::NoOldPrimary);
                }
                Self::operate(self.documents[document], operation, shard, DOCUMENTS + document * DOCUMENT)
            }
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn timers(&self) -> u8 {
        0
    }
}

impl Expected {
    /// Reads `if_seq_no=1&if_primary_term=1`; one without the other is no request.
    fn parse(parameters: &str) -> Option<Self> {
        let (seq_no, term) = parameters.split_once('&')?;
        let seq_no = number(seq_no.strip_prefix("if_seq_no=")?)?;
        let term = number(term.strip_prefix("if_primary_term=")?)?;
        Some(Self { seq_no, term })
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "_version={} _seq_no={} _primary_term={}", self.version, self.seq_no, self.term)
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(state) => {
                write!(f, "200 {state} ")?;
                state.value.map_or(Ok(()), |value| write!(f, "{value}"))
            }
            Self::Changed(result, state) => {
                write!(f, "{} {result} {state}", if *result == "created" { 201 } else { 200 })
            }
            Self::NotFound => write!(f, "404"),
            Self::Conflict { id, expected: Expected { seq_no, term }, current } => {
                write!(f, "409 version_conflict_engine_exception [{id}]: version conflict, ")?;
                write!(f, "required seqNo [{seq_no}], primary term [{term}]. ")?;
                match current {
                    Some(Expected { seq_no, term }) => {
                        write!(f, "current document has seqNo [{seq_no}] and primary term [{term}]")
                    }
                    None => write!(f, "but no document was found"),
                }
            }
            Self::Exists { id, version } => write!(
                f,
                "409 version_conflict_engine_exception [{id}]: version conflict, \
                 document already exists (current version [{version}])"
            ),
            Self::Noted => write!(f, "noted"),
            Self::NoOldPrimary => write!(f, "503"),
            Self::NoNumbersLeft => write!(f, "500 no numbers left in this model"),
        }
    }
}
