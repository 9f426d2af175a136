//! Thousands of random interleavings of owners, attackers and operators: no bad
//! write is accepted, and each kind of bad write was tried.
//!
//! The judge keeps books of its own, from what was asked and answered, and doesn't
//! look at how the resource decides.

mod timers;

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use racescope_engine::system::grant::{
    Alteration, Command, Grant, Mode, Mutation, Reply, Request, Showing, SignedGrants, Verdict, Wish,
};
use racescope_engine::system::names::Word;
use racescope_engine::system::{Caller, System, Timer};
use timers::Timers;

const CALLERS: usize = 4;
const RESOURCES: usize = 2;
const INTERLEAVINGS: u32 = 2_000;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// A caller asks for a grant; with a request of its own, or one of a few.
    Acquire(Caller, usize, Option<u8>, bool),
    /// A caller sends the segment that comes next to the resource of its grant, with
    /// a new operation.
    Next(Caller, Showing, bool),
    /// A caller does over under the next segment what was accepted before.
    Redo(Caller, Showing, usize),
    /// A message that was sent before arrives again.
    Repeat(usize),
    /// A caller sends any segment of any operation.
    Any(Caller, usize, Showing, [u8; 3]),
    /// A lease runs out, and another caller takes over, asks for a proof and writes.
    TakeOver(Caller, usize),
    /// A caller asks for something else.
    Ask(Caller, Request),
    Fire(Timer),
    Crash(Caller),
    RegistryLosesItsMemory,
}

