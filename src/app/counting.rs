//! The panel of all schedules: what is assumed, how far the search is, what it found.

use std::rc::Rc;

use racescope_engine::explore::Bounds;
use racescope_engine::sim::Scenario;
use racescope_lesson::{Lesson, MOST_FAULTS};

use super::assumption::Assumption;
use super::placed::Placed;
use super::state::State;
use crate::search::{Answer, Ask, Example, Hunted, Progress, Reply, Scope};

/// What is known about all schedules, and what is being looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counting {
    /// What may go wrong.
    pub bounds: Bounds,
    /// The search that is under way, if one is.
    pub run: Option<Run>,
    /// What is known of each variant.
    pub found: Vec<Found>,
    /// Whether random schedules are looked at, and not all of them.
    pub is_random: bool,
    /// From what random schedules are made.
    pub seed: u32,
    /// How many searches there were.
    searches: u32,
}

/// A search that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its number: what an earlier one says comes too late.
    pub number: u32,
    /// The variant whose schedules are being counted, by its place.
    pub variant: usize,
    /// How far it is.
    pub progress: Progress,
}

/// What is known of the schedules of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet.
    Nothing,
    /// The search came to its end, or to its budget.
    Answer(Rc<Answer>),
    /// It was stopped by hand.
    Stopped(Progress),
    /// It failed.
    Failed,
}

/// A schedule to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The shortest one that does the harm at this place in [`Answer::harms`].
    Shortest(usize),
    /// The sample of the group at this place in [`Answer::groups`].
    Sample(usize),
}

/// What happens in the panel of all schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountMessage {
    /// Assume that something may go wrong, so often.
    Assume(Assumption, u8),
    /// Assume what the lesson does.
    AssumeOwn,
    /// Count the schedules of all variants.
    Start,
    /// Look at random schedules of all variants instead.
    Draw,
    /// Make random schedules from another seed.
    Seed(u32),
    /// Stop counting.
    Stop,
    /// The search of this number has replied, or failed.
    Heard(u32, Option<Reply>),
    /// Put the faults of a schedule of a variant on the stage.
    Play(usize, Which),
}

/// How many random schedules are looked at.
const RANDOM: u32 = 100_000;

impl Counting {
    /// Nothing is counted before it is asked for.
    pub(super) fn new(lesson: &Lesson) -> Self {
        let found = vec![Found::Nothing; lesson.variants.len()];
        Self { bounds: lesson.bounds, run: None, found, is_random: false, seed: 1, searches: 0 }
    }

    /// What is asked about a scenario.
    pub fn ask(&self, scenario: Scenario) -> Ask {
        let random = Scope::Random { seed: self.seed.into(), schedules: RANDOM };
        let scope = if self.is_random { random } else { Scope::All };
        Ask { scope, ..Ask::of_page(scenario, self.bounds) }
    }

    /// Whether anything was asked for.
    pub fn is_begun(&self) -> bool {
        self.run.is_some() || self.found.iter().any(|found| *found != Found::Nothing)
    }

    /// A schedule of a variant that was found.
    pub fn example(&self, variant: usize, which: Which) -> Option<&Example> {
        let Found::Answer(answer) = self.found.get(variant)? else { return None };
        match which {
            Which::Shortest(place) => match &answer.harms.get(place)?.shortest {
                Hunted::Found(example) => Some(example),
                Hunted::Nowhere | Hunted::Unknown(_) => None,
            },
            Which::Sample(place) => answer.groups.get(place)?.sample.as_ref(),
        }
    }

    fn start(&mut self, variant: usize) {
        self.searches += 1;
        let is_there = variant < self.found.len();
        self.run = is_there.then(|| Run { number: self.searches, variant, progress: Progress::default() });
    }

    /// Forgets what was found under other assumptions, and counts again if that was wanted.
    fn assume(&mut self, bounds: Bounds) {
        if bounds == self.bounds {
            return;
        }
        let again = self.is_begun();
        self.bounds = bounds;
        self.found.fill(Found::Nothing);
        if again {
            self.start(0);
        }
    }

