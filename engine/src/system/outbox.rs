//! Orders whose events reach a consumer: through an outbox, or by a second write.
//!
//! - With an outbox the event is a row in the same transaction as the order. A relay
//!   publishes the oldest row and then marks it. A crash between the two publishes it
//!   again: at least once, never lost
//!   (<https://microservices.io/patterns/data/transactional-outbox.html>).
//! - Without one the writer commits and then publishes. A crash between the two
//!   loses the event.
//! - A consumer that has taken a message acknowledges it. A crash between the two
//!   delivers it again. A consumer that keeps the ids of events in the transaction
//!   of its effect makes each effect once
//!   (<https://microservices.io/patterns/communication-style/idempotent-consumer.html>).
//!
//! One relay that starts with the oldest row keeps the order of events; nothing here
//! keeps two relays from publishing one row twice.

use alloc::vec::Vec;
use core::fmt;

use super::names::number;
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// A database with orders, a broker and a consumer.
#[derive(Clone, Copy, Debug)]
pub struct Outbox {
    /// How an event gets from the database to the broker.
    pub publishing: Publishing,
    /// What the consumer does about events that come twice.
    pub consumer: Consumer,
}

/// How an event gets from the database to the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publishing {
    /// By a row in the transaction of the order, and a relay.
    Outbox,
    /// By the writer, after its commit.
    SecondWrite,
}

/// What the consumer does about events that come twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumer {
    /// It keeps the ids that it has seen, in the transaction of its effect.
    Deduplicates,
    /// It makes an effect for each message.
    Trusts,
}

/// How many orders there can be, and so events. They are numbered from 1.
pub const ORDERS: usize = 8;
/// How many messages the broker holds.
pub const MESSAGES: usize = 16;
/// The most callers that can write orders or be relays.
pub const CALLERS: usize = 8;

/// A step of a writer, a relay or the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `ORDER`: commits an order.
    Order,
    /// `ORDER aborts`: an order whose transaction is rolled back.
    AbortedOrder,
    /// `PUBLISH`: the relay publishes the oldest row that isn't marked; without an
    /// outbox, the writer publishes the event of its order.
    Publish,
    /// `MARK`: the relay marks the row that it has published last.
    Mark,
    /// `TAKE`: the consumer takes the oldest message, which stays for now.
    Take,
    /// `ACK`: the consumer acknowledges the oldest message, which goes.
    Acknowledge,
    /// `EFFECTS EVENT`: how often the consumer made the effect of an event.
    Effects(u16),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The order with this event is in.
    Committed(u16),
    /// Neither the order nor its event is there.
    RolledBack,
    /// The event was handed to the broker.
    Published(u16),
    /// The row of this event is marked.
    Marked(u16),
    /// The consumer made the effect of this event.
    Effect(u16),
    /// The consumer has seen this event before, and made no effect.
    SeenBefore(u16),
    /// The message is gone.
    Acknowledged,
    /// So many effects.
    Effects(u16),
    /// There is nothing to do it to.
    Nothing,
    /// There is no place for one more.
    Full,
}

/// The number of orders that were committed.
const COMMITTED: usize = 0;
/// For each order: whether its row waits in the outbox.
const WAITING: usize = 1;
/// For each order: how often its effect was made.
const EFFECTS: usize = WAITING + ORDERS;
/// For each caller: the event that it has in hand, or 0. A relay has yet to mark it;
/// without an outbox, a writer has yet to publish it.
const IN_HAND: usize = EFFECTS + ORDERS;
/// The number of messages, and then the messages.
const QUEUE_LENGTH: usize = IN_HAND + CALLERS;
const QUEUE: usize = QUEUE_LENGTH + 1;
const LENGTH: usize = QUEUE + MESSAGES;

impl Outbox {
    fn order(self, caller: Caller, cells: &mut [Cell]) -> Reply {
        if usize::from(cells[COMMITTED]) >= ORDERS || usize::from(caller) >= CALLERS {
            return Reply::Full;
        }
        cells[COMMITTED] += 1;
        let event = cells[COMMITTED];
        match self.publishing {
            Publishing::Outbox => cells[WAITING + usize::from(event) - 1] = 1,
            Publishing::SecondWrite => cells[IN_HAND + usize::from(caller)] = event,
        }
        Reply::Committed(event)
    }

