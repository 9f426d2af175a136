//! `racescope run`: what happens in a lesson, event by event.

use std::path::PathBuf;

use clap::Args;
use racescope::tell::{self, Line, Telling};
use racescope_engine::check::judge;
use racescope_engine::sim::run_timed;
use racescope_lesson::{Lesson, Variant};

use super::find;
use super::json;
use super::report::{Report, Status};

/// Runs a lesson and prints each event in words, then the verdict.
#[derive(Args)]
pub struct Run {
    /// A lesson: its folder, its lesson.toml, or its id.
    lesson: PathBuf,
    /// Only this variant; without it, all of them.
    #[arg(long)]
    variant: Option<String>,
    /// One JSON object for each variant, each on its own line.
    #[arg(long)]
    json: bool,
}

impl Run {
    /// Runs the variants.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        match find::lesson(&self.lesson) {
            Err(errors) => errors.iter().for_each(|error| report.fail(Status::BadInput, error)),
            Ok(lesson) => self.run(&lesson, &mut report),
        }
        report
    }

    fn run(&self, lesson: &Lesson, report: &mut Report) {
        let meant = |variant: &&Variant| self.variant.as_ref().is_none_or(|id| *id == variant.id);
        let variants: Vec<&Variant> = lesson.variants.iter().filter(meant).collect();
        if let (Some(id), []) = (&self.variant, variants.as_slice()) {
            let ids: Vec<&str> = lesson.variants.iter().map(|variant| variant.id.as_str()).collect();
            let error = format!("{} has no variant {id}. Name one of these: {}.", lesson.id, ids.join(", "));
            report.fail(Status::BadInput, error);
        }
        for (place, variant) in variants.into_iter().enumerate() {
            if place > 0 && !self.json {
                report.say("");
            }
            self.run_variant(lesson, variant, report);
        }
    }

    fn run_variant(&self, lesson: &Lesson, variant: &Variant, report: &mut Report) {
        let trace = run_timed(&variant.scenario, &lesson.plain_faults());
        let verdict = judge(&variant.scenario, &trace);
        let story = tell::story(&variant.scenario, &trace, &verdict);
        let telling = tell::verdict(&variant.scenario, &trace, &verdict);
        if self.json {
            report.say(json::line(&variant.id, &story, &telling, &verdict, trace.complete));
        } else {
            report.say(format!("{}: {}. {}.", variant.id, variant.title, variant.remark));
            say_events(&story, report);
            report.say(format!("{} {}", telling.headline, telling.reason));
            say_why(&telling, report);
        }
        if !variant.expectation.is_met_by(&trace, &verdict) {
            let error =
                format!("{}: this is not what the lesson says. `racescope check` tells what differs.", variant.id);
            report.fail(Status::Untrue, error);
        }
    }
}

/// The events as a table of time, place and sentence.
fn say_events(story: &[Line], report: &mut Report) {
    let width = |of: fn(&Line) -> String| story.iter().map(|line| of(line).chars().count()).max().unwrap_or(0);
    let (times, places) = (width(|line| tell::time(line.at_us)), width(|line| line.place.clone()));
    for line in story {
        let (at, place, sentence) = (tell::time(line.at_us), &line.place, &line.sentence);
        let harm = line.harm.as_ref().map_or_else(String::new, |harm| format!("; {harm}"));
        report.say(format!("  {at:>times$}  {place:places$}  {sentence}{harm}"));
    }
}

/// The chain of events that led to the verdict, if there is one.
fn say_why(telling: &Telling, report: &mut Report) {
    let links: Vec<String> =
        telling.chain.iter().map(|link| format!("{} {}", tell::time(link.at_us), link.text)).collect();
    if !links.is_empty() {
        report.say(format!("Why: {}.", links.join(", ")));
    }
}
