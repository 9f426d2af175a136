//! The participants of sagas: each step of one is an action, and a compensation
//! that takes it back.
//!
//! - Nothing isolates a saga: between an action and its compensation everybody sees
//!   what was done. A compensation is a new action, which may fail and is then tried
//!   again (<https://dl.acm.org/doi/10.1145/38713.38742>,
//!   <https://microservices.io/patterns/data/saga.html>).
//! - Messages may come twice and in any order. So both must be idempotent, and a
//!   compensation must win over its action whichever comes first: one that arrives
//!   before its action leaves a tombstone, at which the late action is refused.

use alloc::vec::Vec;
use core::fmt;

use super::names::{Keys, number};
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// The participants of a few sagas.
#[derive(Clone, Debug)]
pub struct Saga {
    steps: Keys,
    memory: Memory,
}

/// What a participant remembers of what was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// That it was, also if there was nothing to take back.
    Tombstones,
    /// Nothing.
    Forgets,
}

/// How many sagas there are. They are numbered from 1.
pub const SAGAS: usize = 4;

/// A message to a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `DO STEP SAGA [fails]`: the action.
    Do(Place, Ending),
    /// `UNDO STEP SAGA [fails]`: the compensation.
    Undo(Place, Ending),
    /// `LOOK STEP SAGA`: what anybody sees.
    Look(Place),
}

/// A step of a saga, by its place among the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(usize);

/// Whether the participant can do what it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It can.
    Works,
    /// It can't at this time.
    Fails,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The action was done.
    Done,
    /// The action had been done, and nothing changed.
    DoneBefore,
    /// The action comes after its compensation.
    Refused,
    /// The action was taken back.
    Undone,
    /// The compensation had come before, and nothing changed.
    UndoneBefore,
    /// There was no action to take back, and a tombstone keeps it from happening.
    Tombstone,
    /// There was no action to take back.
    NothingToUndo,
    /// It failed, and nothing changed.
    Failed,
    /// What is seen: whether the action is in effect.
    Seen(bool),
}

// What a cell says of a step.
const NOTHING: Cell = 0;
const DONE: Cell = 1;
const UNDONE: Cell = 2;

impl Saga {
    /// Participants by the names of the steps that they do.
    pub fn new(steps: &[&str], memory: Memory) -> Self {
        Self { steps: Keys::new(steps), memory }
    }

    fn place(&self, step: &str, saga: &str) -> Option<Place> {
        let saga = number(saga).filter(|saga| (1..=SAGAS as u16).contains(saga))?;
        Some(Place((usize::from(saga) - 1) * self.steps.count() + self.steps.find(step)?))
    }

    fn undo(&self, step: &mut Cell) -> Reply {
        let reply = match (*step, self.memory) {
            (DONE, _) => Reply::Undone,
            (NOTHING, Memory::Tombstones) => Reply::Tombstone,
            (NOTHING, Memory::Forgets) => Reply::NothingToUndo,
            _ => Reply::UndoneBefore,
        };
        *step = match self.memory {
            Memory::Tombstones => UNDONE,
            Memory::Forgets => NOTHING,
        };
        reply
    }
}

fn act(step: &mut Cell) -> Reply {
    match *step {
        NOTHING => {
            *step = DONE;
            Reply::Done
        }
        DONE => Reply::DoneBefore,
        _ => Reply::Refused,
    }
}

impl System for Saga {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["DO", step, saga] => Some(Command::Do(self.place(step, saga)?, Ending::Works)),
            ["DO", step, saga, "fails"] => Some(Command::Do(self.place(step, saga)?, Ending::Fails)),
            ["UNDO", step, saga] => Some(Command::Undo(self.place(step, saga)?, Ending::Works)),
            ["UNDO", step, saga, "fails"] => Some(Command::Undo(self.place(step, saga)?, Ending::Fails)),
            ["LOOK", step, saga] => Some(Command::Look(self.place(step, saga)?)),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        SAGAS * self.steps.count()
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, command: &Command, cells: &mut [Cell], _: &mut dyn Time) -> Option<Reply> {
        Some(match *command {
            Command::Do(_, Ending::Fails) | Command::Undo(_, Ending::Fails) => Reply::Failed,
            Command::Do(Place(at), Ending::Works) => act(&mut cells[at]),
            Command::Undo(Place(at), Ending::Works) => self.undo(&mut cells[at]),
            Command::Look(Place(at)) => Reply::Seen(cells[at] == DONE),
        })
    }

    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    fn timers(&self) -> u8 {
        0
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done => "done",
            Self::DoneBefore => "done before",
            Self::Refused => "refused: it was taken back",
            Self::Undone => "undone",
            Self::UndoneBefore => "undone before",
            Self::Tombstone => "tombstone",
            Self::NothingToUndo => "nothing to undo",
            Self::Failed => "failed",
            Self::Seen(true) => "in effect",
            Self::Seen(false) => "not in effect",
        })
    }
}
