//! What can happen next, and what it does: the only code that changes a [`World`].

use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::lock::{self, LeaseLock};
use super::scenario::{Granularity, NodeIndex, NodeKind, Operation, Outcome, Request, Scenario, Target};
use super::storage::{self, Comparison, Write};
use super::world::{Cell, World};

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

/// The rules of a scenario.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    scenario: &'a Scenario,
    /// Where the cells of each node start.
    starts: Vec<u16>,
    /// The lock services, in order: the order of a client's beliefs.
    locks: Vec<NodeIndex>,
}

// A client's cells: first these, then a belief for each lock, then its registers.
const NEXT_STEP: usize = 0;
const PHASE: usize = 1;
const OUTCOME: usize = 2;
const REPLY: usize = 3; // and one more
const BELIEFS: usize = 5;

/// How far a client is with its current step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Phase {
    /// It will do its next step.
    Ready,
    /// Its request is on the way.
    Asked,
    /// The reply is on the way.
    Answered,
    /// It has ended its program.
    Ended,
}

/// How many cells of state a scenario needs.
pub(super) fn cells_needed(scenario: &Scenario) -> usize {
    let locks = scenario.locks().count();
    scenario.indices().map(|node| cells_of(scenario, node, locks)).sum()
}

fn cells_of(scenario: &Scenario, node: NodeIndex, locks: usize) -> usize {
    match &scenario.nodes[usize::from(node)].kind {
        NodeKind::Client(client) => BELIEFS + locks + scenario.programs[usize::from(client.program)].registers.len(),
        NodeKind::Lock(_) => lock::LENGTH,
        NodeKind::Storage(_) => storage::LENGTH,
    }
}

impl<'a> Model<'a> {
    /// The rules of a scenario that [`Scenario::validate`] has passed.
    pub fn new(scenario: &'a Scenario) -> Self {
        let locks: Vec<NodeIndex> = scenario.locks().collect();
        let mut next = 0;
        let mut starts = Vec::new();
        for node in scenario.indices() {
            starts.push(next as u16);
            next += cells_of(scenario, node, locks.len());
        }
        starts.push(next as u16);
        Self { scenario, starts, locks }
    }

