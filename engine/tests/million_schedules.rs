//! A fenced resource accepts no stale write in a million random schedules, under every
//! trouble but those that set the lock or the resource back. Those, and a resource without
//! a fence, are the witnesses: they do accept some.
//!
//! A write is stale if its lease was granted before that of a write that was accepted
//! earlier. The judge counts grants in their order and looks at no number that is compared.

use std::collections::BTreeMap;

use racescope_engine::check::{Property, judge};
use racescope_engine::sim::example::{guarded, impatient, reference, stale_overwrite};
use racescope_engine::sim::{
    Assumptions, Change, Granularity, Guard, Model, NodeIndex, Operation, RandomSchedules, RandomTrouble, Record,
    Request, Scenario, Schedule, run_replay,
};

/// Everything goes wrong that a fence is made for.
const TROUBLE: RandomTrouble = RandomTrouble {
    assumptions: Assumptions { restores: false, state_losses: false, ..Assumptions::ALL },
    expiries: 3,
    others: 5,
    servers_forget: false,
};

/// What a schedule has come to.
#[derive(Default)]
struct Judge {
    grants: u32,
    /// Of each client's leases, by their tokens, which grant it was: the first, the second.
    granted: BTreeMap<(NodeIndex, u16), u32>,
    /// The latest grant under which a write was accepted.
    latest: u32,
    accepted_stale: u32,
    refused_stale: u32,
}

impl Record for Judge {
    fn note(&mut self, _: NodeIndex, client: Option<NodeIndex>, change: Change) {
        let Some(client) = client else { return };
        let grant = |token| self.granted.get(&(client, token)).copied().unwrap_or(0);
        match change {
            Change::Granted { token, .. } => {
                self.grants += 1;
                self.granted.insert((client, token), self.grants);
            }
            Change::Accepted { token, .. } => {
                let grant = grant(token);
                self.accepted_stale += u32::from(grant < self.latest);
                self.latest = self.latest.max(grant);
            }
            Change::Refused { token, .. } => self.refused_stale += u32::from(grant(token) < self.latest),
            _ => {}
        }
    }
}

/// Of many schedules: how many accepted a stale write, how many refused one, and how many
/// were cut short.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sum {
    accepted_stale: u32,
    refused_stale: u32,
    cut_short: u32,
}

fn sum(scenario: &Scenario, trouble: RandomTrouble, first: u64, count: u64) -> Sum {
    scenario.validate().expect("a scenario that can be run");
    let mut schedules = RandomSchedules::new(scenario, trouble);
    let mut sum = Sum::default();
    for seed in first..first + count {
        let mut judge = Judge::default();
        sum.cut_short += u32::from(!schedules.draw(seed, &mut judge));
        sum.accepted_stale += u32::from(judge.accepted_stale > 0);
        sum.refused_stale += u32::from(judge.refused_stale > 0);
    }
    sum
}

/// The same scenario, in which the lease is renewed before each write, and there are two.
fn renewing(mut scenario: Scenario) -> Scenario {
    let program = &mut scenario.programs[0];
    let write = program
        .steps
        .iter()
        .position(|step| matches!(step.operation, Operation::Call { request: Request::Write { .. }, .. }));
    let write = program.steps[write.expect("it writes")].clone();
    let mut renew = program.steps[0].clone();
    let Operation::Call { request: Request::Acquire { ttl_us, token, .. }, server } = renew.operation else {
        panic!("it acquires first");
    };
    renew.operation = Operation::Call { server, request: Request::Renew { ttl_us, token } };
    let release = program.steps.pop().expect("it releases last");
    program.steps.extend([renew, write, release]);
    scenario
}

/// Scenarios of several shapes with two to four clients, and how many of the million
/// schedules each is given.
fn shapes(guard: Guard) -> Vec<(Scenario, u64)> {
    let with = |scenario, granularity| Scenario { granularity, ..guarded(scenario, guard) };
    vec![
        (with(reference(2), Granularity::Call), 150_000),
        (with(reference(3), Granularity::Call), 100_000),
        (with(reference(4), Granularity::ServeDeliver), 50_000),
        (with(reference(2), Granularity::SendServeDeliver), 100_000),
        (with(stale_overwrite(), Granularity::SendServeDeliver), 200_000),
        (with(impatient(stale_overwrite(), 400_000), Granularity::SendServeDeliver), 100_000),
        (with(impatient(reference(3), 400_000), Granularity::ServeDeliver), 100_000),
        (with(renewing(reference(2)), Granularity::SendServeDeliver), 100_000),
        (with(impatient(renewing(reference(3)), 400_000), Granularity::Call), 100_000),
    ]
}

