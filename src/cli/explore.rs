//! `racescope explore`: every schedule of a scenario, counted.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use racescope_engine::explore::{Bounds, Budget, Mark, Question, random_schedule, sample, survey};
use racescope_engine::sim::Granularity;
use racescope_lesson::author::{Settings, bound_names, set_bound};
use racescope_lesson::{Study, Variant};

use super::find;
use super::findings::{Findings, story_of, why_incomplete};
use super::report::{Report, Status};
use super::sampled::Sampled;

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
    /// The most states that the search may meet.
    #[arg(long, value_name = "NUMBER", default_value_t = Budget::default().states, value_parser = at_least_one())]
    states: usize,
    /// Makes so many random schedules instead, each step that can be next equally likely.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    random: Option<u32>,
    /// From what random schedules are made.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
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

/// What the command line changes.
#[derive(Default)]
struct Changes {
    settings: Settings,
    /// What is assumed instead of what the file assumes.
    assumed: Option<Vec<(String, u64)>>,
    set: Vec<(String, u64)>,
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
        let changes = self.changes().map_err(|error| vec![error])?;
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

    fn explore_variant(&self, study: &Study, variant: &Variant, bounds: Bounds, report: &mut Report) {
        let budget = Budget { states: self.states, ..Budget::default() };
        let mut question = Question { budget, tally: study.tally.clone(), ..Question::of_harm(bounds) };
        // What can't be is looked for only if the file says that it is.
        let is_said = |mark| variant.expectation.violates.iter().any(|&said| Mark::harm_of(said) == Some(mark));
        question.marks.retain(|&mark| mark.is_possible_in(&variant.scenario) || is_said(mark));
        if !self.look_for.is_empty() {
            let is_sought = |mark: &Mark| self.look_for.iter().any(|name| name == mark.name());
            question.marks = Mark::ALL.into_iter().filter(is_sought).collect();
        }
        if let Some(number) = self.replay {
            let schedule = random_schedule(&variant.scenario, &bounds, self.seed, number);
            report.say(format!("{}: number {number} of the seed {}: {schedule}", variant.id, self.seed));
            for line in story_of(&variant.scenario, &schedule) {
                report.say(line);
            }
            return;
        }
        if let Some(schedules) = self.random {
            let sampling =
                sample(&variant.scenario, &question, self.seed, schedules, &mut |_| ControlFlow::Continue(()));
            let sampled = Sampled { variant, question: &question, sampling: &sampling };
            if self.json {
                report.say(sampled.json());
            } else {
                sampled.lines().into_iter().for_each(|line| report.say(line));
            }
            if let Some(stop) = sampling.stopped {
                report.fail(Status::Untrue, format!("{}: {}", variant.id, why_incomplete(stop, 0, budget)));
            }
            return;
        }
        let survey = survey(&variant.scenario, &question, &mut |_| ControlFlow::Continue(()));
        let findings = Findings { variant, question: &question, survey: &survey };
        if self.json {
            report.say(findings.json());
        } else {
            findings.lines().into_iter().for_each(|line| report.say(line));
        }
        if let Some(stop) = survey.exploration.stopped {
            let why = why_incomplete(stop, survey.exploration.states, budget);
            report.fail(Status::Untrue, format!("{}: {why}", variant.id));
        } else if study.speaks_of_schedules && self.set.is_empty() && self.assume.is_empty() && self.look_for.is_empty()
        {
            for error in findings.untrue() {
                report.fail(Status::Untrue, format!("{}: {error}", variant.id));
            }
        }
    }

    fn changes(&self) -> Result<Changes, String> {
        let mut changes = Changes::default();
        for (option, settings) in [("--set", &self.set), ("--assume", &self.assume)] {
            let names: Vec<&str> = settings.iter().filter_map(|text| Some(setting(text)?.0)).collect();
            if let Some(again) = (1..names.len()).find(|&place| names[..place].contains(&names[place])) {
                return Err(format!("{option} names {} twice. Name it once.", names[again]));
            }
        }
        for set in &self.set {
            let (name, number) = setting(set).ok_or_else(|| not_a_setting(set))?;
            match (name, number) {
                ("clients", Some(number)) => {
                    changes.settings.clients = Some(u16::try_from(number).unwrap_or(u16::MAX));
                }
                (_, Some(number)) => changes.set.push((name.to_string(), number)),
                (_, None) => return Err(not_a_setting(set)),
            }
        }
        for assumption in &self.assume {
            let assumed = changes.assumed.get_or_insert_default();
            match setting(assumption).ok_or_else(|| not_a_setting(assumption))? {
                ("nothing", None) => {}
                (name, number) => assumed.push((name.to_string(), number.unwrap_or(1))),
            }
        }
        Ok(changes)
    }
}

impl Changes {
    fn bounds(&self, of_the_file: Bounds) -> Result<Bounds, String> {
        // How many leases end early is no assumption, but how far the search goes.
        let nothing = Bounds { expiries: of_the_file.expiries, ..Bounds::NONE };
        let mut bounds = if self.assumed.is_some() { nothing } else { of_the_file };
        for (name, number) in self.assumed.iter().flatten().chain(&self.set) {
            set_bound(&mut bounds, name, *number).map_err(|error| format!("{name}={number}: {error}"))?;
        }
        Ok(bounds)
    }
}

/// The parts of `name=number` or `name`.
fn setting(text: &str) -> Option<(&str, Option<u64>)> {
    match text.split_once('=') {
        Some((name, number)) => Some((name, Some(number.parse().ok()?))),
        None => Some((text, None)),
    }
}

fn not_a_setting(text: &str) -> String {
    let names = bound_names().join(", ");
    format!("{text} sets nothing. Write a name and a whole number, such as clients=3. The names are clients, {names}.")
}
