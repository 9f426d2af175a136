//! What became of a run, in words: a headline, a reason, and the chain that led there.

use racescope_engine::check::{Finding, Property, Sighting, Verdict, Witness};
use racescope_engine::sim::{Change, EventIndex, Scenario, Trace, What};

use super::names::{comparison, letter, time};
use super::sentence::short;
use super::story::replaced;

/// A verdict as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// How it ended.
    pub outcome: Outcome,
    /// The first words: "Broken at 6.00 s."
    pub headline: String,
    /// The rest: "Storage accepted 33 after 34; B’s v8 is lost."
    pub reason: String,
    /// What led there, in order.
    pub chain: Vec<Link>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Harm was done.
    Broken,
    /// Harm was tried and refused.
    Holds,
    /// Nothing harmful was tried.
    Clean,
    /// The run was cut short by a limit, so nothing can be said.
    Cut,
}

/// One link of the chain that led to a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What happened, in a few words.
    pub text: String,
    /// When, in microseconds.
    pub at_us: u64,
}

/// Puts a verdict into words.
pub fn verdict(scenario: &Scenario, trace: &Trace, verdict: &Verdict) -> Telling {
    if let Some(first) = verdict.harm().first() {
        return broken(scenario, trace, verdict, first);
    }
    if !trace.complete {
        return plain(Outcome::Cut, "Cut short.", "The run reached a limit, so this says nothing about what follows.");
    }
    let was_tried = |seen: &&Sighting| {
        use Witness::{EffectTwiceTried, OutdatedWriteTried, StaleWriteTried};
        matches!(seen.witness, StaleWriteTried | OutdatedWriteTried | EffectTwiceTried)
    };
    let refused = verdict.sightings.iter().find(was_tried);
    if let Some(refused) = refused {
        return holds(scenario, trace, refused.event, &refused.blame);
    }
    if let Some(told) = verdict.sightings.iter().find(|seen| seen.witness == Witness::GaveUp) {
        let client = letter(scenario, trace.event(told.event).actor);
        let reason = format!("{client} was told that its lease was over, and gave up before it wrote.");
        let chain = chain(scenario, trace, &told.blame);
        return Telling { chain, ..plain(Outcome::Holds, "Holds.", &reason) };
    }
    if let Some(seen) = verdict.sightings.first() {
        let (text, chain) = (short(scenario, trace, trace.event(seen.event)), chain(scenario, trace, &seen.blame));
        let reason = match seen.witness {
            Witness::CounterSetBack => format!("The counter of tokens went back ({text}), but no token came twice."),
            Witness::MessageLost | Witness::WriteUnanswered => unanswered(scenario, trace, verdict, &text),
            _ => format!("A belief outlived its lease ({text}), and nothing was lost by it."),
        };
        return Telling { chain, ..plain(Outcome::Clean, "Clean.", &reason) };
    }
    let refused = trace.changes().find(|(.., change)| matches!(change, Change::Refused { .. }));
    if let Some((refused, ..)) = refused {
        return holds(scenario, trace, refused, &[refused]);
    }
    plain(Outcome::Clean, "Clean.", "No write was stale, and no update was lost.")
}

fn plain(outcome: Outcome, headline: &str, reason: &str) -> Telling {
    Telling { outcome, headline: headline.to_string(), reason: reason.to_string(), chain: Vec::new() }
}

/// A reply that a client missed, and whether it ever knew what had become of its write.
fn unanswered(scenario: &Scenario, trace: &Trace, verdict: &Verdict, text: &str) -> String {
    let unknown = verdict.findings.iter().find(|found| found.property == Property::OutcomeUnknown);
    let Some(unknown) = unknown else { return format!("No harm came of it that {text}.") };
    let event = trace.event(unknown.event);
    let client = event.client.map_or_else(String::new, |client| letter(scenario, client));
    let happened = trace.changes().any(|(_, other, change)| {
        (other.client, other.call) == (event.client, event.call) && matches!(change, Change::Accepted { .. })
    });
    let truth = if happened { "it did" } else { "it didn’t" };
    format!("{client} doesn’t know whether its write happened; {truth}.")
}

fn broken(scenario: &Scenario, trace: &Trace, verdict: &Verdict, first: &Finding) -> Telling {
    let lost = verdict.harm().into_iter().find(|found| found.property == Property::LostUpdate);
    let lost = lost.filter(|lost| lost.event == first.event || first.property == Property::LostUpdate);
    let lost = lost.and_then(|lost| replaced(scenario, trace, lost.event));
    let writer = trace.event(first.event).client.map_or_else(String::new, |client| letter(scenario, client));
    let what = match first.property {
        Property::StaleWriteAccepted => stale(trace, first),
        Property::LostUpdate => format!("{writer} wrote over a version that it had never read"),
        Property::OverlapOfBelief => "Two clients believed at once that they hold the lock".to_string(),
        Property::TokenRegression => regression(trace, first),
        Property::EffectTwice => format!("Storage accepted one write of {writer} twice"),
        Property::NoProgress => format!("{writer} waits for ever, since a message of its call was lost"),
        Property::OutcomeUnknown => format!("{writer} doesn’t know whether its write happened"),
    };
    let reason = lost.map_or_else(|| format!("{what}."), |lost| format!("{what}; {lost}."));
    Telling {
        outcome: Outcome::Broken,
        headline: format!("Broken at {}.", time(trace.event(first.event).at_us)),
        reason,
        chain: chain(scenario, trace, &first.blame),
    }
}

fn regression(trace: &Trace, finding: &Finding) -> String {
    let granted = |event: EventIndex| match trace.event(event).what {
        What::Change(Change::Granted { token, .. }) => Some(token),
        _ => None,
    };
    let earlier = finding.blame.iter().find_map(|&event| granted(event)).unwrap_or_default();
    format!("The lock service granted {} after {earlier}", granted(finding.event).unwrap_or_default())
}

fn stale(trace: &Trace, finding: &Finding) -> String {
    let token = token_of(trace, finding.event).unwrap_or_default();
    let newer = finding.blame.iter().rev().skip(1).find_map(|&event| token_of(trace, event)).unwrap_or_default();
    format!("Storage accepted {token} after {newer}")
}

fn token_of(trace: &Trace, event: EventIndex) -> Option<u16> {
    match trace.event(event).what {
        What::Change(Change::Accepted { token, .. }) => Some(token),
        _ => None,
    }
}

fn holds(scenario: &Scenario, trace: &Trace, event: EventIndex, blame: &[EventIndex]) -> Telling {
    let writer = trace.event(event).client.map_or_else(String::new, |client| letter(scenario, client));
    let reason = match trace.event(event).what {
        What::Change(Change::Refused { comparison: made, .. }) => {
            let stands = standing(scenario, trace, event).map_or_else(String::new, |stands| format!("; {stands}"));
            format!("Storage refused {writer}’s write, {}{stands}.", comparison(made))
        }
        _ => format!("{writer}’s write did no harm."),
    };
    Telling { outcome: Outcome::Holds, headline: "Holds.".to_string(), reason, chain: chain(scenario, trace, blame) }
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

fn chain(scenario: &Scenario, trace: &Trace, blame: &[EventIndex]) -> Vec<Link> {
    let link = |&event: &EventIndex| Link {
        text: short(scenario, trace, trace.event(event)),
        at_us: trace.event(event).at_us,
    };
    blame.iter().map(link).collect()
}
