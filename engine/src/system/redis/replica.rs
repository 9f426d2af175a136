//! A Redis primary with one replica, as clients reach them through one address.
//!
//! - Replication is asynchronous: the primary answers before the replica has the
//!   write. `WAIT` says how many replicas have it, and a short count undoes nothing
//!   (<https://redis.io/docs/latest/commands/wait/>).
//! - Promotion makes the replica the primary, with what it has: writes that had not
//!   arrived are lost.
//! - A primary that comes back without its memory is copied to its replica like any
//!   other (<https://redis.io/docs/latest/operate/oss_and_stack/management/replication/>).
//!
//! The replica lags by a timer: all that it does not have yet arrives together, a
//! while after the first of it was written. Both servers have the same wall clock.

use super::command::{Command, DataCommand};
use super::keyspace::{KEY_LENGTH, Keyspace};
use super::reply::{Answer, Error, Reply};
use super::text::Keys;
use super::{Caller, ClockKind, Redis, System, Time, Timer, View};
use crate::system::Cell;

/// A primary and its replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisPair {
    /// The primary. The replica knows the same names.
    pub primary: Redis,
    /// How far the replica lags, in microseconds.
    pub lag_us: u64,
}

/// A command for one of the two, or something that happens to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairCommand {
    /// A command for who is the primary now.
    Primary(Command),
    /// `replica …`: a command for the server that was made as the replica. Until it is
    /// promoted it takes no writes.
    Replica(DataCommand),
    /// `LINK FREEZE`: nothing gets through from the primary to the replica any more.
    FreezeLink,
    /// `LINK THAW`: it does again, after the lag.
    ThawLink,
    /// `replica REPLICAOF NO ONE`: the primary is gone for good, and the replica takes
    /// its place. Connections are closed.
    Promote,
}

// The cells of the link, behind those of the two servers.
/// The callers with a write that the replica does not have, one bit each.
const UNACKNOWLEDGED: usize = 0;
/// Whether the replica is behind.
const BEHIND: usize = 1;
/// Whether the link is frozen.
const FROZEN: usize = 2;
/// Whether the replica was promoted.
const PROMOTED: usize = 3;
/// The callers whose `WAIT` ends by a timer, one bit each.
const WAITING: usize = 4;
/// Those among them whose timer has fired.
const TIMED_OUT: usize = 5;
const LINK_LENGTH: usize = 6;
/// How many callers are told apart, and so how many timers of `WAIT` there are.
const BITS: u8 = Cell::BITS as u8;

/// The cells of a pair by what they hold.
struct Parts<'a> {
    primary: &'a mut [Cell],
    replica: &'a mut [Cell],
    link: &'a mut [Cell],
}

impl RedisPair {
    fn parts<'a>(&self, cells: &'a mut [Cell]) -> Parts<'a> {
        let (primary, rest) = cells.split_at_mut(self.primary.length());
        let (replica, link) = rest.split_at_mut(self.primary.keys_length());
        Parts { primary, replica, link }
    }

    fn first_timer_of_replica(&self) -> Timer {
        self.primary.timers()
    }

    fn timer_of_link(&self) -> Timer {
        self.primary.timers() * 2
    }

    fn timer_of_wait(&self, caller: Caller) -> Timer {
        self.timer_of_link() + 1 + place_of(caller)
    }

    /// The `WAIT` of a caller is over.
    fn stop_waiting(&self, caller: Caller, link: &mut [Cell], time: &mut dyn Time) {
        link[WAITING] &= !bit_of(caller);
        link[TIMED_OUT] &= !bit_of(caller);
        time.disarm(self.timer_of_wait(caller));
    }

    /// Notes that the replica is behind, and sends it what it lacks.
    fn fall_behind(&self, link: &mut [Cell], time: &mut dyn Time) {
        if link[PROMOTED] != 0 {
            return;
        }
        link[BEHIND] = 1;
        if link[FROZEN] == 0 && time.left_us(self.timer_of_link()).is_none() {
            time.arm(self.timer_of_link(), self.lag_us);
        }
    }

    fn serve_primary(&self, caller: Caller, command: &Command, parts: Parts, time: &mut dyn Time) -> Option<Reply> {
        let Parts { primary, link, .. } = parts;
        let has_replica = link[PROMOTED] == 0;
        let is_waited_for = has_replica && link[UNACKNOWLEDGED] & bit_of(caller) != 0;
        if let Command::Data(DataCommand::Wait(1, timeout_ms)) = *command
            && is_waited_for
            && link[TIMED_OUT] & bit_of(caller) == 0
            && !self.primary.is_queuing(caller, primary)
        {
            if timeout_ms != 0 && link[WAITING] & bit_of(caller) == 0 {
                link[WAITING] |= bit_of(caller);
                time.arm(self.timer_of_wait(caller), u64::from(timeout_ms) * 1_000);
            }
            return None;
        }
        self.stop_waiting(caller, link, time);
        let acknowledged = u8::from(has_replica && !is_waited_for);
        let (reply, written) = self.primary.serve(caller, command, acknowledged, primary, time)?;
        if written != Keys::default() && has_replica {
            link[UNACKNOWLEDGED] |= bit_of(caller);
            self.fall_behind(link, time);
        }
        Some(reply)
    }

    fn serve_replica(&self, command: DataCommand, replica: &mut [Cell], time: &mut dyn Time) -> Reply {
        let mut space = Keyspace::new(replica, time, self.first_timer_of_replica());
        Reply::One(match command {
            command if command.may_write() => Answer::Error(Error::ReadOnly),
            command => self.primary.run(command, &mut space),
        })
    }

    fn promote(&self, parts: Parts, time: &mut dyn Time) {
        let Parts { primary, replica, link } = parts;
        if link[PROMOTED] != 0 {
            return;
        }
        self.primary.close_all(primary);
        primary[..replica.len()].copy_from_slice(replica);
        replica.fill(0);
        self.copy_timers(self.first_timer_of_replica(), 0, time);
        for timer in self.first_timer_of_replica()..self.timers() {
            time.disarm(timer);
        }
        link.fill(0);
        link[PROMOTED] = 1;
    }

    /// Gives each key of one server the end that it has on the other.
    fn copy_timers(&self, from: Timer, to: Timer, time: &mut dyn Time) {
        for key in 0..self.primary.timers() {
            match time.left_us(from + key) {
                Some(left_us) => time.arm(to + key, left_us),
                None => time.disarm(to + key),
            }
        }
    }
}

