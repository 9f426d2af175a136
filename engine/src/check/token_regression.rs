//! A grant whose token is not higher than one that the same lock has granted before.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, NodeIndex, NodeKind, Role, Scenario};

/// What is known of one lock service.
#[derive(Default)]
struct Lock {
    /// The highest token that it has granted, and where.
    highest: Option<(u16, EventIndex)>,
    /// What last set its counter back.
    set_back: Option<EventIndex>,
}

pub(super) fn judge(scenario: &Scenario, facts: &Facts, verdict: &mut Verdict) {
    let mut locks: LiteMap<NodeIndex, Lock> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        let settings = match &scenario.nodes[usize::from(event.actor)].kind {
            NodeKind::Lock(settings) => Some(settings),
            _ => None,
        };
        if settings.is_none() {
            // What a real system does befalls all locks on it.
            let lanes = locks.iter_mut().filter(|(lane, _)| scenario.host(**lane) == event.actor);
            if matches!(
                change,
                Change::Crashed { keeps_memory: false } | Change::Forgotten { .. } | Change::StorageRestored { .. }
            ) {
                lanes.for_each(|(_, lock)| lock.set_back = Some(index));
                continue;
            }
        }
        if settings.is_none() && !scenario.role(event.actor).is_some_and(Role::is_lock) {
            continue;
        }
        let lock = locks.entry(event.actor).or_default();
        let next = match change {
            Change::Granted { token, .. } | Change::Passed { token, .. } => {
                match lock.highest.filter(|&(highest, _)| token <= highest) {
                    Some((_, higher)) => {
                        let blame = blame(facts, higher, lock.set_back, index);
                        if settings.is_none() {
                            // Only now is it seen that the counter of a real system went back.
                            verdict.sight(Witness::CounterSetBack, index, blame.clone());
                        }
                        verdict.find(Property::TokenRegression, index, blame);
                    }
                    None => lock.highest = Some((token, index)),
                }
                continue;
            }
            Change::Forgotten { next: Some(next) } | Change::LockRestored { next, .. } => next,
            Change::Crashed { keeps_memory: false } => match settings {
                Some(settings) => settings.first_token,
                None => continue,
            },
            _ => continue,
        };
        if let Some((_, higher)) = lock.highest.filter(|&(highest, _)| next <= highest) {
            lock.set_back = Some(index);
            let blame = blame(facts, higher, None, index);
            verdict.sight(Witness::CounterSetBack, index, blame);
        }
    }
}

/// The higher grant, the fault, what set the counter back, and what it led to.
fn blame(facts: &Facts, higher: EventIndex, set_back: Option<EventIndex>, last: EventIndex) -> Vec<EventIndex> {
    let fault = facts.fault_before(set_back.unwrap_or(last));
    chain([Some(higher), fault, set_back, Some(last)])
}