    fn publish(self, caller: Caller, cells: &mut [Cell]) -> Reply {
        let caller = usize::from(caller);
        let messages = usize::from(cells[QUEUE_LENGTH]);
        if messages >= MESSAGES || caller >= CALLERS {
            return Reply::Full;
        }
        let event = match self.publishing {
            Publishing::Outbox => (0..ORDERS).find(|&at| cells[WAITING + at] != 0).map_or(0, |at| at as Cell + 1),
            Publishing::SecondWrite => cells[IN_HAND + caller],
        };
        if event == 0 {
            return Reply::Nothing;
        }
        cells[QUEUE + messages] = event;
        cells[QUEUE_LENGTH] += 1;
        cells[IN_HAND + caller] = match self.publishing {
            Publishing::Outbox => event,
            Publishing::SecondWrite => 0,
        };
        Reply::Published(event)
    }

    fn mark(self, caller: Caller, cells: &mut [Cell]) -> Reply {
        let in_hand = cells[IN_HAND..QUEUE_LENGTH].get(usize::from(caller)).copied().unwrap_or(0);
        let Some(order) = usize::from(in_hand).checked_sub(1).filter(|_| self.publishing == Publishing::Outbox) else {
            return Reply::Nothing;
        };
        cells[WAITING + order] = 0;
        cells[IN_HAND + usize::from(caller)] = 0;
        Reply::Marked(in_hand)
    }

    fn take(self, cells: &mut [Cell]) -> Reply {
        if cells[QUEUE_LENGTH] == 0 {
            return Reply::Nothing;
        }
        let event = cells[QUEUE];
        let effects = &mut cells[EFFECTS + usize::from(event) - 1];
        if self.consumer == Consumer::Deduplicates && *effects > 0 {
            return Reply::SeenBefore(event);
        }
        let Some(more) = effects.checked_add(1) else { return Reply::Full };
        *effects = more;
        Reply::Effect(event)
    }

    fn acknowledge(cells: &mut [Cell]) -> Reply {
        if cells[QUEUE_LENGTH] == 0 {
            return Reply::Nothing;
        }
        cells[QUEUE_LENGTH] -= 1;
        cells.copy_within(QUEUE + 1..LENGTH, QUEUE);
        cells[LENGTH - 1] = 0;
        Reply::Acknowledged
    }
}

impl System for Outbox {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let event = |text| number(text).filter(|event| (1..=ORDERS as u16).contains(event));
        match words.as_slice() {
            ["ORDER"] => Some(Command::Order),
            ["ORDER", "aborts"] => Some(Command::AbortedOrder),
            ["PUBLISH"] => Some(Command::Publish),
            ["MARK"] => Some(Command::Mark),
            ["TAKE"] => Some(Command::Take),
            ["ACK"] => Some(Command::Acknowledge),
            ["EFFECTS", text] => event(text).map(Command::Effects),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        LENGTH
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        Some(match *command {
            Command::Order => self.order(caller, cells),
            Command::AbortedOrder => Reply::RolledBack,
            Command::Publish => self.publish(caller, cells),
            Command::Mark => self.mark(caller, cells),
            Command::Take => self.take(cells),
            Command::Acknowledge => Self::acknowledge(cells),
            Command::Effects(event) => Reply::Effects(cells[EFFECTS + usize::from(event) - 1]),
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    /// What a writer or a relay had in hand is lost with it.
    fn disconnect(&self, caller: Caller, cells: &mut [Cell], _: &mut dyn Time) {
        if let Some(event) = cells[IN_HAND..QUEUE_LENGTH].get_mut(usize::from(caller)) {
            *event = 0;
        }
    }

    fn timers(&self) -> u8 {
        0
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Committed(event) => write!(f, "committed event {event}"),
            Self::RolledBack => write!(f, "rolled back"),
            Self::Published(event) => write!(f, "published {event}"),
            Self::Marked(event) => write!(f, "marked {event}"),
            Self::Effect(event) => write!(f, "effect of {event}"),
            Self::SeenBefore(event) => write!(f, "{event} seen before"),
            Self::Acknowledged => write!(f, "acknowledged"),
            Self::Effects(count) => write!(f, "{count}"),
            Self::Nothing => write!(f, "nothing"),
            Self::Full => write!(f, "full"),
        }
    }
}
