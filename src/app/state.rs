//! What the page knows.

use std::rc::Rc;

use racescope_engine::order::sort_by;
use racescope_lesson::{Lesson, StagedFault};

use super::bring::Bring;
use super::challenge::ChallengeState;
use super::counting::Counting;
use super::edit::Grab;
use super::history::History;
use super::message::{Act, Message};
use super::pane::Pane;
use super::placed::Placed;
use super::settings::{Setting, Settings};
use crate::scene::TimeScale;
use crate::tell::{Line, Remark, Step, Told, Voice, compare, last_line, parting_us, story, time, why};

/// The faults on the stage, those of single panes among them.
pub type Faults = Rc<Vec<Placed>>;

/// The state of a lesson's page. The faults and the playhead are its ground; the
/// panes are derived from them and from the lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that has nothing to do with the others")]
pub struct State {
    /// The lesson.
    pub lesson: Rc<Lesson>,
    /// The faults.
    pub faults: Faults,
    /// The runs under these faults, in the order of the variants.
    pub panes: Vec<Rc<Pane>>,
    /// Where the playhead stands, in microseconds.
    pub cursor_us: u64,
    /// The last moment that the stage shows, in microseconds.
    pub end_us: u64,
    /// Where moments lie across the stage: one scale for all panes.
    pub scale: TimeScale,
    /// The moments at which a pane parts from the first one, in order, in microseconds.
    pub partings: Vec<u64>,
    /// The panes that show why they ended as they did.
    pub explained: Vec<bool>,
    /// Whether time in which nothing happens is drawn as long as it is.
    pub unfolded: bool,
    /// Whether the playhead still stands where the page opened.
    pub(super) opened: bool,
    /// Whether the playhead moves by itself.
    pub playing: bool,
    /// The time that has passed since it came to the event it stands at, in microseconds of
    /// the stage, where it goes from event to event.
    pub waited_us: u64,
    /// What the reader has set for all pages.
    pub settings: Settings,
    /// Whether it starts anew at the end.
    pub loops: bool,
    /// The fault that the form shows, by its place in the list.
    pub selected: Option<usize>,
    /// The fault that is held, if one is.
    pub grab: Option<Grab>,
    /// What was chosen from the palette and isn't placed yet.
    pub bring: Option<Bring>,
    /// What can be taken back and done again.
    pub history: History,
    /// The answer given before the run, by its place in the list.
    pub predicted: Option<u8>,
    /// How far each challenge has come.
    pub challenges: Vec<ChallengeState>,
    /// The challenge that was started last, by its place in the list.
    pub challenge: Option<usize>,
    /// What is known about all schedules.
    pub counting: Counting,
    /// What a screen reader is told of the last message.
    pub announcement: String,
}

impl State {
    /// The page of a lesson as it opens: at its moment of harm, with nothing moving.
    pub fn new(lesson: Rc<Lesson>) -> Self {
        let faults = placed(&lesson.faults);
        Self::with_faults(lesson, faults)
    }

    /// The same, under faults that were kept from another time.
    pub fn with_faults(lesson: Rc<Lesson>, faults: Faults) -> Self {
        let challenges = vec![ChallengeState::default(); lesson.challenges.len()];
        let mut state = Self {
            panes: Vec::new(),
            cursor_us: 0,
            end_us: lesson.shows_us,
            scale: TimeScale::new(lesson.shows_us),
            partings: Vec::new(),
            explained: vec![false; lesson.variants.len()],
            unfolded: false,
            loops: false,
            opened: true,
            playing: false,
            waited_us: 0,
            settings: Settings::default(),
            selected: (!faults.is_empty()).then_some(0),
            grab: None,
            bring: None,
            history: History::default(),
            predicted: None,
            challenges,
            challenge: None,
            counting: Counting::new(&lesson),
            announcement: String::new(),
            faults,
            lesson,
        };
        state.fit_stage();
        state.run();
        let start_us = state.lesson.cursor_us.or_else(|| state.first_violation_us());
        state.cursor_us = start_us.unwrap_or(state.end_us).min(state.end_us);
        state
    }

