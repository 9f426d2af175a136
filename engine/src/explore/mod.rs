//! Every schedule, counted.
//!
//! [`explore`] walks all that can happen in a scenario, without time, and counts
//! the complete schedules by what they show. Equal states are walked once; the
//! counts are exact all the same, since a state's futures are counted once and
//! added wherever it is reached. It is iterative, it can be stopped, and it keeps to
//! a budget: it says "complete" or "stopped", never one for the other.
//!
//! Bounds (how many leases may end, say) belong to the search and not to the
//! world, and the granularity of the scenario decides how much of a call is one
//! action. Both are part of what a count means.

mod bounds;
mod count;
mod known;
mod ledger;
mod mark;
mod monitor;
mod pace;
mod patient;
mod random;
mod readings;
mod realise;
mod search;
mod shortest;
mod space;
mod survey;
mod tally;
mod walk;

pub use bounds::Bounds;
pub use count::{Count, Share};
pub use mark::Mark;
pub use patient::patient;
pub use random::{Sampled, Sampling, random_schedule, sample, sample_in_steps};
pub use realise::{Realisation, Unrealisable, realise};
pub use search::{
    Budget, Exploration, Likelihood, Outcome, Progress, Question, Stop, explore, explore_in_steps, likelihoods,
    likelihoods_in_steps,
};
pub use shortest::{shortest, shortest_in_steps};
pub use survey::{Counterexample, Survey, survey};
pub use tally::Tally;
