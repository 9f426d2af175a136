//! Why a run ended as it did: the events from the fault to the harm, each in a sentence.

use racescope_engine::check::{Property, Verdict};
use racescope_engine::sim::{Change, EventIndex, Scenario, Trace, What};

use super::reason::newer_token;
use super::story::Line;
use super::verdict::Telling;

/// One step of what led to a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The event.
    pub event: EventIndex,
    /// When, in microseconds.
    pub at_us: u64,
    /// What happened, in one sentence or two.
    pub text: String,
}

/// The events that a telling blames, in order and in sentences; and behind them what
/// ended the harm, if it ended. A refusal says what was compared.
pub fn why(scenario: &Scenario, trace: &Trace, verdict: &Verdict, telling: &Telling, story: &[Line]) -> Vec<Step> {
    let until = verdict.worst().and_then(|worst| worst.until);
    let events = telling.chain.iter().map(|link| link.event).chain(until);
    let step = |event: EventIndex| {
        let line = story.get(event as usize)?;
        let harm = line.harm.as_ref().map_or_else(String::new, |harm| format!(" {harm}."));
        let missed = not_compared(scenario, trace, verdict, event).unwrap_or_default();
        let text = format!("{} {}.{missed}{harm}", line.place, line.sentence);
        Some(Step { event, at_us: line.at_us, text })
    };
    events.filter_map(step).collect()
}

/// What a storage would have had to compare that accepted a stale write without a look.
fn not_compared(scenario: &Scenario, trace: &Trace, verdict: &Verdict, event: EventIndex) -> Option<String> {
    let is_stale = |found: &&racescope_engine::check::Finding| {
        found.event == event && found.property == Property::StaleWriteAccepted
    };
    let found = verdict.findings.iter().find(is_stale)?;
    let What::Change(Change::Accepted { token, comparison: None, .. }) = trace.event(event).what else { return None };
    let is_plain = scenario.role(trace.event(event).actor).is_none();
    is_plain
        .then(|| format!(" It had accepted {} before, and didn’t compare {token} with it.", newer_token(trace, found)))
}
