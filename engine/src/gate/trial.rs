//! One schedule: three workers, two resources, a registry, and what goes wrong.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use rand_pcg::Pcg32;

use super::agenda::{Agenda, Alarms, Event};
use super::books::{Books, RESOURCES};
use super::failure::Failure;
use super::summary::Outcome;
use super::worker::Worker;
use super::{Gate, Line};
use crate::sim::random::below;
use crate::system::names::Word;
use crate::system::{Caller, Cell, System};

/// How many workers there are.
const WORKERS: usize = 3;
/// Who attacks: a caller beside the workers.
pub(super) const ATTACKER: usize = WORKERS;
/// Who operates: no caller at all.
pub(super) const OPERATOR: Caller = WORKERS as Caller + 1;

/// The most events of a schedule: far more than one takes.
const MOST_EVENTS: u32 = 20_000;

/// How many kinds of failures are planned in one schedule.
const PLANNED: usize = 3;

/// A schedule that is run.
pub(super) struct Trial<'a> {
    pub gate: &'a Gate,
    dice: Pcg32,
    pub now_us: u64,
    pub cells: Vec<Cell>,
    pub alarms: Alarms,
    pub agenda: Agenda,
    pub workers: Vec<Worker>,
    pub books: Books,
    /// When the latest lease of each resource ended.
    pub ended_us: [Option<u64>; RESOURCES],
    pub outcome: Outcome,
    planned: [Failure; PLANNED],
    words: u16,
    lines: Option<Vec<Line>>,
}

impl<'a> Trial<'a> {
    pub fn new(gate: &'a Gate, number: u32, tells: bool) -> Self {
        let mut cells = vec![0; gate.system.length()];
        gate.system.start(&mut cells);
        let mut trial = Self {
            gate,
            dice: Pcg32::new(gate.seed, number.into()),
            now_us: 0,
            cells,
            alarms: Alarms::default(),
            agenda: Agenda::default(),
            workers: Vec::new(),
            books: Books::new(),
            ended_us: [None; RESOURCES],
            outcome: Outcome::default(),
            planned: [Failure::OwnerPaused; PLANNED],
            words: 100,
            lines: tells.then(Vec::new),
        };
        for place in 0..PLANNED {
            trial.planned[place] = Failure::ALL[trial.between(0, Failure::COUNT as u32) as usize];
        }
        for number in 0..WORKERS {
            let worker = Worker::new(&mut trial, number);
            trial.workers.push(worker);
            let at_us = u64::from(trial.between(0, 300_000));
            trial.agenda.note(at_us, Event::Wake(number));
        }
        trial.plan_attacks();
        trial.plan_operations();
        trial
    }

    /// Runs it to its end.
    pub fn go(mut self) -> (Outcome, Vec<Line>) {
        for _ in 0..MOST_EVENTS {
            let Some(next_us) = self.agenda.next_us() else { break };
            if let Some((due_us, timer)) = self.alarms.take_by(next_us) {
                self.move_to(due_us);
                self.expire(timer);
                continue;
            }
            self.move_to(next_us);
            match self.agenda.take() {
                Some(Event::Wake(worker)) => self.wake(worker),
                Some(Event::Arrive(message)) => self.arrive(&message),
                Some(Event::Hear(worker, call, heard)) => self.hear(worker, call, heard),
                Some(Event::Miss(worker, call)) => self.miss(worker, call),
                Some(Event::Attack(attack)) => self.attack(attack),
                Some(Event::Operate(operation)) => self.operate(operation),
                None => break,
            }
        }
        let unknown = self.workers.iter().filter(|worker| worker.unknown_since_us.is_some()).count();
        self.outcome.unreconciled += unknown as u32;
        (self.outcome, self.lines.unwrap_or_default())
    }

    fn move_to(&mut self, moment_us: u64) {
        self.now_us = moment_us;
        self.alarms.now_us = moment_us;
    }

    fn expire(&mut self, timer: u8) {
        self.gate.system.fire(timer, &mut self.cells, &mut self.alarms);
        let resource = usize::from(timer);
        if resource < RESOURCES && self.books.leases.held[resource].take().is_some() {
            self.ended_us[resource] = Some(self.now_us);
            self.tell(|| ["the lease of ", super::serve::key(resource), " expires"].concat());
        }
    }

    /// A number from `low` on and below `high`.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + below(&mut self.dice, high - low)
    }

    /// True so many times of so many.
    pub fn chance(&mut self, times: u32, of: u32) -> bool {
        self.between(0, of) < times
    }

    /// How long a message is on its way: between 1 ms and 20 ms.
    pub fn latency_us(&mut self) -> u64 {
        self.between(1_000, 20_000).into()
    }

    /// A word that nobody has used.
    pub fn fresh_word(&mut self) -> Word {
        self.words += 1;
        Word::parse(&self.words.to_string()).expect("three digits are a word")
    }

    /// Whether a kind of failure is to happen in this schedule.
    pub fn is_planned(&self, failure: Failure) -> bool {
        self.planned.contains(&failure)
    }

    /// Whether it is to happen now.
    pub fn happens_now(&mut self, failure: Failure) -> bool {
        self.is_planned(failure) && self.outcome.failures[failure as usize] < 3 && self.chance(1, 2)
    }

    /// Tells what happens, if anybody listens.
    pub fn tell(&mut self, what: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            lines.push(Line { at_us: self.now_us, what: what() });
        }
    }
}
