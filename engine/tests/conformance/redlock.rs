//! Redlock on five Redis nodes: the rows of the table, each library's own ways, and what
//! holds for any answers.

use crate::redis_node::Node;
use proptest::prelude::*;
use racescope_engine::system::redis::{Redis, Reply, Version};
use racescope_engine::system::redlock::{
    Accepts, Decision, Delay, ExtendAfterEnd, Library, OnFailedNode, Reading, Rounds, Verdict, Vote, quorum,
    valid_by_votes,
};

const ALL: &str = "ABCDE";
const C1: u8 = 0;
const C2: u8 = 1;
const C3: u8 = 2;

/// Five nodes, A to E, and the clocks of the clients, which all show the same.
struct Cluster {
    nodes: Vec<Node<Redis>>,
    now: Reading,
}

impl Cluster {
    fn start() -> Self {
        let redis = || Redis::new(Version::V7_0, &["k"], &["c1", "c2", "c3"]).expect("the names fit");
        Self { nodes: (0..5).map(|_| Node::start(redis())).collect(), now: Reading::default() }
    }

    fn node(&mut self, letter: char) -> &mut Node<Redis> {
        &mut self.nodes[ALL.find(letter).expect("a node from A to E")]
    }

    /// Lets time pass everywhere.
    fn pass(&mut self, ms: i64) {
        self.now.wall_us += ms * 1_000;
        self.now.monotonic_us += ms * 1_000;
        for node in &mut self.nodes {
            node.pass(ms);
        }
    }

    /// Sends a command to the nodes that can be reached; the others fail.
    fn ask(&mut self, client: u8, reached: &str, command: &str) -> Vec<Vote> {
        let mut ask = |letter| -> Option<Reply> {
            if reached.contains(letter) { self.node(letter).ask(client, command) } else { None }
        };
        ALL.chars().map(|letter| Vote::of(ask(letter).as_ref())).collect()
    }

    /// One try to take the lock: it asks, decides, and releases if it has to.
    fn take(&mut self, library: &Library, client: u8, reached: &str, lease_ms: u64, round_ms: i64) -> Decision {
        let start = self.now;
        let votes = self.ask(client, reached, &format!("SET k {} NX PX {lease_ms}", name(client)));
        self.pass(round_ms);
        let decision = library.decide(lease_ms * 1_000, start, self.now, &votes);
        if decision.verdict == Verdict::Refused {
            // The call ends with this try, so all of them release now.
            self.release(client, reached);
        }
        decision
    }

    fn release(&mut self, client: u8, reached: &str) {
        self.ask(client, reached, &format!("EVAL CAD 1 k {}", name(client)));
    }

    /// One try to extend the lock.
    fn extend(&mut self, library: &Library, client: u8, lease_ms: u64, script: &str) -> Decision {
        let start = self.now;
        let votes = self.ask(client, ALL, &format!("EVAL {script} 1 k {} {lease_ms}", name(client)));
        library.decide(lease_ms * 1_000, start, self.now, &votes)
    }

    /// What the nodes hold, from A to E.
    fn keys(&mut self) -> String {
        let held: Vec<String> = self.nodes.iter_mut().map(|node| node.say(C1, "GET k")).collect();
        held.join(",")
    }
}

fn name(client: u8) -> String {
    format!("c{}", client + 1)
}

#[test]
fn rl1_a_stepped_clock_lets_two_hold_the_lock() {
    let mut cluster = Cluster::start();
    let reference = Library::REDLOCK_RB;
    let first = cluster.take(&reference, C1, "ABC", 10_000, 1);
    assert_eq!((first.verdict, first.votes), (Verdict::Held, 3));
    assert_eq!(first.validity_us, 9_897_000);

    let second = cluster.take(&reference, C2, ALL, 10_000, 1);
    assert_eq!((second.verdict, second.votes), (Verdict::Refused, 2));
    assert_eq!(cluster.keys(), "c1,c1,c1,nil,nil");

    cluster.node('C').step(15_000);
    let third = cluster.take(&reference, C2, "CDE", 10_000, 1);
    assert_eq!((third.verdict, third.votes), (Verdict::Held, 3));
    assert_eq!(cluster.keys(), "c1,c1,c2,c2,c2");
    assert!(first.is_good_at(reference.read(cluster.now)), "the first still believes");
}

