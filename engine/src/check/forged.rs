//! A grant that is forged or was changed, and what those to whom it was shown made of it.

use super::facts::Facts;
use super::{Property, Verdict, Witness, chain};
use crate::sim::{Change, Outcome};

pub(super) fn judge(facts: &Facts, verdict: &mut Verdict) {
    for (index, event, change) in facts.trace.changes() {
        let Some(asked) = facts.asked(event).filter(|asked| asked.ask.forged) else { continue };
        let Some(accepted) = is_accepted(change).filter(|_| event.client != Some(event.actor)) else { continue };
        let blame = chain([facts.fault_before(index), Some(asked.sent), Some(index)]);
        if accepted {
            verdict.find(Property::ForgedGrantAccepted, index, blame.clone());
        }
        verdict.sight(Witness::ForgedGrantTried, index, blame);
    }
}

/// Whether a server did what was asked; `None` if it has not answered.
pub(crate) fn is_accepted(change: Change) -> Option<bool> {
    use Outcome::{Accepted, Done, Granted, Held, Hit};
    match change {
        Change::Waits | Change::Lost { .. } => None,
        Change::Answered { outcome } => Some(matches!(outcome, Accepted | Done | Granted | Held | Hit)),
        Change::Refused { .. }
        | Change::NotFilled { .. }
        | Change::NotEffected { .. }
        | Change::NotHeld { .. }
        | Change::Busy { .. } => Some(false),
        _ => Some(true),
    }
}
