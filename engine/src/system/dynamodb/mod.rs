//! A table of `DynamoDB`: conditional writes, and what a lost reply does to them.
//!
//! - A write with a `ConditionExpression` checks and writes in one step. If the
//!   condition doesn't hold, the answer is `ConditionalCheckFailedException` with
//!   HTTP status 400, and nothing has changed
//!   (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html>).
//! - The server doesn't know a retry from a second wish: if the reply of a
//!   successful conditional write is lost, the retry fails on its own first
//!   success. Read, and look for your own id.
//! - `TransactWriteItems` with a `ClientRequestToken` is idempotent for ten minutes
//!   after the first success; later the same token is a new request, and within the
//!   time another request with it is refused
//!   (<https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>).
//! - `GetItem` is eventually consistent unless it asks for `ConsistentRead`
//!   (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html>).
//!   Here it reads a copy that takes over the table's state a while after a write.
//!
//! Left out: other attributes, indexes, throughput, streams, global tables.

mod command;
mod condition;
mod item;
mod reply;

pub use command::{Command, Write};
pub use condition::{Attribute, Comparator, Condition, Test, Value};
pub use item::{Action, Item, NewNumber};
pub use reply::{Reason, Reply, TRANSACTION_WRITES};

use super::names::{Keys, Word};
use super::{Caller, ClockKind, System, Time, Timer, View};
use crate::system::Cell;

/// A table.
#[derive(Clone, Debug)]
pub struct Dynamodb {
    keys: Keys,
    /// How long the copy for eventually consistent reads lags, in microseconds.
    lag_us: u64,
}

/// For how long a token of a transaction is remembered, in microseconds: ten minutes.
pub const TOKEN_LASTS_US: u64 = 600_000_000;

/// How many tokens the model remembers at a time.
const TOKENS: usize = 4;
/// The cells of a token: the token, then the fingerprint of its request in two.
const TOKEN_LENGTH: usize = 3;
/// The copy takes over the state. The timers of the tokens come next.
const COPY: Timer = 0;

impl Dynamodb {
    /// A table that knows these keys, and whose eventually consistent reads lag by
    /// so many microseconds.
    pub fn new(keys: &[&str], lag_us: u64) -> Self {
        Self { keys: Keys::new(keys), lag_us }
    }

    fn items_length(&self) -> usize {
        self.keys.count() * item::LENGTH
    }

    fn item(key: usize, cells: &[Cell]) -> Option<Item> {
        item::load(&cells[key * item::LENGTH..][..item::LENGTH])
    }

    fn put(&self, key: usize, item: Option<Item>, cells: &mut [Cell], time: &mut dyn Time) {
        item::store(item, &mut cells[key * item::LENGTH..][..item::LENGTH]);
        let (items, rest) = cells.split_at(self.items_length());
        if time.left_us(COPY).is_none() && *items != rest[..items.len()] {
            time.arm(COPY, self.lag_us);
        }
    }

    fn token(&self, slot: usize) -> core::ops::Range<usize> {
        let start = 2 * self.items_length() + slot * TOKEN_LENGTH;
        start..start + TOKEN_LENGTH
    }

    fn write(&self, write: &Write, returns_old: bool, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        let old = Self::item(write.key, cells);
        if !write.condition.holds(old) {
            return Reply::ConditionalCheckFailed(old.filter(|_| returns_old));
        }
        match write.action.applied(old) {
            Err(item::Invalid) => Reply::Validation,
            Ok(new) => {
                self.put(write.key, new, cells, time);
                Reply::Written
            }
        }
    }

    fn transact(
        &self,
        token: Option<Word>,
        writes: &[Write],
        fingerprint: u32,
        cells: &mut [Cell],
        time: &mut dyn Time,
    ) -> Reply {
        let request = [Word::cell_of(token), (fingerprint >> 16) as Cell, fingerprint as Cell];
        let slot_of = |wanted: Cell, cells: &[Cell]| (0..TOKENS).find(|&slot| cells[self.token(slot)][0] == wanted);
        if token.is_some()
            && let Some(slot) = slot_of(request[0], cells)
        {
            let same = cells[self.token(slot)] == request;
            return if same { Reply::Written } else { Reply::IdempotentParameterMismatch };
        }
        let free = slot_of(0, cells);
        if token.is_some() && free.is_none() {
            return Reply::Throttled;
        }
        let mut reasons = [Reason::None; TRANSACTION_WRITES];
        for (reason, write) in reasons.iter_mut().zip(writes) {
            let old = Self::item(write.key, cells);
            if !write.condition.holds(old) {
                *reason = Reason::ConditionalCheckFailed;
            } else if write.action.applied(old).is_err() {
                *reason = Reason::ValidationError;
            }
        }
        if reasons.iter().any(|&reason| reason != Reason::None) {
            return Reply::TransactionCanceled { reasons, count: writes.len() as u8 };
        }
        for write in writes {
            if let Ok(new) = write.action.applied(Self::item(write.key, cells)) {
                self.put(write.key, new, cells, time);
            }
        }
        if let (Some(_), Some(slot)) = (token, free) {
            cells[self.token(slot)].copy_from_slice(&request);
            time.arm(slot as Timer + 1, TOKEN_LASTS_US);
        }
        Reply::Written
    }
}

impl System for Dynamodb {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        command::parse(&self.keys, words)
    }

    fn length(&self) -> usize {
        2 * self.items_length() + TOKENS * TOKEN_LENGTH
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        Some(match command {
            Command::Get { key, consistent: true } => Reply::Read(Self::item(*key, cells)),
            Command::Get { key, consistent: false } => Reply::Read(Self::item(*key, &cells[self.items_length()..])),
            Command::Write { write, returns_old } => self.write(write, *returns_old, cells, time),
            Command::Transact { token, writes, fingerprint } => {
                self.transact(*token, writes, *fingerprint, cells, time)
            }
        })
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], _: &mut dyn Time) {
        match usize::from(timer).checked_sub(1) {
            None => cells.copy_within(..self.items_length(), self.items_length()),
            Some(slot) if slot < TOKENS => cells[self.token(slot)].fill(0),
            Some(_) => {}
        }
    }

    fn timers(&self) -> u8 {
        TOKENS as u8 + 1
    }

    fn is_replication(&self, timer: Timer) -> bool {
        timer == COPY
    }

    fn view(&self, _: Caller, command: &Command, _: Option<&Reply>, _: &[Cell]) -> View {
        if let Command::Get { consistent: false, .. } = command { View::Copy } else { View::Shared }
    }
}
