//! Which cells of a world belong to which node.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::model::BELIEFS;
use super::scenario::{Node, NodeIndex, NodeKind, Operation, Program, Scenario, Step};
use super::trouble::{self, Assumptions};
use super::views::ViewCells;
use super::{host, lock, storage, stray, thing};
use crate::system::{self, setup::Server};

/// What a world has room for, beside its nodes' own state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Whether servers can be down and get older states back.
    pub trouble: bool,
    /// How many messages can be astray at once.
    pub slots: u8,
}

impl Room {
    pub fn of(scenario: &Scenario, assumptions: Assumptions) -> Self {
        let has_deadline = |step: &Step| step.timeout_us.is_some();
        let deadlines = scenario.programs.iter().any(|program| program.steps.iter().any(has_deadline));
        let strays = deadlines || assumptions.crashes || assumptions.duplicates;
        Self { trouble: assumptions.crashes || assumptions.restores, slots: if strays { stray::SLOTS } else { 0 } }
    }
}

/// How many cells of state a scenario needs at most.
pub(super) fn cells_needed(scenario: &Scenario) -> usize {
    let starts = starts(scenario, &servers(scenario), Room::of(scenario, Assumptions::ALL));
    starts[starts.len() - 1]
}

/// The real systems of a scenario, by node. What can't be set up is refused before a run.
pub(super) fn servers(scenario: &Scenario) -> Vec<Option<Rc<dyn Server>>> {
    let callers = callers(scenario);
    let server = |node: &Node| match &node.kind {
        NodeKind::System(node) if system::ARE_HERE => node.setup.build(callers).ok(),
        _ => None,
    };
    scenario.nodes.iter().map(server).collect()
}

/// What is kept of each node of those who see other versions than all.
pub(super) fn kept(scenario: &Scenario, servers: &[Option<Rc<dyn Server>>]) -> Vec<ViewCells> {
    let server = |node| servers.get(usize::from(scenario.host(node)))?.as_deref();
    let kept = |node| server(node).map_or(ViewCells::default(), |server| ViewCells::of(scenario, node, server));
    scenario.indices().map(kept).collect()
}

/// Where the cells of each node start, then those of stray messages, and where they end.
pub(super) fn starts(scenario: &Scenario, servers: &[Option<Rc<dyn Server>>], room: Room) -> Vec<usize> {
    let kept = kept(scenario, servers);
    let mut starts = Vec::new();
    let mut next = 0;
    for node in scenario.indices() {
        starts.push(next);
        let server = servers[usize::from(node)].as_deref();
        next += match own_cells(scenario, node, server, kept[usize::from(node)]) {
            Some(own) if room.trouble => trouble::with_room(own),
            Some(own) => own,
            None => client_cells(scenario, node),
        };
    }
    starts.extend([next, next + usize::from(room.slots) * stray::LENGTH]);
    starts
}

/// How many cells the state of a server has; `None` for a client.
pub(super) fn own_cells(
    scenario: &Scenario,
    node: NodeIndex,
    server: Option<&dyn Server>,
    kept: ViewCells,
) -> Option<usize> {
    match &scenario.nodes.get(usize::from(node))?.kind {
        NodeKind::Client(_) => None,
        NodeKind::Lock(_) => Some(lock::LENGTH),
        NodeKind::Storage(_) => Some(storage::LENGTH),
        // What can't be set up is refused before a run, so its length doesn't matter.
        NodeKind::System(_) => Some(server.map_or(thing::LENGTH, host::length) + kept.length()),
        NodeKind::Part(_) => Some(thing::LENGTH + kept.length()),
    }
}

/// How many callers a system of a scenario has: the clients, and a bystander.
pub(super) fn callers(scenario: &Scenario) -> u8 {
    scenario.clients().count() as u8 + 1
}

fn client_cells(scenario: &Scenario, client: NodeIndex) -> usize {
    let Some(program) = scenario.program_of(client) else { return 0 };
    if scenario.process(client) != client {
        return BELIEFS + most_given(program);
    }
    let speaks = scenario.threads(client).filter_map(|member| scenario.program_of(member)).any(speaks);
    let more = if speaks { scenario.data().count() + 1 + most_given(program) } else { 0 };
    BELIEFS + scenario.locks().count() + program.registers.len() + more
}

/// Whether a program has steps for real systems.
pub(super) fn speaks(program: &Program) -> bool {
    let is_one = |step: &Step| {
        matches!(step.operation, Operation::Ask { .. } | Operation::SetDeadline { .. } | Operation::Conclude { .. })
    };
    program.steps.iter().any(is_one)
}

/// How many values an answer gives at most.
fn most_given(program: &Program) -> usize {
    let given = |step: &Step| match &step.operation {
        Operation::Ask { ask, .. } => ask.answers.iter().map(|answer| answer.reply.given().count()).max(),
        _ => None,
    };
    program.steps.iter().filter_map(given).max().unwrap_or(0)
}
