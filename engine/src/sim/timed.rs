//! The scheduler that draws timelines: virtual microseconds.
//!
//! Every enabled action has a moment at which it is due, from work, latencies,
//! leases on the node's own clock, and the faults. The earliest happens. Ties are
//! ordered by (due, kind, index), where the end of a fault comes before all else
//! and its start after all else.

use alloc::vec;
use alloc::vec::Vec;

use super::clock::NodeClock;
use super::fault::{Fault, Leg, Pause};
use super::model::{Action, Change, Model, Phase};
use super::recorder::Recorder;
use super::scenario::{LIMITS, NodeIndex, Operation, Scenario};
use super::trace::{Trace, What};
use super::world::World;

/// Runs a scenario under faults until nothing more can happen, or a limit is
/// reached; [`Trace::complete`] says which.
///
/// Faults on nodes that aren't there do nothing.
pub fn run_timed(scenario: &Scenario, faults: &[Fault]) -> Trace {
    let model = Model::new(scenario);
    let mut run = Run::new(&model, faults);
    while let Some(next) = run.next() {
        if next.due_us > LIMITS.time_us || run.recorder.is_full() {
            return run.recorder.finish(false);
        }
        run.happen(next);
    }
    run.recorder.finish(true)
}

/// What happens next, and when. The order of the fields is the order of ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    due_us: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    FaultEnds(u16),
    Act(Action),
    FaultBegins(u16),
}

struct Run<'a> {
    model: &'a Model<'a>,
    faults: &'a [Fault],
    world: World,
    recorder: Recorder,
    clocks: Vec<NodeClock>,
    pauses: Pauses,
    /// When each client's next action is due.
    due_us: Vec<u64>,
    /// What each lock service's wall clock shows when its lease ends.
    lease_ends_us: Vec<i64>,
    /// The starts and ends of faults that are still to come, the next one last.
    marks: Vec<Next>,
    enabled: Vec<Action>,
}

impl<'a> Run<'a> {
    fn new(model: &'a Model<'a>, faults: &'a [Fault]) -> Self {
        let scenario = model.scenario();
        let nodes = scenario.nodes.len();
        let mut run = Self {
            model,
            faults,
            world: model.start(),
            recorder: Recorder::new(scenario, faults),
            clocks: scenario.indices().map(|node| NodeClock::new(node, faults)).collect(),
            pauses: Pauses::new(faults),
            due_us: vec![0; nodes],
            lease_ends_us: vec![0; nodes],
            marks: marks(faults, nodes),
            enabled: Vec::new(),
        };
        for node in scenario.clients() {
            let starts_us = scenario.client(node).map_or(0, |client| client.starts_us);
            run.plan_step(node, starts_us);
        }
        run
    }

    fn next(&mut self) -> Option<Next> {
        let mut enabled = core::mem::take(&mut self.enabled);
        self.model.enabled(&self.world, &mut enabled);
        let acts = enabled.iter().filter_map(|&action| self.due(action));
        let next = acts.chain(self.marks.last().copied()).min();
        self.enabled = enabled;
        next
    }

    /// When an enabled action happens; `None` for a lease that doesn't end in this run.
    fn due(&self, action: Action) -> Option<Next> {
        let now_us = self.recorder.now_us;
        let due_us = match action {
            Action::Step(client) | Action::Deliver(client) => self.due_us[usize::from(client)],
            Action::Serve(client) => {
                let (server, _) = self.model.current_call(&self.world, client)?;
                self.pauses.resume_us(server, self.due_us[usize::from(client)].max(now_us))
            }
            Action::Expire(lock) => {
                let lease_ends_us = self.lease_ends_us[usize::from(lock)];
                let due_us = self.clocks[usize::from(lock)].wall_reaches_us(lease_ends_us, now_us)?;
                self.pauses.resume_us(lock, due_us)
            }
        };
        // A request that waited for a lock is served as soon as the lock is free.
        Some(Next { due_us: due_us.max(now_us), kind: Kind::Act(action) })
    }

