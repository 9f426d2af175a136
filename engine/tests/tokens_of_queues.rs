//! A lock with a queue names the token when a client queues, and grants it later.

use racescope_engine::check::{Property, judge};
use racescope_engine::sim::{
    Answer, Ask, Change, Client, Granularity, Held, Meaning, Node, NodeKind, Operation, Outcome, Probe, Program, Role,
    Scenario, Step, SystemNode, Target, Template, run_timed,
};
use racescope_engine::system::setup::Setup;

const VALUES: [&str; 1] = ["rev"];
/// The place of etcd among the nodes.
const ETCD: u8 = 2;

/// A command, with the answers that are expected, what each is, and where it leads.
fn ask(say: &str, meaning: Meaning, answers: &[(&str, Outcome, Target)]) -> Step {
    let answer = |&(reply, outcome, target): &(&str, Outcome, Target)| {
        let reply = Template::answer(reply, &VALUES).expect("it is one");
        Answer { reply, outcome, target }
    };
    let ask = Ask {
        say: Template::command(say, &VALUES).expect("it is one"),
        meaning,
        answers: answers.iter().map(answer).collect(),
        token: (meaning == Meaning::Acquire).then_some(0),
        segment: None,
        conditional: false,
        in_place: false,
        forged: false,
    };
    let operation = Operation::Ask { server: ETCD, ask };
    Step { work_us: 100_000, operation, branches: vec![], at_once: false, timeout_us: None }
}

/// Two clients that lock, one after the other, with a lease of so many seconds for the second.
fn run(lease_of_b_s: u16) -> Vec<String> {
    let client = |letter: char, ttl_s: u16, starts_us| {
        let steps = vec![
            ask(&format!("lease grant {ttl_s} --id=$me"), Meaning::Nothing, &[("*", Outcome::Done, Target::Next)]),
            ask(
                "lock mtx $me",
                Meaning::Acquire,
                &[
                    ("key mtx/$me, revision $rev", Outcome::Granted, Target::Step(3)),
                    ("queued mtx/$me, create_revision $rev", Outcome::Busy, Target::Next),
                ],
            ),
            ask(
                "lock mtx $me since $rev",
                Meaning::Acquire,
                &[("key *", Outcome::Granted, Target::Next), ("mutex: *", Outcome::Lost, Target::Stop)],
            ),
            ask("put k $me", Meaning::Nothing, &[("*", Outcome::Done, Target::Next)]),
            ask("unlock mtx/$me", Meaning::Release, &[("*", Outcome::Done, Target::Next)]),
        ];
        let program = Program { name: letter.to_string(), steps, registers: vec!["rev".into()] };
        let place = letter as u8 - b'A';
        let kind = NodeKind::Client(Client { letter, program: place, starts_us, thread_of: None });
        (Node { title: format!("Client {letter}"), kind }, program)
    };
    let (a, first) = client('A', 60, 0);
    let (b, second) = client('B', lease_of_b_s, 150_000);
    let probe = Probe {
        ask: "get mtx/ --prefix --sort-by=CREATE --limit=1".into(),
        reply: Template::answer("key mtx/$me, *", &[]).expect("it is one"),
    };
    let setup = Setup { kind: "etcd".into(), keys: vec!["k".into()], ..Setup::default() };
    let etcd = SystemNode {
        setup,
        at_start: vec![],
        latency_us: 100_000,
        role: Role::Lock { first_token: 1, held: Held::ByProbe(probe) },
        unlock: None,
        change_leader: None,
    };
    let nodes = vec![a, b, Node { title: "etcd".into(), kind: NodeKind::System(etcd) }];
    let scenario = Scenario { nodes, programs: vec![first, second], granularity: Granularity::SendServeDeliver };
    scenario.validate().expect("it is sound");
    let trace = run_timed(&scenario, &[]);
    assert!(!judge(&scenario, &trace).shows(Property::TokenRegression));
    let told = |event: &racescope_engine::sim::Event, change| match change {
        Change::Learned { outcome, token, .. } if token != 0 => Some((event.actor, outcome, token)),
        _ => None,
    };
    let told = trace.changes().filter_map(|(_, event, change)| told(event, change));
    told.map(|(actor, outcome, token)| format!("{} {outcome:?} {token}", ['A', 'B'][usize::from(actor)])).collect()
}

#[test]
fn who_has_queued_is_granted_the_token_of_its_place() {
    assert_eq!(run(60), ["A Granted 2", "A Done 2", "B Granted 3", "B Done 3"]);
}
