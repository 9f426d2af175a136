//! An effect that was promised and never happened.

use alloc::vec::Vec;
use litemap::LiteMap;

use super::facts::{Facts, goes_wrong};
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, EventIndex, NodeIndex};

/// A promise whose effect is still to come.
struct Promise {
    made: EventIndex,
    /// Which effect, or 0.
    of: u16,
    /// To whom.
    client: Option<NodeIndex>,
    /// What came between first: something went wrong, or the client ended.
    left_open: Option<EventIndex>,
    /// What went wrong last.
    trouble: Option<EventIndex>,
}

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    // The promises of each thing, the oldest first: an effect keeps the oldest that is meant.
    let mut open: LiteMap<NodeIndex, Vec<Promise>> = LiteMap::new();
    for (index, event, change) in facts.trace.changes() {
        match change {
            Change::Promised { of, .. } => {
                let promise = Promise { made: index, of, client: event.client, left_open: None, trouble: None };
                open.entry(event.actor).or_default().push(promise);
            }
            Change::Effected { of, .. } => {
                let promises = open.entry(event.actor).or_default();
                if let Some(place) = promises.iter().position(|promise| promise.of == of) {
                    promises.remove(place);
                }
            }
            _ => {}
        }
        let ends = matches!(change, Change::Finished | Change::Stopped);
        let wrong = goes_wrong(change);
        for promise in open.iter_mut().flat_map(|(_, promises)| promises) {
            if !(wrong || ends && promise.client == Some(event.actor)) {
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
        for promise in open.into_tuple_vec().into_iter().flat_map(|(_, promises)| promises) {
            let lost = promise.trouble.or(promise.left_open).unwrap_or(promise.made);
            let blame = chain([Some(promise.made), facts.fault_before(lost), Some(lost)]);
            verdict.find(Property::EffectLost, lost, blame);
        }
    }
}
