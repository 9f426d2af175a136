//! What a search has found, in lines and as JSON. The fields of the JSON are stable:
//! programs read them.

use std::collections::BTreeMap;

use racescope::tell::{self, beyond_what_is_assumed, counted, grouped};
use racescope_engine::check::judge;
use racescope_engine::explore::{Budget, Count, Counterexample, Outcome, Question, Share, Stop, Survey};
use racescope_engine::sim::{Scenario, Schedule, run_replay};
use racescope_lesson::Variant;
use serde::Serialize;
use serde_json::{Value, json};

use super::claims::Claims;
use super::stated;

/// What a search has found in one variant.
pub struct Findings<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// What was asked.
    pub question: &'a Question,
    /// The answer.
    pub survey: &'a Survey,
    /// What the file says, held against it.
    pub claims: &'a Claims,
}

#[derive(Serialize)]
struct Json<'a> {
    variant: &'a str,
    clients: usize,
    granularity: &'static str,
    actions_per_call: u8,
    assumptions: Value,
    waits_for_the_lock: bool,
    complete: bool,
    stopped: Option<&'static str>,
    unique_states: usize,
    schedules: Option<String>,
    violating: BTreeMap<&'static str, String>,
    outcomes: Vec<Value>,
    shortest: BTreeMap<&'static str, Vec<String>>,
    not_found: BTreeMap<&'static str, &'static str>,
    faults: BTreeMap<&'static str, Vec<String>>,
    realised: BTreeMap<&'static str, Vec<Value>>,
    claims: Value,
}

