//! By which faults counterexamples are shown, against what is assumed: those of other kinds
//! are few, and are listed here, one line each.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use expect_test::{ExpectFile, expect_file};
use racescope_engine::explore::{Bounds, Budget, Question, survey};
use racescope_engine::sim::Fault;

/// The faults that aren't assumed, by their kinds; empty if there are none.
fn extra(faults: &[Fault], bounds: &Bounds) -> String {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for fault in faults.iter().filter(|fault| !bounds.assumes(fault)) {
        let kind = format!("{fault:?}").split('(').next().unwrap_or_default().to_string();
        *kinds.entry(kind).or_default() += 1;
    }
    kinds.into_iter().fold(String::new(), |listed, (kind, count)| listed + &format!(" {count} {kind}"))
}

#[track_caller]
fn check(listed: &str, expected: &ExpectFile) {
    expected.assert_eq(listed);
}

#[test]
fn counterexamples_of_lessons_are_shown_by_what_is_assumed() {
    let (mut listed, mut seen) = (String::new(), 0);
    for lesson in &racescope::library().lessons {
        for variant in &lesson.variants {
            let budget = Budget { states: 20_000, ..Budget::default() };
            let question = Question { budget, ..Question::of_harm(lesson.bounds) };
            let found = survey(&variant.scenario, &question, &mut |_| ControlFlow::Continue(()));
            for shortest in &found.shortest {
                let Ok(realised) = &shortest.realised else {
                    listed += &format!("{} {} {}: no times\n", lesson.id, variant.id, shortest.mark.name());
                    continue;
                };
                seen += 1;
                let extra = extra(&realised.faults, &lesson.bounds);
                if !extra.is_empty() {
                    listed += &format!(
                        "{} {} {}:{extra}; assumed: {}\n",
                        lesson.id,
                        variant.id,
                        shortest.mark.name(),
                        lesson.bounds
                    );
                }
            }
        }
    }
    listed += &format!("{seen} counterexamples in all\n");
    check(&listed, &expect_file!["./extra_faults/lessons.txt"]);
}
