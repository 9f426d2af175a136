//! A client's side of a talk with a real system: what it says, and what it hears.

use alloc::string::String;
use alloc::vec::Vec;

use super::change::Change;
use super::command::{Ask, Meaning};
use super::judged::{Answered, Told};
use super::model::{BELIEFS, Model, OUTCOME, Phase, REPLY};
use super::record::Record;
use super::scenario::{NodeIndex, Outcome, Register, Target};
use super::server::Carried;
use super::views::OWN;
use super::world::{Cell, World};
use crate::system::ClockKind;
use crate::system::setup::Reply;

/// An answer on its way to a client.
pub(super) struct Heard {
    /// Its place among the answers that the program knows; one more for any other.
    answer: usize,
    told: Told,
    /// The values that it gives.
    given: Vec<(Register, Cell)>,
}

/// A command that reaches a server.
pub(super) struct Said {
    pub client: NodeIndex,
    /// The step of its program that says it.
    pub step: u8,
    pub carried: Carried,
    /// The slot of the message, if nobody waits for the answer.
    pub stray: Option<u8>,
}

/// A client's deadline: none, still ahead on one of its clocks, or passed.
const AHEAD: Cell = 1;
const PASSED: Cell = 2;
const AHEAD_BY_DATE: Cell = 3;

