//! Replies, in the words of the protocol.

use core::fmt;

use super::item::Item;
use crate::system::names::Word;

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `EN`: a miss of `mg`.
    Miss,
    /// `HD`, with what was asked for.
    Done([Option<Returned>; 2], Marks),
    /// `VA` with the value.
    Value(Content, [Option<Returned>; 2], Marks),
    /// `EX`: the item has another CAS number. If `c` asked for the new one, it is 0.
    Differs {
        /// Whether `c` asked.
        asks_cas: bool,
    },
    /// `NF`: there is no item. If `c` asked for a CAS number, it is 0.
    Absent {
        /// Whether `c` asked.
        asks_cas: bool,
    },
    /// `END`: a miss of `get`.
    End,
    /// `VALUE` with its CAS number if that was asked for.
    Found {
        /// Whether it was `lease-get` that asked, whose answer has no `END`.
        leased: bool,
        /// The key.
        key: Word,
        /// The value.
        content: Content,
        /// The CAS number for `gets`.
        cas: Option<u16>,
    },
    /// `STORED`
    Stored,
    /// `NOT_STORED`: there is an item, or the token is void.
    NotStored,
    /// `EXISTS`: the item has another CAS number.
    Exists,
    /// `NOT_FOUND`
    NotFound,
    /// `DELETED`
    Deleted,
    /// `LVALUE`: a miss, and a token to set the value with.
    Lease {
        /// The key.
        key: Word,
        /// The token.
        token: u16,
    },
    /// `NOT_FOUND_HOT`: a miss, and somebody was given a token just now. Wait for a
    /// short time and ask again.
    NotFoundHot,
    /// The model has given out all its 65,534 CAS numbers; the real one has 64 bits.
    NoNumbersLeft,
}

/// A value as it is sent: its length, and behind the line its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content(pub(super) Option<Word>);

/// What `c` and `t` return, in the order in which they were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// The CAS number.
    Cas(u16),
    /// The seconds left; `None` for no end.
    TimeLeft(Option<u16>),
}

/// What `mg` tells its caller about the item, unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// `W`: this caller won, and should fill the item.
    pub won: bool,
    /// `X`: the value is stale.
    pub stale: bool,
    /// `Z`: another caller won before.
    pub sent: bool,
}

impl Content {
    /// The value; `None` is the empty one.
    pub fn value(self) -> Option<Word> {
        self.0
    }

    fn length(self) -> usize {
        self.0.map_or(0, |word| word.letters().into_iter().flatten().count())
    }
}

impl From<Item> for Content {
    fn from(item: Item) -> Self {
        Self(Word::from_cell(item.value))
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Miss => write!(f, "EN"),
            Self::Done(returned, marks) => {
                write!(f, "HD")?;
                write_flags(*returned, *marks, f)
            }
            Self::Value(content, returned, marks) => {
                write!(f, "VA {}", content.length())?;
                write_flags(*returned, *marks, f)?;
                write!(f, "{content}")
            }
            Self::Differs { asks_cas } => write!(f, "EX{}", if *asks_cas { " c0" } else { "" }),
            Self::Absent { asks_cas } => write!(f, "NF{}", if *asks_cas { " c0" } else { "" }),
            Self::End => write!(f, "END"),
            Self::Found { leased, key, content, cas } => {
                write!(f, "VALUE {key} 0 {}", content.length())?;
                if let Some(cas) = cas {
                    write!(f, " {cas}")?;
                }
                write!(f, "{content}{}", if *leased { "" } else { " ⏎ END" })
            }
            Self::Stored => write!(f, "STORED"),
            Self::NotStored => write!(f, "NOT_STORED"),
            Self::Exists => write!(f, "EXISTS"),
            Self::NotFound => write!(f, "NOT_FOUND"),
            Self::Deleted => write!(f, "DELETED"),
            Self::Lease { key, token } => write!(f, "LVALUE {key} {token} 0 0"),
            Self::NotFoundHot => write!(f, "NOT_FOUND_HOT"),
            Self::NoNumbersLeft => write!(f, "SERVER_ERROR no CAS numbers left in this model"),
        }
    }
}

fn write_flags(returned: [Option<Returned>; 2], marks: Marks, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for returned in returned.into_iter().flatten() {
        match returned {
            Returned::Cas(cas) => write!(f, " c{cas}")?,
            Returned::TimeLeft(Some(left_s)) => write!(f, " t{left_s}")?,
            Returned::TimeLeft(None) => write!(f, " t-1")?,
        }
    }
    let marks = [(marks.sent, "Z"), (marks.stale, "X"), (marks.won, "W")];
    marks.into_iter().filter(|(is_set, _)| *is_set).try_for_each(|(_, mark)| write!(f, " {mark}"))
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " ⏎")?;
        self.0.map_or(Ok(()), |word| write!(f, " {word}"))
    }
}
