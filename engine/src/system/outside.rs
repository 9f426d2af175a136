//! An effect on the world outside: what has been done can't be asked about, refused
//! or taken back. An e-mail, a payment at a bank that knows no idempotency keys.
//!
//! `SEND` is answered by `sent 1`, `sent 2` and so on, whoever sends.

use core::fmt;

use super::{Caller, Cell, ClockKind, System, Time, Timer};

/// A place where effects happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside;

/// The effect happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send;

/// How many times it has happened, counted up to 65,535.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent(pub u16);

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sent {}", self.0)
    }
}

impl System for Outside {
    type Command = Send;
    type Reply = Sent;
    /// It has no timers.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Send> {
        (words.trim() == "SEND").then_some(Send)
    }

    fn length(&self) -> usize {
        1
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, _: &Send, cells: &mut [Cell], _: &mut dyn Time) -> Option<Sent> {
        cells[0] = cells[0].saturating_add(1);
        Some(Sent(cells[0]))
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    /// What was done outside isn't undone by a restart, whatever the sender forgets.
    fn restart(&self, _: bool, _: &mut [Cell], _: &mut dyn Time) {}

    fn timers(&self) -> u8 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::super::transcript::check;
    use super::*;

    #[test]
    fn what_is_sent_twice_happens_twice() {
        check(&Outside, "A SEND → sent 1\n B SEND → sent 2\n restart without memory\n A SEND → sent 3");
    }
}
