//! What is measured side by side is the same scenario: the counts agree.

use std::collections::HashMap;
use std::ops::ControlFlow;

use racescope_bench::stateright_model::{Reference, State};
use racescope_bench::{Setting, shuttle_threads};
use racescope_engine::explore::{Bounds, Mark, Question, explore};
use racescope_engine::sim::Guard;
use racescope_engine::sim::example::{guarded, reference};
use stateright::{Checker, Model};

const fn setting(fenced: bool) -> Setting {
    Setting { expiries: 2, fenced }
}

/// How many schedules follow a state of Stateright's model, and how many of them have a
/// stale write by their end.
fn schedules<const CLIENTS: usize>(
    model: Reference<CLIENTS>,
    state: &State<CLIENTS>,
    known: &mut HashMap<State<CLIENTS>, (u64, u64)>,
) -> (u64, u64) {
    if let Some(&counts) = known.get(state) {
        return counts;
    }
    let next = model.next_states(state);
    let mut counts = if next.is_empty() { (1, u64::from(state.stale)) } else { (0, 0) };
    for next in next {
        let (all, stale) = schedules(model, &next, known);
        counts = (counts.0 + all, counts.1 + stale);
    }
    known.insert(state.clone(), counts);
    counts
}

/// Counts in Stateright's model and in ours: unique states of theirs, then schedules and
/// those with a stale write, which must agree.
fn check<const CLIENTS: usize>(fenced: bool, unique: usize) {
    let model = Reference::<CLIENTS>(setting(fenced));
    let checker = model.checker().threads(1).spawn_bfs().join();
    assert_eq!(checker.unique_state_count(), unique);
    assert_eq!(checker.discovery("no stale write").is_some(), !fenced);

    let theirs = schedules(model, &model.init_states()[0], &mut HashMap::new());
    let guard = if fenced { Guard::FenceAtMost } else { Guard::LastWriteWins };
    let question = Question { marks: vec![Mark::StaleWriteAccepted], ..Question::of_harm(Bounds::expiries(2)) };
    let found = explore(&guarded(reference(CLIENTS), guard), &question, &mut |_| ControlFlow::Continue(()));
    let ours = (found.schedules().decimal(), found.showing(Mark::StaleWriteAccepted).decimal());
    assert_eq!((theirs.0.to_string(), theirs.1.to_string()), ours);
}

#[test]
fn stateright_has_the_same_schedules_of_two_clients() {
    check::<2>(false, 313);
    check::<2>(true, 297);
}

#[test]
fn stateright_has_the_same_schedules_of_three_clients() {
    check::<3>(false, 8_230);
    check::<3>(true, 6_778);
}

#[test]
fn stateright_by_symmetry_meets_fewer_states_and_the_same_harm() {
    let model = Reference::<3>(setting(false));
    let by_symmetry = model.checker().threads(1).symmetry().spawn_dfs().join();
    assert!(by_symmetry.unique_state_count() < 8_230 / 2, "{}", by_symmetry.unique_state_count());
    assert!(by_symmetry.discovery("no stale write").is_some());
}

#[test]
fn shuttle_runs_all_schedules_and_meets_the_same_harm() {
    let (all, stale) = shuttle_threads::run(setting(false), 3, 1, 1_000);
    assert!(all == 1_000 && stale > 0, "{stale} of {all}");
    assert_eq!(shuttle_threads::run(setting(true), 3, 1, 1_000), (1_000, 0));
}
