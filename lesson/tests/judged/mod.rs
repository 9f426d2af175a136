//! Runs of lessons and what the judges find in them, as text.

use expect_test::Expect;
use racescope_engine::check::judge;
use racescope_engine::sim::{EventIndex, Scenario, Trace, What, run_timed};
use racescope_lesson::author::write_duration;
use racescope_lesson::names::{danger_name, property_name};

use super::written::lesson;

/// Judges the run of a lesson, given as nodes, programs and faults.
#[track_caller]
pub fn check(toml: &str, expect: &Expect) {
    let lesson = lesson(toml);
    let scenario = &lesson.variants[0].scenario;
    let run = run_timed(scenario, &lesson.plain_faults());
    expect.assert_eq(&verdict(scenario, &run));
}

fn verdict(scenario: &Scenario, run: &Trace) -> String {
    let verdict = judge(scenario, run);
    let at = |index: EventIndex| write_duration(run.event(index).at_us);
    let chain = |blame: &[EventIndex]| -> String {
        let line = |&index: &EventIndex| {
            let event = run.event(index);
            let title = &scenario.nodes[usize::from(event.actor)].title;
            let title = scenario.client(event.actor).map_or(title.clone(), |client| client.letter.to_string());
            let what = match event.what {
                What::Change(change) => format!("{change:?}"),
                What::FaultBegins(_) => "trouble begins".into(),
                What::FaultEnds(_) => "trouble ends".into(),
            };
            let said = run.said(event).map_or(String::new(), |said| format!(" `{said}`"));
            format!("    {} {title} {what}{said}\n", at(index))
        };
        blame.iter().map(line).collect()
    };
    let found = verdict.findings.iter().map(|finding| {
        let until = finding.until.map_or(String::new(), |until| format!(" until {}", at(until)));
        format!("{}{until}\n{}", property_name(finding.property), chain(&finding.blame))
    });
    let seen =
        verdict.sightings.iter().map(|seen| format!("tried: {}\n{}", danger_name(seen.witness), chain(&seen.blame)));
    let text: String = found.chain(seen).collect();
    if text.is_empty() { "nothing\n".into() } else { text }
}
