//! Where in a world things lie, and what of a node never changes.

use super::model::Model;
use super::scenario::{NodeIndex, Step};
use super::stray;
use super::world::{Cell, World};

/// What of a node never changes.
#[derive(Clone, Debug)]
pub(super) struct Fixed<'a> {
    /// The steps of a client's program; none for a server.
    steps: &'a [Step],
    /// The process of a client; any other node is its own.
    process: NodeIndex,
    /// Where the deadline of a client lies in the cells of its process, if it has one.
    deadline_cell: Option<usize>,
}

impl<'a> Fixed<'a> {
    /// What is asked about a node of a model whose cells are laid out.
    pub fn of(model: &Model<'a>, node: NodeIndex) -> Self {
        Self {
            steps: model.scenario.program_of(node).map_or(&[], |program| &program.steps),
            process: model.scenario.process(node),
            deadline_cell: model.find_deadline_cell(node),
        }
    }
}

impl<'a> Model<'a> {
    /// The steps of a client's program.
    pub(super) fn steps(&self, client: NodeIndex) -> &'a [Step] {
        self.fixed[usize::from(client)].steps
    }

    /// The process of a client; any other node is its own.
    pub(super) fn process(&self, node: NodeIndex) -> NodeIndex {
        self.fixed[usize::from(node)].process
    }

    /// Where the deadline of a client lies in the cells of its process, if it has one.
    pub(super) fn deadline_cell(&self, client: NodeIndex) -> Option<usize> {
        self.fixed[usize::from(client)].deadline_cell
    }

    pub(super) fn cells<'w>(&self, world: &'w World, node: NodeIndex) -> &'w [Cell] {
        let start = usize::from(self.starts[usize::from(node)]);
        world.range(start, usize::from(self.starts[usize::from(node) + 1]) - start)
    }

    pub(super) fn cells_mut<'w>(&self, world: &'w mut World, node: NodeIndex) -> &'w mut [Cell] {
        let start = usize::from(self.starts[usize::from(node)]);
        world.range_mut(start, usize::from(self.starts[usize::from(node) + 1]) - start)
    }

    /// How many cells the state of a server has; `None` for a client.
    pub(super) fn own_cells(&self, node: NodeIndex) -> Option<usize> {
        self.own.get(usize::from(node)).copied().flatten()
    }

    /// How many cells a node has.
    pub(super) fn length(&self, node: NodeIndex) -> usize {
        usize::from(self.starts[usize::from(node) + 1] - self.starts[usize::from(node)])
    }

    fn slot_start(&self, slot: u8) -> usize {
        usize::from(self.starts[self.starts.len() - 2]) + usize::from(slot) * stray::LENGTH
    }

    pub(super) fn slot<'w>(&self, world: &'w World, slot: u8) -> &'w [Cell] {
        world.range(self.slot_start(slot), stray::LENGTH)
    }

    pub(super) fn slot_mut<'w>(&self, world: &'w mut World, slot: u8) -> &'w mut [Cell] {
        world.range_mut(self.slot_start(slot), stray::LENGTH)
    }
}
