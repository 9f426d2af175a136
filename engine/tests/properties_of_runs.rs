//! What holds for every run: random scenarios under random faults, from tame to hostile.

use proptest::prelude::*;
use racescope_engine::backoff;
use racescope_engine::check::{Property, judge};
use racescope_engine::explore::{Bounds, Unrealisable, random_schedule, realise};
use racescope_engine::sim::{
    Assumptions, Branch, Change, Client, ClockRate, ClockStep, Crash, Fault, ForcedUnlock, Granularity, Guard, LIMITS,
    LeaseLock, Leg, MessageDelay, MessageDuplicate, MessageLoss, Model, Node, NodeIndex, NodeKind, Operation, Outcome,
    Partition, Pause, Program, Request, Scenario, Schedule, SnapshotRestore, StateLoss, Step, Target, Trace, TryAgain,
    VersionedRegister, Waking, What, run_random, run_replay, run_timed, run_timed_with_schedule,
};

const REGISTERS: u8 = 3;

/// A duration of everyday size, or now and then one at its limit.
fn duration() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..5_000_000u64, 2 => 0..3u64, 1 => Just(LIMITS.time_us)]
}

fn register() -> impl Strategy<Value = u8> {
    0..REGISTERS
}

fn first_number() -> impl Strategy<Value = u16> {
    prop_oneof![1..40u16, Just(1), Just(LIMITS.first_number)]
}

fn request_to_a_lock() -> impl Strategy<Value = Request> {
    prop_oneof![
        4 => (duration(), register(), any::<bool>())
            .prop_map(|(ttl_us, token, blocking)| Request::Acquire { ttl_us, token, blocking }),
        1 => register().prop_map(|token| Request::Check { token }),
        1 => (duration(), register()).prop_map(|(ttl_us, token)| Request::Renew { ttl_us, token }),
        2 => register().prop_map(|token| Request::Release { token }),
    ]
}

fn request_to_storage() -> impl Strategy<Value = Request> {
    prop_oneof![
        (register(), register()).prop_map(|(version, value)| Request::Read { version, value }),
        (register(), register(), proptest::option::of(register()))
            .prop_map(|(value, based_on, token)| Request::Write { value, based_on, token }),
    ]
}

fn try_again() -> impl Strategy<Value = Operation> {
    let kinds = [
        backoff::Kind::Immediate,
        backoff::Kind::Exponential,
        backoff::Kind::FullJitter,
        backoff::Kind::EqualJitter,
        backoff::Kind::DecorrelatedJitter,
    ];
    let policy = (proptest::sample::select(kinds.to_vec()), duration(), duration(), 1..6_u32);
    let backoff =
        policy.prop_map(|(kind, base_us, cap_us, attempts)| backoff::Backoff { kind, base_us, cap_us, attempts });
    (backoff, any::<u16>(), register())
        .prop_map(|(backoff, seed, tries)| Operation::TryAgain(TryAgain { backoff, seed, tries }))
}

/// Servers stand after `clients` clients: two locks, then one storage.
fn operation(clients: u8) -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (clients..clients + 2, request_to_a_lock())
            .prop_map(|(server, request)| Operation::Call { server, request }),
        4 => request_to_storage().prop_map(move |request| Operation::Call { server: clients + 2, request }),
        1 => (register(), register(), any::<u16>())
            .prop_map(|(from, into, add)| Operation::Compute { from, into, add }),
        1 => (register(), any::<u16>()).prop_map(|(register, with)| Operation::Compare { register, with }),
        1 => duration().prop_map(|us| Operation::Wait { us }),
        1 => try_again(),
        1 => Just(Operation::Stop),
    ]
}

fn branch(steps: u8) -> impl Strategy<Value = Branch> {
    let outcome = proptest::sample::select(vec![
        Outcome::Done,
        Outcome::Granted,
        Outcome::Busy,
        Outcome::Held,
        Outcome::Lost,
        Outcome::Accepted,
        Outcome::Refused,
        Outcome::TimedOut,
        Outcome::Below,
        Outcome::AtLeast,
        Outcome::Exhausted,
    ]);
    let target = prop_oneof![Just(Target::Next), (0..steps).prop_map(Target::Step), Just(Target::Stop)];
    (outcome, target).prop_map(|(outcome, target)| Branch { outcome, target })
}

