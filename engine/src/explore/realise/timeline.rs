//! What a schedule demands of the moments of its actions.

use alloc::vec;
use alloc::vec::Vec;

use super::noted::Noted;
use super::solve::{Constraint, Moment};
use super::timers::{Timers, set_deadline_us};
use crate::sim::{Action, Change, Leg, Model, NodeIndex, NodeKind, Phase, Scenario, Schedule, World};

/// A message of a call: which call of its client, and when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub client: NodeIndex,
    pub call: u16,
    pub leg: Leg,
    pub sent: Moment,
    pub latency_us: i64,
    /// For a copy of a request, its place in [`Timeline::copies`].
    pub copy: Option<usize>,
}

/// A copy of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copied {
    pub request: Message,
    /// When the request itself arrives, if it does.
    pub itself: Option<Moment>,
    /// When the copy arrives, if it does.
    pub arrives: Option<Moment>,
}

/// By what an action comes to be due at its moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// A client does a step, so much after its last one; a part of that is work.
    Step { since: Moment, offset_us: i64, work_us: i64, wait_us: i64 },
    /// A message arrives at a server.
    Arrival(Message),
    /// A reply arrives at a client, whose call was sent at that moment and has that deadline.
    Reply { message: Message, sent: Moment, timeout_us: Option<i64> },
    /// A message is lost half-way.
    Lost(Message),
    /// A request arrives twice; it has just been sent.
    Copied(Message),
    /// A deadline passes, so much after its call was sent.
    Deadline { sent: Moment, timeout_us: i64, pending: Option<Message> },
    /// A lease ends.
    LeaseEnd,
    /// A fault happens by itself. It comes before what would have happened.
    Fault { instead: Option<Waits> },
}

/// A lease, from the moment of its grant or its last renewal to its end; or the same of
/// a timer of a real system, or of a deadline that a client has noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub lock: NodeIndex,
    /// Whether its clock can jump; else only its rate could be wrong.
    pub jumps: bool,
    pub since: Moment,
    /// When it was brought back, if it was.
    pub resumed: Option<Moment>,
    pub ttl_us: i64,
    pub until: Moment,
    /// Whether it ends by itself, and not before.
    pub expires: bool,
}

/// What waits when the schedule is over, and mustn't happen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    Step {
        client: NodeIndex,
        since: Moment,
        offset_us: i64,
        takes_us: i64,
    },
    Message(Message),
    /// A deadline, with the message of its call that is on its way, if one is.
    Deadline {
        client: NodeIndex,
        sent: Moment,
        timeout_us: i64,
        pending: Option<Message>,
    },
}

/// What a schedule demands.
#[derive(Default)]
pub(super) struct Timeline {
    /// For each action, by what it comes to be due.
    pub dues: Vec<Due>,
    pub constraints: Vec<Constraint>,
    pub terms: Vec<Term>,
    pub waits: Vec<Waits>,
    /// All copies, in the order in which they were made.
    pub copies: Vec<Copied>,
}

/// What is known of one client.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Since when it works towards its next step, and from which moment that counts.
    since: Moment,
    offset_us: i64,
    sent: Moment,
    answered: Moment,
    calls: u16,
}

/// A term that runs.
#[derive(Clone, Copy)]
pub(super) struct Running {
    pub since: Moment,
    pub resumed: Option<Moment>,
    pub ttl_us: i64,
}

struct Scan<'a> {
    model: Model<'a>,
    world: World,
    known: Vec<Known>,
    /// For each lock the term that runs.
    terms: Vec<Option<Running>>,
    saved: Vec<Option<Running>>,
    timers: Timers,
    strays: [Option<Message>; 3],
    out: Timeline,
}

/// What a schedule of a scenario demands; `None` if it is no schedule of it.
pub(super) fn timeline(scenario: &Scenario, schedule: &Schedule) -> Option<Timeline> {
    let model = Model::new(scenario);
    let world = model.start();
    let start = |node| scenario.client(node).map_or(0, |client| client.starts_us.cast_signed());
    let known = scenario.indices().map(|node| Known { offset_us: start(node), ..Known::default() }).collect();
    let none = vec![None; scenario.nodes.len()];
    let mut scan = Scan {
        timers: Timers::default(),
        model,
        world,
        known,
        terms: none.clone(),
        saved: none,
        strays: [None; 3],
        out: Timeline::default(),
    };
    for (place, &action) in schedule.actions.iter().enumerate() {
        if !scan.model.can(&scan.world, action) {
            return None;
        }
        scan.happen(action, place + 1);
    }
    scan.end(schedule.actions.len());
    Some(scan.out)
}

