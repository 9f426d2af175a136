//! A conditional write that was accepted although what it compared had changed in
//! between: it had come back, so the comparison could not tell.

use super::facts::Facts;
use super::lost_update::{Outdated, outdated};
use super::{Property, Verdict, Witness};

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    for Outdated { event, accepted, blame, .. } in outdated(facts).into_iter().filter(|write| write.conditional) {
        if accepted {
            verdict.find(Property::Aba, event, blame.clone());
        }
        verdict.sight(Witness::AbaTried, event, blame);
    }
}
