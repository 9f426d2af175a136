//! The Lua scripts that clients send, by name. Each runs in one step.
//!
//! In a transcript, `EVAL CAD 1 l a` stands for `EVAL` with the text of `CAD`,
//! one key and one argument. The texts:
//!
//! - `CAD 1 key value` (compare and delete, the only right way to release a lock:
//!   <https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/>)
//!   `if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end`
//! - `EXTEND 1 key value ms`
//!   `if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) else return 0 end`
//! - `GRANT 2 key fence value ms`: a lock with a fencing token
//!   `if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2]) then return redis.call('incr',KEYS[2]) else return 0 end`
//! - `CAS_IF_EQUAL 1 key expected value`: compares the value and not a version, so it
//!   takes a value that has come back for one that never changed
//!   `if redis.call('get',KEYS[1]) == ARGV[1] then redis.call('set',KEYS[1],ARGV[2]) return 1 else return 0 end`
//! - `SET_IF_NEWER 1 key version data s`: sets a hash of `v` and `data` unless it has this
//!   version or a newer one. Lua's numbers are doubles, so from 2⁵³ on a version may
//!   compare equal to its neighbour (<https://www.lua.org/manual/5.1/manual.html#2.2>)
//!   `local v = redis.call('hget',KEYS[1],'v') if v and tonumber(v) >= tonumber(ARGV[1]) then return 0 end
//!   redis.call('hset',KEYS[1],'v',ARGV[1],'data',ARGV[2]) redis.call('expire',KEYS[1],ARGV[3]) return 1`
//! - `FILL_IF_NEWER 1 key version data s`: the same, but data may take the place of a
//!   tombstone (empty data) that has its own version: who deletes or updates leaves the
//!   version from which on the cache may be filled again
//!   `local v, d = redis.call('hget',KEYS[1],'v'), redis.call('hget',KEYS[1],'data') local new = tonumber(ARGV[1])
//!   if v and (tonumber(v) > new or tonumber(v) == new and d ~= '') then return 0 end`, then as above
//! - `SET_IF_LEASE 2 key lease token value s`: fills a cache if the lease is still ours
//!   `if redis.call('get',KEYS[2]) == ARGV[1] then redis.call('set',KEYS[1],ARGV[2],'EX',ARGV[3]) return 1 else return 0 end`
//! - `LOCK_OR_EXTEND 1 key value ms`: takes a lock that is free or ours, as one Redlock library does
//!   `if redis.call('exists',KEYS[1]) == 0 or redis.call('get',KEYS[1]) == ARGV[1] then
//!   return redis.call('set',KEYS[1],ARGV[1],'PX',ARGV[2]) end`
//! - `SET_WORK_GET 1 key value ms`: sets, works for a while, gets. However long that takes
//!   (who drives the system says it, by letting time pass afterwards), the key is still
//!   there: time stands still in a script.
//!   `redis.call('set',KEYS[1],ARGV[1],'PX',ARGV[2]) work() return redis.call('get',KEYS[1])`

use serde::{Deserialize, Serialize};

use super::Redis;
use super::command::Expiry;
use super::keyspace::{Keyspace, Stored};
use super::reply::{Answer, Error};
use super::text::{Key, Value};

/// A script with its keys and arguments. Its text stands in this file's head, and
/// a missing key is `false` in there, so it equals no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Script {
    /// `CAD`: deletes the key if it has this value. 1 if it did, else 0.
    CompareAndDelete(Key, Value),
    /// `EXTEND`: a new end for the key, in milliseconds from now, if it has this value.
    /// 1 if it did, else 0.
    Extend(Key, Value, u32),
    /// `GRANT`: takes a free lock and counts the fence. The token, or 0 if it is held.
    Grant {
        /// The lock.
        key: Key,
        /// The counter of tokens.
        fence: Key,
        /// The value that says whose lock it is.
        value: Value,
        /// The lease, in milliseconds.
        ms: u32,
    },
    /// `CAS_IF_EQUAL`: sets the key to the second value if it has the first. 1 or 0.
    CompareAndSet(Key, Value, Value),
    /// `SET_IF_NEWER`: sets version and data, unless the key has this version or a
    /// newer one. 1 or 0.
    SetIfNewer {
        /// The key.
        key: Key,
        /// The version of the data, an integer.
        version: Value,
        /// The data. Empty data is a tombstone: the key stays, and older data stays out.
        data: Value,
        /// The end, in milliseconds from now.
        ms: u32,
    },
    /// `FILL_IF_NEWER`: sets version and data, unless the key has a newer version, or
    /// this one with data. 1 or 0.
    FillIfNewer {
        /// The key.
        key: Key,
        /// The version of the data, an integer.
        version: Value,
        /// The data.
        data: Value,
        /// The end, in milliseconds from now.
        ms: u32,
    },
    /// `SET_IF_LEASE`: sets the key if the lease has this token. 1 or 0.
    SetIfLease {
        /// The key.
        key: Key,
        /// The lease.
        lease: Key,
        /// The token that the lease must have.
        token: Value,
        /// The new value.
        value: Value,
        /// The end, in milliseconds from now.
        ms: u32,
    },
    /// `LOCK_OR_EXTEND`: sets the key if it is free or has this value. OK or nil.
    LockOrExtend(Key, Value, u32),
    /// `SET_WORK_GET`: sets, works for a while, gets. The value that was set.
    SetWorkGet(Key, Value, u32),
}

