//! Transactions: compare, then do one of two lists of operations.

use core::cmp::Ordering;

use super::key::{Key, KeyValue, LeaseId, parse_id};
use super::reply::{Failure, Reply, Response};
use super::state::State;
use crate::system::label::Label;

/// A transaction: if all comparisons hold, the operations of `then`, else those of
/// `otherwise`, in one step with one revision
/// (<https://etcd.io/docs/v3.5/learning/api/#transaction>).
///
/// As text: `txn if create(k) = 0, value(j) != a then put k b, del j else get k`. The
/// targets are `create`, `mod`, `version` and `value`; the relations `=`, `!=`, `<` and
/// `>`. `if …` and `else …` may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Txn {
    /// The comparisons.
    pub compare: [Option<Compare>; Txn::COMPARISONS],
    /// What is done if all of them hold.
    pub then: Operations,
    /// What is done if one doesn't.
    pub otherwise: Operations,
}

/// A list of operations.
pub type Operations = [Option<Operation>; Txn::OPERATIONS];

impl Txn {
    /// How many comparisons there can be.
    pub const COMPARISONS: usize = 3;
    /// How many operations each list can have.
    pub const OPERATIONS: usize = 4;
}

/// A comparison with what the store has of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compare {
    /// Which key.
    pub key: Key,
    /// What of it, and with what.
    pub target: Target,
    /// Which ways the store's may differ from the other: less, equal, greater.
    pub allowed: [bool; 3],
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The revision that created the key; 0 if it is absent.
    Create(u16),
    /// The revision that last changed it; 0 if it is absent.
    Mod(u16),
    /// How often it was put since it was created; 0 if it is absent.
    Version(u16),
    /// Its value. If the key is absent, no comparison of values holds.
    Value(Label),
}

/// An operation of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Writes a key.
    Put {
        /// Which key.
        key: Key,
        /// What is written.
        value: Label,
        /// The lease with which it goes.
        lease: Option<LeaseId>,
    },
    /// Reads a key.
    Get(Key),
    /// Deletes a key.
    Delete(Key),
}

impl Compare {
    fn holds(&self, found: Option<KeyValue>) -> bool {
        let number = |of: fn(KeyValue) -> u16| found.map_or(0, of);
        let order = match self.target {
            Target::Create(other) => number(|found| found.create_revision).cmp(&other),
            Target::Mod(other) => number(|found| found.mod_revision).cmp(&other),
            Target::Version(other) => number(|found| found.version).cmp(&other),
            Target::Value(other) => match found {
                Some(found) => found.value.cmp(&other),
                None => return false,
            },
        };
        self.allowed[match order {
            Ordering::Less => 0,
            Ordering::Equal => 1,
            Ordering::Greater => 2,
        }]
    }
}

impl State<'_> {
    /// Does a transaction. A key that one list writes twice, or writes and deletes, is an
    /// error whichever list is taken; a lease that isn't there only in the list taken.
    pub(super) fn txn(&mut self, txn: &Txn) -> Result<Reply, Failure> {
        if has_duplicate(&txn.then) || has_duplicate(&txn.otherwise) {
            return Err(Failure::DuplicateKey);
        }
        let succeeded = txn.compare.iter().flatten().all(|compare| compare.holds(self.get(compare.key)));
        let operations = if succeeded { &txn.then } else { &txn.otherwise };
        self.check_operations(operations)?;
        let changes = operations.iter().flatten().any(|operation| match operation {
            Operation::Put { .. } => true,
            Operation::Delete(key) => self.get(*key).is_some(),
            Operation::Get(_) => false,
        });
        let revision = self.revision() + u16::from(changes);
        let responses = operations.map(|operation| {
            Some(match operation? {
                Operation::Put { key, value, lease } => {
                    self.write(key, value, lease, revision);
                    Response::Put
                }
                Operation::Get(key) => Response::Get(self.get(key)),
                Operation::Delete(key) => Response::Deleted(self.erase(key)),
            })
        });
        self.set_revision(revision);
        Ok(Reply::Txn { succeeded, responses, revision })
    }

    /// Whether operations can be carried out, all of them.
    fn check_operations(&self, operations: &Operations) -> Result<(), Failure> {
        let mut created = 0;
        for operation in operations.iter().flatten() {
            match operation {
                Operation::Put { key, lease, .. } => {
                    self.check_lease(*lease)?;
                    self.check_revision()?;
                    created += usize::from(self.get(*key).is_none());
                }
                Operation::Delete(_) => self.check_revision()?,
                Operation::Get(_) => {}
            }
        }
        self.check_room(created)
    }
}

/// Whether a key is written twice, or written and deleted.
fn has_duplicate(operations: &Operations) -> bool {
    operations.iter().flatten().enumerate().any(|(at, operation)| {
        let Operation::Put { key, .. } = operation else { return false };
        let touches = |(other_at, other): (usize, &Operation)| {
            let other_key = match other {
                Operation::Put { key, .. } | Operation::Delete(key) => key,
                Operation::Get(_) => return false,
            };
            other_at != at && other_key == key
        };
        operations.iter().flatten().enumerate().any(touches)
    })
}

pub(super) fn parse(text: &str) -> Option<Txn> {
    let text = text.trim();
    let (compare, rest) = match text.strip_prefix("if ") {
        Some(text) => text.split_once(" then ")?,
        None => ("", text.strip_prefix("then ")?),
    };
    let (then, otherwise) = match rest.split_once(" else ") {
        Some((then, otherwise)) => (then, list(otherwise, parse_operation)?),
        None => (rest, [None; Txn::OPERATIONS]),
    };
    let compare = if compare.is_empty() { [None; Txn::COMPARISONS] } else { list(compare, parse_compare)? };
    Some(Txn { compare, then: list(then, parse_operation)?, otherwise })
}

/// Reads a list with commas; `None` if an item is none or there are too many.
fn list<T: Copy, const MOST: usize>(text: &str, parse: fn(&str) -> Option<T>) -> Option<[Option<T>; MOST]> {
    let mut list = [None; MOST];
    for (at, item) in text.split(',').enumerate() {
        *list.get_mut(at)? = Some(parse(item.trim())?);
    }
    Some(list)
}

fn parse_compare(text: &str) -> Option<Compare> {
    let (target, rest) = text.split_once('(')?;
    let (key, rest) = rest.split_once(')')?;
    let (relation, other) = rest.trim().split_once(' ')?;
    let number = || other.trim().parse().ok();
    let target = match target {
        "create" => Target::Create(number()?),
        "mod" => Target::Mod(number()?),
        "version" => Target::Version(number()?),
        "value" => Target::Value(Label::parse(other.trim())?),
        _ => return None,
    };
    let allowed = match relation {
        "<" => [true, false, false],
        "=" => [false, true, false],
        ">" => [false, false, true],
        "!=" => [true, false, true],
        _ => return None,
    };
    Some(Compare { key: Key::parse(key)?, target, allowed })
}

fn parse_operation(text: &str) -> Option<Operation> {
    let mut words = text.split_whitespace();
    let mut next = || words.next();
    let operation = match next()? {
        "put" => {
            let (key, value) = (Key::parse(next()?)?, Label::parse(next()?)?);
            let lease = match next() {
                Some(flag) => Some(parse_id(flag.strip_prefix("--lease=")?)?),
                None => None,
            };
            Operation::Put { key, value, lease }
        }
        "get" => Operation::Get(Key::parse(next()?)?),
        "del" => Operation::Delete(Key::parse(next()?)?),
        _ => return None,
    };
    words.next().is_none().then_some(operation)
}
