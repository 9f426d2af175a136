//! A candidate: what it sees, for how long on its own clock, and what it does then.

use alloc::vec::Vec;
use core::fmt;

use super::api_server::{Reply, Request};
use super::record::{self, OBJECT, Object, Record};
use crate::system::Cell;
use crate::system::names::Word;
use crate::system::{Caller, ClockKind, System, Time, Timer};

/// The configuration of a candidate, in seconds of its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Election {
    /// What it writes into the record as `leaseDurationSeconds`.
    pub lease_duration_s: u16,
    /// For how long a leader tries to renew before it stops being one. As in the
    /// source, a round of renewing starts one retry period after the last success.
    pub renew_deadline_s: u16,
    /// How long it rests between two tries.
    pub retry_period_s: u16,
    /// How much longer one that isn't leader rests, in thousandths of the retry period,
    /// from 0 to 1,200. A real one draws it each time.
    pub jitter_permille: u16,
}

impl Default for Election {
    /// The defaults of the components of Kubernetes: 15 s, 10 s and 2 s.
    fn default() -> Self {
        Self { lease_duration_s: 15, renew_deadline_s: 10, retry_period_s: 2, jitter_permille: 0 }
    }
}

/// What is wrong with an [`Election`], in the words of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The lease has to outlast the leader's own deadline.
    LeaseDuration,
    /// The deadline has to leave time for a retry.
    RenewDeadline,
    /// A rest of nothing.
    RetryPeriod,
    /// More than [`Election::jitter_permille`] may be.
    Jitter,
}

/// A process that wants to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    identity: Word,
    election: Election,
}

/// What happens to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `retry`: it is its turn. Waits for the retry period to pass.
    Retry,
    /// `release`: it is told to stop, with `ReleaseOnCancel`.
    Release,
    /// `leading?`: does its program act as leader?
    AskLeading,
    /// An answer of the server, in its words.
    Answer(Reply),
}

/// What a candidate does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It sends a request.
    Send(Request),
    /// It leaves the lease to its holder.
    HeldBy(Word),
    /// It begins to lead.
    Acquired,
    /// It goes on leading.
    Renewed,
    /// Its request was refused. A leader goes on until its deadline.
    Failed(Reply),
    /// It leads no more.
    Stopped,
    /// The answer to `leading?`.
    Leading(bool),
    /// An answer that it doesn't wait for (any more).
    Ignored,
}

const PHASE: usize = 0;
const LEADS: usize = 1;
const LATE: usize = 2; // 1 if it leads and its deadline to renew has passed
const SEEN: usize = 3; // the object it saw last

const IDLE: Cell = 0;
const READING: Cell = 1;
const WRITING: Cell = 2;
const RELEASING: Cell = 3;

/// Armed for as long as the lease that it saw last holds.
const LEASE: Timer = 0;
/// The deadline to renew.
const DEADLINE: Timer = 1;
/// The rest between two tries.
const RETRY: Timer = 2;

const SECOND_US: u64 = 1_000_000;
/// How long the record of a lease that was given up says it lasts, in seconds.
const RELEASED_DURATION_S: u16 = 1;

impl Candidate {
    /// A candidate with this identity.
    ///
    /// # Errors
    /// If the lease duration isn't greater than the deadline, or that isn't greater than
    /// 1.2 times the retry period.
    pub fn new(identity: Word, election: Election) -> Result<Self, ConfigError> {
        let Election { lease_duration_s, renew_deadline_s, retry_period_s, jitter_permille } = election;
        if lease_duration_s <= renew_deadline_s {
            return Err(ConfigError::LeaseDuration);
        }
        if u32::from(renew_deadline_s) * 10 <= u32::from(retry_period_s) * 12 {
            return Err(ConfigError::RenewDeadline);
        }
        if retry_period_s == 0 {
            return Err(ConfigError::RetryPeriod);
        }
        if jitter_permille > 1200 {
            return Err(ConfigError::Jitter);
        }
        Ok(Self { identity, election })
    }

    /// Begins a try.
    fn retry(&self, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        if cells[LATE] != 0 {
            return Self::stop(cells, time);
        }
        if cells[LEADS] != 0 && time.left_us(DEADLINE).is_none() {
            time.arm(DEADLINE, u64::from(self.election.renew_deadline_s) * SECOND_US);
        }
        cells[PHASE] = READING;
        Step::Send(Request::Get)
    }

    /// Decides on what it has read.
    fn decide(&self, object: Object, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        // The source compares the records, which hold the time of the last renewal. Here
        // the version tells one renewal from the next.
        if record::load(&cells[SEEN..]) != Some(object) {
            Self::observe(object, cells, time);
        }
        let Record { holder, transitions, .. } = object.record;
        let other = holder.filter(|&holder| holder != self.identity);
        if let Some(other) = other.filter(|_| time.left_us(LEASE).is_some()) {
            self.rest(cells, time);
            return Step::HeldBy(other);
        }
        let took_over = u16::from(holder != Some(self.identity));
        let transitions = transitions.saturating_add(took_over).min(u16::MAX - 1);
        cells[PHASE] = WRITING;
        Step::Send(Request::Update(Object { version: object.version, record: self.record(transitions) }))
    }

