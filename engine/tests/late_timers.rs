//! Timers of servers that fire long after everybody has gone.

use racescope_engine::sim::{
    Answer, Ask, Client, Granularity, Meaning, Node, NodeKind, Operation, Outcome, Program, Role, Scenario, Step,
    SystemNode, Target, Template, run_timed,
};
use racescope_engine::system::setup::Setup;

/// A client that says these commands to a service with idempotency keys, which keeps
/// each key for a day, and goes on for ever with the last one or ends.
fn is_complete(commands: &[&str], for_ever: bool) -> bool {
    let last = commands.len() - 1;
    let step = |(place, say): (usize, &&str)| {
        let target = if for_ever && place == last { Target::Step(last as u8) } else { Target::Next };
        let reply = Template::answer("*", &[]).expect("it is one");
        let ask = Ask {
            say: Template::command(say, &[]).expect("it is one"),
            meaning: Meaning::Nothing,
            answers: vec![Answer { reply, outcome: Outcome::Done, target }],
            token: None,
            segment: None,
            conditional: false,
            in_place: false,
            forged: false,
        };
        let operation = Operation::Ask { server: 1, ask };
        Step { work_us: 60_000_000, operation, branches: vec![], at_once: false, timeout_us: None }
    };
    let steps = commands.iter().enumerate().map(step).collect();
    let service = SystemNode {
        setup: Setup { kind: "idempotency".into(), keys: vec!["k".into()], ..Setup::default() },
        at_start: vec![],
        latency_us: 100_000,
        role: Role::Server,
        unlock: None,
        change_leader: None,
    };
    let client = NodeKind::Client(Client { letter: 'A', program: 0, starts_us: 0, thread_of: None });
    let nodes = vec![
        Node { title: "Client A".into(), kind: client },
        Node { title: "Service".into(), kind: NodeKind::System(service) },
    ];
    let programs = vec![Program { name: "pay".into(), steps, registers: vec![] }];
    let scenario = Scenario { nodes, programs, granularity: Granularity::SendServeDeliver };
    scenario.validate().expect("it is sound");
    run_timed(&scenario, &[]).complete
}

#[test]
fn a_run_is_whole_though_a_server_would_forget_something_tomorrow() {
    assert!(is_complete(&["POST k a", "EFFECT", "ANSWER"], false));
    assert!(!is_complete(&["POST k a", "EFFECT", "ANSWER"], true));
}
