//! What is asked.

use racescope_engine::explore::{Bounds, Budget, Mark, Question, Tally};
use racescope_engine::sim::Scenario;
use serde::{Deserialize, Serialize};

/// The form of questions and answers. Each side refuses another one: a browser may keep
/// an older half of the site.
const FORM: u32 = 3;

/// The most memory that the states of a search may take in a browser, in bytes.
const MEMORY: usize = 512 << 20;

/// Which schedules are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// All of them, by the states that they go through.
    All,
    /// The same without meeting states of the same future as one: much slower, and as
    /// exact. It shows how fast the search itself is.
    AllUnreduced,
    /// So many random ones, from a seed. They can find something, and prove nothing.
    Random {
        /// From what they are made.
        seed: u64,
        /// How many there shall be.
        schedules: u32,
    },
}

/// What is asked about the schedules of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The scenario.
    pub scenario: Scenario,
    /// What may go wrong, and how often.
    pub bounds: Bounds,
    /// By what schedules are counted.
    pub marks: Vec<Mark>,
    /// What is counted within a schedule, if something is.
    pub tally: Option<Tally>,
    /// The most states that the search may meet.
    pub states: u32,
    /// Whether schedules to play are wanted, too.
    pub examples: bool,
    /// Which schedules are looked at.
    pub scope: Scope,
}

impl Ask {
    /// What a lesson's page asks: every harm that can be done in the scenario at all, and
    /// the two ways out of one.
    pub fn of_page(scenario: Scenario, bounds: Bounds) -> Self {
        let mut marks = Mark::HARM.to_vec();
        marks.extend([Mark::StaleWriteRefused, Mark::GaveUp]);
        marks.retain(|mark| mark.is_possible_in(&scenario));
        Self { scenario, bounds, marks, tally: None, states: 2_000_000, examples: true, scope: Scope::All }
    }

    /// The same for the search itself.
    pub fn question(&self) -> Question {
        let budget = Budget { states: self.states as usize, memory: MEMORY };
        let reduced = self.scope != Scope::AllUnreduced;
        Question { bounds: self.bounds, marks: self.marks.clone(), tally: self.tally.clone(), budget, reduced }
    }

    /// As bytes.
    ///
    /// # Errors
    /// None that can happen with plain data; it is passed on all the same.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(&(FORM, self))
    }

    /// Reads what [`Ask::to_bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are of another form, or the scenario can't be run; as a sentence.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let (form, rest) = postcard::take_from_bytes::<u32>(bytes).map_err(|error| error.to_string())?;
        if form != FORM {
            return Err("this page and its search are of different versions. Reload the page.".to_string());
        }
        let ask: Self = postcard::from_bytes(rest).map_err(|error| error.to_string())?;
        ask.scenario.validate().map_err(|error| error.to_string())?;
        Ok(ask)
    }
}
