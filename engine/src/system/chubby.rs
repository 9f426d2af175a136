//! Chubby: a lock with sequencers and a lock-delay, and a server that checks sequencers.
//!
//! Modelled after Burrows, "The Chubby lock service for loosely-coupled distributed
//! systems", OSDI 2006, section 2.4
//! (<https://www.usenix.org/conference/osdi-06/chubby-lock-service-loosely-coupled-distributed-systems>):
//!
//! - A holder can ask for a *sequencer*: the lock's name, its mode and a generation
//!   number, which is one more each time the lock goes from free to held. It is passed
//!   on with each request to other servers, and they check it against Chubby, or against
//!   the newest sequencer that they have seen.
//! - If a lock becomes free because its holder failed, nobody can take it for the
//!   *lock-delay*, which the holder chose, up to a minute. A release has no delay. This
//!   protects servers that don't check sequencers, and only probably.
//! - A holder lives by a session, whose lease it extends.
//!
//! Left out: other nodes than one lock, events, caching, and the grace period in which
//! a client waits for another master. A restart with its data is another master, which
//! gives each session a whole lease again.

use alloc::vec::Vec;
use core::fmt;

use super::names::{Word, number};
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// A cell with one lock, and a file server that its clients write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chubby {
    /// How the file server checks sequencers.
    pub check: SequencerCheck,
}

/// How the file server checks sequencers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequencerCheck {
    /// It doesn't: it relies on the lock-delay.
    None,
    /// It asks Chubby whether the sequencer is valid.
    AskChubby,
    /// It refuses one that is older than the newest it has seen.
    NewestSeen,
}

/// The most clients that the model knows: callers from 0 to 7.
pub const CLIENTS: u8 = 8;

/// How long the lease of a session lasts after it was extended, in microseconds: the
/// paper's default of 12 s.
pub const SESSION_LEASE_US: u64 = 12_000_000;

/// The longest lock-delay, in seconds.
pub const MOST_LOCK_DELAY_S: u16 = 60;

/// A request. Each one to Chubby extends the caller's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `Acquire MODE [lock-delay=10s]`: waits for the lock.
    Acquire(Mode, u16),
    /// `TryAcquire MODE [lock-delay=10s]`
    TryAcquire(Mode, u16),
    /// `Release`
    Release,
    /// `KeepAlive`
    KeepAlive,
    /// `GetSequencer`
    GetSequencer,
    /// `CheckSequencer lock:MODE:7`
    CheckSequencer(Sequencer),
    /// `Write VALUE lock:MODE:7`: a request to the file server.
    Write(Word, Sequencer),
    /// `Read`: what the file server keeps.
    Read,
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By one client.
    Exclusive,
    /// By any number of clients.
    Shared,
}

/// What a holder passes on: the mode, and the generation of the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequencer {
    /// How the lock is held.
    pub mode: Mode,
    /// Which time it is that the lock is held, from 1.
    pub generation: u16,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The lock is held, released, or the session extended.
    Done,
    /// `TryAcquire` didn't get the lock.
    Busy,
    /// The caller doesn't hold the lock.
    NotHeld,
    /// The holder's sequencer.
    Sequencer(Sequencer),
    /// Whether a sequencer is valid.
    Valid(bool),
    /// The file server took the write.
    Written,
    /// It refused a sequencer.
    Stale,
    /// What it keeps.
    Value(Option<Word>),
    /// The model knows no more clients, or has used up its generations.
    Refused,
}

const GENERATION: usize = 0;
const MODE: usize = 1; // 0 if the lock is free
const HOLDERS: usize = 2; // one bit for each client
const VALUE: usize = 3; // of the file server
const NEWEST: usize = 4; // the generation of the newest sequencer it has seen
const DELAYS: usize = 5; // for each client the lock-delay it chose, in seconds
const LENGTH: usize = DELAYS + CLIENTS as usize;

/// The timer after those of the sessions.
const LOCK_DELAY: Timer = CLIENTS;

const SECOND_US: u64 = 1_000_000;

impl Mode {
    fn to_cell(self) -> Cell {
        match self {
            Self::Exclusive => 1,
            Self::Shared => 2,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Exclusive => "exclusive",
            Self::Shared => "shared",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Exclusive, Self::Shared].into_iter().find(|mode| mode.name() == text)
    }
}

impl Chubby {
    /// Takes the lock, if it is free and in no lock-delay, or held by others who share.
    fn acquire(client: Caller, mode: Mode, delay_s: u16, cells: &mut [Cell], time: &mut dyn Time) -> Reply {
        let is_free = cells[MODE] == 0;
        let shares = mode == Mode::Shared && cells[MODE] == mode.to_cell();
        if holds(client, cells) || !(is_free || shares) || time.left_us(LOCK_DELAY).is_some() {
            return Reply::Busy;
        }
        if is_free {
            let Some(generation) = cells[GENERATION].checked_add(1).filter(|&next| next < Cell::MAX) else {
                return Reply::Refused;
            };
            cells[GENERATION] = generation;
            cells[MODE] = mode.to_cell();
        }
        cells[HOLDERS] |= bit(client);
        cells[DELAYS + usize::from(client)] = delay_s;
        extend(client, time);
        Reply::Done
    }

    fn let_go(client: Caller, cells: &mut [Cell]) {
        cells[HOLDERS] &= !bit(client);
        cells[DELAYS + usize::from(client)] = 0;
        if cells[HOLDERS] == 0 {
            cells[MODE] = 0;
        }
    }

