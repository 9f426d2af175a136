//! A request that is overtaken waits for another one, and for nothing longer than the run.

use racescope_engine::sim::example::{impatient, stale_overwrite};
use racescope_engine::sim::{Change, Fault, MessageReorder, Scenario, Trace, run_replay, run_timed_with_schedule};

/// Runs a scenario in which this call of A, counted from 0, is overtaken.
fn run(scenario: &Scenario, call: u16) -> Trace {
    let (run, schedule) = run_timed_with_schedule(scenario, &[Fault::MessageReorder(MessageReorder { node: 0, call })]);
    assert!(run.complete);
    let again = run_replay(scenario, &schedule).expect("every action was possible");
    assert!(again.changes().map(|(.., change)| change).eq(run.changes().map(|(.., change)| change)));
    run
}

/// The clients whose writes were accepted, in order.
fn accepted(run: &Trace) -> Vec<Option<u8>> {
    let accepted = run.changes().filter(|(.., change)| matches!(change, Change::Accepted { .. }));
    accepted.map(|(_, event, _)| event.client).collect()
}

#[test]
fn an_overtaken_write_is_handled_after_the_next_request_to_its_server() {
    assert_eq!(accepted(&run(&stale_overwrite(), 9)), [Some(0), Some(1)], "there is no such call");
    let run = run(&stale_overwrite(), 2);
    assert_eq!(accepted(&run), [Some(0), Some(1)], "B's read comes first");
    let read_by_b =
        run.changes().position(|(_, event, change)| matches!(change, Change::Read { .. }) && event.client == Some(1));
    let written_by_a = run.changes().position(|(.., change)| matches!(change, Change::Accepted { .. }));
    assert!(read_by_b < written_by_a);
}

#[test]
fn an_overtaken_request_whose_sender_has_gone_on_is_handled_too() {
    let run = run(&impatient(stale_overwrite(), 1_000_000), 2);
    assert_eq!(
        accepted(&run).iter().filter(|&&client| client == Some(0)).count(),
        2,
        "the write and what was sent again"
    );
}

#[test]
fn nobody_overtakes_themselves() {
    let run = run(&impatient(stale_overwrite(), 1_000_000), 2);
    let decided = run.changes().filter_map(|(_, event, change)| match change {
        Change::Accepted { .. } => Some((event.client, "writes")),
        Change::Read { .. } => Some((event.client, "reads")),
        _ => None,
    });
    let (a, b) = (Some(0), Some(1));
    assert_eq!(
        decided.collect::<Vec<_>>(),
        [(a, "reads"), (a, "writes"), (b, "reads"), (a, "writes"), (b, "writes")],
        "what A sends again comes before what it had sent, and B's read lets that go"
    );
}
