//! Whether a lesson's runs show what the lesson says.

use racescope_engine::check::{Verdict, judge};
use racescope_engine::sim::{
    Change, Fault, Held, LIMITS, NodeIndex, Operation, Outcome, Role, Scenario, Step, Template, Trace, run_timed,
};

use super::commands::BEYOND_THE_MODEL;
use super::draft::Draft;
use super::expectations::ENDINGS;
use super::idle;
use super::mistake::{Complaint, Mistake, as_toml, quote};
use super::quantity::write_duration;
use crate::names::{danger_name, property_name};
use crate::{Block, Challenge, Ending, Expectation, Inline, Lesson, StagedFault};

/// Runs a lesson and says where it doesn't show what it says: each variant under
/// the lesson's faults, each challenge at its start and with its solution, and
/// the moments in its text. The mistakes come in the order of files and lines.
pub fn prove(draft: &Draft) -> Vec<Mistake> {
    let lesson = &draft.lesson;
    let mut proof = Proof { draft, mistakes: Vec::new() };
    let mut end_us = 0;
    for (place, variant) in lesson.variants.iter().enumerate() {
        let field = format!("variants[{}]", place + 1);
        let run = Run::of(&variant.scenario, &lesson.faults);
        proof.comes_to_its_end(&field, &run);
        proof.understands(&variant.scenario, &run);
        proof.finds_holders(&field, &variant.scenario, &run);
        proof.shows(&field, &run, &variant.expectation);
        proof.ends(&field, &variant.scenario, &run, &variant.expectation.ends);
        end_us = end_us.max(run.trace.end_us());
    }
    proof.stage_fits(end_us);
    let scenarios: Vec<&Scenario> = lesson.variants.iter().map(|variant| &variant.scenario).collect();
    proof.matter("faults", &scenarios, &lesson.faults);
    for (place, challenge) in lesson.challenges.iter().enumerate() {
        proof.challenge(&format!("challenges[{}]", place + 1), challenge);
    }
    proof.mistakes.sort_by_key(|mistake| mistake.line);
    proof.moments_fit(end_us);
    proof.mistakes
}

struct Run {
    trace: Trace,
    verdict: Verdict,
}

impl Run {
    fn of(scenario: &Scenario, faults: &[StagedFault]) -> Self {
        let faults: Vec<Fault> = faults.iter().map(|staged| staged.fault).collect();
        let trace = run_timed(scenario, &faults);
        let verdict = judge(scenario, &trace);
        Self { trace, verdict }
    }

    /// The harm that nobody says, by name, with its moments.
    fn unsaid(&self, says: &Expectation) -> Vec<(String, String)> {
        let harm = self.verdict.harm().into_iter().filter(|finding| !says.violates.contains(&finding.property));
        let named = |at_us, property| (quote(property_name(property)), write_duration(at_us));
        harm.map(|finding| named(self.trace.event(finding.event).at_us, finding.property)).collect()
    }
}

struct Proof<'a> {
    draft: &'a Draft,
    mistakes: Vec<Mistake>,
}

