//! The requests to the table, as text.

use alloc::string::String;
use alloc::vec::Vec;

use super::condition::{Attribute, Condition, Value};
use super::item::{Action, Item, NewNumber};
use super::reply::TRANSACTION_WRITES;
use crate::system::names::{Keys, Word, number, spaced};

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `GetItem KEY [ConsistentRead]`
    Get {
        /// Which item.
        key: usize,
        /// Whether the answer must hold every write before.
        consistent: bool,
    },
    /// One write: see [`Write`].
    Write {
        /// The write.
        write: Write,
        /// `ReturnValuesOnConditionCheckFailure=ALL_OLD`
        returns_old: bool,
    },
    /// `TransactWriteItems [ClientRequestToken=TOKEN] WRITE; WRITE…`, without `Item`
    /// in the name of each write, and with `ConditionCheck KEY IF …` as one more.
    Transact {
        /// The token that makes a repetition harmless for a while.
        token: Option<Word>,
        /// The writes: all of them happen, or none.
        writes: Vec<Write>,
        /// A number that tells requests apart: two requests that differ have the same
        /// one with a chance of one in 2^32.
        fingerprint: u32,
    },
}

/// One write.
///
/// ```text
/// PutItem l v=7, owner=a IF attribute_not_exists(pk)
/// UpdateItem l SET v=v+1, owner=b IF v=:7 AND owner<>:b
/// DeleteItem l IF owner=:a
/// ```
///
/// `IF` stands for the parameter `ConditionExpression`; `:7` stands for a value
/// that the real request carries beside its expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Which item.
    pub key: usize,
    /// What it becomes.
    pub action: Action,
    /// Under which condition.
    pub condition: Condition,
}

/// Reads a request; `None` if it is none.
pub(super) fn parse(keys: &Keys, words: &str) -> Option<Command> {
    let (words, returns_old) = match words.strip_suffix(" ReturnValuesOnConditionCheckFailure=ALL_OLD") {
        Some(words) => (words, true),
        None => (words, false),
    };
    if let Some(rest) = words.strip_prefix("TransactWriteItems ") {
        return if returns_old { None } else { transaction(keys, rest.trim()) };
    }
    let text = spaced_signs(words);
    let tokens: Vec<&str> = text.split_whitespace().collect();
    match tokens.as_slice() {
        ["GetItem", key] => Some(Command::Get { key: keys.find(key)?, consistent: false }),
        ["GetItem", key, "ConsistentRead"] => Some(Command::Get { key: keys.find(key)?, consistent: true }),
        [name, rest @ ..] => {
            let write = write(keys, name.strip_suffix("Item")?, rest)?;
            Some(Command::Write { write, returns_old })
        }
        [] => None,
    }
}

/// Puts spaces around each sign, and keeps those of two characters together.
fn spaced_signs(words: &str) -> String {
    spaced(words, "(),=+;<>").replace("<  >", "<>").replace("<  =", "<=").replace(">  =", ">=")
}

fn transaction(keys: &Keys, words: &str) -> Option<Command> {
    let (token, words) = match words.strip_prefix("ClientRequestToken=") {
        Some(rest) => {
            let (token, rest) = rest.split_once(' ')?;
            (Some(Word::parse(token)?), rest)
        }
        None => (None, words),
    };
    let text = spaced_signs(words);
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let read = |tokens: &[&str]| write(keys, tokens.first()?, &tokens[1..]);
    let writes: Vec<Write> = tokens.split(|&token| token == ";").map(read).collect::<Option<_>>()?;
    let twice = (1..writes.len()).any(|at| writes[..at].iter().any(|before| before.key == writes[at].key));
    if twice || writes.len() > TRANSACTION_WRITES {
        return None;
    }
    Some(Command::Transact { token, writes, fingerprint: fingerprint(&tokens) })
}

fn write(keys: &Keys, name: &str, rest: &[&str]) -> Option<Write> {
    let (key, rest) = rest.split_first()?;
    let key = keys.find(key)?;
    let (change, condition) = match rest.iter().position(|&token| token == "IF") {
        Some(at) => (&rest[..at], Condition::parse(&rest[at + 1..])?),
        None => (rest, Condition::default()),
    };
    let action = match (name, change) {
        ("Put", []) => Action::Put(Item::default()),
        ("Put", values) => Action::Put(item(values)?),
        ("Update", ["SET", settings @ ..]) => update(settings)?,
        ("Delete", []) => Action::Delete,
        ("ConditionCheck", []) if condition != Condition::default() => Action::Check,
        _ => return None,
    };
    Some(Write { key, action, condition })
}

fn item(tokens: &[&str]) -> Option<Item> {
    let mut item = Item::default();
    for value in tokens.split(|&token| token == ",") {
        match value {
            ["v", "=", value] if item.number.is_none() => item.number = Some(number(value)?),
            ["owner", "=", value] if item.owner.is_none() => item.owner = Some(Word::parse(value)?),
            _ => return None,
        }
    }
    Some(item)
}

fn update(tokens: &[&str]) -> Option<Action> {
    let (mut new_number, mut new_owner) = (None, None);
    for setting in tokens.split(|&token| token == ",") {
        match setting {
            ["v", "=", "v", "+", more] if new_number.is_none() => {
                new_number = Some(NewNumber::Plus(number(more.strip_prefix(':').unwrap_or(more))?));
            }
            ["v", "=", value] if new_number.is_none() => match Value::parse(Attribute::Number, value)? {
                Value::Number(value) => new_number = Some(NewNumber::To(value)),
                Value::Word(_) => return None,
            },
            ["owner", "=", value] if new_owner.is_none() => match Value::parse(Attribute::Owner, value)? {
                Value::Word(value) => new_owner = Some(value),
                Value::Number(_) => return None,
            },
            _ => return None,
        }
    }
    Some(Action::Update { number: new_number, owner: new_owner })
}

/// FNV-1a of the tokens (<http://www.isthe.com/chongo/tech/comp/fnv/>).
fn fingerprint(tokens: &[&str]) -> u32 {
    let bytes = tokens.iter().flat_map(|token| token.bytes().chain([b' ']));
    bytes.fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
