//! What a scenario consists of: nodes, and the programs that its clients run.
//!
//! A [`Scenario`] is one variant of a lesson, with names resolved to indices and
//! times to microseconds. It never changes during a run.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::command::{Ask, Meaning};
use super::contention::TryAgain;
use super::lock::LeaseLock;
use super::storage::VersionedRegister;
use super::thing::{Part, SystemNode};
use super::world::CELLS;
use crate::system::ClockKind;

/// A node's place in [`Scenario::nodes`].
pub type NodeIndex = u8;

/// A client's register, by its place in its program's list of registers.
pub type Register = u8;

/// The largest scenario that the engine takes. Files from strangers are hostile,
/// and a world has a fixed size.
pub const LIMITS: Limits = Limits {
    nodes: 32,
    steps: 64,
    registers: 16,
    tries: 100,
    first_number: 45_000,
    time_us: 3_600_000_000,
    cells: CELLS,
    events: 20_000,
    faults: 256,
};

/// See [`LIMITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most nodes in a scenario.
    pub nodes: usize,
    /// Most steps in a program.
    pub steps: usize,
    /// Most registers that a program may name.
    pub registers: usize,
    /// Most tries in a step that tries again.
    pub tries: usize,
    /// Highest token, fence and version to start from. Each grant and each write
    /// is an event, so none of them can outgrow 16 bits within a run.
    pub first_number: u16,
    /// Longest duration and latest moment, in microseconds: one hour.
    pub time_us: u64,
    /// Most cells of state in a world.
    pub cells: usize,
    /// Most events in a run; a run that reaches it is cut and says so.
    pub events: usize,
    /// Most faults in a run; those after them do nothing.
    pub faults: usize,
}

/// A system of nodes, ready to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Clients, lock services and storage, in the order of their lanes.
    pub nodes: Vec<Node>,
    /// The programs that clients run.
    pub programs: Vec<Program>,
    /// How many actions a run makes of one call.
    pub granularity: Granularity,
}

/// One lane: a client or a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What people read, such as "Client A" or "Lock service".
    pub title: String,
    /// What the node is and how it is set up.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeKind {
    /// Runs a program.
    Client(Client),
    /// Grants leases.
    Lock(LeaseLock),
    /// Keeps a value with a version.
    Storage(VersionedRegister),
    /// Is a real system, and the first thing that it holds.
    System(SystemNode),
    /// Is another thing on a real system.
    Part(Part),
}

/// A process that runs one program, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// The letter that stands for the client wherever space is short.
    pub letter: char,
    /// Index into [`Scenario::programs`].
    pub program: u8,
    /// When the process starts, in microseconds of true time.
    pub starts_us: u64,
    /// The client of which this is another thread, such as one that renews a lease in
    /// the background. The two share their values and beliefs, their clocks and their
    /// connections, and what befalls one befalls the other; their programs have the
    /// same registers.
    pub thread_of: Option<NodeIndex>,
}

/// A list of steps with branches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The name by which nodes refer to it.
    pub name: String,
    /// The steps, run from the first.
    pub steps: Vec<Step>,
    /// The names of the values that the program keeps, such as "token".
    pub registers: Vec<String>,
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// How long the process works before the step happens, in microseconds. A
    /// pause stops this work.
    pub work_us: u64,
    /// What the step does.
    pub operation: Operation,
    /// Where to go on after outcomes that don't simply lead to the next step.
    pub branches: Vec<Branch>,
    /// Whether the step happens in the same action as the one that leads forward to
    /// it, so that nobody comes between: part of one statement, script or
    /// transaction. Only steps that are local and take no time can.
    pub at_once: bool,
    /// How long a call may take by the client's own monotonic clock, in
    /// microseconds from its sending. After that the client goes on with
    /// [`Outcome::TimedOut`], whatever becomes of the call. `None` waits for ever.
    pub timeout_us: Option<u64>,
}

/// Where a program goes on after an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// The outcome that is meant.
    pub outcome: Outcome,
    /// Where it leads.
    pub target: Target,
}