#[test]
fn rl2_a_pause_before_the_decision_is_noticed() {
    let mut cluster = Cluster::start();
    let decision = cluster.take(&Library::REDLOCK_RB, C1, ALL, 300, 400);
    assert_eq!((decision.verdict, decision.votes), (Verdict::Refused, 5));
    assert_eq!((decision.elapsed_us, decision.drift_us, decision.validity_us), (400_000, 5_000, -105_000));
    assert_eq!(cluster.keys(), "nil,nil,nil,nil,nil");
}

#[test]
fn rl2_a_round_that_comes_too_late_releases_what_it_still_holds() {
    let mut cluster = Cluster::start();
    let decision = cluster.take(&Library::REDLOCK_RB, C1, ALL, 300, 296);
    assert_eq!((decision.verdict, decision.validity_us), (Verdict::Refused, -1_000));
    assert_eq!(cluster.keys(), "nil,nil,nil,nil,nil");
    assert_eq!(cluster.node('A').say(C1, "PTTL k"), "-2");
}

#[test]
fn rl3_a_pause_after_the_decision_is_not() {
    let mut cluster = Cluster::start();
    let reference = Library::REDLOCK_RB;
    let first = cluster.take(&reference, C1, ALL, 300, 1);
    assert_eq!(first.verdict, Verdict::Held);
    cluster.pass(500);
    let second = cluster.take(&reference, C2, ALL, 300, 1);
    assert_eq!(second.verdict, Verdict::Held);
    assert!(!first.is_good_at(reference.read(cluster.now)), "it would know if it looked again");
    assert_eq!(cluster.keys(), "c2,c2,c2,c2,c2");
}

#[test]
fn rl4_votes_that_are_split_give_it_to_nobody() {
    let mut cluster = Cluster::start();
    let reaches = [(C1, "AB"), (C2, "CD"), (C3, "E")];
    let mut votes = Vec::new();
    for (client, reached) in reaches {
        cluster.ask(client, reached, &format!("SET k {} NX PX 10000", name(client)));
    }
    assert_eq!(cluster.keys(), "c1,c1,c2,c2,c3");
    for (client, own) in reaches {
        let others: String = ALL.chars().filter(|letter| !own.contains(*letter)).collect();
        let refused = cluster.ask(client, &others, &format!("SET k {} NX PX 10000", name(client)));
        assert!(!refused.contains(&Vote::Granted));
        let all = ALL.chars().map(|letter| if own.contains(letter) { Vote::Granted } else { Vote::Refused });
        votes.push(Library::REDLOCK_RB.decide(10_000_000, cluster.now, cluster.now, &all.collect::<Vec<_>>()));
    }
    let counts: Vec<usize> = votes.iter().map(|decision| decision.votes).collect();
    assert_eq!(counts, [2, 2, 1]);
    assert!(votes.iter().all(|decision| decision.verdict == Verdict::Refused));
}

#[test]
fn rl5_a_node_that_lost_its_key_lets_two_hold_the_lock() {
    let mut cluster = Cluster::start();
    let first = cluster.take(&Library::REDLOCK_RB, C1, "ABC", 60_000, 1);
    assert_eq!(first.verdict, Verdict::Held);
    cluster.node('C').restart(false);
    assert_eq!(cluster.node('C').say(C2, "GET k"), "nil");
    let second = cluster.take(&Library::REDLOCK_RB, C2, "CDE", 60_000, 1);
    assert_eq!(second.verdict, Verdict::Held);
    assert_eq!(cluster.keys(), "c1,c1,c2,c2,c2");
}

