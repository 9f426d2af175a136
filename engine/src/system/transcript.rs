//! Drives a system by a text, as a person at several terminals would.
//!
//! Each line is one of
//!
//! ```text
//! A SET l a NX PX 300 → +OK       caller A sends a command; behind the arrow stands the reply
//! B LOCK l → (waits)              the command blocks, until something else has happened:
//! B … LOCK l → granted            and here is its reply
//! wait 250 ms                     time passes, and timers fire
//! clock +15 s                     the server's wall clock is stepped
//! A disconnects                   the connection of A is gone
//! restart                         the server stops and comes back with its data
//! restart without memory          … or without
//! ```

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// Runs the lines of a text and writes them down again with the replies that came.
/// A text that says the truth so comes back as it was.
///
/// # Panics
/// If a line is none of those above: a transcript is written by us.
pub fn replay<S: System>(system: &S, text: &str) -> String {
    let mut session = Session::new(system);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        session.line(line);
    }
    session.written.join("\n")
}

/// Asserts that a transcript says the truth.
///
/// # Panics
/// If a reply differs.
#[track_caller]
pub fn check<S: System>(system: &S, text: &str) {
    let expected: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(replay(system, text), expected.join("\n"), "left: what the model says; right: what is expected");
}

struct Session<'a, S: System> {
    system: &'a S,
    cells: Vec<Cell>,
    clock: Clock,
    /// Commands that wait, in the order in which they came.
    waiting: Vec<(Caller, String, S::Command)>,
    written: Vec<String>,
}

impl<'a, S: System> Session<'a, S> {
    fn new(system: &'a S) -> Self {
        let mut cells = vec![0; system.length()];
        system.start(&mut cells);
        let kinds: Vec<ClockKind> = (0..system.timers()).map(|timer| system.clock(timer)).collect();
        let clock = Clock { now_us: 0, ends_us: vec![None; kinds.len()], kinds };
        Self { system, cells, clock, waiting: Vec::new(), written: Vec::new() }
    }

    fn line(&mut self, line: &str) {
        let said = line.split('→').next().unwrap_or_default().trim();
        if let Some(while_us) = said.strip_prefix("wait ").map(duration_us) {
            self.written.push(line.to_string());
            self.pass(while_us);
        } else if let Some(step) = said.strip_prefix("clock ") {
            self.written.push(line.to_string());
            let (sign, size) = step.split_at(1);
            let size_us = duration_us(size).cast_signed();
            self.clock.step(if sign == "-" { -size_us } else { size_us });
            self.pass(0);
        } else if let Some(how) = said.strip_prefix("restart") {
            self.written.push(line.to_string());
            self.system.restart(how.trim() != "without memory", &mut self.cells, &mut self.clock);
            self.try_waiting();
        } else if let Some(caller) = said.strip_suffix(" disconnects") {
            self.written.push(line.to_string());
            let caller = caller_of(caller);
            self.waiting.retain(|(waits, ..)| *waits != caller);
            self.system.disconnect(caller, &mut self.cells, &mut self.clock);
            self.try_waiting();
        } else if !said.contains(" … ") {
            self.command(said);
        }
        // A line with "…" is written when the reply comes, so the text's own is left out.
    }

    fn command(&mut self, said: &str) {
        let (caller, words) = said.split_once(' ').unwrap_or((said, ""));
        let caller = caller_of(caller);
        let Some(command) = self.system.parse(words) else { panic!("not a command of this system: {words}") };
        let reply = self.system.execute(caller, &command, &mut self.cells, &mut self.clock);
        if let Some(reply) = reply {
            self.written.push(format!("{said} → {reply}"));
        } else {
            self.written.push(format!("{said} → (waits)"));
            self.waiting.push((caller, words.to_string(), command));
        }
        self.try_waiting();
    }

    /// Tries waiting commands again, from the oldest, until none of them moves.
    fn try_waiting(&mut self) {
        let mut place = 0;
        while place < self.waiting.len() {
            let (caller, words, command) = self.waiting[place].clone();
            match self.system.execute(caller, &command, &mut self.cells, &mut self.clock) {
                Some(reply) => {
                    self.waiting.remove(place);
                    self.written.push(format!("{} … {words} → {reply}", letter(caller)));
                    place = 0;
                }
                None => place += 1,
            }
        }
    }