impl Model<'_> {
    /// What a client says at a step, with these values.
    pub(super) fn words(&self, client: NodeIndex, step: u8, carried: &Carried) -> Option<String> {
        let ask = self.scenario.ask(client, step)?;
        let mentioned = ask.say.registers();
        let value = |register| {
            let place = mentioned.iter().position(|&other| other == register);
            place.and_then(|place| carried.mentioned.get(place)).copied().unwrap_or_default()
        };
        Some(ask.say.write(self.letter(client), &value))
    }

    fn letter(&self, client: NodeIndex) -> char {
        self.scenario.client(self.scenario.process(client)).map_or('?', |client| client.letter)
    }

    /// What a command carries: the values that it mentions, and for the judges the
    /// token of the lease that its client believes in and the version that it has read.
    pub(super) fn carried_by_command(&self, world: &World, client: NodeIndex, step: u8, token: u16) -> Carried {
        let Some(ask) = self.scenario.ask(client, step) else { return Carried::default() };
        let mut carried = Carried { token, ..Carried::default() };
        for (place, register) in carried.mentioned.iter_mut().zip(ask.say.registers()) {
            *place = self.register(world, client, register);
        }
        let lane = self.lane_of(client, step);
        carried.value = ask.segment.map_or(0, |register| self.register(world, client, register));
        if !ask.in_place {
            carried.based_on = self.version_read(world, client, self.scenario.source(lane));
        }
        carried
    }

    fn lane_of(&self, client: NodeIndex, step: u8) -> NodeIndex {
        self.call_of(client, step.into()).map_or(client, |(server, _)| server)
    }

    /// The token of a command: the value that is named, or that of the lease in which
    /// the client believes.
    pub(super) fn token_of_command(&self, world: &World, client: NodeIndex, step: u8) -> u16 {
        let Some(ask) = self.scenario.ask(client, step) else { return 0 };
        if let Some(register) = ask.token {
            return self.register(world, client, register);
        }
        let lane = self.lane_of(client, step);
        self.belief(world, client, lane)
            .or_else(|| {
                let believed = self.locks.iter().filter_map(|&lock| self.belief(world, client, lock));
                believed.max()
            })
            .unwrap_or(0)
    }

    /// A system handles a command. `None` if it keeps it.
    pub(super) fn handle_command(
        &self,
        world: &mut World,
        lane: NodeIndex,
        Said { client, step, carried, stray }: Said,
        record: &mut impl Record,
    ) -> Option<Heard> {
        let ask = self.scenario.ask(client, step)?;
        let host = self.scenario.host(lane);
        let words = self.words(client, step, &carried)?;
        // What one thread does, its process has done.
        let process = self.scenario.process(client);
        let answered = self.say_to(world, host, self.caller(client), &words, record);
        let (Ok(Reply { view, .. }) | Err(view)) = answered;
        self.take_view(world, host, process, view);
        let Ok(Reply { words: reply, decided, .. }) = answered else {
            record.note(lane, Some(client), Change::Waits);
            return None;
        };
        self.decide(world, lane, Some(client), decided, record);
        let (answer, given) = self.understood(world, client, ask, &reply);
        let outcome = ask.answers.get(answer).map_or(Outcome::Unexpected, |answer| answer.outcome);
        let named = ask.token.and_then(|token| given.iter().find(|(register, _)| *register == token));
        let token = named.map_or(carried.token, |&(_, value)| value);
        // A grant that names no token is numbered; one that does may have got it by an
        // earlier answer, such as a place in a queue.
        let token = if ask.meaning == Meaning::Acquire && ask.token.is_none() { 0 } else { token };
        // What another answer would have given is still that of an earlier effect.
        let gives = |token| ask.answers.iter().any(|answer| answer.reply.given().any(|given| given == token));
        let of = named.map(|&(_, value)| value).or(ask.token.filter(|&token| !gives(token)).map(|_| carried.token));
        let of = of.unwrap_or(0);
        let it = Answered { client: process, lane, ask, outcome, view, token, based_on: carried.based_on, of };
        let segment = self.judge_segment(world, it, carried.value);
        let (change, told) = self.judge(world, it);
        record.say(&reply);
        record.note(lane, Some(client), change);
        if let Some(segment) = segment {
            record.follows();
            record.note(lane, None, segment);
        }
        self.settle(world, host, (client, stray), view, record);
        self.refresh(world, host, Some((process, ask.meaning)), record);
        Some(Heard { answer, told, given })
    }

    /// The first answer that fits, and the values that it gives.
    fn understood(&self, world: &World, client: NodeIndex, ask: &Ask, reply: &str) -> (usize, Vec<(Register, Cell)>) {
        let value = |register| self.register(world, client, register);
        let letter = self.letter(client);
        let fitting = ask.answers.iter().enumerate();
        let mut read = fitting.filter_map(|(place, answer)| Some((place, answer.reply.read(reply, letter, &value)?)));
        read.next().unwrap_or((ask.answers.len(), Vec::new()))
    }

    /// An answer is on its way to a client.
    pub(super) fn hear(&self, world: &mut World, client: NodeIndex, heard: &Heard) {
        let given_at = self.given_at(client);
        let cells = self.cells_mut(world, client);
        cells[OUTCOME] = heard.answer as Cell;
        cells[REPLY..REPLY + 2].copy_from_slice(&heard.told);
        for (cell, (_, value)) in cells[given_at..].iter_mut().zip(&heard.given) {
            *cell = *value;
        }
        self.set_phase(world, client, Phase::Answered);
    }

    /// A client takes an answer. Returns what it makes of it, the token that it is
    /// about, and where it goes on.
    pub(super) fn learn(&self, world: &mut World, client: NodeIndex, step: u8) -> (Outcome, u16, Target) {
        let Some(ask) = self.scenario.ask(client, step) else { return (Outcome::Unexpected, 0, Target::Stop) };
        let cells = self.cells(world, client);
        let (place, [token, version]) = (usize::from(cells[OUTCOME]), [cells[REPLY], cells[REPLY + 1]]);
        let Some(answer) = ask.answers.get(place) else {
            self.drop_reply(world, client);
            return (Outcome::Unexpected, token, Target::Stop);
        };
        let given: Vec<Cell> = cells[self.given_at(client)..].to_vec();
        self.drop_reply(world, client);
        for (register, value) in answer.reply.given().zip(given) {
            self.set_register(world, client, register, value);
        }
        let lane = self.lane_of(client, step);
        match (ask.meaning, answer.outcome) {
            (Meaning::Acquire, Outcome::Granted) => {
                if let Some(register) = ask.token {
                    self.set_register(world, client, register, token);
                }
                self.set_belief(world, client, lane, token);
            }
            (_, Outcome::Lost) => self.give_up_belief(world, client, lane, token),
            // Without a token, it says nothing about a lease.
            (Meaning::Write, Outcome::Refused) if token != 0 => self.give_up_belief(world, client, lane, token),
            (Meaning::Read, Outcome::Done | Outcome::Hit) | (Meaning::Write, Outcome::Accepted | Outcome::Done)
                if !ask.in_place =>
            {
                self.set_version_read(world, client, self.scenario.source(lane), version);
            }
            _ => {}
        }
        (answer.outcome, token, answer.target)
    }

    /// A client comes to believe that it holds a lock, or that it doesn't. Returns the
    /// token of the lease.
    pub(super) fn conclude(
        &self,
        world: &mut World,
        client: NodeIndex,
        lock: NodeIndex,
        outcome: Outcome,
        token: Option<Register>,
    ) -> u16 {
        if outcome != Outcome::Granted {
            let token = self.belief(world, client, lock).unwrap_or(0);
            self.give_up_belief(world, client, lock, token);
            return token;
        }
        let named = token.map_or(0, |register| self.register(world, client, register));
        let process = self.scenario.process(client);
        let own = self.holder(world, lock).filter(|&(holder, _)| holder == process).map(|(_, token)| token);
        let token = match own {
            _ if named != 0 => named,
            Some(own) => own,
            None => super::lock::next_token(self.cells_mut(world, lock)),
        };
        self.set_belief(world, client, lock, token);
        token
    }

    /// Nothing is left of an answer.
    pub(super) fn drop_reply(&self, world: &mut World, client: NodeIndex) {
        let given_at = self.given_at(client);
        let cells = self.cells_mut(world, client);
        cells[OUTCOME..REPLY + 2].fill(0);
        cells[given_at..].fill(0);
    }

    fn registers_end(&self, client: NodeIndex) -> usize {
        let registers = self.scenario.program_of(client).map_or(0, |program| program.registers.len());
        BELIEFS + self.locks.len() + registers
    }

    /// Where the values of an answer lie that is on its way; behind all cells if the
    /// client has no room for any.
    fn given_at(&self, client: NodeIndex) -> usize {
        if self.scenario.process(client) != client {
            return BELIEFS.min(self.length(client));
        }
        (self.registers_end(client) + self.data.len() + 1).min(self.length(client))
    }

    fn version_cell(&self, client: NodeIndex, data: NodeIndex) -> Option<usize> {
        let place = self.data.iter().position(|&other| other == data)?;
        let process = self.scenario.process(client);
        Some(self.registers_end(process) + place).filter(|&cell| cell < self.length(process))
    }

    /// The version of a storage that a client has read last, or 0.
    pub(super) fn version_read(&self, world: &World, client: NodeIndex, data: NodeIndex) -> u16 {
        self.version_cell(client, data).map_or(0, |cell| self.cells(world, self.scenario.process(client))[cell])
    }

    fn set_version_read(&self, world: &mut World, client: NodeIndex, data: NodeIndex, version: u16) {
        if let Some(cell) = self.version_cell(client, data) {
            self.cells_mut(world, self.scenario.process(client))[cell] = version;
        }
    }

    /// A client that knew of a version which only it saw now knows it by its number, or
    /// what it had read before.
    pub(super) fn knows_instead_of_own(&self, world: &mut World, client: NodeIndex, data: NodeIndex, version: u16) {
        if self.version_read(world, client, data) == OWN {
            self.set_version_read(world, client, data, version);
        }
        // A reply can be on its way to any thread of it.
        for asking in self.scenario.clients().filter(|&asking| self.scenario.process(asking) == client) {
            let asks = self.current_call(world, asking).map(|(server, _)| self.scenario.source(server));
            if asks == Some(data) && self.phase(world, asking) == Phase::Answered {
                let told = &mut self.cells_mut(world, asking)[REPLY + 1];
                if *told == OWN {
                    *told = version;
                }
            }
        }
    }

    /// Where the deadline of a client lies in the cells of its process, if it has one.
    pub(super) fn find_deadline_cell(&self, client: NodeIndex) -> Option<usize> {
        self.scenario.client(client)?;
        let process = self.scenario.process(client);
        Some(self.registers_end(process) + self.data.len()).filter(|&cell| cell < self.length(process))
    }

    /// A client notes a deadline.
    pub(super) fn set_deadline(&self, world: &mut World, client: NodeIndex, clock: ClockKind) {
        if let Some(cell) = self.deadline_cell(client) {
            let ahead = if clock == ClockKind::Wall { AHEAD_BY_DATE } else { AHEAD };
            self.cells_mut(world, self.scenario.process(client))[cell] = ahead;
        }
    }

    /// Whether a client's deadline has passed.
    pub(super) fn is_late(&self, world: &World, client: NodeIndex) -> bool {
        self.deadline_cell(client).is_some_and(|cell| self.cells(world, self.scenario.process(client))[cell] == PASSED)
    }

    /// Whether a client has a deadline that can still pass.
    pub(super) fn has_deadline_ahead(&self, world: &World, client: NodeIndex) -> bool {
        self.process(client) == client
            && self
                .deadline_cell(client)
                .is_some_and(|cell| matches!(self.cells(world, client)[cell], AHEAD | AHEAD_BY_DATE))
    }

    /// Whether the deadline that a client has is a date of its wall clock.
    pub(crate) fn has_date_ahead(&self, world: &World, client: NodeIndex) -> bool {
        self.deadline_cell(client).is_some_and(|cell| self.cells(world, client)[cell] == AHEAD_BY_DATE)
    }

    /// The deadline of a client passes.
    pub(super) fn pass_deadline(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        if let Some(cell) = self.deadline_cell(client) {
            self.cells_mut(world, self.scenario.process(client))[cell] = PASSED;
            record.note(client, None, Change::DeadlinePassed);
        }
    }
}
