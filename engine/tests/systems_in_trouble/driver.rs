//! Drives a system by random commands under random troubles, and holds it to what it promises.
//!
//! Several callers send commands in any order, and one that waits sends its command again.
//! Armed timers fire in any order, connections break, the server stops and comes back with
//! or without its memory, and a state that was copied aside is put back.
//!
//! Whatever a system is, these hold at each step, and [`Walk::step`] sees to them:
//!
//! - it doesn't panic, and the same command in the same state has the same answer;
//! - a command that is refused changes nothing;
//! - a command that waits changes nothing that anybody else sees, and waiting on changes
//!   nothing at all;
//! - a server that comes back with its memory shows what it has shown.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use racescope_engine::sim::Cell;
use racescope_engine::system::{Caller, System, Time, Timer};

/// How many callers send commands. The next one only looks.
pub const CALLERS: Caller = 4;

const WALKS: u32 = 400;
const MOST_STEPS: usize = 80;

/// A system's cells, and which of its timers are armed, for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub cells: Vec<Cell>,
    armed: Armed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Armed(Vec<Option<u64>>);

impl Time for Armed {
    fn arm(&mut self, timer: Timer, after_us: u64) {
        self.0[usize::from(timer)] = Some(after_us);
    }

    fn disarm(&mut self, timer: Timer) {
        self.0[usize::from(timer)] = None;
    }

    fn left_us(&self, timer: Timer) -> Option<u64> {
        self.0[usize::from(timer)]
    }
}

impl State {
    /// A server that has just started.
    pub fn start<S: System>(system: &S) -> Self {
        let mut cells = vec![0; system.length()];
        system.start(&mut cells);
        Self { cells, armed: Armed(vec![None; system.timers().into()]) }
    }

    pub fn is_armed(&self, timer: Timer) -> bool {
        self.armed.left_us(timer).is_some()
    }

    pub fn execute<S: System>(&mut self, system: &S, caller: Caller, command: &S::Command) -> Option<S::Reply> {
        system.execute(caller, command, &mut self.cells, &mut self.armed)
    }

    /// What somebody is told who only looks; the state stays as it is.
    #[track_caller]
    pub fn look<S: System>(&self, system: &S, words: &str) -> String {
        let command = system.parse(words).unwrap_or_else(|| panic!("not a command: {words}"));
        let reply = self.clone().execute(system, CALLERS, &command);
        reply.map_or("(waits)".to_string(), |reply| reply.to_string())
    }

    /// Fires the first armed timer from a place on, and says which it was.
    pub fn fire<S: System>(&mut self, system: &S, from: u8) -> Option<Timer> {
        let timers = system.timers();
        let armed = (0..timers).map(|step| (from % timers + step) % timers).find(|&timer| self.is_armed(timer))?;
        self.armed.disarm(armed);
        system.fire(armed, &mut self.cells, &mut self.armed);
        Some(armed)
    }

    pub fn disconnect<S: System>(&mut self, system: &S, caller: Caller) {
        system.disconnect(caller, &mut self.cells, &mut self.armed);
    }

    pub fn restart<S: System>(&mut self, system: &S, keeps_memory: bool) {
        system.restart(keeps_memory, &mut self.cells, &mut self.armed);
    }
}

/// What has just happened.
pub enum What<'a, S: System> {
    Answered {
        caller: Caller,
        words: &'a str,
        reply: &'a S::Reply,
    },
    Waits,
    Fired(Timer),
    Disconnected(Caller),
    Restarted,
    /// The server has lost its memory, or an older state was put back: numbers that it
    /// has given out may come again.
    SetBack,
}

/// One step of a walk.
pub struct Step<'a, S: System> {
    pub system: &'a S,
    pub before: &'a State,
    pub after: &'a State,
    pub what: What<'a, S>,
}

impl<S: System> Step<'_, S> {
    pub fn is_set_back(&self) -> bool {
        matches!(self.what, What::SetBack)
    }

    /// What somebody would have been told just before.
    #[track_caller]
    pub fn looked(&self, words: &str) -> String {
        self.before.look(self.system, words)
    }

    /// What somebody is told now.
    #[track_caller]
    pub fn look(&self, words: &str) -> String {
        self.after.look(self.system, words)
    }

    /// The answer that was given, with the words that asked for it and who did.
    pub fn answer(&self) -> Option<(Caller, &str, String)> {
        match self.what {
            What::Answered { caller, words, reply } => Some((caller, words, reply.to_string())),
            _ => None,
        }
    }
}