#[test]
fn rl5_a_node_that_stays_out_for_a_lease_does_not() {
    let mut cluster = Cluster::start();
    let reference = Library::REDLOCK_RB;
    let first = cluster.take(&reference, C1, "ABC", 60_000, 1);
    cluster.node('C').restart(false);
    let second = cluster.take(&reference, C2, "ABDE", 60_000, 1);
    assert_eq!((second.verdict, second.votes), (Verdict::Refused, 2), "C is still out");
    cluster.pass(60_000);
    let third = cluster.take(&reference, C2, "CDE", 60_000, 1);
    assert_eq!(third.verdict, Verdict::Held);
    assert!(!first.is_good_at(reference.read(cluster.now)));
}

#[test]
fn a_node_that_failed_is_released_too() {
    let mut cluster = Cluster::start();
    cluster.ask(C1, "AB", "SET k c1 NX PX 10000");
    // The replies of A and B are lost: to the client they have failed.
    let decision = Library::REDLOCK_RB.decide(10_000_000, cluster.now, cluster.now, &[Vote::Failed; 5]);
    assert_eq!((decision.verdict, decision.votes), (Verdict::Refused, 0));
    assert_eq!(cluster.keys(), "c1,c1,nil,nil,nil");
    cluster.release(C1, ALL);
    assert_eq!(cluster.keys(), "nil,nil,nil,nil,nil");
}

#[test]
fn extending_needs_a_majority_within_the_lease_and_the_key() {
    let mut cluster = Cluster::start();
    let reference = Library::REDLOCK_RB;
    cluster.take(&reference, C1, ALL, 300, 1);
    cluster.pass(200);
    let extended = cluster.extend(&reference, C1, 300, "EXTEND");
    assert_eq!((extended.verdict, extended.votes), (Verdict::Held, 5));
    cluster.pass(200);
    assert_eq!(cluster.keys(), "c1,c1,c1,c1,c1");
    cluster.pass(100);
    let late = cluster.extend(&reference, C1, 300, "EXTEND");
    assert_eq!((late.verdict, late.votes), (Verdict::Refused, 0));
}

#[test]
fn votes_are_read_from_replies() {
    let mut node = Cluster::start().nodes.remove(0);
    let mut vote = |words: &str| Vote::of(node.ask(C1, words).as_ref());
    assert_eq!(vote("SET k c1 NX PX 300"), Vote::Granted);
    assert_eq!(vote("SET k c2 NX PX 300"), Vote::Refused);
    assert_eq!(vote("EVAL CAD 1 k c2"), Vote::Refused);
    assert_eq!(vote("EVAL EXTEND 1 k c1 300"), Vote::Granted);
    assert_eq!(vote("EVAL CAD 1 k c1"), Vote::Granted);
    assert_eq!(vote("NOSUCH"), Vote::Failed);
    assert_eq!(Vote::of(None), Vote::Failed);
}

/// Readings that lie this far apart on both clocks.
fn apart(us: i64) -> (Reading, Reading) {
    let start = Reading { wall_us: 1_700_000_000_000_000, monotonic_us: 5_000_000 };
    (start, Reading { wall_us: start.wall_us + us, monotonic_us: start.monotonic_us + us })
}

/// The decision on five votes, all of which were granted.
fn decide(library: &Library, lease_ms: u64, elapsed_us: i64) -> Decision {
    let (start, end) = apart(elapsed_us);
    library.decide(lease_ms * 1_000, start, end, &[Vote::Granted; 5])
}

#[test]
fn the_most_that_is_left_of_ten_seconds_is_9898_ms() {
    let decision = decide(&Library::REDLOCK_RB, 10_000, 0);
    assert_eq!((decision.drift_us, decision.validity_us), (102_000, 9_898_000));
}

