//! What clients do: their steps, what they learn, and what they believe.

use super::change::Change;
use super::command::Meaning;
use super::model::{BELIEFS, Model, NEXT_STEP, OUTCOME, PHASE, Phase, REPLY};
use super::record::Record;
use super::scenario::{Granularity, NodeIndex, Operation, Outcome, Request, Target};
use super::world::{Cell, World};

impl Model<'_> {
    pub(super) fn step(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        match self.step_of(world, client).expect("only clients step").operation {
            Operation::Stop => {
                record.has_done(client, self.cells(world, client)[NEXT_STEP] as u8, Outcome::Done);
                self.end(world, client, Change::Stopped, record);
            }
            Operation::Wait { .. } => {
                record.note(client, Some(client), Change::Waited);
                self.go_on(world, client, Outcome::Done, record);
            }
            Operation::TryAgain(again) => {
                let tries = self.register(world, client, again.tries);
                let outcome = if again.wait_us(client, tries).is_some() {
                    self.set_register(world, client, again.tries, tries.saturating_add(1));
                    record.note(client, Some(client), Change::Waited);
                    Outcome::Done
                } else {
                    let outcome = Outcome::Exhausted;
                    record.note(client, Some(client), Change::Learned { outcome, server: client, token: 0 });
                    outcome
                };
                self.go_on(world, client, outcome, record);
            }
            Operation::Compute { from, into, add } => {
                let value = self.register(world, client, from).wrapping_add(add);
                self.set_register(world, client, into, value);
                record.note(client, Some(client), Change::Computed { value });
                self.go_on(world, client, Outcome::Done, record);
            }
            Operation::Compare { register, with } => {
                let value = self.register(world, client, register);
                record.note(client, Some(client), Change::Compared { value, with });
                let outcome = if value < with { Outcome::Below } else { Outcome::AtLeast };
                self.go_on(world, client, outcome, record);
            }
            Operation::SetDeadline { clock, .. } => {
                self.set_deadline(world, client, clock);
                record.note(client, Some(client), Change::DeadlineSet);
                self.go_on(world, client, Outcome::Done, record);
            }
            Operation::CheckDeadline => {
                let outcome = if self.is_late(world, client) { Outcome::Late } else { Outcome::InTime };
                record.note(client, Some(client), Change::Learned { outcome, server: client, token: 0 });
                self.go_on(world, client, outcome, record);
            }
            Operation::Conclude { lock, outcome, token } => {
                let token = self.conclude(world, client, lock, outcome, token);
                record.note(client, Some(client), Change::Learned { outcome, server: lock, token });
                self.go_on(world, client, Outcome::Done, record);
            }
            Operation::Call { .. } | Operation::Ask { .. } => {
                let (server, request) = self.current_call(world, client).expect("it asks a server");
                let token = self.token_sent(world, client, request);
                if let Request::Release { .. } | Request::Command { meaning: Meaning::Release, .. } = request {
                    self.give_up_belief(world, client, server, token);
                }
                if let Request::Command { step, .. } = request {
                    let carried = self.carried(world, client, request);
                    record.say(&self.words(client, step, &carried).unwrap_or_default());
                    self.cells_mut(world, client)[REPLY] = token;
                }
                record.note(client, Some(client), Change::Sent { server, request, token });
                self.set_phase(world, client, Phase::Asked);
                if self.scenario.granularity != Granularity::SendServeDeliver {
                    self.serve(world, client, record);
                }
                // A command that is kept is served and delivered later.
                let is_answered = self.phase(world, client) == Phase::Answered;
                if self.scenario.granularity == Granularity::Call && is_answered {
                    self.deliver(world, client, record);
                }
            }
        }
    }

    pub(super) fn deliver(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let (server, request) = self.current_call(world, client).expect("only calls are answered");
        if let Request::Command { step, .. } = request {
            let (outcome, token, target) = self.learn(world, client, step);
            record.note(client, Some(client), Change::Learned { outcome, server, token });
            return self.go_to(world, client, target, record);
        }
        let cells = self.cells_mut(world, client);
        let outcome = outcome_from(cells[OUTCOME]);
        let reply = [cells[REPLY], cells[REPLY + 1]];
        cells[OUTCOME..REPLY + 2].fill(0);
        match (request, outcome) {
            (Request::Acquire { token, .. }, Outcome::Granted) => {
                self.set_register(world, client, token, reply[0]);
                self.set_belief(world, client, server, reply[0]);
            }
            (Request::Read { version, value }, _) => {
                self.set_register(world, client, version, reply[0]);
                self.set_register(world, client, value, reply[1]);
            }
            (_, Outcome::Lost) => {
                let token = self.token_sent(world, client, request);
                self.give_up_belief(world, client, server, token);
            }
            // Only a fence that names a newer holder says something about the lease.
            (_, Outcome::Refused) => self.give_up_belief(world, client, server, reply[0]),
            _ => {}
        }
        let token = match (request, outcome) {
            (Request::Acquire { .. }, _) | (_, Outcome::Refused) => reply[0],
            _ => self.token_sent(world, client, request),
        };
        record.note(client, Some(client), Change::Learned { outcome, server, token });
        self.go_on(world, client, outcome, record);
    }

    /// The client stops waiting. Its request may still be served; a reply that is on
    /// its way will be ignored, so nothing is kept of it.
    pub(super) fn time_out(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let (server, request) = self.current_call(world, client).expect("only calls have a deadline");
        let token = self.token_sent(world, client, request);
        let left_behind = self.let_go_astray(world, client, record);
        self.drop_reply(world, client);
        record.note(client, Some(client), Change::Learned { outcome: Outcome::TimedOut, server, token });
        if let Some(lost) = left_behind {
            record.note(client, Some(client), lost);
        }
        self.go_on(world, client, Outcome::TimedOut, record);
    }

    fn go_on(&self, world: &mut World, client: NodeIndex, outcome: Outcome, record: &mut impl Record) {
        let at = self.cells(world, client)[NEXT_STEP];
        record.has_done(client, at as u8, outcome);
        self.go_to(world, client, self.steps(client)[usize::from(at)].target(outcome), record);
    }

    fn go_to(&self, world: &mut World, client: NodeIndex, target: Target, record: &mut impl Record) {
        let at = self.cells(world, client)[NEXT_STEP];
        let next = match target {
            Target::Next => at + 1,
            Target::Step(step) => Cell::from(step),
            Target::Stop => return self.end(world, client, Change::Stopped, record),
            Target::End => return self.end(world, client, Change::Finished, record),
        };
        if usize::from(next) >= self.steps(client).len() {
            return self.end(world, client, Change::Finished, record);
        }
        self.cells_mut(world, client)[NEXT_STEP] = next;
        self.set_phase(world, client, Phase::Ready);
        // Only forwards, so that no action goes round for ever.
        if next > at && self.steps(client)[usize::from(next)].at_once {
            self.step(world, client, record);
        }
    }

    /// What a client that has ended knows can't matter any more, so its cells are
    /// zeroed: equal futures are equal worlds.
    fn end(&self, world: &mut World, client: NodeIndex, how: Change, record: &mut impl Record) {
        self.cells_mut(world, client).fill(0);
        self.set_phase(world, client, Phase::Ended);
        record.note(client, Some(client), how);
    }

    /// The token of the lease that a client believes to hold on a lock.
    pub fn belief(&self, world: &World, client: NodeIndex, lock: NodeIndex) -> Option<u16> {
        let place = self.locks.iter().position(|&other| other == lock)?;
        Some(self.cells(world, self.process(client))[BELIEFS + place]).filter(|&token| token != 0)
    }

    pub(super) fn token_sent(&self, world: &World, client: NodeIndex, request: Request) -> u16 {
        match request {
            Request::Check { token }
            | Request::Renew { token, .. }
            | Request::Release { token }
            | Request::Write { token: Some(token), .. } => self.register(world, client, token),
            // What was sent is what counts, whatever the client has come to believe since.
            Request::Command { .. } if self.phase(world, client) == Phase::Asked => self.cells(world, client)[REPLY],
            Request::Command { step, .. } => self.token_of_command(world, client, step),
            _ => 0,
        }
    }

    /// A lock service speaks of its own lease only; storage knows no lock, so what
    /// it refuses is given up wherever that token came from.
    pub(super) fn give_up_belief(&self, world: &mut World, client: NodeIndex, server: NodeIndex, token: u16) {
        for place in 0..self.locks.len() {
            let meant = self.locks[place] == server || !self.locks.contains(&server);
            let belief = &mut self.cells_mut(world, self.process(client))[BELIEFS + place];
            if meant && *belief == token {
                *belief = 0;
            }
        }
    }

    pub(super) fn set_belief(&self, world: &mut World, client: NodeIndex, lock: NodeIndex, token: u16) {
        if let Some(place) = self.locks.iter().position(|&other| other == lock) {
            self.cells_mut(world, self.process(client))[BELIEFS + place] = token;
        }
    }

    pub(super) fn register(&self, world: &World, client: NodeIndex, register: u8) -> u16 {
        self.cells(world, self.process(client))[BELIEFS + self.locks.len() + usize::from(register)]
    }

    pub(super) fn set_register(&self, world: &mut World, client: NodeIndex, register: u8, value: u16) {
        let place = BELIEFS + self.locks.len() + usize::from(register);
        self.cells_mut(world, self.process(client))[place] = value;
    }

    pub(super) fn set_phase(&self, world: &mut World, client: NodeIndex, phase: Phase) {
        self.cells_mut(world, client)[PHASE] = phase as Cell;
    }
}

/// The outcome that a server has put into a client's cells; it never puts
/// [`Outcome::TimedOut`] there.
fn outcome_from(cell: Cell) -> Outcome {
    const ALL: [Outcome; 7] = [
        Outcome::Done,
        Outcome::Granted,
        Outcome::Busy,
        Outcome::Held,
        Outcome::Lost,
        Outcome::Accepted,
        Outcome::Refused,
    ];
    ALL[usize::from(cell)]
}
