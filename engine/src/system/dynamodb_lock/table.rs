//! The table, as far as the lock needs it: one item, and conditional writes
//! (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html>).

use alloc::vec::Vec;
use core::fmt;

use super::item::{self, ITEM, Item, RecordVersion};
use crate::system::Cell;
use crate::system::names::Word;
use crate::system::{Caller, ClockKind, System, Time, Timer};

/// A table with the item of one lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockTable;

/// A request. `IF` stands for the parameter `ConditionExpression`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// `GetItem lock`, consistent.
    Get,
    /// `PutItem lock owner=a leaseDuration=20s rvn=a.1 IF …`: the whole item is new.
    Put(Item, Condition),
    /// `UpdateItem` with the same words, which a heartbeat sends. An attribute that it
    /// doesn't name stays as it is.
    Update(Item, Condition),
    /// `DeleteItem lock IF …`
    Delete(Condition),
}

/// Under which condition a write happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `attribute_not_exists(key)`: nobody holds the lock.
    NoItem,
    /// `rvn=a.1`: nobody has written since.
    Version(RecordVersion),
    /// `rvn=a.1 AND owner=a`: it is still one's own.
    Own(RecordVersion, Word),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200 with the item, if there is one.
    Read(Option<Item>),
    /// 200 after a write.
    Done,
    /// 400: the condition doesn't hold, and nothing has changed.
    ConditionalCheckFailed,
}

impl Condition {
    fn holds(self, item: Option<Item>) -> bool {
        match (self, item) {
            (Self::NoItem, item) => item.is_none(),
            (Self::Version(version), Some(item)) => item.version == version,
            (Self::Own(version, owner), Some(item)) => item.version == version && item.owner == owner,
            (_, None) => false,
        }
    }

    fn parse(words: &[&str]) -> Option<Self> {
        let version = |text: &str| RecordVersion::parse(text.strip_prefix("rvn=")?);
        match words {
            ["attribute_not_exists(key)"] => Some(Self::NoItem),
            [shown] => version(shown).map(Self::Version),
            [shown, "AND", owner] => Some(Self::Own(version(shown)?, Word::parse(owner.strip_prefix("owner=")?)?)),
            _ => None,
        }
    }
}

impl Reply {
    /// Reads what a table has answered to a client.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "200" => Some(Self::Done),
            "200 (no item)" => Some(Self::Read(None)),
            "400 ConditionalCheckFailedException" => Some(Self::ConditionalCheckFailed),
            _ => {
                let words: Vec<&str> = text.strip_prefix("200 {")?.strip_suffix('}')?.split_whitespace().collect();
                Some(Self::Read(Some(Item::parse(&words)?)))
            }
        }
    }
}

impl System for LockTable {
    type Command = Request;
    type Reply = Reply;
    /// It has no timers.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Request> {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["GetItem", "lock"] => Some(Request::Get),
            [verb @ ("PutItem" | "UpdateItem"), "lock", rest @ ..] => {
                let at = rest.iter().position(|&word| word == "IF")?;
                let (item, condition) = (Item::parse(&rest[..at])?, Condition::parse(&rest[at + 1..])?);
                Some(if *verb == "PutItem" { Request::Put(item, condition) } else { Request::Update(item, condition) })
            }
            ["DeleteItem", "lock", "IF", condition @ ..] => Condition::parse(condition).map(Request::Delete),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        ITEM
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, request: &Request, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        let item = item::load(cells);
        let (condition, new) = match *request {
            Request::Get => return Some(Reply::Read(item)),
            Request::Put(new, condition) => (condition, Some(new)),
            Request::Update(new, condition) => {
                let fence = new.fence.or(item.and_then(|item| item.fence));
                (condition, Some(Item { fence, ..new }))
            }
            Request::Delete(condition) => (condition, None),
        };
        if !condition.holds(item) {
            return Some(Reply::ConditionalCheckFailed);
        }
        item::store(new, cells);
        Some(Reply::Done)
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn timers(&self) -> u8 {
        0
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoItem => write!(f, "attribute_not_exists(key)"),
            Self::Version(version) => write!(f, "rvn={version}"),
            Self::Own(version, owner) => write!(f, "rvn={version} AND owner={owner}"),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Get => write!(f, "GetItem lock"),
            Self::Put(item, condition) => write!(f, "PutItem lock {item} IF {condition}"),
            Self::Update(item, condition) => write!(f, "UpdateItem lock {item} IF {condition}"),
            Self::Delete(condition) => write!(f, "DeleteItem lock IF {condition}"),
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(None) => write!(f, "200 (no item)"),
            Self::Read(Some(item)) => write!(f, "200 {{{item}}}"),
            Self::Done => write!(f, "200"),
            Self::ConditionalCheckFailed => write!(f, "400 ConditionalCheckFailedException"),
        }
    }
}