/// A program, loops included: a branch may lead anywhere.
fn program(clients: u8) -> impl Strategy<Value = Program> {
    let timeout_us = proptest::option::of(1..5_000_000u64);
    let branches = proptest::collection::vec(branch(1), 0..3);
    let step = (duration(), operation(clients), branches, any::<bool>(), timeout_us).prop_map(
        |(work_us, operation, branches, at_once, timeout_us)| {
            let takes_time =
                matches!(operation, Operation::Call { .. } | Operation::Wait { .. } | Operation::TryAgain(_));
            let at_once = at_once && !takes_time;
            Step { work_us: if at_once { 0 } else { work_us }, operation, branches, at_once, timeout_us }
        },
    );
    let targets = proptest::collection::vec(any::<u8>(), 24);
    (proptest::collection::vec(step, 0..9), targets).prop_map(|(mut steps, targets)| {
        let length = steps.len();
        let branches = steps.iter_mut().flat_map(|step| &mut step.branches);
        for (branch, anywhere) in branches.zip(targets) {
            if let Target::Step(step) = &mut branch.target {
                *step = (usize::from(anywhere) % length) as u8;
            }
        }
        let registers = ["token", "version", "value"].map(String::from).to_vec();
        Program { name: "any".into(), steps, registers }
    })
}

fn guard() -> impl Strategy<Value = Guard> {
    proptest::sample::select(vec![
        Guard::LastWriteWins,
        Guard::FenceBelow,
        Guard::FenceAtMost,
        Guard::VersionCompareAndSet,
    ])
}

fn lock() -> impl Strategy<Value = NodeKind> {
    (first_number(), duration(), proptest::bool::weighted(0.8))
        .prop_map(|(first_token, latency_us, expires)| NodeKind::Lock(LeaseLock { first_token, latency_us, expires }))
}

fn storage() -> impl Strategy<Value = NodeKind> {
    (guard(), first_number(), any::<u16>(), first_number(), duration()).prop_map(
        |(guard, first_version, first_value, first_fence, latency_us)| {
            NodeKind::Storage(VersionedRegister { guard, first_version, first_value, first_fence, latency_us })
        },
    )
}

fn scenario() -> impl Strategy<Value = Scenario> {
    (1..5u8).prop_flat_map(|clients| {
        let starts = proptest::collection::vec((duration(), 0..2u8), usize::from(clients));
        let programs = [program(clients), program(clients)];
        let granularity =
            proptest::sample::select(vec![Granularity::Call, Granularity::ServeDeliver, Granularity::SendServeDeliver]);
        (starts, programs, lock(), lock(), storage(), granularity).prop_map(
            |(starts, programs, lock_1, lock_2, storage, granularity)| {
                let client = |(letter, (starts_us, program))| {
                    NodeKind::Client(Client { letter, program, starts_us, thread_of: None })
                };
                let kinds = ('A'..).zip(starts).map(client).chain([lock_1, lock_2, storage]);
                let nodes = kinds.map(|kind| Node { title: String::new(), kind }).collect();
                Scenario { nodes, programs: programs.into(), granularity }
            },
        )
    })
}

fn tame_fault() -> impl Strategy<Value = Fault> {
    fault(0..8u8, 0..10_000_000u64, -10_000_000..10_000_000i64, -1_000_000..2_000_000i32)
}

fn wild_fault() -> impl Strategy<Value = Fault> {
    let us = || prop_oneof![Just(0), Just(u64::MAX), Just(LIMITS.time_us), any::<u64>()];
    let by_us = prop_oneof![Just(i64::MIN), Just(i64::MAX), any::<i64>()];
    let rate_ppm = prop_oneof![Just(i32::MIN), Just(i32::MAX), any::<i32>()];
    fault(any::<u8>(), us(), by_us, rate_ppm)
}

