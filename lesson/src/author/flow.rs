//! Whether a program comes to an end.
//!
//! Each step that can be reached must have a way to an end. With that, no run can
//! go round for ever without taking time: what takes none has only one outcome, so
//! that a circle of such steps would have no way out of it. The exception is a
//! circle round a comparison; a run in it ends at the limit of events, and says so.

use racescope_engine::sim::{Operation, Outcome, Target};

use super::mistake::Complaint;
use super::steps::StepAndOutcomes;

/// What is wrong with the ways through a program, with the steps that it concerns.
pub(super) fn complaints(steps: &[StepAndOutcomes]) -> Vec<(usize, Complaint)> {
    let ways: Vec<Vec<usize>> = (0..steps.len()).map(|at| ways_from(steps, at)).collect();
    let reached = spread(&ways, &[0]);
    let ends = spread(&turned(&ways), &[steps.len()]);
    let mut complaints = Vec::new();
    for at in 0..steps.len() {
        if !reached[at] {
            complaints.push((at, Complaint::new("no way leads to this step", "Take it out, or branch to its label.")));
        } else if !ends[at] {
            let cure = "Let one of its outcomes lead to \"stop\", or to a step that comes to an end.";
            complaints.push((at, Complaint::new("no way leads from this step to an end", cure)));
        }
    }
    complaints
}

/// The steps that can follow a step; the number of steps stands for the end.
fn ways_from(steps: &[StepAndOutcomes], at: usize) -> Vec<usize> {
    let (step, outcomes) = &steps[at];
    let way = |target| match target {
        Target::Next => at + 1,
        Target::Step(step) => step.into(),
        Target::Stop | Target::End => steps.len(),
    };
    let lead = |&outcome: &Outcome| way(step.target(outcome));
    match step.operation {
        Operation::Stop => vec![steps.len()],
        Operation::Ask { ref ask, .. } => {
            let timeout = step.timeout_us.map(|_| step.target(Outcome::TimedOut));
            ask.answers.iter().map(|answer| answer.target).chain(timeout).map(way).collect()
        }
        _ => outcomes.iter().chain(step.timeout_us.map(|_| &Outcome::TimedOut)).map(lead).collect(),
    }
}

/// The same ways, walked backwards; the last is the end.
fn turned(ways: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut turned = vec![Vec::new(); ways.len() + 1];
    for (from, ways) in ways.iter().enumerate() {
        for &to in ways {
            turned[to].push(from);
        }
    }
    turned
}

/// What can be reached by these ways from these places.
fn spread(ways: &[Vec<usize>], from: &[usize]) -> Vec<bool> {
    let mut reached = vec![false; ways.len() + 1];
    let mut open = from.to_vec();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            open.extend(ways.get(at).into_iter().flatten());
        }
    }
    reached
}
