//! Effects and promises in a transaction that is open: they count when it is committed,
//! and never if that doesn't come.

use super::change::Change;
use super::command::Meaning;
use super::judged::Answered;
use super::model::Model;
use super::record::Record;
use super::scenario::NodeIndex;
use super::views::EACH;
use super::world::{Cell, World};
use crate::system::View;

// What is kept of a client is room for two kinds of effects: how many there are, times two,
// plus one if they are promises; and which ones. A third kind counts at once.
const SLOT: usize = 2;
const COUNT: usize = 0;
const OF: usize = 1;

impl Model<'_> {
    /// The things on a server that have effects.
    fn effects_on(&self, host: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
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
        if !matches!(it.view, View::Open | View::Snapshot) {
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

    /// What a client's transaction has done counts from now on.
    pub(super) fn publish_effects(
        &self,
        world: &mut World,
        host: NodeIndex,
        (client, stray): (NodeIndex, Option<u8>),
        record: &mut impl Record,
    ) {
        for lane in self.effects_on(host) {
            let Some(kept) = self.kept_back(world, lane, client) else { continue };
            let slots = [[kept[COUNT], kept[OF]], [kept[SLOT + COUNT], kept[SLOT + OF]]];
            kept.fill(0);
            for [count, of] in slots {
                let promised = count % 2 == 1;
                for _ in 0..count / 2 {
                    let change = self.count_effect(world, lane, promised, of);
                    record.follows();
                    if let Some(slot) = stray {
                        record.concerns_stray(slot);
                    }
                    record.note(lane, Some(client), change);
                }
            }
        }
    }

    /// What a client's transaction has done will never count.
    pub(super) fn undo_effects(&self, world: &mut World, host: NodeIndex, client: NodeIndex, record: &mut impl Record) {
        for lane in self.effects_on(host) {
            let Some(kept) = self.kept_back(world, lane, client) else { continue };
            let was_open = kept[COUNT] != 0;
            kept.fill(0);
            if was_open {
                record.follows();
                record.note(lane, None, Change::Undone { client });
            }
        }
    }
}