    /// The same with what the reader has set for all pages.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self.run();
        self
    }

    /// Runs all panes again, because the faults or the stage have changed.
    pub(super) fn run(&mut self) {
        let variants = self.lesson.variants.iter().enumerate();
        let units = self.settings.units();
        let run = |(place, variant)| Rc::new(Pane::run(place, variant, &self.faults, self.scale).told_in(units));
        self.panes = variants.map(run).collect();
        self.partings =
            self.panes.iter().skip(1).filter_map(|pane| parting_us(&self.panes[0].trace, &pane.trace)).collect();
        sort_by(&mut self.partings, |a, b| a > b);
        self.partings.dedup();
        // A drag that only passes through a solution doesn't solve anything.
        if self.at_rest() {
            self.judge_challenges();
        }
    }

    /// Makes the stage long enough for the faults and for all that happens, and folds
    /// the time in which nothing does.
    pub(super) fn fit_stage(&mut self) {
        let mut moments: Vec<u64> = self.faults.iter().map(Placed::ends_us).collect();
        for (pane, variant) in self.lesson.variants.iter().enumerate() {
            let befalling = self.faults.iter().filter(|placed| placed.befalls(pane));
            let plain: Vec<_> = befalling.map(|placed| placed.fault).collect();
            let trace = racescope_engine::sim::run_timed(&variant.scenario, &plain);
            moments.extend(trace.events.iter().map(|event| event.at_us));
        }
        sort_by(&mut moments, |a, b| a > b);
        let last_us = moments.last().copied().unwrap_or(0).min(10 * self.lesson.shows_us);
        let whole_seconds = (last_us + 200_000).div_ceil(1_000_000) * 1_000_000;
        self.end_us = self.lesson.shows_us.max(whole_seconds);
        let plain = TimeScale::new(self.end_us);
        self.scale = if self.unfolded { plain } else { plain.folded(moments) };
    }

    /// The faults that the lesson sets.
    pub fn own_faults(&self) -> Faults {
        placed(&self.lesson.faults)
    }

    /// When the first harm is done in any pane, in microseconds.
    pub fn first_violation_us(&self) -> Option<u64> {
        self.panes.iter().filter_map(|pane| pane.first_harm_us()).min()
    }

    /// The events of a pane in words. A drag has no use for most of them, so they are made
    /// up when they are read.
    pub fn story(&self, place: usize) -> Vec<Line> {
        let (Some(pane), Some(variant)) = (self.panes.get(place), self.lesson.variants.get(place)) else {
            return Vec::new();
        };
        let mut lines = story(&variant.scenario, &pane.trace, &pane.verdict);
        for line in &mut lines {
            line.sentence = self.told(&line.sentence);
        }
        lines
    }

    /// What happened last in a pane at the playhead.
    pub fn last_line(&self, place: usize) -> Option<Line> {
        let (pane, variant) = (self.panes.get(place)?, self.lesson.variants.get(place)?);
        let mut line = last_line(&variant.scenario, &pane.trace, &pane.verdict, self.cursor_us)?;
        line.sentence = self.told(&line.sentence);
        Some(line)
    }

    /// Why a pane ended as it did, step by step.
    pub fn why(&self, place: usize) -> Vec<Step> {
        let (Some(pane), Some(variant)) = (self.panes.get(place), self.lesson.variants.get(place)) else {
            return Vec::new();
        };
        let mut steps = why(&variant.scenario, &pane.trace, &pane.verdict, &pane.telling, &self.story(place));
        for step in &mut steps {
            step.text = self.told(&step.text);
        }
        steps
    }

    /// What a pane has in common with the first one, and where they part.
    pub fn compared(&self, place: usize) -> Vec<Remark> {
        let stories = [self.story(0), self.story(place)];
        let told = |place: usize| {
            let (pane, variant) = (self.panes.get(place)?, self.lesson.variants.get(place)?);
            Some(Told { title: &variant.title, trace: &pane.trace, story: &stories[usize::from(place > 0)] })
        };
        let remarks = told(0).zip(told(place)).map_or_else(Vec::new, |(first, other)| compare(first, other));
        remarks.into_iter().map(|(at_us, text)| (at_us, self.told(&text))).collect()
    }

    /// How programs are written: as it was chosen, or as it suits the lesson.
    pub fn voice(&self) -> Voice {
        let suited = if self.lesson.has_systems() { Voice::Calls } else { Voice::Pseudocode };
        self.settings.voice().unwrap_or(suited)
    }

    /// A text with its times in the unit that was chosen.
    pub fn told(&self, text: &str) -> String {
        self.settings.units().told(text)
    }

    /// A moment with its unit, in the one that was chosen.
    pub fn time(&self, us: u64) -> String {
        self.told(&time(us))
    }

    /// The same without its unit.
    pub fn number(&self, us: u64) -> String {
        let told = self.time(us);
        told.split_once(' ').map_or_else(String::new, |(number, _)| number.to_string())
    }

    /// The moments at which something happens in any pane, in order, each once.
    pub fn moments(&self) -> Vec<u64> {
        let events = self.panes.iter().flat_map(|pane| &pane.trace.events);
        let mut moments: Vec<u64> = events.map(|event| event.at_us).filter(|&at_us| at_us <= self.end_us).collect();
        sort_by(&mut moments, |a, b| a > b);
        moments.dedup();
        moments
    }
}

impl State {
    /// The state after a message. This is the only way in which a state changes.
    #[must_use]
    pub fn update(&self, act: impl Into<Act>) -> Self {
        let mut next = self.clone();
        match act.into() {
            Act::Message(message) => {
                next.set(message);
                next.play(message);
                next.edit(message);
                next.fetch(message);
                next.learn(message);
            }
            Act::Count(message) => next.count(message),
        }
        if next.announcement != self.announcement {
            next.announcement = next.told(&next.announcement);
        }
        next
    }

    /// Does what concerns the settings. Another unit tells all runs anew.
    fn set(&mut self, message: Message) {
        self.settings.follow(message);
        if let Message::Choose(Setting::Units, _) = message {
            self.run();
        }
    }
}

/// Faults that a lesson sets, as they lie on the stage.
pub(super) fn placed(staged: &[StagedFault]) -> Faults {
    Rc::new(staged.iter().map(Placed::from).collect())
}
