//! Worlds that have the same future, written the same way.
//!
//! A register that no later step reads is dead: its value can't matter. Clients
//! that run the same program differ in their letter only, so their blocks can be
//! sorted. Both cut the states of a search many times over and leave every count
//! as it is, since a state that stands for others has just as many futures.

use alloc::vec;
use alloc::vec::Vec;
use core::mem::discriminant;

use super::change::Action;
use super::contention::TryAgain;
use super::model::{BELIEFS, Model, NEXT_STEP, Phase};
use super::scenario::{LIMITS, NodeIndex, NodeKind, Operation, Program, Register, Request, Target};
use super::storage::{self, Guard};
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
    /// The storages whose versions nobody looks at.
    without_versions: Vec<NodeIndex>,
}

/// What somebody looks at who isn't part of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// What clients believe.
    pub beliefs: bool,
    /// The versions that storages have, and on which writes are based.
    pub versions: bool,
}

impl Canonical {
    /// What can be left out, and what can't since somebody looks at it.
    pub fn new(model: &Model<'_>, kept: Kept) -> Self {
        let scenario = model.scenario();
        let compares_versions = |storage: &NodeIndex| match &scenario.nodes[usize::from(*storage)].kind {
            NodeKind::Storage(storage) => storage.guard == Guard::VersionCompareAndSet,
            _ => true,
        };
        let drops = !kept.versions && !scenario.programs.iter().any(calculates_with_versions);
        let without_versions: Vec<NodeIndex> =
            scenario.indices().filter(|storage| drops && !compares_versions(storage)).collect();
        let live = scenario.programs.iter().map(|program| live_registers(program, &without_versions)).collect();
        let mut groups: Vec<Vec<NodeIndex>> = vec![Vec::new(); scenario.programs.len()];
        // A real system knows its callers by name, so no two of them are alike.
        let all_alike = model.servers.iter().all(Option::is_none) && !scenario.has_threads();
        for client in scenario.clients().filter(|_| all_alike) {
            if let Some(described) = scenario.client(client) {
                groups[usize::from(described.program)].push(client);
            }
        }
        groups.retain(|group| group.len() > 1);
        Self { live, twins: groups, keeps_beliefs: kept.beliefs, without_versions }
    }