impl Redis {
    /// Runs a script to its end, or to its first error.
    pub(super) fn run_script(&self, script: Script, space: &mut Keyspace) -> Result<Answer, Error> {
        let done = match script {
            Script::CompareAndDelete(key, value) => space.value(key)? == Some(value) && space.delete(key),
            Script::Extend(key, value, ms) => space.value(key)? == Some(value) && space.expire_after(key, ms),
            Script::Grant { key, fence, value, ms } => {
                if space.has(key) {
                    return Ok(Answer::Integer(0));
                }
                space.put(key, Stored::Plain(value), expiry(ms)?);
                return self.increment(fence, space);
            }
            Script::CompareAndSet(key, expected, value) => {
                let equal = space.value(key)? == Some(expected);
                if equal {
                    space.put(key, Stored::Plain(value), Expiry::Never);
                }
                equal
            }
            Script::SetIfNewer { key, version, data, ms } => {
                self.is_newer(key, version, false, space)? && set(key, version, data, ms, space)
            }
            Script::FillIfNewer { key, version, data, ms } => {
                self.is_newer(key, version, true, space)? && set(key, version, data, ms, space)
            }
            Script::SetIfLease { key, lease, token, value, ms } => {
                let ours = space.value(lease)? == Some(token);
                if ours {
                    space.put(key, Stored::Plain(value), expiry(ms)?);
                }
                ours
            }
            Script::LockOrExtend(key, value, ms) => {
                if space.value(key)?.is_some_and(|held| held != value) {
                    return Ok(Answer::Nil);
                }
                space.put(key, Stored::Plain(value), expiry(ms)?);
                return Ok(Answer::Ok);
            }
            Script::SetWorkGet(key, value, ms) => {
                space.put(key, Stored::Plain(value), expiry(ms)?);
                return Ok(self.text_of(value));
            }
        };
        Ok(Answer::Integer(done.into()))
    }

    /// Whether a version is newer than the one that is there; one that fills a cache
    /// may be the version of a tombstone.
    fn is_newer(&self, key: Key, version: Value, fills: bool, space: &mut Keyspace) -> Result<bool, Error> {
        let as_lua_sees_it = |version| self.names.integer(version).map(nearest_double);
        let new = as_lua_sees_it(version);
        match space.stored(key) {
            Some(Stored::Plain(_)) => Err(Error::WrongType),
            Some(Stored::Versioned { version: old, data }) if fills && data == Value::EMPTY => {
                Ok(as_lua_sees_it(old) <= new)
            }
            Some(Stored::Versioned { version: old, .. }) => Ok(as_lua_sees_it(old) < new),
            None => Ok(true),
        }
    }
}

/// Sets version and data. Always true.
fn set(key: Key, version: Value, data: Value, ms: u32, space: &mut Keyspace) -> bool {
    space.put(key, Stored::Versioned { version, data }, Expiry::Keep);
    space.expire_after(key, ms);
    true
}

/// A term that `SET` takes.
fn expiry(ms: u32) -> Result<Expiry, Error> {
    if ms == 0 { Err(Error::InvalidExpire) } else { Ok(Expiry::After(ms)) }
}

/// The integer that a double makes of an integer: the nearest one of 53 bits, and
/// of two equally near ones that with an even last bit.
fn nearest_double(number: i64) -> i128 {
    let size = number.unsigned_abs();
    let dropped = (u64::BITS - size.leading_zeros()).saturating_sub(53);
    let unit = 1_u64 << dropped;
    let (whole, rest) = (size / unit, size % unit);
    let up = rest * 2 > unit || (rest * 2 == unit && whole % 2 == 1);
    i128::from(number.signum()) * i128::from(whole + u64::from(up)) * i128::from(unit)
}

#[cfg(test)]
mod tests {
    use super::nearest_double;

    #[test]
    fn doubles_round_to_the_nearest_and_to_even() {
        const FIRST: i64 = 1 << 53;
        assert_eq!(nearest_double(7), 7);
        assert_eq!(nearest_double(-7), -7);
        assert_eq!(nearest_double(0), 0);
        assert_eq!(nearest_double(FIRST - 1), i128::from(FIRST - 1));
        assert_eq!(nearest_double(FIRST + 1), i128::from(FIRST));
        assert_eq!(nearest_double(FIRST + 3), i128::from(FIRST + 4));
        assert_eq!(nearest_double(-FIRST - 3), -i128::from(FIRST + 4));
        assert_eq!(nearest_double(i64::MAX), 1_i128 << 63);
        assert_eq!(nearest_double(i64::MIN), -(1_i128 << 63));
    }
}
