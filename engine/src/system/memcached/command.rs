//! Commands, and how they are read.

use alloc::vec::Vec;

use crate::system::Cell;
use crate::system::names::{Word, number};

/// A command. Keys are places in the server's list, lives are whole seconds and 0 is
/// for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `mg KEY [v] [c] [t] [N<life>] [R<limit>] [T<life>]`: reads an item.
    MetaGet(usize, Vec<GetFlag>),
    /// `ms KEY LENGTH [c] [C<number>] [I] [T<life>] ⏎ VALUE`: stores a value.
    MetaSet(Store),
    /// `md KEY [C<number>] [I] [T<life>]`: removes an item.
    MetaDelete {
        /// The key.
        key: usize,
        /// `C`: only the item with this CAS number.
        cas: Option<u16>,
        /// `I`: mark it stale instead.
        stale: bool,
        /// `T`: with `I`, how long the stale item lives.
        ttl_s: Option<u16>,
    },
    /// `get KEY`
    Get(usize),
    /// `gets KEY`: the value and its CAS number.
    Gets(usize),
    /// `set KEY 0 LIFE LENGTH ⏎ VALUE`
    Set(Store),
    /// `add KEY 0 LIFE LENGTH ⏎ VALUE`: only if there is no item.
    Add(Store),
    /// `cas KEY 0 LIFE LENGTH NUMBER ⏎ VALUE`: only if the item has this number.
    Cas(Store),
    /// `delete KEY`
    Delete(usize),
    /// `lease-get KEY`: the value, or a token to set it with.
    LeaseGet(usize),
    /// `lease-set KEY TOKEN 0 LIFE LENGTH ⏎ VALUE`
    LeaseSet {
        /// The token that a `lease-get` brought.
        token: u16,
        /// What to store.
        store: Store,
    },
}

/// A flag of `mg`. They are handled in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GetFlag {
    /// `v`: return the value.
    Value,
    /// `c`: return the CAS number.
    Cas,
    /// `t`: return how many seconds the item has left, −1 for no end.
    TimeLeft,
    /// `N`: on a miss, make an empty item with this life, and tell the caller `W`.
    Vivify(u16),
    /// `R`: tell the first caller `W` that finds fewer seconds left than these.
    Recache(u16),
    /// `T`: set the item's life.
    Touch(u16),
}

/// What is to be stored, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// The key.
    pub key: usize,
    /// The value; `None` is the empty one.
    pub value: Option<Word>,
    /// How many seconds the item lives; 0 is for ever.
    pub ttl_s: u16,
    /// Only if the item has this CAS number. No item has the number 0.
    pub cas: Option<u16>,
    /// `I`: if the CAS number is lower than the item's, store it as stale.
    pub even_stale: bool,
    /// `c`: return the new CAS number.
    pub returns_cas: bool,
}

impl Store {
    pub(super) fn cell(self) -> Cell {
        Word::cell_of(self.value)
    }
}

impl Command {
    /// Whether it may need a new CAS number.
    pub(super) fn can_write(&self) -> bool {
        match self {
            Self::MetaGet(_, flags) => flags.iter().any(|flag| matches!(flag, GetFlag::Vivify(_))),
            Self::MetaDelete { stale, .. } => *stale,
            Self::Get(_) | Self::Gets(_) | Self::Delete(_) => false,
            _ => true,
        }
    }
}

