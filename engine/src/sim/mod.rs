//! The model and its schedulers.
//!
//! Reading order: [`scenario`] says what there is, [`world`] holds its state,
//! [`model`] says what can happen next and lets it happen, and [`timed`],
//! [`random`] and [`replay`] are three ways to choose. A run leaves a [`trace`].

mod canonical;
mod cells;
mod change;
mod client;
mod clock;
mod command;
mod contention;
mod digest;
mod due;
pub mod example;
mod fault;
mod fitting;
mod host;
mod judged;
mod layout;
mod lock;
mod lookup;
mod model;
mod next;
mod pauses;
mod pending;
mod plan;
mod post;
mod progress;
mod query;
pub mod random;
mod random_schedules;
mod record;
mod recorder;
pub mod replay;
mod scenario;
mod server;
mod storage;
mod stray;
mod talk;
mod template;
mod thing;
pub mod timed;
mod timers;
mod trace;
mod trouble;
mod validate;
mod views;
mod world;

pub use canonical::{Canonical, Kept};
pub use change::{Action, Change};
pub use clock::NodeClock;
pub use command::{Answer, Ask, MOST_CARRIED, Meaning};
pub use contention::TryAgain;
pub use fault::{
    ClockRate, ClockStep, Crash, Fault, ForcedUnlock, LeaderChange, Leg, MessageDelay, MessageDuplicate, MessageLoss,
    MessageReorder, Partition, Pause, ReplicaLag, SnapshotRestore, StateLoss, Waking,
};
pub use lock::LeaseLock;
pub use model::Model;
pub(crate) use model::Phase;
pub use progress::{Progress, step_at};
pub(crate) use query::Ahead;
pub use random::run_random;
pub use random_schedules::{RandomSchedules, RandomTrouble};
pub use record::Record;
pub use replay::{ReplayError, Schedule, run_replay};
pub use scenario::{
    Branch, Client, Granularity, LIMITS, Limits, Node, NodeIndex, NodeKind, Operation, Outcome, Program, Register,
    Request, Scenario, Step, Target,
};
pub use storage::{Comparison, Guard, Relation, VersionedRegister};
pub use template::{Template, TemplateError};
pub use thing::{Comparing, Held, Part, Probe, Role, SystemNode};
pub use timed::{run_timed, run_timed_with_progress, run_timed_with_schedule};
pub use trace::{Event, EventIndex, Trace, What};
pub use trouble::Assumptions;
pub use validate::ScenarioError;
pub use world::{Cell, World};
