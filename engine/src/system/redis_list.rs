//! The list commands of Redis, on a node that holds lists only: a queue of changes that
//! one worker takes out, so that there is a single writer.
//!
//! - `RPUSH` puts a value behind the others and answers with the length of the list.
//!   `LPOP` takes the first one out, or answers `nil`
//!   (<https://redis.io/docs/latest/commands/rpush/>, <https://redis.io/docs/latest/commands/lpop/>).
//! - `BLPOP` waits while the list is empty. Who has waited for longest gets the next
//!   value; after its time it is answered `nil`, and 0 waits for ever
//!   (<https://redis.io/docs/latest/commands/blpop/>). That time is a date of the wall
//!   clock (<https://github.com/redis/redis/blob/7.0.15/src/timeout.c>).
//! - A value that was taken out is no longer there: if the worker crashes, or the reply is
//!   lost, so is the change.
//!
//! Left out: several values or lists in one command, what takes out and notes in one step
//! (`LMOVE`), and lists in transactions; [`super::redis`] has everything but lists.

use alloc::vec::Vec;
use core::fmt;

use super::names::{Keys, Word, number};
use super::redis::Text;
use super::{Caller, Cell, ClockKind, System, Time, Timer};

/// A node with lists.
#[derive(Clone, Debug)]
pub struct RedisList {
    keys: Keys,
    names: Vec<Text>,
    callers: u8,
}

/// How many values a list has room for.
pub const MOST_VALUES: usize = 8;

/// A command; the list is counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `RPUSH KEY VALUE`
    Push(usize, Word),
    /// `LPOP KEY`
    Pop(usize),
    /// `BLPOP KEY SECONDS`
    BlockingPop(usize, u16),
    /// `LLEN KEY`
    Length(usize),
    /// `LRANGE KEY 0 -1`
    All(usize),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// How long the list is.
    Length(u16),
    /// The value that was taken out.
    Value(Word),
    /// The list and the value that was taken out of it.
    Taken(Text, Word),
    /// There is nothing to take out.
    Nil,
    /// The values of a list.
    All([Option<Word>; MOST_VALUES]),
    /// The list has [`MOST_VALUES`] values; a real server refuses so when its memory is full.
    OutOfMemory,
    /// The model has no room for another caller that waits.
    TooManyClients,
}

// The cells of a caller, behind those of the lists.
/// Its place among those who wait, from 1, or 0.
const TURN: usize = 0;
/// The list that it waits for, from 0.
const LIST: usize = 1;
/// The value that it is to be answered with, or [`TIMED_OUT`], or 0.
const OUTCOME: usize = 2;
const CALLER_LENGTH: usize = 3;

/// No word is this cell.
const TIMED_OUT: Cell = Cell::MAX;

impl RedisList {
    /// A node that knows these lists, and so many callers that can wait; `None` if a name
    /// is longer than [`Text::MOST`] bytes.
    pub fn new(keys: &[&str], callers: u8) -> Option<Self> {
        let names = keys.iter().map(|name| Text::new(name)).collect::<Option<_>>()?;
        Some(Self { keys: Keys::new(keys), names, callers })
    }

    /// The lists, and what is kept of the callers.
    fn parts<'a>(&self, cells: &'a mut [Cell]) -> (&'a mut [Cell], Callers<'a>) {
        let (lists, callers) = cells.split_at_mut(self.keys.count() * MOST_VALUES);
        (lists, Callers(callers))
    }

    fn push(&self, list: usize, value: Word, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        let (lists, mut callers) = self.parts(cells);
        let values = list_of(lists, list);
        let Some(free) = values.iter().position(|&cell| cell == 0) else { return Reply::OutOfMemory };
        match callers.first_for(list) {
            // The answer is the length before somebody who waits is served.
            Some(waits) => {
                callers.leave(waits, value.to_cell());
                time.disarm(waits as Timer);
            }
            None => values[free] = value.to_cell(),
        }
        Reply::Length(free as u16 + 1)
    }

    fn blocking_pop(
        &self,
        caller: usize,
        list: usize,
        seconds: u16,
        cells: &mut [Cell],
        time: &mut dyn Time,
    ) -> Option<Reply> {
        let (lists, mut callers) = self.parts(cells);
        let answer = |list: usize, value| match value {
            Some(value) => Reply::Taken(self.names[list], value),
            None => Reply::Nil,
        };
        let Some(own) = callers.get(caller) else { return Some(Reply::TooManyClients) };
        if own[OUTCOME] != 0 {
            let (list, outcome) = (usize::from(own[LIST]), own[OUTCOME]);
            own.fill(0);
            return Some(answer(list, Word::from_cell(outcome).filter(|_| outcome != TIMED_OUT)));
        }
        if own[TURN] != 0 && usize::from(own[LIST]) == list {
            return None;
        }
        callers.forget(caller);
        time.disarm(caller as Timer);
        if let Some(value) = pop(list_of(lists, list)) {
            return Some(answer(list, Some(value)));
        }
        callers.join(caller, list);
        if seconds > 0 {
            time.arm(caller as Timer, u64::from(seconds) * 1_000_000);
        }
        None
    }
}

