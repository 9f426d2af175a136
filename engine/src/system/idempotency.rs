//! A service with idempotency keys: a retry gets the first answer instead of a
//! second effect.
//!
//! - A new key is reserved, the effect is made, and its answer is stored. While the
//!   first request runs another one with its key is told 409; afterwards it gets the
//!   stored answer, or 422 if its body differs
//!   (<https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>,
//!   <https://docs.stripe.com/api/idempotent_requests>). Providers differ: some
//!   store only successes, and some don't compare the body.
//! - Keys are forgotten after a while. A retry that comes later makes the effect again.
//! - If the reservation and the effect are not one transaction, a crash between them
//!   leaves a key in progress, and nobody knows whether the effect was made.

use alloc::vec::Vec;
use core::fmt;

use super::names::{Keys, Word};
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// A service that makes one effect for each request.
#[derive(Clone, Debug)]
pub struct Idempotency {
    keys: Keys,
    steps: Steps,
    retention_us: u64,
    callers: u8,
}

/// Whether a reservation and its effect happen together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Each step is seen at once, and stays if the next one never comes.
    Apart,
    /// They are one transaction: before its end nobody sees any, and another request
    /// with the key waits; a crash takes all of them back.
    OneTransaction,
}

/// A request, or a step of one that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `POST KEY BODY`: a request arrives with an idempotency key.
    Post(usize, Word),
    /// `EFFECT`: the caller's request makes its effect.
    Effect,
    /// `ANSWER`: the caller's request stores its answer and is done.
    Answer,
    /// `EFFECTS KEY`: how often the effect was made.
    Effects(usize),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The key is reserved: the caller's request runs.
    Reserved,
    /// The caller's request made this effect.
    Effect(u16),
    /// 201 with the answer of the request that ran.
    Created(u16),
    /// 200 with the stored answer of an earlier request.
    Stored(u16),
    /// 409: a request with this key runs, or has crashed.
    InProgress,
    /// 422: the key was used with another body.
    OtherBody,
    /// So many effects were made.
    Effects(u16),
    /// The caller's request isn't at this step.
    OutOfTurn,
    /// 503: the service was set up for fewer callers, or counts no further.
    Unavailable,
}

// The cells of a key.
const STATE: usize = 0;
const BODY: usize = 1;
const RUNNER: usize = 2; // the caller plus one
const ANSWER: usize = 3; // the number of the effect
const EFFECTS: usize = 4; // stays when the key is forgotten
const KEY_LENGTH: usize = 5;

const ABSENT: Cell = 0;
const IN_PROGRESS: Cell = 1;
const DONE: Cell = 2;

// The cells of a caller's request.
const KEY: usize = 0; // the key plus one
const MADE: usize = 1; // the number of the effect that it made
const RUN_LENGTH: usize = 2;

impl Idempotency {
    /// A service that knows these keys, and forgets each of them so many
    /// microseconds after its reservation became visible. So many callers can each
    /// run a request.
    pub fn new(keys: &[&str], steps: Steps, retention_us: u64, callers: u8) -> Self {
        Self { keys: Keys::new(keys), steps, retention_us, callers }
    }

    fn run(&self, caller: Caller) -> core::ops::Range<usize> {
        let start = self.keys.count() * KEY_LENGTH + usize::from(caller) * RUN_LENGTH;
        start..start + RUN_LENGTH
    }

    fn post(&self, caller: Caller, key: usize, body: Word, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        let run = self.run(caller);
        if cells[run.clone()][KEY] != 0 {
            return Some(Reply::OutOfTurn);
        }
        let record = &mut cells[key * KEY_LENGTH..][..KEY_LENGTH];
        match record[STATE] {
            IN_PROGRESS if self.steps == Steps::OneTransaction => return None,
            IN_PROGRESS => return Some(Reply::InProgress),
            DONE if record[BODY] != body.to_cell() => return Some(Reply::OtherBody),
            DONE => return Some(Reply::Stored(record[ANSWER])),
            _ => {}
        }
        record[..EFFECTS].copy_from_slice(&[IN_PROGRESS, body.to_cell(), Cell::from(caller) + 1, 0]);
        cells[run][KEY] = key as Cell + 1;
        if self.steps == Steps::Apart {
            time.arm(key as Timer, self.retention_us);
        }
        Some(Reply::Reserved)
    }

