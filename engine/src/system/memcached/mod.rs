//! memcached: items with a CAS number, and the meta commands with which a cache is
//! filled by one client at a time.
//!
//! Modelled after 1.6.18
//! (<https://github.com/memcached/memcached/blob/1.6.18/doc/protocol.txt>):
//!
//! - The CAS numbers of all keys come from one counter, so that a key that was deleted
//!   and added again has another number: comparing numbers is not fooled by a value
//!   that came back.
//! - `mg` with `N` makes an empty item on a miss. The first caller is told `W`, "you
//!   won: fill it"; the others are told `Z`, "somebody was told so". A set that shows
//!   the CAS number of that item is refused once the item was deleted or replaced.
//!   A set without one is not: the lease protects only if everyone shows a number.
//! - `md` with `I` keeps the value and marks it stale: one reader wins, and all are
//!   told `X`.
//! - Time is counted in whole seconds of the monotonic clock, for the whole server at
//!   once (<https://github.com/memcached/memcached/blob/1.6.18/memcached.c>,
//!   `clock_handler`). So a life of n seconds lasts more than n − 1 and at most n.
//! - Nothing is on disk: a restart loses all items, and counts from the start.
//!
//! Where the protocol begins a new line, commands and replies have `⏎` here.
//!
//! Left out: flags that nobody races for (`k`, `s`, `f`, `q`, `O`, `S`, `M`), eviction,
//! lives below 0 or above 65,534 seconds, and the numbers chosen by callers (`E`) that
//! 1.6.27 brought.

mod classic;
mod command;
mod item;
mod lease;
mod meta;
mod reply;

pub use command::{Command, GetFlag, Store};
pub use reply::{Content, Marks, Reply, Returned};

use alloc::vec::Vec;

use super::names::Word;
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;
use item::Items;

/// A server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memcached {
    keys: Vec<Word>,
    leases: Leases,
    first_tick_us: u64,
}

/// Whether the server also knows the leases that Facebook added to its memcached
/// (Nishtala et al., NSDI 2013,
/// <https://www.usenix.org/conference/nsdi13/technical-sessions/presentation/nishtala>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leases {
    /// It doesn't, as the public memcached.
    Unknown,
    /// A miss always brings a token, which voids the one before.
    EveryMiss,
    /// A key gives out one token in this many microseconds; the paper's default is
    /// [`Leases::TEN_SECONDS`].
    OnceIn(u64),
}

impl Leases {
    /// One token in ten seconds for each key.
    pub const TEN_SECONDS: Self = Self::OnceIn(10_000_000);
}

/// The most keys a server can know: each has two timers.
pub const MOST_KEYS: usize = 100;

const SECOND_US: u64 = 1_000_000;

impl Memcached {
    /// A server that knows these keys, each of them a [`Word`]. `None` if one isn't, or
    /// if there are more than [`MOST_KEYS`].
    pub fn new(keys: &[&str]) -> Option<Self> {
        let keys: Vec<Word> = keys.iter().map(|key| Word::parse(key)).collect::<Option<_>>()?;
        let fits = keys.len() <= MOST_KEYS;
        fits.then_some(Self { keys, leases: Leases::Unknown, first_tick_us: SECOND_US })
    }

    /// The same server with or without Facebook's `lease-get` and `lease-set`.
    #[must_use]
    pub fn with_leases(self, leases: Leases) -> Self {
        Self { leases, ..self }
    }

    /// The same server, whose clock ticks so many microseconds after a command that
    /// gives an item a life while no other item has one. From 1 to 1,000,000, which is
    /// what it is from the start; other numbers are brought into that range.
    #[must_use]
    pub fn with_first_tick_us(self, first_tick_us: u64) -> Self {
        Self { first_tick_us: first_tick_us.clamp(1, SECOND_US), ..self }
    }

    fn items<'a>(&self, cells: &'a mut [Cell], time: &'a mut dyn Time) -> Items<'a> {
        Items::new(self.keys.len(), self.first_tick_us, cells, time)
    }
}

impl System for Memcached {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let command = command::parse(words, &self.keys)?;
        let needs_leases = matches!(command, Command::LeaseGet(_) | Command::LeaseSet { .. });
        (!needs_leases || self.leases != Leases::Unknown).then_some(command)
    }

    fn length(&self) -> usize {
        item::length(self.keys.len())
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        let mut items = self.items(cells, time);
        if command.can_write() && items.has_no_numbers_left() {
            return Some(Reply::NoNumbersLeft);
        }
        Some(match command {
            Command::MetaGet(key, flags) => meta::get(*key, flags, &mut items),
            Command::MetaSet(store) => meta::set(*store, &mut items),
            Command::MetaDelete { key, cas, stale, ttl_s } => meta::delete(*key, *cas, *stale, *ttl_s, &mut items),
            Command::Get(key) => classic::get(*key, self.keys[*key], false, &items),
            Command::Gets(key) => classic::get(*key, self.keys[*key], true, &items),
            Command::Set(store) => classic::set(*store, &mut items),
            Command::Add(store) => classic::add(*store, &mut items),
            Command::Cas(store) => classic::compare_and_set(*store, &mut items),
            Command::Delete(key) => classic::delete(*key, &mut items),
            Command::LeaseGet(key) => lease::get(*key, self.keys[*key], self.leases, &mut items),
            Command::LeaseSet { token, store } => lease::set(*token, *store, &mut items),
        })
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        // A timer of the second half says that a key may give out a token again: it
        // being armed is all there is to it.
        let key = usize::from(timer);
        if key < self.keys.len() {
            self.items(cells, time).remove(key);
        }
    }

    fn restart(&self, _: bool, cells: &mut [Cell], time: &mut dyn Time) {
        for timer in 0..self.timers() {
            time.disarm(timer);
        }
        cells.fill(0);
    }

    fn timers(&self) -> u8 {
        2 * self.keys.len() as u8
    }
}
