//! One event in words.

use racescope_engine::sim::{
    Change, Comparison, Event, Fault, Guard, NodeIndex, NodeKind, Outcome, Relation, Request, Scenario, Trace, What,
};

use super::names::{comparison, duration, letter, rate_of, time};

/// What happened, as a clause whose subject is the lane: "grants 33 to A for 3 s".
pub fn sentence(scenario: &Scenario, trace: &Trace, event: &Event) -> String {
    match event.what {
        What::Change(change) => of_change(scenario, event, change),
        What::FaultBegins(place) => trace.faults.get(usize::from(place)).map_or_else(String::new, begins),
        What::FaultEnds(place) => trace.faults.get(usize::from(place)).map_or_else(String::new, ends),
    }
}

fn of_change(scenario: &Scenario, event: &Event, change: Change) -> String {
    let client = event.client.map_or_else(String::new, |client| letter(scenario, client));
    match change {
        Change::Sent { server, request, token } => asks(scenario, server, request, token),
        Change::Computed { .. } => "computes its result".to_string(),
        Change::Waited => "has waited".to_string(),
        Change::Learned { outcome, token, .. } => learns(outcome, token),
        Change::Finished => "has finished".to_string(),
        Change::Stopped => "gives up".to_string(),
        Change::Granted { token, ttl_us } => format!("grants {token} to {client} for {}", duration(ttl_us)),
        Change::Busy { holder, token } => {
            format!("refuses {client}: {} holds {token}", letter(scenario, holder))
        }
        Change::StillHeld { token } => format!("tells {client} that {token} is still held"),
        Change::NotHeld { token } => format!("tells {client} that {token} isn’t the lease that is held"),
        Change::Renewed { token, ttl_us } => format!("gives {token} a new term of {}", duration(ttl_us)),
        Change::Freed { token } => format!("is free: {client} gave {token} back"),
        Change::Expired { client, token } => {
            format!("ends {}’s lease {token}, by its own clock", letter(scenario, client))
        }
        Change::Read { version, .. } => format!("gives v{version} to {client}"),
        Change::Accepted { token, version, comparison, .. } => {
            let because = comparison.map_or_else(String::new, |made| format!(", since {made}"));
            format!("accepts {client}’s write{}{because}: v{version}", with(token))
        }
        Change::Refused { token, comparison: made, .. } => {
            format!(
                "refuses {client}’s write{}: {}{}",
                with(token),
                comparison(made),
                refusal(scenario, event.actor, token, made)
            )
        }
    }
}

fn asks(scenario: &Scenario, server: NodeIndex, request: Request, token: u16) -> String {
    let of = &scenario.nodes[usize::from(server)].title;
    let of = of.to_lowercase();
    match request {
        Request::Acquire { ttl_us, .. } => format!("asks the {of} for a lease of {}", duration(ttl_us)),
        Request::Check { .. } => format!("asks the {of} whether {token} is still held"),
        Request::Renew { .. } => format!("asks the {of} for a new term of {token}"),
        Request::Release { .. } => format!("gives {token} back to the {of}"),
        Request::Read { .. } => format!("asks the {of} for the value"),
        Request::Write { .. } => format!("sends its write{} to the {of}", with(token)),
    }
}

fn learns(outcome: Outcome, token: u16) -> String {
    match outcome {
        Outcome::Done if token == 0 => "has the value".to_string(),
        Outcome::Done => format!("is told that {token} is given back"),
        Outcome::Granted => format!("holds {token}, and believes so"),
        Outcome::Busy => "is told that the lock is taken".to_string(),
        Outcome::Held => format!("is told that it still holds {token}"),
        Outcome::Lost => format!("is told that {token} was over"),
        Outcome::Accepted => "is told that its write succeeded".to_string(),
        Outcome::Refused => "is told that its write was refused".to_string(),
    }
}

fn begins(fault: &Fault) -> String {
    match *fault {
        Fault::Pause(pause) => format!("pauses for {}", time(pause.lasts_us)),
        Fault::ClockStep(step) if step.by_us < 0 => {
            format!("has its clock set back by {}", time(step.by_us.unsigned_abs()))
        }
        Fault::ClockStep(step) => format!("has its clock set forward by {}", time(step.by_us.unsigned_abs())),
        Fault::ClockRate(rate) => format!("has its clock run at {}", rate_of(rate.rate_ppm)),
        Fault::MessageDelay(delay) => format!("has a message that is late by {}", time(delay.by_us)),
    }
}

fn ends(fault: &Fault) -> String {
    match fault {
        Fault::Pause(_) => "wakes, and doesn’t notice that time has passed".to_string(),
        Fault::ClockRate(_) => "has its clock run at true speed again".to_string(),
        Fault::ClockStep(_) | Fault::MessageDelay(_) => String::new(),
    }
}

/// One event in a few words that name their subject, for a chain of causes: "lease 33 ends".
pub fn short(scenario: &Scenario, trace: &Trace, event: &Event) -> String {
    let actor = letter(scenario, event.actor);
    let client = event.client.map_or_else(|| actor.clone(), |client| letter(scenario, client));
    match event.what {
        What::FaultBegins(place) => match trace.faults.get(usize::from(place)) {
            Some(Fault::Pause(_)) => format!("{actor} pauses"),
            Some(Fault::MessageDelay(_)) => format!("a message of {actor} is late"),
            _ => format!("the clock of {actor} goes wrong"),
        },
        What::FaultEnds(_) => format!("{actor} wakes"),
        What::Change(change) => match change {
            Change::Granted { token, .. } => format!("{client} gets {token}"),
            Change::Expired { token, .. } => format!("lease {token} ends"),
            Change::Freed { token } => format!("{client} gives {token} back"),
            Change::Read { version, .. } => format!("{client} reads v{version}"),
            Change::Accepted { version, token, .. } => format!("{client}’s v{version}{} is accepted", with(token)),
            Change::Refused { token, comparison: made, .. } => {
                format!("{client}’s write{} is refused, {}", with(token), comparison(made))
            }
            Change::Learned { outcome: Outcome::Granted, token, .. } => format!("{client} believes it holds {token}"),
            Change::Sent { .. } if event.client.is_some() => format!("{client} sends"),
            _ => sentence(scenario, trace, event),
        },
    }
}

fn with(token: u16) -> String {
    if token == 0 { String::new() } else { format!(" with {token}") }
}

/// What the compared numbers are, once, where the reader may not know.
fn refusal(scenario: &Scenario, storage: NodeIndex, token: u16, made: Comparison) -> &'static str {
    match &scenario.nodes[usize::from(storage)].kind {
        NodeKind::Storage(storage) if storage.guard == Guard::VersionCompareAndSet => {
            ", the version that it read is gone"
        }
        NodeKind::Storage(storage) if storage.guard.keeps_fence() && token == 0 => ", it carries no token",
        NodeKind::Storage(storage) if storage.guard.keeps_fence() && made.relation == Relation::Equal => {
            ", this token has written before"
        }
        NodeKind::Storage(storage) if storage.guard.keeps_fence() => ", a newer token was here",
        _ => "",
    }
}