    /// Leaves out what can't matter any more.
    pub fn tidy(&self, model: &Model<'_>, world: &mut World) {
        let scenario = model.scenario();
        for &storage in &self.without_versions {
            storage::forget_version(model.cells_mut(world, storage));
        }
        for node in scenario.indices() {
            let NodeKind::Client(client) = &scenario.nodes[usize::from(node)].kind else { continue };
            // What one thread doesn't need, another one may.
            if scenario.has_threads() {
                continue;
            }
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
            let registers = scenario.programs[usize::from(client.program)].registers.len();
            for (register, cell) in cells[beliefs..beliefs + registers].iter_mut().enumerate() {
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

impl Canonical {
    /// Leaves one of several actions of twins that can't be told apart, and says for
    /// each how many it stands for. `named` are the clients that somebody knows by
    /// name, as bits. The world is sorted.
    pub fn merge_twins(
        &self,
        model: &Model<'_>,
        world: &World,
        named: u32,
        actions: &mut Vec<Action>,
        stands_for: &mut Vec<u16>,
    ) {
        let is_named = |client: NodeIndex| named & (1 << client) != 0;
        // For each client the first one that it is like.
        let mut like = [0; LIMITS.nodes];
        for node in model.scenario().indices() {
            like[usize::from(node)] = node;
        }
        for group in &self.twins {
            for pair in group.windows(2) {
                let (left, right) = (pair[0], pair[1]);
                if !is_named(left) && !is_named(right) && model.cells(world, left) == model.cells(world, right) {
                    like[usize::from(right)] = like[usize::from(left)];
                }
            }
        }
        stands_for.clear();
        let mut kept = 0;
        for place in 0..actions.len() {
            let action = actions[place];
            let first_like = |action: Action| {
                if action.is_of_a_slot() { action.place() } else { like[usize::from(action.place())] }
            };
            let is_like = |known: &Action| match action {
                // A server may have several timers.
                Action::Fire(..) => *known == action,
                _ => discriminant(known) == discriminant(&action) && first_like(*known) == first_like(action),
            };
            if let Some(known) = actions[..kept].iter().position(is_like) {
                stands_for[known] += 1;
            } else {
                actions[kept] = action;
                stands_for.push(1);
                kept += 1;
            }
        }
        actions.truncate(kept);
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
fn live_registers(program: &Program, without_versions: &[NodeIndex]) -> Vec<u32> {
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
            if let Operation::Ask { ask, .. } = &step.operation {
                for answer in &ask.answers {
                    if let Target::Step(target) = answer.target {
                        after |= live[usize::from(target)];
                    }
                }
            }
            let (read, written) = uses(&step.operation, without_versions);
            // A read whose deadline passes leaves its registers as they were.
            let written = if step.timeout_us.is_some() { 0 } else { written };
            live[place] = read | (after & !written);
        }
        if live == before {
            return live;
        }
    }
}

/// Whether a program does anything with a version but to base a write on it.
fn calculates_with_versions(program: &Program) -> bool {
    let is_version = |register: Register| {
        program.steps.iter().any(|step| match step.operation {
            Operation::Call { request: Request::Read { version, .. }, .. } => version == register,
            _ => false,
        })
    };
    program.steps.iter().any(|step| match step.operation {
        Operation::Compute { from, into, .. } => is_version(from) || is_version(into),
        Operation::Compare { register, .. } => is_version(register),
        Operation::Call { request, .. } => match request {
            Request::Write { value, token, .. } => is_version(value) || token.is_some_and(is_version),
            Request::Read { version, value } => version == value || is_version(value),
            Request::Acquire { token, .. }
            | Request::Check { token }
            | Request::Renew { token, .. }
            | Request::Release { token } => is_version(token),
            Request::Command { .. } => false,
        },
        Operation::TryAgain(again) => is_version(again.tries),
        Operation::Wait { .. }
        | Operation::Stop
        | Operation::Ask { .. }
        | Operation::SetDeadline { .. }
        | Operation::CheckDeadline
        | Operation::Conclude { .. } => false,
    })
}

/// The registers that a step reads and those that it always writes, as bits. A
/// busy lock or a lost message leaves a register as it was, so only local steps
/// and reads always write.
fn uses(operation: &Operation, without_versions: &[NodeIndex]) -> (u32, u32) {
    let bit = |register: Register| 1_u32 << register;
    match *operation {
        Operation::Compare { register, .. } | Operation::TryAgain(TryAgain { tries: register, .. }) => {
            (bit(register), 0)
        }
        Operation::Stop | Operation::Wait { .. } | Operation::SetDeadline { .. } | Operation::CheckDeadline => (0, 0),
        Operation::Conclude { token, .. } => (token.map_or(0, bit), 0),
        Operation::Ask { ref ask, .. } => {
            let compared = ask.answers.iter().flat_map(|answer| answer.reply.compared());
            let read = ask.say.registers().into_iter().chain(compared).chain(ask.token).chain(ask.segment);
            (read.fold(0, |bits, register| bits | bit(register)), 0)
        }
        Operation::Compute { from, into, .. } => (bit(from), bit(into) & !bit(from)),
        Operation::Call { server, request } => match request {
            Request::Acquire { .. } | Request::Command { .. } => (0, 0),
            Request::Check { token } | Request::Renew { token, .. } | Request::Release { token } => (bit(token), 0),
            Request::Read { version, value } => (0, bit(version) | bit(value)),
            Request::Write { value, based_on, token } => {
                let based_on = if without_versions.contains(&server) { 0 } else { bit(based_on) };
                (bit(value) | based_on | token.map_or(0, bit), 0)
            }
        },
    }
}
