//! The statements in CQL, with what lies outside of it as a comment behind them.

use alloc::vec::Vec;

use super::row::Columns;
use crate::system::names::{Keys, Word, number, spaced};

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `SELECT * FROM t WHERE pk='KEY' [-- SERIAL]`
    Select {
        /// Which row.
        key: usize,
        /// Whether it is read at consistency level `SERIAL`, through Paxos.
        serial: bool,
    },
    /// `UPDATE t USING TIMESTAMP n SET … WHERE pk='KEY'`, or an `INSERT` likewise.
    Write {
        /// Which row.
        key: usize,
        /// What is written.
        columns: Columns,
        /// The timestamp, as the client or its coordinator gives it; from 1 on.
        timestamp: u16,
    },
    /// A lightweight transaction: `INSERT … IF NOT EXISTS` or `UPDATE … IF …`.
    Conditional {
        /// Which row.
        key: usize,
        /// What is written if the condition holds.
        columns: Columns,
        /// The condition.
        condition: Condition,
        /// What the coordinator's clock shows, or 0 for no more than before: the
        /// ballot is at least this (`-- ballot n`).
        clock: u16,
        /// How far the round gets if its coordinator gives up on it.
        timeout: Option<Timeout>,
    },
}

/// The condition of a lightweight transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `IF NOT EXISTS`
    NotExists,
    /// `IF EXISTS`
    Exists,
    /// `IF v=1`, `IF id='a'` or both with `AND`.
    Equals(Columns),
}

/// How far a round of Paxos got when the coordinator stopped waiting for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// `-- times out before accept`: no replica took the proposal, so it never happens.
    BeforeAccept,
    /// `-- times out after accept`: replicas hold the proposal, and the next round of
    /// anybody completes it.
    AfterAccept,
    /// `-- times out after commit`: it has happened, and only the answer is missing.
    AfterCommit,
}

/// Reads a statement; `None` if it is none.
pub(super) fn parse(keys: &Keys, words: &str) -> Option<Command> {
    let (statement, remark) = match words.split_once(" -- ") {
        Some((statement, remark)) => (statement, remark.trim()),
        None => (words, ""),
    };
    let text = spaced(statement, "(),=");
    let tokens: Vec<&str> = text.split_whitespace().collect();
    match tokens.as_slice() {
        ["SELECT", "*", "FROM", "t", "WHERE", "pk", "=", key] => {
            let serial = match remark {
                "" => false,
                "SERIAL" => true,
                _ => return None,
            };
            Some(Command::Select { key: keys.find(quoted(key)?)?, serial })
        }
        ["INSERT", "INTO", "t", "(", rest @ ..] => insert(keys, rest, remark),
        ["UPDATE", "t", rest @ ..] => update(keys, rest, remark),
        _ => None,
    }
}

fn insert(keys: &Keys, tokens: &[&str], remark: &str) -> Option<Command> {
    let end = tokens.iter().position(|&token| token == ")")?;
    let names = tokens[..end].split(|&token| token == ",");
    let ["VALUES", "(", rest @ ..] = &tokens[end + 1..] else { return None };
    let end = rest.iter().position(|&token| token == ")")?;
    let mut values = rest[..end].split(|&token| token == ",");
    let (mut key, mut columns) = (None, Columns::default());
    for name in names {
        match (name, values.next()?) {
            (["pk"], [value]) if key.is_none() => key = Some(keys.find(quoted(value)?)?),
            ([name], [value]) => set(&mut columns, name, value)?,
            _ => return None,
        }
    }
    if values.next().is_some() || !columns.is_any() {
        return None;
    }
    match &rest[end + 1..] {
        ["IF", "NOT", "EXISTS"] => conditional(key?, columns, Condition::NotExists, remark),
        ["USING", "TIMESTAMP", timestamp] => plain(key?, columns, timestamp, remark),
        _ => None,
    }
}

fn update(keys: &Keys, tokens: &[&str], remark: &str) -> Option<Command> {
    let (timestamp, tokens) = match tokens {
        ["USING", "TIMESTAMP", timestamp, rest @ ..] => (Some(*timestamp), rest),
        _ => (None, tokens),
    };
    let ["SET", tokens @ ..] = tokens else { return None };
    let end = tokens.iter().position(|&token| token == "WHERE")?;
    let columns = pairs(&tokens[..end], ",")?;
    let ["pk", "=", key, rest @ ..] = &tokens[end + 1..] else { return None };
    let key = keys.find(quoted(key)?)?;
    match (timestamp, rest) {
        (Some(timestamp), []) => plain(key, columns, timestamp, remark),
        (None, ["IF", "EXISTS"]) => conditional(key, columns, Condition::Exists, remark),
        (None, ["IF", tests @ ..]) => conditional(key, columns, Condition::Equals(pairs(tests, "AND")?), remark),
        _ => None,
    }
}

fn plain(key: usize, columns: Columns, timestamp: &str, remark: &str) -> Option<Command> {
    let timestamp = number(timestamp).filter(|&timestamp| timestamp > 0)?;
    remark.is_empty().then_some(Command::Write { key, columns, timestamp })
}

fn conditional(key: usize, columns: Columns, condition: Condition, remark: &str) -> Option<Command> {
    let (mut clock, mut timeout) = (0, None);
    for remark in remark.split(", ").filter(|remark| !remark.is_empty()) {
        match remark {
            "times out before accept" => timeout = Some(Timeout::BeforeAccept),
            "times out after accept" => timeout = Some(Timeout::AfterAccept),
            "times out after commit" => timeout = Some(Timeout::AfterCommit),
            _ => clock = number(remark.strip_prefix("ballot ")?)?,
        }
    }
    Some(Command::Conditional { key, columns, condition, clock, timeout })
}

/// Reads `v=1` and `id='a'`, in any order, with something between them.
fn pairs(tokens: &[&str], between: &str) -> Option<Columns> {
    let mut columns = Columns::default();
    for pair in tokens.split(|&token| token == between) {
        let [name, "=", value] = pair else { return None };
        set(&mut columns, name, value)?;
    }
    Some(columns)
}

/// Sets a column once.
fn set(columns: &mut Columns, name: &str, value: &str) -> Option<()> {
    match name {
        "v" if columns.v.is_none() => columns.v = Some(number(value)?),
        "id" if columns.id.is_none() => columns.id = Some(Word::parse(quoted(value)?)?),
        _ => return None,
    }
    Some(())
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.strip_suffix('\'')
}