impl Proof<'_> {
    /// Notes a mistake, once.
    fn note(&mut self, field: &str, wrong: impl Into<String>, cure: impl Into<String>) {
        let mistake = self.draft.mistake(field, Complaint::new(wrong, cure));
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    fn comes_to_its_end(&mut self, field: &str, run: &Run) {
        if !run.trace.complete {
            let at = write_duration(run.trace.end_us());
            if run.trace.events.len() < LIMITS.events / 10 * 9 {
                let most = write_duration(LIMITS.time_us);
                let wrong = format!("the run isn't over at {at}, and what comes next comes after {most}, its limit");
                self.note(field, wrong, "Let faults end sooner, or clients wait less.");
            } else {
                let wrong = format!("the run is cut short at {at}, since a run has at most {} events", LIMITS.events);
                self.note(field, wrong, "Let its programs end sooner, or wait longer between attempts.");
            }
        }
    }

    /// Each command is one that the server knows, with the values that it has in this run,
    /// and each answer one that the program knows.
    fn understands(&mut self, scenario: &Scenario, run: &Run) {
        let mut said: Vec<(Option<NodeIndex>, u16, NodeIndex, String)> = Vec::new();
        for (_, event, change) in run.trace.changes() {
            let words = run.trace.said(event).unwrap_or_default().to_string();
            let asked = said.iter().rev().find(|(client, call, ..)| (*client, *call) == (event.client, event.call));
            if let (Some((Some(client), _, server, command)), true) = (asked, words.starts_with(BEYOND_THE_MODEL)) {
                let field = step_that_said(scenario, *client, *server, command, &words);
                let title = &scenario.nodes[usize::from(*server)].title;
                let wrong = format!("{title} answers `{words}` to `{command}`, and no real one does");
                let cure = "Need less of it: docs/reference/systems.md says for how much there is room.";
                self.note(&format!("{field}.say"), wrong, cure);
                continue;
            }
            match change {
                Change::Sent { server, .. } => said.push((event.client, event.call, server, words)),
                Change::Answered { outcome: Outcome::Unexpected } => {
                    let Some((Some(client), _, server, command)) = asked else { continue };
                    let field = step_that_said(scenario, *client, *server, command, &words);
                    let title = &scenario.nodes[usize::from(*server)].title;
                    let (wrong, cure) = if words.is_empty() {
                        (
                            format!("{title} doesn't know the command `{command}`"),
                            "Look at the values that it carries here, and at what docs/reference/systems.md takes."
                                .into(),
                        )
                    } else {
                        let wrong = format!("{title} answers `{words}` to `{command}`, which the program doesn't know");
                        (wrong, format!("Add an answer such as {{ reply = {} }}.", as_reply(&words)))
                    };
                    let part = if words.is_empty() { "say" } else { "answers" };
                    self.note(&format!("{field}.{part}"), wrong, cure);
                }
                _ => {}
            }
        }
    }

    /// Where a lock is asked who holds it, that is found at least once after a grant.
    fn finds_holders(&mut self, variant: &str, scenario: &Scenario, run: &Run) {
        for lock in scenario.locks() {
            if !matches!(scenario.role(lock), Some(Role::Lock { held: Held::ByProbe(_), .. })) {
                continue;
            }
            let is_found = |change: &Change| matches!(change, Change::Granted { .. } | Change::Passed { .. });
            let was_told = |change: &Change| matches!(*change, Change::Learned { outcome: Outcome::Granted, server, .. } if server == lock);
            let mut found = run.trace.changes().filter(|(_, event, change)| event.actor == lock && is_found(change));
            let told = run.trace.changes().find(|(.., change)| was_told(change));
            if let (None, Some((_, event, _))) = (found.next(), told) {
                let title = &scenario.nodes[usize::from(event.actor)].title;
                let at = write_duration(event.at_us);
                let wrong = format!("it never fits, although {title} is told at {at} that it holds the lock");
                let cure = "Write what held_ask is answered while a client holds the lock, with $me for its letter.";
                let own = format!("nodes.{}.held_reply", self.draft.places.nodes[usize::from(lock)]);
                let of_the_variant = format!("{variant}.{own}");
                let is_there = self.draft.places.fields.contains_key(&of_the_variant);
                self.note(if is_there { &of_the_variant } else { &own }, wrong, cure);
            }
        }
    }

    /// A variant's own claims. What is said and not shown is named where it stands.
    fn shows(&mut self, variant: &str, run: &Run, says: &Expectation) {
        for (name, at) in run.unsaid(says) {
            let wrong = format!("the run violates {name} at {at}, and nobody says so");
            let cure = format!("Add {name}, or change the scenario.");
            self.note(&format!("{variant}.violates"), wrong, cure);
        }
        let cure = "Take it out, or change the scenario.";
        for (place, &property) in (1..).zip(&says.violates) {
            if !run.verdict.shows(property) {
                let wrong = format!("the run doesn't violate {}", quote(property_name(property)));
                self.note(&format!("{variant}.violates[{place}]"), wrong, cure);
            }
        }
        for (place, &danger) in (1..).zip(&says.reaches) {
            if !run.verdict.reaches(danger) {
                let wrong = format!("the run doesn't reach {}", quote(danger_name(danger)));
                self.note(&format!("{variant}.reaches[{place}]"), wrong, cure);
            }
        }
    }

    /// A variant's claims about how its clients end.
    fn ends(&mut self, variant: &str, scenario: &Scenario, run: &Run, ends: &[(NodeIndex, Ending)]) {
        for &(client, ending) in ends {
            let is = Ending::of(&run.trace, client);
            if is != ending {
                let places = &self.draft.places;
                // Of several clients in one table, each is called by its letter.
                let letter = scenario.client(client).map_or_else(String::new, |client| client.letter.to_string());
                let names = [places.nodes[usize::from(client)].clone(), letter];
                let name = names.iter().find(|name| places.fields.contains_key(&format!("{variant}.ends.{name}")));
                let name = name.unwrap_or(&names[0]).clone();
                let wrong = format!("in the run it ends with {}", name_of(is));
                self.note(&format!("{variant}.ends.{name}"), wrong, "Say so, or change the scenario.");
            }
        }
    }

    fn challenge(&mut self, field: &str, challenge: &Challenge) {
        let variant = &self.draft.lesson.variants[usize::from(challenge.variant)];
        let start = Run::of(&variant.scenario, &challenge.start);
        let at_start = format!("{field}.start");
        if challenge.start != self.draft.lesson.faults {
            let variants = self.draft.lesson.variants.iter();
            let scenarios: Vec<&Scenario> = variants.map(|variant| &variant.scenario).collect();
            self.matter(&at_start, &scenarios, &challenge.start);
        }
        self.matter(&format!("{field}.solution"), &[&variant.scenario], &challenge.solution);
        self.comes_to_its_end(&at_start, &start);
        if challenge.goal.is_met_by(&start.trace, &start.verdict) {
            let cure = "Begin with other faults, or ask for more.";
            self.note(&at_start, "the goal is reached before anything is done", cure);
        }
        let solved = Run::of(&variant.scenario, &challenge.solution);
        self.comes_to_its_end(&format!("{field}.solution"), &solved);
        self.solves(&format!("{field}.solution"), &variant.scenario, &solved, &challenge.goal);
    }

    /// Each fault of a list changes something in one of these runs.
    fn matter(&mut self, list: &str, scenarios: &[&Scenario], faults: &[StagedFault]) {
        for (place, Complaint { wrong, cure }) in idle::complaints(scenarios, faults) {
            self.note(&format!("{list}[{}]", place + 1), wrong, cure);
        }
    }

    /// What a solution brings about against what the goal asks.
    fn solves(&mut self, solution: &str, scenario: &Scenario, run: &Run, goal: &Expectation) {
        for (name, at) in run.unsaid(goal) {
            let cure = format!("Choose other faults, or add {name} to \"violates\" of the goal.");
            self.note(solution, format!("the run violates {name} at {at}, and the goal doesn't say so"), cure);
        }
        for &property in goal.violates.iter().filter(|&&property| !run.verdict.shows(property)) {
            let name = quote(property_name(property));
            let cure = format!("Choose other faults, or take {name} out of \"violates\" of the goal.");
            self.note(solution, format!("the run doesn't violate {name}"), cure);
        }
        for &danger in goal.reaches.iter().filter(|&&danger| !run.verdict.reaches(danger)) {
            let name = quote(danger_name(danger));
            let cure = format!("Choose other faults, or take {name} out of \"reaches\" of the goal.");
            self.note(solution, format!("the run doesn't reach {name}"), cure);
        }
        for &(client, ending) in &goal.ends {
            let is = Ending::of(&run.trace, client);
            if is != ending {
                let who = quote(&scenario.client(client).map_or_else(String::new, |client| client.letter.to_string()));
                let wrong = format!("in the run {who} ends with {}, and not with {}", name_of(is), name_of(ending));
                self.note(solution, wrong, "Choose other faults, or change \"ends\" of the goal.");
            }
        }
    }

    fn stage_fits(&mut self, end_us: u64) {
        let lesson = &self.draft.lesson;
        let shows = write_duration(lesson.shows_us);
        if end_us > lesson.shows_us {
            let wrong = format!("the stage shows {shows}, and the run goes on until {}", write_duration(end_us));
            self.note("shows", wrong, "Show more, or let the programs end sooner.");
        }
        if lesson.cursor_us.is_some_and(|cursor_us| cursor_us > lesson.shows_us) {
            let wrong = format!("the playhead would stand beyond the {shows} that the stage shows");
            self.note("cursor", wrong, "Choose an earlier moment.");
        }
    }

    fn moments_fit(&mut self, end_us: u64) {
        let end = write_duration(end_us);
        for (place, (text, at_us)) in moments(&self.draft.lesson).enumerate() {
            if at_us > end_us {
                let wrong = format!("the moment {} is after the end of every run at {end}", quote(text));
                let complaint = Complaint::new(wrong, "Link to a moment inside the run.");
                self.mistakes.push(self.draft.mistake_at_moment(place, complaint));
            }
        }
    }
}