/// Reads a command; `None` if it is none, or beyond what this model stores.
pub(super) fn parse(text: &str, keys: &[Word]) -> Option<Command> {
    let (line, data) = match text.split_once('⏎') {
        Some((line, data)) => (line, Some(data.trim())),
        None => (text, None),
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, key, rest) = match words.as_slice() {
        [name, key, rest @ ..] => {
            let key = Word::parse(key)?;
            (*name, keys.iter().position(|&known| known == key)?, rest)
        }
        _ => return None,
    };
    let Some(data) = data else { return parse_without_data(name, key, rest) };
    let value = if data.is_empty() { None } else { Some(Word::parse(data)?) };
    let store = Store { key, value, ttl_s: 0, cas: None, even_stale: false, returns_cas: false };
    let fits = |length: &str| number(length).is_some_and(|length| usize::from(length) == data.len());
    let plain = |ttl_s: &str| Some(Store { ttl_s: number(ttl_s)?, ..store });
    match (name, rest) {
        ("ms", [length, flags @ ..]) if fits(length) => Some(Command::MetaSet(store_flags(store, flags)?)),
        ("set", ["0", ttl_s, length]) if fits(length) => Some(Command::Set(plain(ttl_s)?)),
        ("add", ["0", ttl_s, length]) if fits(length) => Some(Command::Add(plain(ttl_s)?)),
        ("cas", ["0", ttl_s, length, cas]) if fits(length) => {
            Some(Command::Cas(Store { cas: Some(number(cas)?), ..plain(ttl_s)? }))
        }
        ("lease-set", [token, "0", ttl_s, length]) if fits(length) => {
            Some(Command::LeaseSet { token: number(token)?, store: plain(ttl_s)? })
        }
        _ => None,
    }
}

fn parse_without_data(name: &str, key: usize, rest: &[&str]) -> Option<Command> {
    match (name, rest) {
        ("mg", flags) => {
            let flags: Vec<GetFlag> = flags.iter().map(|flag| get_flag(flag)).collect::<Option<_>>()?;
            are_distinct(rest).then_some(Command::MetaGet(key, flags))
        }
        ("md", flags) => delete_flags(key, flags),
        ("get", []) => Some(Command::Get(key)),
        ("gets", []) => Some(Command::Gets(key)),
        ("delete", []) => Some(Command::Delete(key)),
        ("lease-get", []) => Some(Command::LeaseGet(key)),
        _ => None,
    }
}

fn get_flag(flag: &str) -> Option<GetFlag> {
    let argument = || number(flag.get(1..)?);
    match (flag, flag.chars().next()?) {
        ("v", _) => Some(GetFlag::Value),
        ("c", _) => Some(GetFlag::Cas),
        ("t", _) => Some(GetFlag::TimeLeft),
        (_, 'N') => argument().map(GetFlag::Vivify),
        (_, 'R') => argument().map(GetFlag::Recache),
        (_, 'T') => argument().map(GetFlag::Touch),
        _ => None,
    }
}

fn store_flags(store: Store, flags: &[&str]) -> Option<Store> {
    let read = |store: Store, flag: &&str| {
        Some(match (*flag, flag.chars().next()?) {
            ("c", _) => Store { returns_cas: true, ..store },
            ("I", _) => Store { even_stale: true, ..store },
            (_, 'C') => Store { cas: Some(number(flag.get(1..)?)?), ..store },
            (_, 'T') => Store { ttl_s: number(flag.get(1..)?)?, ..store },
            _ => return None,
        })
    };
    are_distinct(flags).then(|| flags.iter().try_fold(store, read))?
}

fn delete_flags(key: usize, flags: &[&str]) -> Option<Command> {
    let (mut cas, mut stale, mut ttl_s) = (None, false, None);
    for flag in flags {
        match (*flag, flag.chars().next()?) {
            ("I", _) => stale = true,
            (_, 'C') => cas = Some(number(flag.get(1..)?)?),
            (_, 'T') => ttl_s = Some(number(flag.get(1..)?)?),
            _ => return None,
        }
    }
    are_distinct(flags).then_some(Command::MetaDelete { key, cas, stale, ttl_s })
}

/// The real server answers `CLIENT_ERROR duplicate flag`.
fn are_distinct(flags: &[&str]) -> bool {
    let letter = |flag: &&str| flag.chars().next();
    flags.iter().enumerate().all(|(at, flag)| flags[..at].iter().all(|other| letter(other) != letter(flag)))
}
