//! An item of a table: a number `v` and a string `owner` under its key.

use core::fmt;

use crate::system::Cell;
use crate::system::names::{Word, number_cell, number_from};

/// What lies under a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// The attribute `v`, from 0 to 65,534.
    pub number: Option<u16>,
    /// The attribute `owner`.
    pub owner: Option<Word>,
}

/// The cells of an item: whether it is there, `v`, `owner`.
pub(super) const LENGTH: usize = 3;

pub(super) fn load(cells: &[Cell]) -> Option<Item> {
    (cells[0] != 0).then(|| Item { number: number_from(cells[1]), owner: Word::from_cell(cells[2]) })
}

pub(super) fn store(item: Option<Item>, cells: &mut [Cell]) {
    cells[0] = item.is_some().into();
    cells[1] = number_cell(item.and_then(|item| item.number));
    cells[2] = Word::cell_of(item.and_then(|item| item.owner));
}

/// What a write does to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Replaces the whole item.
    Put(Item),
    /// Sets attributes, and makes the item if there is none.
    Update {
        /// What `v` becomes.
        number: Option<NewNumber>,
        /// What `owner` becomes.
        owner: Option<Word>,
    },
    /// Takes the item away.
    Delete,
    /// Leaves the item as it is; only its condition counts.
    Check,
}

/// What a number becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewNumber {
    /// `SET v = :n`
    To(u16),
    /// `SET v = v + :n`
    Plus(u16),
}

/// An update that can't be done: it adds to an attribute that isn't there, or the
/// sum doesn't fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Invalid;

impl Action {
    /// The item afterwards.
    pub(super) fn applied(self, item: Option<Item>) -> Result<Option<Item>, Invalid> {
        match self {
            Self::Put(new) => Ok(Some(new)),
            Self::Delete => Ok(None),
            Self::Check => Ok(item),
            Self::Update { number, owner } => {
                let mut new = item.unwrap_or_default();
                match number {
                    None => {}
                    Some(NewNumber::To(number)) => new.number = Some(number),
                    Some(NewNumber::Plus(more)) => {
                        let sum = new.number.and_then(|number| number.checked_add(more));
                        new.number = Some(sum.filter(|&sum| sum < u16::MAX).ok_or(Invalid)?);
                    }
                }
                new.owner = owner.or(new.owner);
                Ok(Some(new))
            }
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, self.owner) {
            (Some(number), Some(owner)) => write!(f, "{{v={number} owner={owner}}}"),
            (Some(number), None) => write!(f, "{{v={number}}}"),
            (None, Some(owner)) => write!(f, "{{owner={owner}}}"),
            (None, None) => write!(f, "{{}}"),
        }
    }
}
