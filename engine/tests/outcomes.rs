//! Schedules by what they come to: both distributions against walking every schedule
//! on its own, and a sample of each.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use racescope_engine::check::{Property, judge};
use racescope_engine::explore::{Bounds, Mark, Question, Tally, explore, likelihoods};
use racescope_engine::sim::example::reference;
use racescope_engine::sim::{
    Action, Branch, Change, Model, NodeIndex, Operation, Outcome, Record, Scenario, Target, World, run_replay,
};

/// Clients that read and check a limit in one action, and set what they read plus one
/// in another.
fn voucher(clients: usize) -> Scenario {
    let mut scenario = reference(clients);
    let steps = &scenario.programs[0].steps;
    let (read, mut compute, mut write) = (steps[2].clone(), steps[3].clone(), steps[4].clone());
    compute.at_once = true;
    let mut compare = compute.clone();
    compare.operation = Operation::Compare { register: 2, with: 1 };
    compare.branches = vec![Branch { outcome: Outcome::AtLeast, target: Target::Stop }];
    if let Operation::Call { request: racescope_engine::sim::Request::Write { token, .. }, .. } = &mut write.operation {
        *token = None;
    }
    scenario.programs[0].steps = vec![read, compare, compute, write];
    scenario
}

fn grants() -> Tally {
    Tally { name: "grants".into(), steps: vec![(0, 3)], outcome: Some(Outcome::Accepted) }
}

fn question(tally: Option<Tally>, marks: &[Mark]) -> Question {
    Question { marks: marks.to_vec(), tally, ..Question::of_harm(Bounds::expiries(1)) }
}

/// What one schedule comes to.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Shown {
    accepted: u8,
    stale: bool,
    highest: u16,
}

impl Record for Shown {
    fn note(&mut self, _: NodeIndex, _: Option<NodeIndex>, change: Change) {
        if let Change::Accepted { token, .. } = change {
            self.accepted += 1;
            self.stale |= token < self.highest;
            self.highest = self.highest.max(token);
        }
    }
}

/// How many schedules come to what, and how likely that is, by walking each.
type Walked = BTreeMap<(u8, bool), (u128, f64)>;

fn walk(model: &Model<'_>, world: &World, shown: Shown, expiries: u8, likely: f64, walked: &mut Walked) {
    let mut enabled = Vec::new();
    model.enabled(world, &mut enabled);
    enabled.retain(|action| expiries > 0 || !matches!(action, Action::Expire(_)));
    if enabled.is_empty() {
        let entry = walked.entry((shown.accepted, shown.stale)).or_default();
        *entry = (entry.0 + 1, entry.1 + likely);
    }
    for &action in &enabled {
        let (mut next, mut shown) = (world.clone(), shown);
        model.apply(&mut next, action, &mut shown);
        let left = expiries - u8::from(matches!(action, Action::Expire(_)));
        walk(model, &next, shown, left, likely / f64::from(enabled.len() as u32), walked);
    }
}

#[track_caller]
fn agrees(scenario: &Scenario, tally: &Tally) {
    let model = Model::new(scenario);
    let mut walked = Walked::new();
    walk(&model, &model.start(), Shown::default(), 1, 1.0, &mut walked);
    let asked = question(Some(tally.clone()), &[Mark::StaleWriteAccepted]);
    let goes_on = &mut |_| ControlFlow::Continue(());
    let found = explore(scenario, &asked, goes_on);
    let counted: BTreeMap<(u8, bool), String> = found
        .outcomes
        .iter()
        .map(|outcome| ((outcome.tally, !outcome.marks.is_empty()), outcome.schedules.decimal()))
        .collect();
    let expected = walked.iter().map(|(&shown, (count, _))| (shown, count.to_string())).collect();
    assert_eq!(counted, expected);
    for likelihood in likelihoods(scenario, &asked, goes_on).expect("it is small") {
        let (_, likely) = walked[&(likelihood.tally, !likelihood.marks.is_empty())];
        let share: f64 = likelihood.share.decimal(18).parse().expect("it is a number");
        assert!((share - likely).abs() < 1e-12, "{share} {likely}");
    }
}

#[test]
fn both_distributions_are_those_of_schedules_walked_one_by_one() {
    for clients in 1..=4 {
        agrees(&voucher(clients), &grants());
    }
    let writes = Tally { name: "writes".into(), steps: vec![(0, 4)], outcome: Some(Outcome::Accepted) };
    agrees(&reference(2), &writes);
}

#[track_caller]
fn check(clients: usize, expected: &[u32]) {
    let found = explore(&voucher(clients), &question(Some(grants()), &[]), &mut |_| ControlFlow::Continue(()));
    let counted: Vec<(u8, String)> =
        found.outcomes.iter().map(|outcome| (outcome.tally, outcome.schedules.decimal())).collect();
    let expected: Vec<(u8, String)> = (1..).zip(expected).map(|(tally, count)| (tally, count.to_string())).collect();
    assert_eq!(counted, expected);
}

#[test]
fn the_voucher_race_has_the_counts_of_an_independent_program() {
    check(2, &[2, 4]);
    check(3, &[6, 24, 36]);
    check(4, &[24, 144, 432, 576]);
}

#[test]
fn twenty_clients_have_an_exact_distribution() {
    let found = explore(&voucher(20), &question(Some(grants()), &[]), &mut |_| ControlFlow::Continue(()));
    assert_eq!(found.schedules().decimal(), "15285066092344975821946691816816640000");
    assert_eq!(found.tallied(20).decimal(), "5919012181389927685417441689600000000");
    assert!(found.states < 500, "clients that can't be told apart are one: {}", found.states);
}

#[test]
fn each_outcome_has_a_sample_that_shows_just_that() {
    let scenario = reference(2);
    let marks = [Mark::StaleWriteAccepted, Mark::LostUpdate];
    let asked = Question { marks: marks.to_vec(), ..Question::of_harm(Bounds::expiries(2)) };
    let found = explore(&scenario, &asked, &mut |_| ControlFlow::Continue(()));
    assert_eq!(found.outcomes.len(), 4, "none, one, the other, and both");
    for outcome in &found.outcomes {
        let run = run_replay(&scenario, &outcome.sample).expect("it is a schedule of this scenario");
        assert!(run.complete);
        let verdict = judge(&scenario, &run);
        let shown = [Property::StaleWriteAccepted, Property::LostUpdate].map(|property| verdict.shows(property));
        assert_eq!(shown, marks.map(|mark| outcome.marks.contains(&mark)));
    }
}
