//! The terms of what ends by itself beside plain leases: the timers of real systems, and
//! the deadlines that clients note for themselves.

use alloc::vec::Vec;

use super::noted::Noted;
use super::solve::Moment;
use super::timeline::{Running, Term};
use crate::sim::{Action, Model, NodeIndex, Operation, World};
use crate::system::{ClockKind, Timer};

/// What runs, each with its timer; a client's own deadline has none. How long those run
/// that were set before the start, nobody knows here: a schedule in which they end has
/// no times.
#[derive(Default)]
pub(super) struct Timers {
    running: Vec<(NodeIndex, Option<Timer>, Running)>,
    /// What of it was copied aside.
    saved: Vec<(NodeIndex, Option<Timer>, Running)>,
}

/// How far ahead of now an action sets its client's own deadline, in microseconds.
pub(super) fn set_deadline_us(model: &Model<'_>, world: &World, action: Action) -> Option<u64> {
    let Action::Step(client) = action else { return None };
    match model.step_of(world, client)?.operation {
        Operation::SetDeadline { us, .. } => Some(us),
        _ => None,
    }
}

impl Timers {
    /// A client has noted a deadline of its own.
    pub fn note(&mut self, client: NodeIndex, at: Moment, us: u64) {
        self.running.retain(|(node, timer, _)| (*node, *timer) != (client, None));
        self.running.push((client, None, Running { since: at, resumed: None, ttl_us: us.cast_signed() }));
    }

    /// Follows what was set and what has ended by an action.
    pub fn follow(
        &mut self,
        model: &Model<'_>,
        world: &World,
        action: Action,
        noted: &Noted,
        at: Moment,
        terms: &mut Vec<Term>,
    ) {
        let is_set_anew = |node, timer| noted.armed.iter().any(|&(of, set, _)| (of, Some(set)) == (node, timer));
        self.running.retain(|&(node, timer, running)| {
            let expires = match timer {
                Some(timer) => action == Action::Fire(node, timer),
                None => action == Action::Pass(node),
            };
            let goes_on = !expires && !is_set_anew(node, timer) && is_set(model, world, node, timer);
            if !goes_on && action != Action::Restore(node) {
                terms.push(term(model, node, timer, running, at, expires));
            }
            goes_on && action != Action::Restore(node)
        });
        match action {
            Action::Snapshot(host) => {
                self.saved.retain(|&(node, ..)| node != host);
                self.saved.extend(self.running.iter().copied().filter(|&(node, ..)| node == host));
            }
            Action::Restore(host) => {
                let back = self
                    .saved
                    .iter()
                    .copied()
                    .filter(|&(node, timer, _)| node == host && is_set(model, world, node, timer));
                self.running
                    .extend(back.map(|(node, timer, running)| (node, timer, Running { resumed: Some(at), ..running })));
            }
            _ => {}
        }
        for &(node, timer, after_us) in &noted.armed {
            if is_set(model, world, node, Some(timer)) {
                self.running.retain(|&(of, set, _)| (of, set) != (node, Some(timer)));
                let running = Running { since: at, resumed: None, ttl_us: after_us.cast_signed() };
                self.running.push((node, Some(timer), running));
            }
        }
    }

    /// What still runs mustn't end before the end of the schedule.
    pub fn end(&mut self, model: &Model<'_>, last: Moment, terms: &mut Vec<Term>) {
        terms.extend(
            self.running.drain(..).map(|(node, timer, running)| term(model, node, timer, running, last, false)),
        );
    }
}

fn is_set(model: &Model<'_>, world: &World, node: NodeIndex, timer: Option<Timer>) -> bool {
    match timer {
        Some(timer) => model.is_armed(world, node, timer),
        None => model.can(world, Action::Pass(node)),
    }
}

fn term(
    model: &Model<'_>,
    node: NodeIndex,
    timer: Option<Timer>,
    running: Running,
    until: Moment,
    expires: bool,
) -> Term {
    let Running { since, resumed, ttl_us } = running;
    let jumps = timer.is_some_and(|timer| model.clock(node, timer) == ClockKind::Wall);
    Term { lock: node, jumps, since, resumed, ttl_us, until, expires }
}
