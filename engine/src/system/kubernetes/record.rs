//! What the Lease says, in cells and in words.

use core::fmt;

use crate::system::Cell;
use crate::system::names::{Word, number};

/// The spec of a Lease, as far as it decides anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// `holderIdentity`; none after the holder has given it up.
    pub holder: Option<Word>,
    /// `leaseDurationSeconds`, at least 1. Others wait this long, whatever they would
    /// write themselves.
    pub duration_s: u16,
    /// `leaseTransitions`: how often another holder took over. It starts anew if the
    /// Lease was deleted, and doesn't count the same holder taking over again. In this
    /// model it stays at 65,534.
    pub transitions: u16,
}

/// A Lease as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// `resourceVersion`, from 1: new after each write. Real ones are opaque and come
    /// from one counter of the whole cluster.
    pub version: u16,
    /// Its spec.
    pub record: Record,
}

/// The cells of an object; the first one is 0 if there is none.
pub(super) const OBJECT: usize = 4;

pub(super) fn load(cells: &[Cell]) -> Option<Object> {
    let record = Record { holder: Word::from_cell(cells[1]), duration_s: cells[2], transitions: cells[3] };
    (cells[0] != 0).then_some(Object { version: cells[0], record })
}

pub(super) fn store(object: Option<Object>, cells: &mut [Cell]) {
    let values = object.map_or([0; OBJECT], |Object { version, record }| {
        [version, Word::cell_of(record.holder), record.duration_s, record.transitions]
    });
    cells[..OBJECT].copy_from_slice(&values);
}

impl Record {
    /// Reads `holder=a duration=15s transitions=0`.
    pub(super) fn parse(words: &[&str]) -> Option<Self> {
        let [holder, duration, transitions] = words else { return None };
        let holder = match holder.strip_prefix("holder=")? {
            "" => None,
            name => Some(Word::parse(name)?),
        };
        let duration_s = number(duration.strip_prefix("duration=")?.strip_suffix('s')?)?;
        let transitions = number(transitions.strip_prefix("transitions=")?)?;
        (duration_s > 0).then_some(Self { holder, duration_s, transitions })
    }
}

impl Object {
    /// Reads `rv=7` and the record.
    pub(super) fn parse(words: &[&str]) -> Option<Self> {
        let (version, record) = words.split_first()?;
        let version = number(version.strip_prefix("rv=")?).filter(|&version| version > 0)?;
        Some(Self { version, record: Record::parse(record)? })
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "holder=")?;
        self.holder.map_or(Ok(()), |holder| write!(f, "{holder}"))?;
        write!(f, " duration={}s transitions={}", self.duration_s, self.transitions)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rv={} {}", self.version, self.record)
    }
}