    fn happen(&mut self, next: Next) {
        self.recorder.now_us = next.due_us;
        match next.kind {
            Kind::Act(action) => self.act(action),
            Kind::FaultBegins(place) | Kind::FaultEnds(place) => {
                self.marks.pop();
                let node = self.faults[usize::from(place)].node();
                let begins = matches!(next.kind, Kind::FaultBegins(_));
                let what = if begins { What::FaultBegins(place) } else { What::FaultEnds(place) };
                self.recorder.fault(node, what);
            }
        }
    }

    fn act(&mut self, action: Action) {
        let now_us = self.recorder.now_us;
        let mut watch = Watch { recorder: &mut self.recorder, new_term: None };
        self.model.apply(&mut self.world, action, &mut watch);
        if let Some((lock, ttl_us)) = watch.new_term {
            let shows_us = self.clocks[usize::from(lock)].wall_us(now_us);
            self.lease_ends_us[usize::from(lock)] = shows_us + ttl_us.cast_signed();
        }
        match action {
            Action::Expire(_) => {}
            Action::Step(client) | Action::Serve(client) | Action::Deliver(client) => self.plan(client, now_us),
        }
    }

    /// Plans a client's next action, now that it has come to a new phase.
    fn plan(&mut self, client: NodeIndex, now_us: u64) {
        match self.model.phase(&self.world, client) {
            Phase::Ended => {}
            Phase::Ready => self.plan_step(client, now_us),
            Phase::Asked => {
                let arrives_us = now_us + self.travels_us(client, Leg::Request);
                self.recorder.message_arrives(client, arrives_us);
                self.due_us[usize::from(client)] = arrives_us;
            }
            Phase::Answered => {
                let arrives_us = now_us + self.travels_us(client, Leg::Reply);
                self.recorder.message_arrives(client, arrives_us);
                self.due_us[usize::from(client)] = self.pauses.resume_us(client, arrives_us);
            }
        }
    }

    fn plan_step(&mut self, client: NodeIndex, now_us: u64) {
        let scenario = self.model.scenario();
        let Some(step) = self.model.next_step(&self.world, client) else { return };
        let step = &scenario.program_of(client).expect("only clients have steps").steps[step];
        let mut due_us = self.pauses.work_us(client, now_us, step.work_us);
        if let Operation::Wait { us } = step.operation {
            let clock = &self.clocks[usize::from(client)];
            let over_us = clock.monotonic_reaches_us(clock.monotonic_us(due_us) + us.cast_signed(), due_us);
            due_us = self.pauses.resume_us(client, over_us.unwrap_or(u64::MAX));
        }
        self.due_us[usize::from(client)] = due_us;
    }

    /// How long a message of a client's current call is on the way, in microseconds.
    fn travels_us(&self, client: NodeIndex, leg: Leg) -> u64 {
        let call = self.recorder.current_call(client);
        let (server, _) = self.model.current_call(&self.world, client).expect("only calls have messages");
        let late = self.faults.iter().filter_map(|fault| match fault {
            Fault::MessageDelay(delay) if (delay.node, delay.call, delay.leg) == (client, call, leg) => {
                Some(delay.by_us)
            }
            _ => None,
        });
        self.model.scenario().latency_us(server) + late.sum::<u64>()
    }
}

/// Passes changes on, and remembers the term of a lease that starts.
struct Watch<'a> {
    recorder: &'a mut Recorder,
    new_term: Option<(NodeIndex, u64)>,
}

impl super::model::Record for Watch<'_> {
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) {
        if let Change::Granted { ttl_us, .. } | Change::Renewed { ttl_us, .. } = change {
            self.new_term = Some((actor, ttl_us));
        }
        self.recorder.note(actor, client, change);
    }
}