impl System for RedisPair {
    type Command = PairCommand;
    type Reply = Reply;
    const CLOCK: ClockKind = ClockKind::Wall;

    fn parse(&self, words: &str) -> Option<PairCommand> {
        match words {
            "LINK FREEZE" => Some(PairCommand::FreezeLink),
            "LINK THAW" => Some(PairCommand::ThawLink),
            "replica REPLICAOF NO ONE" => Some(PairCommand::Promote),
            _ => match words.strip_prefix("replica ") {
                None => self.primary.parse(words).map(PairCommand::Primary),
                Some(words) => match self.primary.parse(words)? {
                    Command::Data(DataCommand::Wait(..) | DataCommand::Evaluate(_)) => None,
                    Command::Data(command) => Some(PairCommand::Replica(command)),
                    _ => None,
                },
            },
        }
    }

    fn length(&self) -> usize {
        self.primary.length() + self.primary.names.key_count() * KEY_LENGTH + LINK_LENGTH
    }

    fn start(&self, cells: &mut [Cell]) {
        self.primary.start(self.parts(cells).primary);
    }

    /// `WAIT` answers when the replica has the writes, or at the end of its timeout.
    fn execute(&self, caller: Caller, command: &PairCommand, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        let parts = self.parts(cells);
        let is_promoted = parts.link[PROMOTED] != 0;
        match command {
            PairCommand::Primary(command) => return self.serve_primary(caller, command, parts, time),
            PairCommand::Replica(command) if is_promoted => {
                return self.serve_primary(caller, &Command::Data(*command), parts, time);
            }
            PairCommand::Replica(command) => return Some(self.serve_replica(*command, parts.replica, time)),
            PairCommand::FreezeLink => {
                if !is_promoted {
                    parts.link[FROZEN] = 1;
                    time.disarm(self.timer_of_link());
                }
            }
            PairCommand::ThawLink => {
                parts.link[FROZEN] = 0;
                if parts.link[BEHIND] != 0 {
                    self.fall_behind(parts.link, time);
                }
            }
            PairCommand::Promote => self.promote(parts, time),
        }
        Some(Reply::One(Answer::Ok))
    }

    /// A key ends on one of the two, each by its own timer; the replica catches up; or a
    /// `WAIT` is over.
    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        let Parts { primary, replica, link } = self.parts(cells);
        let first = self.first_timer_of_replica();
        if timer == self.timer_of_link() {
            replica.copy_from_slice(&primary[..self.primary.keys_length()]);
            self.copy_timers(0, first, time);
            link[BEHIND] = 0;
            link[UNACKNOWLEDGED] = 0;
        } else if let Some(place) = timer.checked_sub(self.timer_of_link() + 1) {
            link[TIMED_OUT] |= bit_of(place);
        } else if timer < first {
            self.primary.fire(timer, primary, time);
        } else {
            let mut space = Keyspace::new(replica, time, first);
            space.delete(super::Key(timer - first));
        }
    }

    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time) {
        let Parts { primary, link, .. } = self.parts(cells);
        link[UNACKNOWLEDGED] &= !bit_of(caller);
        self.stop_waiting(caller, link, time);
        self.primary.disconnect(caller, primary, time);
    }

    /// The primary restarts; the replica follows what it then has.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        let Parts { primary, link, .. } = self.parts(cells);
        link[UNACKNOWLEDGED] = 0;
        (0..BITS).for_each(|caller| self.stop_waiting(caller, link, time));
        self.primary.restart(keeps_memory, primary, time);
        if !keeps_memory {
            self.fall_behind(link, time);
        }
    }

    fn timers(&self) -> u8 {
        self.timer_of_link() + 1 + BITS
    }

    fn is_replication(&self, timer: Timer) -> bool {
        timer == self.timer_of_link()
    }

    fn has_transactions(&self) -> bool {
        System::has_transactions(&self.primary)
    }

    fn view(&self, caller: Caller, command: &PairCommand, reply: Option<&Reply>, cells: &[Cell]) -> View {
        let link = cells.len() - LINK_LENGTH;
        match command {
            PairCommand::Primary(command) => System::view(&self.primary, caller, command, reply, cells),
            PairCommand::Replica(_) if cells[link + PROMOTED] == 0 => View::Copy,
            PairCommand::Promote => View::Promoted,
            PairCommand::Replica(_) | PairCommand::FreezeLink | PairCommand::ThawLink => View::Shared,
        }
    }
}

/// The place of a caller; those beyond the last place share it.
fn place_of(caller: Caller) -> u8 {
    caller.min(BITS - 1)
}

fn bit_of(caller: Caller) -> Cell {
    1 << place_of(caller)
}
