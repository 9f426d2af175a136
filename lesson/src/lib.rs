//! What a lesson is: a story, variants of one scenario, the faults that they
//! share, and what each variant must show.
//!
//! Lessons are written as folders of TOML and Markdown, which the feature
//! `author` reads. The app carries them compiled, as the bytes of a [`Library`].

#[cfg(feature = "author")]
pub mod author;
pub mod carried;
mod matrix;
mod mechanism;
pub mod names;
mod text;

use postcard::Error;
use racescope_engine::check::{Property, Verdict, Witness};
use racescope_engine::explore::{Bounds, Tally};
use racescope_engine::sim::{Change, Fault, NodeIndex, NodeKind, Scenario, Trace};
use serde::{Deserialize, Serialize};

pub use matrix::{Column, Group, Matrix, Row};
pub use mechanism::{Case, Mechanism};
pub use text::{Block, Inline, Section, SectionName};

/// The most faults in one list: more can't be told apart on a stage.
pub const MOST_FAULTS: usize = 32;

/// All lessons, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// The lessons.
    pub lessons: Vec<Lesson>,
}

/// One lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// The name of its folder, which is also its place in links.
    pub id: String,
    /// The name of the folder in which it stands together with others, such as
    /// "incidents"; empty for one that stands by itself.
    pub shelf: String,
    /// What it is called.
    pub title: String,
    /// What it is about, in a sentence or two.
    pub summary: String,
    /// How much time the stage shows at first, in microseconds.
    pub shows_us: u64,
    /// Where the playhead stands at first, in microseconds; `None` for the first
    /// harm in any variant.
    pub cursor_us: Option<u64>,
    /// Within which bounds all its schedules are walked.
    pub bounds: Bounds,
    /// The faults that all variants share at first.
    pub faults: Vec<StagedFault>,
    /// The variants, in the order of their panes.
    pub variants: Vec<Variant>,
    /// The text, by section.
    pub sections: Vec<Section>,
    /// What the reader is asked before the run.
    pub prediction: Option<Prediction>,
    /// What the reader is asked to break or mend.
    pub challenges: Vec<Challenge>,
    /// Interview questions with model answers.
    pub questions: Vec<Question>,
    /// Where the facts come from.
    pub sources: Vec<Source>,
}

/// Variants of one scenario whose schedules are walked, without a story: a scenario
/// file, or what of a lesson can be walked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Study {
    /// The name of its file or folder.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// Within which bounds its schedules are walked.
    pub bounds: Bounds,
    /// What is counted within a schedule, if something is.
    pub tally: Option<Tally>,
    /// The variants. Those of a scenario file violate in some schedule what they say,
    /// and nothing else does harm in any; those of a lesson say so of one run.
    pub variants: Vec<Variant>,
    /// Whether the variants speak of all schedules.
    pub speaks_of_schedules: bool,
}

/// A fault as a lesson sets it, with its everyday name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedFault {
    /// The fault.
    pub fault: Fault,
    /// What it stands for, such as "GC pause".
    pub label: String,
}

/// One pane: the same trouble under another mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name in links and commands.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What is special about it, in a few words.
    pub remark: String,
    /// The system.
    pub scenario: Scenario,
    /// What it must show under the lesson's faults.
    pub expectation: Expectation,
}

/// How the program of a client has ended when a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// It has done what it was to do.
    Finished,
    /// It gave up.
    GaveUp,
    /// It hasn't come to an end: it waits for ever, or has crashed for good.
    Open,
}

impl Ending {
    /// How a client has ended in a run.
    pub fn of(trace: &Trace, client: NodeIndex) -> Self {
        let mut own = trace.changes().filter(|(_, event, _)| event.actor == client);
        own.find_map(|(.., change)| match change {
            Change::Finished => Some(Self::Finished),
            Change::Stopped => Some(Self::GaveUp),
            _ => None,
        })
        .unwrap_or(Self::Open)
    }
}

/// What a run must show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// Exactly these harmful properties are violated, no more and no fewer. What
    /// does no harm ([`Property::is_harm`]) is left open.
    pub violates: Vec<Property>,
    /// At least these dangers are reached.
    pub reaches: Vec<Witness>,
    /// These clients end so. How others end is left open.
    pub ends: Vec<(NodeIndex, Ending)>,
}

/// A question about what will happen, to be answered before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prediction {
    /// The question.
    pub question: String,
    /// What can be answered.
    pub options: Vec<String>,
    /// The place of the right one in [`Prediction::options`].
    pub answer: u8,
    /// Why it is right.
    pub because: String,
}

