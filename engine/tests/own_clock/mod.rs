//! A process that runs on a clock of its own and talks to a server, for tests in which
//! two clocks differ.

use racescope_engine::sim::Cell;
use racescope_engine::system::{System, Time, Timer};

/// A process and its clock, which runs at a rate of its own.
pub struct Process<S: System> {
    system: S,
    cells: Vec<Cell>,
    clock: Clock,
}

/// A server without timers.
pub struct Server<S: System> {
    system: S,
    cells: Vec<Cell>,
}

/// Real time and the timers on one clock, which counts `percent` microseconds while a
/// hundred pass.
struct Clock {
    now_us: u64,
    percent: u64,
    ends_us: Vec<Option<u64>>,
}

impl Time for Clock {
    fn arm(&mut self, timer: Timer, after_us: u64) {
        self.ends_us[usize::from(timer)] = Some(self.now_us + after_us * 100 / self.percent);
    }

    fn disarm(&mut self, timer: Timer) {
        self.ends_us[usize::from(timer)] = None;
    }

    fn left_us(&self, timer: Timer) -> Option<u64> {
        self.ends_us[usize::from(timer)].map(|end_us| (end_us - self.now_us) * self.percent / 100)
    }
}

impl<S: System> Server<S> {
    /// A server that has just started.
    pub fn new(system: S) -> Self {
        let mut cells = vec![0; system.length()];
        system.start(&mut cells);
        Self { system, cells }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &str) -> String {
        let command = self.system.parse(request).unwrap_or_else(|| panic!("not a request: {request}"));
        let mut no_timers = Clock { now_us: 0, percent: 100, ends_us: Vec::new() };
        self.system.execute(0, &command, &mut self.cells, &mut no_timers).expect("it never waits").to_string()
    }
}

impl<S: System> Process<S> {
    /// A process whose clock runs at this rate, in percent.
    pub fn new(system: S, percent: u64) -> Self {
        let mut cells = vec![0; system.length()];
        system.start(&mut cells);
        let clock = Clock { now_us: 0, percent, ends_us: vec![None; system.timers().into()] };
        Self { system, cells, clock }
    }

    /// Lets real time pass up to this moment, in milliseconds from the start.
    pub fn at_ms(&mut self, now_ms: u64) -> &mut Self {
        let until_us = now_ms * 1_000;
        assert!(until_us >= self.clock.now_us, "time goes on");
        let ends = |clock: &Clock| {
            let ends = clock.ends_us.iter().enumerate().filter_map(|(timer, end)| end.map(|end| (end, timer)));
            ends.min().filter(|&(end_us, _)| end_us <= until_us)
        };
        while let Some((end_us, timer)) = ends(&self.clock) {
            self.clock.now_us = end_us;
            self.clock.ends_us[timer] = None;
            self.system.fire(timer as Timer, &mut self.cells, &mut self.clock);
        }
        self.clock.now_us = until_us;
        self
    }

    /// Tells the process something, and returns what it says or asks for.
    pub fn hear(&mut self, words: &str) -> String {
        let command = self.system.parse(words).unwrap_or_else(|| panic!("it doesn't understand: {words}"));
        let step = self.system.execute(0, &command, &mut self.cells, &mut self.clock);
        step.map_or("(waits)".to_string(), |step| step.to_string())
    }

    /// Tells the process something, and carries its requests and their answers until it
    /// asks for nothing more. Returns the last request, if any, and what it says then.
    pub fn talk<T: System>(&mut self, words: &str, server: &mut Server<T>) -> String {
        let mut said = self.hear(words);
        let mut last_request = String::new();
        while server.system.parse(&said).is_some() {
            let answer = server.answer(&said);
            last_request = said + " → ";
            said = self.hear(&answer);
        }
        last_request + &said
    }
}
