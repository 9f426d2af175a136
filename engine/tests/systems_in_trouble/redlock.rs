//! Redlock on five nodes that come and go, by each of its libraries.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use racescope_engine::system::redis::{Redis, Version};
use racescope_engine::system::redlock::{Accepts, Decision, Library, Reading, Verdict, Vote, quorum};

use crate::redis_node::Node;

const NODES: usize = 5;
const CLIENTS: usize = 3;
const LEASE_MS: i64 = 300;

/// Something that happens: to a client, with the nodes that it reaches as bits, or to a node.
#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A client asks for the lock or, if it holds it, extends it; this long it takes.
    Take(usize, u8, i64),
    Release(usize, u8),
    Pass(i64),
    /// A node restarts with its keys on disk, or without.
    Restart(usize, bool),
}

fn happening() -> impl Strategy<Value = Happening> {
    let reached = || prop_oneof![2 => Just(31u8), 3 => 0..32u8];
    prop_oneof![
        6 => (0..CLIENTS, reached(), prop_oneof![3 => 0..30i64, 1 => 0..400i64]).prop_map(|(client, reached, ms)| Happening::Take(client, reached, ms)),
        2 => (0..CLIENTS, reached()).prop_map(|(client, reached)| Happening::Release(client, reached)),
        2 => (0..200i64).prop_map(Happening::Pass),
        4 => (0..NODES, any::<bool>()).prop_map(|(node, keeps_memory)| Happening::Restart(node, keeps_memory)),
    ]
}

struct Cluster {
    nodes: Vec<Node<Redis>>,
    now: Reading,
    held: [Option<Decision>; CLIENTS],
}

impl Cluster {
    fn start() -> Self {
        let redis = || Redis::new(Version::V7_0, &["k"], &["c0", "c1", "c2"]).expect("the names fit");
        Self {
            nodes: (0..NODES).map(|_| Node::start(redis())).collect(),
            now: Reading::default(),
            held: [None; CLIENTS],
        }
    }

    fn ask(&mut self, client: usize, reached: u8, words: &str) -> [Vote; NODES] {
        core::array::from_fn(|node| {
            let reply = (reached >> node & 1 == 1).then(|| self.nodes[node].ask(client as u8, words)).flatten();
            Vote::of(reply.as_ref())
        })
    }

    fn pass(&mut self, ms: i64) {
        self.now.wall_us += ms * 1_000;
        self.now.monotonic_us += ms * 1_000;
        self.nodes.iter_mut().for_each(|node| node.pass(ms));
    }

    fn is_good(&self, library: &Library, client: usize) -> bool {
        self.held[client].is_some_and(|decision| decision.is_good_at(library.read(self.now)))
    }

    fn step(&mut self, library: &Library, happening: Happening, loses_memory: bool) {
        match happening {
            Happening::Take(client, reached, round_ms) => {
                let words = if self.is_good(library, client) {
                    format!("EVAL EXTEND 1 k c{client} {LEASE_MS}")
                } else {
                    format!("SET k c{client} NX PX {LEASE_MS}")
                };
                let start = self.now;
                let votes = self.ask(client, reached, &words);
                self.pass(round_ms);
                let decision = library.decide(LEASE_MS.unsigned_abs() * 1_000, start, self.now, &votes);
                if decision.verdict != Verdict::Refused {
                    assert!(decision.votes >= quorum(NODES), "without a majority there is no lock");
                    self.held[client] = Some(decision);
                } else if !self.is_good(library, client) {
                    self.step(library, Happening::Release(client, reached), loses_memory);
                }
            }
            Happening::Release(client, reached) => {
                self.held[client] = None;
                self.ask(client, reached, &format!("EVAL CAD 1 k c{client}"));
            }
            Happening::Pass(ms) => self.pass(ms),
            Happening::Restart(node, keeps_memory) => self.nodes[node].restart(keeps_memory || !loses_memory),
        }
    }
}

/// How often two clients were both within their validity, in random schedules.
fn overlaps(library: &Library, loses_memory: bool) -> u32 {
    let overlaps = Cell::new(0);
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let dice = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let happenings = proptest::collection::vec(happening(), 1..40);
    let walked = TestRunner::new_with_rng(config, dice).run(&happenings, |happenings| {
        let mut cluster = Cluster::start();
        for happening in happenings {
            cluster.step(library, happening, loses_memory);
            let holders = (0..CLIENTS).filter(|&client| cluster.is_good(library, client)).count();
            overlaps.set(overlaps.get() + u32::from(holders > 1));
        }
        Ok(())
    });
    if let Err(failure) = walked {
        panic!("{failure}");
    }
    overlaps.get()
}

#[test]
fn redlock_excludes_while_nodes_keep_their_keys_and_clients_look_at_the_time() {
    for library in Library::ALL {
        let looks_at_time = library.accepts != Accepts::QuorumAlone;
        // Who takes no account of drift is saved by the nodes' clocks, which are right here.
        if looks_at_time {
            assert_eq!(overlaps(&library, false), 0, "{}", library.name);
        }
    }
}

/// The witness: a node that forgets its keys gives a second client its majority.
#[test]
fn redlock_does_not_exclude_when_nodes_lose_their_memory() {
    for library in Library::ALL {
        assert!(overlaps(&library, true) > 0, "{}", library.name);
    }
}