#[test]
fn redlock_rb_needs_some_of_the_lease_to_be_left() {
    let library = Library::REDLOCK_RB;
    assert_eq!(decide(&library, 300, 294_000).verdict, Verdict::Held);
    assert_eq!(decide(&library, 300, 295_000).validity_us, 0);
    assert_eq!(decide(&library, 300, 295_000).verdict, Verdict::Refused);
    // It reads whole milliseconds, so what is left of one counts.
    assert_eq!(decide(&library, 300, 294_999).verdict, Verdict::Held);
    assert_eq!(library.drift_us(199_000), 3_000, "a hundredth is rounded down");
    assert_eq!((library.tries, library.delay), (Some(3), Some(Delay { least_ms: 0, most_ms: 199 })));
}

#[test]
fn a_client_whose_wall_clock_is_stepped_back_believes_too_long() {
    let start = Reading { wall_us: 10_000_000, monotonic_us: 0 };
    let end = Reading { wall_us: 9_000_000, monotonic_us: 400_000 };
    let votes = [Vote::Granted; 5];
    let on_the_wall = Library::REDLOCK_RB.decide(300_000, start, end, &votes);
    assert_eq!((on_the_wall.verdict, on_the_wall.validity_us), (Verdict::Held, 1_295_000));
    for library in [Library::LEANDROMOREIRA, Library::REDSYNC] {
        assert_eq!(library.decide(300_000, start, end, &votes).verdict, Verdict::Refused, "{}", library.name);
    }
}

#[test]
fn leandromoreira_accepts_when_nothing_is_left() {
    let library = Library::LEANDROMOREIRA;
    assert_eq!(decide(&library, 300, 295_000).validity_us, 0);
    assert_eq!(decide(&library, 300, 295_000).verdict, Verdict::Held);
    assert_eq!(decide(&library, 300, 296_000).verdict, Verdict::Refused);
    assert_eq!((library.tries, library.delay), (Some(4), Some(Delay { least_ms: 200, most_ms: 249 })));
}

#[test]
fn leandromoreira_extends_a_lock_that_has_ended_into_being() {
    let mut cluster = Cluster::start();
    let library = Library::LEANDROMOREIRA;
    cluster.take(&library, C1, ALL, 300, 1);
    cluster.pass(500);
    assert_eq!(cluster.keys(), "nil,nil,nil,nil,nil");
    let again = cluster.extend(&library, C1, 300, "LOCK_OR_EXTEND");
    assert_eq!((again.verdict, again.votes), (Verdict::Held, 5));
    assert_eq!(cluster.keys(), "c1,c1,c1,c1,c1");
    assert_eq!(cluster.extend(&library, C2, 300, "LOCK_OR_EXTEND").votes, 0, "what is held by another is refused");
}

#[test]
fn redsync_takes_off_a_hundredth_and_nothing_more() {
    let library = Library::REDSYNC;
    assert_eq!(decide(&library, 8_000, 0).drift_us, 80_000);
    assert_eq!(library.drift_us(199_000), 1_990, "and does not round it to milliseconds");
    assert_eq!(decide(&library, 300, 296_999).verdict, Verdict::Held);
    assert_eq!(decide(&library, 300, 297_000).verdict, Verdict::Refused);
    assert_eq!((library.tries, library.delay), (Some(32), Some(Delay { least_ms: 50, most_ms: 249 })));
    assert_eq!(library.node_timeout_percent, Some(5));
}

#[test]
fn redsync_72_valid_counts_answers_that_have_grown_old() {
    let mut cluster = Cluster::start();
    let library = Library::REDSYNC;
    let held = cluster.take(&library, C1, ALL, 3_000, 1);
    // Four nodes answer at once that the value is there; the fifth takes 10 s.
    let mut votes = vec![Vote::Granted; 4];
    for letter in "ABCD".chars() {
        assert_eq!(cluster.node(letter).say(C1, "GET k"), "c1");
    }
    cluster.pass(10_000);
    let other = cluster.take(&library, C2, ALL, 3_000, 1);
    assert_eq!(cluster.node('E').say(C1, "GET k"), "c2");
    votes.push(Vote::Refused);

    assert!(valid_by_votes(&votes), "Valid() says yes");
    assert!(!held.is_good_at(library.read(cluster.now)), "Until() says no");
    assert!(other.is_good_at(library.read(cluster.now)), "and another holds the lock");
}

