//! Whether a lesson's runs show what the lesson says.

use std::path::Path;

use racescope_engine::check::{Verdict, judge};
use racescope_engine::sim::{Fault, Scenario, Trace, run_timed};

use super::mistake::{Complaint, Mistake, list, quote};
use super::quantity::write_duration;
use super::source::whole_file;
use crate::names::{danger_name, property_name};
use crate::{Block, Challenge, Expectation, Inline, Lesson, StagedFault};

/// Runs a lesson and says where it doesn't show what it says: each variant under
/// the lesson's faults, each challenge at its start and with its solution, and
/// the moments in its text. The folder is only named in the mistakes.
pub fn prove(lesson: &Lesson, folder: &Path) -> Vec<Mistake> {
    let mut proof = Proof { folder, mistakes: Vec::new() };
    let mut end_us = 0;
    for variant in &lesson.variants {
        let field = format!("variants.{}", variant.id);
        let (trace, verdict) = run(&variant.scenario, &lesson.plain_faults());
        proof.comes_to_its_end(&field, &trace);
        proof.shows(&field, &trace, &verdict, &variant.expectation);
        end_us = end_us.max(trace.end_us());
    }
    proof.stage_fits(lesson, end_us);
    for (place, challenge) in lesson.challenges.iter().enumerate() {
        proof.challenge(lesson, &format!("challenges[{}]", place + 1), challenge);
    }
    proof.moments_fit(lesson, end_us);
    proof.mistakes
}

fn run(scenario: &Scenario, faults: &[Fault]) -> (Trace, Verdict) {
    let trace = run_timed(scenario, faults);
    let verdict = judge(scenario, &trace);
    (trace, verdict)
}

fn plain(faults: &[StagedFault]) -> Vec<Fault> {
    faults.iter().map(|staged| staged.fault).collect()
}

struct Proof<'a> {
    folder: &'a Path,
    mistakes: Vec<Mistake>,
}

impl Proof<'_> {
    fn note(&mut self, file: &str, field: &str, wrong: impl Into<String>, cure: impl Into<String>) {
        let file = self.folder.join(file).display().to_string();
        let mistake = Mistake { field: field.to_string(), ..whole_file(&file, Complaint::new(wrong, cure)) };
        self.mistakes.push(mistake);
    }

    fn comes_to_its_end(&mut self, field: &str, trace: &Trace) {
        if !trace.complete {
            let wrong = format!("the run is cut short at {}", write_duration(trace.end_us()));
            self.note("lesson.toml", field, wrong, "Let its programs end sooner, or wait longer between attempts.");
        }
    }

    fn shows(&mut self, field: &str, trace: &Trace, verdict: &Verdict, says: &Expectation) {
        let file = "lesson.toml";
        for finding in verdict.harm() {
            if !says.violates.contains(&finding.property) {
                let at = write_duration(trace.event(finding.event).at_us);
                let name = quote(property_name(finding.property));
                let wrong = format!("the run violates {name} at {at}, and nobody says so");
                self.note(file, field, wrong, format!("Add {name} to \"violates\", or change the scenario."));
            }
        }
        for &property in says.violates.iter().filter(|&&property| !verdict.shows(property)) {
            let name = quote(property_name(property));
            let cure = format!("Take {name} out of \"violates\", or change the scenario.");
            self.note(file, field, format!("the run doesn't violate {name}"), cure);
        }
        for &witness in says.reaches.iter().filter(|&&witness| !verdict.reaches(witness)) {
            let name = quote(danger_name(witness));
            let cure = format!("Take {name} out of \"reaches\", or change the scenario.");
            self.note(file, field, format!("the run doesn't reach {name}"), cure);
        }
    }

    fn challenge(&mut self, lesson: &Lesson, field: &str, challenge: &Challenge) {
        let variant = &lesson.variants[usize::from(challenge.variant)];
        let (start, start_verdict) = run(&variant.scenario, &plain(&challenge.start));
        self.comes_to_its_end(&format!("{field}.start"), &start);
        if challenge.goal.is_met_by(&start_verdict) {
            let cure = "Begin with other faults, or ask for more.";
            self.note("lesson.toml", &format!("{field}.start"), "the goal is reached before anything is done", cure);
        }
        let (solved, verdict) = run(&variant.scenario, &plain(&challenge.solution));
        self.comes_to_its_end(&format!("{field}.solution"), &solved);
        self.shows(&format!("{field}.solution"), &solved, &verdict, &challenge.goal);
    }

    fn stage_fits(&mut self, lesson: &Lesson, end_us: u64) {
        let shows = write_duration(lesson.shows_us);
        if end_us > lesson.shows_us {
            let wrong = format!("the stage shows {shows}, and the run goes on until {}", write_duration(end_us));
            self.note("lesson.toml", "shows", wrong, "Show more, or let the programs end sooner.");
        }
        if lesson.cursor_us.is_some_and(|cursor_us| cursor_us > lesson.shows_us) {
            let wrong = format!("the playhead would stand beyond the {shows} that the stage shows");
            self.note("lesson.toml", "cursor", wrong, "Choose an earlier moment.");
        }
    }

    fn moments_fit(&mut self, lesson: &Lesson, end_us: u64) {
        let late: Vec<&str> = moments(lesson).filter(|(_, at_us)| *at_us > end_us).map(|(text, _)| text).collect();
        if !late.is_empty() {
            let wrong =
                format!("the moment {} is after the end of every run at {}", list(&late), write_duration(end_us));
            self.note("lesson.md", "", wrong, "Link to a moment inside the run.");
        }
    }
}

/// The moments that a lesson's text links to.
fn moments(lesson: &Lesson) -> impl Iterator<Item = (&str, u64)> {
    let blocks = lesson.sections.iter().flat_map(|section| &section.blocks);
    let lines = blocks.flat_map(|block| match block {
        Block::Paragraph(line) => vec![line],
        Block::List { items, .. } => items.iter().collect(),
        Block::Code { .. } => vec![],
    });
    lines.flatten().filter_map(|inline| match inline {
        Inline::Moment { text, at_us } => Some((text.as_str(), *at_us)),
        _ => None,
    })
}
