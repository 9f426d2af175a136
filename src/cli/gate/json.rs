//! What came of the gate as a line of JSON. Its fields are stable: programs read them.

use racescope_engine::gate::Times;
use racescope_engine::system::grant::Check;
use serde_json::{Map, Value, json};

use super::Passage;
use super::exhaustive::MARKS;
use super::words::{BOUNDS_MS, failures, harms, refusals};
use crate::stated;

/// All of it as one line.
pub fn line(passage: &Passage) -> String {
    let Passage { seed, without, summary, exhaustive } = passage;
    let violating: Map<String, Value> =
        MARKS.iter().map(|&mark| (mark.name().to_string(), exhaustive.found.showing(mark).decimal().into())).collect();
    json!({
        "seed": seed,
        "schedules": summary.schedules,
        "without": without.map(Check::name),
        "good": passage.errors().is_empty(),
        "bad": summary.bad,
        "first_bad": summary.first_bad,
        "accepted_wrongly": counts(&harms(passage)),
        "failures": counts(&failures(passage)),
        "writes": summary.total.writes,
        "accepted": summary.total.accepted,
        "repeated": summary.total.repeated,
        "refused": counts(&refusals(passage)),
        "hand_off_us": times(&summary.hand_offs()),
        "reconciliation_us": times(&summary.reconciliations()),
        "exhaustive": {
            "bounds": exhaustive.bounds.to_string(),
            "assumptions": stated::assumptions(&exhaustive.bounds),
            "complete": exhaustive.found.stopped.is_none(),
            "unique_states": exhaustive.found.states,
            "schedules": exhaustive.found.schedules().decimal(),
            "violating": violating,
        },
    })
    .to_string()
}

fn counts(counts: &[(&'static str, u32)]) -> Value {
    counts.iter().map(|&(name, count)| (name.replace(' ', "-"), Value::from(count))).collect::<Map<_, _>>().into()
}

fn times(times: &Times) -> Value {
    let us = |percent| times.percentile_us(percent);
    let bounds = BOUNDS_MS.iter().map(|&bound| Value::from(bound * 1_000)).chain([Value::Null]);
    let histogram: Vec<Value> = bounds
        .zip(times.histogram(&BOUNDS_MS))
        .map(|(below_us, count)| json!({ "below_us": below_us, "count": count }))
        .collect();
    json!({
        "count": times.count(),
        "min": us(0),
        "median": us(50),
        "p90": us(90),
        "p99": us(99),
        "max": us(100),
        "histogram": histogram,
    })
}
