//! What can happen, and what it changes: the words in which runs are chosen and told.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::fault::Leg;
use super::scenario::{NodeIndex, Outcome, Request};
use super::storage::Comparison;
use crate::system::Timer;

/// Something that can happen. All nondeterminism of a run is the choice among these.
/// Where two are due at one moment in a timed run, the one named first here comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Action {
    /// A client does its next step: it works, or it sends a request.
    Step(NodeIndex),
    /// The server handles the request of this client.
    Serve(NodeIndex),
    /// The server handles the request in this slot, whose sender doesn't wait for
    /// it any more. Nobody hears its reply.
    ServeStray(u8),
    /// This client takes the reply that was sent to it.
    Deliver(NodeIndex),
    /// The lease that this lock service has granted ends.
    Expire(NodeIndex),
    /// A timer of this real system fires.
    Fire(NodeIndex, Timer),
    /// The deadline that this client has noted passes.
    Pass(NodeIndex),
    /// The deadline of this client's call has passed.
    TimeOut(NodeIndex),
    /// The message that is on its way in this client's call is lost.
    Lose(NodeIndex),
    /// The request in this slot is lost.
    LoseStray(u8),
    /// The request that this client has sent is on its way twice.
    Duplicate(NodeIndex),
    /// A node stops and forgets what it knew.
    Crash(NodeIndex),
    /// A node stops and keeps what it knew.
    Halt(NodeIndex),
    /// A node that is down starts again.
    Restart(NodeIndex),
    /// The state of this server is copied aside.
    Snapshot(NodeIndex),
    /// This server gets the state back that was copied aside.
    Restore(NodeIndex),
    /// An operator breaks the lease that this lock service has granted.
    ForceUnlock(NodeIndex),
    /// This lock service forgets its holder and its counter.
    Forget(NodeIndex),
    /// Another member of this system becomes its leader.
    ChangeLeader(NodeIndex),
}

/// An action by the name of its kind.
type Verb = (&'static str, fn(u8) -> Action);

/// The kinds of actions, as schedules write them.
const VERBS: [Verb; 18] = [
    ("step", Action::Step),
    ("serve", Action::Serve),
    ("serve-stray", Action::ServeStray),
    ("deliver", Action::Deliver),
    ("expire", Action::Expire),
    ("pass", Action::Pass),
    ("time-out", Action::TimeOut),
    ("lose", Action::Lose),
    ("lose-stray", Action::LoseStray),
    ("duplicate", Action::Duplicate),
    ("crash", Action::Crash),
    ("halt", Action::Halt),
    ("restart", Action::Restart),
    ("snapshot", Action::Snapshot),
    ("restore", Action::Restore),
    ("force-unlock", Action::ForceUnlock),
    ("forget", Action::Forget),
    ("change-leader", Action::ChangeLeader),
];

/// How schedules write [`Action::Fire`], which has a timer behind its node.
const FIRE: &str = "fire";

impl Action {
    /// The node that it is about, or the slot.
    pub fn place(self) -> u8 {
        match self {
            Self::Step(place)
            | Self::Serve(place)
            | Self::ServeStray(place)
            | Self::Deliver(place)
            | Self::Expire(place)
            | Self::TimeOut(place)
            | Self::Lose(place)
            | Self::LoseStray(place)
            | Self::Duplicate(place)
            | Self::Crash(place)
            | Self::Halt(place)
            | Self::Restart(place)
            | Self::Snapshot(place)
            | Self::Restore(place)
            | Self::ForceUnlock(place)
            | Self::Forget(place)
            | Self::Pass(place)
            | Self::ChangeLeader(place)
            | Self::Fire(place, _) => place,
        }
    }

    /// Whether its place is a slot of stray messages and not a node.
    pub(super) fn is_of_a_slot(self) -> bool {
        matches!(self, Self::ServeStray(_) | Self::LoseStray(_))
    }

    /// Whether it is a lease, a key or a deadline that ends by a server's clock. How
    /// many of them do is the bound of a search.
    pub fn is_expiry(self) -> bool {
        matches!(self, Self::Expire(_) | Self::Fire(..))
    }

    /// Reads what [`fmt::Display`] writes.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let (name, place) = word.split_once(':')?;
        if name == FIRE {
            let (node, timer) = place.split_once('.')?;
            return Some(Self::Fire(node.parse().ok()?, timer.parse().ok()?));
        }
        let (_, make) = VERBS.iter().find(|(known, _)| *known == name)?;
        Some(make(place.parse().ok()?))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place();
        if let Self::Fire(node, timer) = self {
            return write!(f, "{FIRE}:{node}.{timer}");
        }
        let verb = VERBS.iter().find(|(_, make)| make(place) == *self);
        write!(f, "{}:{place}", verb.map_or("", |(name, _)| name))
    }
}