    /// The scenario whose rules these are.
    pub fn scenario(&self) -> &'a Scenario {
        self.scenario
    }

    /// The state before anything has happened.
    pub fn start(&self) -> World {
        let mut world = World::zeroed(usize::from(self.starts[self.starts.len() - 1]));
        for node in self.scenario.indices() {
            let cells = self.cells_mut(&mut world, node);
            match &self.scenario.nodes[usize::from(node)].kind {
                NodeKind::Lock(lock) => lock.start(cells),
                NodeKind::Storage(storage) => storage.start(cells),
                NodeKind::Client(client) => {
                    if self.scenario.programs[usize::from(client.program)].steps.is_empty() {
                        cells[PHASE] = Phase::Ended as Cell;
                    }
                }
            }
        }
        world
    }

    /// Lists what can happen next, in a fixed order: clients, then leases that may end.
    pub fn enabled(&self, world: &World, actions: &mut Vec<Action>) {
        actions.clear();
        for node in self.scenario.indices() {
            let action = match (&self.scenario.nodes[usize::from(node)].kind, self.phase(world, node)) {
                (NodeKind::Client(_), Phase::Ready) => Action::Step(node),
                (NodeKind::Client(_), Phase::Asked) => Action::Serve(node),
                (NodeKind::Client(_), Phase::Answered) => Action::Deliver(node),
                (NodeKind::Client(_), Phase::Ended) | (NodeKind::Storage(_), _) => continue,
                (NodeKind::Lock(_), _) => Action::Expire(node),
            };
            if self.can(world, action) {
                actions.push(action);
            }
        }
    }

    /// Whether an action can happen now.
    pub fn can(&self, world: &World, action: Action) -> bool {
        let is = |client, phase| self.scenario.client(client).is_some() && self.phase(world, client) == phase;
        match action {
            Action::Step(client) if self.scenario.granularity == Granularity::SendServeDeliver => {
                is(client, Phase::Ready)
            }
            Action::Step(client) => is(client, Phase::Ready) && !self.must_wait(world, client),
            Action::Serve(client) => is(client, Phase::Asked) && !self.must_wait(world, client),
            Action::Deliver(client) => is(client, Phase::Answered),
            Action::Expire(node) => self.holder(world, node).is_some(),
        }
    }

    /// Whether the client's request would have to wait for a lock to become free.
    fn must_wait(&self, world: &World, client: NodeIndex) -> bool {
        match self.current_call(world, client) {
            Some((server, Request::Acquire { blocking: true, .. })) => self.holder(world, server).is_some(),
            _ => false,
        }
    }

    /// Lets an enabled action happen.
    pub fn apply(&self, world: &mut World, action: Action, record: &mut impl Record) {
        debug_assert!(self.can(world, action), "{action} is not enabled");
        match action {
            Action::Step(client) => self.step(world, client, record),
            Action::Serve(client) => self.serve(world, client, record),
            Action::Deliver(client) => self.deliver(world, client, record),
            Action::Expire(lock) => {
                if let Some(change) = LeaseLock::expire(self.cells_mut(world, lock)) {
                    record.note(lock, None, change);
                }
            }
        }
    }

    fn step(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let at = usize::from(self.cells(world, client)[NEXT_STEP]);
        let program = self.scenario.program_of(client).expect("only clients step");
        match program.steps[at].operation {
            Operation::Stop => self.end(world, client, Change::Stopped, record),
            Operation::Wait { .. } => {
                record.note(client, Some(client), Change::Waited);
                self.go_on(world, client, Outcome::Done, record);
            }
            Operation::Compute { from, into, add } => {
                let value = self.register(world, client, from).wrapping_add(add);
                self.set_register(world, client, into, value);
                record.note(client, Some(client), Change::Computed { value });
                self.go_on(world, client, Outcome::Done, record);
            }
            Operation::Call { server, request } => {
                let token = self.token_sent(world, client, request);
                if let Request::Release { .. } = request {
                    self.give_up_belief(world, client, token);
                }
                record.note(client, Some(client), Change::Sent { server, request, token });
                self.set_phase(world, client, Phase::Asked);
                if self.scenario.granularity != Granularity::SendServeDeliver {
                    self.serve(world, client, record);
                }
                if self.scenario.granularity == Granularity::Call {
                    self.deliver(world, client, record);
                }
            }
        }
    }

    fn serve(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let (server, request) = self.current_call(world, client).expect("only calls are served");
        let token = self.token_sent(world, client, request);
        let write = match request {
            Request::Write { value, based_on, .. } => Some(Write {
                value: self.register(world, client, value),
                based_on: self.register(world, client, based_on),
                token,
            }),
            _ => None,
        };
        let cells = self.cells_mut(world, server);
        let mut reply = [0, 0];
        let (outcome, change) = match (&self.scenario.nodes[usize::from(server)].kind, request) {
            (NodeKind::Lock(_), Request::Acquire { ttl_us, .. }) => {
                let (outcome, granted, change) = LeaseLock::acquire(client, ttl_us, cells);
                reply[0] = granted;
                (outcome, change)
            }
            (NodeKind::Lock(_), Request::Check { .. }) => LeaseLock::check(token, cells),
            (NodeKind::Lock(_), Request::Renew { ttl_us, .. }) => LeaseLock::renew(token, ttl_us, cells),
            (NodeKind::Lock(_), Request::Release { .. }) => LeaseLock::release(token, cells),
            (NodeKind::Storage(_), Request::Read { .. }) => {
                let (version, value) = storage::version_and_value(cells);
                reply = [version, value];
                (Outcome::Done, Change::Read { version, value })
            }
            (NodeKind::Storage(storage), Request::Write { .. }) => {
                storage.write(write.expect("made above for every write"), cells)
            }
            _ => unreachable!("a validated scenario asks each server what it can answer"),
        };
        record.note(server, Some(client), change);
        let cells = self.cells_mut(world, client);
        cells[OUTCOME] = outcome as Cell;
        cells[REPLY..REPLY + 2].copy_from_slice(&reply);
        self.set_phase(world, client, Phase::Answered);
    }

    fn deliver(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let (server, request) = self.current_call(world, client).expect("only calls are answered");
        let cells = self.cells_mut(world, client);
        let outcome = outcome_from(cells[OUTCOME]);
        let reply = [cells[REPLY], cells[REPLY + 1]];
        cells[OUTCOME..REPLY + 2].fill(0);
        match (request, outcome) {
            (Request::Acquire { token, .. }, Outcome::Granted) => {
                self.set_register(world, client, token, reply[0]);
                self.set_belief(world, client, server, reply[0]);
            }
            (Request::Read { version, value }, _) => {
                self.set_register(world, client, version, reply[0]);
                self.set_register(world, client, value, reply[1]);
            }
            (_, Outcome::Lost | Outcome::Refused) => {
                let token = self.token_sent(world, client, request);
                self.give_up_belief(world, client, token);
            }
            _ => {}
        }
        let token = match request {
            Request::Acquire { .. } => reply[0],
            _ => self.token_sent(world, client, request),
        };
        record.note(client, Some(client), Change::Learned { outcome, server, token });
        self.go_on(world, client, outcome, record);
    }

    fn go_on(&self, world: &mut World, client: NodeIndex, outcome: Outcome, record: &mut impl Record) {
        let program = self.scenario.program_of(client).expect("only clients go on");
        let at = self.cells(world, client)[NEXT_STEP];
        let next = match program.steps[usize::from(at)].target(outcome) {
            Target::Next => at + 1,
            Target::Step(step) => Cell::from(step),
            Target::Stop => return self.end(world, client, Change::Stopped, record),
        };
        if usize::from(next) >= program.steps.len() {
            return self.end(world, client, Change::Finished, record);
        }
        self.cells_mut(world, client)[NEXT_STEP] = next;
        self.set_phase(world, client, Phase::Ready);
    }

    /// What a client that has ended knows can't matter any more, so its cells are
    /// zeroed: equal futures are equal worlds.
    fn end(&self, world: &mut World, client: NodeIndex, how: Change, record: &mut impl Record) {
        self.cells_mut(world, client).fill(0);
        self.set_phase(world, client, Phase::Ended);
        record.note(client, Some(client), how);
    }

    /// Who holds a lock, with which token; `None` if nobody does.
    pub fn holder(&self, world: &World, lock: NodeIndex) -> Option<(NodeIndex, u16)> {
        match self.scenario.nodes.get(usize::from(lock))?.kind {
            NodeKind::Lock(_) => lock::state(self.cells(world, lock)).holder,
            _ => None,
        }
    }

    /// The token of the lease that a client believes to hold on a lock.
    pub fn belief(&self, world: &World, client: NodeIndex, lock: NodeIndex) -> Option<u16> {
        let place = self.locks.iter().position(|&other| other == lock)?;
        Some(self.cells(world, client)[BELIEFS + place]).filter(|&token| token != 0)
    }

    /// The step that a client does next or is waiting in; `None` when it has ended.
    pub fn next_step(&self, world: &World, client: NodeIndex) -> Option<usize> {
        let ended = self.phase(world, client) == Phase::Ended;
        (!ended).then(|| usize::from(self.cells(world, client)[NEXT_STEP]))
    }

    pub(super) fn phase(&self, world: &World, node: NodeIndex) -> Phase {
        match self.cells(world, node)[PHASE] {
            0 => Phase::Ready,
            1 => Phase::Asked,
            2 => Phase::Answered,
            _ => Phase::Ended,
        }
    }

    pub(super) fn current_call(&self, world: &World, client: NodeIndex) -> Option<(NodeIndex, Request)> {
        let at = usize::from(self.cells(world, client)[NEXT_STEP]);
        match self.scenario.program_of(client)?.steps.get(at)?.operation {
            Operation::Call { server, request } => Some((server, request)),
            _ => None,
        }
    }

    fn token_sent(&self, world: &World, client: NodeIndex, request: Request) -> u16 {
        match request {
            Request::Check { token }
            | Request::Renew { token, .. }
            | Request::Release { token }
            | Request::Write { token: Some(token), .. } => self.register(world, client, token),
            _ => 0,
        }
    }

    fn give_up_belief(&self, world: &mut World, client: NodeIndex, token: u16) {
        let beliefs = self.locks.len();
        for belief in &mut self.cells_mut(world, client)[BELIEFS..BELIEFS + beliefs] {
            if *belief == token {
                *belief = 0;
            }
        }
    }

    fn set_belief(&self, world: &mut World, client: NodeIndex, lock: NodeIndex, token: u16) {
        if let Some(place) = self.locks.iter().position(|&other| other == lock) {
            self.cells_mut(world, client)[BELIEFS + place] = token;
        }
    }

    fn register(&self, world: &World, client: NodeIndex, register: u8) -> u16 {
        self.cells(world, client)[BELIEFS + self.locks.len() + usize::from(register)]
    }

    fn set_register(&self, world: &mut World, client: NodeIndex, register: u8, value: u16) {
        let place = BELIEFS + self.locks.len() + usize::from(register);
        self.cells_mut(world, client)[place] = value;
    }

    fn set_phase(&self, world: &mut World, client: NodeIndex, phase: Phase) {
        self.cells_mut(world, client)[PHASE] = phase as Cell;
    }

    fn cells<'w>(&self, world: &'w World, node: NodeIndex) -> &'w [Cell] {
        let start = usize::from(self.starts[usize::from(node)]);
        world.range(start, usize::from(self.starts[usize::from(node) + 1]) - start)
    }

    fn cells_mut<'w>(&self, world: &'w mut World, node: NodeIndex) -> &'w mut [Cell] {
        let start = usize::from(self.starts[usize::from(node)]);
        world.range_mut(start, usize::from(self.starts[usize::from(node) + 1]) - start)
    }
}

fn outcome_from(cell: Cell) -> Outcome {
    const ALL: [Outcome; 7] = [
        Outcome::Done,
        Outcome::Granted,
        Outcome::Busy,
        Outcome::Held,
        Outcome::Lost,
        Outcome::Accepted,
        Outcome::Refused,
    ];
    ALL[usize::from(cell)]
}
