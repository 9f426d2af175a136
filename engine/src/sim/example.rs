//! Three small scenarios for documentation and tests.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::command::{Answer, Ask, Meaning};
pub use super::digest::digest_of_seeds;
use super::lock::LeaseLock;
use super::scenario::{
    Branch, Client, Granularity, Node, NodeKind, Operation, Outcome, Program, Request, Scenario, Step, Target,
};
use super::storage::{Guard, VersionedRegister};
use super::template::Template;
use super::thing::{Comparing, Held, Part, Probe, Role, SystemNode};
use crate::system::setup::Setup;

/// Two clients, a lock with a lease of three seconds, and storage that accepts
/// every write. Each client acquires, reads, computes, writes and releases.
pub fn stale_overwrite() -> Scenario {
    let step = |operation, work_us, branches| Step { work_us, operation, branches, at_once: false, timeout_us: None };
    let call = |server, request, work_us, branches| step(Operation::Call { server, request }, work_us, branches);
    let retry = vec![Branch { outcome: Outcome::Busy, target: Target::Step(6) }];
    let steps = vec![
        call(2, Request::Acquire { ttl_us: 3_000_000, token: 0, blocking: false }, 50_000, retry),
        call(3, Request::Read { version: 1, value: 2 }, 150_000, vec![]),
        step(Operation::Compute { from: 2, into: 2, add: 1 }, 150_000, vec![]),
        call(3, Request::Write { value: 2, based_on: 1, token: Some(0) }, 150_000, vec![]),
        call(2, Request::Release { token: 0 }, 700_000, vec![]),
        step(Operation::Stop, 0, vec![]),
        step(Operation::Wait { us: 200_000 }, 0, vec![Branch { outcome: Outcome::Done, target: Target::Step(0) }]),
    ];
    scenario(steps, &[150_000, 3_500_000], Granularity::SendServeDeliver)
}

/// The reference scenario of the searches, for `clients` clients: acquire when
/// free, check that the lease is still held or else stop, read, compute, write
/// with the token, release if it is still held. Each arrow is one action.
pub fn reference(clients: usize) -> Scenario {
    let lock = clients as u8;
    let storage = lock + 1;
    let step = |operation, branches| Step { work_us: 0, operation, branches, at_once: false, timeout_us: None };
    let call = |server, request, branches| step(Operation::Call { server, request }, branches);
    let lost = vec![Branch { outcome: Outcome::Lost, target: Target::Stop }];
    let steps = vec![
        call(lock, Request::Acquire { ttl_us: 3_000_000, token: 0, blocking: true }, vec![]),
        call(lock, Request::Check { token: 0 }, lost),
        call(storage, Request::Read { version: 1, value: 2 }, vec![]),
        step(Operation::Compute { from: 2, into: 2, add: 1 }, vec![]),
        call(storage, Request::Write { value: 2, based_on: 1, token: Some(0) }, vec![]),
        call(lock, Request::Release { token: 0 }, vec![]),
    ];
    scenario(steps, &vec![0; clients], Granularity::Call)
}

