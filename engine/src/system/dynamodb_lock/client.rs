//! A client: what it has seen, for how long on its own clock, and what it does then.

use core::fmt;

use super::item::{self, ITEM, Item, RecordVersion};
use super::table::{Condition, Reply, Request};
use crate::system::Cell;
use crate::system::names::Word;
use crate::system::{Caller, ClockKind, System, Time, Timer};

/// A client of the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockClient {
    owner: Word,
    lease_s: u16,
    refresh_s: u16,
}

/// What happens to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `lock`: it asks for the lock, or looks again. Waits for the refresh period.
    Lock,
    /// `tryLock`: it asks for the lock with `shouldSkipBlockingWait`.
    TryLock,
    /// `heartbeat`: it is time for one, by default each 5 seconds.
    Heartbeat,
    /// `release`
    Release,
    /// `held?`: does it hold the lock, as far as it knows?
    AskHeld,
    /// An answer of the table, in its words.
    Answer(Reply),
}

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It sends a request.
    Send(Request),
    /// It waits for a lock of this owner to stand still for a whole lease.
    NotYet(Word),
    /// It holds the lock, with this record version number.
    Granted(RecordVersion),
    /// Somebody else was faster. It looks again.
    Failed,
    /// It doesn't wait for a lock that somebody holds.
    Unavailable,
    /// Its heartbeat was accepted.
    Beaten(RecordVersion),
    /// It can't send a heartbeat for a lock that it doesn't hold, or whose lease has ended.
    NotGranted,
    /// Its heartbeat was refused: it has lost the lock.
    Lost,
    /// It has let go of the lock; false if it wasn't its own any more.
    Released(bool),
    /// The answer to `held?`.
    Held(Holding),
    /// The model can't make another record version number; a client makes 65,534.
    NoVersionsLeft,
    /// An answer that it doesn't wait for (any more).
    Ignored,
}

/// What a client knows of its own lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// It holds it.
    Held,
    /// It was granted, and its lease has ended on the client's clock.
    Expired,
    /// It wasn't granted, or was let go.
    No,
}

const PHASE: usize = 0;
const MADE: usize = 1; // how many record version numbers it has made
const HOLDS: usize = 2; // the count of the number with which it holds the lock, or 0
const SEEN: usize = 3; // the item it waits for
const LENGTH: usize = SEEN + ITEM;

const IDLE: Cell = 0;
const READING: Cell = 1;
const TRYING: Cell = 2;
const PUTTING: Cell = 3;
const BEATING: Cell = 4;
const RELEASING: Cell = 5;

/// Armed for as long as the item that it saw may be alive.
const LEASE: Timer = 0;
/// Armed for as long as its own lock holds.
const OWN: Timer = 1;
/// The same for the request on its way, counted from before it was sent.
const SENT: Timer = 2;
/// The rest between two looks.
const REFRESH: Timer = 3;

const SECOND_US: u64 = 1_000_000;

impl LockClient {
    /// A client with the defaults: a lease of 20 s and a look each second.
    pub fn new(owner: Word) -> Self {
        Self { owner, lease_s: 20, refresh_s: 1 }
    }

    /// The same client with another lease and another time between two looks, in seconds
    /// of its own clock; a lease of 0 becomes 1.
    #[must_use]
    pub fn with_times(self, lease_s: u16, refresh_s: u16) -> Self {
        Self { lease_s: lease_s.clamp(1, u16::MAX - 1), refresh_s, ..self }
    }

    /// Decides on what it has read.
    fn decide(self, item: Option<Item>, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        let skips_wait = cells[PHASE] == TRYING;
        let condition = match item {
            None => Condition::NoItem,
            Some(_) if skips_wait => {
                cells[PHASE] = IDLE;
                return Step::Unavailable;
            }
            Some(item) => {
                if item::load(&cells[SEEN..]).map(|seen| seen.version) != Some(item.version) {
                    item::store(Some(item), &mut cells[SEEN..]);
                    time.arm(LEASE, u64::from(item.lease_s) * SECOND_US);
                }
                if time.left_us(LEASE).is_some() {
                    self.rest(cells, time);
                    return Step::NotYet(item.owner);
                }
                Condition::Version(item.version)
            }
        };
        self.write(PUTTING, condition, cells, time)
    }

    fn heartbeat(self, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        match Self::holding(cells, time) {
            Holding::Held => {
                let condition = self.own_condition(cells);
                self.write(BEATING, condition, cells, time)
            }
            Holding::Expired | Holding::No => {
                Self::forget(cells, time);
                Step::NotGranted
            }
        }
    }

    /// Sends a new record version number, and counts its lease from now.
    fn write(self, phase: Cell, condition: Condition, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        let Some(made) = cells[MADE].checked_add(1).filter(|&made| made < u16::MAX) else {
            return Step::NoVersionsLeft;
        };
        cells[PHASE] = phase;
        cells[MADE] = made;
        time.arm(SENT, u64::from(self.lease_s) * SECOND_US);
        let item = Item { owner: self.owner, lease_s: self.lease_s, version: self.version(made), fence: None };
        Step::Send(if phase == BEATING { Request::Update(item, condition) } else { Request::Put(item, condition) })
    }

