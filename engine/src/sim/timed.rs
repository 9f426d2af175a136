//! The scheduler that draws timelines: virtual microseconds.
//!
//! Every enabled action has a moment at which it is due, from work, latencies,
//! leases on the node's own clock, and the faults. The earliest happens. Ties are
//! ordered by (due, kind, index), where the end of a fault comes before all else
//! and its start after all else. A lease ends after what else happens at the very
//! moment that its clock shows its end, but first where the clock shows more: a key
//! is expired when now > end, and that is looked at before a request is answered.

use alloc::vec;
use alloc::vec::Vec;

use super::change::{Action, Change, Record};
use super::clock::NodeClock;
use super::fault::{Fault, Leg, Pause};
use super::model::{Model, Phase};
use super::recorder::Recorder;
use super::scenario::{Granularity, LIMITS, NodeIndex, Operation, Scenario};
use super::trace::{Trace, What};
use super::world::World;

/// Runs a scenario under faults until nothing more can happen, or a limit is
/// reached; [`Trace::complete`] says which.
///
/// Faults on nodes that aren't there do nothing, nor do those beyond [`LIMITS`]; the
/// others are [clamped](Fault::clamped). [`Trace::faults`] has them as they were used.
pub fn run_timed(scenario: &Scenario, faults: &[Fault]) -> Trace {
    let model = Model::new(scenario);
    let faults: Vec<Fault> = faults.iter().take(LIMITS.faults).map(|fault| fault.clamped()).collect();
    let mut run = Run::new(&model, &faults);
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
    Overdue(Action),
    Act(Action),
    FaultBegins(u16),
}

/// What no run comes to.
const NEVER: Next = Next { due_us: u64::MAX, kind: Kind::FaultBegins(u16::MAX) };

