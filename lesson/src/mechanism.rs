//! A mechanism of the safety matrix as its page carries it: a lesson without a story,
//! and what each assumption does to it.

use racescope_engine::explore::Bounds;
use racescope_engine::sim::Granularity;
use serde::{Deserialize, Serialize};

use crate::{Block, Inline, Lesson, Section, SectionName, StagedFault};

/// A mechanism with its cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mechanism {
    /// Its name and its scenario; the first variant is the mechanism itself, and the
    /// others are what it is compared with.
    pub lesson: Lesson,
    /// What was found under each assumption.
    pub cases: Vec<Case>,
}

/// What was found of a mechanism under one assumption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The name of the assumption in links.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What was counted, in a sentence or two.
    pub said: String,
    /// Within which bounds.
    pub bounds: Bounds,
    /// How much of a call was one action.
    pub granularity: Granularity,
    /// How much time the stage shows at first, in microseconds.
    pub shows_us: u64,
    /// The faults that bring about the harm; none if there are no such.
    pub faults: Vec<StagedFault>,
}

impl Mechanism {
    /// The case of this name; the first one if there is none.
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id).or(self.cases.first())
    }

    /// The lesson with the faults of a case on its stage.
    #[must_use]
    pub fn lesson_of(&self, case: &Case) -> Lesson {
        let said = Block::Paragraph(vec![Inline::Text(case.said.clone())]);
        let mut lesson = self.lesson.clone();
        for variant in &mut lesson.variants {
            variant.scenario.granularity = case.granularity;
        }
        Lesson {
            id: format!("matrix.{}.{}", lesson.id, case.id),
            bounds: case.bounds,
            shows_us: case.shows_us,
            faults: case.faults.clone(),
            sections: vec![Section { name: SectionName::Hook, blocks: vec![said] }],
            ..lesson
        }
    }
}