impl Scan<'_> {
    fn after(&mut self, earlier: Moment, later: Moment, by_us: i64) {
        self.out.constraints.push(Constraint { earlier, later, by_us });
    }

    fn message(&self, client: NodeIndex, leg: Leg) -> Message {
        let known = self.known[usize::from(client)];
        let server = self.model.current_call(&self.world, client).map_or(client, |(server, _)| server);
        let sent = if leg == Leg::Reply { known.answered } else { known.sent };
        let latency_us = self.model.scenario().latency_us(server).cast_signed();
        Message { client, call: known.calls.saturating_sub(1), leg, sent, latency_us, copy: None }
    }

    fn happen(&mut self, action: Action, at: Moment) {
        let due = self.due(action, at);
        self.out.dues.push(due);
        let place = usize::from(action.place());
        let is_of_client = self.model.scenario().client(action.place()).is_some();
        // A request that goes on by itself, or its copy, is the one that is on its way.
        let request = is_of_client.then(|| self.message(action.place(), Leg::Request));
        let deadline_us = set_deadline_us(&self.model, &self.world, action);
        let mut noted = Noted::default();
        self.model.apply(&mut self.world, action, &mut noted);
        if let (Some(slot), Some(request)) = (noted.astray, request) {
            let copies = &mut self.out.copies;
            let copy = matches!(action, Action::Duplicate(_)).then_some(copies.len());
            copies.extend(copy.map(|_| Copied { request, itself: None, arrives: None }));
            self.strays[usize::from(slot)] = Some(Message { copy, ..request });
        }
        match action {
            Action::Step(_) => {
                let sends = noted.changes.iter().filter(|(_, change)| matches!(change, Change::Sent { .. })).count();
                let known = &mut self.known[place];
                known.calls += sends as u16;
                (known.sent, known.answered) = (at, at);
                (known.since, known.offset_us) = (at, 0);
            }
            Action::Serve(_) => self.known[place].answered = at,
            Action::Deliver(_) | Action::TimeOut(_) => (self.known[place].since, self.known[place].offset_us) = (at, 0),
            Action::Restart(_) if is_of_client => (self.known[place].since, self.known[place].offset_us) = (at, 0),
            Action::ServeStray(slot) | Action::LoseStray(slot) => self.strays[usize::from(slot)] = None,
            _ => {}
        }
        self.follow_leases(action, &noted, at);
        self.timers.follow(&self.model, &self.world, action, &noted, at, &mut self.out.terms);
        if let Some(us) = deadline_us {
            self.timers.note(self.model.scenario().process(action.place()), at, us);
        }
    }

    fn due(&mut self, action: Action, at: Moment) -> Due {
        match action {
            Action::Step(client) => {
                let Known { since, offset_us, .. } = self.known[usize::from(client)];
                let (work_us, wait_us) = self.work_and_wait_us(client);
                self.after(since, at, offset_us + work_us + wait_us);
                Due::Step { since, offset_us, work_us, wait_us }
            }
            Action::Serve(client) => self.arrival(self.message(client, Leg::Request), at),
            Action::Deliver(client) => {
                let message = self.message(client, Leg::Reply);
                let sent = self.known[usize::from(client)].sent;
                self.after(message.sent, at, message.latency_us);
                Due::Reply { message, sent, timeout_us: self.timeout_us(client) }
            }
            Action::LoseStray(slot) if !self.model.stray_asks_one_that_is_down(&self.world, slot) => {
                match self.strays[usize::from(slot)] {
                    Some(message) => self.lost(message, at),
                    None => Due::Fault { instead: None },
                }
            }
            Action::ServeStray(slot) | Action::LoseStray(slot) => match self.strays[usize::from(slot)] {
                Some(message) => self.arrival(message, at),
                None => Due::Fault { instead: None },
            },
            Action::Lose(client) => {
                let message = self.message(client, self.model.leg_of(&self.world, client));
                if self.model.asks_one_that_is_down(&self.world, client) {
                    return self.arrival(message, at);
                }
                self.lost(message, at)
            }
            Action::Duplicate(client) => {
                let message = self.message(client, Leg::Request);
                self.after(at, message.sent, 0);
                Due::Copied(message)
            }
            Action::TimeOut(client) => {
                let sent = self.known[usize::from(client)].sent;
                let timeout_us = self.timeout_us(client).unwrap_or(0);
                self.after(sent, at, timeout_us);
                let pending = (self.model.phase(&self.world, client) == Phase::Answered)
                    .then(|| self.message(client, Leg::Reply));
                Due::Deadline { sent, timeout_us, pending }
            }
            Action::Crash(node) | Action::Halt(node) => {
                let starts_us = self.model.scenario().client(node).map_or(0, |client| client.starts_us.cast_signed());
                self.after(0, at, starts_us);
                // A request goes on by itself, and is brought to its moment there.
                let is_request = |message: &Message| message.leg == Leg::Request;
                let instead = match self.waits_of(node) {
                    Some(Waits::Message(message)) if is_request(&message) => None,
                    Some(Waits::Deadline { client, sent, timeout_us, pending }) => {
                        let pending = pending.filter(|message| !is_request(message));
                        Some(Waits::Deadline { client, sent, timeout_us, pending })
                    }
                    waits => waits,
                };
                Due::Fault { instead }
            }
            Action::Expire(_) | Action::Fire(..) | Action::Pass(_) => Due::LeaseEnd,
            _ => Due::Fault { instead: None },
        }
    }

    /// How long a client works before its next step, and how long that waits.
    fn work_and_wait_us(&self, client: NodeIndex) -> (i64, i64) {
        let Some(step) = self.model.step_of(&self.world, client) else { return (0, 0) };
        (step.work_us.cast_signed(), self.model.sleeps_us(&self.world, client).cast_signed())
    }

    /// What a client would do next, or what would arrive for it.
    fn waits_of(&self, client: NodeIndex) -> Option<Waits> {
        self.model.scenario().client(client)?;
        let Known { since, offset_us, sent, .. } = self.known[usize::from(client)];
        let (phase, timeout_us) = (self.model.phase(&self.world, client), self.timeout_us(client));
        let pending = match phase {
            Phase::Ready => {
                let (work_us, wait_us) = self.work_and_wait_us(client);
                return Some(Waits::Step { client, since, offset_us, takes_us: work_us + wait_us });
            }
            Phase::Ended | Phase::Down => return None,
            Phase::Asked => Some(self.message(client, Leg::Request)),
            Phase::Answered => Some(self.message(client, Leg::Reply)),
            Phase::Waiting => None,
        };
        match timeout_us {
            Some(timeout_us) => Some(Waits::Deadline { client, sent, timeout_us, pending }),
            None => pending.map(Waits::Message),
        }
    }

    fn arrival(&mut self, message: Message, at: Moment) -> Due {
        self.after(message.sent, at, message.latency_us);
        if let Some(copy) = message.copy {
            self.out.copies[copy].arrives = Some(at);
            if let Some(itself) = self.out.copies[copy].itself {
                self.after(itself, at, 0);
            }
        } else {
            let call = (message.client, message.call);
            let is_copy = |copy: &&mut Copied| (copy.request.client, copy.request.call) == call;
            self.out.copies.iter_mut().filter(is_copy).for_each(|copy| copy.itself = Some(at));
        }
        Due::Arrival(message)
    }

    /// A message is lost half-way.
    fn lost(&mut self, message: Message, at: Moment) -> Due {
        self.after(message.sent, at, message.latency_us / 2);
        self.after(at, message.sent, -(message.latency_us / 2));
        Due::Lost(message)
    }

    fn timeout_us(&self, client: NodeIndex) -> Option<i64> {
        self.model.step_of(&self.world, client)?.timeout_us.map(u64::cast_signed)
    }

    /// Follows which term of a lease runs where, from what an action changed.
    fn follow_leases(&mut self, action: Action, noted: &Noted, at: Moment) {
        for &(actor, change) in &noted.changes {
            let lock = usize::from(actor);
            let expires = matches!(action, Action::Expire(_));
            match change {
                Change::Granted { ttl_us, .. } | Change::Renewed { ttl_us, .. } => {
                    self.end_term(actor, at, false);
                    let running = Running { since: at, resumed: None, ttl_us: ttl_us.cast_signed() };
                    self.terms[lock] = (ttl_us > 0).then_some(running);
                }
                Change::Expired { .. } | Change::Freed { .. } | Change::Broken { .. } | Change::Forgotten { .. } => {
                    self.end_term(actor, at, expires);
                }
                Change::Crashed { keeps_memory: false } if self.is_lock(actor) => self.end_term(actor, at, false),
                Change::Saved => self.saved[lock] = self.terms[lock],
                Change::LockRestored { holder, .. } => {
                    self.end_term(actor, at, false);
                    let saved = self.saved[lock].filter(|_| holder.is_some());
                    self.terms[lock] = saved.map(|saved| Running { resumed: Some(at), ..saved });
                }
                _ => {}
            }
        }
    }

    fn is_lock(&self, node: NodeIndex) -> bool {
        matches!(self.model.scenario().nodes[usize::from(node)].kind, NodeKind::Lock(_))
    }

    fn end_term(&mut self, lock: NodeIndex, until: Moment, expires: bool) {
        if let Some(Running { since, resumed, ttl_us }) = self.terms[usize::from(lock)].take() {
            self.out.terms.push(Term { lock, jumps: true, since, resumed, ttl_us, until, expires });
        }
    }

    /// What is still to come mustn't come before the end of the schedule.
    fn end(&mut self, last: Moment) {
        let scenario = self.model.scenario();
        for lock in scenario.locks() {
            self.end_term(lock, last, false);
        }
        self.timers.end(&self.model, last, &mut self.out.terms);
        let waits: Vec<Waits> = scenario.clients().filter_map(|client| self.waits_of(client)).collect();
        self.out.waits.extend(waits);
        let strays: Vec<Message> = self.strays.iter().flatten().copied().collect();
        self.out.waits.extend(strays.into_iter().map(Waits::Message));
    }
}

/// Whether an action is due by itself, so that it has its place among others that
/// are due at the same moment, and isn't what a fault does.
pub(super) fn is_timed(action: Action) -> bool {
    matches!(
        action,
        Action::Step(_)
            | Action::Serve(_)
            | Action::ServeStray(_)
            | Action::Deliver(_)
            | Action::Expire(_)
            | Action::Fire(..)
            | Action::Pass(_)
            | Action::TimeOut(_)
    )
}
