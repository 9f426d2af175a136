//! Reads lessons as people write them, and proves that they show what they say.
//!
//! A lesson is a folder with a `lesson.toml` (the system, its variants, the faults,
//! what each variant must show) and a `lesson.md` (the story). Reading collects
//! every [`Mistake`] it can find, each with its place and its cure. Reading order
//! of the code: [`read_lesson`], `document`, and from there each part.

mod asks;
mod bounds;
mod cause;
mod challenges;
mod commands;
mod contention;
mod diagnosis;
mod document;
mod draft;
mod expectations;
mod faults;
mod field;
mod flow;
mod folder;
mod idle;
mod inline;
mod links;
mod markdown;
mod matrix_file;
mod mistake;
mod nearest;
mod nodes;
mod places;
mod plain;
mod programs;
mod prove;
mod quantity;
mod reading;
mod scenario_file;
mod schema;
mod shape;
mod source;
mod step_slots;
mod steps;
mod system_slots;
mod systems;
mod table;
mod tally;
mod usage;
mod variants;

pub use bounds::{bound_names, bounds_by_name, set_bound};
pub use draft::{Draft, Shelf};
pub use folder::{read_lesson, read_library};
pub use links::{PAGES, dead_links};
pub use matrix_file::read_matrix;
pub use mistake::{Complaint, Mistake};
pub use prove::prove;
pub use quantity::{duration_us, rate_ppm, shift_us, write_duration};
pub use scenario_file::{Settings, read_study, study_of, study_of_text};
pub use schema::{scenario_schema, schema};
pub use source::shown;
