//! The lock's item, in cells and in words.

use core::fmt;

use crate::system::Cell;
use crate::system::names::{Word, number, number_cell, number_from};

/// A record version number: the name of who made it, and how many that one had made
/// before. Real ones are random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordVersion {
    /// Who made it.
    pub by: Word,
    /// Which of theirs it is, from 1.
    pub count: u16,
}

/// The item of a lock that is held, or was when its holder died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// `ownerName`
    pub owner: Word,
    /// `leaseDuration`, in seconds.
    pub lease_s: u16,
    /// `recordVersionNumber`
    pub version: RecordVersion,
    /// `fence`, an attribute that the client knows nothing of: the application adds it
    /// (`withAdditionalAttributes`) and can count it up with each acquisition.
    pub fence: Option<u16>,
}

/// The cells of an item; the first one is 0 if there is none.
pub(super) const ITEM: usize = 5;

pub(super) fn load(cells: &[Cell]) -> Option<Item> {
    let version = RecordVersion { by: Word::from_cell(cells[2])?, count: cells[3] };
    Some(Item { owner: Word::from_cell(cells[0])?, lease_s: cells[1], version, fence: number_from(cells[4]) })
}

pub(super) fn store(item: Option<Item>, cells: &mut [Cell]) {
    let values = item.map_or([0; ITEM], |Item { owner, lease_s, version, fence }| {
        [owner.to_cell(), lease_s, version.by.to_cell(), version.count, number_cell(fence)]
    });
    cells[..ITEM].copy_from_slice(&values);
}

impl RecordVersion {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (by, count) = text.rsplit_once('.')?;
        let count = number(count).filter(|&count| count > 0)?;
        Some(Self { by: Word::parse(by)?, count })
    }
}

impl Item {
    /// Reads `owner=a leaseDuration=20s rvn=a.1`, with or without `fence=1`.
    pub(super) fn parse(words: &[&str]) -> Option<Self> {
        let [owner, lease, version, more @ ..] = words else { return None };
        let owner = Word::parse(owner.strip_prefix("owner=")?)?;
        let lease_s = number(lease.strip_prefix("leaseDuration=")?.strip_suffix('s')?)?;
        let version = RecordVersion::parse(version.strip_prefix("rvn=")?)?;
        let fence = match more {
            [] => None,
            [fence] => Some(number(fence.strip_prefix("fence=")?)?),
            _ => return None,
        };
        (lease_s > 0).then_some(Self { owner, lease_s, version, fence })
    }
}

impl fmt::Display for RecordVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.by, self.count)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "owner={} leaseDuration={}s rvn={}", self.owner, self.lease_s, self.version)?;
        self.fence.map_or(Ok(()), |fence| write!(f, " fence={fence}"))
    }
}
