//! What each command does to the keys.

use super::Redis;
use super::command::{Condition, DataCommand, Expiry, Field, Set};
use super::keyspace::{Keyspace, Stored};
use super::reply::{Answer, Error};
use super::text::{Key, Keys, Value};

impl Redis {
    /// Runs a command in one step.
    pub(super) fn run(&self, command: DataCommand, space: &mut Keyspace) -> Answer {
        if let DataCommand::Evaluate(script) = command {
            return self.run_script(script, space).unwrap_or_else(Answer::ScriptError);
        }
        self.try_run(command, space).unwrap_or_else(Answer::Error)
    }

    fn try_run(&self, command: DataCommand, space: &mut Keyspace) -> Result<Answer, Error> {
        Ok(match command {
            DataCommand::Get(key) => self.text_or_nil(space.value(key)?),
            DataCommand::Set(set) => self.set(set, space)?,
            DataCommand::SetIfAbsent(key, value) => {
                let is_free = !space.has(key);
                if is_free {
                    space.put(key, Stored::Plain(value), Expiry::Never);
                }
                Answer::Integer(is_free.into())
            }
            DataCommand::Delete(keys) => count(keys.iter().filter(|&key| space.delete(key))),
            DataCommand::DeleteIf { key, value, equal } => {
                let held = space.value(key)?;
                let holds = held.is_some_and(|held| (held == value) == equal);
                Answer::Integer((holds && space.delete(key)).into())
            }
            DataCommand::Exists(keys) => count(keys.iter().filter(|&key| space.has(key))),
            DataCommand::TimeLeft(key) => Answer::Integer(space.left_ms(key)),
            DataCommand::ExpireAfter(key, ms) => Answer::Integer(space.expire_after(key, ms).into()),
            DataCommand::Increment(key) => self.increment(key, space)?,
            DataCommand::HashGet(key, field) => match (space.stored(key), field) {
                (None, _) => Answer::Nil,
                (Some(Stored::Plain(_)), _) => return Err(Error::WrongType),
                (Some(Stored::Versioned { version, .. }), Field::Version) => self.text_of(version),
                (Some(Stored::Versioned { data, .. }), Field::Data) => self.text_of(data),
            },
            DataCommand::FlushAll => {
                for key in (0..self.names.key_count() as u8).map(Key) {
                    space.delete(key);
                }
                Answer::Ok
            }
            DataCommand::Unwatch => Answer::Ok,
            DataCommand::Wait(..) => {
                let is_written = space.written != Keys::default();
                Answer::Integer(if is_written { 0 } else { space.acknowledged.into() })
            }
            DataCommand::Evaluate(script) => self.run_script(script, space)?,
            DataCommand::BadOptions => return Err(Error::Syntax),
        })
    }

    fn set(&self, set: Set, space: &mut Keyspace) -> Result<Answer, Error> {
        if set.expiry == Expiry::After(0) {
            return Err(Error::InvalidExpire);
        }
        let old = if set.returns_old { space.value(set.key)? } else { None };
        let holds = match set.condition {
            Condition::Always => true,
            Condition::IfAbsent => !space.has(set.key),
            Condition::IfPresent => space.has(set.key),
            Condition::IfEqual(expected) => space.value(set.key)? == Some(expected),
        };
        if holds {
            space.put(set.key, Stored::Plain(set.value), set.expiry);
        }
        Ok(if set.returns_old {
            self.text_or_nil(old)
        } else if holds {
            Answer::Ok
        } else {
            Answer::Nil
        })
    }

    /// Counts a key up by one, from 0 if it isn't there. Its end stays.
    pub(super) fn increment(&self, key: Key, space: &mut Keyspace) -> Result<Answer, Error> {
        let old = match space.value(key)? {
            None => 0,
            Some(value) => self.names.integer(value).ok_or(Error::NotAnInteger)?,
        };
        let new = old.checked_add(1).ok_or(Error::Overflow)?;
        let value = self.names.value_of(new).ok_or(Error::Overflow)?;
        space.put(key, Stored::Plain(value), Expiry::Keep);
        Ok(Answer::Integer(new))
    }

    /// A value as an answer.
    pub(super) fn text_of(&self, value: Value) -> Answer {
        Answer::Text(self.names.text(value))
    }

    fn text_or_nil(&self, value: Option<Value>) -> Answer {
        value.map_or(Answer::Nil, |value| self.text_of(value))
    }
}

fn count(keys: impl Iterator<Item = Key>) -> Answer {
    Answer::Integer(keys.map(|_| 1).sum())
}