impl Findings<'_> {
    /// As a line of JSON. A search that was stopped has no counts.
    pub fn json(&self) -> String {
        let exploration = &self.survey.exploration;
        let complete = exploration.stopped.is_none();
        let outcomes = self.tallied().into_iter().map(|row| self.outcome(&row));
        let counts = self.question.marks.iter().filter(|_| complete);
        let json = Json {
            variant: &self.variant.id,
            clients: self.variant.scenario.clients().count(),
            granularity: stated::granularity(self.variant.scenario.granularity),
            actions_per_call: stated::actions_per_call(self.variant.scenario.granularity),
            assumptions: stated::assumptions(&self.question.bounds),
            waits_for_the_lock: stated::waits_for_the_lock(&self.variant.scenario),
            complete,
            stopped: exploration.stopped.map(stated::stop),
            unique_states: exploration.states,
            schedules: complete.then(|| exploration.schedules().decimal()),
            violating: counts.map(|&mark| (mark.name(), exploration.showing(mark).decimal())).collect(),
            outcomes: outcomes.collect(),
            shortest: self.survey.shortest.iter().map(|found| (found.mark.name(), steps(&found.schedule))).collect(),
            not_found: self.survey.not_found.iter().map(|&(mark, stop)| (mark.name(), stated::stop(stop))).collect(),
            faults: self.survey.shortest.iter().filter_map(|found| self.faults(found)).collect(),
            realised: self.survey.shortest.iter().filter_map(|found| self.realised(found)).collect(),
            claims: self.claims.json(),
        };
        serde_json::to_string(&json).expect("text and numbers have JSON")
    }

    /// Under which faults a timed run shows a mark, in clauses, if there are any.
    fn faults(&self, found: &Counterexample) -> Option<(&'static str, Vec<String>)> {
        let faults = &found.realised.as_ref().ok()?.faults;
        let clauses: Vec<String> =
            faults.iter().map(|fault| tell::exact_clause_of_fault(&self.variant.scenario, fault)).collect();
        (!clauses.is_empty()).then_some((found.mark.name(), clauses))
    }

    /// The same in numbers; none where nothing needs to go wrong.
    fn realised(&self, found: &Counterexample) -> Option<(&'static str, Vec<Value>)> {
        let faults = &found.realised.as_ref().ok()?.faults;
        let faults = faults.iter().map(|fault| stated::fault(&self.variant.scenario, fault));
        Some((found.mark.name(), faults.collect()))
    }

    /// The rows of the tally: its number, how many schedules come to it, and how
    /// likely it is, step by step, if that is known.
    fn tallied(&self) -> Vec<(u8, Count, Option<Share>)> {
        let mut rows: Vec<(u8, Count, Option<Share>)> = Vec::new();
        if self.question.tally.is_none() {
            return rows;
        }
        for &Outcome { tally, .. } in &self.survey.exploration.outcomes {
            if !rows.iter().any(|(known, ..)| *known == tally) {
                rows.push((tally, self.survey.exploration.tallied(tally), self.by_step(tally)));
            }
        }
        rows.sort_by_key(|(tally, ..)| *tally);
        rows
    }

    /// How likely it is, step by step, that the tally comes to this number, if that is
    /// known.
    fn by_step(&self, tally: u8) -> Option<Share> {
        let likelihoods = self.survey.likelihoods.as_ref()?.as_ref().ok()?;
        let mut such = likelihoods.iter().filter(|likelihood| likelihood.tally == tally);
        let mut share = such.next()?.share.clone();
        such.for_each(|likelihood| share.part.add(&likelihood.share.part));
        Some(share)
    }

    fn outcome(&self, (tally, schedules, share): &(u8, Count, Option<Share>)) -> Value {
        let name = self.question.tally.as_ref().map_or("tally", |tally| &tally.name);
        // More digits than a number of 64 bits can tell apart.
        let by_step = share.as_ref().and_then(|share| share.decimal(24).parse::<f64>().ok());
        json!({ name: tally, "schedules": schedules.decimal(), "by_step": by_step })
    }

    /// The table of the tally for people.
    fn tally_lines(&self) -> Vec<String> {
        let rows = self.tallied();
        let (Some(tally), false) = (&self.question.tally, rows.is_empty()) else { return Vec::new() };
        let exploration = &self.survey.exploration;
        let all = exploration.schedules();
        let mut lines =
            vec![format!("{}, if each step that can be next is equally likely; and if each schedule is:", tally.name)];
        for (number, schedules, share) in rows {
            let by_schedule = Share { part: schedules.clone(), whole: all.clone() };
            let by_step = share.map_or_else(|| "unknown ".to_string(), |share| written(&share));
            let (by_schedule, schedules) = (written(&by_schedule), counted(&schedules.decimal(), "schedule"));
            lines.push(format!("  {number:>3}  {by_step}  {by_schedule}  {schedules}"));
        }
        if let Some(Err(stop)) = self.survey.likelihoods {
            let why = tell::why_stopped(stop, exploration.states);
            lines.push(format!("How likely each is, step by step, is not known: {why}."));
        }
        lines
    }

    /// As lines for people.
    pub fn lines(&self) -> Vec<String> {
        let Variant { id, title, remark, scenario, .. } = self.variant;
        let exploration = &self.survey.exploration;
        let mut lines = vec![format!("{id}: {title}. {remark}."), self.what_was_assumed()];
        let states = counted(&exploration.states.to_string(), "state");
        if exploration.stopped.is_some() {
            let stopped = more_than(self.question.budget, exploration.states);
            let stopped = stopped.map_or_else(|| format!("stopped at {states}"), |most| format!("more than {most}"));
            lines.push(format!("Incomplete: {stopped}, so there are no counts."));
            lines.extend(self.claims.lines());
            return lines;
        }
        let schedules = exploration.schedules();
        lines.push(match schedules.decimal().as_str() {
            "1" => format!("1 schedule, the only one, in {states}."),
            digits => format!("{} schedules, all of them, in {states}.", grouped(digits)),
        });
        let rows: Vec<(&str, Count)> =
            self.question.marks.iter().map(|&mark| (mark.name(), exploration.showing(mark))).collect();
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, count) in rows {
            let share = share(&count, &schedules);
            lines.push(format!("  {name:width$}  {}{share}", grouped(&count.decimal())));
        }
        lines.extend(self.tally_lines());
        for found in &self.survey.shortest {
            let Counterexample { mark, schedule, realised } = found;
            let steps = counted(&schedule.actions.len().to_string(), "step");
            lines.push(format!("The shortest with {}, {steps}:", mark.name()));
            lines.extend(story_of(scenario, schedule));
            match (self.faults(found), realised) {
                (Some((_, faults)), realised) => {
                    lines.push(format!("It happens if {}.", faults.join(", ")));
                    let faults = realised.as_ref().map_or(&[][..], |realised| &realised.faults);
                    lines.extend(beyond_what_is_assumed(faults, &self.question.bounds).map(str::to_string));
                }
                (None, Err(error)) => lines.push(format!("It was given no times: {error}.")),
                (None, Ok(_)) => lines.push("It happens although nothing goes wrong.".to_string()),
            }
        }
        for &(mark, stop) in &self.survey.not_found {
            let why = tell::why_stopped(stop, exploration.states);
            lines.push(format!("The shortest with {} was not found: {why}.", mark.name()));
        }
        lines.extend(self.claims.lines());
        lines
    }

    /// Under what every count holds.
    fn what_was_assumed(&self) -> String {
        format!("{}.", tell::what_is_assumed(&self.variant.scenario, &self.question.bounds))
    }
}

