//! What all schedules of a scenario show: asked for in bytes, answered in bytes, and
//! found a slice at a time. The page asks; a program of its own answers, so that the
//! page stays small and is never held up.

mod answer;
mod ask;
mod find;
mod words;

pub use answer::{Answer, Example, Group, Harm, Hunted, Progress, Reply};
pub use ask::{Ask, Scope};
pub use find::{Search, answer};
