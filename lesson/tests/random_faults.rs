//! Random faults of all kinds, over the scenarios of all lessons: what every run must keep.

use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use racescope_engine::check::judge;
use racescope_engine::sim::{
    Change, ClockRate, ClockStep, Crash, Fault, ForcedUnlock, LeaderChange, Leg, MessageDelay, MessageDuplicate,
    MessageLoss, MessageReorder, NodeIndex, Partition, Pause, ReplicaLag, Scenario, SnapshotRestore, StateLoss, Trace,
    Waking, What, run_replay, run_timed_with_schedule,
};
use racescope_lesson::author::read_library;

/// The scenarios of all lessons, each with its name.
fn scenarios() -> &'static [(String, Scenario)] {
    static ALL: OnceLock<Vec<(String, Scenario)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let shelf = read_library(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons"));
        let of_lesson = |lesson: racescope_lesson::Lesson| {
            let id = lesson.id;
            lesson.variants.into_iter().map(move |variant| (format!("{id} {}", variant.id), variant.scenario))
        };
        shelf.library().lessons.into_iter().flat_map(of_lesson).collect()
    })
}

/// A fault of any kind on one of two nodes, so that faults often meet.
fn fault(nodes: [NodeIndex; 2]) -> impl Strategy<Value = Fault> {
    let us = || prop_oneof![4 => 0..12_000_000u64, 1 => (0..120u64).prop_map(|steps| steps * 100_000)];
    let node = move || proptest::sample::select(nodes.to_vec());
    let span = move || (node(), us(), us());
    let at = move || (node(), us());
    let message = move || (node(), 0..6u16);
    let leg = || prop_oneof![Just(Leg::Request), Just(Leg::Reply)];
    let on_waking = prop_oneof![Just(Waking::Messages), Just(Waking::Deadlines)];
    prop_oneof![
        (span(), on_waking).prop_map(|((node, at_us, lasts_us), on_waking)| Fault::Pause(Pause {
            node,
            at_us,
            lasts_us,
            on_waking
        })),
        (at(), -15_000_000..15_000_000i64).prop_map(|((node, at_us), by_us)| Fault::ClockStep(ClockStep {
            node,
            at_us,
            by_us
        })),
        (span(), -900_000..3_000_000i32).prop_map(|((node, at_us, lasts_us), rate_ppm)| {
            Fault::ClockRate(ClockRate { node, at_us, lasts_us, rate_ppm })
        }),
        (message(), leg(), us())
            .prop_map(|((node, call), leg, by_us)| { Fault::MessageDelay(MessageDelay { node, call, leg, by_us }) }),
        (span(), any::<bool>()).prop_map(|((node, at_us, lasts_us), keeps_memory)| {
            Fault::Crash(Crash { node, at_us, lasts_us, keeps_memory })
        }),
        (message(), leg()).prop_map(|((node, call), leg)| Fault::MessageLoss(MessageLoss { node, call, leg })),
        (message(), us()).prop_map(|((node, call), by_us)| Fault::MessageDuplicate(MessageDuplicate {
            node,
            call,
            by_us
        })),
        (span(), node(), any::<bool>()).prop_map(|((node, at_us, lasts_us), other, one_way)| {
            Fault::Partition(Partition { node, other, at_us, lasts_us, one_way })
        }),
        span().prop_map(|(node, at_us, taken_us)| Fault::SnapshotRestore(SnapshotRestore { node, at_us, taken_us })),
        at().prop_map(|(node, at_us)| Fault::ForcedUnlock(ForcedUnlock { node, at_us })),
        at().prop_map(|(node, at_us)| Fault::StateLoss(StateLoss { node, at_us })),
        message().prop_map(|(node, call)| Fault::MessageReorder(MessageReorder { node, call })),
        span().prop_map(|(node, at_us, lasts_us)| Fault::ReplicaLag(ReplicaLag { node, at_us, lasts_us })),
        at().prop_map(|(node, at_us)| Fault::LeaderChange(LeaderChange { node, at_us })),
    ]
}

