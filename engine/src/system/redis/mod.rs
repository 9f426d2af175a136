//! Redis: one node ([`Redis`]), and one with a replica ([`RedisPair`]).
//!
//! Modelled after 7.0.15. The end of a key is a date of the server's wall clock,
//! set when the command runs
//! (<https://github.com/redis/redis/blob/7.0.15/src/db.c>, `setExpire`): a constant
//! offset of that clock does no harm, and a step after the command moves the end.
//!
//! Reading order: [`Command`] and [`Reply`] are the words, [`Script`] holds the
//! scripts that locks and caches are made of; the rest serves them.

mod command;
mod connection;
mod keyspace;
mod parse;
mod replica;
mod reply;
mod run;
mod script;
mod text;

pub use command::{Command, Condition, DataCommand, Expiry, Field, Set, UnknownCommand};
pub use connection::MOST_QUEUED;
pub use replica::{PairCommand, RedisPair};
pub use reply::{Answer, Answers, Error, Reply};
pub use script::Script;
pub use text::{Key, Keys, MOST_KEYS, MOST_WORDS, NamesError, Text, Value};

use super::{Caller, ClockKind, System, Time, Timer, View};
use crate::system::Cell;
use connection::Connection;
use keyspace::{KEY_LENGTH, Keyspace};
use text::Names;

/// Which commands there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 7.0, as Debian 12 has it.
    V7_0,
    /// 8.4, which compares and deletes in a command of its own: `DELEX key IFEQ value`
    /// (<https://redis.io/docs/latest/commands/delex/>), and `SET key value IFEQ old`.
    V8_4,
}

/// One Redis node.
///
/// It knows a fixed list of keys, and as values a fixed list of words, the empty
/// string (written `""`) and the numbers from 0 to [`Value::LARGEST_NUMBER`].
/// Each key has one timer, by which it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redis {
    version: Version,
    names: Names,
    connections: u8,
    queue: u8,
}

impl Redis {
    /// A node that knows these keys and these words, and no transactions.
    ///
    /// # Errors
    /// If there are too many of them, or one isn't one short word.
    pub fn new(version: Version, keys: &[&str], words: &[&str]) -> Result<Self, NamesError> {
        Ok(Self { version, names: Names::new(keys, words)?, connections: 0, queue: 0 })
    }

    /// The same node with transactions (`WATCH`, `MULTI`) for this many callers, each
    /// of which can queue up to `queue` commands, but no more than [`MOST_QUEUED`].
    #[must_use]
    pub fn with_transactions(self, connections: u8, queue: u8) -> Self {
        Self { connections, queue: queue.min(MOST_QUEUED as u8), ..self }
    }

    /// A key by its name.
    pub fn key(&self, name: &str) -> Option<Key> {
        self.names.key(name)
    }

    /// A value as it is written.
    pub fn value(&self, text: &str) -> Option<Value> {
        self.names.value(text)
    }

    fn keys_length(&self) -> usize {
        self.names.key_count() * KEY_LENGTH
    }

