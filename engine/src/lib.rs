//! The engine of Racescope: a model of clients, lock services and storage, the
//! schedulers that decide what happens next in it, and the checkers that judge
//! what happened.
//!
//! Same input, same bytes, natively and in wasm. There is no clock, float, hash
//! map, thread or I/O in here: `no_std` lets the compiler keep most of it so, and a test
//! of the sources the rest.
//!
//! - [`sim`] holds the model: a [`sim::World`] that changes only by
//!   [`sim::Model::apply`], and the schedulers that choose the actions.
//! - [`explore`] walks every schedule and counts them.
//! - [`system`] holds real systems, each answering in its own words.
//! - [`order`] sorts in little code.
//! - [`gate`] runs the release gate of signed grants.
//! - [`backoff`] and [`version_vector`] are arithmetic that clients do.
//! - [`check`] judges a finished [`sim::Trace`] and names the events to blame.
//!
//! ```
//! use racescope_engine::sim::{example, Fault, Pause, Waking, run_timed};
//! use racescope_engine::check::{judge, Property};
//!
//! let scenario = example::stale_overwrite();
//! let calm = run_timed(&scenario, &[]);
//! assert!(judge(&scenario, &calm).harm().is_empty());
//!
//! // Client 0 stands still for longer than its lease of three seconds.
//! let pause = Fault::Pause(Pause { node: 0, at_us: 1_500_000, lasts_us: 4_200_000, on_waking: Waking::Messages });
//! let broken = run_timed(&scenario, &[pause]);
//! let verdict = judge(&scenario, &broken);
//! assert_eq!(verdict.harm()[0].property, Property::StaleWriteAccepted);
//! ```

#![no_std]

extern crate alloc;

pub mod backoff;
pub mod check;
pub mod explore;
pub mod gate;
pub mod order;
pub mod sim;
pub mod system;
pub mod version_vector;