fn showing() -> impl Strategy<Value = Showing> {
    let alteration = prop_oneof![
        3 => Just(Alteration::Fence(65_534)),
        1 => (0..6u16).prop_map(Alteration::Fence),
        1 => (0..3u16).prop_map(Alteration::Resource),
        1 => (0..3u8).prop_map(Alteration::Owner),
        1 => (0..6u16).prop_map(Alteration::Lease),
        1 => (0..3u16).prop_map(Alteration::Policy),
        1 => (0..4u16).prop_map(Alteration::Epoch),
        1 => Just(Alteration::Root(word(1))),
    ];
    let own = Showing::default();
    prop_oneof![
        6 => any::<bool>().prop_map(move |proof| Showing { proof, ..own }),
        1 => any::<bool>().prop_map(move |proof| Showing { proof, old: true, ..own }),
        1 => (0..3u8, any::<bool>()).prop_map(move |(of, proof)| Showing { of: Some(of), proof, ..own }),
        1 => (alteration, any::<bool>(), 0..5u8).prop_map(move |(altered, proof, forged)| {
            Showing { altered: Some(altered), proof, forged: forged == 0, ..own }
        }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let caller = || 0..3u8;
    let resource = || prop_oneof![3 => Just(0usize), 1 => Just(1)];
    let asked = prop_oneof![
        3 => resource().prop_map(Request::Status),
        1 => resource().prop_map(Request::Renew),
        1 => resource().prop_map(Request::Release),
        1 => (resource(), 0..4u8).prop_map(|(resource, request)| Request::Query(resource, word(request))),
    ];
    let operator = prop_oneof![
        2 => Just(Request::TakeSnapshot),
        3 => Just(Request::RestoreSnapshot),
        1 => Just(Request::ChangePolicy),
        1 => Just(Request::RevokeEpoch),
    ];
    prop_oneof![
        8 => (caller(), resource(), proptest::option::weighted(0.2, 0..4u8), proptest::bool::weighted(0.1))
            .prop_map(|(caller, resource, request, lost)| Step::Acquire(caller, resource, request, lost)),
        16 => (caller(), showing(), proptest::bool::weighted(0.1))
            .prop_map(|(caller, showing, lost)| Step::Next(caller, showing, lost)),
        3 => (caller(), showing(), 0..4usize).prop_map(|(caller, showing, back)| Step::Redo(caller, showing, back)),
        4 => (0..6usize).prop_map(Step::Repeat),
        4 => (caller(), resource()).prop_map(|(caller, resource)| Step::TakeOver(caller, resource)),
        6 => (caller(), resource(), showing(), [0..4u8, 0..4u8, 0..2u8])
            .prop_map(|(caller, resource, showing, numbers)| Step::Any(caller, resource, showing, numbers)),
        8 => (caller(), asked).prop_map(|(caller, request)| Step::Ask(caller, request)),
        2 => (caller(), operator).prop_map(|(caller, request)| Step::Ask(caller, request)),
        1 => (caller(), resource().prop_map(Request::Resume)).prop_map(|(caller, request)| Step::Ask(caller, request)),
        6 => (0..(RESOURCES + CALLERS) as Timer).prop_map(Step::Fire),
        1 => caller().prop_map(Step::Crash),
        1 => Just(Step::RegistryLosesItsMemory),
    ]
}

fn word(number: u8) -> Word {
    Word::parse(&number.to_string()).expect("three digits are a word")
}

/// What the judge knows of a resource: what it has seen accepted there.
#[derive(Clone, Default)]
struct Book {
    highest: u16,
    holder: Option<Grant>,
    segment: u16,
    operations: BTreeMap<Word, Word>,
    last_payload: Option<Word>,
    /// Whether a token that went back was found, and nobody has resumed since.
    halted: bool,
}

/// What the judge knows of the registry: what it has seen granted and ended.
#[derive(Clone)]
struct Leases {
    held: [Option<Grant>; RESOURCES],
    policy: u16,
}

struct Judge {
    system: SignedGrants,
    mode: Mode,
    cells: Vec<u16>,
    timers: Timers,
    books: [Book; RESOURCES],
    leases: Leases,
    snapshot: Option<Leases>,
    /// Which grant the recent proof of a caller is about, and under which policy.
    proofs: [Option<(Grant, u16)>; CALLERS],
    epoch: u16,
    fresh: u8,
    /// The messages to resources, in order.
    sent: Vec<(Caller, Mutation, Showing)>,
    /// How often each thing has happened.
    seen: BTreeMap<&'static str, u32>,
}

impl Judge {
    fn new(mode: Mode) -> Self {
        let system = SignedGrants::new(&["r", "q"], mode, 24, 1_000_000, CALLERS as u8).expect("it is small enough");
        let mut cells = vec![0; system.length()];
        system.start(&mut cells);
        let timers = Timers::new(system.timers());
        let leases = Leases { held: [None; RESOURCES], policy: 1 };
        let books = [Book::default(), Book::default()];
        Self {
            system,
            mode,
            cells,
            timers,
            books,
            leases,
            snapshot: None,
            proofs: [None; CALLERS],
            epoch: 1,
            fresh: 100,
            sent: Vec::new(),
            seen: BTreeMap::new(),
        }
    }

    fn saw(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    fn fresh_word(&mut self) -> Word {
        self.fresh += 1;
        word(self.fresh)
    }

    /// Executes a request. If its answer is lost, the judge is told all the same.
    fn ask(&mut self, caller: Caller, request: Request, lost: bool) -> Reply {
        let told = lost.then(|| {
            let (mut cells, mut timers) = (self.cells.clone(), Timers::new(self.system.timers()));
            self.system.execute(caller, &Command { request, lost: false }, &mut cells, &mut timers)
        });
        let reply = self.system.execute(caller, &Command { request, lost }, &mut self.cells, &mut self.timers);
        told.unwrap_or(reply).expect("nothing waits")
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Acquire(caller, resource, request, lost) => {
                let request = request.map_or_else(|| self.fresh_word(), word);
                let wish = Wish { resource, request, root: word(caller), ttl_ms: 1000 };
                if let Reply::Granted(grant) = self.ask(caller, Request::Acquire(wish), lost) {
                    self.leases.held[resource] = Some(grant);
                }
            }
            Step::Next(caller, showing, lost) => {
                let operation = self.fresh_word();
                self.next(caller, showing, operation, word(caller), lost);
            }
            Step::Redo(caller, showing, back) => {
                let Some(grant) = self.issued(caller, showing) else { return };
                let operations = &self.books[usize::from(grant.resource)].operations;
                if let Some((&operation, &payload)) = operations.iter().rev().nth(back) {
                    self.next(caller, showing, operation, payload, false);
                }
            }
            Step::Repeat(back) => {
                if let Some(&(caller, mutation, showing)) = self.sent.iter().rev().nth(back) {
                    self.apply(caller, mutation, showing, false);
                }
            }
            Step::Any(caller, resource, showing, [segment, operation, payload]) => {
                let mutation =
                    Mutation { resource, segment: segment.into(), operation: word(operation), payload: word(payload) };
                self.apply(caller, mutation, showing, false);
            }
            Step::TakeOver(caller, resource) => {
                self.step(&Step::Fire(resource as Timer));
                self.step(&Step::Acquire(caller, resource, None, false));
                self.step(&Step::Ask(caller, Request::Status(resource)));
                self.step(&Step::Next(caller, Showing::default(), false));
            }
            Step::Ask(caller, request) => self.other(caller, request),
            Step::Fire(timer) => {
                if self.timers.take(timer) {
                    self.system.fire(timer, &mut self.cells, &mut self.timers);
                    match usize::from(timer).checked_sub(RESOURCES) {
                        None => self.leases.held[usize::from(timer)] = None,
                        Some(caller) => self.proofs[caller] = None,
                    }
                }
            }
            Step::Crash(caller) => {
                self.system.disconnect(caller, &mut self.cells, &mut self.timers);
                self.proofs[usize::from(caller)] = None;
            }
            Step::RegistryLosesItsMemory => {
                self.system.restart(false, &mut self.cells, &mut self.timers);
                self.leases = Leases { held: [None; RESOURCES], policy: 1 };
                self.snapshot = None;
            }
        }
        for (resource, book) in self.books.iter().enumerate() {
            let state = self.system.resource(resource, &mut self.cells);
            assert_eq!(state.highest, book.highest, "the highest token is that of the last accepted write");
            assert_eq!(usize::from(state.receipts), book.operations.len(), "each accepted write has a receipt");
            if self.mode == Mode::Enforcing {
                assert_eq!(state.value, book.last_payload, "nothing else has changed the value");
            }
        }
    }

    fn other(&mut self, caller: Caller, request: Request) {
        match (request, self.ask(caller, request, false)) {
            (Request::Release(resource), Reply::State(state)) if state.to_string() == "RELEASED" => {
                let released = self.system.grant_of(caller, &self.cells);
                if self.leases.held[resource] == released {
                    self.leases.held[resource] = None;
                }
            }
            (_, Reply::Proof(_)) => {
                let grant = self.system.grant_of(caller, &self.cells).expect("it has shown it");
                self.proofs[usize::from(caller)] = Some((grant, self.leases.policy));
            }
            (_, Reply::SnapshotAt(_)) => self.snapshot = Some(self.leases.clone()),
            (_, Reply::RestoredTo(_)) => {
                self.leases = self.snapshot.clone().expect("there was a copy");
                self.saw("a snapshot was restored");
            }
            (_, Reply::Policy(policy)) => self.leases.policy = policy,
            (_, Reply::Epoch(epoch)) => self.epoch = epoch,
            (_, Reply::NoSnapshot) => assert!(self.snapshot.is_none()),
            (Request::Resume(resource), _) => {
                self.books[resource].halted = false;
                let highest = self.books[resource].highest;
                self.leases.held[resource] = self.leases.held[resource].filter(|grant| grant.fence > highest);
            }
            _ => {}
        }
    }

    /// The grant that is shown, as it was signed.
    fn issued(&self, caller: Caller, showing: Showing) -> Option<Grant> {
        let of = showing.of.unwrap_or(caller);
        if showing.old { self.system.old_grant_of(of, &self.cells) } else { self.system.grant_of(of, &self.cells) }
    }

    /// Sends the segment that comes next under the grant that is shown.
    fn next(&mut self, caller: Caller, showing: Showing, operation: Word, payload: Word, lost: bool) {
        let Some(grant) = self.issued(caller, showing) else { return };
        let resource = usize::from(grant.resource);
        let book = &self.books[resource];
        let segment = if grant.fence == book.highest { book.segment + 1 } else { 1 };
        self.apply(caller, Mutation { resource, segment, operation, payload }, showing, lost);
    }

    fn apply(&mut self, caller: Caller, mutation: Mutation, showing: Showing, lost: bool) {
        self.sent.push((caller, mutation, showing));
        let Some(issued) = self.issued(caller, showing) else { return };
        let mut shown = issued;
        if let Some(alteration) = showing.altered {
            alteration.apply(&mut shown);
        }
        let before = self.cells.clone();
        let verdict = match self.ask(caller, Request::Apply(mutation, showing), lost) {
            Reply::Verdict(verdict) => verdict,
            Reply::ShadowVerdict(verdict) => {
                self.saw(verdict.name());
                return;
            }
            other => panic!("{other} is no answer to a change"),
        };
        self.saw(verdict.name());
        self.note_attempts(caller, &mutation, showing, &issued, &shown);
        match verdict {
            Verdict::Accepted(_) => {
                if lost {
                    self.saw("an acknowledgement was lost");
                }
                self.accepted(caller, &mutation, showing, &issued, &shown);
            }
            Verdict::Replayed(_) | Verdict::AlreadyAccepted(_) => {
                let payload = self.books[mutation.resource].operations.get(&mutation.operation);
                assert_eq!(payload, Some(&mutation.payload), "only what was accepted is called accepted");
                assert_eq!(self.cells, before, "and it isn't done again");
            }
            Verdict::FenceRegression => self.books[mutation.resource].halted = true,
            Verdict::Quarantined => {}
            _ => assert_eq!(self.cells, before, "{verdict} changes nothing"),
        }
    }

    /// Counts what was tried, whatever came of it.
    fn note_attempts(&mut self, caller: Caller, mutation: &Mutation, showing: Showing, issued: &Grant, shown: &Grant) {
        let book = &self.books[mutation.resource];
        let genuine = !showing.forged && shown == issued;
        let attempts = [
            ("a forged token", showing.forged),
            ("an oversized token", !genuine && shown.fence == 65_534),
            ("a tampered grant", !showing.forged && shown != issued),
            ("a grant of another resource", genuine && usize::from(issued.resource) != mutation.resource),
            ("a grant of another owner", genuine && issued.owner != caller),
            ("a grant of a revoked epoch", genuine && issued.epoch < self.epoch),
            ("a lower token", genuine && shown.fence < book.highest),
            ("a skipped segment", genuine && shown.fence == book.highest && mutation.segment > book.segment + 1),
            ("a grant that is over", genuine && self.leases.held[usize::from(issued.resource)] != Some(*issued)),
        ];
        for (what, tried) in attempts {
            if tried {
                self.saw(what);
            }
        }
    }

    fn accepted(&mut self, caller: Caller, mutation: &Mutation, showing: Showing, issued: &Grant, shown: &Grant) {
        let book = &mut self.books[mutation.resource];
        assert!(!showing.forged, "a forged grant");
        assert_eq!(shown, issued, "a tampered grant");
        assert_eq!(usize::from(issued.resource), mutation.resource, "a grant of another resource");
        assert_eq!(issued.owner, caller, "a grant of another owner");
        assert!(issued.epoch >= self.epoch, "a grant of a revoked epoch");
        assert!(issued.fence >= book.highest, "a stale or regressed token");
        if issued.fence == book.highest {
            assert_eq!(book.holder, Some(*issued), "two grants with one token");
            assert_eq!(mutation.segment, book.segment + 1, "a skipped segment");
        } else {
            assert_eq!(mutation.segment, 1, "a skipped segment");
        }
        assert!(!book.halted, "a write to a halted resource");
        if showing.proof {
            let proof = self.proofs[usize::from(caller)];
            assert_eq!(proof, Some((*issued, issued.policy)), "a proof that is old or about something else");
        } else {
            assert_eq!(self.leases.held[mutation.resource], Some(*issued), "a grant that is over");
            assert_eq!(issued.policy, self.leases.policy, "a grant under another policy");
        }
        book.highest = issued.fence;
        book.holder = Some(*issued);
        book.segment = mutation.segment;
        book.last_payload = Some(mutation.payload);
        assert_eq!(book.operations.insert(mutation.operation, mutation.payload), None, "an effect that happened twice");
    }
}

/// Plays the interleavings, and says how often each thing has happened.
fn play(mode: Mode, interleavings: u32) -> BTreeMap<&'static str, u32> {
    let config = Config { cases: interleavings, failure_persistence: None, ..Config::default() };
    let dice = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let seen = RefCell::new(BTreeMap::new());
    let played = TestRunner::new_with_rng(config, dice).run(&proptest::collection::vec(step(), 20..100), |steps| {
        let mut judge = Judge::new(mode);
        for step in steps {
            judge.step(&step);
        }
        for (what, times) in judge.seen {
            *seen.borrow_mut().entry(what).or_default() += times;
        }
        Ok(())
    });
    if let Err(failure) = played {
        panic!("{failure}");
    }
    seen.into_inner()
}

#[test]
fn no_bad_write_is_accepted_and_each_kind_was_tried() {
    let seen = play(Mode::Enforcing, INTERLEAVINGS);
    let wanted = [
        "ACCEPTED",
        "REPLAYED",
        "ALREADY_ACCEPTED",
        "QUARANTINED",
        "FORGED",
        "WRONG_RESOURCE",
        "REVOKED_EPOCH",
        "STATUS_PROOF_EXPIRED",
        "NOT_HELD",
        "POLICY_CHANGED",
        "WRONG_OWNER",
        "STALE_OWNER",
        "FENCE_REGRESSION",
        "SEGMENT_GAP",
        "a forged token",
        "an oversized token",
        "a tampered grant",
        "a grant of another resource",
        "a grant of another owner",
        "a grant of a revoked epoch",
        "a lower token",
        "a skipped segment",
        "a grant that is over",
        "a snapshot was restored",
        "an acknowledgement was lost",
    ];
    let rare: Vec<_> = wanted.iter().filter(|&what| seen.get(what).is_none_or(|&times| times < 10)).collect();
    assert!(rare.is_empty(), "too rare to mean something: {rare:?} of {seen:#?}");
}

#[test]
fn without_enforcing_the_same_interleavings_do_harm() {
    let seen = play(Mode::Shadow, 300);
    for harm in ["FORGED", "WRONG_RESOURCE", "STALE_OWNER", "NOT_HELD", "SEGMENT_GAP", "FENCE_REGRESSION"] {
        assert!(seen.get(harm).is_some_and(|&times| times > 0), "{harm} of {seen:#?}");
    }
}
