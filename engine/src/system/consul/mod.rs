//! Consul: sessions, and keys that a session can hold as a lock.
//!
//! Modelled after
//! <https://developer.hashicorp.com/consul/docs/dynamic-app-config/sessions> and the
//! state store
//! (<https://github.com/hashicorp/consul/blob/main/agent/consul/state/kvs.go>).
//!
//! - A session with a TTL is invalidated no earlier than that after its last renewal.
//!   The server takes twice the TTL
//!   (<https://github.com/hashicorp/consul/blob/main/agent/consul/session_ttl.go>), and
//!   all of it again when another server becomes the leader.
//! - When a session is invalidated (by its TTL, a health check or a destroy), the keys
//!   that it holds are released or deleted, and nobody can acquire them for its
//!   lock-delay. A release by the holder has no delay.
//! - Acquiring a free key adds one to its `LockIndex`. The triple of key, `LockIndex`
//!   and session is a sequencer, which other systems can compare. A key that was
//!   deleted starts anew.
//! - Locks are advisory: any client can write or delete a key that somebody holds, and
//!   anybody who knows the session can release it. `check-session` in a transaction is
//!   the fence for keys inside of Consul.
//!
//! A restart with its data is another server becoming the leader: TTLs begin anew, and
//! lock-delays go on, since every server keeps them. Left out: renewals that are sent
//! by a blocked agent, `Flags`, `CreateIndex`, folders of keys and blocking queries.

mod command;
mod reply;
mod state;

pub use command::{Behavior, Command, Create, MOST_LOCK_DELAY_S, Put};
pub use reply::{Entry, Reply, SessionId};

use alloc::vec::Vec;

use super::names::Word;
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;
use state::State;

/// A cluster, as its leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consul {
    keys: Vec<Word>,
    sessions: u8,
}

impl Consul {
    /// A cluster that knows these keys, each a [`Word`], and in which this many sessions
    /// can be created in all, since an id is never used twice. `None` if a key isn't a
    /// word, or if keys and sessions together are more than 255.
    pub fn new(keys: &[&str], sessions: u8) -> Option<Self> {
        let keys: Vec<Word> = keys.iter().map(|key| Word::parse(key)).collect::<Option<_>>()?;
        let fits = keys.len() <= usize::from(u8::MAX - sessions);
        fits.then_some(Self { keys, sessions })
    }

    fn state<'a>(&self, cells: &'a mut [Cell], time: &'a mut dyn Time) -> State<'a> {
        State { sessions: self.sessions, keys: self.keys.len(), cells, time }
    }
}

impl System for Consul {
    type Command = Command;
    type Reply = Reply;
    /// The timers of sessions and the ends of lock-delays are Go's, which a step of the
    /// wall clock doesn't move.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        command::parse(words, &self.keys, self.sessions)
    }

    fn length(&self) -> usize {
        state::length(self.sessions, self.keys.len())
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        let mut state = self.state(cells, time);
        if command.writes() && state.has_no_indexes_left() {
            return Some(Reply::NoIndexesLeft);
        }
        Some(match *command {
            Command::Create(create) => state.create(create).map_or(Reply::NoSessionsLeft, Reply::Created),
            Command::Renew(session) if state.renew(session) => Reply::Renewed(session),
            Command::Renew(session) => Reply::SessionNotFound(session),
            Command::Destroy(session) => {
                state.invalidate(session);
                Reply::Done(true)
            }
            Command::Critical(session) => {
                if state.is_checked(session) {
                    state.invalidate(session);
                }
                Reply::Noted
            }
            Command::Get(key) => state.get(key).map_or(Reply::NotFound, |row| Reply::Entry(row.entry(self.keys[key]))),
            Command::Delete(key) => {
                state.delete(key);
                Reply::Done(true)
            }
            Command::Put(put) => Reply::Done(state.put(put)),
            Command::CompareAndSet(put, index) => Reply::Done(state.compare_and_set(put, index)),
            Command::Acquire(_, session) if !state.is_alive(session) => Reply::InvalidSession(session),
            Command::Acquire(put, session) => Reply::Done(state.acquire(put, session)),
            Command::Release(put, session) => Reply::Done(state.release(put, session)),
            Command::CheckedPut { lock, session, put } => match state.get(lock) {
                Some(row) if row.session == Some(session) => {
                    state.put(put);
                    Reply::Transacted
                }
                Some(row) => Reply::OtherSession { key: self.keys[lock], held_by: row.session, checked: session },
                None => Reply::NoKey(self.keys[lock]),
            },
        })
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        // A timer behind those of the sessions is a lock-delay: it being armed is all
        // there is to it.
        if timer < self.sessions {
            self.state(cells, time).invalidate(SessionId(timer));
        }
    }

    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        if keeps_memory {
            let mut state = self.state(cells, time);
            for session in 0..self.sessions {
                state.renew(SessionId(session));
            }
            return;
        }
        for timer in 0..self.timers() {
            time.disarm(timer);
        }
        cells.fill(0);
    }

    fn timers(&self) -> u8 {
        self.sessions + self.keys.len() as u8
    }
}
