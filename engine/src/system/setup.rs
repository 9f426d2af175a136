//! Systems by name: how a scenario says which real system a node is.
//!
//! A [`Setup`] is plain data. [`Setup::build`] makes a [`Server`] of it, which is any
//! system with its commands and replies as text. A new system is a line in
//! `entries.rs`.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::entries::{ENTRIES, Entry};
use super::{Caller, ClockKind, Decided, System, Time, Timer, View};
use crate::system::Cell;

/// Which system a node is, and how it is set up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Its name in [`kinds`], such as "redis".
    pub kind: String,
    /// The keys, documents, resources or steps that it knows.
    pub keys: Vec<String>,
    /// The words that it can keep as values, where it has to know them beforehand.
    pub words: Vec<String>,
    /// Which of its behaviours it has, such as a release; the first one if it doesn't say.
    pub variant: Option<String>,
    /// How far its copies lag, in microseconds, where it has any.
    pub lag_us: u64,
    /// For how long it remembers keys that requests came with, in microseconds, where
    /// it does; `None` for as long as such services usually do, which is a day.
    pub retention_us: Option<u64>,
}

/// What can be set of a system, where it makes something of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// [`Setup::keys`].
    Keys,
    /// [`Setup::words`].
    Words,
    /// [`Setup::lag_us`].
    Lag,
    /// [`Setup::retention_us`].
    Retention,
}

/// Why a system can't be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// There is no system of this name.
    NoSuchKind(String),
    /// The system has no such behaviour; these are the ones that it has.
    NoSuchVariant(String, &'static [&'static str]),
    /// Keys or words are too many, too long, or written in other letters.
    NamesDoNotFit,
    /// The system tells no more clients apart than this.
    TooManyClients(u8),
}

/// A server whose commands and replies are text.
pub trait Server: Debug {
    /// The clock that a timer follows.
    fn clock(&self, timer: Timer) -> ClockKind;
    /// How many cells of state it needs.
    fn length(&self) -> usize;
    /// How many timers it has.
    fn timers(&self) -> u8;
    /// Sets up fresh cells, which are all zero.
    fn start(&self, cells: &mut [Cell]);
    /// Handles a command as a client writes it.
    fn ask(&self, caller: Caller, words: &str, cells: &mut [Cell], time: &mut dyn Time) -> Answer;
    /// Whether these words are a command of it.
    fn knows(&self, words: &str) -> bool;
    /// A timer that was armed fires.
    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time);
    /// The connection of a caller is gone.
    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time);
    /// The server stops and comes back.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time);
    /// Whether a timer is the arrival of what a copy lags behind.
    fn is_replication(&self, timer: Timer) -> bool;
    /// Whether its callers can have transactions that others don't see before their end.
    fn has_transactions(&self) -> bool;
    /// See [`System::transactions_outlive_connections`].
    fn transactions_outlive_connections(&self) -> bool;
}

/// What a server does about a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is none of its commands.
    NotACommand,
    /// It keeps the command until something has changed.
    Waits(View),
    /// It answers.
    Replies(Reply),
}

/// What a server answers, and what those who judge a run know beside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The answer in its own words.
    pub words: String,
    /// What the command saw, and who sees what it did.
    pub view: View,
    /// What it decided about what was left open before it.
    pub decided: Option<Decided>,
}

impl<S: System + Debug> Server for S {
    fn clock(&self, timer: Timer) -> ClockKind {
        System::clock(self, timer)
    }

    fn length(&self) -> usize {
        System::length(self)
    }

    fn timers(&self) -> u8 {
        System::timers(self)
    }

    fn start(&self, cells: &mut [Cell]) {
        System::start(self, cells);
    }

    fn ask(&self, caller: Caller, words: &str, cells: &mut [Cell], time: &mut dyn Time) -> Answer {
        let Some(command) = self.parse(words) else { return Answer::NotACommand };
        let decided = self.decides(&command, cells);
        let reply = self.execute(caller, &command, cells, time);
        let view = self.view(caller, &command, reply.as_ref(), cells);
        let answer = |reply: S::Reply| Answer::Replies(Reply { words: reply.to_string(), view, decided });
        reply.map_or(Answer::Waits(view), answer)
    }

    fn knows(&self, words: &str) -> bool {
        self.parse(words).is_some()
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        System::fire(self, timer, cells, time);
    }

    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time) {
        System::disconnect(self, caller, cells, time);
    }

    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        System::restart(self, keeps_memory, cells, time);
    }

    fn is_replication(&self, timer: Timer) -> bool {
        System::is_replication(self, timer)
    }

    fn has_transactions(&self) -> bool {
        System::has_transactions(self)
    }

    fn transactions_outlive_connections(&self) -> bool {
        System::transactions_outlive_connections(self)
    }
}

