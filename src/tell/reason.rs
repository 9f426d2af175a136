//! Why a run is broken, or what held, as clauses and sentences.

use racescope_engine::check::{Finding, Property, Sighting, Witness};
use racescope_engine::sim::{Change, EventIndex, NodeIndex, Scenario, Trace, What};

use super::names::{comparison, letter, time};

/// What was violated, as a clause: "Storage accepted 33 after 34".
pub(super) fn broken(scenario: &Scenario, trace: &Trace, found: &Finding) -> String {
    let event = trace.event(found.event);
    let client = event.client.map_or_else(String::new, |client| letter(scenario, client));
    let server = server(scenario, event.actor);
    match found.property {
        Property::StaleWriteAccepted => stale(trace, found, &server),
        Property::LostUpdate => format!("{client} wrote over a version that it had never read"),
        Property::OverlapOfBelief => "Two clients believed at once that they hold the lock".to_string(),
        Property::TokenRegression => regression(trace, found),
        Property::EffectTwice => match event.what {
            What::Change(Change::Effected { .. }) => format!("{server} did for {client} what had been done before"),
            _ => format!("{server} accepted one write of {client} twice"),
        },
        Property::NoProgress => match event.what {
            What::Change(Change::Lost { .. }) => {
                format!("{client} waits for ever, since a message of its call was lost")
            }
            _ => format!("{client} waits for ever, since it is never answered"),
        },
        Property::OrphanedLock => format!("{client} is refused for ever, by a lock that nobody knows to hold"),
        Property::OutcomeUnknown => format!("{client} doesn’t know whether its write happened"),
        Property::Aba => {
            format!("{server} took {client}’s conditional write, although what it compared had changed and come back")
        }
        Property::StaleCacheEntry => stale_entry(trace, found, &server),
        Property::LimitExceeded => match event.what {
            What::Change(Change::Effected { count, .. }) => {
                format!("{server}: done {count} times, more than allowed")
            }
            _ => format!("{server}: done more often than allowed"),
        },
        Property::EffectLost => lost_effect(scenario, trace, found),
        Property::SegmentSkipped => format!("{server} accepted a segment of {client} that doesn’t follow the last one"),
        Property::ForgedGrantAccepted => format!("{server} accepted a forged grant of {client}"),
    }
}

/// What a harmful thing that was tried came to, as a sentence.
pub(super) fn held(scenario: &Scenario, trace: &Trace, tried: &Sighting) -> String {
    let event = trace.event(tried.event);
    let client = event.client.map_or_else(String::new, |client| letter(scenario, client));
    let server = server(scenario, event.actor);
    match (event.what, tried.witness) {
        (_, Witness::ForgedGrantTried) => format!("{server} refused a forged grant of {client}."),
        (_, Witness::SegmentOutOfOrderTried) => {
            format!("{server} refused a segment of {client} that doesn’t follow the last one.")
        }
        (What::Change(Change::Refused { .. }), _) => refused(scenario, trace, tried.event),
        (What::Change(Change::NotFilled { version, newest }), _) => {
            format!("{server} didn’t take {client}’s v{version}, since v{newest} is there.")
        }
        (_, Witness::EffectBeyondLimitTried) => {
            format!("{client} asked for more than there may be, and it didn’t happen.")
        }
        (What::Change(Change::Answered { .. } | Change::NotEffected { .. }), Witness::EffectTwiceTried) => {
            format!("{client} asked again for what had been done, and it wasn’t done again.")
        }
        _ => format!("{client}’s write did no harm."),
    }
}

/// What refused a write, and whose write stands.
pub(super) fn refused(scenario: &Scenario, trace: &Trace, refused: EventIndex) -> String {
    let event = trace.event(refused);
    let writer = event.client.map_or_else(String::new, |client| letter(scenario, client));
    let What::Change(Change::Refused { comparison: made, .. }) = event.what else {
        return format!("{writer}’s write did no harm.");
    };
    let stands = standing(scenario, trace, refused).map_or_else(String::new, |stands| format!("; {stands}"));
    format!("{} refused {writer}’s write, {}{stands}.", server(scenario, event.actor), comparison(made))
}

/// What decides about writes, as the subject of a sentence.
fn server(scenario: &Scenario, node: NodeIndex) -> String {
    if scenario.role(node).is_some() { letter(scenario, node) } else { "Storage".to_string() }
}

fn regression(trace: &Trace, found: &Finding) -> String {
    let granted = |event: EventIndex| match trace.event(event).what {
        What::Change(Change::Granted { token, .. } | Change::Passed { token, .. }) => Some(token),
        _ => None,
    };
    let earlier = found.blame.iter().find_map(|&event| granted(event)).unwrap_or_default();
    format!("The lock service granted {} after {earlier}", granted(found.event).unwrap_or_default())
}

fn stale(trace: &Trace, found: &Finding, server: &str) -> String {
    let token = token_of(trace, found.event).unwrap_or_default();
    format!("{server} accepted {token} after {}", newer_token(trace, found))
}

/// The token of the write that a stale one came after.
pub(super) fn newer_token(trace: &Trace, found: &Finding) -> u16 {
    found.blame.iter().rev().skip(1).find_map(|&event| token_of(trace, event)).unwrap_or_default()
}

fn token_of(trace: &Trace, event: EventIndex) -> Option<u16> {
    match trace.event(event).what {
        What::Change(Change::Accepted { token, .. }) => Some(token),
        _ => None,
    }
}

/// What a cache took, and for how long it was there.
fn stale_entry(trace: &Trace, found: &Finding, cache: &str) -> String {
    let event = trace.event(found.event);
    let took = match event.what {
        What::Change(Change::Filled { version, newest }) => {
            let took = if event.client.is_some() { "took" } else { "got back" };
            format!("{cache} {took} v{version} while v{newest} was there")
        }
        _ => format!("{cache} took an old entry"),
    };
    match found.until {
        Some(until) => format!("{took}, and kept it for {}", time(trace.event(until).at_us - event.at_us)),
        None => format!("{took}, and keeps it"),
    }
}

/// To whom something was promised that never happened.
fn lost_effect(scenario: &Scenario, trace: &Trace, found: &Finding) -> String {
    let mut blamed = found.blame.iter().map(|&event| trace.event(event));
    let promise = blamed.rfind(|event| matches!(event.what, What::Change(Change::Promised { .. })));
    let client = promise.and_then(|event| event.client).map_or_else(String::new, |client| letter(scenario, client));
    let what = promise.map_or_else(String::new, |event| letter(scenario, event.actor));
    format!("{what}: what {client} was promised never happened")
}

/// Whose version a refused write has left in place: "B’s v8 stands".
fn standing(scenario: &Scenario, trace: &Trace, refused: EventIndex) -> Option<String> {
    let storage = trace.event(refused).actor;
    let before = trace.changes().take_while(|&(index, ..)| index < refused);
    let (version, writer) = before
        .filter_map(|(_, event, change)| match change {
            Change::Accepted { version, .. } if event.actor == storage => Some((version, event.client?)),
            _ => None,
        })
        .last()?;
    Some(format!("{}’s v{version} stands", letter(scenario, writer)))
}
