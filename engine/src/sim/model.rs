//! What can happen next, and what it does: the only code that changes a [`World`].
//!
//! Here lie the layout of a world and the choice of what can happen. What clients
//! do is in [`super::client`], what servers do in [`super::server`], and what goes
//! wrong in [`super::trouble`] and [`super::stray`].

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::cells::Fixed;
use super::change::Action;
use super::layout::{self, Room};
use super::lock::{self, LeaseLock};
use super::record::Record;
use super::scenario::{Granularity, NodeIndex, NodeKind, Operation, Request, Scenario, Step};
use super::server::Carried;
use super::stray::{self, Stray};
use super::thing::{Part, SystemNode};
use super::trouble::{self, Assumptions};
use super::views::ViewCells;
use super::world::{Cell, World};
use crate::system::{self, setup::Server};

/// The rules of a scenario.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    pub(super) scenario: &'a Scenario,
    /// Where the cells of each node start; then where those of stray messages do.
    pub(super) starts: Vec<u16>,
    /// The lock services, in order: the order of a client's beliefs.
    pub(super) locks: Vec<NodeIndex>,
    /// The things that are read and written, in order: the order of what a client has read.
    pub(super) data: Vec<NodeIndex>,
    /// The real systems, by node.
    pub(super) servers: Vec<Option<Rc<dyn Server>>>,
    /// How many cells the state of each server has; a client has none of its own.
    pub(super) own: Vec<Option<usize>>,
    /// What is kept of those who see other versions of a thing than all, by node.
    pub(super) kept: Vec<ViewCells>,
    /// How many messages can be astray at once.
    pub(super) slots: u8,
    /// What is asked about a node so often that it is looked up once, by node.
    pub(super) fixed: Vec<Fixed<'a>>,
}

// A client's cells: first these, then a belief for each lock, then its registers.
// With real systems there follow the version that it has read of each thing, its
// deadline, and the values of the answer that is on its way.
pub(super) const NEXT_STEP: usize = 0;
pub(super) const PHASE: usize = 1;
pub(super) const OUTCOME: usize = 2;
pub(super) const REPLY: usize = 3; // and one more
pub(super) const BELIEFS: usize = 5;

/// How far a client is with its current step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Phase {
    /// It will do its next step.
    Ready,
    /// Its request is on the way.
    Asked,
    /// The reply is on the way.
    Answered,
    /// It has ended its program.
    Ended,
    /// It waits for a reply, and no message of its call is on the way.
    Waiting,
    /// It has crashed.
    Down,
}

impl<'a> Model<'a> {
    /// The rules of a scenario that [`Scenario::validate`] has passed.
    pub fn new(scenario: &'a Scenario) -> Self {
        Self::under(scenario, &Assumptions::ALL)
    }

    /// The same rules, with worlds that have room only for what is assumed to go
    /// wrong. Smaller worlds make a search quicker; what they have no room for cannot happen.
    pub fn under(scenario: &'a Scenario, assumptions: &Assumptions) -> Self {
        let room = Room::of(scenario, *assumptions);
        let servers = layout::servers(scenario);
        let starts = layout::starts(scenario, &servers, room).into_iter().map(|start| start as u16).collect();
        let kept = layout::kept(scenario, &servers);
        let own = |node: NodeIndex| {
            let place = usize::from(node);
            layout::own_cells(scenario, node, servers[place].as_deref(), kept[place])
        };
        let mut model = Self {
            scenario,
            starts,
            locks: scenario.locks().collect(),
            data: scenario.data().collect(),
            own: scenario.indices().map(own).collect(),
            kept,
            servers,
            slots: room.slots,
            fixed: Vec::new(),
        };
        model.fixed = scenario.indices().map(|node| Fixed::of(&model, node)).collect();
        model
    }

