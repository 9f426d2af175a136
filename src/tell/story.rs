//! A run as a list of sentences.

use racescope_engine::check::{Property, Verdict, beliefs};
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
    let lines = trace.events.iter().enumerate().map(|(index, event)| {
        let index = index as EventIndex;
        let lost = verdict.findings.iter().find(|found| found.event == index && found.property == Property::LostUpdate);
        Line {
            at_us: event.at_us,
            place: place(scenario, event.actor),
            sentence: sentence(scenario, trace, event),
            harm: lost.and_then(|_| replaced(scenario, trace, index)),
            event: index,
        }
    });
    let mut lines: Vec<Line> = lines.collect();
    for belief in beliefs(scenario, trace) {
        if let Some(line) = belief.parting().and_then(|parts| lines.get_mut(parts as usize)) {
            line.sentence += &format!("; {}’s belief is false from here on", letter(scenario, belief.client));
        }
    }
    lines
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
