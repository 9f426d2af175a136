//! One Redis system with its state and its own wall clock, for tests that drive it by hand.

use racescope_engine::sim::Cell;
use racescope_engine::system::{ClockKind, System, Time, Timer};

/// A system that runs.
pub struct Node<S> {
    pub system: S,
    pub cells: Vec<Cell>,
    pub clock: WallClock,
}

impl<S: System> Node<S> {
    /// Starts a system at time 0.
    pub fn start(system: S) -> Self {
        let mut cells = vec![0; system.length()];
        system.start(&mut cells);
        let clock = WallClock { now_us: 0, ends_us: vec![None; system.timers().into()] };
        Self { system, cells, clock }
    }

    /// Sends a command; `None` if it waits.
    pub fn ask(&mut self, caller: u8, words: &str) -> Option<S::Reply> {
        let command = self.system.parse(words).unwrap_or_else(|| panic!("not a command: {words}"));
        self.system.execute(caller, &command, &mut self.cells, &mut self.clock)
    }

    /// Sends a command that doesn't wait, and writes the reply down.
    pub fn say(&mut self, caller: u8, words: &str) -> String {
        self.ask(caller, words).expect("it doesn't wait").to_string()
    }

    /// Lets time pass, and what ends meanwhile ends.
    pub fn pass(&mut self, ms: i64) {
        let until_us = self.clock.now_us + ms * 1_000;
        while let Some((timer, end_us)) = self.clock.next().filter(|&(_, end_us)| end_us <= until_us) {
            self.clock.now_us = self.clock.now_us.max(end_us);
            self.clock.ends_us[usize::from(timer)] = None;
            self.system.fire(timer, &mut self.cells, &mut self.clock);
        }
        self.clock.now_us = until_us;
    }

    /// Steps the wall clock.
    pub fn step(&mut self, ms: i64) {
        for (timer, end_us) in (0..).zip(&mut self.clock.ends_us) {
            if let Some(end_us) = end_us.as_mut().filter(|_| self.system.clock(timer) == ClockKind::Wall) {
                *end_us -= ms * 1_000;
            }
        }
        self.pass(0);
    }

    /// Restarts it, with or without its memory.
    pub fn restart(&mut self, keeps_memory: bool) {
        self.system.restart(keeps_memory, &mut self.cells, &mut self.clock);
    }
}

/// The ends of timers on one clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WallClock {
    now_us: i64,
    ends_us: Vec<Option<i64>>,
}

impl WallClock {
    fn next(&self) -> Option<(Timer, i64)> {
        let armed = (0..).zip(&self.ends_us).filter_map(|(timer, end)| end.map(|end| (timer, end)));
        armed.min_by_key(|&(timer, end_us)| (end_us, timer))
    }
}

impl Time for WallClock {
    fn arm(&mut self, timer: Timer, after_us: u64) {
        self.ends_us[usize::from(timer)] = Some(self.now_us + after_us.cast_signed());
    }

    fn disarm(&mut self, timer: Timer) {
        self.ends_us[usize::from(timer)] = None;
    }

    fn left_us(&self, timer: Timer) -> Option<u64> {
        self.ends_us[usize::from(timer)].map(|end_us| (end_us - self.now_us).max(0).unsigned_abs())
    }
}
