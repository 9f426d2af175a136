//! Real systems as nodes, and what of them is judged.
//!
//! A server can hold several things that matter: a lock under one key and a counter
//! under another. The first one shares the server's lane; each other one is a
//! [`Part`] with a lane of its own. What a thing is in truth isn't said by the
//! scenario but asked of the server, as a bystander would ask it.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::scenario::NodeIndex;
use super::template::Template;
use super::world::Cell;
use super::{lock, storage};
use crate::system::setup::Setup;

/// A real system on a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemNode {
    /// Which system it is.
    pub setup: Setup,
    /// The commands that have been handled before the run begins.
    pub at_start: Vec<String>,
    /// How long a message between it and a client takes, in microseconds.
    pub latency_us: u64,
    /// What is judged here.
    pub role: Role,
    /// The command by which an operator breaks a lock.
    pub unlock: Option<String>,
    /// The command by which another of its members becomes the leader.
    pub change_leader: Option<String>,
}

/// Another thing on a server, with a lane of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The server; `None` for what lies on no single server, such as a lock by quorum.
    pub of: Option<NodeIndex>,
    /// What is judged here.
    pub role: Role,
}

/// What a thing is to those who judge a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Nothing that is judged.
    Server,
    /// A lock, with the token that the first grant gets.
    Lock {
        /// The token of the first grant, where the answers give none.
        first_token: u16,
        /// How it is found out who holds it.
        held: Held,
    },
    /// Something that is read and written.
    Data {
        /// The number of the version that is there at the start.
        first_version: u16,
        /// What it is a copy of, and how the two are compared.
        copy_of: Option<(NodeIndex, Comparing)>,
    },
    /// Entries that were filled from somewhere else.
    Cache {
        /// From where.
        of: NodeIndex,
        /// How it is found out that there is no entry.
        empty: Option<Probe>,
    },
    /// Effects that can't be taken back.
    Effects {
        /// How many there may be; `None` for any number.
        limit: Option<u16>,
    },
}

/// By which questions a copy is compared with its source. Where the two answers are
/// the same, so is what they answer from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparing {
    /// What the copy is asked.
    pub copy: String,
    /// What its source is asked. A server that holds both has a question for each, such
    /// as `GetItem` and `GetItem` with `ConsistentRead`
    /// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html>).
    pub source: String,
}

/// How it is found out who holds a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Held {
    /// By what its clients were answered.
    ByAnswers,
    /// By a question whose answer names the client that holds it.
    ByProbe(Probe),
    /// By how many of these locks a client holds.
    ByQuorum {
        /// The locks.
        members: Vec<NodeIndex>,
        /// How many of them are needed.
        needed: u8,
    },
}

/// A question that a bystander asks, and the answer that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The command.
    pub ask: String,
    /// The answer.
    pub reply: Template,
}

// What is kept of a thing beside the server's own state. The first three are those
// of a lock (see [`super::lock`]), of storage (see [`super::storage`]), or these.
/// How many effects there were.
pub(super) const EFFECTS: usize = 0;
/// How many were promised.
pub(super) const PROMISES: usize = 1;
/// The highest version that was ever made, of something that is read and written.
const NEWEST: usize = 3;
/// The number of cells of a thing.
pub(super) const LENGTH: usize = 4;

/// Notes that a new version was made. Its number was never given before, even if an
/// older state has come back since.
pub(super) fn next_version(cells: &mut [Cell]) -> u16 {
    cells[NEWEST] = cells[NEWEST].wrapping_add(1);
    cells[NEWEST]
}

impl Role {
    /// Whether it is a lock.
    pub fn is_lock(&self) -> bool {
        matches!(self, Self::Lock { .. })
    }

    /// Sets up its cells.
    pub(super) fn start(&self, cells: &mut [Cell]) {
        cells[..LENGTH].fill(0);
        match self {
            Self::Lock { first_token, .. } => lock::start_at(cells, *first_token),
            Self::Data { first_version, .. } => {
                storage::put_version(cells, *first_version);
                cells[NEWEST] = *first_version;
            }
            Self::Server | Self::Cache { .. } | Self::Effects { .. } => {}
        }
    }

    /// The cells in which the judges go on counting where they were when a system gets
    /// an older state back.
    pub(super) fn counted(&self) -> Range<usize> {
        match self {
            Self::Lock { .. } => 0..lock::LENGTH,
            Self::Effects { .. } => EFFECTS..PROMISES + 1,
            Self::Data { .. } => NEWEST..LENGTH,
            Self::Server | Self::Cache { .. } => 0..0,
        }
    }

    /// Whether it is something that is read and written.
    pub fn is_data(&self) -> bool {
        matches!(self, Self::Data { .. })
    }
}
