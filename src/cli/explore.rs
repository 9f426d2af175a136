//! `racescope explore`: every schedule of a scenario, counted.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use racescope_engine::explore::{Bounds, Budget, Mark, Question, random_schedule, sample, survey};
use racescope_engine::sim::Granularity;
use racescope_lesson::{Study, Variant};

use super::assumed::Changes;
use super::claims::{Claims, OF_A_RUN, OF_NONE, OF_OTHERS, Reach};
use super::find;
use super::findings::{Findings, why_incomplete};
use super::report::{Report, Status};
use super::sampled::{Replayed, Sampled};

/// Walks every schedule of a scenario and counts those that go wrong.
#[derive(Args)]
pub struct Explore {
    /// A scenario file, or a lesson: its folder, its lesson.toml, or its id.
    file: PathBuf,
    /// Only this variant; without it, all of them.
    #[arg(long)]
    variant: Option<String>,
    /// Sets the number of clients or a bound, such as clients=3 or expiries=1.
    #[arg(long, value_name = "NAME=NUMBER")]
    set: Vec<String>,
    /// Assumes that this may go wrong, at most once or so many times, and nothing that
    /// isn't assumed: pauses, crashes=2, nothing.
    #[arg(long, value_name = "NAME[=NUMBER]")]
    assume: Vec<String>,
    /// Looks only for this, and so meets fewer states: lost-update, or nothing but the
    /// tally of the file. Without it, for all harm that there can be.
    #[arg(long, value_name = "MARK", value_parser = PossibleValuesParser::new(sought()))]
    look_for: Vec<String>,
    /// The most states that the search may meet; 20,000,000 if none is given.
    #[arg(long, value_name = "NUMBER", value_parser = at_least_one())]
    states: Option<usize>,
    /// Makes so many random schedules instead, each step that can be next equally likely.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    random: Option<u32>,
    /// From what random schedules are made; 1 if none is given.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Tells the random schedule of the seed with this number, from 0.
    #[arg(long, value_name = "NUMBER", conflicts_with = "random")]
    replay: Option<u32>,
    /// One JSON object for each variant, each on its own line.
    #[arg(long)]
    json: bool,
}

/// Why something that is assumed can't happen, if it can't: a count would then say
/// nothing about it.
fn cannot_act(bounds: &Bounds, granularity: Granularity) -> Option<String> {
    let has_requests = granularity == Granularity::SendServeDeliver;
    let has_replies = granularity != Granularity::Call;
    let (what, finer) = match bounds {
        Bounds { lost_requests: 1.., .. } if !has_requests => ("lost_requests", "send-serve-deliver"),
        Bounds { duplicates: 1.., .. } if !has_requests => ("duplicates", "send-serve-deliver"),
        Bounds { lost_replies: 1.., .. } if !has_replies => ("lost_replies", "serve-deliver"),
        _ => return None,
    };
    Some(format!(
        "{what} can't happen, since no such message is ever on its way in this file. Set granularity = \"{finer}\" in it."
    ))
}

/// What can be looked for.
fn sought() -> impl Iterator<Item = &'static str> {
    ["nothing"].into_iter().chain(Mark::ALL.into_iter().map(Mark::name))
}

/// How many states are a budget.
fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

