//! A grant whose token is not higher than one that the same lock has granted before.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, Meaning, NodeIndex, NodeKind, Operation, Role, Scenario};

/// What is known of one lock service.
#[derive(Default)]
struct Lock {
    /// The highest token that it has granted, and where.
    highest: Option<(u16, EventIndex)>,
    /// What last set its counter back.
    set_back: Option<EventIndex>,
    /// Whether that was seen at once.
    is_seen: bool,
}

pub(super) fn judge(scenario: &Scenario, facts: &Facts, verdict: &mut Verdict) {
    let mut locks: LiteMap<NodeIndex, Lock> = LiteMap::new();
    // Where the state of each server was last copied aside.
    let mut saved: LiteMap<NodeIndex, EventIndex> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        let settings = match &scenario.nodes[usize::from(event.actor)].kind {
            NodeKind::Lock(settings) => Some(settings),
            _ => None,
        };
        if settings.is_none() {
            // What a real system does befalls all locks on it.
            let goes_back_to = match change {
                Change::Saved => {
                    saved.insert(event.actor, index);
                    continue;
                }
                Change::Crashed { keeps_memory: false } | Change::Forgotten { .. } => Some(0),
                Change::StorageRestored { .. } => saved.get(&event.actor).copied(),
                _ => None,
            };
            if let Some(goes_back_to) = goes_back_to {
                for (&lane, lock) in locks.iter_mut().filter(|(lane, _)| scenario.host(**lane) == event.actor) {
                    lock.set_back = Some(index);
                    let higher = lock.highest.map(|(_, higher)| higher).filter(|&higher| higher > goes_back_to);
                    lock.is_seen = higher.is_some() && counts_tokens(scenario, lane);
                    if let Some(higher) = higher.filter(|_| lock.is_seen) {
                        verdict.sight(Witness::CounterSetBack, index, blame(facts, higher, None, index));
                    }
                }
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
                        if settings.is_none() && !lock.is_seen {
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

/// Whether a real system counts the tokens of a lock itself: an answer names them.
fn counts_tokens(scenario: &Scenario, lock: NodeIndex) -> bool {
    let steps = scenario.programs.iter().flat_map(|program| &program.steps);
    steps.into_iter().any(|step| match &step.operation {
        Operation::Ask { server, ask } => *server == lock && ask.meaning == Meaning::Acquire && ask.token.is_some(),
        _ => false,
    })
}

/// The higher grant, the fault, what set the counter back, and what it led to.
fn blame(facts: &Facts, higher: EventIndex, set_back: Option<EventIndex>, last: EventIndex) -> Vec<EventIndex> {
    let fault = facts.fault_before(set_back.unwrap_or(last));
    chain([Some(higher), fault, set_back, Some(last)])
}
