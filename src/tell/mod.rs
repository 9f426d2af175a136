//! Puts a run into words. The page, the command line and the exports all say the
//! same, because all of them ask here.

mod kinds;
mod names;
mod parting;
mod program;
mod reason;
mod schedules;
mod sentence;
mod state;
mod story;
mod units;
mod verdict;
mod why;

pub use kinds::FaultKind;
pub use names::{
    PARTS, clause_of_fault, comparison, duration, exact_clause_of_fault, letter, place, rate_of, seconds, time,
};
pub use parting::{Remark, Told, compare, parting_us};
pub use program::{Voice, program};
pub use schedules::{
    beyond_what_is_assumed, counted, granularity, grouped, mark, marks, percent, rounded, what_is_assumed, why_stopped,
};
pub use sentence::{sentence, short};
pub use state::{Row, rows};
pub use story::{Line, last_line, replaced, story};
pub use units::Units;
pub use verdict::{Link, Outcome, Telling, verdict};
pub use why::{Step, why};
