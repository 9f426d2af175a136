//! An effect on a real system that happened twice: the same one again, by whatever
//! says which it is.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, Meaning, NodeIndex};

/// Which effect it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Which<'t> {
    /// The one with the value that programs name.
    Named(u16),
    /// What this client asks for in these words.
    Said(NodeIndex, Option<&'t str>),
    /// The one that was promised in this place. Who keeps a promise doesn't matter.
    Promised(usize),
}

/// What is known of one thing that has effects.
#[derive(Default)]
struct Thing<'t> {
    had: LiteMap<Which<'t>, EventIndex>,
    effects: usize,
    promises: usize,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    let mut things: LiteMap<NodeIndex, Thing<'_>> = LiteMap::new();
    // The words of what the open transaction of each client has done to each thing.
    let mut pending: LiteMap<(NodeIndex, NodeIndex), Vec<Option<&str>>> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        if let Change::Promised { .. } = change {
            things.entry(event.actor).or_default().promises += 1;
        }
        if let Change::Undone { client } = change {
            pending.remove(&(event.actor, client));
        }
        let Some(client) = event.client else { continue };
        let asked = facts.asked(event).filter(|asked| asked.ask.meaning == Meaning::Effect);
        let own = (event.actor, facts.scenario.process(client));
        let said = asked.as_ref().and_then(|asked| facts.trace.said(facts.trace.event(asked.sent)));
        // A remark behind a statement says what becomes of it, and not what it asks for.
        let said = said.and_then(|words| words.split(" -- ").next());
        let (happened, of, said) = match change {
            Change::EffectPending { promised: false, .. } => {
                pending.entry(own).or_default().push(said);
                continue;
            }
            // It counts at its commit, and is still what was asked for before.
            Change::Effected { of, .. } if asked.is_none() => {
                let kept = pending.get_mut(&own).filter(|kept| !kept.is_empty());
                (true, of, kept.and_then(|kept| kept.remove(0)))
            }
            Change::Effected { of, .. } => (true, of, said),
            Change::NotEffected { of } if asked.is_some() => (false, of, said),
            Change::Answered { .. } if asked.is_some() => (false, 0, said),
            _ => continue,
        };
        let thing = things.entry(event.actor).or_default();
        let which = match thing.promises {
            _ if of != 0 => Which::Named(of),
            0 => Which::Said(client, said),
            // More than were promised can only be one of them again.
            promises => Which::Promised((thing.effects + 1).min(promises)),
        };
        if let Some(&first) = thing.had.get(&which) {
            let blame = chain([Some(first), facts.fault_before(index), event.cause, Some(index)]);
            if happened {
                verdict.find(Property::EffectTwice, index, blame.clone());
            }
            verdict.sight(Witness::EffectTwiceTried, index, blame);
        }
        if happened {
            thing.had.entry(which).or_insert(index);
            thing.effects += 1;
        }
    }
}