/// Clients that lock a Redis primary whose replica lags, read its replica, and write
/// what they have read plus one. It needs the feature `systems`.
pub fn replicated(clients: usize) -> Scenario {
    let (redis, value, copy) = (clients as u8, clients as u8 + 1, clients as u8 + 2);
    let ask = |server, say, meaning, answers: &[(&str, Outcome, Target)]| Step {
        work_us: 100_000,
        operation: Operation::Ask { server, ask: ask(say, meaning, answers) },
        branches: vec![],
        at_once: false,
        timeout_us: None,
    };
    let steps = vec![
        ask(
            redis,
            "SET lock $me NX PX 3000",
            Meaning::Acquire,
            &[("+OK", Outcome::Granted, Target::Next), ("nil", Outcome::Busy, Target::Step(0))],
        ),
        ask(copy, "replica GET x", Meaning::Read, &[("$value", Outcome::Done, Target::Next)]),
        ask(value, "SET x $value+1", Meaning::Write, &[("+OK", Outcome::Accepted, Target::Next)]),
        ask(redis, "EVAL CAD 1 lock $me", Meaning::Release, &[("*", Outcome::Done, Target::Next)]),
    ];
    let probe = Probe { ask: "GET lock".to_string(), reply: answer("$me") };
    let comparing = Comparing { copy: "replica GET x".to_string(), source: "GET x".to_string() };
    let system = SystemNode {
        setup: Setup {
            kind: "redis-pair".to_string(),
            keys: vec!["lock".to_string(), "x".to_string()],
            words: ('a'..='z').take(clients).map(String::from).collect(),
            lag_us: 500_000,
            ..Setup::default()
        },
        at_start: vec!["SET x 7".to_string()],
        latency_us: 100_000,
        role: Role::Lock { first_token: 33, held: Held::ByProbe(probe) },
        unlock: Some("DEL lock".to_string()),
        change_leader: Some("replica REPLICAOF NO ONE".to_string()),
    };
    let data = |copy_of| NodeKind::Part(Part { of: Some(redis), role: Role::Data { first_version: 1, copy_of } });
    let mut nodes = client_nodes(&vec![0; clients]);
    for (title, kind) in
        [("Redis", NodeKind::System(system)), ("Value", data(None)), ("Replica", data(Some((value, comparing))))]
    {
        nodes.push(Node { title: title.to_string(), kind });
    }
    let programs = vec![Program { name: "count".to_string(), steps, registers: vec!["value".to_string()] }];
    debug_assert_eq!(nodes.len(), usize::from(copy) + 1);
    Scenario { nodes, programs, granularity: Granularity::SendServeDeliver }
}

fn ask(say: &str, meaning: Meaning, answers: &[(&str, Outcome, Target)]) -> Ask {
    let say = Template::command(say, &VALUES).unwrap_or_default();
    let answers = answers.iter().map(|&(reply, outcome, target)| Answer { reply: answer(reply), outcome, target });
    let answers = answers.collect();
    Ask { say, meaning, answers, token: None, segment: None, conditional: false, in_place: false, forged: false }
}

/// The values of a program of [`replicated`].
const VALUES: [&str; 1] = ["value"];

fn answer(reply: &str) -> Template {
    Template::answer(reply, &VALUES).unwrap_or_default()
}

/// The same scenario, in which each call has a deadline by its client's clock. What
/// client can't know makes it give up, except that it sends a write again.
#[must_use]
pub fn impatient(mut scenario: Scenario, timeout_us: u64) -> Scenario {
    let steps = scenario.programs.iter_mut().flat_map(|program| (0..).zip(&mut program.steps));
    for (place, step) in steps {
        if let Operation::Call { request, .. } = step.operation {
            step.timeout_us = Some(timeout_us);
            let target = if let Request::Write { .. } = request { Target::Step(place) } else { Target::Stop };
            step.branches.push(Branch { outcome: Outcome::TimedOut, target });
        }
    }
    scenario
}

/// The same scenario with another guard on its storage.
#[must_use]
pub fn guarded(mut scenario: Scenario, guard: Guard) -> Scenario {
    for node in &mut scenario.nodes {
        if let NodeKind::Storage(storage) = &mut node.kind {
            storage.guard = guard;
        }
    }
    scenario
}

fn client_nodes(starts_us: &[u64]) -> Vec<Node> {
    let client = |(letter, &starts_us): (char, &u64)| Node {
        title: "Client ".to_string() + &letter.to_string(),
        kind: NodeKind::Client(Client { letter, program: 0, starts_us, thread_of: None }),
    };
    ('A'..='Z').zip(starts_us).map(client).collect()
}

fn scenario(steps: Vec<Step>, starts_us: &[u64], granularity: Granularity) -> Scenario {
    let mut nodes = client_nodes(starts_us);
    nodes.push(Node {
        title: "Lock service".to_string(),
        kind: NodeKind::Lock(LeaseLock { first_token: 33, latency_us: 200_000, expires: true }),
    });
    nodes.push(Node {
        title: "Storage".to_string(),
        kind: NodeKind::Storage(VersionedRegister {
            guard: Guard::LastWriteWins,
            first_version: 7,
            first_value: 0,
            first_fence: 32,
            latency_us: 250_000,
        }),
    });
    let registers = ["token", "version", "value"].map(ToString::to_string).to_vec();
    let programs = vec![Program { name: "update-report".to_string(), steps, registers }];
    Scenario { nodes, programs, granularity }
}