/// How many states a search was to meet at most, in words, if it met more.
fn more_than(budget: Budget, states: usize) -> Option<String> {
    (states > budget.states).then(|| counted(&budget.states.to_string(), "state"))
}

/// Why a search with this budget stopped after so many states, and what to do.
pub fn why_incomplete(stop: Stop, states: usize, budget: Budget) -> String {
    let why = match more_than(budget, states).filter(|_| stop == Stop::States) {
        Some(most) => format!("it has more than {most}, the most that --states lets it meet"),
        None => tell::why_stopped(stop, states),
    };
    let cure = match stop {
        Stop::States => " Set fewer clients or smaller bounds, look for less with --look-for, or raise --states.",
        Stop::Memory => " Set fewer clients or smaller bounds, or look for less with --look-for.",
        Stop::Length => " Let it count fewer rounds.",
        Stop::Cancelled => "",
        Stop::Endless => " Let it count its rounds with compute and compare, or lead to \"stop\" or \"end\".",
        Stop::TooManyServers => " Use fewer.",
        Stop::TellsTime => " Let it ask something else.",
        Stop::Unexpected => " `racescope check` and `racescope run` show which.",
    };
    format!("{why}.{cure}")
}

/// What happens in a schedule, in words.
pub fn story_of(scenario: &Scenario, schedule: &Schedule) -> Vec<String> {
    let Ok(trace) = run_replay(scenario, schedule) else { return Vec::new() };
    let verdict = judge(scenario, &trace);
    let story = tell::story(scenario, &trace, &verdict);
    story.iter().map(|line| format!("  {:12}  {}", line.place, line.sentence)).collect()
}

/// The steps of a schedule, as they are replayed.
pub fn steps(schedule: &Schedule) -> Vec<String> {
    schedule.actions.iter().map(ToString::to_string).collect()
}

/// A share with six digits; one that is smaller with the first digits that it has, so that
/// only what isn't there is written as nothing.
fn written(share: &Share) -> String {
    const DIGITS: usize = 6;
    let short = share.decimal(DIGITS as u32);
    if share.part.is_zero() || short.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        return short;
    }
    (DIGITS..)
        .step_by(DIGITS)
        .map(|digits| share.decimal(digits as u32))
        .find_map(|long| first_digits(&long))
        .unwrap_or(short)
}

/// A small decimal fraction by its first three digits, if it has so many: "1.23e-9".
fn first_digits(fraction: &str) -> Option<String> {
    let behind = fraction.strip_prefix("0.")?;
    let zeros = behind.len() - behind.trim_start_matches('0').len();
    let (first, rest) = behind.get(zeros..zeros + 3)?.split_at(1);
    Some(format!("{first}.{rest}e-{}", zeros + 1))
}

/// A share in percent, if it is worth saying.
fn share(count: &Count, whole: &Count) -> String {
    if count.is_zero() { String::new() } else { format!(" ({})", tell::percent(count.per_million_of(whole))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_never_written_as_nothing_unless_it_is() {
        let share = |part, whole| written(&Share { part: Count::Small(part), whole: Count::Small(whole) });
        let told = [share(1, 4), share(0, 4), share(1, 3_000_000), share(1, 100_000_000), share(3, 7_000_000_000)];
        assert_eq!(told, ["0.250000", "0.000000", "3.33e-7", "1.00e-8", "4.28e-10"]);
    }
}
