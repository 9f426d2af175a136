//! Keys, and what etcd keeps of each.

use core::fmt;

use crate::system::label::Label;

/// The id of a lease: 1 to 65,535, written in hexadecimal as etcd does. A client of the
/// API may choose it (`LeaseGrantRequest.ID`), and here it always does.
pub type LeaseId = core::num::NonZeroU16;

/// A key: a name of at most six characters, and behind a `/` the id of a lease if it is
/// the key of a place in a lock's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The name; for a lock, that of the lock.
    pub name: Label,
    /// Whose place in the queue of the lock it is.
    pub queued: Option<LeaseId>,
}

impl Key {
    /// Reads `stock` or `mtx/1f`.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, queued) = match text.split_once('/') {
            Some((name, id)) => (name, Some(parse_id(id)?)),
            None => (text, None),
        };
        Some(Self { name: Label::parse(name)?, queued })
    }
}

pub(super) fn parse_id(text: &str) -> Option<LeaseId> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) && !text.starts_with('0');
    u16::from_str_radix(text, 16).ok().filter(|_| is_plain).and_then(LeaseId::new)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.queued {
            Some(id) => write!(f, "{}/{id:x}", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}

/// A value with its revisions. An absent key compares as one with 0 for all three.
/// See <https://etcd.io/docs/v3.5/learning/api/#key-value-pair>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyValue {
    /// The value; the empty one is written `""`.
    pub value: Label,
    /// How often the key has been put since it was created: 1 again after a delete.
    pub version: u16,
    /// The store's revision when the key was created.
    pub create_revision: u16,
    /// The store's revision when it was last put.
    pub mod_revision: u16,
    /// The lease with which it goes.
    pub lease: Option<LeaseId>,
}

impl fmt::Display for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, version, create_revision, mod_revision, lease } = self;
        if value.is_empty() {
            f.write_str("value \"\"")?;
        } else {
            write!(f, "value {value}")?;
        }
        write!(f, ", version {version}, create_revision {create_revision}, mod_revision {mod_revision}")?;
        lease.map_or(Ok(()), |id| write!(f, ", lease {id:x}"))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn keys_come_back_as_they_were() {
        for text in ["k", "stock", "mtx/1", "mtx/ffff"] {
            assert_eq!(Key::parse(text).map(|key| key.to_string()).as_deref(), Some(text));
        }
        for text in ["", "/", "mtx/", "mtx/0", "mtx/01", "mtx/10000", "mtx/G", "mtx/+1", "toolong"] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
    }
}
