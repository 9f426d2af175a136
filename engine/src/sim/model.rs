//! What can happen next, and what it does: the only code that changes a [`World`].

use alloc::vec::Vec;

use super::change::{Action, Change, Record};
use super::lock::{self, LeaseLock};
use super::scenario::{Granularity, NodeIndex, NodeKind, Operation, Outcome, Request, Scenario, Target};
use super::storage::{self, Write};
use super::world::{Cell, World};

/// The rules of a scenario.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    scenario: &'a Scenario,
    /// Where the cells of each node start.
    starts: Vec<u16>,
    /// The lock services, in order: the order of a client's beliefs.
    pub(super) locks: Vec<NodeIndex>,
}

// A client's cells: first these, then a belief for each lock, then its registers.
pub(super) const NEXT_STEP: usize = 0;
pub(super) const PHASE: usize = 1;
const OUTCOME: usize = 2;
const REPLY: usize = 3; // and one more
pub(super) const BELIEFS: usize = 5;

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

    /// Whether no client can go on by itself: what is left are leases that may end.
    pub(super) fn is_over(enabled: &[Action]) -> bool {
        enabled.iter().all(|action| matches!(action, Action::Expire(_)))
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
                    self.give_up_belief(world, client, server, token);
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
                let (outcome, change) = storage.write(write.expect("made above for every write"), cells);
                if let Change::Refused { comparison, .. } = change
                    && storage.guard.shows_newer_holder(comparison)
                {
                    reply[0] = token;
                }
                (outcome, change)
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
            (_, Outcome::Lost) => {
                let token = self.token_sent(world, client, request);
                self.give_up_belief(world, client, server, token);
            }
            // Only a fence that names a newer holder says something about the lease.
            (_, Outcome::Refused) => self.give_up_belief(world, client, server, reply[0]),
            _ => {}
        }
        let token = match (request, outcome) {
            (Request::Acquire { .. }, _) | (_, Outcome::Refused) => reply[0],
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

    /// Has locks name their holders anew, after clients have changed places.
    pub(super) fn rename_holders(&self, world: &mut World, renamed: &[NodeIndex]) {
        for &node in &self.locks {
            lock::rename_holder(self.cells_mut(world, node), renamed);
        }
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

    /// A lock service speaks of its own lease only; storage knows no lock, so what
    /// it refuses is given up wherever that token came from.
    fn give_up_belief(&self, world: &mut World, client: NodeIndex, server: NodeIndex, token: u16) {
        for place in 0..self.locks.len() {
            let meant = self.locks[place] == server || !self.locks.contains(&server);
            let belief = &mut self.cells_mut(world, client)[BELIEFS + place];
            if meant && *belief == token {
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

    pub(super) fn cells<'w>(&self, world: &'w World, node: NodeIndex) -> &'w [Cell] {
        let start = usize::from(self.starts[usize::from(node)]);
        world.range(start, usize::from(self.starts[usize::from(node) + 1]) - start)
    }

    pub(super) fn cells_mut<'w>(&self, world: &'w mut World, node: NodeIndex) -> &'w mut [Cell] {
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