    fn effect(&self, caller: Caller, cells: &mut [Cell]) -> Reply {
        let run = self.run(caller);
        let (Some(key), 0) = (usize::from(cells[run.start]).checked_sub(1), cells[run.start + MADE]) else {
            return Reply::OutOfTurn;
        };
        let effects = &mut cells[key * KEY_LENGTH + EFFECTS];
        let Some(made) = effects.checked_add(1) else { return Reply::Unavailable };
        if self.steps == Steps::Apart {
            *effects = made;
        }
        cells[run.start + MADE] = made;
        Reply::Effect(made)
    }

    fn answer(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        let run = self.run(caller);
        let made = cells[run.start + MADE];
        let (Some(key), 1..) = (usize::from(cells[run.start]).checked_sub(1), made) else { return Reply::OutOfTurn };
        cells[run].fill(0);
        let record = &mut cells[key * KEY_LENGTH..][..KEY_LENGTH];
        // A key that was forgotten meanwhile may be in other hands.
        if record[STATE] == IN_PROGRESS && record[RUNNER] == Cell::from(caller) + 1 {
            record[STATE] = DONE;
            record[RUNNER] = 0;
            record[ANSWER] = made;
            if self.steps == Steps::OneTransaction {
                record[EFFECTS] = made;
                time.arm(key as Timer, self.retention_us);
            }
        }
        Reply::Created(made)
    }

    /// A caller's request ends without a word.
    fn crash(&self, caller: Caller, cells: &mut [Cell]) {
        let run = self.run(caller);
        let key = usize::from(cells[run.start]).checked_sub(1);
        cells[run].fill(0);
        if let (Some(key), Steps::OneTransaction) = (key, self.steps) {
            cells[key * KEY_LENGTH..][..EFFECTS].fill(0);
        }
    }
}

impl System for Idempotency {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Wall;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["POST", key, body] => Some(Command::Post(self.keys.find(key)?, Word::parse(body)?)),
            ["EFFECT"] => Some(Command::Effect),
            ["ANSWER"] => Some(Command::Answer),
            ["EFFECTS", key] => Some(Command::Effects(self.keys.find(key)?)),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        self.keys.count() * KEY_LENGTH + usize::from(self.callers) * RUN_LENGTH
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        if caller >= self.callers {
            return Some(Reply::Unavailable);
        }
        match *command {
            Command::Post(key, body) => self.post(caller, key, body, cells, time),
            Command::Effect => Some(self.effect(caller, cells)),
            Command::Answer => Some(self.answer(caller, cells, time)),
            Command::Effects(key) => Some(Reply::Effects(cells[key * KEY_LENGTH + EFFECTS])),
        }
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], _: &mut dyn Time) {
        if usize::from(timer) < self.keys.count() {
            let record = &mut cells[usize::from(timer) * KEY_LENGTH..][..EFFECTS];
            record[STATE] = ABSENT;
            record.fill(0);
        }
    }

    fn disconnect(&self, caller: Caller, cells: &mut [Cell], _: &mut dyn Time) {
        if caller < self.callers {
            self.crash(caller, cells);
        }
    }

    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        for caller in 0..self.callers {
            self.crash(caller, cells);
        }
        if !keeps_memory {
            (0..self.timers()).for_each(|timer| time.disarm(timer));
            cells.fill(0);
        }
    }

    fn timers(&self) -> u8 {
        self.keys.count() as u8
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reserved => write!(f, "reserved"),
            Self::Effect(number) => write!(f, "effect {number}"),
            Self::Created(number) => write!(f, "201 effect {number}"),
            Self::Stored(number) => write!(f, "200 effect {number}"),
            Self::InProgress => write!(f, "409 in progress"),
            Self::OtherBody => write!(f, "422 other body"),
            Self::Effects(count) => write!(f, "{count}"),
            Self::OutOfTurn => write!(f, "out of turn"),
            Self::Unavailable => write!(f, "503"),
        }
    }
}