struct Run<'a> {
    model: &'a Model<'a>,
    faults: &'a [Fault],
    world: World,
    recorder: Recorder,
    clocks: Vec<NodeClock>,
    pauses: Pauses,
    /// When each client's next action is due.
    due_us: Vec<u64>,
    /// Whether a pause moved it.
    held_up: Vec<bool>,
    /// How and when each lock service ends the lease that it has granted.
    lease_ends: Vec<Next>,
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
            held_up: vec![false; nodes],
            lease_ends: vec![NEVER; nodes],
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
        let acts = enabled.iter().map(|&action| self.planned(action));
        let next = acts.chain(self.marks.last().copied()).min();
        self.enabled = enabled;
        next
    }

    /// How and when an enabled action happens.
    fn planned(&self, action: Action) -> Next {
        match action {
            Action::Step(client) | Action::Serve(client) | Action::Deliver(client) => {
                // A request that waited for a lock is served as soon as the lock is free.
                let due_us = self.due_us[usize::from(client)].max(self.recorder.now_us);
                let due_us = self.pauses.all_run_us(&self.needed(action), due_us);
                Next { due_us, kind: Kind::Act(action) }
            }
            Action::Expire(lock) => self.lease_ends[usize::from(lock)],
        }
    }

    /// The nodes that must be running for an action to happen.
    fn needed(&self, action: Action) -> [NodeIndex; 2] {
        let server = |client| self.model.current_call(&self.world, client).map_or(client, |(server, _)| server);
        match action {
            Action::Step(client) if self.model.scenario().granularity == Granularity::SendServeDeliver => [client; 2],
            Action::Step(client) => [client, server(client)],
            Action::Serve(client) => [server(client); 2],
            Action::Deliver(client) => [client; 2],
            Action::Expire(lock) => [lock; 2],
        }
    }

    fn happen(&mut self, next: Next) {
        self.recorder.now_us = next.due_us;
        match next.kind {
            Kind::Overdue(action) | Kind::Act(action) => self.act(action, next.kind),
            Kind::FaultBegins(place) | Kind::FaultEnds(place) => {
                self.marks.pop();
                let node = self.faults[usize::from(place)].node();
                let begins = matches!(next.kind, Kind::FaultBegins(_));
                let what = if begins { What::FaultBegins(place) } else { What::FaultEnds(place) };
                self.recorder.fault(node, what);
            }
        }
    }

    fn act(&mut self, action: Action, kind: Kind) {
        let now_us = self.recorder.now_us;
        self.blame_pause(action, kind);
        let mut watch = Watch { recorder: &mut self.recorder, new_term: None };
        self.model.apply(&mut self.world, action, &mut watch);
        if let Some((lock, ttl_us)) = watch.new_term {
            let shows_us = self.clocks[usize::from(lock)].wall_us(now_us);
            self.lease_ends[usize::from(lock)] = self.lease_end(lock, shows_us + ttl_us.cast_signed());
        }
        match action {
            Action::Expire(_) => {}
            Action::Step(client) | Action::Serve(client) | Action::Deliver(client) => self.plan(client, now_us),
        }
    }

    /// Tells the recorder if a pause held this action up: it stopped the work
    /// before it, or the action happens because a pause has ended right now.
    fn blame_pause(&mut self, action: Action, kind: Kind) {
        let now_us = self.recorder.now_us;
        let was_due = match action {
            Action::Step(client) | Action::Serve(client) | Action::Deliver(client) => {
                self.due_us[usize::from(client)] < now_us
            }
            Action::Expire(_) => matches!(kind, Kind::Overdue(_)),
        };
        let woken = |node: &NodeIndex| was_due && self.pauses.of(*node).any(|(_, end)| end == now_us);
        let node = match action {
            Action::Step(client) if self.held_up[usize::from(client)] => Some(client),
            _ => self.needed(action).into_iter().find(woken),
        };
        if let Some(node) = node {
            self.recorder.held_up_by_pause_of(node);
        }
    }

    /// When a lock service that runs finds that its wall clock shows a deadline.
    fn lease_end(&self, lock: NodeIndex, deadline_us: i64) -> Next {
        let clock = &self.clocks[usize::from(lock)];
        let mut at_us = self.recorder.now_us;
        while let Some(shown_us) = clock.wall_reaches_us(deadline_us, at_us) {
            at_us = self.pauses.resume_us(lock, shown_us);
            // The clock may have been put back while the service stood still.
            if clock.wall_us(at_us) >= deadline_us {
                let action = Action::Expire(lock);
                let overdue = clock.wall_us(at_us) > deadline_us;
                return Next { due_us: at_us, kind: if overdue { Kind::Overdue(action) } else { Kind::Act(action) } };
            }
        }
        NEVER
    }

    /// Plans a client's next action, now that it has come to a new phase.
    fn plan(&mut self, client: NodeIndex, now_us: u64) {
        match self.model.phase(&self.world, client) {
            Phase::Ended => {}
            Phase::Ready => self.plan_step(client, now_us),
            Phase::Asked => {
                self.due_us[usize::from(client)] = self.post(client, Leg::Request, now_us);
            }
            Phase::Answered => {
                self.due_us[usize::from(client)] = self.post(client, Leg::Reply, now_us);
            }
        }
    }

    fn plan_step(&mut self, client: NodeIndex, now_us: u64) {
        let scenario = self.model.scenario();
        let Some(step) = self.model.next_step(&self.world, client) else { return };
        let step = &scenario.program_of(client).expect("only clients have steps").steps[step];
        let worked_us = self.pauses.work_us(client, now_us, step.work_us);
        let mut due_us = worked_us;
        let mut held_up = worked_us != now_us + step.work_us;
        if let Operation::Wait { us } = step.operation {
            let clock = &self.clocks[usize::from(client)];
            let over_us = clock.monotonic_reaches_us(clock.monotonic_us(worked_us) + us.cast_signed(), worked_us);
            due_us = self.pauses.resume_us(client, over_us.unwrap_or(NEVER.due_us));
            held_up |= over_us.is_some_and(|over_us| over_us != due_us);
        }
        self.due_us[usize::from(client)] = due_us;
        self.held_up[usize::from(client)] = held_up;
    }

    /// Sends a message of a client's current call, and says when it arrives, in
    /// microseconds. A late one says so in the trace, so that what follows can be
    /// traced back to it.
    fn post(&mut self, client: NodeIndex, leg: Leg, now_us: u64) -> u64 {
        let call = self.recorder.current_call(client);
        let (server, _) = self.model.current_call(&self.world, client).expect("only calls have messages");
        let late: Vec<(u16, u64)> = (0..)
            .zip(self.faults)
            .filter_map(|(place, fault)| match fault {
                Fault::MessageDelay(delay) if (delay.node, delay.call, delay.leg) == (client, call, leg) => {
                    Some((place, delay.by_us))
                }
                _ => None,
            })
            .filter(|&(_, by_us)| by_us > 0)
            .collect();
        let travels_us = self.model.scenario().latency_us(server) + late.iter().map(|&(_, by_us)| by_us).sum::<u64>();
        self.recorder.message_arrives(client, now_us + travels_us);
        for (place, _) in late {
            self.recorder.fault(client, What::FaultBegins(place));
        }
        now_us + travels_us
    }
}

/// Passes changes on, and remembers the term of a lease that starts.
struct Watch<'a> {
    recorder: &'a mut Recorder,
    new_term: Option<(NodeIndex, u64)>,
}

impl Record for Watch<'_> {
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) {
        if let Change::Granted { ttl_us, .. } | Change::Renewed { ttl_us, .. } = change {
            self.new_term = Some((actor, ttl_us));
        }
        self.recorder.note(actor, client, change);
    }
}

/// The starts and ends of faults, the latest first. A late message has neither,
/// nor has a fault that lasts for no time, since it does nothing. What lies beyond
/// the latest moment is left out, so that no run is cut for the sake of a mark.
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
    marks.retain(|mark| mark.due_us <= LIMITS.time_us);
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

    /// The first moment, not before `at_us`, at which all of these nodes run.
    fn all_run_us(&self, nodes: &[NodeIndex], at_us: u64) -> u64 {
        let mut all_run_us = at_us;
        loop {
            let next_us = nodes.iter().fold(all_run_us, |at, &node| self.resume_us(node, at));
            if next_us == all_run_us {
                return all_run_us;
            }
            all_run_us = next_us;
        }
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
