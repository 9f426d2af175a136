//! A run as a line of JSON. Its fields are stable: programs read them.

use racescope::tell::{self, Line, Outcome, Telling};
use racescope_engine::check::Verdict;
use racescope_lesson::names::{danger_name, property_name};
use serde::Serialize;

#[derive(Serialize)]
struct Run<'a> {
    variant: &'a str,
    events: Vec<Event<'a>>,
    verdict: Judgement<'a>,
    complete: bool,
}

#[derive(Serialize)]
struct Event<'a> {
    at_us: u64,
    at: String,
    place: &'a str,
    sentence: &'a str,
}

#[derive(Serialize)]
struct Judgement<'a> {
    broken: bool,
    headline: &'a str,
    reason: &'a str,
    /// As in a lesson's file: what does no harm isn't named.
    violates: Vec<&'static str>,
    reaches: Vec<&'static str>,
}

/// The run of one variant as a line.
pub fn line(variant: &str, story: &[Line], telling: &Telling, verdict: &Verdict, complete: bool) -> String {
    let events = story.iter().map(|line| Event {
        at_us: line.at_us,
        at: tell::time(line.at_us),
        place: &line.place,
        sentence: &line.sentence,
    });
    let reaches = verdict.sightings.iter().map(|sighting| danger_name(sighting.witness));
    let verdict = Judgement {
        broken: telling.outcome == Outcome::Broken,
        headline: &telling.headline,
        reason: &telling.reason,
        violates: violated(verdict),
        reaches: each_once(reaches),
    };
    let run = Run { variant, events: events.collect(), verdict, complete };
    serde_json::to_string(&run).expect("text and numbers have JSON")
}

/// The harm that was done, by its names in files.
pub fn violated(verdict: &Verdict) -> Vec<&'static str> {
    each_once(verdict.harm().into_iter().map(|finding| property_name(finding.property)))
}

fn each_once(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}