/// What a system promises.
pub trait Promises {
    type System: System;

    /// Questions that change nothing: what everybody sees.
    fn looks(&self) -> &'static [&'static str];

    /// Whether an answer to these words says that nothing was done.
    fn refuses(&self, words: &str, reply: &<Self::System as System>::Reply) -> bool;

    /// Whether a state after a refusal is the one before it: most systems change no cell.
    fn is_unchanged(&self, step: &Step<Self::System>) -> bool {
        step.before.cells == step.after.cells
    }

    /// Whether a restart with memory keeps what everybody sees.
    fn is_durable(&self) -> bool {
        true
    }

    /// What each caller says before a walk begins.
    fn greeting(&self) -> Option<&'static str> {
        None
    }

    /// Holds the system to what it promises beyond what every system does.
    fn judge(&mut self, step: &Step<Self::System>);
}

/// A number that never goes back unless the server was set back.
#[derive(Clone, Copy, Default)]
pub struct Rising(u64);

impl Rising {
    #[track_caller]
    pub fn see<S: System>(&mut self, number: u64, step: &Step<S>) {
        assert!(step.is_set_back() || number >= self.0, "{number} after {}", self.0);
        self.0 = number;
    }
}

/// The numbers in a text, in order.
pub fn numbers(text: &str) -> Vec<u64> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// The number behind a name in a text.
#[track_caller]
pub fn number_after(text: &str, name: &str) -> u64 {
    let found = text.find(name).map(|at| numbers(&text[at + name.len()..]));
    found.and_then(|numbers| numbers.first().copied()).unwrap_or_else(|| panic!("no number behind {name} in {text}"))
}

#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A caller sends a command; the number chooses which of the numbers that were answered
    /// lately each `#` in it stands for.
    Say(Caller, &'static str, u8),
    Fire(u8),
    Disconnect(Caller),
    Restart {
        keeps_memory: bool,
    },
    Save,
    /// The timers come back with the cells, or stay as they are.
    PutBack {
        with_timers: bool,
    },
}

fn happening(commands: &[&'static str]) -> impl Strategy<Value = Happening> {
    prop_oneof![
        40 => (0..CALLERS, select(commands.to_vec()), any::<u8>()).prop_map(|(caller, words, draw)| Happening::Say(caller, words, draw)),
        6 => any::<u8>().prop_map(Happening::Fire),
        2 => (0..CALLERS).prop_map(Happening::Disconnect),
        2 => Just(Happening::Restart { keeps_memory: true }),
        1 => Just(Happening::Restart { keeps_memory: false }),
        1 => Just(Happening::Save),
        1 => proptest::bool::weighted(0.8).prop_map(|with_timers| Happening::PutBack { with_timers }),
    ]
}

/// A system that is driven.
struct Walk<'a, P: Promises> {
    system: &'a P::System,
    promises: P,
    state: State,
    aside: Option<State>,
    /// What each caller waits for.
    waiting: [Option<String>; CALLERS as usize],
    /// Numbers that were answered lately.
    lately: Vec<u64>,
    /// Whether timers and cells still belong together, as every promise assumes.
    is_whole: bool,
    answers: &'a RefCell<BTreeSet<String>>,
}

