//! Every schedule of an instance that is small enough: what no random search can say.

use std::ops::ControlFlow;

use racescope::tell::{counted, grouped, why_stopped};
use racescope_engine::explore::{Bounds, Count, Exploration, Mark, Outcome, Question, explore};
use racescope_engine::sim::NodeKind;
use racescope_engine::system::grant::Check;
use racescope_lesson::author::study_of;

/// Two owners, one resource and somebody who alters a grant.
const INSTANCE: &str = include_str!("../../../tests/scenarios/signed-grants.toml");

/// What is looked for.
pub const MARKS: [Mark; 2] = [Mark::StaleWriteAccepted, Mark::ForgedGrantAccepted];

/// What every schedule of the instance shows.
pub struct Exhaustive {
    /// What may go wrong in it.
    pub bounds: Bounds,
    /// What was found.
    pub found: Exploration,
}

impl Exhaustive {
    /// Searches the instance, whose resource leaves a check out or none.
    pub fn of(without: Option<Check>) -> Self {
        let mut study = study_of("signed-grants", INSTANCE).expect("a test reads it");
        let mut scenario = study.variants.swap_remove(0).scenario;
        for node in &mut scenario.nodes {
            if let NodeKind::System(system) = &mut node.kind {
                system.setup.variant = without.map(|check| format!("without-{}", check.name()));
            }
        }
        let question = Question { marks: MARKS.to_vec(), ..Question::of_harm(study.bounds) };
        let found = explore(&scenario, &question, &mut |_| ControlFlow::Continue(()));
        Self { bounds: study.bounds, found }
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        let states = self.found.states;
        if let Some(stop) = self.found.stopped {
            return format!("Incomplete: {}.", why_stopped(stop, states));
        }
        let count = |mark| self.found.showing(mark).decimal();
        let [stale, forged] = MARKS.map(count);
        let all = counted(&self.found.schedules().decimal(), "schedule");
        let accept = if stale == "1" { "accepts" } else { "accept" };
        let (stale, forged, states) = (grouped(&stale), grouped(&forged), counted(&states.to_string(), "state"));
        format!("All {all}, in {states}: {stale} {accept} a stale write, {forged} a forged grant.")
    }

    /// How many schedules accept either, in decimal digits; `None` if they weren't counted.
    pub fn bad(&self) -> Option<String> {
        let mut bad = Count::default();
        let is_bad = |outcome: &&Outcome| !outcome.marks.is_empty();
        self.found.outcomes.iter().filter(is_bad).for_each(|outcome| bad.add(&outcome.schedules));
        self.found.stopped.is_none().then(|| bad.decimal())
    }

    /// Why the gate stays shut.
    pub fn error(&self) -> Option<String> {
        let is_clean = MARKS.iter().all(|&mark| self.found.showing(mark).is_zero());
        (self.found.stopped.is_some() || !is_clean).then(|| format!("the small instance: {}", self.sentence()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many schedules accept a stale write, and how many a forged grant.
    #[track_caller]
    fn check(without: Option<Check>, stale: bool, forged: bool) {
        let searched = Exhaustive::of(without);
        assert_eq!(searched.found.stopped, None);
        let found = MARKS.map(|mark| !searched.found.showing(mark).is_zero());
        assert_eq!(found, [stale, forged], "{without:?}: {}", searched.sentence());
        assert_eq!(searched.error().is_some(), stale || forged);
    }

    #[test]
    fn no_schedule_of_the_small_instance_is_bad_unless_its_check_is_left_out() {
        check(None, false, false);
        check(Some(Check::Fence), true, false);
        check(Some(Check::Authenticity), false, true);
    }
}
