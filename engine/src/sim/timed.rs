//! The scheduler that draws timelines: virtual microseconds.
//!
//! Every enabled action has a moment at which it is due, from work, latencies,
//! leases and deadlines on the node's own clock, and the faults. The earliest
//! happens. Ties are ordered by (due, kind, index), where the end of a fault comes
//! before all else and its start after all else. A lease ends after what else
//! happens at the very moment that its clock shows its end, but first where the
//! clock shows more: a key is expired when now > end, and that is looked at before a
//! request is answered.

use alloc::vec;
use alloc::vec::Vec;

use super::change::Action;
use super::clock::NodeClock;
use super::fault::{Fault, Partition};
use super::model::Model;
use super::next::{Flight, Kind, NEVER, Next, marks};
use super::pauses::Pauses;
use super::progress::{Progress, Steps};
use super::recorder::Recorder;
use super::replay::Schedule;
use super::scenario::{LIMITS, NodeIndex, Operation, Scenario};
use super::stray::SLOTS;
use super::timers::{Term, Timers, Watch};
use super::trace::{EventIndex, Trace, What};
use super::world::World;
use crate::system::ClockKind;

/// Runs a scenario under faults until nothing more can happen, or a limit is
/// reached; [`Trace::complete`] says which. What a server's timers would do beyond the
/// limit, when every client has ended, is left out of a complete run.
///
/// Faults on nodes that aren't there do nothing, nor do those beyond [`LIMITS`]; the
/// others are [clamped](Fault::clamped). [`Trace::faults`] has them as they were used.
pub fn run_timed(scenario: &Scenario, faults: &[Fault]) -> Trace {
    run_timed_with_schedule(scenario, faults).0
}

/// The same, with the schedule of the run, which [`super::run_replay`] repeats:
/// whatever the faults do, they do by actions.
pub fn run_timed_with_schedule(scenario: &Scenario, faults: &[Fault]) -> (Trace, Schedule) {
    let (trace, schedule, _) = run_whole(scenario, faults);
    (trace, schedule)
}

/// The same, with the moments at which each client comes to another step of its program.
/// Steps that happen at once are passed over.
pub fn run_timed_with_progress(scenario: &Scenario, faults: &[Fault]) -> (Trace, Vec<Progress>) {
    let (trace, _, progress) = run_whole(scenario, faults);
    (trace, progress)
}

fn run_whole(scenario: &Scenario, faults: &[Fault]) -> (Trace, Schedule, Vec<Progress>) {
    let model = Model::new(scenario);
    let faults = faults.iter().take(LIMITS.faults).map(|fault| on_its_server(scenario, fault.clamped()));
    let faults: Vec<Fault> = faults.collect();
    let mut run = Run::new(&model, &faults);
    let mut complete = true;
    while let Some(next) = run.next() {
        let is_full = run.recorder.is_full();
        if next.due_us > LIMITS.time_us || is_full {
            complete = !is_full && next.is_of_a_timer() && model.everybody_has_ended(&run.world);
            break;
        }
        run.happen(next);
        run.steps.note(&model, &run.world, next.due_us);
    }
    (run.recorder.finish(complete), run.schedule, run.steps.into_progress())
}

/// What befalls a thing befalls the server that it lies on; only its lock is its own.
/// What befalls a thread befalls its process; only its messages are its own.
fn on_its_server(scenario: &Scenario, fault: Fault) -> Fault {
    let place = |node| scenario.process(scenario.host(node));
    match fault {
        Fault::ForcedUnlock(_) => fault,
        Fault::Partition(cut) => Fault::Partition(Partition { node: place(cut.node), other: place(cut.other), ..cut }),
        _ if fault.message().is_some() => fault,
        _ => fault.on(place(fault.node())),
    }
}

/// When a client starts, in microseconds.
fn starts_us(scenario: &Scenario, client: NodeIndex) -> u64 {
    scenario.client(client).map_or(0, |client| client.starts_us)
}