/// The starts and ends of faults, the latest first. A late message has neither,
/// nor has a fault that lasts for no time, since it does nothing.
fn marks(faults: &[Fault], nodes: usize) -> Vec<Next> {
    let mut marks = Vec::new();
    for (place, fault) in faults.iter().enumerate().filter(|(_, fault)| usize::from(fault.node()) < nodes) {
        let place = place as u16;
        let Some(at_us) = fault.at_us() else { continue };
        if fault.lasts_us() == Some(0) {
            continue;
        }
        marks.push(Next { due_us: at_us, kind: Kind::FaultBegins(place) });
        if let Some(lasts_us) = fault.lasts_us() {
            marks.push(Next { due_us: at_us + lasts_us, kind: Kind::FaultEnds(place) });
        }
    }
    marks.sort_unstable_by(|a, b| b.cmp(a));
    marks
}

/// When processes stand still.
struct Pauses {
    /// Node, start and end, in the order of their starts.
    spans: Vec<(NodeIndex, u64, u64)>,
}

impl Pauses {
    fn new(faults: &[Fault]) -> Self {
        let mut spans: Vec<_> = faults
            .iter()
            .filter_map(|fault| match *fault {
                Fault::Pause(Pause { node, at_us, lasts_us }) => Some((node, at_us, at_us + lasts_us)),
                _ => None,
            })
            .collect();
        spans.sort_unstable_by_key(|&(node, start, end)| (start, end, node));
        Self { spans }
    }

    fn of(&self, node: NodeIndex) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.spans.iter().filter(move |span| span.0 == node).map(|&(_, start, end)| (start, end))
    }

    /// The first moment, not before `at_us`, at which a node runs.
    fn resume_us(&self, node: NodeIndex, at_us: u64) -> u64 {
        self.of(node).fold(at_us, |at, (start, end)| if start < at && at < end { end } else { at })
    }

    /// When a node that starts to work at `at_us` has worked for `work_us`.
    fn work_us(&self, node: NodeIndex, at_us: u64, work_us: u64) -> u64 {
        let mut done_us = self.resume_us(node, at_us) + work_us;
        let from_us = done_us - work_us;
        let mut reached_us = from_us;
        for (start, end) in self.of(node) {
            let start = start.max(reached_us);
            if end > start && start >= from_us && start < done_us {
                done_us += end - start;
                reached_us = end;
            }
        }
        done_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(spans: &[(u64, u64)]) -> Pauses {
        let pause = |&(at_us, end_us): &(u64, u64)| Fault::Pause(Pause { node: 0, at_us, lasts_us: end_us - at_us });
        Pauses::new(&spans.iter().map(pause).collect::<Vec<_>>())
    }

    #[test]
    fn a_process_runs_at_the_very_start_and_end_of_a_pause() {
        let pauses = pauses(&[(10, 20)]);
        assert_eq!([9, 10, 11, 19, 20].map(|at| pauses.resume_us(0, at)), [9, 10, 20, 20, 20]);
        assert_eq!(pauses.resume_us(1, 15), 15, "another node doesn't stand still");
    }

    #[test]
    fn work_goes_on_after_a_pause_where_it_stopped() {
        let pauses = pauses(&[(10, 20)]);
        assert_eq!(pauses.work_us(0, 5, 5), 10, "done at the very start of the pause");
        assert_eq!(pauses.work_us(0, 5, 6), 21);
        assert_eq!(pauses.work_us(0, 15, 3), 23);
        assert_eq!(pauses.work_us(0, 20, 3), 23);
    }

    #[test]
    fn pauses_that_overlap_count_once() {
        let pauses = pauses(&[(10, 20), (15, 30), (40, 50)]);
        assert_eq!(pauses.work_us(0, 5, 6), 31);
        assert_eq!(pauses.work_us(0, 5, 16), 51);
        assert_eq!(pauses.resume_us(0, 12), 30);
    }

    #[test]
    fn a_fault_without_length_does_nothing_and_leaves_no_mark() {
        let scenario = super::super::example::stale_overwrite();
        let pause = Fault::Pause(Pause { node: 0, at_us: 100, lasts_us: 0 });
        assert_eq!(run_timed(&scenario, &[pause]).events, run_timed(&scenario, &[]).events);
    }
}