/// Where a branch leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The next step.
    Next,
    /// The step with this index.
    Step(u8),
    /// The end of the program: the client gives up.
    Stop,
    /// The end of the program: the client has done what it was to do.
    End,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Asks a server and waits for its reply.
    Call {
        /// The server.
        server: NodeIndex,
        /// What is asked.
        request: Request,
    },
    /// Works on what was read: `into` becomes `from` plus `add`.
    Compute {
        /// The register that is read.
        from: Register,
        /// The register that is written.
        into: Register,
        /// What is added, modulo 2^16.
        add: u16,
    },
    /// Compares what was read with a number. It ends in [`Outcome::Below`] or
    /// [`Outcome::AtLeast`].
    Compare {
        /// The register that is read.
        register: Register,
        /// The number.
        with: u16,
    },
    /// Sleeps by the client's own monotonic clock. A pause doesn't stop the clock.
    Wait {
        /// How long, in microseconds of that clock.
        us: u64,
    },
    /// Sleeps by the client's own monotonic clock before it tries something again, and
    /// counts the tries: [`Outcome::Done`], or [`Outcome::Exhausted`] if none is left.
    TryAgain(TryAgain),
    /// Says something to a real system, in its own words, and waits for its answer.
    Ask {
        /// The lane of the thing that is meant.
        server: NodeIndex,
        /// What is said, and what the answers lead to.
        ask: Ask,
    },
    /// Notes a deadline on one of the client's own clocks, in place of the one before.
    SetDeadline {
        /// How far ahead, in microseconds of that clock.
        us: u64,
        /// Which clock. The wall clock is read as a number, and so is a date: a step of it
        /// brings the deadline nearer, or puts it off.
        clock: ClockKind,
    },
    /// Looks whether the deadline has passed: [`Outcome::InTime`] or [`Outcome::Late`].
    CheckDeadline,
    /// Comes to believe something about a lock by what was answered before.
    Conclude {
        /// The lock.
        lock: NodeIndex,
        /// [`Outcome::Granted`] or [`Outcome::Lost`].
        outcome: Outcome,
        /// The value that is the token; without one, grants are numbered in their order.
        token: Option<Register>,
    },
    /// Ends the program.
    Stop,
}

/// What a client asks of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Request {
    /// `SET key value NX PX ttl`, with a token counted in the same script.
    Acquire {
        /// How long the lease is to last by the server's clock, in microseconds.
        ttl_us: u64,
        /// Where the token goes.
        token: Register,
        /// Whether the server keeps the request until the lock is free.
        blocking: bool,
    },
    /// `GET key`: is the lock still mine?
    Check {
        /// The token of the lease that is meant.
        token: Register,
    },
    /// Compare-and-extend: a new full term, if the lock is still mine.
    Renew {
        /// How long the lease is to last from now on, in microseconds.
        ttl_us: u64,
        /// The token of the lease that is meant.
        token: Register,
    },
    /// Compare-and-delete: frees the lock, if it is still mine.
    Release {
        /// The token of the lease that is meant.
        token: Register,
    },
    /// Reads the value and its version.
    Read {
        /// Where the version goes.
        version: Register,
        /// Where the value goes.
        value: Register,
    },
    /// Writes a value; the guard of the storage decides.
    Write {
        /// The value that is written.
        value: Register,
        /// The version that the value was computed from.
        based_on: Register,
        /// The token sent along, if the client sends one.
        token: Option<Register>,
    },
    /// A command in the server's own words: see [`Operation::Ask`].
    Command {
        /// The step that says it.
        step: u8,
        /// What it means.
        meaning: Meaning,
    },
}

/// How a step ended, as its program can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Outcome {
    /// Nothing to tell: a local step, a read.
    Done,
    /// The lease was granted.
    Granted,
    /// Somebody else holds the lock.
    Busy,
    /// The lock is still held by the one who asked, or was renewed.
    Held,
    /// The lock is no longer held by the one who asked.
    Lost,
    /// The write was accepted.
    Accepted,
    /// The write was refused by the guard.
    Refused,
    /// The client stopped waiting for the reply, so it doesn't know what happened.
    TimedOut,
    /// The register is below the number that it was compared with.
    Below,
    /// The register is the number that it was compared with, or above it.
    AtLeast,
    /// There was an entry.
    Hit,
    /// There was no entry.
    Miss,
    /// The server doesn't know what happened either.
    Unknown,
    /// The deadline is still ahead.
    InTime,
    /// The deadline has passed.
    Late,
    /// An answer that the program doesn't know.
    Unexpected,
    /// There is no try left.
    Exhausted,
}

/// How many actions a run makes of one call. In a timed run a message travels only
/// where its sending and its arrival are two actions. More of them let others
/// come between at more places, so every count of schedules names its granularity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Granularity {
    /// Send, serve and deliver are one action.
    Call,
    /// Send and serve are one action, deliver is another.
    ServeDeliver,
    /// Send, serve and deliver are three actions.
    SendServeDeliver,
}

impl Step {
    /// Where the program goes on after an outcome.
    pub fn target(&self, outcome: Outcome) -> Target {
        self.branches.iter().find(|branch| branch.outcome == outcome).map_or(Target::Next, |branch| branch.target)
    }
}