impl Explore {
    /// Explores the variants.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        if let Err(errors) = self.explore(&mut report) {
            for error in errors {
                report.fail(Status::BadInput, error);
            }
        }
        report
    }

    fn explore(&self, report: &mut Report) -> Result<(), Vec<String>> {
        self.is_sensible().map_err(|error| vec![error])?;
        let changes = Changes::read(&self.set, &self.assume).map_err(|error| vec![error])?;
        let study = find::study(&self.file, changes.settings)?;
        let bounds = changes.bounds(study.bounds).map_err(|error| vec![error])?;
        let is_meant = |variant: &&Variant| self.variant.as_ref().is_none_or(|id| *id == variant.id);
        let variants: Vec<&Variant> = study.variants.iter().filter(is_meant).collect();
        if let (Some(id), []) = (&self.variant, variants.as_slice()) {
            let ids: Vec<&str> = study.variants.iter().map(|variant| variant.id.as_str()).collect();
            return Err(vec![format!("{} has no variant {id}. Name one of these: {}.", study.id, ids.join(", "))]);
        }
        let granularity = variants.first().map(|variant| variant.scenario.granularity);
        if let Some(error) = granularity.and_then(|granularity| cannot_act(&bounds, granularity)) {
            return Err(vec![format!("{}: {error}", study.id)]);
        }
        for (place, variant) in variants.into_iter().enumerate() {
            if place > 0 && !self.json {
                report.say("");
            }
            self.explore_variant(&study, variant, bounds, report);
        }
        Ok(())
    }

    /// What would be ignored is refused.
    fn is_sensible(&self) -> Result<(), String> {
        let is_random = self.random.is_some() || self.replay.is_some();
        let wrong = if self.look_for.len() > 1 && self.look_for.iter().any(|name| name == "nothing") {
            "--look-for nothing stands alone. Leave it out, or the others."
        } else if self.seed.is_some() && !is_random {
            "--seed is for random schedules, and every schedule is counted. Add --random NUMBER or --replay NUMBER, or \
             leave --seed out."
        } else if self.states.is_some() && is_random {
            "--states limits the search of every schedule, and these are random. Leave out --states, or --random and \
             --replay."
        } else if self.replay.is_some() && !self.look_for.is_empty() {
            "--replay tells a schedule and looks for nothing. Leave out --look-for."
        } else {
            return Ok(());
        };
        Err(wrong.to_string())
    }

    fn explore_variant(&self, study: &Study, variant: &Variant, bounds: Bounds, report: &mut Report) {
        let seed = self.seed.unwrap_or(1);
        if let Some(number) = self.replay {
            let schedule = random_schedule(&variant.scenario, &bounds, seed, number);
            let replayed = Replayed { variant, bounds: &bounds, seed, number, schedule: &schedule };
            self.say(&replayed.lines(), || replayed.json(), report);
            return;
        }
        let budget = self.states.map_or_else(Budget::default, |states| Budget { states, ..Budget::default() });
        let mut question = Question { budget, tally: study.tally.clone(), ..Question::of_harm(bounds) };
        // What can't be is looked for only if the file says that it is.
        let is_said = |mark| variant.expectation.violates.iter().any(|&said| Mark::harm_of(said) == Some(mark));
        question.marks.retain(|&mark| mark.is_possible_in(&variant.scenario) || is_said(mark));
        if !self.look_for.is_empty() {
            let is_sought = |mark: &Mark| self.look_for.iter().any(|name| name == mark.name());
            question.marks = Mark::ALL.into_iter().filter(is_sought).collect();
        }
        let claims = if let Some(schedules) = self.random {
            let sampling = sample(&variant.scenario, &question, seed, schedules, &mut |_| ControlFlow::Continue(()));
            let reach = self.reach(study, sampling.stopped.is_some(), Reach::WhatIsThere);
            let claims = Claims::of(variant, &reach, &question.marks, |mark| sampling.showing(mark).to_string());
            let sampled = Sampled { variant, question: &question, sampling: &sampling, claims: &claims };
            self.say(&sampled.lines(), || sampled.json(), report);
            if let Some(stop) = sampling.stopped {
                report.fail(Status::Untrue, format!("{}: {}", variant.id, why_incomplete(stop, 0, budget)));
            }
            claims
        } else {
            let survey = survey(&variant.scenario, &question, &mut |_| ControlFlow::Continue(()));
            let found = &survey.exploration;
            let reach = self.reach(study, found.stopped.is_some(), Reach::All);
            let claims = Claims::of(variant, &reach, &question.marks, |mark| found.showing(mark).decimal());
            let findings = Findings { variant, question: &question, survey: &survey, claims: &claims };
            self.say(&findings.lines(), || findings.json(), report);
            if let Some(stop) = found.stopped {
                report.fail(Status::Untrue, format!("{}: {}", variant.id, why_incomplete(stop, found.states, budget)));
            }
            claims
        };
        for error in claims.untrue {
            report.fail(Status::Untrue, format!("{}: {error}", variant.id));
        }
    }

    fn say(&self, lines: &[String], json: impl FnOnce() -> String, report: &mut Report) {
        if self.json {
            report.say(json());
        } else {
            for line in lines {
                report.say(line);
            }
        }
    }

    /// How far what the file says can be checked.
    fn reach(&self, study: &Study, is_stopped: bool, at_best: Reach) -> Reach {
        if !study.speaks_of_schedules {
            Reach::Nothing(OF_A_RUN)
        } else if !(self.set.is_empty() && self.assume.is_empty()) {
            Reach::Nothing(OF_OTHERS)
        } else if is_stopped {
            Reach::Nothing(OF_NONE)
        } else {
            at_best
        }
    }
}