    /// The connections of all callers, in order.
    fn connections<'a>(&self, cells: &'a mut [Cell]) -> impl Iterator<Item = Connection<'a>> + use<'a> {
        cells.chunks_exact_mut(connection::length(self.queue.into())).take(self.connections.into()).map(Connection)
    }

    /// Tells those who watch that keys were written.
    fn note(&self, written: Keys, connections: &mut [Cell]) {
        for mut connection in self.connections(connections) {
            connection.note(written);
        }
    }

    fn is_queuing(&self, caller: Caller, cells: &mut [Cell]) -> bool {
        let connections = &mut cells[self.keys_length()..];
        self.connections(connections).nth(caller.into()).is_some_and(|own| own.is_queuing())
    }

    /// Closes all connections.
    fn close_all(&self, cells: &mut [Cell]) {
        cells[self.keys_length()..self.length()].fill(0);
    }

    /// Handles a command; also says which keys it has written. `acknowledged` says how
    /// many replicas have all earlier writes of the caller.
    fn serve(
        &self,
        caller: Caller,
        command: &Command,
        acknowledged: u8,
        cells: &mut [Cell],
        time: &mut dyn Time,
    ) -> Option<(Reply, Keys)> {
        let (keys, connections) = cells[..self.length()].split_at_mut(self.keys_length());
        let mut space = Keyspace::new(keys, time, 0);
        space.acknowledged = acknowledged;
        let own = self.connections(connections).nth(caller.into());
        let reply = match (command, own) {
            (Command::Data(DataCommand::Wait(1, 0)), own)
                if acknowledged == 0 && !own.as_ref().is_some_and(Connection::is_queuing) =>
            {
                return None;
            }
            (Command::Data(command), None) => Reply::One(self.run(*command, &mut space)),
            (Command::Unknown(command), None) => Reply::Unknown(*command),
            (_, None) => Reply::One(Answer::Error(Error::TooManyClients)),
            (command, Some(own)) => self.serve_connection(command, own, &mut space),
        };
        let written = space.written;
        self.note(written, connections);
        Some((reply, written))
    }

    fn serve_connection(&self, command: &Command, mut own: Connection, space: &mut Keyspace) -> Reply {
        let answer = match command {
            Command::Data(command) if own.is_queuing() => {
                if own.queue(command) {
                    Answer::Queued
                } else {
                    own.refuse();
                    Answer::Error(Error::OutOfMemory)
                }
            }
            Command::Data(command) => {
                if *command == DataCommand::Unwatch {
                    own.unwatch();
                }
                self.run(*command, space)
            }
            Command::Unknown(command) => {
                own.refuse();
                return Reply::Unknown(*command);
            }
            Command::Watch(_) if own.is_queuing() => Answer::Error(Error::WatchInsideMulti),
            Command::Watch(keys) => {
                own.watch(*keys);
                Answer::Ok
            }
            Command::Multi if own.is_queuing() => Answer::Error(Error::NestedMulti),
            Command::Multi => {
                own.begin();
                Answer::Ok
            }
            Command::Discard if !own.is_queuing() => Answer::Error(Error::DiscardWithoutMulti),
            Command::Discard => {
                own.forget();
                Answer::Ok
            }
            Command::Exec if !own.is_queuing() => Answer::Error(Error::ExecWithoutMulti),
            Command::Exec if own.is_refused() => {
                own.forget();
                Answer::Error(Error::ExecAbort)
            }
            Command::Exec if own.is_changed() => {
                own.forget();
                Answer::Nil
            }
            Command::Exec => {
                let mut answers = Answers::new();
                for command in (0..MOST_QUEUED).map_while(|place| own.queued(place)) {
                    answers.push(self.run(command, space));
                }
                own.forget();
                return Reply::List(answers);
            }
        };
        Reply::One(answer)
    }
}

impl System for Redis {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Wall;

    fn parse(&self, words: &str) -> Option<Command> {
        self.read(words)
    }

    fn length(&self) -> usize {
        self.keys_length() + usize::from(self.connections) * connection::length(self.queue.into())
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        self.serve(caller, command, 0, cells, time).map(|(reply, _)| reply)
    }

    /// A key has come to its end.
    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        let (keys, connections) = cells[..self.length()].split_at_mut(self.keys_length());
        let mut space = Keyspace::new(keys, time, 0);
        space.delete(Key(timer));
        let written = space.written;
        self.note(written, connections);
    }

    fn disconnect(&self, caller: Caller, cells: &mut [Cell], _: &mut dyn Time) {
        let connections = &mut cells[self.keys_length()..];
        if let Some(mut own) = self.connections(connections).nth(caller.into()) {
            own.forget();
        }
    }

    /// Connections do not survive. Keys do if they were on disk, and so do their ends:
    /// time passes while the server is down.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        self.close_all(cells);
        if !keeps_memory {
            let mut space = Keyspace::new(&mut cells[..self.keys_length()], time, 0);
            self.run(DataCommand::FlushAll, &mut space);
        }
    }

    fn timers(&self) -> u8 {
        self.names.key_count() as u8
    }

    fn has_transactions(&self) -> bool {
        self.connections > 0
    }

    /// What is queued isn't done before `EXEC`.
    fn view(&self, _: Caller, command: &Command, reply: Option<&Reply>, _: &[Cell]) -> View {
        match (command, reply) {
            (_, Some(Reply::One(Answer::Queued))) => View::Open,
            (Command::Exec, Some(Reply::List(_))) => View::Committed,
            (Command::Exec | Command::Discard, _) => View::Undone,
            _ => View::Shared,
        }
    }
}
