//! What random schedules have shown, in lines and as JSON. The fields of the JSON are
//! stable: programs read them.

use std::collections::BTreeMap;

use racescope::tell::{self, counted, grouped};
use racescope_engine::check::judge;
use racescope_engine::explore::{Bounds, Mark, Question, Sampling};
use racescope_engine::sim::{Schedule, run_replay};
use racescope_lesson::Variant;
use serde::Serialize;
use serde_json::{Value, json};

use super::claims::Claims;
use super::findings::{steps, story_of};
use super::{json as run, stated};

/// What random schedules of one variant have shown.
pub struct Sampled<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// What was looked for.
    pub question: &'a Question,
    /// What was found.
    pub sampling: &'a Sampling,
    /// What the file says, held against it.
    pub claims: &'a Claims,
}

/// A random schedule, by its number.
pub struct Replayed<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// What may go wrong.
    pub bounds: &'a Bounds,
    /// From what it was made.
    pub seed: u64,
    /// Its number.
    pub number: u32,
    /// The schedule.
    pub schedule: &'a Schedule,
}

#[derive(Serialize)]
struct Json<'a> {
    variant: &'a str,
    random: bool,
    seed: u64,
    clients: usize,
    granularity: &'static str,
    actions_per_call: u8,
    assumptions: Value,
    schedules: u32,
    cut: u32,
    violating: BTreeMap<&'static str, String>,
    first: BTreeMap<&'static str, u32>,
    outcomes: Vec<Value>,
    claims: Value,
}

impl Sampled<'_> {
    /// As a line of JSON.
    pub fn json(&self) -> String {
        let Sampling { seed, schedules, cut, .. } = *self.sampling;
        let marks = || self.question.marks.iter();
        let json = Json {
            variant: &self.variant.id,
            random: true,
            seed,
            clients: self.variant.scenario.clients().count(),
            granularity: stated::granularity(self.variant.scenario.granularity),
            actions_per_call: stated::actions_per_call(self.variant.scenario.granularity),
            assumptions: stated::assumptions(&self.question.bounds),
            schedules,
            cut,
            violating: marks().map(|&mark| (mark.name(), self.sampling.showing(mark).to_string())).collect(),
            first: marks().filter_map(|&mark| Some((mark.name(), self.first(mark)?))).collect(),
            outcomes: self.tallied().map(|(name, tally, count)| json!({ name: tally, "schedules": count })).collect(),
            claims: self.claims.json(),
        };
        serde_json::to_string(&json).expect("text and numbers have JSON")
    }

    /// As lines for people.
    pub fn lines(&self) -> Vec<String> {
        let Sampling { seed, schedules, cut, .. } = self.sampling;
        let Variant { id, title, remark, .. } = self.variant;
        let mut lines = vec![
            format!("{id}: {title}. {remark}."),
            format!(
                "{} from the seed {seed}; {}.",
                counted(&schedules.to_string(), "random schedule"),
                tell::what_is_assumed(&self.variant.scenario, &self.question.bounds)
            ),
        ];
        if *cut > 0 {
            let were = if *cut == 1 { "was cut, since it" } else { "were cut, since they" };
            lines.push(format!("{} of them {were} went on for too long.", grouped(&cut.to_string())));
        }
        for &mark in &self.question.marks {
            let first = self.first(mark).map_or_else(String::new, |first| format!(", first in number {first}"));
            let count = grouped(&self.sampling.showing(mark).to_string());
            lines.push(format!("  {:20}  {count}{first}", mark.name()));
        }
        lines.extend(self.tallied().map(|(name, tally, count)| format!("  {name} {tally:>3}  {}", grouped(&count))));
        lines.push("Random schedules can find something; that they find nothing proves nothing.".to_string());
        lines.extend(self.claims.lines());
        lines
    }

    /// The number of the first schedule that shows a mark.
    fn first(&self, mark: Mark) -> Option<u32> {
        let shows = self.sampling.outcomes.iter().filter(|outcome| outcome.marks.contains(&mark));
        shows.map(|outcome| outcome.first).min()
    }

    /// The tally's name, each of its numbers, and how many schedules came to that.
    fn tallied(&self) -> impl Iterator<Item = (&str, u8, String)> {
        let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
        for outcome in &self.sampling.outcomes {
            *counts.entry(outcome.tally).or_default() += outcome.schedules;
        }
        let name = self.question.tally.as_ref().map(|tally| tally.name.as_str());
        name.into_iter().flat_map(move |name| {
            counts.clone().into_iter().map(move |(tally, count)| (name, tally, count.to_string()))
        })
    }
}

impl Replayed<'_> {
    /// As a line of JSON: the schedule, and what happens in it. An untimed run has no times.
    pub fn json(&self) -> String {
        let scenario = &self.variant.scenario;
        let (events, violates) = match run_replay(scenario, self.schedule) {
            Ok(trace) => {
                let verdict = judge(scenario, &trace);
                let story = tell::story(scenario, &trace, &verdict);
                let event = |line: &tell::Line| json!({ "place": line.place, "sentence": line.sentence });
                (story.iter().map(event).collect(), run::violated(&verdict))
            }
            Err(_) => (Vec::new(), Vec::new()),
        };
        json!({
            "variant": self.variant.id,
            "random": true,
            "seed": self.seed,
            "number": self.number,
            "clients": scenario.clients().count(),
            "granularity": stated::granularity(scenario.granularity),
            "actions_per_call": stated::actions_per_call(scenario.granularity),
            "assumptions": stated::assumptions(self.bounds),
            "steps": steps(self.schedule),
            "events": Value::Array(events),
            "violates": violates,
        })
        .to_string()
    }

    /// As lines for people.
    pub fn lines(&self) -> Vec<String> {
        let Self { variant, seed, number, schedule, .. } = self;
        let mut lines = vec![format!("{}: number {number} of the seed {seed}: {schedule}", variant.id)];
        lines.extend(story_of(&variant.scenario, schedule));
        lines
    }
}