    /// The scenario whose rules these are.
    pub fn scenario(&self) -> &'a Scenario {
        self.scenario
    }

    /// The state before anything has happened.
    pub fn start(&self) -> World {
        self.start_noting(&mut ())
    }

    /// The same, with note of the timers that are set from the start.
    pub(super) fn start_noting(&self, record: &mut impl Record) -> World {
        let mut world = World::zeroed(usize::from(self.starts[self.starts.len() - 1]));
        for node in self.scenario.indices() {
            self.put_at_start(&mut world, node);
            self.start_system(&mut world, node, record);
        }
        world
    }

    /// Gives a node the state that it has before anything has happened.
    pub(super) fn put_at_start(&self, world: &mut World, node: NodeIndex) {
        let cells = self.cells_mut(world, node);
        match &self.scenario.nodes[usize::from(node)].kind {
            NodeKind::Lock(lock) => {
                cells[..lock::LENGTH].fill(0);
                lock.start(cells);
            }
            NodeKind::Storage(storage) => storage.start(cells),
            NodeKind::System(SystemNode { role, .. }) | NodeKind::Part(Part { role, .. }) => {
                role.start(cells);
                self.start_views(world, node);
            }
            NodeKind::Client(client) => {
                cells.fill(0);
                if self.scenario.programs[usize::from(client.program)].steps.is_empty() {
                    cells[PHASE] = Phase::Ended as Cell;
                }
            }
        }
    }

    /// Lists what can happen next, in a fixed order: clients, then leases that may
    /// end, then messages that nobody waits for. What may go wrong beside leases
    /// that end early is listed by [`Model::enabled_under`].
    pub fn enabled(&self, world: &World, actions: &mut Vec<Action>) {
        actions.clear();
        for (node, kind) in (0..).zip(self.scenario.nodes.iter().map(|node| &node.kind)) {
            match kind {
                NodeKind::Client(_) => self.add_of_client(world, node, actions),
                NodeKind::Storage(_) | NodeKind::Part(_) => {}
                NodeKind::Lock(_) => self.add(world, Action::Expire(node), actions),
                NodeKind::System(_) => {
                    (0..self.timers(node)).for_each(|timer| self.add(world, Action::Fire(node, timer), actions));
                }
            }
        }
        for slot in 0..self.slots {
            self.add(world, Action::ServeStray(slot), actions);
        }
    }

    /// Lists what a client does next.
    fn add_of_client(&self, world: &World, client: NodeIndex, actions: &mut Vec<Action>) {
        let phase = self.phase(world, client);
        let next = match phase {
            Phase::Ready => Some(Action::Step(client)),
            Phase::Asked => Some(Action::Serve(client)),
            Phase::Answered => Some(Action::Deliver(client)),
            Phase::Ended | Phase::Waiting | Phase::Down => None,
        };
        if let Some(next) = next {
            self.add(world, next, actions);
        }
        if self.has_deadline_ahead(world, client) {
            actions.push(Action::Pass(client));
        }
        if matches!(phase, Phase::Asked | Phase::Answered | Phase::Waiting) {
            self.add(world, Action::TimeOut(client), actions);
        }
    }

    /// Lists an action if it can happen.
    pub(super) fn add(&self, world: &World, action: Action, actions: &mut Vec<Action>) {
        if self.can(world, action) {
            actions.push(action);
        }
    }

    /// Whether an action can happen now.
    pub fn can(&self, world: &World, action: Action) -> bool {
        let is = |client, phase| self.scenario.client(client).is_some() && self.phase(world, client) == phase;
        match action {
            Action::Step(client) if self.scenario.granularity == Granularity::SendServeDeliver => {
                is(client, Phase::Ready)
            }
            Action::Step(client) => is(client, Phase::Ready) && self.is_answered_now(world, client),
            Action::Serve(client) => is(client, Phase::Asked) && self.is_answered_now(world, client),
            Action::Deliver(client) => is(client, Phase::Answered),
            Action::Expire(node) => {
                self.holder(world, node).is_some() && self.leases_expire(node) && !self.is_down(world, node)
            }
            Action::Fire(node, timer) => self.is_armed(world, node, timer) && !self.is_down(world, node),
            Action::Pass(client) => self.has_deadline_ahead(world, client),
            Action::TimeOut(client) => {
                (is(client, Phase::Asked) || is(client, Phase::Answered) || is(client, Phase::Waiting))
                    && self.step_of(world, client).is_some_and(|step| step.timeout_us.is_some())
            }
            _ => self.can_go_wrong(world, action),
        }
    }

    /// Whether no client can go on by itself: what is left are leases that may end.
    pub(super) fn is_over(enabled: &[Action]) -> bool {
        enabled.iter().all(|action| action.is_expiry() || matches!(action, Action::Pass(_)))
    }

    /// Whether a run has come to its end: no client can go on, and none is kept waiting
    /// by a real system for something that may still end.
    pub(super) fn is_at_its_end(&self, world: &World, enabled: &[Action]) -> bool {
        let is_kept = |client| {
            self.phase(world, client) == Phase::Asked
                && matches!(self.current_call(world, client), Some((_, Request::Command { .. })))
        };
        enabled.is_empty() || (Self::is_over(enabled) && !self.scenario.clients().any(is_kept))
    }

    /// Whether the server of the client's call would answer at once; a step that is
    /// no call needs none.
    fn is_answered_now(&self, world: &World, client: NodeIndex) -> bool {
        self.current_call(world, client).is_none_or(|(server, request)| match request {
            Request::Command { step, .. } => {
                let carried = self.carried(world, client, request);
                self.moves(world, server, client, step, &carried)
            }
            _ => self.answers(world, server, request),
        })
    }

    /// Whether a system is up, and would answer a command now or has something to note.
    pub(super) fn moves(
        &self,
        world: &World,
        server: NodeIndex,
        client: NodeIndex,
        step: u8,
        carried: &Carried,
    ) -> bool {
        let host = self.scenario.host(server);
        !self.is_down(world, host)
            && self
                .words(client, step, carried)
                .is_some_and(|words| self.would_move(world, host, self.caller(client), &words))
    }

    /// Whether a node is one of the model's own lease locks.
    pub(super) fn is_lease_lock(&self, node: NodeIndex) -> bool {
        matches!(self.scenario.nodes.get(usize::from(node)).map(|node| &node.kind), Some(NodeKind::Lock(_)))
    }

    /// Whether a server is up, and doesn't keep this request until its lock is free.
    pub(super) fn answers(&self, world: &World, server: NodeIndex, request: Request) -> bool {
        let kept = matches!(request, Request::Acquire { blocking: true, .. }) && self.holder(world, server).is_some();
        !kept && !self.is_down(world, server)
    }

    /// Lets an enabled action happen.
    pub fn apply(&self, world: &mut World, action: Action, record: &mut impl Record) {
        debug_assert!(self.can(world, action), "{action} is not enabled");
        match action {
            Action::Step(client) => self.step(world, client, record),
            Action::Serve(client) => self.serve(world, client, record),
            Action::Deliver(client) => self.deliver(world, client, record),
            Action::TimeOut(client) => self.time_out(world, client, record),
            Action::Fire(node, timer) => self.fire(world, node, timer, record),
            Action::Pass(client) => self.pass_deadline(world, client, record),
            Action::Expire(lock) => {
                if let Some(change) = LeaseLock::expire(self.cells_mut(world, lock)) {
                    record.note(lock, None, change);
                }
            }
            _ => self.go_wrong(world, action, record),
        }
    }

    /// Has locks and stray messages name clients anew, after they have changed places.
    pub(super) fn rename_clients(&self, world: &mut World, renamed: &[NodeIndex]) {
        for &node in &self.locks {
            let own = self.own_cells(node);
            let cells = self.cells_mut(world, node);
            lock::rename_holder(cells, renamed);
            if let Some(own) = own.filter(|&own| cells.len() > own) {
                lock::rename_holder(trouble::saved_mut(cells, own), renamed);
            }
        }
        for slot in 0..self.slots {
            stray::rename_client(self.slot_mut(world, slot), renamed);
        }
    }

    fn leases_expire(&self, lock: NodeIndex) -> bool {
        matches!(&self.scenario.nodes[usize::from(lock)].kind, NodeKind::Lock(lock) if lock.expires)
    }

    /// Who holds a lock, with which token; `None` if nobody does.
    pub fn holder(&self, world: &World, lock: NodeIndex) -> Option<(NodeIndex, u16)> {
        match &self.scenario.nodes.get(usize::from(lock))?.kind {
            NodeKind::Lock(_) => lock::state(self.cells(world, lock)).holder,
            NodeKind::System(SystemNode { role, .. }) | NodeKind::Part(Part { role, .. }) if role.is_lock() => {
                lock::state(self.cells(world, lock)).holder
            }
            _ => None,
        }
    }

    /// The step that a client does next or is waiting in; `None` when it has ended.
    pub fn next_step(&self, world: &World, client: NodeIndex) -> Option<usize> {
        let ended = self.phase(world, client) == Phase::Ended;
        (!ended).then(|| usize::from(self.cells(world, client)[NEXT_STEP]))
    }

    /// The request that is astray in a slot: its sender, and the server that it is for.
    pub fn stray(&self, world: &World, slot: u8) -> Option<(NodeIndex, NodeIndex)> {
        let stray = self.stray_in(world, slot)?;
        Some((stray.client, self.scenario.host(self.call_of(stray.client, stray.step)?.0)))
    }

    pub(super) fn stray_in(&self, world: &World, slot: u8) -> Option<Stray> {
        if slot < self.slots { stray::read(self.slot(world, slot)) } else { None }
    }

    pub(crate) fn phase(&self, world: &World, node: NodeIndex) -> Phase {
        match self.cells(world, node)[PHASE] {
            0 => Phase::Ready,
            1 => Phase::Asked,
            2 => Phase::Answered,
            3 => Phase::Ended,
            4 => Phase::Waiting,
            _ => Phase::Down,
        }
    }

    /// The step that a client does next or is waiting in.
    pub(crate) fn step_of(&self, world: &World, client: NodeIndex) -> Option<&'a Step> {
        let at = usize::from(self.cells(world, client)[NEXT_STEP]);
        self.steps(client).get(at)
    }

    /// How long a client sleeps in its next step, in microseconds of its monotonic clock.
    pub(crate) fn sleeps_us(&self, world: &World, client: NodeIndex) -> u64 {
        match self.step_of(world, client).map(|step| &step.operation) {
            Some(Operation::Wait { us }) => *us,
            Some(Operation::TryAgain(again)) => {
                again.wait_us(client, self.register(world, client, again.tries)).unwrap_or(0)
            }
            _ => 0,
        }
    }

    pub(crate) fn current_call(&self, world: &World, client: NodeIndex) -> Option<(NodeIndex, Request)> {
        self.call_of(client, self.cells(world, client)[NEXT_STEP])
    }

    /// Whom a step of a client's program asks, and what.
    pub(super) fn call_of(&self, client: NodeIndex, step: Cell) -> Option<(NodeIndex, Request)> {
        match self.steps(client).get(usize::from(step))?.operation {
            Operation::Call { server, request } => Some((server, request)),
            Operation::Ask { server, ref ask } if system::ARE_HERE => {
                Some((server, Request::Command { step: step as u8, meaning: ask.meaning }))
            }
            _ => None,
        }
    }
}