    fn write(self, value: Word, sequencer: Sequencer, cells: &mut [Cell]) -> Reply {
        let accepts = match self.check {
            SequencerCheck::None => true,
            SequencerCheck::AskChubby => is_valid(sequencer, cells),
            SequencerCheck::NewestSeen => sequencer.generation >= cells[NEWEST],
        };
        if !accepts {
            return Reply::Stale;
        }
        cells[VALUE] = value.to_cell();
        if self.check == SequencerCheck::NewestSeen {
            cells[NEWEST] = sequencer.generation;
        }
        Reply::Written
    }
}

fn bit(client: Caller) -> Cell {
    1 << client
}

fn holds(client: Caller, cells: &[Cell]) -> bool {
    cells[HOLDERS] & bit(client) != 0
}

fn is_valid(sequencer: Sequencer, cells: &[Cell]) -> bool {
    cells[MODE] == sequencer.mode.to_cell() && cells[GENERATION] == sequencer.generation
}

fn extend(client: Caller, time: &mut dyn Time) {
    time.arm(client, SESSION_LEASE_US);
}

impl System for Chubby {
    type Command = Command;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let delay = |text: &str| {
            let delay_s = number(text.strip_prefix("lock-delay=")?.strip_suffix('s')?)?;
            (delay_s <= MOST_LOCK_DELAY_S).then_some(delay_s)
        };
        match words.as_slice() {
            ["Acquire", mode] => Some(Command::Acquire(Mode::parse(mode)?, 0)),
            ["Acquire", mode, chosen] => Some(Command::Acquire(Mode::parse(mode)?, delay(chosen)?)),
            ["TryAcquire", mode] => Some(Command::TryAcquire(Mode::parse(mode)?, 0)),
            ["TryAcquire", mode, chosen] => Some(Command::TryAcquire(Mode::parse(mode)?, delay(chosen)?)),
            ["Release"] => Some(Command::Release),
            ["KeepAlive"] => Some(Command::KeepAlive),
            ["GetSequencer"] => Some(Command::GetSequencer),
            ["CheckSequencer", sequencer] => Sequencer::parse(sequencer).map(Command::CheckSequencer),
            ["Write", value, sequencer] => Some(Command::Write(Word::parse(value)?, Sequencer::parse(sequencer)?)),
            ["Read"] => Some(Command::Read),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        LENGTH
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        match *command {
            Command::CheckSequencer(sequencer) => return Some(Reply::Valid(is_valid(sequencer, cells))),
            Command::Write(value, sequencer) => return Some(self.write(value, sequencer, cells)),
            Command::Read => return Some(Reply::Value(Word::from_cell(cells[VALUE]))),
            _ if caller >= CLIENTS => return Some(Reply::Refused),
            _ => {}
        }
        if let Command::Acquire(mode, delay_s) = *command {
            let reply = Self::acquire(caller, mode, delay_s, cells, time);
            return (reply != Reply::Busy).then_some(reply);
        }
        let held = holds(caller, cells);
        if held {
            extend(caller, time);
        }
        Some(match *command {
            Command::TryAcquire(mode, delay_s) => Self::acquire(caller, mode, delay_s, cells, time),
            _ if !held => Reply::NotHeld,
            Command::Release => {
                Self::let_go(caller, cells);
                time.disarm(caller);
                Reply::Done
            }
            Command::GetSequencer => {
                let mode = if cells[MODE] == Mode::Shared.to_cell() { Mode::Shared } else { Mode::Exclusive };
                Reply::Sequencer(Sequencer { mode, generation: cells[GENERATION] })
            }
            _ => Reply::Done,
        })
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        if timer < CLIENTS && holds(timer, cells) {
            let delay_s = cells[DELAYS + usize::from(timer)];
            Self::let_go(timer, cells);
            if cells[MODE] == 0 && delay_s > 0 {
                time.arm(LOCK_DELAY, u64::from(delay_s) * SECOND_US);
            }
        }
    }

    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        if keeps_memory {
            (0..CLIENTS).filter(|&client| holds(client, cells)).for_each(|client| extend(client, time));
            return;
        }
        for timer in 0..self.timers() {
            time.disarm(timer);
        }
        cells.fill(0);
    }

    fn timers(&self) -> u8 {
        CLIENTS + 1
    }
}

impl Sequencer {
    /// Reads `lock:exclusive:7`.
    fn parse(text: &str) -> Option<Self> {
        let (mode, generation) = text.strip_prefix("lock:")?.split_once(':')?;
        Some(Self { mode: Mode::parse(mode)?, generation: number(generation)? })
    }
}

impl fmt::Display for Sequencer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lock:{}:{}", self.mode.name(), self.generation)
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "ok"),
            Self::Busy => write!(f, "busy"),
            Self::NotHeld => write!(f, "not held"),
            Self::Sequencer(sequencer) => write!(f, "{sequencer}"),
            Self::Valid(valid) => write!(f, "{}", if *valid { "valid" } else { "invalid" }),
            Self::Written => write!(f, "written"),
            Self::Stale => write!(f, "refused: stale sequencer"),
            Self::Value(None) => write!(f, "nothing"),
            Self::Value(Some(value)) => write!(f, "{value}"),
            Self::Refused => write!(f, "refused"),
        }
    }
}