    fn pass(&mut self, while_us: u64) {
        let until_us = self.clock.now_us + while_us.cast_signed();
        while let Some((timer, end_us)) = self.clock.next_end().filter(|&(_, end_us)| end_us <= until_us) {
            self.clock.now_us = self.clock.now_us.max(end_us);
            self.clock.ends_us[usize::from(timer)] = None;
            self.system.fire(timer, &mut self.cells, &mut self.clock);
            self.try_waiting();
        }
        self.clock.now_us = until_us;
    }
}

/// One clock and the ends of the timers on it.
struct Clock {
    now_us: i64,
    /// The clock that each timer follows.
    kinds: Vec<ClockKind>,
    ends_us: Vec<Option<i64>>,
}

impl Clock {
    /// A step of the wall clock brings dates nearer and leaves durations alone.
    fn step(&mut self, by_us: i64) {
        for (end_us, kind) in self.ends_us.iter_mut().zip(&self.kinds) {
            if let Some(end_us) = end_us.as_mut().filter(|_| *kind == ClockKind::Wall) {
                *end_us -= by_us;
            }
        }
    }

    fn next_end(&self) -> Option<(Timer, i64)> {
        let armed = self.ends_us.iter().enumerate().filter_map(|(timer, end)| end.map(|end| (timer as Timer, end)));
        armed.min_by_key(|&(timer, end_us)| (end_us, timer))
    }
}

impl Time for Clock {
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

fn caller_of(letter: &str) -> Caller {
    match letter.as_bytes() {
        [letter @ b'A'..=b'H'] => letter - b'A',
        _ => panic!("a caller is one letter from A to H, not {letter}"),
    }
}

fn letter(caller: Caller) -> char {
    char::from(b'A' + caller)
}

fn duration_us(text: &str) -> u64 {
    let parsed = text.trim().split_once(' ').and_then(|(number, unit)| {
        let number: u64 = number.parse().ok()?;
        let unit_us = match unit {
            "ms" => 1_000,
            "s" => 1_000_000,
            _ => return None,
        };
        Some(number * unit_us)
    });
    parsed.unwrap_or_else(|| panic!("a duration is a whole number of ms or s, not {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bell that can be taken by one caller for a second.
    struct Bell;

    #[derive(Clone)]
    enum Command {
        Take,
        Look,
    }

    impl System for Bell {
        type Command = Command;
        type Reply = &'static str;
        const CLOCK: ClockKind = ClockKind::Wall;

        fn parse(&self, words: &str) -> Option<Command> {
            match words {
                "TAKE" => Some(Command::Take),
                "LOOK" => Some(Command::Look),
                _ => None,
            }
        }

        fn length(&self) -> usize {
            1
        }

        fn start(&self, _: &mut [Cell]) {}

        fn execute(
            &self,
            caller: Caller,
            command: &Command,
            cells: &mut [Cell],
            time: &mut dyn Time,
        ) -> Option<&'static str> {
            match command {
                Command::Look => Some(if cells[0] == 0 { "free" } else { "taken" }),
                Command::Take if cells[0] == 0 => {
                    cells[0] = Cell::from(caller) + 1;
                    time.arm(0, 1_000_000);
                    Some("yours")
                }
                Command::Take => None,
            }
        }

        fn fire(&self, _: Timer, cells: &mut [Cell], _: &mut dyn Time) {
            cells[0] = 0;
        }

        fn timers(&self) -> u8 {
            1
        }
    }

    #[test]
    fn a_text_that_says_the_truth_comes_back() {
        check(
            &Bell,
            "A TAKE → yours
             B TAKE → (waits)
             wait 999 ms
             A LOOK → taken
             wait 1 ms
             B … TAKE → yours
             clock +5 s
             A LOOK → free
             B TAKE → yours
             restart without memory
             A LOOK → free",
        );
    }

    #[test]
    fn a_text_that_lies_comes_back_with_the_truth() {
        assert_eq!(replay(&Bell, "A LOOK → taken"), "A LOOK → free");
    }
}