#[test]
fn a_fence_lets_no_stale_write_through_in_a_million_schedules() {
    let mut schedules = 0;
    let mut total = Sum::default();
    let mut first = 0;
    for (place, (scenario, count)) in shapes(Guard::FenceAtMost).into_iter().enumerate() {
        // A strict fence takes each token once; half of the schedules are under it.
        for guard in [Guard::FenceAtMost, Guard::FenceBelow] {
            let found = sum(&guarded(scenario.clone(), guard), TROUBLE, first, count / 2);
            assert_eq!(found.accepted_stale, 0, "shape {place} under {guard:?}");
            assert!(found.refused_stale > 0, "shape {place} never came near under {guard:?}");
            total.refused_stale += found.refused_stale;
            total.cut_short += found.cut_short;
            first += count / 2;
            schedules += count / 2;
        }
    }
    assert_eq!(schedules, 1_000_000);
    assert!(total.refused_stale > 100_000, "{total:?}");
    assert!(total.cut_short < 10_000, "{total:?}");
}

/// The same schedules on a resource that accepts whatever comes, judged twice: by the order
/// of grants, and by the judge of lessons from the whole run.
#[test]
fn the_same_schedules_without_a_fence_let_stale_writes_through() {
    for (place, (scenario, _)) in shapes(Guard::FenceAtMost).into_iter().enumerate() {
        let unfenced = guarded(scenario.clone(), Guard::LastWriteWins);
        let model = Model::under(&unfenced, &TROUBLE.assumptions);
        let mut schedules = RandomSchedules::new(&scenario, TROUBLE);
        let mut stale = 0;
        for seed in 0..2_000 {
            schedules.draw(seed, &mut ());
            let mut own = Judge::default();
            let (mut world, mut played) = (model.start(), Schedule::default());
            // A client that isn't refused may go on otherwise; from there on the rest differs.
            for &action in &schedules.schedule().actions {
                if own.accepted_stale > 0 || !model.can(&world, action) {
                    break;
                }
                model.apply(&mut world, action, &mut own);
                played.actions.push(action);
            }
            let run = run_replay(&unfenced, &played).expect("what was played can be played again");
            let is_stale = judge(&unfenced, &run).shows(Property::StaleWriteAccepted);
            assert_eq!(is_stale, own.accepted_stale > 0, "shape {place}, seed {seed}: {played}");
            stale += u32::from(is_stale);
        }
        assert!(stale > 0, "shape {place}: no schedule shows the danger");
    }
}

/// What a fence can't save from, each by itself.
#[test]
fn a_lock_or_a_resource_that_is_set_back_lets_stale_writes_through_a_fence() {
    let only = |assumptions| RandomTrouble { assumptions, ..TROUBLE };
    let set_back = [
        ("a lock that forgets", only(Assumptions { state_losses: true, ..TROUBLE.assumptions })),
        ("a restore", only(Assumptions { restores: true, ..TROUBLE.assumptions })),
        ("a server that crashes without its memory", RandomTrouble { servers_forget: true, ..TROUBLE }),
    ];
    for (what, trouble) in set_back {
        let stale: u32 =
            shapes(Guard::FenceAtMost).iter().map(|(it, _)| sum(it, trouble, 0, 5_000).accepted_stale).sum();
        assert!(stale > 0, "{what} did no harm");
    }
}

#[test]
fn equal_seeds_draw_equal_schedules_and_others_differ() {
    let scenario = reference(3);
    let mut schedules = RandomSchedules::new(&scenario, TROUBLE);
    let mut draw = |seed| {
        schedules.draw(seed, &mut ());
        schedules.schedule().clone()
    };
    let first: Vec<Schedule> = (0..50).map(&mut draw).collect();
    assert_eq!((0..50).map(&mut draw).collect::<Vec<_>>(), first);
    assert!(first.windows(2).filter(|pair| pair[0] == pair[1]).count() < 5);
}