/// A scenario, by its place, and faults that befall it.
fn troubled() -> impl Strategy<Value = (usize, Vec<Fault>)> {
    (0..scenarios().len()).prop_flat_map(|place| {
        let nodes = scenarios()[place].1.nodes.len() as NodeIndex;
        let faults = [0..nodes, 0..nodes].prop_flat_map(|pair| proptest::collection::vec(fault(pair), 0..7));
        (Just(place), faults)
    })
}

/// Whether a server stands still at a moment, by this fault.
fn does_nothing(fault: &Fault, server: NodeIndex, at_us: u64) -> bool {
    let is_meant = matches!(fault, Fault::Pause(_)) && fault.node() == server;
    let (Some(from_us), Some(lasts_us)) = (fault.at_us(), fault.lasts_us()) else { return false };
    is_meant && from_us < at_us && at_us < from_us + lasts_us
}

/// A server that is down answers nothing, and one that stands still does nothing by itself.
fn servers_rest(scenario: &Scenario, run: &Trace) -> Result<(), TestCaseError> {
    let mut down = vec![false; scenario.nodes.len()];
    // What others do to a server happens at the moment of a fault, or copies its state.
    let is_done_to_it = |at_us| run.events.iter().any(|it| it.at_us == at_us && !matches!(it.what, What::Change(_)));
    for (index, event, change) in run.changes().filter(|(.., change)| !matches!(change, Change::Lost { .. })) {
        let server = scenario.host(event.actor);
        match change {
            Change::Crashed { .. } => down[usize::from(event.actor)] = true,
            Change::Restarted => down[usize::from(event.actor)] = false,
            Change::Saved => {}
            // A lock on several servers is no machine, and what is true of a copy its source changes, too.
            _ if scenario.client(event.actor).is_some() || scenario.stands_on_others(event.actor) => {}
            Change::CaughtUp { .. } if scenario.host(scenario.source(event.actor)) != server => {}
            _ => {
                let answers = event.client.is_some();
                prop_assert!(!(answers && down[usize::from(server)]), "#{index} is done by a server that is down");
                let rests = run.faults.iter().any(|fault| does_nothing(fault, server, event.at_us));
                let is_its_own = answers || !is_done_to_it(event.at_us);
                prop_assert!(!(rests && is_its_own), "#{index} is done by a server that stands still");
            }
        }
    }
    Ok(())
}

/// Each event comes after its cause, each blame ends with what it is for, and no harm is
/// blamed on what came later.
fn nothing_comes_before_its_cause(scenario: &Scenario, run: &Trace) -> Result<(), TestCaseError> {
    prop_assert!(run.events.is_sorted_by_key(|event| event.at_us), "time went back");
    for (place, event) in run.events.iter().enumerate() {
        prop_assert!(event.cause.is_none_or(|cause| (cause as usize) < place), "#{place}");
    }
    let verdict = judge(scenario, run);
    let found = verdict.findings.iter().map(|finding| (finding.event, &finding.blame));
    for (event, blame) in found.chain(verdict.sightings.iter().map(|seen| (seen.event, &seen.blame))) {
        prop_assert_eq!(blame.last(), Some(&event), "{:?}", &verdict);
        prop_assert!(blame.is_sorted() && (event as usize) < run.events.len());
    }
    for finding in &verdict.findings {
        prop_assert!(finding.until.is_none_or(|until| until > finding.event && (until as usize) < run.events.len()));
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_lesson_keeps_the_rules_whatever_befalls_it((place, faults) in troubled()) {
        let (name, scenario) = &scenarios()[place];
        let (run, schedule) = run_timed_with_schedule(scenario, &faults);
        servers_rest(scenario, &run)?;
        nothing_comes_before_its_cause(scenario, &run)?;
        let again = run_replay(scenario, &schedule);
        prop_assert!(again.is_ok(), "{}: an action wasn't possible", name);
        let again = again.expect("it was possible");
        let same = again.changes().map(|(.., change)| change).eq(run.changes().map(|(.., change)| change));
        prop_assert!(same, "{}: the untimed rules don't repeat it", name);
    }
}
