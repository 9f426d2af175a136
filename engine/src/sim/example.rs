//! Two small scenarios for documentation and tests.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

pub use super::digest::digest_of_seeds;
use super::lock::LeaseLock;
use super::scenario::{
    Branch, Client, Granularity, Node, NodeKind, Operation, Outcome, Program, Request, Scenario, Step, Target,
};
use super::storage::{Guard, VersionedRegister};

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

fn scenario(steps: Vec<Step>, starts_us: &[u64], granularity: Granularity) -> Scenario {
    let mut nodes: Vec<Node> = ('A'..='Z')
        .zip(starts_us)
        .map(|(letter, &starts_us)| Node {
            title: "Client ".to_string() + &letter.to_string(),
            kind: NodeKind::Client(Client { letter, program: 0, starts_us, thread_of: None }),
        })
        .collect();
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
