//! What a file says of a variant, held against what was found.

use racescope::tell::counted;
use racescope_engine::explore::Mark;
use racescope_lesson::Variant;
use serde_json::{Value, json};

/// How far what a file says can be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Of what was looked for, all of it: every schedule was counted.
    All,
    /// Of what was looked for, only that something is there: schedules were random.
    WhatIsThere,
    /// Nothing, for this reason.
    Nothing(&'static str),
}

/// A lesson speaks of one run.
pub const OF_A_RUN: &str = "a lesson speaks of one run, which `racescope check` checks";
/// A file speaks of what it assumes.
pub const OF_OTHERS: &str = "it is about what the file assumes, and --set or --assume changed that";
/// Nothing was counted.
pub const OF_NONE: &str = "the search was stopped";

/// What a file says of a variant, held against what was found.
pub struct Claims {
    /// What differs, in sentences.
    pub untrue: Vec<String>,
    checked: Vec<&'static str>,
    /// What wasn't checked, by its name, and why.
    not_checked: Vec<(&'static str, &'static str)>,
}

impl Claims {
    /// Holds the claims of a variant against a search for some marks, `showing` how many
    /// schedules show each, in decimal digits.
    pub fn of(variant: &Variant, reach: &Reach, marks: &[Mark], showing: impl Fn(Mark) -> String) -> Self {
        let violates = &variant.expectation.violates;
        let is_said = |mark: Mark| violates.iter().any(|&property| Mark::harm_of(property) == Some(mark));
        let mut claims = Self { untrue: Vec::new(), checked: Vec::new(), not_checked: Vec::new() };
        let spoken_of = Mark::HARM.into_iter().filter(|&mark| mark.is_possible_in(&variant.scenario) || is_said(mark));
        for mark in spoken_of {
            let name = mark.name();
            let why = match reach {
                Reach::Nothing(why) => Some(*why),
                _ if !marks.contains(&mark) => Some("left out by --look-for"),
                Reach::WhatIsThere if showing(mark) == "0" => {
                    Some("random schedules that don't show it say nothing about the others")
                }
                _ => None,
            };
            if let Some(why) = why {
                claims.not_checked.push((name, why));
                continue;
            }
            claims.checked.push(name);
            let count = showing(mark);
            if is_said(mark) && count == "0" {
                claims.untrue.push(format!("no schedule violates {name}, which \"violates\" names. Take it out."));
            } else if !is_said(mark) && count != "0" {
                let violate = if count == "1" { "violates" } else { "violate" };
                let count = counted(&count, "schedule");
                claims.untrue.push(format!("{count} {violate} {name}. Name it in \"violates\"."));
            }
        }
        claims
    }

    /// What wasn't checked, in a line for each reason.
    pub fn lines(&self) -> Vec<String> {
        let mut reasons: Vec<&str> = Vec::new();
        for (_, why) in &self.not_checked {
            if !reasons.contains(why) {
                reasons.push(why);
            }
        }
        let line = |why: &&str| {
            let names: Vec<&str> =
                self.not_checked.iter().filter(|(_, other)| other == why).map(|(name, _)| *name).collect();
            let names =
                if self.checked.is_empty() && reasons.len() == 1 { String::new() } else { names.join(", ") + "; " };
            format!("Not checked against the file: {names}{why}.")
        };
        reasons.iter().map(line).collect()
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let not_checked = self.not_checked.iter().map(|&(name, why)| (name.to_string(), Value::from(why)));
        json!({ "checked": self.checked, "not_checked": not_checked.collect::<serde_json::Map<_, _>>() })
    }
}
