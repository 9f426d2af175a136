//! What random schedules have shown, in lines and as JSON. The fields of the JSON are
//! stable: programs read them.

use std::collections::BTreeMap;

use racescope::tell::grouped;
use racescope_engine::explore::{Mark, Question, Sampling};
use racescope_lesson::Variant;
use serde::Serialize;
use serde_json::{Value, json};

/// What random schedules of one variant have shown.
pub struct Sampled<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// What was looked for.
    pub question: &'a Question,
    /// What was found.
    pub sampling: &'a Sampling,
}

#[derive(Serialize)]
struct Json<'a> {
    variant: &'a str,
    random: bool,
    seed: u64,
    schedules: u32,
    cut: u32,
    violating: BTreeMap<&'static str, String>,
    first: BTreeMap<&'static str, u32>,
    outcomes: Vec<Value>,
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
            schedules,
            cut,
            violating: marks().map(|&mark| (mark.name(), self.sampling.showing(mark).to_string())).collect(),
            first: marks().filter_map(|&mark| Some((mark.name(), self.first(mark)?))).collect(),
            outcomes: self.tallied().map(|(name, tally, count)| json!({ name: tally, "schedules": count })).collect(),
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
                "{} random schedules from the seed {seed}; {}.",
                grouped(&schedules.to_string()),
                self.question.bounds
            ),
        ];
        if *cut > 0 {
            lines.push(format!("{} of them were cut, since they went on for too long.", grouped(&cut.to_string())));
        }
        for &mark in &self.question.marks {
            let first = self.first(mark).map_or_else(String::new, |first| format!(", first in number {first}"));
            let count = grouped(&self.sampling.showing(mark).to_string());
            lines.push(format!("  {:20}  {count}{first}", mark.name()));
        }
        lines.extend(self.tallied().map(|(name, tally, count)| format!("  {name} {tally:>3}  {}", grouped(&count))));
        lines.push("Random schedules can find something; that they find nothing proves nothing.".to_string());
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
