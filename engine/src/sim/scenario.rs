//! What a scenario consists of: nodes, and the programs that its clients run.
//!
//! A [`Scenario`] is one variant of a lesson, with names resolved to indices and
//! times to microseconds. It never changes during a run.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::lock::LeaseLock;
use super::storage::VersionedRegister;
use super::world::CELLS;

/// A node's place in [`Scenario::nodes`].
pub type NodeIndex = u8;

/// A client's register, by its place in its program's list of registers.
pub type Register = u8;

/// The largest scenario that the engine takes. Files from strangers are hostile,
/// and a world has a fixed size.
pub const LIMITS: Limits =
    Limits { nodes: 16, steps: 64, registers: 16, time_us: 3_600_000_000, cells: CELLS, events: 20_000 };

/// See [`LIMITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most nodes in a scenario.
    pub nodes: usize,
    /// Most steps in a program.
    pub steps: usize,
    /// Most registers that a program may name.
    pub registers: usize,
    /// Longest duration and latest moment, in microseconds: one hour.
    pub time_us: u64,
    /// Most cells of state in a world.
    pub cells: usize,
    /// Most events in a run; a run that reaches it is cut and says so.
    pub events: usize,
}

/// A system of nodes, ready to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Clients, lock services and storage, in the order of their lanes.
    pub nodes: Vec<Node>,
    /// The programs that clients run.
    pub programs: Vec<Program>,
    /// How many actions an untimed run makes of one call.
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
    /// Sleeps by the client's own monotonic clock. A pause doesn't stop the clock.
    Wait {
        /// How long, in microseconds of that clock.
        us: u64,
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
}

/// How many actions an untimed run makes of one call. More of them let others
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

/// Why a scenario cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScenarioError {
    /// Something is above its limit: what, how much, and the limit.
    TooLarge(&'static str, u64, u64),
    /// A node, program, step or register that is referred to isn't there.
    Missing(&'static str, u64),
    /// A request goes to a server of the wrong kind.
    WrongServer(NodeIndex),
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(what, is, most) => write!(f, "{what}: {is} is more than the limit of {most}"),
            Self::Missing(what, index) => write!(f, "there is no {what} with index {index}"),
            Self::WrongServer(node) => write!(f, "node {node} doesn't take that request"),
        }
    }
}

impl Scenario {
    /// Checks limits and references, so that a run can neither overflow nor miss.
    ///
    /// # Errors
    /// The first thing that doesn't fit.
    pub fn validate(&self) -> Result<(), ScenarioError> {
        at_most("nodes", self.nodes.len(), LIMITS.nodes)?;
        for node in &self.nodes {
            match &node.kind {
                NodeKind::Client(client) => {
                    at_most_us("the start of a client", client.starts_us)?;
                    if usize::from(client.program) >= self.programs.len() {
                        return Err(ScenarioError::Missing("program", client.program.into()));
                    }
                }
                NodeKind::Lock(lock) => at_most_us("a latency", lock.latency_us)?,
                NodeKind::Storage(storage) => at_most_us("a latency", storage.latency_us)?,
            }
        }
        for program in &self.programs {
            self.validate_program(program)?;
        }
        at_most("cells of state", super::model::cells_needed(self), LIMITS.cells)
    }

    fn validate_program(&self, program: &Program) -> Result<(), ScenarioError> {
        at_most("steps of a program", program.steps.len(), LIMITS.steps)?;
        at_most("registers of a program", program.registers.len(), LIMITS.registers)?;
        for step in &program.steps {
            at_most_us("the work before a step", step.work_us)?;
            for branch in &step.branches {
                if let Target::Step(index) = branch.target
                    && usize::from(index) >= program.steps.len()
                {
                    return Err(ScenarioError::Missing("step", index.into()));
                }
            }
            self.validate_operation(&step.operation, program.registers.len())?;
        }
        Ok(())
    }

    fn validate_operation(&self, operation: &Operation, registers: usize) -> Result<(), ScenarioError> {
        let known = |register: Register| {
            if usize::from(register) < registers {
                Ok(())
            } else {
                Err(ScenarioError::Missing("register", register.into()))
            }
        };
        match *operation {
            Operation::Stop => Ok(()),
            Operation::Wait { us } => at_most_us("a wait", us),
            Operation::Compute { from, into, .. } => known(from).and_then(|()| known(into)),
            Operation::Call { server, request } => {
                let node = self.nodes.get(usize::from(server));
                let node = node.ok_or(ScenarioError::Missing("node", server.into()))?;
                let fits = match request {
                    Request::Read { .. } | Request::Write { .. } => matches!(node.kind, NodeKind::Storage(_)),
                    _ => matches!(node.kind, NodeKind::Lock(_)),
                };
                if !fits {
                    return Err(ScenarioError::WrongServer(server));
                }
                match request {
                    Request::Acquire { ttl_us, token, .. } | Request::Renew { ttl_us, token } => {
                        at_most_us("a lease", ttl_us).and_then(|()| known(token))
                    }
                    Request::Check { token } | Request::Release { token } => known(token),
                    Request::Read { version, value } => known(version).and_then(|()| known(value)),
                    Request::Write { value, based_on, token } => {
                        known(value)?;
                        known(based_on)?;
                        token.map_or(Ok(()), known)
                    }
                }
            }
        }
    }

    /// The program of a client, or `None` if the node is no client.
    pub fn program_of(&self, node: NodeIndex) -> Option<&Program> {
        self.client(node).map(|client| &self.programs[usize::from(client.program)])
    }

    /// The client at a node, or `None` if the node is no client.
    pub fn client(&self, node: NodeIndex) -> Option<&Client> {
        match &self.nodes.get(usize::from(node))?.kind {
            NodeKind::Client(client) => Some(client),
            _ => None,
        }
    }

    /// The nodes that are clients, in order.
    pub fn clients(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.indices().filter(|&node| self.client(node).is_some())
    }

    /// The nodes that are lock services, in order.
    pub fn locks(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.indices().filter(|&node| matches!(self.nodes[usize::from(node)].kind, NodeKind::Lock(_)))
    }

    /// All nodes, in order.
    pub fn indices(&self) -> impl Iterator<Item = NodeIndex> + use<> {
        0..self.nodes.len() as NodeIndex
    }

    /// How long a message between this server and a client takes, in microseconds.
    pub fn latency_us(&self, server: NodeIndex) -> u64 {
        match &self.nodes[usize::from(server)].kind {
            NodeKind::Client(_) => 0,
            NodeKind::Lock(lock) => lock.latency_us,
            NodeKind::Storage(storage) => storage.latency_us,
        }
    }
}

impl Step {
    /// Where the program goes on after an outcome.
    pub fn target(&self, outcome: Outcome) -> Target {
        self.branches.iter().find(|branch| branch.outcome == outcome).map_or(Target::Next, |branch| branch.target)
    }
}

fn at_most(what: &'static str, is: usize, most: usize) -> Result<(), ScenarioError> {
    if is <= most { Ok(()) } else { Err(ScenarioError::TooLarge(what, is as u64, most as u64)) }
}

fn at_most_us(what: &'static str, us: u64) -> Result<(), ScenarioError> {
    if us <= LIMITS.time_us { Ok(()) } else { Err(ScenarioError::TooLarge(what, us, LIMITS.time_us)) }
}
