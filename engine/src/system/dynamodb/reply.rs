//! The answers of the table.

use core::fmt;

use super::item::Item;

/// The most writes that one transaction of the model has.
pub const TRANSACTION_WRITES: usize = 4;

/// An answer, with its HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The write happened.
    Written,
    /// What was read.
    Read(Option<Item>),
    /// The condition doesn't hold, so nothing was written. The item rides along if
    /// the request asked for it and there is one.
    ConditionalCheckFailed(Option<Item>),
    /// The update can't be done on this item.
    Validation,
    /// The transaction wrote nothing; a reason for each of its writes.
    TransactionCanceled {
        /// The reasons; those from `count` on mean nothing.
        reasons: [Reason; TRANSACTION_WRITES],
        /// How many writes the transaction has.
        count: u8,
    },
    /// The token was used by another request a short while ago.
    IdempotentParameterMismatch,
    /// The model keeps no more tokens at a time.
    Throttled,
}

/// Why a write of a transaction kept it from happening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// It didn't.
    #[default]
    None,
    /// Its condition doesn't hold.
    ConditionalCheckFailed,
    /// It can't be done on this item.
    ValidationError,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written => write!(f, "200"),
            Self::Read(None) => write!(f, "200 (no item)"),
            Self::Read(Some(item)) => write!(f, "200 {item}"),
            Self::ConditionalCheckFailed(None) => write!(f, "400 ConditionalCheckFailedException"),
            Self::ConditionalCheckFailed(Some(item)) => write!(f, "400 ConditionalCheckFailedException {item}"),
            Self::Validation => write!(f, "400 ValidationException"),
            Self::TransactionCanceled { reasons, count } => {
                write!(f, "400 TransactionCanceledException [")?;
                for (place, reason) in reasons.iter().take((*count).into()).enumerate() {
                    write!(f, "{}{reason:?}", if place > 0 { ", " } else { "" })?;
                }
                write!(f, "]")
            }
            Self::IdempotentParameterMismatch => write!(f, "400 IdempotentParameterMismatchException"),
            Self::Throttled => write!(f, "400 ThrottlingException"),
        }
    }
}
