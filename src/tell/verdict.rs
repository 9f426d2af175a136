//! What became of a run, in words: a headline, a reason, and the chain that led there.

use racescope_engine::check::{Finding, Property, Sighting, Verdict, Witness};
use racescope_engine::sim::{Change, EventIndex, Outcome as Learned, Scenario, Trace, What};

use super::names::{letter, time};
use super::reason;
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
    /// The event.
    pub event: EventIndex,
    /// What happened, in a few words.
    pub text: String,
    /// When, in microseconds.
    pub at_us: u64,
}

/// Puts a verdict into words.
pub fn verdict(scenario: &Scenario, trace: &Trace, verdict: &Verdict) -> Telling {
    if let Some(worst) = verdict.worst() {
        return broken(scenario, trace, verdict, worst);
    }
    if !trace.complete {
        return plain(Outcome::Cut, "Cut short.", "The run reached a limit, so this says nothing about what follows.");
    }
    let refused = verdict.sightings.iter().find(|seen| was_tried(seen));
    if let Some(refused) = refused {
        let reason = reason::held(scenario, trace, refused);
        return Telling { chain: chain(scenario, trace, &refused.blame), ..plain(Outcome::Holds, "Holds.", &reason) };
    }
    if let Some(told) = verdict.sightings.iter().find(|seen| seen.witness == Witness::GaveUp) {
        let client = letter(scenario, trace.event(told.event).actor);
        let reason = match told.blame.iter().rev().nth(1).map(|&event| trace.event(event).what) {
            Some(What::Change(Change::Learned { outcome: Learned::Late, .. })) => {
                format!("{client} found that its time was over, and gave up before it wrote.")
            }
            _ => format!("{client} was told that its lease was over, and gave up before it wrote."),
        };
        let chain = chain(scenario, trace, &told.blame);
        return Telling { chain, ..plain(Outcome::Holds, "Holds.", &reason) };
    }
    // Who is kept waiting and answered is told last: it is what locks are for.
    if let Some(seen) = verdict.sightings.iter().find(|seen| seen.witness != Witness::KeptWaiting) {
        let (text, chain) = (short(scenario, trace, trace.event(seen.event)), chain(scenario, trace, &seen.blame));
        let reason = match seen.witness {
            Witness::CounterSetBack => format!("The counter of tokens went back ({text}), but no token came twice."),
            Witness::MessageLost | Witness::WriteUnanswered => unanswered(scenario, trace, verdict, &text),
            Witness::PromiseLeftOpen => format!("A promise was still open when {text}, and it was kept."),
            Witness::RefusedByOrphan => {
                format!("A lock was held by a client that didn’t know it ({text}), and it ended.")
            }
            _ => format!("{}, and nothing was lost by it.", outlived(scenario, trace, seen, &text)),
        };
        return Telling { chain, ..plain(Outcome::Clean, "Clean.", &reason) };
    }
    let refused = trace.changes().find(|(.., change)| matches!(change, Change::Refused { .. }));
    if let Some((refused, ..)) = refused {
        let reason = reason::refused(scenario, trace, refused);
        return Telling { chain: chain(scenario, trace, &[refused]), ..plain(Outcome::Holds, "Holds.", &reason) };
    }
    if let Some(kept) = verdict.sightings.first() {
        let event = trace.event(kept.event);
        let client = event.client.map_or_else(String::new, |client| letter(scenario, client));
        let reason = format!("{client} had to wait for {}, and was answered.", letter(scenario, event.actor));
        let chain = chain(scenario, trace, &kept.blame);
        return Telling { chain, ..plain(Outcome::Clean, "Clean.", &reason) };
    }
    plain(Outcome::Clean, "Clean.", "No write was stale, and no update was lost.")
}

/// Whether a danger means that harm was tried, so that something must have held.
fn was_tried(seen: &Sighting) -> bool {
    match seen.witness {
        Witness::StaleWriteTried
        | Witness::OutdatedWriteTried
        | Witness::EffectTwiceTried
        | Witness::AbaTried
        | Witness::StaleFillTried
        | Witness::EffectBeyondLimitTried
        | Witness::SegmentOutOfOrderTried
        | Witness::ForgedGrantTried => true,
        Witness::BeliefOutlivedLease
        | Witness::CounterSetBack
        | Witness::MessageLost
        | Witness::WriteUnanswered
        | Witness::GaveUp
        | Witness::PromiseLeftOpen
        | Witness::KeptWaiting
        | Witness::RefusedByOrphan => false,
    }
}

fn plain(outcome: Outcome, headline: &str, reason: &str) -> Telling {
    Telling { outcome, headline: headline.to_string(), reason: reason.to_string(), chain: Vec::new() }
}

/// Whose belief outlived which lease.
fn outlived(scenario: &Scenario, trace: &Trace, seen: &Sighting, text: &str) -> String {
    match trace.event(seen.event).what {
        What::Change(Change::Expired { client, token } | Change::Broken { client, token }) => {
            format!("{}’s belief outlived lease {token}", letter(scenario, client))
        }
        _ => format!("A belief outlived its lease ({text})"),
    }
}

/// A reply that a client missed, and whether it ever knew what had become of its write.
fn unanswered(scenario: &Scenario, trace: &Trace, verdict: &Verdict, text: &str) -> String {
    let unknown = verdict.findings.iter().find(|found| found.property == Property::OutcomeUnknown);
    let Some(unknown) = unknown else { return format!("No harm came of it that {text}.") };
    let event = trace.event(unknown.event);
    let client = event.client.map_or_else(String::new, |client| letter(scenario, client));
    let asked = match event.what {
        What::Change(Change::Learned { server, .. }) => Some(server),
        _ => None,
    };
    let happened = trace.changes().any(|(_, other, change)| {
        // What was proposed counts later, and where it was proposed.
        let is_later = other.counts_only_now() && asked.is_none_or(|server| server == other.actor);
        let is_its_own = other.call == event.call || is_later;
        is_its_own
            && other.client == event.client
            && matches!(change, Change::Accepted { .. } | Change::Effected { .. } | Change::Promised { .. })
    });
    let truth = if happened { "it did" } else { "it didn’t" };
    match unknown.until {
        None => format!("{client} doesn’t know whether its write happened; {truth}."),
        Some(until) => {
            let lasted = time(trace.event(until).at_us - event.at_us);
            format!("For {lasted}, {client} didn’t know whether its write had happened; {truth}.")
        }
    }
}

fn broken(scenario: &Scenario, trace: &Trace, verdict: &Verdict, worst: &Finding) -> Telling {
    let lost = verdict.harm().into_iter().find(|found| found.property == Property::LostUpdate);
    let lost = lost.filter(|lost| lost.event == worst.event || worst.property == Property::LostUpdate);
    let lost = lost.and_then(|lost| replaced(scenario, trace, lost.event));
    let what = reason::broken(scenario, trace, worst);
    let reason = lost.map_or_else(|| format!("{what}."), |lost| format!("{what}; {lost}."));
    Telling {
        outcome: Outcome::Broken,
        headline: format!("Broken at {}.", time(trace.event(worst.event).at_us)),
        reason,
        chain: chain(scenario, trace, &worst.blame),
    }
}

fn chain(scenario: &Scenario, trace: &Trace, blame: &[EventIndex]) -> Vec<Link> {
    let link = |&event: &EventIndex| Link {
        event,
        text: short(scenario, trace, trace.event(event)),
        at_us: trace.event(event).at_us,
    };
    blame.iter().map(link).collect()
}