fn fault(
    node: impl Strategy<Value = NodeIndex> + Clone + 'static,
    us: impl Strategy<Value = u64> + Clone + 'static,
    by_us: impl Strategy<Value = i64> + 'static,
    rate_ppm: impl Strategy<Value = i32> + 'static,
) -> impl Strategy<Value = Fault> {
    let place = || (node.clone(), us.clone());
    let leg = prop_oneof![Just(Leg::Request), Just(Leg::Reply)];
    let waking = prop_oneof![Just(Waking::Messages), Just(Waking::Deadlines)];
    prop_oneof![
        (place(), us.clone(), waking).prop_map(|((node, at_us), lasts_us, on_waking)| {
            Fault::Pause(Pause { node, at_us, lasts_us, on_waking })
        }),
        (place(), by_us).prop_map(|((node, at_us), by_us)| Fault::ClockStep(ClockStep { node, at_us, by_us })),
        (place(), us.clone(), rate_ppm).prop_map(|((node, at_us), lasts_us, rate_ppm)| {
            Fault::ClockRate(ClockRate { node, at_us, lasts_us, rate_ppm })
        }),
        (place(), 0..4u16, leg.clone())
            .prop_map(|((node, by_us), call, leg)| { Fault::MessageDelay(MessageDelay { node, call, leg, by_us }) }),
        (place(), us.clone(), any::<bool>()).prop_map(|((node, at_us), lasts_us, keeps_memory)| {
            Fault::Crash(Crash { node, at_us, lasts_us, keeps_memory })
        }),
        (node.clone(), 0..4u16, leg).prop_map(|(node, call, leg)| Fault::MessageLoss(MessageLoss { node, call, leg })),
        (place(), 0..4u16)
            .prop_map(|((node, by_us), call)| { Fault::MessageDuplicate(MessageDuplicate { node, call, by_us }) }),
        (place(), node.clone(), us.clone(), any::<bool>()).prop_map(|((node, at_us), other, lasts_us, one_way)| {
            Fault::Partition(Partition { node, other, at_us, lasts_us, one_way })
        }),
        (place(), us.clone()).prop_map(|((node, at_us), taken_us)| {
            Fault::SnapshotRestore(SnapshotRestore { node, at_us, taken_us })
        }),
        place().prop_map(|(node, at_us)| Fault::ForcedUnlock(ForcedUnlock { node, at_us })),
        place().prop_map(|(node, at_us)| Fault::StateLoss(StateLoss { node, at_us })),
    ]
}

fn faults() -> impl Strategy<Value = Vec<Fault>> {
    prop_oneof![
        3 => proptest::collection::vec(tame_fault(), 0..6),
        1 => proptest::collection::vec(wild_fault(), 0..6),
    ]
}

/// Checks what every run must keep, however it was made.
fn keeps_the_rules(scenario: &Scenario, run: &Trace) -> Result<(), TestCaseError> {
    prop_assert!(run.events.len() <= LIMITS.events);
    prop_assert!(run.events.is_sorted_by_key(|event| event.at_us), "time went back");
    for (place, event) in run.events.iter().enumerate() {
        prop_assert!(
            event.cause.is_none_or(|cause| (cause as usize) < place),
            "#{place} is caused by what comes later"
        );
    }
    grants_exclude_each_other(scenario, run)?;
    storage_counts_its_writes(scenario, run)?;
    judges_in_order(scenario, run)
}

/// In the truth of each lock service at most one lease is held, and tokens only
/// grow, unless the service was set back or has forgotten its state.
fn grants_exclude_each_other(scenario: &Scenario, run: &Trace) -> Result<(), TestCaseError> {
    let mut held = vec![None; scenario.nodes.len()];
    let mut highest = vec![0; scenario.nodes.len()];
    for (_, event, change) in run.changes() {
        let lock = usize::from(event.actor);
        match change {
            Change::Granted { token, .. } => {
                prop_assert_eq!(held[lock].replace(token), None, "two holders at once");
                prop_assert!(token > highest[lock], "token {} after {}", token, highest[lock]);
                highest[lock] = token;
            }
            Change::Freed { token } | Change::Expired { token, .. } => {
                prop_assert_eq!(held[lock].take(), Some(token), "a lease ended that nobody held");
            }
            Change::Broken { token, .. } => {
                prop_assert_eq!(held[lock].take(), Some(token), "a lease was broken that nobody held");
            }
            Change::LockRestored { holder, next } => {
                held[lock] = holder.map(|(_, token)| token);
                highest[lock] = next - 1;
            }
            Change::Forgotten { .. } | Change::Crashed { keeps_memory: false } => {
                (held[lock], highest[lock]) = (None, 0);
            }
            Change::Busy { token, .. } | Change::StillHeld { token } | Change::Renewed { token, .. } => {
                prop_assert_eq!(held[lock], Some(token));
            }
            Change::NotHeld { token } => prop_assert_ne!(held[lock], Some(token)),
            _ => {}
        }
    }
    Ok(())
}

