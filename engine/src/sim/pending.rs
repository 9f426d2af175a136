//! Effects and promises in a transaction that is open, or only proposed: they count when
//! they are committed, and never if that doesn't come.

use alloc::vec::Vec;

use super::change::Change;
use super::command::Meaning;
use super::judged::Answered;
use super::model::Model;
use super::scenario::NodeIndex;
use super::views::EACH;
use super::world::{Cell, World};

// What is kept of a client is room for two kinds of effects: how many there are, times two,
// plus one if they are promises; and which ones. A third kind counts at once.
const SLOT: usize = 2;
const COUNT: usize = 0;
const OF: usize = 1;

impl Model<'_> {
    /// The things on a server that have effects.
    pub(super) fn effects_on(&self, host: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let scenario = self.scenario;
        scenario.indices().filter(move |&lane| scenario.has_effects(lane) && scenario.host(lane) == host)
    }

    /// What a client's transaction has done to a thing with effects.
    fn kept_back<'w>(&self, world: &'w mut World, lane: NodeIndex, client: NodeIndex) -> Option<&'w mut [Cell]> {
        let own = self.of_client(lane, client)?;
        Some(&mut self.cells_mut(world, lane)[own..own + EACH])
    }

    /// An effect or a promise was taken that may still be undone. `None` if it counts at once.
    pub(super) fn keep_effect_back(&self, world: &mut World, it: Answered) -> Option<Change> {
        if !it.stays_open() {
            return None;
        }
        let promised = it.ask.meaning == Meaning::Promise;
        let mut slots = self.kept_back(world, it.lane, it.client)?.chunks_exact_mut(SLOT);
        let is_same = |slot: &[Cell]| slot[COUNT] % 2 == Cell::from(promised) && slot[OF] == it.of;
        let slot = slots.find(|slot| slot[COUNT] == 0 || is_same(slot))?;
        slot[COUNT] = slot[COUNT].checked_add(2)? | Cell::from(promised);
        slot[OF] = it.of;
        Some(Change::EffectPending { of: it.of, promised })
    }

    /// What a client has done to a thing, and nobody has seen, counts from now on.
    pub(super) fn publish_effects(&self, world: &mut World, lane: NodeIndex, client: NodeIndex) -> Vec<Change> {
        if !self.scenario.has_effects(lane) {
            return Vec::new();
        }
        let Some(kept) = self.kept_back(world, lane, client) else { return Vec::new() };
        let slots = [[kept[COUNT], kept[OF]], [kept[SLOT + COUNT], kept[SLOT + OF]]];
        kept.fill(0);
        let each = slots.into_iter().flat_map(|[count, of]| (0..count / 2).map(move |_| (count % 2 == 1, of)));
        each.map(|(promised, of)| self.count_effect(world, lane, promised, of)).collect()
    }

    /// What a client has done to a thing, and nobody has seen, will never count. Whether it
    /// has done anything.
    pub(super) fn undo_effects(&self, world: &mut World, lane: NodeIndex, client: NodeIndex) -> bool {
        if !self.scenario.has_effects(lane) {
            return false;
        }
        let Some(kept) = self.kept_back(world, lane, client) else { return false };
        let was_open = kept[COUNT] != 0;
        kept.fill(0);
        was_open
    }
}
