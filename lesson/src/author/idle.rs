//! Faults that change nothing of a run: a slip of a moment, of a call or of a node.

use racescope_engine::sim::{Change, Fault, NodeIndex, Scenario, Trace, What, run_timed};

use super::mistake::{Complaint, quote};
use super::quantity::write_duration;
use crate::StagedFault;

/// The complaint about each fault of a list without which all these runs would be the
/// same, with its place in the list.
pub(super) fn complaints(scenarios: &[&Scenario], faults: &[StagedFault]) -> Vec<(usize, Complaint)> {
    let all: Vec<Fault> = faults.iter().map(|staged| staged.fault).collect();
    let with: Vec<Trace> = scenarios.iter().map(|scenario| run_timed(scenario, &all)).collect();
    let is_idle = |place: usize| {
        let others: Vec<Fault> = all.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, f)| *f).collect();
        let mut runs = scenarios.iter().zip(&with);
        runs.all(|(scenario, with)| is_same(with, &run_timed(scenario, &others)))
    };
    let idle = (0..all.len()).filter(|&place| is_idle(place));
    idle.map(|place| (place, complaint(scenarios[0], &all[place], &with))).collect()
}

/// Whether the same happens in two runs, apart from the faults themselves.
fn is_same(one: &Trace, other: &Trace) -> bool {
    fn course(trace: &Trace) -> impl Iterator<Item = (u64, NodeIndex, u64, Change, Option<&str>)> {
        let is_told = |change: &Change| !matches!(change, Change::Crashed { .. } | Change::Restarted | Change::Saved);
        trace
            .changes()
            .filter(move |(_, _, change)| is_told(change))
            .map(|(_, event, change)| (event.at_us, event.actor, event.arrives_us, change, trace.said(event)))
    }
    course(one).eq(course(other))
}

fn complaint(scenario: &Scenario, fault: &Fault, runs: &[Trace]) -> Complaint {
    let title = |node: NodeIndex| &scenario.nodes[usize::from(node)].title;
    let name = quote(title(fault.node()));
    let cure = match fault {
        Fault::MessageDelay(_) | Fault::MessageLoss(_) | Fault::MessageDuplicate(_) | Fault::MessageReorder(_) => {
            match runs.iter().map(|run| calls(run, fault.node())).max() {
                None | Some(0) => format!("{name} makes no call in any run; name another client, or take it out."),
                Some(1) => format!("{name} makes only call 1; name another client or leg, or take it out."),
                Some(most) => {
                    format!("{name} makes the calls 1 to {most}; name one that this befalls, or take it out.")
                }
            }
        }
        Fault::Partition(partition) => {
            let other = quote(title(partition.other));
            format!(
                "Nothing passes between {name} and {other} then; choose other nodes or another moment, or take it out."
            )
        }
        Fault::ClockStep(_) | Fault::ClockRate(_) => {
            format!("Nothing that {name} does goes by this clock then; choose another node or moment, or take it out.")
        }
        _ => match span(runs, fault.node()) {
            Some((from_us, to_us)) => {
                let (from, to) = (write_duration(from_us), write_duration(to_us));
                format!("{name} is at work from {from} to {to}; choose a moment that matters to it, or take it out.")
            }
            None => format!("{name} has nothing to do in any run; name another node, or take it out."),
        },
    };
    Complaint::new("this fault changes nothing: the run is the same without it", cure)
}

/// How many calls a client makes in a run.
fn calls(run: &Trace, client: NodeIndex) -> usize {
    let is_its_own = |change: &Change| matches!(change, Change::Sent { .. });
    run.changes().filter(|(_, event, change)| event.actor == client && is_its_own(change)).count()
}

/// From when to when something happens at a node in these runs.
fn span(runs: &[Trace], node: NodeIndex) -> Option<(u64, u64)> {
    let events = runs.iter().flat_map(|run| &run.events);
    let own = events.filter(|event| event.actor == node && matches!(event.what, What::Change(_)));
    let own = own.filter(|event| !matches!(event.what, What::Change(Change::Crashed { .. } | Change::Restarted)));
    let moments: Vec<u64> = own.map(|event| event.at_us).collect();
    Some((*moments.iter().min()?, *moments.iter().max()?))
}
