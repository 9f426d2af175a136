//! What becomes of the versions of storage in a run, as text.

use racescope_engine::sim::{Change, Event, EventIndex, run_timed};
use racescope_lesson::author::write_duration;

use super::written::lesson;

/// The versions that are accepted and read, in order.
pub fn versions(toml: &str) -> Vec<String> {
    let lesson = lesson(toml);
    let scenario = &lesson.variants[0].scenario;
    let run = run_timed(scenario, &lesson.plain_faults());
    let line = |(_, event, change): (EventIndex, &Event, Change)| {
        let client = event.client.and_then(|client| scenario.client(client)).map_or('-', |client| client.letter);
        let what = match change {
            Change::Pending { .. } => "writes".to_string(),
            Change::Accepted { version, .. } => format!("has v{version} accepted"),
            Change::Undone { client } => format!("{}'s is undone", scenario.client(client)?.letter),
            Change::Read { version, .. } => format!("reads v{version}"),
            _ => return None,
        };
        Some(format!("{} {client} {what}", write_duration(event.at_us)))
    };
    run.changes().filter_map(line).collect()
}
