//! Times and faults for a schedule: what has to go wrong, and when, so that a timed
//! run takes exactly this path.
//!
//! Each action gets a moment, and the moments are in the order of the schedule. A
//! step can be made later by a pause of its client, a message by a delay. A lease
//! ends by its clock: everything else is moved so that this is right on an honest
//! one, and where that can't be, the clock jumps. Of several ways to bring an order about,
//! the one counts that takes the fewest faults of kinds that aren't assumed. What comes out
//! is tried: it either takes the path or is no answer.

mod early;
mod faults;
mod late;
mod noted;
mod solve;
mod timeline;
mod timers;
mod wishes;

use alloc::vec::Vec;
use core::fmt;

use self::early::early;
use self::faults::{Moments, faults};
use self::late::late;
use self::solve::{Constraint, Moment, solve};
use self::timeline::{Due, Term, Timeline, timeline};
use self::wishes::wishes;
use super::bounds::Bounds;
use crate::sim::{Fault, LIMITS, Scenario, Schedule, run_timed_with_schedule};

/// Why a schedule has no times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrealisable {
    /// It is no schedule of this scenario.
    NotASchedule,
    /// No times and faults were found that lead to this order. A step without work can't
    /// be held up, and a copy arrives no earlier than what it was copied from.
    NoTimes,
    /// It would take more faults or more time than a run can have.
    TooLong,
}

impl fmt::Display for Unrealisable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotASchedule => "this is no schedule of this scenario",
            Self::NoTimes => "no times lead to this order; a step without work, for one, can't be held up",
            Self::TooLong => "this takes more faults or more time than a run can have",
        })
    }
}

/// A schedule with its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realisation {
    /// The faults.
    pub faults: Vec<Fault>,
    /// With what the timed run under these faults begins. It is the schedule that
    /// was asked for, except that what nobody else can notice comes as early as it can:
    /// a step without work that asks nobody, the loss of a message, a copy of a request; and
    /// that a request may be sent, and an answer heard, as late as it can, where that
    /// spares faults that aren't assumed.
    pub schedule: Schedule,
}

impl Realisation {
    /// How many of the faults are of a kind that isn't assumed.
    fn extra(&self, bounds: &Bounds) -> usize {
        self.faults.iter().filter(|fault| !bounds.assumes(fault)).count()
    }
}

/// The faults under which a timed run begins with exactly this schedule. What is
/// still to come then comes later. With clocks that may jump while nothing may
/// pause or be late, leases end by jumps, and else by what holds their holders up.
///
/// Any order of steps and messages is a schedule, however long each takes. Where what is
/// assumed can't bring one about, there are pauses and late messages that aren't assumed
/// ([`Bounds::assumes`]).
///
/// # Errors
/// There are no such faults, as far as this looks.
pub fn realise(scenario: &Scenario, schedule: &Schedule, bounds: &Bounds) -> Result<Realisation, Unrealisable> {
    let schedule = early(scenario, schedule).ok_or(Unrealisable::NotASchedule)?;
    let found = realise_exactly(scenario, &schedule, bounds);
    if found.as_ref().is_ok_and(|found| found.extra(bounds) == 0) {
        return found;
    }
    let later = late(scenario, &schedule, bounds).map(|later| realise_exactly(scenario, &later, bounds));
    match (found, later) {
        (Ok(found), Some(Ok(later))) if later.extra(bounds) < found.extra(bounds) => Ok(later),
        (Err(_), Some(Ok(later))) => Ok(later),
        (found, _) => found,
    }
}

fn realise_exactly(scenario: &Scenario, schedule: &Schedule, bounds: &Bounds) -> Result<Realisation, Unrealisable> {
    let timeline = timeline(scenario, schedule).ok_or(Unrealisable::NotASchedule)?;
    let clocks_first = bounds.clock_steps && !bounds.pauses && !bounds.late_messages;
    let mut error = Unrealisable::NoTimes;
    // Things that happen at once come in a fixed order. Where that is the order of
    // the schedule, nothing needs to be held up; else each gets a moment of its own.
    for gaps in [Gaps::WhereNeeded, Gaps::Everywhere] {
        for clocks_first in [clocks_first, true] {
            for spares in [true, false] {
                let wishes = if spares { wishes(&timeline, bounds, schedule.actions.len()) } else { Vec::new() };
                let Some(moments) = moments(&timeline, schedule, gaps, clocks_first, &wishes) else { continue };
                let faults = faults(&timeline, schedule, &moments, bounds, spares);
                if faults.len() > LIMITS.faults || moments.at_us.iter().any(|&us| us > LIMITS.time_us.cast_signed()) {
                    error = Unrealisable::TooLong;
                    continue;
                }
                let (_, taken) = run_timed_with_schedule(scenario, &faults);
                if taken.actions.starts_with(&schedule.actions) {
                    return Ok(Realisation { faults, schedule: schedule.clone() });
                }
            }
        }
    }
    Err(error)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gaps {
    WhereNeeded,
    Everywhere,
}

/// Moments for all actions. A term that can't be kept on an honest clock is one on
/// which the clock has to jump; a wish that can't is left out.
fn moments(
    timeline: &Timeline,
    schedule: &Schedule,
    gaps: Gaps,
    clocks_first: bool,
    wishes: &[Constraint],
) -> Option<Moments> {
    let actions = &schedule.actions;
    let mut constraints = timeline.constraints.clone();
    for later in 1..=actions.len() {
        let is_in_order = later > 1
            && timeline::is_timed(actions[later - 2])
            && timeline::is_timed(actions[later - 1])
            && actions[later - 2] < actions[later - 1];
        // What takes no time happens at the moment of what it comes after.
        let is_at_once = match timeline.dues[later - 1] {
            Due::Copied(_) => true,
            Due::Step { since, offset_us, work_us, wait_us } => {
                since == later - 1 && offset_us + work_us + wait_us == 0
            }
            _ => false,
        };
        let by_us = i64::from(later > 1 && !is_at_once && !(gaps == Gaps::WhereNeeded && is_in_order));
        constraints.push(Constraint { earlier: later - 1, later, by_us });
    }
    let count = actions.len() + 1;
    solve(count, &constraints)?;
    let mut jumps = Vec::new();
    for term in &timeline.terms {
        let kept = constraints.len();
        constraints.extend(keeps(term));
        if (clocks_first && term.expires && term.jumps) || solve(count, &constraints).is_none() {
            if !term.jumps {
                return None;
            }
            constraints.truncate(kept);
            if term.expires {
                // A jump shows from the next microsecond on.
                constraints.push(Constraint { earlier: term.since, later: term.until, by_us: 2 });
            }
            jumps.push(*term);
        }
    }
    for &wish in wishes {
        constraints.push(wish);
        if solve(count, &constraints).is_none() {
            constraints.pop();
        }
    }
    Some(Moments { at_us: solve(count, &constraints)?, jumps })
}

/// What a term demands on an honest clock.
fn keeps(term: &Term) -> Vec<Constraint> {
    let Term { since, until, ttl_us, expires, .. } = *term;
    let not_before = |earlier: Moment, later: Moment, by_us| Constraint { earlier, later, by_us };
    if expires {
        [not_before(since, until, ttl_us), not_before(until, since, -ttl_us)].to_vec()
    } else {
        [not_before(until, since, 1 - ttl_us)].to_vec()
    }
}