/// Each accepted write makes the next version; a refused one changes nothing.
fn storage_counts_its_writes(scenario: &Scenario, run: &Trace) -> Result<(), TestCaseError> {
    let storage = scenario.nodes.len() - 1;
    let NodeKind::Storage(VersionedRegister { first_version, first_value, .. }) = scenario.nodes[storage].kind else {
        unreachable!("storage stands last");
    };
    let mut version = first_version;
    let mut value = Some(first_value);
    for (_, event, change) in run.changes() {
        match change {
            Change::StorageRestored { version: restored, .. } => (version, value) = (restored, None),
            Change::Crashed { keeps_memory: false } if usize::from(event.actor) == storage => {
                (version, value) = (first_version, Some(first_value));
            }
            Change::Accepted { replaced, version: made, .. } => {
                prop_assert_eq!((replaced, made), (version, version + 1));
                (version, value) = (made, None);
            }
            Change::Read { version: read, value: seen } => {
                prop_assert_eq!(read, version);
                prop_assert_eq!(*value.get_or_insert(seen), seen, "the value changed without a write");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Verdicts are in order and name events that are there; a fence keeps its promise
/// as long as its storage keeps the fence: after a restore or a crash without
/// memory it can't know of the tokens that it accepted since. So do the locks.
fn judges_in_order(scenario: &Scenario, run: &Trace) -> Result<(), TestCaseError> {
    let verdict = judge(scenario, run);
    let found = verdict.findings.iter().map(|finding| (finding.event, &finding.blame));
    for (event, blame) in found.chain(verdict.sightings.iter().map(|sighting| (sighting.event, &sighting.blame))) {
        prop_assert_eq!(blame.last(), Some(&event), "{:#?} {:?}", run, verdict);
        prop_assert!(blame.is_sorted() && (event as usize) < run.events.len());
    }
    prop_assert!(verdict.findings.is_sorted_by_key(|finding| finding.event));
    let kind = |node: NodeIndex| &scenario.nodes[usize::from(node)].kind;
    let has_fence =
        scenario.indices().any(|node| matches!(kind(node), NodeKind::Storage(storage) if storage.guard.keeps_fence()));
    if has_fence && !was_set_back(run, |node| matches!(kind(node), NodeKind::Storage(_))) {
        prop_assert!(!verdict.shows(Property::StaleWriteAccepted), "a fence let an older write through");
    }
    if !was_set_back(run, |node| matches!(kind(node), NodeKind::Lock(_))) {
        prop_assert!(!verdict.shows(Property::TokenRegression), "a token went back by itself");
    }
    Ok(())
}

/// Whether a node of some kind lost its state or got an older one back.
fn was_set_back(run: &Trace, is_meant: impl Fn(NodeIndex) -> bool) -> bool {
    run.changes().any(|(_, event, change)| {
        let goes_back = matches!(
            change,
            Change::StorageRestored { .. }
                | Change::LockRestored { .. }
                | Change::Forgotten { .. }
                | Change::Crashed { keeps_memory: false }
        );
        goes_back && is_meant(event.actor)
    })
}

/// A walk of at most this many actions, each drawn from those that are enabled.
fn walk(scenario: &Scenario, assumptions: Assumptions, draws: &[u16]) -> Result<Schedule, TestCaseError> {
    let model = Model::new(scenario);
    let smaller = Model::under(scenario, &assumptions);
    let (mut world, mut small_world) = (model.start(), smaller.start());
    let (mut enabled, mut small_enabled) = (Vec::new(), Vec::new());
    let mut schedule = Schedule::default();
    for &draw in draws {
        model.enabled_under(&world, &assumptions, &mut enabled);
        smaller.enabled_under(&small_world, &assumptions, &mut small_enabled);
        prop_assert_eq!(&enabled, &small_enabled, "a smaller world has room for what is assumed");
        let Some(&action) = enabled.get(usize::from(draw) % enabled.len().max(1)) else { break };
        model.apply(&mut world, action, &mut ());
        smaller.apply(&mut small_world, action, &mut ());
        schedule.actions.push(action);
    }
    Ok(schedule)
}

fn assumptions() -> impl Strategy<Value = Assumptions> {
    any::<[bool; 9]>().prop_map(|on| Assumptions {
        pauses: on[0],
        expiries: on[1],
        lost_messages: on[2],
        duplicates: on[3],
        crashes: on[4],
        restores: on[5],
        forced_unlocks: on[6],
        state_losses: on[7],
        leader_changes: on[8],
    })
}

fn changes_of(run: &Trace) -> Vec<Change> {
    run.changes().map(|(.., change)| change).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_timed_run_keeps_the_rules_and_comes_out_the_same_twice((scenario, faults) in (scenario(), faults())) {
        prop_assert_eq!(scenario.validate(), Ok(()));
        let run = run_timed(&scenario, &faults);
        keeps_the_rules(&scenario, &run)?;
        prop_assert!(run.end_us() <= LIMITS.time_us);
        prop_assert_eq!(run.bytes(), run_timed(&scenario, &faults).bytes());
    }

    #[test]
    fn every_timed_run_is_one_of_the_counted_paths((scenario, faults) in (scenario(), faults())) {
        let (run, schedule) = run_timed_with_schedule(&scenario, &faults);
        let again = run_replay(&scenario, &schedule).expect("every action was possible");
        prop_assert_eq!(changes_of(&again), changes_of(&run));
        let model = Model::new(&scenario);
        let (mut world, mut enabled) = (model.start(), Vec::new());
        for &action in &schedule.actions {
            model.enabled_under(&world, &Assumptions::ALL, &mut enabled);
            prop_assert!(enabled.contains(&action), "{} is not among {:?}", action, enabled);
            model.apply(&mut world, action, &mut ());
        }
    }

    #[test]
    fn a_walk_under_any_trouble_keeps_the_rules(
        (scenario, assumptions) in (scenario(), assumptions()),
        draws in proptest::collection::vec(any::<u16>(), 0..120),
    ) {
        let schedule = walk(&scenario, assumptions, &draws)?;
        let run = run_replay(&scenario, &schedule).expect("every action was enabled");
        keeps_the_rules(&scenario, &run)?;
        prop_assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }

    #[test]
    fn a_random_run_keeps_the_rules_and_its_schedule_repeats_it(
        (scenario, seed, expiries) in (scenario(), any::<u64>(), 0..4u32),
    ) {
        let (run, schedule) = run_random(&scenario, seed, expiries);
        keeps_the_rules(&scenario, &run)?;
        prop_assert_eq!(run_replay(&scenario, &schedule), Ok(run.clone()));
        prop_assert_eq!(run_random(&scenario, seed, expiries), (run, schedule));
    }

    #[test]
    fn a_schedule_prints_and_parses_back((scenario, seed) in (scenario(), any::<u64>())) {
        let (_, schedule) = run_random(&scenario, seed, 3);
        prop_assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }

    #[test]
    fn a_random_schedule_is_taken_by_the_timed_run_under_its_faults(scenario in scenario(), seed in any::<u64>()) {
        let bounds = Bounds { lost_replies: 1, crashes: 1, restores: 1, ..Bounds::expiries(2) };
        let mut schedule = random_schedule(&scenario, &bounds, seed, 0);
        schedule.actions.truncate(30);
        match realise(&scenario, &schedule, &bounds) {
            Ok(found) => {
                let (_, taken) = run_timed_with_schedule(&scenario, &found.faults);
                prop_assert!(taken.actions.starts_with(&found.schedule.actions));
                prop_assert_eq!(found.schedule.actions.len(), schedule.actions.len());
            }
            // Steps without work can't be held up, and some leases end at once.
            Err(error) => prop_assert_ne!(error, Unrealisable::NotASchedule),
        }
    }

    #[test]
    fn a_fault_that_is_clamped_stays_as_it_is(fault in prop_oneof![tame_fault(), wild_fault()]) {
        prop_assert_eq!(fault.clamped().clamped(), fault.clamped());
    }

    #[test]
    fn a_tame_fault_is_not_changed_by_clamping(fault in tame_fault()) {
        prop_assert_eq!(fault.clamped(), fault);
    }

    #[test]
    fn a_constant_offset_of_a_clock_changes_no_event(
        (scenario, node, by_us) in (scenario(), 0..8u8, -10_000_000..10_000_000i64),
    ) {
        let offset = Fault::ClockStep(ClockStep { node, at_us: 0, by_us });
        let starts_later = delayed(scenario);
        let calm = changes_of(&run_timed(&starts_later, &[]));
        let under_offset = changes_of(&run_timed(&starts_later, &[offset]));
        // The mark of the fault is an event too, so a run that is cut is cut a bit earlier:
        // before the first action that could be too long.
        let cut = calm.len().min(under_offset.len());
        prop_assert!(cut == calm.len() || cut + LIMITS.steps + 3 * LIMITS.nodes + 8 > LIMITS.events);
        prop_assert_eq!(&calm[..cut], &under_offset[..cut]);
    }
}

/// The same scenario, whose clients start a second later.
fn delayed(mut scenario: Scenario) -> Scenario {
    for node in &mut scenario.nodes {
        if let NodeKind::Client(client) = &mut node.kind {
            client.starts_us = (client.starts_us + 1_000_000).min(LIMITS.time_us);
        }
    }
    scenario
}

#[test]
fn faults_without_number_do_not_hold_a_run_up() {
    let scenario = racescope_engine::sim::example::stale_overwrite();
    let rate = |place: u64| Fault::ClockRate(ClockRate { node: 2, at_us: place, lasts_us: 9_000_000, rate_ppm: 17 });
    let step = |place: u64| Fault::ClockStep(ClockStep { node: 2, at_us: 9 * place, by_us: -place.cast_signed() });
    let faults: Vec<Fault> = (0..50_000).flat_map(|place| [rate(place), step(place)]).collect();
    let run = run_timed(&scenario, &faults);
    assert_eq!(run.faults.len(), LIMITS.faults);
    assert!(run.complete);
}

#[test]
fn a_program_that_runs_in_circles_is_cut_and_says_so() {
    let mut scenario = racescope_engine::sim::example::stale_overwrite();
    let again = Branch { outcome: Outcome::Done, target: Target::Step(0) };
    let operation = Operation::Wait { us: 0 };
    scenario.programs[0].steps =
        vec![Step { work_us: 0, operation, branches: vec![again], at_once: false, timeout_us: None }];
    let timed = run_timed(&scenario, &[]);
    let (random, schedule) = run_random(&scenario, 1, 0);
    assert!(!timed.complete && !random.complete);
    assert!(timed.events.len() <= LIMITS.events && random.events.len() <= LIMITS.events);
    assert_eq!(run_replay(&scenario, &schedule), Ok(random));
}

#[test]
fn a_pause_without_end_leaves_the_others_running() {
    let scenario = racescope_engine::sim::example::stale_overwrite();
    let forever = Fault::Pause(Pause { node: 0, at_us: 1_500_000, lasts_us: u64::MAX, on_waking: Waking::Messages });
    let run = run_timed(&scenario, &[forever]);
    let stopped = |node| run.changes().any(|(_, event, change)| event.actor == node && change == Change::Stopped);
    assert!(stopped(1) && !stopped(0));
    assert!(!run.complete, "client 0 has not come to its end");
    assert!(run.events.iter().all(|event| !matches!(event.what, What::FaultEnds(_))));
}