#[test]
fn redlock_py_raises_and_keeps_the_lock_if_a_node_failed() {
    let mut cluster = Cluster::start();
    let library = Library::REDLOCK_PY;
    let decision = cluster.take(&library, C1, "ABCD", 10_000, 1);
    assert_eq!((decision.verdict, decision.votes), (Verdict::Raised, 4));
    assert_eq!(cluster.keys(), "c1,c1,c1,c1,nil");
    assert_eq!(cluster.take(&library, C2, ALL, 10_000, 1).verdict, Verdict::Refused, "nobody gets it");
    cluster.pass(10_000);
    assert_eq!(cluster.take(&library, C2, ALL, 10_000, 1).verdict, Verdict::Held, "until it has ended");

    let without_majority = cluster.take(&library, C1, "ABCD", 10_000, 1);
    assert_eq!(without_majority.verdict, Verdict::Refused, "a failed node alone does not raise");
}

#[test]
fn redlock_py_waits_always_the_same() {
    let delay = Library::REDLOCK_PY.delay.expect("it waits");
    assert_eq!((delay.least_ms, delay.most_ms), (200, 200));
    assert_eq!(Library::REDLOCK_PY.tries, Some(3));
    assert_eq!(decide(&Library::REDLOCK_PY, 300, 295_000).verdict, Verdict::Refused);
}

#[test]
fn node_redlock_falls_for_the_pause_that_the_reference_notices() {
    let mut cluster = Cluster::start();
    let library = Library::NODE_REDLOCK;
    let first = cluster.take(&library, C1, ALL, 300, 400);
    assert_eq!((first.verdict, first.validity_us), (Verdict::Held, -105_000));
    assert!(first.until_us < library.read(cluster.now), "its lock has ended before it has it");
    assert_eq!(cluster.take(&library, C2, ALL, 300, 1).verdict, Verdict::Held);

    assert_eq!(library.drift_us(149_000), 3_000);
    assert_eq!(library.drift_us(150_000), 4_000, "a hundredth is rounded to the nearest");
    assert_eq!((library.tries, library.delay), (Some(11), Some(Delay { least_ms: 100, most_ms: 299 })));
}

#[test]
fn node_redlock_is_refused_by_the_keys_of_its_own_earlier_try() {
    let mut cluster = Cluster::start();
    let library = Library::NODE_REDLOCK;
    assert_eq!(library.rounds, Rounds::Joined);
    let start = cluster.now;
    let first = cluster.ask(C1, "AB", "SET k c1 NX PX 10000");
    assert_eq!(library.decide(10_000_000, start, cluster.now, &first).verdict, Verdict::Refused);
    cluster.pass(200);
    let second = cluster.ask(C1, "ABCD", "SET k c1 NX PX 10000");
    let decision = library.decide(10_000_000, start, cluster.now, &second);
    assert_eq!((decision.verdict, decision.votes), (Verdict::Refused, 2));
    assert_eq!(cluster.keys(), "c1,c1,c1,c1,nil", "though it has four of five");
    assert_eq!(decision.elapsed_us, 200_000, "its clock runs since the first try");
}

#[test]
fn redisson_counts_locks_and_nothing_else() {
    let decision = decide(&Library::REDISSON, 300, 400_000);
    assert_eq!((decision.verdict, decision.drift_us, decision.validity_us), (Verdict::Held, 0, -100_000));
    assert_eq!(Library::REDISSON.tries, None);
}

