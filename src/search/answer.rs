//! What was found.

use racescope_engine::explore::{Mark, Stop};
use racescope_engine::sim::Fault;
use serde::{Deserialize, Serialize};

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// How many states it has met.
    pub states: u32,
    /// How many actions it has tried.
    pub actions: u64,
}

/// What is told during a search and at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// It goes on.
    Progress(Progress),
    /// It is done.
    Done(Answer),
}

impl Reply {
    /// As bytes.
    ///
    /// # Errors
    /// None that can happen with plain data; it is passed on all the same.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(self)
    }

    /// Reads what [`Reply::to_bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are no reply.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}

/// What all schedules show. Numbers of schedules are decimal digits, since they
/// outgrow every type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// How many states were met; 0 if schedules were random.
    pub states: u32,
    /// Why the counting was stopped early; `None` if every schedule was counted.
    pub stopped: Option<Stop>,
    /// How many schedules there are; empty if the counting was stopped.
    pub schedules: String,
    /// How many of them do harm of any kind; empty if the counting was stopped.
    pub harmful: String,
    /// The harms that were looked for.
    pub harms: Vec<Harm>,
    /// All schedules by what they show, those that do harm first; empty if the
    /// counting was stopped.
    pub groups: Vec<Group>,
}

/// One kind of harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harm {
    /// What it is.
    pub mark: Mark,
    /// How many schedules do it; empty if the counting was stopped.
    pub schedules: String,
    /// The shortest that does it.
    pub shortest: Hunted,
}

/// What became of the search for the shortest schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hunted {
    /// It was found.
    Found(Example),
    /// No schedule does it; this was seen in all states.
    Nowhere,
    /// Not known: it was not looked for, or the search for it was stopped.
    Unknown(Option<Stop>),
}

/// Schedules that show the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What they show; empty for those that show nothing.
    pub marks: Vec<Mark>,
    /// What the tally comes to in them; 0 without one.
    pub tally: u8,
    /// How many there are.
    pub schedules: String,
    /// Their share of all, in millionths, rounded down.
    pub per_million: u32,
    /// How likely they are if at each step everything that can happen next is equally
    /// likely, in millionths, rounded down; `None` without a tally, and where that search
    /// was stopped. Of random schedules it is their share.
    pub by_step_per_million: Option<u32>,
    /// One of them.
    pub sample: Option<Example>,
    /// The number of that one, if schedules were random.
    pub number: Option<u32>,
}

/// A schedule to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// How many actions it takes.
    pub actions: u32,
    /// The faults under which a timed run takes it, or why there are none.
    pub faults: Result<Vec<Fault>, String>,
}

/// Whether a schedule that shows this does harm.
pub(super) fn is_harm(mark: Mark) -> bool {
    Mark::HARM.contains(&mark)
}

impl Group {
    /// Whether these schedules do harm.
    pub fn is_harmful(&self) -> bool {
        self.marks.iter().any(|&mark| is_harm(mark))
    }
}
