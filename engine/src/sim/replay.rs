//! The scheduler that repeats: a schedule is a printable value.

use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use super::change::Action;
use super::model::Model;
use super::recorder::Recorder;
use super::scenario::Scenario;
use super::trace::Trace;

/// The choices of a run, in order. It prints as `step:0 serve:0 deliver:0 expire:2`
/// and parses from the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// What happened, in order.
    pub actions: Vec<Action>,
}

/// Why a schedule could not be repeated or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// At this place stands an action that cannot happen there.
    NotEnabled(usize, Action),
    /// At this place stands something that is no action.
    NotAnAction(usize),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEnabled(place, action) => write!(f, "choice {}: {action} cannot happen here", place + 1),
            Self::NotAnAction(place) => {
                write!(f, "choice {}: expected an action and its node, such as step:0 or expire:2", place + 1)
            }
        }
    }
}

/// Repeats a schedule. The run is complete if no client can go on; that a lease
/// may still end doesn't count, since how many do is the bound of a search.
///
/// # Errors
/// The first action that cannot happen where it stands.
pub fn run_replay(scenario: &Scenario, schedule: &Schedule) -> Result<Trace, ReplayError> {
    let model = Model::new(scenario);
    let mut world = model.start();
    let mut recorder = Recorder::new(scenario, &[]);
    for (place, &action) in schedule.actions.iter().enumerate() {
        if recorder.is_full() {
            return Ok(recorder.finish(false));
        }
        if !model.can(&world, action) {
            return Err(ReplayError::NotEnabled(place, action));
        }
        recorder.now_us += 1;
        model.apply(&mut world, action, &mut recorder);
    }
    let mut enabled = Vec::new();
    model.enabled(&world, &mut enabled);
    Ok(recorder.finish(model.is_at_its_end(&world, &enabled)))
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, action) in self.actions.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            write!(f, "{gap}{action}")?;
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = ReplayError;

    fn from_str(text: &str) -> Result<Self, ReplayError> {
        let parse = |(place, word)| Action::parse(word).ok_or(ReplayError::NotAnAction(place));
        let actions = text.split_ascii_whitespace().enumerate().map(parse).collect::<Result<_, _>>()?;
        Ok(Self { actions })
    }
}
