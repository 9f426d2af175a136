//! What stands behind a count, as JSON: what was assumed, why there is none, and the faults
//! of a schedule.

use racescope::tell::{exact_clause_of_fault, place};
use racescope_engine::explore::{Bounds, Stop, patient};
use racescope_engine::sim::{Fault, Granularity, Scenario};
use racescope_lesson::author::bounds_by_name;
use serde_json::{Map, Value, json};

/// What may go wrong, each by its name in files, in numbers: 1 for a switch that is on.
/// Leases that would end early with nothing that lets them are none.
pub fn assumptions(bounds: &Bounds) -> Value {
    let expiries = if bounds.timers_can_win() { bounds.expiries } else { 0 };
    let bounds = Bounds { expiries, ..*bounds };
    bounds_by_name(&bounds)
        .into_iter()
        .map(|(name, number)| (name.to_string(), number.into()))
        .collect::<Map<_, _>>()
        .into()
}

/// The name of a granularity.
pub fn granularity(granularity: Granularity) -> &'static str {
    match granularity {
        Granularity::Call => "call",
        Granularity::ServeDeliver => "serve-deliver",
        Granularity::SendServeDeliver => "send-serve-deliver",
    }
}

/// How many actions a call is.
pub fn actions_per_call(granularity: Granularity) -> u8 {
    match granularity {
        Granularity::Call => 1,
        Granularity::ServeDeliver => 2,
        Granularity::SendServeDeliver => 3,
    }
}

/// Whether who finds a lock taken counts as waiting for it.
pub fn waits_for_the_lock(scenario: &Scenario) -> bool {
    patient(scenario).is_some()
}

/// Why a search stopped, as a name.
pub fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::States => "states",
        Stop::Memory => "memory",
        Stop::Length => "length",
        Stop::Cancelled => "cancelled",
        Stop::Endless => "endless",
        Stop::TooManyServers => "too-many-servers",
        Stop::TellsTime => "tells-time",
        Stop::Unexpected => "unexpected",
    }
}

/// A fault with all its numbers, times in microseconds; calls are counted from 1, and
/// nodes by their places from 0. `said` tells it in words.
pub fn fault(scenario: &Scenario, fault: &Fault) -> Value {
    let plain = serde_json::to_value(fault).unwrap_or_default();
    let mut stated = Map::new();
    for (kind, fields) in plain.as_object().into_iter().flatten() {
        stated.insert("kind".to_string(), dashed(kind).into());
        stated.insert("place".to_string(), place(scenario, fault.node()).into());
        for (name, value) in fields.as_object().into_iter().flatten() {
            let value = match value {
                Value::String(word) => dashed(word).into(),
                Value::Number(number) if name == "call" => (number.as_u64().unwrap_or(0) + 1).into(),
                other => other.clone(),
            };
            stated.insert(name.clone(), value);
        }
    }
    stated.insert("said".to_string(), exact_clause_of_fault(scenario, fault).into());
    json!(stated)
}

/// A name of the engine as files write it: `MessageDelay` as `message-delay`.
fn dashed(name: &str) -> String {
    name.char_indices().fold(String::new(), |dashed, (place, letter)| {
        let dash = if place > 0 && letter.is_ascii_uppercase() { "-" } else { "" };
        dashed + dash + &letter.to_ascii_lowercase().to_string()
    })
}
