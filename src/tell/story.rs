//! A run as a list of sentences.

use racescope_engine::check::{Belief, Property, Verdict, beliefs};
use racescope_engine::sim::{Change, EventIndex, Scenario, Trace, What};

use super::names::{letter, place};
use super::sentence::sentence;

/// One event of a run in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When, in microseconds.
    pub at_us: u64,
    /// Where: "A", "Lock", "Storage".
    pub place: String,
    /// What, as a clause whose subject is the place.
    pub sentence: String,
    /// What harm it does, if any: "B’s v8 is lost".
    pub harm: Option<String>,
    /// The event.
    pub event: EventIndex,
}

/// A run as a list of sentences, one for each event.
pub fn story(scenario: &Scenario, trace: &Trace, verdict: &Verdict) -> Vec<Line> {
    let beliefs = beliefs(scenario, trace);
    (0..trace.events.len()).map(|index| line(scenario, trace, verdict, &beliefs, index as EventIndex)).collect()
}

/// The last of these sentences that is about a moment or an earlier one, in microseconds.
pub fn last_line(scenario: &Scenario, trace: &Trace, verdict: &Verdict, at_us: u64) -> Option<Line> {
    let last = trace.events.iter().rposition(|event| event.at_us <= at_us)?;
    Some(line(scenario, trace, verdict, &beliefs(scenario, trace), last as EventIndex))
}

fn line(scenario: &Scenario, trace: &Trace, verdict: &Verdict, beliefs: &[Belief], index: EventIndex) -> Line {
    let event = trace.event(index);
    let mut sentence = sentence(scenario, trace, event);
    for belief in beliefs.iter().filter(|belief| belief.parting() == Some(index)) {
        sentence += &format!("; {}’s belief is false from here on", letter(scenario, belief.client));
    }
    let lost = verdict.findings.iter().any(|found| found.event == index && found.property == Property::LostUpdate);
    let harm = if lost { replaced(scenario, trace, index) } else { None };
    Line { at_us: event.at_us, place: place(scenario, event.actor), sentence, harm, event: index }
}

/// Whose version a write has replaced: "B’s v8 is lost".
pub fn replaced(scenario: &Scenario, trace: &Trace, write: EventIndex) -> Option<String> {
    let What::Change(Change::Accepted { replaced, .. }) = trace.event(write).what else { return None };
    let storage = trace.event(write).actor;
    // A storage that was set back makes a version again, so the last one counts.
    let before = trace.changes().take_while(|&(index, ..)| index < write);
    let writer = before.filter_map(|(_, event, change)| match change {
        Change::Accepted { version, .. } if version == replaced && event.actor == storage => event.client,
        _ => None,
    });
    let writer = writer.last();
    Some(match writer {
        Some(writer) => format!("{}’s v{replaced} is lost", letter(scenario, writer)),
        None => format!("v{replaced} is lost"),
    })
}
