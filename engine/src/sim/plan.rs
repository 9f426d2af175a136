//! When things are due in a timed run: steps, messages, deadlines and the ends of leases.

use super::change::Action;
use super::fault::Leg;
use super::model::Phase;
use super::next::{Flight, Kind, NEVER, Next};
use super::post::{self, Letter};
use super::scenario::{NodeIndex, Operation};
use super::timed::Run;
use super::timers::Term;
use super::trace::What;
use crate::system::ClockKind;

impl Run<'_> {
    pub(super) fn set_lease_date(&mut self, lock: NodeIndex, date_us: i64, term: Term) {
        self.lease_terms[usize::from(lock)] = Some(term);
        self.lease_dates_us[usize::from(lock)] = date_us;
        self.lease_ends[usize::from(lock)] = self.lease_end(lock, date_us);
    }

    /// When a lock service that runs finds that its wall clock shows a deadline.
    fn lease_end(&self, lock: NodeIndex, deadline_us: i64) -> Next {
        self.date_reached((lock, ClockKind::Wall), deadline_us, Action::Expire(lock))
    }

    /// When a server that can act finds that one of its clocks shows a date, and acts.
    pub(super) fn date_reached(&self, (server, kind): (NodeIndex, ClockKind), date_us: i64, action: Action) -> Next {
        let clock = &self.clocks[usize::from(server)];
        let mut at_us = self.recorder.now_us;
        while let Some(shown_us) = clock.reaches_us(kind, date_us, at_us) {
            at_us = self.acts_from_us(server, action, shown_us);
            // The clock may have been put back while the server stood still.
            if clock.shows_us(kind, at_us) >= date_us {
                // A date is over when the clock shows more, a duration when it was over before.
                let overdue = match kind {
                    ClockKind::Wall => clock.wall_us(at_us) > date_us,
                    ClockKind::Monotonic => at_us > shown_us,
                };
                return Next { due_us: at_us, kind: if overdue { Kind::Overdue(action) } else { Kind::Act(action) } };
            }
        }
        NEVER
    }

    /// The first moment, not before `at_us`, at which a server runs, is up, and gets
    /// through to its copies if the action is that something arrives there.
    fn acts_from_us(&self, server: NodeIndex, action: Action, at_us: u64) -> u64 {
        let runs_us = self.runs_from_us(server, at_us);
        let next_us = match action {
            Action::Fire(node, timer) if self.model.is_replication(node, timer) => self.lags.resume_us(node, runs_us),
            _ => runs_us,
        };
        if next_us == at_us { at_us } else { self.acts_from_us(server, action, next_us) }
    }

    /// The first moment, not before `at_us`, at which a node runs and is up.
    pub(super) fn runs_from_us(&self, node: NodeIndex, at_us: u64) -> u64 {
        let next_us = self.outages.resume_us(node, self.pauses.resume_us(node, at_us));
        if next_us == at_us { at_us } else { self.runs_from_us(node, next_us) }
    }

    /// Plans a client's next action, now that it has come to a new phase.
    pub(super) fn plan(&mut self, client: NodeIndex, now_us: u64) {
        match self.model.phase(&self.world, client) {
            Phase::Ended | Phase::Waiting | Phase::Down => {}
            Phase::Ready => self.plan_step(client, now_us),
            Phase::Asked => self.post(client, Leg::Request, now_us),
            Phase::Answered => self.post(client, Leg::Reply, now_us),
        }
    }

    pub(super) fn plan_step(&mut self, client: NodeIndex, now_us: u64) {
        let Some(step) = self.model.step_of(&self.world, client) else { return };
        let worked_us = self.pauses.work_us(client, now_us, step.work_us);
        let mut due_us = worked_us;
        let mut held_up = worked_us != now_us + step.work_us;
        if let Operation::Wait { .. } | Operation::TryAgain(_) = step.operation {
            let sleeps_us = self.model.sleeps_us(&self.world, client);
            let over_us = self.passed_us(client, sleeps_us, worked_us);
            due_us = self.pauses.resume_us(client, over_us.unwrap_or(NEVER.due_us));
            held_up |= over_us.is_some_and(|over_us| over_us != due_us);
        }
        self.flights[usize::from(client)] = Flight::at(due_us);
        self.held_up[usize::from(client)] = held_up;
    }

    /// When this much time has passed by a client's own monotonic clock.
    pub(super) fn passed_us(&self, client: NodeIndex, us: u64, from_us: u64) -> Option<u64> {
        let clock = &self.clocks[usize::from(client)];
        clock.monotonic_reaches_us(clock.monotonic_us(from_us) + us.cast_signed(), from_us)
    }

    /// A client has noted a deadline of its own. A date passes for good when its clock
    /// isn't put back behind it any more.
    pub(super) fn note_own_deadline(&mut self, client: NodeIndex, us: u64, kind: ClockKind, now_us: u64) {
        let process = usize::from(self.model.scenario().process(client));
        let clock = &self.clocks[process];
        let date_us = clock.shows_us(kind, now_us) + us.cast_signed();
        let passes_us = match kind {
            ClockKind::Wall => clock.wall_stays_us(date_us, now_us),
            ClockKind::Monotonic => clock.monotonic_reaches_us(date_us, now_us),
        };
        self.own_deadlines_us[process] = passes_us.unwrap_or(NEVER.due_us);
        self.own_terms[process] = Some(Term::Given { at_us: now_us, lasts_us: us });
        self.own_dates_us[process] = (kind == ClockKind::Wall).then_some(date_us);
    }

    /// When a client's own deadline passes: for good, or for who looks while a clock that
    /// will be put back shows the date.
    pub(super) fn own_deadline(&self, client: NodeIndex) -> Next {
        let action = Action::Pass(client);
        let for_good = Next { due_us: self.own_deadlines_us[usize::from(client)], kind: Kind::Act(action) };
        let Some(date_us) = self.own_dates_us[usize::from(client)] else { return for_good };
        let looks = |member: &NodeIndex| {
            let step = self.model.step_of(&self.world, *member);
            self.model.phase(&self.world, *member) == Phase::Ready
                && step.is_some_and(|step| step.operation == Operation::CheckDeadline)
        };
        let looks_us = self.model.scenario().threads(client).filter(looks).map(|member| {
            self.pauses.all_run_us(&[member; 2], self.flights[usize::from(member)].due_us.max(self.recorder.now_us))
        });
        let is_over = |at_us: &u64| self.clocks[usize::from(client)].wall_us(*at_us) >= date_us;
        let found = looks_us.filter(is_over).map(|due_us| Next { due_us, kind: Kind::Overdue(action) }).min();
        found.map_or(for_good, |found| found.min(for_good))
    }

    /// A call that has just been sent must be over by then.
    pub(super) fn set_deadline(&mut self, client: NodeIndex, now_us: u64) {
        let waits = matches!(self.model.phase(&self.world, client), Phase::Asked | Phase::Answered);
        let step = self.model.step_of(&self.world, client).filter(|_| waits);
        if let Some(timeout_us) = step.and_then(|step| step.timeout_us) {
            let passed_us = self.passed_us(client, timeout_us, now_us);
            self.deadlines_us[usize::from(client)] = passed_us.unwrap_or(NEVER.due_us);
        }
    }

    /// Sends a message of a client's current call, and plans when it arrives or is
    /// lost. What befalls it is said in the trace, so that what follows can be
    /// traced back to it. A message is lost half-way.
    fn post(&mut self, client: NodeIndex, leg: Leg, now_us: u64) {
        let server = self.server_of(client);
        let process = self.model.scenario().process(client);
        let letter = Letter { client, process, server, call: self.recorder.current_call(client), leg };
        let fate = post::fate(self.faults, letter, now_us);
        let latency_us = self.model.scenario().latency_us(server);
        let arrives_us = now_us + latency_us + fate.late_us;
        for &place in fate.late.iter().chain(&fate.overtaken_by) {
            self.recorder.befalls_message(client, place);
        }
        if let Some(place) = fate.lost_by {
            self.recorder.befalls_message(client, place);
            self.flights[usize::from(client)] =
                Flight { due_us: now_us + latency_us / 2, lost: true, overtaken: false };
        } else {
            self.recorder.message_arrives(client, arrives_us);
            let overtaken = fate.overtaken_by.is_some();
            self.flights[usize::from(client)] = Flight { due_us: arrives_us, lost: false, overtaken };
        }
        for (place, by_us) in fate.copies {
            self.copy(client, place, arrives_us + by_us);
        }
    }

    /// Makes a copy of the request that a client has just sent.
    fn copy(&mut self, client: NodeIndex, place: u16, arrives_us: u64) {
        let slot = self.model.free_slot(&self.world);
        let Some(slot) = slot.filter(|_| self.model.can(&self.world, Action::Duplicate(client))) else { return };
        let mark = self.recorder.fault(What::FaultBegins(place));
        self.recorder.because_of(Some(mark));
        self.act(Action::Duplicate(client));
        self.strays[usize::from(slot)] = Flight::at(arrives_us);
        self.recorder.copy_arrives(arrives_us);
    }
}
