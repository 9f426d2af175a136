//! More effects than there may be.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, Meaning, NodeIndex, Role};

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    // The effects of each thing.
    let mut effects: LiteMap<NodeIndex, Vec<EventIndex>> = LiteMap::new();
    // The last read of each client.
    let mut reads: LiteMap<NodeIndex, EventIndex> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        let Some(client) = event.client else { continue };
        if let Change::Read { .. } = change {
            reads.insert(client, index);
        }
        let Some(Role::Effects { limit: Some(limit) }) = facts.scenario.role(event.actor) else { continue };
        // What a transaction has done counts at its commit, which asks for nothing.
        let happened = matches!(change, Change::Effected { .. });
        let is_asked = facts.asked(event).is_some_and(|asked| asked.ask.meaning == Meaning::Effect)
            && matches!(change, Change::Answered { .. } | Change::NotEffected { .. } | Change::EffectPending { .. });
        if !happened && !is_asked {
            continue;
        }
        let done = effects.entry(event.actor).or_default();
        if let Some(&last_allowed) = done.get(usize::from(*limit) - 1) {
            // What a client read before that could still let it go on.
            let read = reads.get(&client).copied();
            let blame = chain([facts.fault_before(index), read, Some(last_allowed), Some(index)]);
            if happened {
                verdict.find(Property::LimitExceeded, index, blame.clone());
            }
            verdict.sight(Witness::EffectBeyondLimitTried, index, blame);
        }
        if happened {
            done.push(index);
        }
    }
}
