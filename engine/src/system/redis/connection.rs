//! What the server remembers of each connection: its queue, and what it watches.
//!
//! `EXEC` answers nil and does nothing if a watched key has been written since
//! `WATCH`, by anyone and even with the value it had, or has come to its end; the
//! commands of the queue itself don't count. A command that is refused while the
//! queue is being filled makes `EXEC` refuse; one that fails when it runs undoes
//! nothing (<https://redis.io/docs/latest/develop/using-commands/transactions/>).

use core::mem;

use super::command::DataCommand;
use super::text::Keys;
use crate::system::Cell;

/// How many commands can be queued at most.
pub const MOST_QUEUED: usize = 8;

// The cells of a connection.
/// Bits: see below.
const STATE: usize = 0;
/// The keys that it watches.
const WATCHED: usize = 1;
/// How many commands are in the queue.
const COUNT: usize = 2;
const QUEUE: usize = 3;

/// After `MULTI`.
const QUEUING: Cell = 1;
/// A command has been refused since `MULTI`.
const REFUSED: Cell = 2;
/// A watched key has changed. Then nothing more is watched: it is decided.
const CHANGED: Cell = 4;

/// A queued command, two bytes in a cell.
const COMMAND_LENGTH: usize = 8;

/// How many cells a connection needs that can queue this many commands.
pub(super) fn length(queue: usize) -> usize {
    QUEUE + queue * COMMAND_LENGTH
}

/// One connection, as a view on its cells.
pub(super) struct Connection<'a>(pub(super) &'a mut [Cell]);

impl Connection<'_> {
    fn is(&self, bit: Cell) -> bool {
        self.0[STATE] & bit != 0
    }

    pub(super) fn is_queuing(&self) -> bool {
        self.is(QUEUING)
    }

    pub(super) fn is_refused(&self) -> bool {
        self.is(REFUSED)
    }

    pub(super) fn is_changed(&self) -> bool {
        self.is(CHANGED)
    }

    pub(super) fn begin(&mut self) {
        self.0[STATE] |= QUEUING;
    }

    /// Notes that a command was refused; without `MULTI` it has no consequence.
    pub(super) fn refuse(&mut self) {
        if self.is_queuing() {
            self.0[STATE] |= REFUSED;
        }
    }

    pub(super) fn watch(&mut self, keys: Keys) {
        if !self.is_changed() {
            self.0[WATCHED] |= keys.0;
        }
    }

    /// Notes that keys were written.
    pub(super) fn note(&mut self, written: Keys) {
        if self.0[WATCHED] & written.0 != 0 {
            self.0[WATCHED] = 0;
            self.0[STATE] |= CHANGED;
        }
    }

    pub(super) fn unwatch(&mut self) {
        self.0[WATCHED] = 0;
        self.0[STATE] &= !CHANGED;
    }

    /// Forgets everything: the queue, what is watched, and that there was a `MULTI`.
    pub(super) fn forget(&mut self) {
        self.0.fill(0);
    }

    /// Puts a command at the end of the queue; says whether there was a place.
    pub(super) fn queue(&mut self, command: &DataCommand) -> bool {
        let count = usize::from(self.0[COUNT]);
        let mut bytes = [0; COMMAND_LENGTH * mem::size_of::<Cell>()];
        let place = self.0[QUEUE..].chunks_exact_mut(COMMAND_LENGTH).nth(count);
        let (Some(place), Ok(_)) = (place, postcard::to_slice(command, &mut bytes)) else { return false };
        for (cell, pair) in place.iter_mut().zip(bytes.chunks_exact(2)) {
            *cell = Cell::from_le_bytes([pair[0], pair[1]]);
        }
        self.0[COUNT] += 1;
        true
    }

    /// The command at a place of the queue, counted from 0.
    pub(super) fn queued(&self, place: usize) -> Option<DataCommand> {
        if place >= usize::from(self.0[COUNT]) {
            return None;
        }
        let cells = self.0[QUEUE..].chunks_exact(COMMAND_LENGTH).nth(place)?;
        let mut bytes = [0; COMMAND_LENGTH * mem::size_of::<Cell>()];
        for (pair, cell) in bytes.chunks_exact_mut(2).zip(cells) {
            pair.copy_from_slice(&cell.to_le_bytes());
        }
        postcard::from_bytes(&bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::{Condition, Expiry, Set};
    use super::super::script::Script;
    use super::super::text::{Key, Value};
    use super::*;

    #[test]
    fn the_longest_commands_fit_the_queue_and_come_back() {
        let value = Value::number(Value::LARGEST_NUMBER).unwrap();
        let (key, ms) = (Key(15), u32::MAX);
        let condition = Condition::IfEqual(value);
        let commands = [
            DataCommand::Set(Set { key, value, condition, returns_old: true, expiry: Expiry::After(ms) }),
            DataCommand::Evaluate(Script::SetIfLease { key, lease: key, token: value, value, ms }),
            DataCommand::Evaluate(Script::SetIfNewer { key, version: value, data: value, ms }),
            DataCommand::Evaluate(Script::Grant { key, fence: key, value, ms }),
            DataCommand::DeleteIf { key, value, equal: false },
            DataCommand::Exists(Keys(u16::MAX)),
            DataCommand::Wait(1, ms),
        ];
        let mut cells = [0; QUEUE + 7 * COMMAND_LENGTH];
        let mut connection = Connection(&mut cells);
        for command in &commands {
            assert!(connection.queue(command));
        }
        assert!(!connection.queue(&DataCommand::FlushAll), "it is full");
        for (place, command) in commands.iter().enumerate() {
            assert_eq!(connection.queued(place), Some(*command));
        }
        assert_eq!(connection.queued(7), None);
    }
}
