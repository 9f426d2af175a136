//! An effect on a real system that happened twice: one client said the same again, or
//! there were more effects than promises.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, Meaning, NodeIndex};

/// What is known of one thing that has effects.
#[derive(Default)]
struct Thing {
    /// Where each client asked for the effect in these words, and had it.
    had: BTreeMap<(NodeIndex, Option<u16>), EventIndex>,
    effects: Vec<EventIndex>,
    promises: usize,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    let mut things: BTreeMap<NodeIndex, Thing> = BTreeMap::new();
    for (index, event, change) in facts.trace.changes() {
        let happened = match change {
            Change::Effected { .. } => true,
            Change::Answered { .. } => false,
            Change::Promised { .. } => {
                things.entry(event.actor).or_default().promises += 1;
                continue;
            }
            _ => continue,
        };
        let asked = facts.asked(event).filter(|asked| asked.ask.meaning == Meaning::Effect);
        let (Some(client), Some(asked)) = (event.client, asked) else { continue };
        let thing = things.entry(event.actor).or_default();
        let words = (client, facts.trace.event(asked.sent).said);
        // Who keeps a promise doesn't matter, nor in which words.
        let kept = thing.effects.last().filter(|_| thing.promises > 0 && thing.effects.len() >= thing.promises);
        if let Some(&first) = thing.had.get(&words).or(kept) {
            let blame = chain([Some(first), facts.fault_before(index), event.cause, Some(index)]);
            if happened {
                verdict.find(Property::EffectTwice, index, blame.clone());
            }
            verdict.sight(Witness::EffectTwiceTried, index, blame);
        }
        if happened {
            thing.had.entry(words).or_insert(index);
            thing.effects.push(index);
        }
    }
}