/// An end of a program as files have it, in quotes.
fn name_of(ending: Ending) -> String {
    quote(ENDINGS.iter().find(|(_, known)| *known == ending).map_or("", |&(name, _)| name))
}

/// The step, as a field, at which a client has said this and doesn't know the answer.
fn step_that_said(scenario: &Scenario, client: NodeIndex, server: NodeIndex, command: &str, reply: &str) -> String {
    let Some(program) = scenario.program_of(client) else { return "programs".to_string() };
    let letter = scenario.client(client).map_or('A', |client| client.letter);
    let says = |template: &Template, text: &str| template.read(text, letter, &|_| 0).is_some();
    let said = |(_, step): &(usize, &Step)| match &step.operation {
        Operation::Ask { server: to, ask } => *to == server && says(&ask.say, command),
        _ => false,
    };
    let knows = |step: &Step| match &step.operation {
        Operation::Ask { ask, .. } => ask.answers.iter().any(|answer| says(&answer.reply, reply)),
        _ => false,
    };
    let steps: Vec<(usize, &Step)> = (1..).zip(&program.steps).filter(said).collect();
    let meant = steps.iter().find(|(_, step)| !knows(step)).or(steps.first());
    match meant {
        Some((place, _)) => format!("programs.{}[{place}]", program.name),
        None => format!("programs.{}", program.name),
    }
}

/// An answer as a field of a file: what is a mark in answers becomes `*`.
fn as_reply(words: &str) -> String {
    let marked: String = words.chars().map(|letter| if "$@%".contains(letter) { '*' } else { letter }).collect();
    as_toml(&marked)
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