    /// Its write was accepted.
    fn written(&self, object: Object, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        Self::observe(object, cells, time);
        let led = cells[LEADS] != 0;
        cells[PHASE] = IDLE;
        cells[LEADS] = 1;
        cells[LATE] = 0;
        time.disarm(DEADLINE);
        if led {
            self.rest(cells, time);
            return Step::Renewed;
        }
        Step::Acquired
    }

    /// Gives the lease up. One that has seen it in other hands just stops: the lease isn't
    /// its own to give
    /// (<https://github.com/kubernetes/client-go/blob/master/tools/leaderelection/leaderelection.go>,
    /// `release` and `IsLeader`).
    fn release(&self, cells: &mut [Cell], time: &mut dyn Time) -> Step {
        let Some(seen) = record::load(&cells[SEEN..]).filter(|_| cells[LEADS] != 0) else {
            return Step::Leading(false);
        };
        if seen.record.holder != Some(self.identity) {
            return Self::stop(cells, time);
        }
        cells[PHASE] = RELEASING;
        let record = Record { holder: None, duration_s: RELEASED_DURATION_S, ..seen.record };
        Step::Send(Request::Update(Object { record, ..seen }))
    }

    fn stop(cells: &mut [Cell], time: &mut dyn Time) -> Step {
        cells[PHASE] = IDLE;
        cells[LEADS] = 0;
        cells[LATE] = 0;
        time.disarm(DEADLINE);
        Step::Stopped
    }

    /// Keeps what it saw, and when: the source calls it `observedTime`.
    fn observe(object: Object, cells: &mut [Cell], time: &mut dyn Time) {
        record::store(Some(object), &mut cells[SEEN..]);
        time.arm(LEASE, u64::from(object.record.duration_s) * SECOND_US);
    }

    fn rest(&self, cells: &mut [Cell], time: &mut dyn Time) {
        cells[PHASE] = IDLE;
        let jitter_permille = if cells[LEADS] != 0 { 0 } else { self.election.jitter_permille };
        let thousandths = 1_000 + u64::from(jitter_permille);
        time.arm(RETRY, u64::from(self.election.retry_period_s) * thousandths * (SECOND_US / 1_000));
    }

    fn record(&self, transitions: u16) -> Record {
        Record { holder: Some(self.identity), duration_s: self.election.lease_duration_s, transitions }
    }
}

impl System for Candidate {
    type Command = Event;
    type Reply = Step;
    /// Go's readings of the time have a monotonic part, by which it compares.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Event> {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            ["retry"] => Some(Event::Retry),
            ["release"] => Some(Event::Release),
            ["leading?"] => Some(Event::AskLeading),
            answer => Reply::parse(answer).map(Event::Answer),
        }
    }

    fn length(&self) -> usize {
        SEEN + OBJECT
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, _: Caller, event: &Event, cells: &mut [Cell], time: &mut dyn Time) -> Option<Step> {
        Some(match (*event, cells[PHASE]) {
            (Event::Retry, _) if time.left_us(RETRY).is_some() && cells[LATE] == 0 => return None,
            (Event::Retry, _) => self.retry(cells, time),
            (Event::Release, _) => self.release(cells, time),
            (Event::AskLeading, _) => Step::Leading(cells[LEADS] != 0),
            (Event::Answer(Reply::Found(object)), READING) => self.decide(object, cells, time),
            (Event::Answer(Reply::NotFound), READING) => {
                cells[PHASE] = WRITING;
                Step::Send(Request::Create(self.record(0)))
            }
            (Event::Answer(Reply::Found(object) | Reply::Created(object)), WRITING) => {
                self.written(object, cells, time)
            }
            (Event::Answer(_), RELEASING) => Self::stop(cells, time),
            (Event::Answer(refusal), READING | WRITING) => {
                self.rest(cells, time);
                Step::Failed(refusal)
            }
            (Event::Answer(_), _) => Step::Ignored,
        })
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], _: &mut dyn Time) {
        // The program notices at its next try; until then it acts as leader.
        if timer == DEADLINE && cells[LEADS] != 0 {
            cells[LATE] = 1;
        }
    }

    fn timers(&self) -> u8 {
        3
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(request) => write!(f, "{request}"),
            Self::HeldBy(holder) => write!(f, "lock is held by {holder} and has not yet expired"),
            Self::Acquired => write!(f, "successfully acquired lease"),
            Self::Renewed => write!(f, "successfully renewed lease"),
            Self::Failed(refusal) => write!(f, "failed to update lock: {refusal}"),
            Self::Stopped => write!(f, "stopped leading"),
            Self::Leading(leading) => write!(f, "{}", if *leading { "leading" } else { "not leading" }),
            Self::Ignored => write!(f, "ignored"),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LeaseDuration => "leaseDuration must be greater than renewDeadline",
            Self::RenewDeadline => "renewDeadline must be greater than retryPeriod*JitterFactor",
            Self::RetryPeriod => "retryPeriod must be greater than zero",
            Self::Jitter => "the jitter is at most 1,200 thousandths of the retry period",
        })
    }
}

impl core::error::Error for ConfigError {}