    /// Its write was accepted.
    fn written(self, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        let beat = cells[PHASE] == BEATING;
        cells[PHASE] = IDLE;
        cells[HOLDS] = cells[MADE];
        match time.left_us(SENT) {
            Some(left_us) => time.arm(OWN, left_us),
            None => time.disarm(OWN),
        }
        time.disarm(SENT);
        let version = self.version(cells[MADE]);
        if beat { Step::Beaten(version) } else { Step::Granted(version) }
    }

    fn release(self, cells: &mut [Cell]) -> Step {
        if cells[HOLDS] == 0 {
            return Step::Released(false);
        }
        cells[PHASE] = RELEASING;
        Step::Send(Request::Delete(self.own_condition(cells)))
    }

    fn refused(self, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        match cells[PHASE] {
            BEATING => {
                Self::forget(cells, time);
                Step::Lost
            }
            RELEASING => {
                Self::forget(cells, time);
                Step::Released(false)
            }
            _ => {
                self.rest(cells, time);
                Step::Failed
            }
        }
    }

    fn forget(cells: &mut [Cell], time: &mut dyn Time) {
        cells[PHASE] = IDLE;
        cells[HOLDS] = 0;
        time.disarm(OWN);
    }

    fn rest(self, cells: &mut [Cell], time: &mut dyn Time) {
        cells[PHASE] = IDLE;
        time.arm(REFRESH, u64::from(self.refresh_s) * SECOND_US);
    }

    fn holding(cells: &[Cell], time: &dyn Time) -> Holding {
        match (cells[HOLDS], time.left_us(OWN)) {
            (0, _) => Holding::No,
            (_, Some(_)) => Holding::Held,
            (_, None) => Holding::Expired,
        }
    }

    fn version(self, count: u16) -> RecordVersion {
        RecordVersion { by: self.owner, count }
    }

    fn own_condition(self, cells: &[Cell]) -> Condition {
        Condition::Own(self.version(cells[HOLDS]), self.owner)
    }
}

impl System for LockClient {
    type Command = Event;
    type Reply = Step;
    /// `System.nanoTime`.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Event> {
        match words.trim() {
            "lock" => Some(Event::Lock),
            "tryLock" => Some(Event::TryLock),
            "heartbeat" => Some(Event::Heartbeat),
            "release" => Some(Event::Release),
            "held?" => Some(Event::AskHeld),
            answer => Reply::parse(answer).map(Event::Answer),
        }
    }

    fn length(&self) -> usize {
        LENGTH
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, event: &Event, cells: &mut [Cell], time: &mut dyn Time) -> Option<Step> {
        Some(match (*event, cells[PHASE]) {
            (Event::Lock, _) if time.left_us(REFRESH).is_some() => return None,
            (Event::Lock, _) => {
                cells[PHASE] = READING;
                Step::Send(Request::Get)
            }
            (Event::TryLock, _) => {
                cells[PHASE] = TRYING;
                Step::Send(Request::Get)
            }
            (Event::Heartbeat, _) => self.heartbeat(cells, time),
            (Event::Release, _) => self.release(cells),
            (Event::AskHeld, _) => Step::Held(Self::holding(cells, time)),
            (Event::Answer(Reply::Read(item)), READING | TRYING) => self.decide(item, cells, time),
            (Event::Answer(Reply::Done), PUTTING | BEATING) => self.written(cells, time),
            (Event::Answer(Reply::Done), RELEASING) => {
                Self::forget(cells, time);
                Step::Released(true)
            }
            (Event::Answer(Reply::ConditionalCheckFailed), PUTTING | BEATING | RELEASING) => self.refused(cells, time),
            (Event::Answer(_), _) => Step::Ignored,
        })
    }

    /// A timer is read when the client goes on, so that it being armed is all there is to it.
    fn fire(&self, _: Timer, _: &mut [Cell], _: &mut dyn Time) {}

    /// A process that starts anew knows nothing of before. Its record version numbers are
    /// random in the real one, so they don't begin anew: what was written before a crash
    /// would else pass for what is written after it.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        if keeps_memory {
            return;
        }
        (0..self.timers()).for_each(|timer| time.disarm(timer));
        let made = cells[MADE];
        cells.fill(0);
        cells[MADE] = made;
    }

    fn timers(&self) -> u8 {
        4
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(request) => write!(f, "{request}"),
            Self::NotYet(owner) => write!(f, "not yet: held by {owner}"),
            Self::Granted(version) => write!(f, "granted {version}"),
            Self::Failed => write!(f, "someone else acquired the lock"),
            Self::Unavailable => write!(f, "LockCurrentlyUnavailableException"),
            Self::Beaten(version) => write!(f, "heartbeat {version}"),
            Self::NotGranted => {
                write!(f, "LockNotGrantedException: Cannot send heartbeat because lock is not granted")
            }
            Self::Lost => {
                write!(f, "LockNotGrantedException: Someone else acquired the lock, so we will stop heartbeating it")
            }
            Self::Released(true) => write!(f, "released"),
            Self::Released(false) => write!(f, "not released"),
            Self::Held(Holding::Held) => write!(f, "held"),
            Self::Held(Holding::Expired) => write!(f, "expired"),
            Self::Held(Holding::No) => write!(f, "not held"),
            Self::NoVersionsLeft => write!(f, "no record version numbers left in this model"),
            Self::Ignored => write!(f, "ignored"),
        }
    }
}
