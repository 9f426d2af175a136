//! Where two runs part, and what they have in common.

use racescope_engine::sim::{Change, Comparison, Event, Request, Trace, What};

use super::names::time;
use super::story::Line;

/// A run beside another one: what its pane is called, the run, and its events in words.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    /// What its pane is called.
    pub title: &'a str,
    /// The run.
    pub trace: &'a Trace,
    /// Its events in words.
    pub story: &'a [Line],
}

/// One sentence about two runs, with the moment that it is about, in microseconds.
pub type Remark = (u64, String);

/// When two runs part, in microseconds; `None` if the same happens in both.
pub fn parting_us(one: &Trace, other: &Trace) -> Option<u64> {
    let place = common(one, other);
    let at = |trace: &Trace| trace.events.get(place).map(|event| event.at_us);
    [at(one), at(other)].into_iter().flatten().min()
}

/// What happened in both of two runs, where they part, and what becomes of it.
pub fn compare(one: Told<'_>, other: Told<'_>) -> Vec<Remark> {
    let place = common(one.trace, other.trace);
    let checked = (0..place).find_map(|index| checked(one, other, index));
    let Some(at_us) = parting_us(one.trace, other.trace) else {
        let same = (0, format!("The same happens in “{}” and in “{}”.", one.title, other.title));
        return [same].into_iter().chain(checked).collect();
    };
    let before = one.trace.events[..place].last().map_or(0, |event| event.at_us);
    let mut remarks = Vec::new();
    if place > 0 {
        remarks.push((before, format!("Up to {}, the same happens in both: {}.", time(before), events(place))));
    }
    remarks.extend(checked);
    remarks.push((
        at_us,
        format!("At {} they part. {} {}", time(at_us), goes_on(one, place, at_us), goes_on(other, place, at_us)),
    ));
    let follows = [one, other].map(|told| told.trace.events.len() - place);
    let mut left: Vec<&Event> = other.trace.events[place..].iter().collect();
    for event in &one.trace.events[place..] {
        if let Some(at) = left.iter().position(|it| same((one.trace, event), (other.trace, it))) {
            left.remove(at);
        }
    }
    let shared = follows[1] - left.len();
    let alone = |told: Told<'_>, follows: usize| format!("{} only in “{}”", events(follows - shared), told.title);
    let told = format!(
        "From there on, {} in both, {}, and {}.",
        events(shared),
        alone(one, follows[0]),
        alone(other, follows[1])
    );
    remarks.push((at_us, told));
    remarks
}

fn events(count: usize) -> String {
    if count == 1 { "1 event".to_string() } else { format!("{count} events") }
}

/// What a run does where it parts from another one.
fn goes_on(told: Told<'_>, place: usize, parts_us: u64) -> String {
    let Some(line) = told.story.get(place) else { return format!("{}: nothing more happens.", told.title) };
    let when = if line.at_us == parts_us { String::new() } else { format!(", at {}", time(line.at_us)) };
    let harm = line.harm.as_ref().map_or_else(String::new, |harm| format!(" {harm}."));
    format!("{}: {} {}{when}.{harm}", told.title, line.place, line.sentence)
}

/// Where one of two writes was compared with something before it was accepted in both.
fn checked(one: Told<'_>, other: Told<'_>, index: usize) -> Option<Remark> {
    let [first, second] = [one, other].map(|told| compared(&told.trace.events[index]));
    if first == second {
        return None;
    }
    let (told, made) = first.map(|made| (one, made)).or_else(|| second.map(|made| (other, made)))?;
    let at_us = told.trace.events[index].at_us;
    let place = told.story.get(index).map_or("", |line| line.place.as_str());
    let differently = if first.is_some() && second.is_some() { "differently" } else { "only" };
    Some((at_us, format!("At {}, {place} compares {differently} in “{}”: {made}.", time(at_us), told.title)))
}

fn compared(event: &Event) -> Option<Comparison> {
    match event.what {
        What::Change(Change::Accepted { comparison, .. }) => comparison,
        _ => None,
    }
}

/// How many events two runs have in common before they part.
fn common(one: &Trace, other: &Trace) -> usize {
    let pairs = one.events.iter().zip(&other.events);
    pairs.take_while(|&(first, second)| same((one, first), (other, second))).count()
}

/// Whether the same happens, however it was said or compared.
fn same((one, first): (&Trace, &Event), (other, second): (&Trace, &Event)) -> bool {
    let where_and_when = |event: &Event| (event.at_us, event.actor, event.client);
    let happens = match (first.what, second.what) {
        (What::FaultBegins(a), What::FaultBegins(b)) | (What::FaultEnds(a), What::FaultEnds(b)) => {
            one.faults.get(usize::from(a)) == other.faults.get(usize::from(b))
        }
        (What::Change(a), What::Change(b)) => gist(a) == gist(b),
        _ => false,
    };
    happens && where_and_when(first) == where_and_when(second)
}

/// A change without what doesn't matter to what becomes of it.
fn gist(change: Change) -> Change {
    match change {
        Change::Accepted { token, based_on, replaced, version, .. } => {
            Change::Accepted { token, based_on, replaced, version, comparison: None, conditional: false }
        }
        Change::Sent { server, token, request: Request::Command { meaning, .. } } => {
            Change::Sent { server, token, request: Request::Command { meaning, step: 0 } }
        }
        _ => change,
    }
}
