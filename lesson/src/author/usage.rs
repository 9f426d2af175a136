//! What stands in a file and is used by nobody: programs, and servers.

use racescope_engine::sim::{Held, NodeIndex, NodeKind, Operation, Role, Scenario};

use super::cause::Cause;
use super::field::Field;
use super::mistake::{Complaint, quote};
use super::variants::Shared;
use crate::Variant;

/// Reports each program that no client runs, and each server that nobody asks, in any
/// of these variants.
pub(super) fn report_idle(variants: &Field, shared: &Shared, sound: &[Variant]) {
    let scenarios = || sound.iter().map(|variant| &variant.scenario);
    for (place, (name, _)) in shared.programs.iter().enumerate() {
        if !scenarios().any(|scenario| runs(scenario, place)) {
            let wrong = format!("no variant has a client that runs the program {}", quote(name));
            variants.complain_unless(Complaint::new(wrong, "Let a client run it, or take it out."), Cause::Nodes);
        }
    }
    let Some(first) = scenarios().next() else { return };
    for node in first.indices() {
        if !scenarios().any(|scenario| is_used(scenario, node)) {
            let wrong = "no client asks this node in any variant";
            let complaint = Complaint::new(wrong, "Let a step of a program ask it, or take it out.");
            shared.nodes.complain_unless(node, complaint, Cause::Nodes);
        }
    }
}

fn runs(scenario: &Scenario, program: usize) -> bool {
    let is_run = |node| scenario.client(node).is_some_and(|client| usize::from(client.program) == program);
    scenario.indices().any(is_run)
}

/// Whether a node is a client, or is asked by one, or stands behind what is asked, or is
/// a copy of it.
fn is_used(scenario: &Scenario, node: NodeIndex) -> bool {
    if matches!(scenario.nodes[usize::from(node)].kind, NodeKind::Client(_)) {
        return true;
    }
    let programs = scenario.programs.iter().enumerate().filter(|(place, _)| runs(scenario, *place));
    let asked = programs.flat_map(|(_, program)| &program.steps).filter_map(|step| match step.operation {
        Operation::Call { server, .. } | Operation::Ask { server, .. } => Some(server),
        Operation::Conclude { lock, .. } => Some(lock),
        _ => None,
    });
    let mut used: Vec<NodeIndex> = asked.collect();
    let mut place = 0;
    while let Some(&asked) = used.get(place) {
        let mut behind = vec![scenario.host(asked), scenario.source(asked)];
        if let Some(Role::Lock { held: Held::ByQuorum { members, .. }, .. }) = scenario.role(asked) {
            behind.extend(members);
        }
        behind.retain(|node| !used.contains(node));
        used.extend(behind);
        place += 1;
    }
    let is_copy = matches!(scenario.role(node), Some(Role::Data { copy_of: Some(_), .. }));
    used.contains(&node) || (is_copy && used.contains(&scenario.source(node)))
}
