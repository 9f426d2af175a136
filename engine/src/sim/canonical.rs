//! Worlds that have the same future, written the same way.
//!
//! A register that no later step reads is dead: its value can't matter. Clients
//! that run the same program differ in their letter only, so their blocks can be
//! sorted. Both cut the states of a search many times over and leave every count
//! as it is, since a state that stands for others has just as many futures.

use alloc::vec;
use alloc::vec::Vec;

use super::model::{BELIEFS, Model, NEXT_STEP, Phase};
use super::scenario::{NodeIndex, NodeKind, Operation, Program, Register, Request, Target};
use super::world::World;

/// What can be left out of the worlds of a scenario, found once for a search.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// For each program and step, the registers that are read from there on, as bits.
    live: Vec<Vec<u32>>,
    /// Groups of at least two clients that run the same program.
    twins: Vec<Vec<NodeIndex>>,
    /// Whether what clients believe is looked at by anybody.
    keeps_beliefs: bool,
}

impl Canonical {
    /// What can be left out; beliefs, too, unless somebody looks at them.
    pub fn new(model: &Model<'_>, keeps_beliefs: bool) -> Self {
        let scenario = model.scenario();
        let live = scenario.programs.iter().map(live_registers).collect();
        let mut groups: Vec<Vec<NodeIndex>> = vec![Vec::new(); scenario.programs.len()];
        for client in scenario.clients() {
            if let Some(described) = scenario.client(client) {
                groups[usize::from(described.program)].push(client);
            }
        }
        groups.retain(|group| group.len() > 1);
        Self { live, twins: groups, keeps_beliefs }
    }

    /// Leaves out what can't matter any more.
    pub fn tidy(&self, model: &Model<'_>, world: &mut World) {
        let scenario = model.scenario();
        for node in scenario.indices() {
            let NodeKind::Client(client) = &scenario.nodes[usize::from(node)].kind else { continue };
            let ended = model.phase(world, node) == Phase::Ended;
            let beliefs = BELIEFS + model.locks.len();
            let cells = model.cells_mut(world, node);
            if !self.keeps_beliefs {
                cells[BELIEFS..beliefs].fill(0);
            }
            let live = if ended {
                0
            } else {
                self.live[usize::from(client.program)].get(usize::from(cells[NEXT_STEP])).copied().unwrap_or(0)
            };
            for (register, cell) in cells[beliefs..].iter_mut().enumerate() {
                if live & (1 << register) == 0 {
                    *cell = 0;
                }
            }
        }
    }

    /// Sorts the blocks of twins. `renamed` says for each node where it has gone;
    /// it is for those who keep clients outside the world.
    pub fn sort_twins(&self, model: &Model<'_>, world: &mut World, renamed: &mut [NodeIndex]) {
        for (node, name) in renamed.iter_mut().enumerate() {
            *name = node as NodeIndex;
        }
        let mut moved = false;
        for group in &self.twins {
            // An insertion sort: groups are small, and mostly sorted already.
            for right in 1..group.len() {
                let mut at = right;
                while at > 0 && model.cells(world, group[at - 1]) > model.cells(world, group[at]) {
                    swap_blocks(model, world, group[at - 1], group[at]);
                    swap_names(renamed, group[at - 1], group[at]);
                    moved = true;
                    at -= 1;
                }
            }
        }
        if moved {
            model.rename_clients(world, renamed);
        }
    }
}

fn swap_blocks(model: &Model<'_>, world: &mut World, a: NodeIndex, b: NodeIndex) {
    for cell in 0..model.cells(world, a).len() {
        let kept = model.cells(world, a)[cell];
        model.cells_mut(world, a)[cell] = model.cells(world, b)[cell];
        model.cells_mut(world, b)[cell] = kept;
    }
}

/// What has gone to `a` and to `b` has now gone to the other one.
fn swap_names(renamed: &mut [NodeIndex], a: NodeIndex, b: NodeIndex) {
    for name in renamed {
        if *name == a {
            *name = b;
        } else if *name == b {
            *name = a;
        }
    }
}

/// For each step the registers that it or a later step reads before it writes
/// them, by the usual fixed point.
fn live_registers(program: &Program) -> Vec<u32> {
    let mut live = vec![0; program.steps.len()];
    loop {
        let before = live.clone();
        for (place, step) in program.steps.iter().enumerate().rev() {
            let mut after = live.get(place + 1).copied().unwrap_or(0);
            for branch in &step.branches {
                if let Target::Step(target) = branch.target {
                    after |= live[usize::from(target)];
                }
            }
            let (read, written) = uses(&step.operation);
            // A read whose deadline passes leaves its registers as they were.
            let written = if step.timeout_us.is_some() { 0 } else { written };
            live[place] = read | (after & !written);
        }
        if live == before {
            return live;
        }
    }
}

/// The registers that a step reads and those that it always writes, as bits. A
/// busy lock or a lost message leaves a register as it was, so only local steps
/// and reads always write.
fn uses(operation: &Operation) -> (u32, u32) {
    let bit = |register: Register| 1_u32 << register;
    match *operation {
        Operation::Stop | Operation::Wait { .. } => (0, 0),
        Operation::Compare { register, .. } => (bit(register), 0),
        Operation::Compute { from, into, .. } => (bit(from), bit(into) & !bit(from)),
        Operation::Call { request, .. } => match request {
            Request::Acquire { .. } => (0, 0),
            Request::Check { token } | Request::Renew { token, .. } | Request::Release { token } => (bit(token), 0),
            Request::Read { version, value } => (0, bit(version) | bit(value)),
            Request::Write { value, based_on, token } => (bit(value) | bit(based_on) | token.map_or(0, bit), 0),
        },
    }
}
