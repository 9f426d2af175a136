//! A system that breaks each rule at will: the driver notices.

use std::panic::{AssertUnwindSafe, catch_unwind};

use racescope_engine::sim::Cell;
use racescope_engine::system::{Caller, ClockKind, System, Time, Timer};

use crate::driver::{Promises, Rising, Step, keeps_its_promises};

/// Which rule it breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaks {
    Nothing,
    /// A refused caller is noted where all can see it.
    Refusals,
    /// So is one that waits.
    Waits,
    /// Whoever waits is counted, though nobody sees it.
    WaitingOn,
    /// A restart with memory loses some of it.
    Restarts,
    /// A timer brings an old number back.
    Numbers,
}

/// A counter that one caller at a time can take for a while, which counts it up.
struct Counter(Breaks);

const HOLDER: usize = 0;
const COUNT: usize = 1;
const NOTED: usize = 2;
const WAITED: usize = 3;

impl System for Counter {
    type Command = &'static str;
    type Reply = String;
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<&'static str> {
        ["take", "try", "look"].into_iter().find(|&known| known == words)
    }

    fn length(&self) -> usize {
        4
    }

    fn start(&self, _: &mut [Cell]) {}

    fn execute(&self, caller: Caller, words: &&str, cells: &mut [Cell], time: &mut dyn Time) -> Option<String> {
        if *words == "look" {
            return Some(format!("{} by {}, {}", cells[COUNT], cells[HOLDER], cells[NOTED]));
        }
        if cells[HOLDER] == 0 {
            cells[HOLDER] = Cell::from(caller) + 1;
            cells[COUNT] += 1;
            time.arm(0, 1_000_000);
            return Some(format!("taken {}", cells[COUNT]));
        }
        match (*words, self.0) {
            ("try", Breaks::Refusals) | ("take", Breaks::Waits) => cells[NOTED] = Cell::from(caller) + 1,
            ("take", Breaks::WaitingOn) => cells[WAITED] += 1,
            _ => {}
        }
        (*words == "try").then(|| "refused".to_string())
    }

    fn fire(&self, _: Timer, cells: &mut [Cell], _: &mut dyn Time) {
        cells[HOLDER] = 0;
        if self.0 == Breaks::Numbers {
            cells[COUNT] = 0;
        }
    }

    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        if !keeps_memory || self.0 == Breaks::Restarts {
            time.disarm(0);
            cells.fill(0);
        }
    }

    fn timers(&self) -> u8 {
        1
    }
}

#[derive(Default)]
struct Counts(Rising);

impl Promises for Counts {
    type System = Counter;

    fn looks(&self) -> &'static [&'static str] {
        &["look"]
    }

    fn refuses(&self, _: &str, reply: &String) -> bool {
        reply == "refused"
    }

    fn judge(&mut self, step: &Step<Counter>) {
        self.0.see(step.after.cells[COUNT].into(), step);
    }
}

#[test]
fn who_breaks_a_rule_is_found_and_who_breaks_none_is_not() {
    let walks = |breaks| keeps_its_promises(&Counter(breaks), Counts::default, &["take", "try", "look"], &["refused"]);
    let is_found = |breaks| catch_unwind(AssertUnwindSafe(|| walks(breaks))).is_err();
    assert!(!is_found(Breaks::Nothing));
    for breaks in [Breaks::Refusals, Breaks::Waits, Breaks::WaitingOn, Breaks::Restarts, Breaks::Numbers] {
        assert!(is_found(breaks), "{breaks:?}");
    }
}

#[test]
#[should_panic(expected = "no answer had")]
fn walks_that_never_show_what_was_wanted_are_found() {
    keeps_its_promises(&Counter(Breaks::Nothing), Counts::default, &["look"], &["refused"]);
}