/// Something to bring about by changing the faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// What it is called.
    pub title: String,
    /// What is to be brought about.
    pub task: String,
    /// The place in [`Lesson::variants`] of the pane in which it counts.
    pub variant: u8,
    /// What the run in that pane must show.
    pub goal: Expectation,
    /// The faults at the start.
    pub start: Vec<StagedFault>,
    /// Help, given one at a time.
    pub hints: Vec<String>,
    /// Faults that reach the goal.
    pub solution: Vec<StagedFault>,
}

/// A question as an interviewer asks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The question.
    pub question: String,
    /// A model answer.
    pub answer: String,
}

/// A page that a fact was taken from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its title.
    pub title: String,
    /// Who wrote it and when.
    pub by: String,
    /// Its address.
    pub url: String,
}

impl Library {
    /// The same with all of one lesson, and only the names of the others and what they
    /// are about: what a page needs that shows one and lists the rest.
    #[must_use]
    pub fn around(&self, id: &str) -> Self {
        let needed = |lesson: &Lesson| if lesson.id == id { lesson.clone() } else { lesson.heading() };
        Self { lessons: self.lessons.iter().map(needed).collect() }
    }

    /// The lessons by their shelves, under the heading of each: first those that stand
    /// by themselves, and then the shelves in the order of their first lessons.
    pub fn shelves(&self) -> Vec<(String, Vec<&Lesson>)> {
        let mut shelves: Vec<(&str, Vec<&Lesson>)> = vec![("", Vec::new())];
        for lesson in &self.lessons {
            match shelves.iter_mut().find(|(name, _)| *name == lesson.shelf) {
                Some((_, lessons)) => lessons.push(lesson),
                None => shelves.push((&lesson.shelf, vec![lesson])),
            }
        }
        shelves.retain(|(_, lessons)| !lessons.is_empty());
        shelves.into_iter().map(|(name, lessons)| (heading(name), lessons)).collect()
    }
}

/// A shelf's name as a heading.
fn heading(name: &str) -> String {
    let words = name.replace('-', " ");
    match words.split_at_checked(1) {
        Some((first, rest)) => first.to_ascii_uppercase() + rest,
        None => "Lessons".to_string(),
    }
}

impl Lesson {
    /// Only its name and what it is about.
    fn heading(&self) -> Self {
        Self {
            faults: Vec::new(),
            variants: Vec::new(),
            sections: Vec::new(),
            prediction: None,
            challenges: Vec::new(),
            questions: Vec::new(),
            sources: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether only its name and what it is about are here.
    pub fn is_heading(&self) -> bool {
        self.variants.is_empty()
    }

    /// Whether any of its variants has a real system.
    pub fn has_systems(&self) -> bool {
        let nodes = self.variants.iter().flat_map(|variant| &variant.scenario.nodes);
        nodes.into_iter().any(|node| matches!(node.kind, NodeKind::System(_)))
    }
}

impl Library {
    /// The library as bytes, for the program to carry.
    ///
    /// # Errors
    /// None that can happen with plain data; it is passed on all the same.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        postcard::to_allocvec(self)
    }

    /// Reads what [`Library::to_bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are no library of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        postcard::from_bytes(bytes)
    }

    /// The lesson with this id.
    pub fn lesson(&self, id: &str) -> Option<&Lesson> {
        self.lessons.iter().find(|lesson| lesson.id == id)
    }
}

impl Expectation {
    /// Whether a run that was judged so shows what it must.
    pub fn is_met_by(&self, trace: &Trace, verdict: &Verdict) -> bool {
        verdict.harm().iter().all(|finding| self.violates.contains(&finding.property))
            && self.violates.iter().all(|&property| verdict.shows(property))
            && self.reaches.iter().all(|&witness| verdict.reaches(witness))
            && self.ends.iter().all(|&(client, ending)| Ending::of(trace, client) == ending)
    }
}

impl From<Lesson> for Study {
    fn from(lesson: Lesson) -> Self {
        let Lesson { id, title, bounds, variants, .. } = lesson;
        Self { id, title, bounds, tally: None, variants, speaks_of_schedules: false }
    }
}

impl Lesson {
    /// The faults without their labels.
    pub fn plain_faults(&self) -> Vec<Fault> {
        self.faults.iter().map(|staged| staged.fault).collect()
    }
}
