//! Copies on real systems: which version they have, by what they and their source say.

use racescope_engine::sim::{
    Answer, Ask, Change, Client, Comparing, Fault, Granularity, Meaning, Node, NodeKind, Operation, Outcome, Part,
    Program, ReplicaLag, Role, Scenario, Step, SystemNode, Target, Template, run_timed,
};
use racescope_engine::system::setup::Setup;

const PRIMARY: u8 = 1;
const COPY: u8 = 2;

/// One client writes to a table and reads from its copy at once, and again after half a second.
fn scenario(source_ask: &str) -> Scenario {
    let ask = |server, say: &str, meaning, reply: &str, outcome, work_us| {
        let say = Template::command(say, &[]).expect("a command");
        let reply = Template::answer(reply, &[]).expect("an answer");
        let answers = vec![Answer { reply, outcome, target: Target::Next }];
        let ask = Ask {
            say,
            meaning,
            answers,
            token: None,
            segment: None,
            conditional: false,
            in_place: false,
            forged: false,
        };
        let operation = Operation::Ask { server, ask };
        Step { work_us, operation, branches: vec![], at_once: false, timeout_us: None }
    };
    let read = |work_us| ask(COPY, "GetItem l", Meaning::Read, "200 *", Outcome::Done, work_us);
    let write = ask(PRIMARY, "UpdateItem l SET v=v+1", Meaning::Write, "200", Outcome::Accepted, 500_000);
    let setup = Setup { kind: "dynamodb".into(), keys: vec!["l".into()], lag_us: 100_000, ..Setup::default() };
    let data = |copy_of| Role::Data { first_version: 1, copy_of };
    let system = SystemNode {
        setup,
        at_start: vec!["PutItem l v=7".into()],
        latency_us: 10_000,
        role: data(None),
        unlock: None,
        change_leader: None,
    };
    let comparing = Comparing { copy: "GetItem l".into(), source: source_ask.into() };
    let copy = Part { of: Some(PRIMARY), role: data(Some((PRIMARY, comparing))) };
    let client = Client { letter: 'A', program: 0, starts_us: 0, thread_of: None };
    let node = |title: &str, kind| Node { title: title.into(), kind };
    Scenario {
        nodes: vec![
            node("Client A", NodeKind::Client(client)),
            node("Table", NodeKind::System(system)),
            node("Copy", NodeKind::Part(copy)),
        ],
        programs: vec![Program {
            name: "read-old".into(),
            steps: vec![write, read(0), read(500_000)],
            registers: vec![],
        }],
        granularity: Granularity::SendServeDeliver,
    }
}

/// What befalls the copy: what it gives, and with what it catches up.
fn check(scenario: &Scenario, faults: &[Fault], expected: &str) {
    assert_eq!(scenario.validate(), Ok(()));
    let trace = run_timed(scenario, faults);
    let of_copy = trace.changes().filter(|(_, event, _)| event.actor == COPY);
    let told = of_copy.filter_map(|(_, event, change)| match change {
        Change::Read { version, .. } => Some(format!("{} ms gives v{version}", event.at_us / 1_000)),
        Change::CaughtUp { version } => Some(format!("{} ms has v{version}", event.at_us / 1_000)),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>().join("\n"), expected);
}

#[test]
fn a_copy_on_the_server_of_its_source_is_asked_in_its_own_words() {
    check(&scenario("GetItem l ConsistentRead"), &[], "530 ms gives v1\n610 ms has v2\n1050 ms gives v2");
}

#[test]
fn a_copy_that_hears_nothing_stays_as_it_was() {
    let lag = Fault::ReplicaLag(ReplicaLag { node: PRIMARY, at_us: 400_000, lasts_us: 1_000_000 });
    check(&scenario("GetItem l ConsistentRead"), &[lag], "530 ms gives v1\n1050 ms gives v1\n1400 ms has v2");
}

#[test]
fn where_one_question_is_for_both_they_are_never_apart() {
    check(&scenario("GetItem l"), &[], "510 ms has v2\n530 ms gives v2\n1050 ms gives v2");
}

#[test]
fn what_answers_no_question_is_no_copy_of_anything() {
    let mut scenario = scenario("GetItem nothing");
    if let NodeKind::Part(Part { role: Role::Data { copy_of: Some((_, comparing)), .. }, .. }) =
        &mut scenario.nodes[usize::from(COPY)].kind
    {
        comparing.copy = "GetItem nothing".into();
    }
    check(&scenario, &[], "530 ms gives v1\n1050 ms gives v1");
}