/// The systems that this build has: all, or none to keep a page small.
fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(|_| super::ARE_HERE)
}

/// The names of all systems.
pub fn kinds() -> Vec<&'static str> {
    entries().map(|entry| entry.name).collect()
}

/// The behaviours that a system can have, the default first; none if it has only one.
pub fn variants(kind: &str) -> &'static [&'static str] {
    entries().find(|entry| entry.name == kind).map_or(&[], |entry| entry.variants)
}

/// Whether a system makes something of this setting.
pub fn takes(kind: &str, setting: Setting) -> bool {
    entries().any(|entry| entry.name == kind && entry.takes.contains(&setting))
}

/// The most keys, and the most words, that any system has.
const MOST_NAMES: usize = 64;

impl Setup {
    /// Makes the server, for so many callers: the clients, and one who is none of them.
    ///
    /// # Errors
    /// If there is no such system or behaviour, its names don't fit, or it can't tell so
    /// many callers apart.
    pub fn build(&self, callers: u8) -> Result<Rc<dyn Server>, SetupError> {
        let entry = entries().find(|entry| entry.name == self.kind);
        let entry = entry.ok_or_else(|| SetupError::NoSuchKind(self.kind.clone()))?;
        let variant = match &self.variant {
            None => 0,
            Some(name) => {
                let place = entry.variants.iter().position(|variant| variant == name);
                place.ok_or_else(|| SetupError::NoSuchVariant(name.clone(), entry.variants))?
            }
        };
        if callers > entry.most_callers {
            return Err(SetupError::TooManyClients(entry.most_callers - 1));
        }
        if self.keys.len().max(self.words.len()) > MOST_NAMES {
            return Err(SetupError::NamesDoNotFit);
        }
        (entry.build)(self, callers, variant).ok_or(SetupError::NamesDoNotFit)
    }
}

impl core::fmt::Display for SetupError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NoSuchKind(name) => write!(f, "there is no system {name:?}"),
            Self::NoSuchVariant(name, known) => {
                let known = known.iter().map(|known| format!("{known:?}")).collect::<Vec<_>>().join(", ");
                write!(f, "it has no variant {name:?}, only: {known}")
            }
            Self::TooManyClients(most) => write!(f, "it tells at most {most} clients apart"),
            Self::NamesDoNotFit => write!(f, "its keys or words are too many, too long, or have other letters"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(kind: &str) -> Setup {
        Setup { kind: kind.into(), keys: alloc::vec!["k".into()], words: alloc::vec!["a".into()], ..Setup::default() }
    }

    #[test]
    fn each_system_can_be_set_up_in_each_of_its_variants() {
        for kind in kinds() {
            assert!(setup(kind).build(4).is_ok(), "{kind}");
            for variant in variants(kind) {
                let named = Setup { variant: Some((*variant).into()), ..setup(kind) };
                assert!(named.build(4).is_ok(), "{kind} {variant}");
            }
        }
    }

    #[test]
    fn any_number_of_keys_and_callers_is_taken_or_refused() {
        for kind in kinds() {
            for keys in [0, 64, 65, 254, 255, 256, 65_537] {
                for callers in [1, 8, 9, 33, 34, 255] {
                    let keys: Vec<String> = (0..keys).map(|at| format!("{at}")).collect();
                    let built = Setup { keys, ..setup(kind) }.build(callers);
                    assert!(built.is_err() || callers < 34, "{kind} takes {callers} callers");
                    if let Ok(server) = built {
                        server.start(&mut alloc::vec![0; server.length()]);
                    }
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |setup: Setup| setup.build(4).expect_err("it doesn't fit").to_string();
        assert_eq!(error(setup("redos")), "there is no system \"redos\"");
        let old = Setup { variant: Some("1.3".into()), ..setup("memcached") };
        assert_eq!(error(old), "it has no variant \"1.3\", only: \"public\", \"leases\"");
        let chubby = setup("chubby").build(9).expect_err("it doesn't fit");
        assert_eq!(chubby.to_string(), "it tells at most 7 clients apart");
        let long = Setup { keys: alloc::vec!["a key with spaces".into()], ..setup("redis") };
        assert_eq!(error(long), "its keys or words are too many, too long, or have other letters");
    }
}