impl<P: Promises> Walk<'_, P> {
    fn step(&mut self, happening: Happening) {
        let before = self.state.clone();
        let what = match happening {
            Happening::Say(caller, template, draw) => {
                let words = self.waiting[usize::from(caller)].take();
                let words = words.unwrap_or_else(|| self.filled_in(template, draw));
                return self.say(caller, &words);
            }
            Happening::Fire(from) => self.state.fire(self.system, from).map(What::Fired),
            Happening::Disconnect(caller) => {
                self.waiting[usize::from(caller)] = None;
                self.state.disconnect(self.system, caller);
                Some(What::Disconnected(caller))
            }
            Happening::Restart { keeps_memory } => {
                self.waiting = [const { None }; CALLERS as usize];
                self.state.restart(self.system, keeps_memory);
                let is_kept = keeps_memory && self.promises.is_durable();
                if is_kept {
                    for words in self.promises.looks() {
                        let (was, is) = (before.look(self.system, words), self.state.look(self.system, words));
                        assert_eq!(was, is, "{words}: the server has come back with its memory");
                    }
                }
                Some(if is_kept { What::Restarted } else { What::SetBack })
            }
            Happening::Save => {
                self.aside = self.is_whole.then(|| self.state.clone());
                None
            }
            Happening::PutBack { with_timers } => self.aside.clone().map(|aside| {
                self.waiting = [const { None }; CALLERS as usize];
                self.state.cells = aside.cells;
                if with_timers {
                    self.state.armed = aside.armed;
                }
                self.is_whole &= with_timers;
                What::SetBack
            }),
        };
        if let Some(what) = what {
            self.judge(&before, what);
        }
    }

    /// Puts a number that was answered lately in the place of each `#`, or now and then
    /// a small one.
    fn filled_in(&self, words: &str, draw: u8) -> String {
        let number = |place: usize| {
            let draw = usize::from(draw) / (place + 1);
            let lately = self.lately.iter().rev().nth(draw % 7).copied();
            lately.unwrap_or(draw as u64 % 7)
        };
        let mut parts = words.split('#');
        let first = parts.next().unwrap_or_default().to_string();
        (0..).zip(parts).fold(first, |text, (place, part)| format!("{text}{}{part}", number(place)))
    }

    fn say(&mut self, caller: Caller, words: &str) {
        // A number that was put in may be none that the command takes.
        let Some(command) = self.system.parse(words) else { return };
        let before = self.state.clone();
        let reply = self.state.execute(self.system, caller, &command);
        let mut again = before.clone();
        let same = again.execute(self.system, caller, &command).map(|reply| reply.to_string());
        assert_eq!(same, reply.as_ref().map(ToString::to_string), "{words}: the same state answers the same");
        assert_eq!(again, self.state, "{words}: the same state comes of the same");
        let Some(reply) = reply else {
            assert!(again.execute(self.system, caller, &command).is_none(), "{words}: it goes on waiting");
            assert_eq!(again, self.state, "{words}: waiting on changes nothing");
            for look in self.promises.looks() {
                assert_eq!(before.look(self.system, look), self.state.look(self.system, look), "{words}: it waits");
            }
            self.waiting[usize::from(caller)] = Some(words.to_string());
            return self.judge(&before, What::Waits);
        };
        let said = reply.to_string();
        assert!(!said.is_empty(), "{words}: an answer says something");
        self.lately.extend(numbers(&said).into_iter().filter(|&number| number < 65_535));
        self.answers.borrow_mut().insert(said.clone());
        if self.promises.refuses(words, &reply) {
            let what = What::Answered { caller, words, reply: &reply };
            let step = Step { system: self.system, before: &before, after: &self.state, what };
            assert!(self.promises.is_unchanged(&step), "{words} → {said}: a refusal changes nothing");
        }
        self.judge(&before, What::Answered { caller, words, reply: &reply });
    }

    fn judge(&mut self, before: &State, what: What<P::System>) {
        assert_eq!(self.state.cells.len(), self.system.length());
        if self.is_whole {
            self.promises.judge(&Step { system: self.system, before, after: &self.state, what });
        }
    }
}

/// Drives a system by these commands under random troubles. `#` in a command is a number
/// that was answered lately. Each of the wanted texts has to be part of an answer at least
/// once, or the walks have shown less than they were meant to.
#[track_caller]
pub fn keeps_its_promises<P: Promises>(
    system: &P::System,
    promises: impl Fn() -> P,
    commands: &[&'static str],
    wanted: &[&str],
) {
    let answers = RefCell::new(BTreeSet::new());
    let config = Config { cases: WALKS, failure_persistence: None, ..Config::default() };
    let dice = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let happenings = proptest::collection::vec(happening(commands), 1..MOST_STEPS);
    let walked = TestRunner::new_with_rng(config, dice).run(&happenings, |happenings| {
        let mut walk = Walk {
            system,
            promises: promises(),
            state: State::start(system),
            aside: None,
            waiting: [const { None }; CALLERS as usize],
            lately: Vec::new(),
            is_whole: true,
            answers: &answers,
        };
        if let Some(words) = walk.promises.greeting() {
            (0..CALLERS).for_each(|caller| walk.say(caller, words));
        }
        for happening in happenings {
            walk.step(happening);
        }
        Ok(())
    });
    if let Err(failure) = walked {
        panic!("{failure}");
    }
    let answers = answers.into_inner();
    let missing: Vec<_> = wanted.iter().filter(|&want| !answers.iter().any(|answer| answer.contains(want))).collect();
    assert!(missing.is_empty(), "no answer had {missing:?} in it; there were {answers:#?}");
}