    /// Forgets what was found, and looks at all schedules or at random ones.
    fn begin(&mut self, is_random: bool) {
        self.is_random = is_random;
        self.found.fill(Found::Nothing);
        self.start(0);
    }
}

impl State {
    /// Does what concerns all schedules.
    pub(super) fn count(&mut self, message: CountMessage) {
        match message {
            CountMessage::Assume(assumption, value) => {
                let mut bounds = self.counting.bounds;
                assumption.set(&mut bounds, value);
                self.counting.assume(bounds);
            }
            CountMessage::AssumeOwn => self.counting.assume(self.lesson.bounds),
            CountMessage::Start => {
                self.counting.begin(false);
                self.announcement = "Counting all schedules.".to_string();
            }
            CountMessage::Draw => {
                self.counting.begin(true);
                self.announcement = "Making random schedules.".to_string();
            }
            CountMessage::Seed(seed) => {
                let again = self.counting.is_random && self.counting.is_begun() && self.counting.seed != seed;
                self.counting.seed = seed;
                if again {
                    self.counting.begin(true);
                }
            }
            CountMessage::Stop => {
                let Some(run) = self.counting.run.take() else { return };
                self.counting.found[run.variant] = Found::Stopped(run.progress);
                self.announcement = "The counting was stopped.".to_string();
            }
            CountMessage::Heard(number, reply) => self.hear(number, reply),
            CountMessage::Play(variant, which) => self.play_schedule(variant, which),
        }
    }

    fn hear(&mut self, number: u32, reply: Option<Reply>) {
        let counting = &mut self.counting;
        let Some(run) = counting.run.as_mut().filter(|run| run.number == number) else { return };
        let variant = run.variant;
        match reply {
            Some(Reply::Progress(progress)) => run.progress = progress,
            Some(Reply::Done(answer)) => {
                counting.found[variant] = Found::Answer(Rc::new(answer));
                counting.start(variant + 1);
                if counting.run.is_none() {
                    self.announcement = self.counts();
                }
            }
            None => {
                counting.found[variant] = Found::Failed;
                counting.run = None;
                self.announcement = "The search failed.".to_string();
            }
        }
    }

    /// What was counted in all variants, in a sentence each.
    fn counts(&self) -> String {
        let known = self.lesson.variants.iter().zip(&self.counting.found);
        let said = known.filter_map(|(variant, found)| match found {
            Found::Answer(answer) => Some(format!("{}: {}.", variant.title, answer.headline().join(" "))),
            _ => None,
        });
        said.collect::<Vec<_>>().join(" ")
    }

    /// The faults of a schedule take the place of those on the stage, in all panes.
    fn play_schedule(&mut self, variant: usize, which: Which) {
        let Some(example) = self.counting.example(variant, which) else { return };
        let faults = match &example.faults {
            Ok(faults) if faults.len() <= MOST_FAULTS => faults,
            Ok(faults) => {
                let number = faults.len();
                self.announcement = format!("It takes {number} faults, and the stage holds {MOST_FAULTS}.");
                return;
            }
            Err(why) => {
                self.announcement = format!("It can’t be played: {why}.");
                return;
            }
        };
        let placed: Vec<Placed> = faults.iter().map(|&fault| Placed::new(fault)).collect();
        self.let_go();
        self.playing = false;
        if placed != *self.faults {
            self.history.push("play a schedule".to_string(), self.faults.clone());
        }
        self.replace(Rc::new(placed), "The faults of this schedule are on the stage.");
        let harm_us = self.panes.get(variant).and_then(|pane| pane.first_harm_us());
        self.cursor_us = harm_us.unwrap_or(self.end_us).min(self.end_us);
        self.selected = (!self.faults.is_empty()).then_some(0);
    }
}
