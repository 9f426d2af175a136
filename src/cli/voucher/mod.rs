//! The voucher race: one voucher, twenty clients, and how many of them get one.

mod page;

use std::ops::ControlFlow;
use std::path::Path;
use std::{fs, io};

use racescope_engine::explore::{Count, Question, Share, explore, likelihoods};
use racescope_lesson::Variant;
use racescope_lesson::author::{Settings, study_of_text};

/// The scenario.
const RACE: &str = include_str!("../../../tests/scenarios/voucher.toml");

/// How many clients run.
const CLIENTS: u16 = 20;

/// How many clients get a voucher, in all schedules of one mechanism.
struct Race {
    variant: Variant,
    states: usize,
    schedules: Count,
    /// By how many got one, from 1 on.
    outcomes: Vec<Outcome>,
}

/// How often so many clients get one.
struct Outcome {
    schedules: Count,
    /// How likely it is if at each step everything that can be next is equally likely.
    by_step: Share,
    /// How likely it is if every schedule is.
    by_schedule: Share,
}

impl Race {
    /// The races of all mechanisms.
    fn all(clients: u16) -> Vec<Self> {
        let study = study_of_text("voucher", RACE, Settings { clients: Some(clients) }).expect("a test reads it");
        let question = Question { marks: Vec::new(), tally: study.tally, ..Question::of_harm(study.bounds) };
        study.variants.into_iter().map(|variant| Self::of(variant, &question, clients)).collect()
    }

    fn of(variant: Variant, question: &Question, clients: u16) -> Self {
        let found = explore(&variant.scenario, question, &mut |_| ControlFlow::Continue(()));
        assert_eq!(found.stopped, None, "the race has few states");
        assert!(found.tallied(0).is_zero(), "somebody gets one in every schedule");
        let likely = likelihoods(&variant.scenario, question, &mut |_| ControlFlow::Continue(()));
        let likely = likely.expect("the shares of the race fit, too");
        let schedules = found.schedules();
        let none = || Share { part: Count::default(), whole: Count::Small(1) };
        let outcome = |grants: u16| {
            let tally = grants as u8;
            let by_step = likely.iter().find(|likely| likely.tally == tally);
            Outcome {
                schedules: found.tallied(tally),
                by_step: by_step.map_or_else(none, |likely| likely.share.clone()),
                by_schedule: Share { part: found.tallied(tally), whole: schedules.clone() },
            }
        };
        let outcomes = (1..=clients).map(outcome).collect();
        Self { variant, states: found.states, schedules, outcomes }
    }
}

/// Runs the race and writes what came of it as a page into a folder, made of the page of
/// the app.
///
/// # Errors
/// The folder can't be written to.
pub fn write_page(app: &str, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("index.html"), page::page(app, &Race::all(CLIENTS)))
}
