//! The server that keeps the Lease.

use alloc::vec::Vec;
use core::fmt;

use super::record::{self, OBJECT, Object, Record};
use crate::system::Cell;
use crate::system::{Caller, ClockKind, System, Time, Timer};

/// The API server, with one Lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ApiServer {
    /// The last `resourceVersion` that other objects have had at the start.
    pub last_version: u16,
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// `GET lease`
    Get,
    /// `POST lease holder=a duration=15s transitions=0`: creates it.
    Create(Record),
    /// `PUT lease rv=7 holder=a duration=15s transitions=1`: updates it, if it is the
    /// one with this `resourceVersion`.
    Update(Object),
    /// `DELETE lease`
    Delete,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200 with the object.
    Found(Object),
    /// 201 with the object.
    Created(Object),
    /// 200 after a delete.
    Deleted,
    /// 404: there is none.
    NotFound,
    /// 409: there is one already.
    AlreadyExists,
    /// 409: the object has moved since.
    Conflict,
    /// The model has no number left for another write.
    NoVersionsLeft,
}

const LAST_VERSION: usize = 0;
const LEASE: usize = 1;

impl Reply {
    /// Reads what a server has answered to a candidate.
    pub(super) fn parse(words: &[&str]) -> Option<Self> {
        match words {
            ["200", object @ ..] => Object::parse(object).map(Self::Found),
            ["201", object @ ..] => Object::parse(object).map(Self::Created),
            ["404", "NotFound"] => Some(Self::NotFound),
            ["409", "AlreadyExists"] => Some(Self::AlreadyExists),
            ["409", "Conflict"] => Some(Self::Conflict),
            _ => None,
        }
    }
}

fn write(record: Record, cells: &mut [Cell]) -> Option<Object> {
    let version = cells[LAST_VERSION].checked_add(1).filter(|&version| version < Cell::MAX)?;
    cells[LAST_VERSION] = version;
    let object = Object { version, record };
    record::store(Some(object), &mut cells[LEASE..]);
    Some(object)
}

impl System for ApiServer {
    type Command = Request;
    type Reply = Reply;
    /// It has no timers.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Request> {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["GET", "lease"] => Some(Request::Get),
            ["POST", "lease", record @ ..] => Record::parse(record).map(Request::Create),
            ["PUT", "lease", object @ ..] => Object::parse(object).map(Request::Update),
            ["DELETE", "lease"] => Some(Request::Delete),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        LEASE + OBJECT
    }

    fn start(&self, cells: &mut [Cell]) {
        cells[LAST_VERSION] = self.last_version;
    }

    fn execute(&self, _: Caller, request: &Request, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        let lease = record::load(&cells[LEASE..]);
        Some(match (*request, lease) {
            (Request::Get, Some(object)) => Reply::Found(object),
            (Request::Create(_), Some(_)) => Reply::AlreadyExists,
            (Request::Create(record), None) => write(record, cells).map_or(Reply::NoVersionsLeft, Reply::Created),
            (Request::Update(object), Some(lease)) if object.version != lease.version => Reply::Conflict,
            (Request::Update(object), Some(_)) => {
                write(object.record, cells).map_or(Reply::NoVersionsLeft, Reply::Found)
            }
            (Request::Delete, Some(_)) => {
                record::store(None, &mut cells[LEASE..]);
                Reply::Deleted
            }
            (_, None) => Reply::NotFound,
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn timers(&self) -> u8 {
        0
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Get => write!(f, "GET lease"),
            Self::Create(record) => write!(f, "POST lease {record}"),
            Self::Update(object) => write!(f, "PUT lease {object}"),
            Self::Delete => write!(f, "DELETE lease"),
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(object) => write!(f, "200 {object}"),
            Self::Created(object) => write!(f, "201 {object}"),
            Self::Deleted => write!(f, "200"),
            Self::NotFound => write!(f, "404 NotFound"),
            Self::AlreadyExists => write!(f, "409 AlreadyExists"),
            Self::Conflict => write!(f, "409 Conflict"),
            Self::NoVersionsLeft => write!(f, "500 no versions left in this model"),
        }
    }
}