fn list_of(lists: &mut [Cell], list: usize) -> &mut [Cell] {
    &mut lists[list * MOST_VALUES..][..MOST_VALUES]
}

/// Takes the first value out.
fn pop(values: &mut [Cell]) -> Option<Word> {
    let first = Word::from_cell(values[0])?;
    values.rotate_left(1);
    values[MOST_VALUES - 1] = 0;
    Some(first)
}

/// What is kept of the callers, in order.
struct Callers<'a>(&'a mut [Cell]);

impl Callers<'_> {
    fn get(&mut self, caller: usize) -> Option<&mut [Cell]> {
        self.0.chunks_exact_mut(CALLER_LENGTH).nth(caller)
    }

    /// Who has waited longest for a list.
    fn first_for(&self, list: usize) -> Option<usize> {
        let all = self.0.chunks_exact(CALLER_LENGTH).enumerate();
        let waiting = all.filter(|(_, own)| own[TURN] != 0 && usize::from(own[LIST]) == list);
        waiting.min_by_key(|(_, own)| own[TURN]).map(|(caller, _)| caller)
    }

    fn join(&mut self, caller: usize, list: usize) {
        let last = self.0.chunks_exact(CALLER_LENGTH).map(|own| own[TURN]).max().unwrap_or(0);
        if let Some(own) = self.get(caller) {
            (own[TURN], own[LIST]) = (last + 1, list as Cell);
        }
    }

    /// A caller waits no longer, and is to be answered with this.
    fn leave(&mut self, caller: usize, outcome: Cell) {
        let Some(own) = self.get(caller) else { return };
        let turn = own[TURN];
        (own[TURN], own[OUTCOME]) = (0, outcome);
        for other in self.0.chunks_exact_mut(CALLER_LENGTH).filter(|other| turn != 0 && other[TURN] > turn) {
            other[TURN] -= 1;
        }
    }

    /// Nothing is kept of a caller any more.
    fn forget(&mut self, caller: usize) {
        self.leave(caller, 0);
        if let Some(own) = self.get(caller) {
            own.fill(0);
        }
    }
}

impl System for RedisList {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Wall;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["RPUSH", key, value] => Some(Command::Push(self.keys.find(key)?, Word::parse(value)?)),
            ["LPOP", key] => self.keys.find(key).map(Command::Pop),
            ["BLPOP", key, seconds] => Some(Command::BlockingPop(self.keys.find(key)?, number(seconds)?)),
            ["LLEN", key] => self.keys.find(key).map(Command::Length),
            ["LRANGE", key, "0", "-1"] => self.keys.find(key).map(Command::All),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        self.keys.count() * MOST_VALUES + usize::from(self.callers) * CALLER_LENGTH
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        Some(match *command {
            Command::Push(list, value) => self.push(list, value, cells, time),
            Command::Pop(list) => pop(list_of(cells, list)).map_or(Reply::Nil, Reply::Value),
            Command::BlockingPop(list, seconds) => {
                return self.blocking_pop(caller.into(), list, seconds, cells, time);
            }
            Command::Length(list) => {
                Reply::Length(list_of(cells, list).iter().filter(|&&cell| cell != 0).count() as u16)
            }
            Command::All(list) => {
                let mut all = [None; MOST_VALUES];
                for (value, &cell) in all.iter_mut().zip(&*list_of(cells, list)) {
                    *value = Word::from_cell(cell);
                }
                Reply::All(all)
            }
        })
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], _: &mut dyn Time) {
        self.parts(cells).1.leave(timer.into(), TIMED_OUT);
    }

    /// A value that was on its way to the caller is lost.
    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time) {
        if caller < self.callers {
            self.parts(cells).1.forget(caller.into());
            time.disarm(caller);
        }
    }

    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        for caller in 0..self.callers {
            self.disconnect(caller, cells, time);
        }
        if !keeps_memory {
            cells.fill(0);
        }
    }

    fn timers(&self) -> u8 {
        self.callers
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(length) => write!(f, "{length}"),
            Self::Value(value) => write!(f, "{value}"),
            Self::Taken(list, value) => write!(f, "[{list}, {value}]"),
            Self::Nil => f.write_str("nil"),
            Self::All(values) => {
                f.write_str("[")?;
                for (place, value) in values.iter().flatten().enumerate() {
                    write!(f, "{}{value}", if place > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Self::OutOfMemory => f.write_str("OOM command not allowed when used memory > 'maxmemory'."),
            Self::TooManyClients => f.write_str("ERR max number of clients reached"),
        }
    }
}