#[test]
fn the_rest_of_the_table_is_as_published() {
    for library in Library::ALL {
        let raises = library.name == "SPSCommerce/redlock-py";
        assert_eq!(library.on_failed_node == OnFailedNode::Raises, raises, "{}", library.name);
        let joined = library.name == "mike-marcacci/node-redlock";
        assert_eq!(library.rounds == Rounds::Joined, joined, "{}", library.name);
    }
    let extending = Library::ALL.map(|library| library.extend_after_end);
    let (fails, anew) = (Some(ExtendAfterEnd::Fails), Some(ExtendAfterEnd::TakesAnew));
    assert_eq!(extending, [None, anew, Some(ExtendAfterEnd::TakesAnewIfTold), None, fails, fails]);
}

#[test]
fn a_majority_is_more_than_half() {
    let counts: Vec<usize> = (1..=7).map(quorum).collect();
    assert_eq!(counts, [1, 2, 2, 3, 3, 4, 4]);
    for library in Library::ALL {
        let (start, end) = apart(0);
        let mut votes = [Vote::Refused; 5];
        votes[..2].fill(Vote::Granted);
        assert_eq!(library.decide(10_000_000, start, end, &votes).verdict, Verdict::Refused, "{}", library.name);
        votes[2] = Vote::Granted;
        assert_eq!(library.decide(10_000_000, start, end, &votes).verdict, Verdict::Held, "{}", library.name);
    }
}

fn library() -> impl Strategy<Value = Library> {
    proptest::sample::select(Library::ALL.to_vec())
}

fn vote() -> impl Strategy<Value = Vote> {
    proptest::sample::select(vec![Vote::Granted, Vote::Refused, Vote::Failed])
}

fn reading() -> impl Strategy<Value = Reading> {
    (any::<i64>(), any::<i64>()).prop_map(|(wall_us, monotonic_us)| Reading { wall_us, monotonic_us })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_numbers_are_decided_and_time_is_held_to(
        library in library(),
        lease_us in any::<u64>(),
        start in reading(),
        end in reading(),
        votes in proptest::collection::vec(vote(), 0..8),
    ) {
        let decision = library.decide(lease_us, start, end, &votes);
        if decision.verdict != Verdict::Refused {
            prop_assert!(decision.votes >= decision.quorum);
            match library.accepts {
                Accepts::QuorumAndTimeLeft => prop_assert!(decision.validity_us > 0),
                Accepts::QuorumAndNotBeyondEnd => prop_assert!(decision.validity_us >= 0),
                Accepts::QuorumAlone => {}
            }
        }
    }

    /// On nodes that keep their keys and their clocks, two clients whose libraries look
    /// at the time are never both within their validity.
    #[test]
    fn honest_nodes_give_the_lock_to_one_at_a_time(
        rounds in proptest::collection::vec((0..3_u8, 0..32_u8, 20..400_u64, 0..300_i64, 0..200_i64, any::<bool>()), 1..12),
        library in proptest::sample::select(vec![Library::REDLOCK_RB, Library::LEANDROMOREIRA, Library::REDSYNC]),
    ) {
        let mut cluster = Cluster::start();
        let mut held: [Option<Decision>; 3] = [None; 3];
        for (client, reached, lease_ms, round_ms, pause_ms, releases) in rounds {
            let reached: String =
                ALL.chars().enumerate().filter(|(place, _)| reached >> place & 1 == 1).map(|(_, letter)| letter).collect();
            let is_held = held[usize::from(client)].is_some_and(|decision| decision.is_good_at(library.read(cluster.now)));
            if is_held && releases {
                held[usize::from(client)] = None;
                cluster.release(client, &reached);
            } else if !is_held {
                held[usize::from(client)] = Some(cluster.take(&library, client, &reached, lease_ms, round_ms));
            }
            let now_us = library.read(cluster.now);
            let holders = held.iter().flatten().filter(|decision| decision.is_good_at(now_us)).count();
            prop_assert!(holders <= 1, "{holders} hold the lock");
            cluster.pass(pause_ms);
        }
    }
}
