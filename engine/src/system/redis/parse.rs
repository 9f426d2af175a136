//! Reads commands as clients write them, in upper case.

use alloc::vec::Vec;

use super::command::{Command, Condition, DataCommand, Expiry, Field, Set, UnknownCommand};
use super::script::Script;
use super::text::{Key, Keys, Text, Value};
use super::{Redis, Version};

impl Redis {
    /// Reads a command; `None` if the model doesn't know it, or a key, a value or a
    /// number in it.
    pub(super) fn read(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        Some(match words[..] {
            ["WATCH" | "MULTI" | "EXEC" | "DISCARD", ..] if self.connections == 0 => return None,
            ["WATCH", ref keys @ ..] => Command::Watch(self.keys(keys)?),
            ["MULTI"] => Command::Multi,
            ["EXEC"] => Command::Exec,
            ["DISCARD"] => Command::Discard,
            ["NOSUCH"] => Command::Unknown(UnknownCommand::NoSuch),
            ["DELEX", key, condition @ ("IFEQ" | "IFNE"), value] if self.version == Version::V7_0 => {
                Command::Unknown(UnknownCommand::DeleteIf([Text::new(key)?, Text::new(condition)?, Text::new(value)?]))
            }
            ["DELEX", ..] if self.version == Version::V7_0 => return None,
            _ => Command::Data(self.read_data(&words)?),
        })
    }

    fn read_data(&self, words: &[&str]) -> Option<DataCommand> {
        Some(match *words {
            ["GET", key] => DataCommand::Get(self.key(key)?),
            ["SET", key, value, ref options @ ..] => self.read_set(self.key(key)?, self.value(value)?, options)?,
            ["SETNX", key, value] => DataCommand::SetIfAbsent(self.key(key)?, self.value(value)?),
            ["DEL", ref keys @ ..] => DataCommand::Delete(self.keys(keys)?),
            ["DELEX", key] => DataCommand::Delete(self.keys(&[key])?),
            ["DELEX", key, condition @ ("IFEQ" | "IFNE"), value] => {
                let (key, value) = (self.key(key)?, self.value(value)?);
                DataCommand::DeleteIf { key, value, equal: condition == "IFEQ" }
            }
            ["EXISTS", ref keys @ ..] => DataCommand::Exists(self.keys(keys)?),
            ["PTTL", key] => DataCommand::TimeLeft(self.key(key)?),
            ["PEXPIRE", key, ms] => DataCommand::ExpireAfter(self.key(key)?, milliseconds(ms, 1)?),
            ["EXPIRE", key, s] => DataCommand::ExpireAfter(self.key(key)?, milliseconds(s, 1_000)?),
            ["INCR", key] => DataCommand::Increment(self.key(key)?),
            ["HGET", key, "v"] => DataCommand::HashGet(self.key(key)?, Field::Version),
            ["HGET", key, "data"] => DataCommand::HashGet(self.key(key)?, Field::Data),
            ["FLUSHALL"] => DataCommand::FlushAll,
            ["UNWATCH"] => DataCommand::Unwatch,
            ["WAIT", replicas @ ("0" | "1"), ms] => DataCommand::Wait((replicas == "1").into(), ms.parse().ok()?),
            ["EVAL", name, count, ref rest @ ..] => DataCommand::Evaluate(self.read_script(name, count, rest)?),
            _ => return None,
        })
    }

    fn read_set(&self, key: Key, value: Value, options: &[&str]) -> Option<DataCommand> {
        let mut set = Set { key, value, condition: Condition::Always, returns_old: false, expiry: Expiry::Never };
        let mut options = options.iter().copied();
        let mut given_unit = None;
        while let Some(option) = options.next() {
            match (option, set.condition, set.expiry) {
                ("GET", ..) => set.returns_old = true,
                ("NX", Condition::Always | Condition::IfAbsent, _) => set.condition = Condition::IfAbsent,
                ("XX", Condition::Always | Condition::IfPresent, _) => set.condition = Condition::IfPresent,
                ("IFEQ", Condition::Always, _) if self.version != Version::V7_0 => match options.next() {
                    Some(expected) => set.condition = Condition::IfEqual(self.value(expected)?),
                    None => return Some(DataCommand::BadOptions),
                },
                ("KEEPTTL", _, Expiry::Never | Expiry::Keep) => set.expiry = Expiry::Keep,
                (unit @ ("PX" | "EX"), _, Expiry::Never | Expiry::After(_)) => match options.next() {
                    Some(term) if given_unit.is_none_or(|given| given == unit) => {
                        given_unit = Some(unit);
                        set.expiry = Expiry::After(milliseconds(term, if unit == "PX" { 1 } else { 1_000 })?);
                    }
                    _ => return Some(DataCommand::BadOptions),
                },
                _ => return Some(DataCommand::BadOptions),
            }
        }
        Some(DataCommand::Set(set))
    }

    fn read_script(&self, name: &str, count: &str, rest: &[&str]) -> Option<Script> {
        let key = |name| self.key(name);
        let value = |text| self.value(text);
        let lease = |text| milliseconds(text, 1).filter(|&ms| ms > 0);
        Some(match (name, count, rest) {
            ("CAD", "1", [k, v]) => Script::CompareAndDelete(key(k)?, value(v)?),
            ("EXTEND", "1", [k, v, ms]) => Script::Extend(key(k)?, value(v)?, milliseconds(ms, 1)?),
            ("GRANT", "2", [k, fence, v, ms]) => {
                Script::Grant { key: key(k)?, fence: key(fence)?, value: value(v)?, ms: lease(ms)? }
            }
            ("CAS_IF_EQUAL", "1", [k, expected, v]) => Script::CompareAndSet(key(k)?, value(expected)?, value(v)?),
            ("SET_IF_NEWER" | "FILL_IF_NEWER", "1", [k, version, data, s]) => {
                let version = value(version).filter(|&version| self.names.integer(version).is_some())?;
                let (key, data, ms) = (key(k)?, value(data)?, milliseconds(s, 1_000)?);
                match name {
                    "SET_IF_NEWER" => Script::SetIfNewer { key, version, data, ms },
                    _ => Script::FillIfNewer { key, version, data, ms },
                }
            }
            ("SET_IF_LEASE", "2", [k, held, token, v, s]) => {
                let ms = milliseconds(s, 1_000).filter(|&ms| ms > 0)?;
                Script::SetIfLease { key: key(k)?, lease: key(held)?, token: value(token)?, value: value(v)?, ms }
            }
            ("LOCK_OR_EXTEND", "1", [k, v, ms]) => Script::LockOrExtend(key(k)?, value(v)?, lease(ms)?),
            ("SET_WORK_GET", "1", [k, v, ms]) => Script::SetWorkGet(key(k)?, value(v)?, lease(ms)?),
            _ => return None,
        })
    }

    /// Several keys, none of them twice.
    fn keys(&self, names: &[&str]) -> Option<Keys> {
        let none = (!names.is_empty()).then(Keys::default)?;
        names.iter().try_fold(none, |keys, name| {
            let key = self.key(name)?;
            (!keys.has(key)).then(|| keys.with(key))
        })
    }
}

/// A duration of at most 49 days, in milliseconds; 0 if it is negative.
fn milliseconds(text: &str, unit_ms: i64) -> Option<u32> {
    u32::try_from(text.parse::<i64>().ok()?.max(0).checked_mul(unit_ms)?).ok()
}