/// A run that is going on.
pub(super) struct Run<'a> {
    pub model: &'a Model<'a>,
    pub faults: &'a [Fault],
    pub world: World,
    pub recorder: Recorder,
    pub schedule: Schedule,
    pub steps: Steps,
    pub clocks: Vec<NodeClock>,
    pub pauses: Pauses,
    pub outages: Pauses,
    /// When each client's next action is due.
    pub flights: Vec<Flight>,
    /// Whether a pause moved it.
    pub held_up: Vec<bool>,
    /// When the deadline of each client's call passes by its own clock.
    pub deadlines_us: Vec<u64>,
    /// The same for stray messages.
    pub strays: [Flight; SLOTS as usize],
    /// How and when each lock service ends the lease that it has granted.
    pub lease_ends: Vec<Next>,
    /// What its wall clock shows then; and in the state that lies aside.
    pub lease_dates_us: Vec<i64>,
    pub saved_dates_us: Vec<i64>,
    /// Why it ends then.
    pub lease_terms: Vec<Option<Term>>,
    /// The timers of the real systems.
    pub timers: Timers,
    /// When each client's own deadline passes, in microseconds.
    pub own_deadlines_us: Vec<u64>,
    /// Why it passes then.
    pub own_terms: Vec<Option<Term>>,
    /// The date that it is, if it is one of the client's wall clock.
    pub own_dates_us: Vec<Option<i64>>,
    /// When replication stands still.
    pub lags: Pauses,
    /// The starts and ends of faults that are still to come, the next one last.
    pub marks: Vec<Next>,
    pub enabled: Vec<Action>,
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
            schedule: Schedule::default(),
            steps: Steps::new(scenario, |client| starts_us(scenario, client)),
            clocks: scenario.indices().map(|node| NodeClock::new(scenario.process(node), faults)).collect(),
            pauses: Pauses::new(scenario, faults),
            outages: Pauses::outages(scenario, faults),
            flights: vec![Flight::default(); nodes],
            held_up: vec![false; nodes],
            deadlines_us: vec![NEVER.due_us; nodes],
            strays: [Flight::default(); SLOTS as usize],
            lease_ends: vec![NEVER; nodes],
            lease_dates_us: vec![0; nodes],
            saved_dates_us: vec![0; nodes],
            lease_terms: vec![None; nodes],
            timers: Timers::new(model),
            own_deadlines_us: vec![NEVER.due_us; nodes],
            own_terms: vec![None; nodes],
            own_dates_us: vec![None; nodes],
            lags: Pauses::lags(scenario, faults),
            marks: marks(faults, nodes),
            enabled: Vec::new(),
        };
        let mut watch = Watch::new(&mut run.recorder, &run.timers, &run.clocks);
        run.world = model.start_noting(&mut watch);
        let set = watch.set;
        run.set_timers(set);
        for node in scenario.clients() {
            run.plan_step(node, starts_us(scenario, node));
        }
        run
    }

    /// Lets what is next happen.
    fn happen(&mut self, next: Next) {
        debug_assert!(next.due_us >= self.recorder.now_us, "time goes on");
        self.recorder.now_us = next.due_us;
        match next.kind {
            Kind::Act(Action::Serve(client)) if self.flights[usize::from(client)].overtaken => {
                self.flights[usize::from(client)].due_us = NEVER.due_us;
            }
            Kind::Act(Action::ServeStray(slot)) if self.strays[usize::from(slot)].overtaken => {
                self.strays[usize::from(slot)].due_us = NEVER.due_us;
            }
            Kind::Overdue(action) | Kind::Act(action) => {
                self.blame_pause(action, next.kind);
                self.recorder.moved_by(self.what_moved(action));
                self.act(action);
            }
            Kind::IsTaken(place) => {
                self.marks.pop();
                let node = self.faults[usize::from(place)].node();
                if self.has_only_other_dates(Action::Snapshot(node)) {
                    self.save_dates(node);
                } else {
                    self.act_if_possible(Action::Snapshot(node), None);
                }
            }
            Kind::FaultBegins(place) => {
                self.marks.pop();
                let mark = self.recorder.fault(What::FaultBegins(place));
                match self.beginning(&self.faults[usize::from(place)]) {
                    Some(action) if self.has_only_other_dates(action) => self.bring_dates_back(action.place(), mark),
                    Some(action) => self.act_if_possible(action, Some(mark)),
                    None => {}
                }
            }
            Kind::FaultEnds(place) => {
                self.marks.pop();
                let mark = self.recorder.fault(What::FaultEnds(place));
                let node = self.faults[usize::from(place)].node();
                if let Fault::Crash(_) = self.faults[usize::from(place)]
                    && !self.outages.cover(node, next.due_us)
                {
                    self.act_if_possible(Action::Restart(node), Some(mark));
                }
            }
        }
    }

    /// What happens when a fault begins, if it happens by an action.
    fn beginning(&self, fault: &Fault) -> Option<Action> {
        match *fault {
            // A process that isn't there yet can't crash.
            Fault::Crash(crash) if self.recorder.now_us < starts_us(self.model.scenario(), crash.node) => None,
            Fault::Crash(crash) if crash.keeps_memory => Some(Action::Halt(crash.node)),
            Fault::Crash(crash) => Some(Action::Crash(crash.node)),
            Fault::SnapshotRestore(restore) => Some(Action::Restore(restore.node)),
            Fault::ForcedUnlock(unlock) => Some(Action::ForceUnlock(unlock.node)),
            Fault::StateLoss(loss) => Some(Action::Forget(loss.node)),
            Fault::LeaderChange(change) => Some(Action::ChangeLeader(change.node)),
            _ => None,
        }
    }

    /// Whether a server is as it was when its state was copied aside, so that taking or
    /// bringing back a state changes nothing but dates, of which a world has none.
    fn has_only_other_dates(&self, action: Action) -> bool {
        match action {
            Action::Snapshot(node) => {
                self.model.is_as_saved(&self.world, node) && !self.model.is_down(&self.world, node)
            }
            Action::Restore(node) => self.model.is_as_saved(&self.world, node),
            _ => false,
        }
    }

    /// The deadline that a client notes by an action, in microseconds of one of its clocks.
    fn deadline_noted_by(&self, action: Action) -> Option<(NodeIndex, u64, ClockKind)> {
        let Action::Step(client) = action else { return None };
        match self.model.step_of(&self.world, client)?.operation {
            Operation::SetDeadline { us, clock } => Some((client, us, clock)),
            _ => None,
        }
    }

    fn act_if_possible(&mut self, action: Action, because: Option<EventIndex>) {
        if self.model.can(&self.world, action) {
            self.recorder.because_of(because);
            self.act(action);
        }
    }

    pub(super) fn act(&mut self, action: Action) {
        let now_us = self.recorder.now_us;
        let asked = match action {
            Action::Serve(client) => Some((client, self.server_of(client))),
            Action::ServeStray(slot) => self.model.stray(&self.world, slot),
            _ => None,
        };
        let deadline_us = self.deadline_noted_by(action);
        let noted = self.recorder.next_index();
        let mut watch = Watch::new(&mut self.recorder, &self.timers, &self.clocks);
        self.model.apply(&mut self.world, action, &mut watch);
        let Watch { new_term, astray, set, .. } = watch;
        self.set_timers(set);
        // What explains this action explains nothing that comes later.
        self.recorder.because_of(None);
        self.recorder.moved_by(None);
        self.schedule.actions.push(action);
        if let Some((client, slot)) = astray {
            self.strays[usize::from(slot)] = self.flights[usize::from(client)];
        }
        if asked.is_some() {
            self.let_go_overtaken(asked);
        }
        if let Some((client, us, clock)) = deadline_us {
            self.note_own_deadline(client, us, clock, now_us);
        }
        if let Some((lock, ttl_us)) = new_term.filter(|&(lock, _)| self.model.is_lease_lock(lock)) {
            let shows_us = self.clocks[usize::from(lock)].wall_us(now_us);
            let term = Term::Given { at_us: now_us, lasts_us: ttl_us };
            self.set_lease_date(lock, shows_us + ttl_us.cast_signed(), term);
        }
        match action {
            Action::Step(client) | Action::Serve(client) | Action::Deliver(client) | Action::TimeOut(client) => {
                self.plan(client, now_us);
            }
            Action::Restart(node) if self.model.scenario().client(node).is_some() => {
                for member in self.model.scenario().threads(self.model.scenario().process(node)) {
                    self.plan(member, now_us);
                }
            }
            Action::Snapshot(node) => self.save_dates(node),
            Action::Restore(node) => self.bring_dates_back(node, noted),
            _ => {}
        }
        if let Action::Step(client) = action {
            self.set_deadline(client, now_us);
        }
    }

    /// Tells the recorder if a pause held this action up: it stopped the work
    /// before it, or the action happens because a pause has ended right now. That a
    /// node was down holds things up, too, and so does a lag what is on its way to a copy.
    fn blame_pause(&mut self, action: Action, kind: Kind) {
        let now_us = self.recorder.now_us;
        let was_due = self.due_us(action) < now_us || matches!(kind, Kind::Overdue(_));
        let lags = matches!(action, Action::Fire(node, timer) if self.model.is_replication(node, timer));
        let ends_now = |node| {
            let spans = [Some(&self.pauses), Some(&self.outages), Some(&self.lags).filter(|_| lags)];
            spans.into_iter().flatten().any(|spans| spans.end_at(node, now_us))
        };
        let woken = |node: &NodeIndex| was_due && ends_now(*node);
        let node = match action {
            Action::Step(client) if self.held_up[usize::from(client)] => Some(client),
            Action::Lose(_) | Action::LoseStray(_) => None,
            _ => self.needed(action).into_iter().find(woken),
        };
        if let Some(node) = node {
            self.recorder.held_up_by_pause_of(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fault::{Pause, Waking};
    use super::*;

    #[test]
    fn a_fault_without_length_does_nothing_and_leaves_no_mark() {
        let scenario = super::super::example::stale_overwrite();
        let pause = Fault::Pause(Pause { node: 0, at_us: 100, lasts_us: 0, on_waking: Waking::Messages });
        assert_eq!(run_timed(&scenario, &[pause]).events, run_timed(&scenario, &[]).events);
    }
}
