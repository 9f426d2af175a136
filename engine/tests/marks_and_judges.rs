//! What a search sees in a schedule, with the little memory that it has, is what the
//! judges find in the whole trace of it.

use std::ops::ControlFlow;

use racescope_engine::check::judge;
use racescope_engine::explore::{Bounds, Mark, Question, random_schedule, sample};
use racescope_engine::sim::example::{guarded, impatient, reference, stale_overwrite};
use racescope_engine::sim::{Guard, Operation, Request, Scenario, run_replay};

const MARKS: [Mark; 4] = [Mark::StaleWriteAccepted, Mark::LostUpdate, Mark::TokenRegression, Mark::Aba];

/// Looks at so many random schedules both ways.
fn check(name: &str, scenario: &Scenario, bounds: Bounds) {
    let question = Question { marks: MARKS.to_vec(), ..Question::of_harm(bounds) };
    let mut harmful = 0;
    for seed in 0..3_000 {
        let sampling = sample(scenario, &question, seed, 1, &mut |_| ControlFlow::Continue(()));
        let schedule = random_schedule(scenario, &bounds, seed, 0);
        let run = run_replay(scenario, &schedule).expect("what was walked can be walked again");
        let verdict = judge(scenario, &run);
        let judged: Vec<Mark> = MARKS
            .into_iter()
            .filter(|&mark| verdict.findings.iter().any(|finding| Mark::harm_of(finding.property) == Some(mark)))
            .collect();
        let mut seen = sampling.outcomes[0].marks.clone();
        seen.sort_by_key(|mark| MARKS.iter().position(|known| known == mark));
        assert_eq!(seen, judged, "{name}, {bounds}, seed {seed}: {schedule}");
        harmful += usize::from(!judged.is_empty());
    }
    assert!(harmful > 30, "{name}, {bounds}: only {harmful} schedules do harm");
}

/// Two clients that read, add one and write, without a lock.
fn lockless() -> Scenario {
    let mut scenario = stale_overwrite();
    let storage = 2;
    scenario.nodes.remove(2);
    let program = &mut scenario.programs[0];
    program.steps = program.steps[1..4].to_vec();
    for step in &mut program.steps {
        if let Operation::Call { server, request } = &mut step.operation {
            *server = storage;
            if let Request::Write { token, .. } = request {
                *token = None;
            }
        }
    }
    scenario
}

/// The same for scenarios of every kind.
fn check_all(bounds: Bounds) {
    let compared = |scenario| guarded(scenario, Guard::VersionCompareAndSet);
    check("reference", &reference(2), bounds);
    check("three clients", &reference(3), bounds);
    check("stale overwrite", &stale_overwrite(), bounds);
    check("with deadlines", &impatient(stale_overwrite(), 400_000), bounds);
    check("lockless", &lockless(), bounds);
    check("compared", &compared(impatient(stale_overwrite(), 400_000)), bounds);
}

#[test]
fn where_a_service_crashes_and_an_older_state_comes_back() {
    check_all(Bounds { crashes: 2, restores: 2, late_messages: true, ..Bounds::expiries(2) });
}

#[test]
fn where_an_older_state_comes_back() {
    check_all(Bounds { restores: 3, ..Bounds::expiries(1) });
}

#[test]
fn where_nodes_forget_and_messages_come_twice() {
    check_all(Bounds { crashes: 2, duplicates: 2, lost_replies: 1, ..Bounds::expiries(1) });
}
