//! An effect that was promised and never happened.

use alloc::collections::BTreeMap;
use alloc::collections::VecDeque;

use super::facts::{Facts, goes_wrong};
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, NodeIndex};

/// A promise whose effect is still to come.
struct Promise {
    made: EventIndex,
    /// To whom.
    client: Option<NodeIndex>,
    /// What came between first: something went wrong, or the client ended.
    left_open: Option<EventIndex>,
    /// What went wrong last.
    trouble: Option<EventIndex>,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    // The promises of each thing, the oldest first: an effect fulfils the oldest.
    let mut open: BTreeMap<NodeIndex, VecDeque<Promise>> = BTreeMap::new();
    for (index, event, change) in facts.trace.changes() {
        match change {
            Change::Promised { .. } => {
                let promise = Promise { made: index, client: event.client, left_open: None, trouble: None };
                open.entry(event.actor).or_default().push_back(promise);
            }
            Change::Effected { .. } => {
                open.entry(event.actor).or_default().pop_front();
            }
            _ => {}
        }
        let ends = matches!(change, Change::Finished | Change::Stopped);
        let wrong = goes_wrong(change);
        for promise in open.values_mut().flatten() {
            if !wrong && !(ends && promise.client == Some(event.actor)) {
                continue;
            }
            if wrong {
                promise.trouble = Some(index);
            }
            if promise.left_open.is_none() {
                promise.left_open = Some(index);
                let blame = chain([Some(promise.made), facts.fault_before(index), Some(index)]);
                verdict.sight(Witness::PromiseLeftOpen, index, blame);
            }
        }
    }
    if facts.trace.complete {
        for promise in open.into_values().flatten() {
            let lost = promise.trouble.or(promise.left_open).unwrap_or(promise.made);
            let blame = chain([Some(promise.made), facts.fault_before(lost), Some(lost)]);
            verdict.find(Property::EffectLost, lost, blame);
        }
    }
}