/// What an action changed, or found unchanged. Runs are kept as bytes, which have the places
/// of these, so a new one stands at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// A client sent a request. One that releases gives up its belief here.
    Sent {
        /// To whom.
        server: NodeIndex,
        /// What it asks.
        request: Request,
        /// The token that it carries, or 0.
        token: u16,
    },
    /// A client computed a value.
    Computed {
        /// The result.
        value: u16,
    },
    /// A client's wait is over.
    Waited,
    /// A client took a reply, or stopped waiting for it.
    Learned {
        /// What the reply says; [`Outcome::TimedOut`] if the client doesn't wait for it.
        outcome: Outcome,
        /// Who was asked.
        server: NodeIndex,
        /// The token of the lease that it is about, or 0.
        token: u16,
    },
    /// A client reached the end of its program.
    Finished,
    /// A client gave up.
    Stopped,
    /// A lease was granted.
    Granted {
        /// Its token.
        token: u16,
        /// Its length by the server's clock, in microseconds.
        ttl_us: u64,
    },
    /// A lease was not granted.
    Busy {
        /// Who holds the lock.
        holder: NodeIndex,
        /// With which token.
        token: u16,
    },
    /// The lock is held with the token that was asked about.
    StillHeld {
        /// That token.
        token: u16,
    },
    /// The lock isn't held with the token that was sent.
    NotHeld {
        /// That token.
        token: u16,
    },
    /// A lease got a new term.
    Renewed {
        /// Its token.
        token: u16,
        /// The new term from now on, in microseconds.
        ttl_us: u64,
    },
    /// The holder freed the lock.
    Freed {
        /// The token of the lease that it ended.
        token: u16,
    },
    /// A lease ended by the server's clock.
    Expired {
        /// Who held it.
        client: NodeIndex,
        /// With which token.
        token: u16,
    },
    /// An operator broke a lease.
    Broken {
        /// Who held it.
        client: NodeIndex,
        /// With which token.
        token: u16,
    },
    /// A lock service forgot its holder and its counter.
    Forgotten {
        /// The token that it will grant next; `None` if only the system knows that.
        next: Option<u16>,
    },
    /// A message was lost on its way from where this happened.
    Lost {
        /// Which of the call's two messages.
        leg: Leg,
        /// The server that was asked.
        server: NodeIndex,
    },
    /// A request is on its way twice.
    Duplicated {
        /// The server that is asked.
        server: NodeIndex,
    },
    /// A node stopped.
    Crashed {
        /// Whether it keeps what it knew.
        keeps_memory: bool,
    },
    /// A node started again.
    Restarted,
    /// The state of a server was copied aside.
    Saved,
    /// A lock service got an older state back.
    LockRestored {
        /// Who held the lock then, with which token.
        holder: Option<(NodeIndex, u16)>,
        /// The token that it will grant next.
        next: u16,
    },
    /// A storage got an older state back.
    StorageRestored {
        /// The version that is there again.
        version: u16,
        /// The highest token that it knows of again; 0 if it keeps none.
        fence: u16,
    },
    /// Storage answered a read.
    Read {
        /// The version that is there.
        version: u16,
        /// The value that is there.
        value: u16,
    },
    /// Storage accepted a write.
    Accepted {
        /// The token that came with it, or 0.
        token: u16,
        /// The version that the value was computed from.
        based_on: u16,
        /// The version that it replaced.
        replaced: u16,
        /// The version that it made.
        version: u16,
        /// What was compared, if anything.
        comparison: Option<Comparison>,
        /// Whether it was to hold only if what was read is still there.
        conditional: bool,
    },
    /// Storage took a write in a transaction, or a proposal: others don't see it until it is
    /// committed.
    Pending {
        /// The token that came with it, or 0.
        token: u16,
        /// The version that the value was computed from, or 0.
        based_on: u16,
    },
    /// What a client had written or done in a transaction, or proposed, will never be seen by
    /// others.
    Undone {
        /// Whose it was.
        client: NodeIndex,
    },
    /// Storage refused a write.
    Refused {
        /// The token that came with it, or 0.
        token: u16,
        /// The version that the value was computed from.
        based_on: u16,
        /// The comparison that refused it.
        comparison: Comparison,
    },
    /// A client compared what it had read with a number.
    Compared {
        /// What it had read.
        value: u16,
        /// The number.
        with: u16,
    },
    /// A server answered, and nothing that is judged has changed.
    Answered {
        /// What the client will make of it.
        outcome: Outcome,
    },
    /// A server keeps a command until something has changed.
    Waits,
    /// A lock has gone to somebody who waited for it.
    Passed {
        /// To whom.
        client: NodeIndex,
        /// The token of the grant.
        token: u16,
    },
    /// A cache took an entry.
    Filled {
        /// The version that it was made from.
        version: u16,
        /// The version that was there at the source.
        newest: u16,
    },
    /// A cache did not take an entry.
    NotFilled {
        /// The version that it was made from.
        version: u16,
        /// The version that was there at the source.
        newest: u16,
    },
    /// A cache has no entry any more.
    Emptied,
    /// A copy has caught up.
    CaughtUp {
        /// The version that it has.
        version: u16,
    },
    /// Something was done that can't be taken back.
    Effected {
        /// How many times, all in all.
        count: u16,
        /// Which effect it is, by the value that the program names; 0 if it names none.
        of: u16,
    },
    /// Something was asked for that can't be taken back, and it wasn't done.
    NotEffected {
        /// Which effect, by the value that the program names, or 0.
        of: u16,
    },
    /// An effect was promised.
    Promised {
        /// How many of them, all in all.
        count: u16,
        /// Which effect was promised, by the value that the program names, or 0.
        of: u16,
    },
    /// A client noted a deadline on its own clock.
    DeadlineSet,
    /// That deadline passed, whether or not the client looks.
    DeadlinePassed,
    /// Another member leads.
    LeaderChanged,
    /// A write that is one of a row was accepted or refused.
    Segment {
        /// Its place in the row, from 1.
        number: u16,
        /// The last one that was accepted before, or 0.
        after: u16,
        /// Whether it was accepted.
        accepted: bool,
    },
    /// An effect or a promise in a transaction, or proposed: it counts once it is committed.
    EffectPending {
        /// Which effect it is, by the value that the program names, or 0.
        of: u16,
        /// Whether it is only promised.
        promised: bool,
    },
}
