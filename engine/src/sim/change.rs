//! What can happen, and what it changes: the words in which runs are chosen and told.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::scenario::{NodeIndex, Outcome, Request};
use super::storage::Comparison;

/// Something that can happen. All nondeterminism of a run is the choice among these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Action {
    /// A client does its next step: it works, or it sends a request.
    Step(NodeIndex),
    /// The server handles the request of this client.
    Serve(NodeIndex),
    /// This client takes the reply that was sent to it.
    Deliver(NodeIndex),
    /// The lease that this lock service has granted ends.
    Expire(NodeIndex),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(client) => write!(f, "step:{client}"),
            Self::Serve(client) => write!(f, "serve:{client}"),
            Self::Deliver(client) => write!(f, "deliver:{client}"),
            Self::Expire(lock) => write!(f, "expire:{lock}"),
        }
    }
}

/// What an action changed, or found unchanged.
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
    /// A client took a reply.
    Learned {
        /// What the reply says.
        outcome: Outcome,
        /// Who replied.
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
}

/// Takes note of changes. The searches take none, and pay nothing for it.
pub trait Record {
    /// `actor` did this, in a call of `client` if it is one.
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change);
}

impl Record for () {
    fn note(&mut self, _: NodeIndex, _: Option<NodeIndex>, _: Change) {}
}
