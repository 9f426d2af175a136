//! `racescope gate`: the release gate of signed grants.

mod exhaustive;
mod json;
mod page;
mod words;

use std::num::NonZeroUsize;
use std::path::Path;
use std::thread::{available_parallelism, scope};
use std::{fs, io};

use clap::Args;
use clap::builder::PossibleValuesParser;
use racescope::tell::{counted, time};
use racescope_engine::gate::{Gate, Summary};
use racescope_engine::system::grant::Check;

use self::exhaustive::Exhaustive;
use super::report::{Report, Status};

/// How many schedules the gate runs unless it is told otherwise.
const SCHEDULES: u32 = 100_000;

/// Runs signed grants through random schedules in which owners pause, messages are late
/// or lost, a registry is set back and attackers forge; nothing bad may be accepted.
#[derive(Args)]
pub struct GateCommand {
    /// How many random schedules to run.
    #[arg(long, value_name = "NUMBER", default_value_t = SCHEDULES, value_parser = clap::value_parser!(u32).range(1..))]
    schedules: u32,
    /// From what the schedules are made.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Tells the schedule of the seed with this number, from 0, and runs no others.
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["schedules", "json"])]
    replay: Option<u32>,
    /// Leaves a check of the resources out, to see that the gate fails.
    #[arg(long, value_name = "CHECK", value_parser = PossibleValuesParser::new(Check::ALL.map(Check::name)))]
    without: Option<String>,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

/// What came of the gate.
struct Passage {
    seed: u64,
    without: Option<Check>,
    summary: Summary,
    exhaustive: Exhaustive,
}

impl GateCommand {
    /// Runs the gate.
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        let without = Check::ALL.into_iter().find(|check| Some(check.name()) == self.without.as_deref());
        if let Some(number) = self.replay {
            tell(&Gate::new(self.seed, without), number, &mut report);
            return report;
        }
        let passage = Passage::of(self.seed, without, self.schedules);
        if self.json {
            report.say(json::line(&passage));
        } else {
            for line in words::lines(&passage) {
                report.say(line);
            }
        }
        for error in passage.errors() {
            report.fail(Status::Untrue, error);
        }
        report
    }
}

impl Passage {
    fn of(seed: u64, without: Option<Check>, schedules: u32) -> Self {
        let summary = run(&Gate::new(seed, without), schedules);
        Self { seed, without, summary, exhaustive: Exhaustive::of(without) }
    }

    /// Why the gate stays shut.
    fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        if let Some(first) = self.summary.first_bad {
            let bad = words::are_bad(&self.summary.bad.to_string());
            let (number, verb) = bad.split_once(' ').unwrap_or((&bad, ""));
            let all = counted(&self.summary.schedules.to_string(), "random schedule");
            let without = self.without.map_or_else(String::new, |check| format!(" --without {}", check.name()));
            let how = format!("racescope gate --seed {}{without} --replay {first}", self.seed);
            errors.push(format!("{number} of {all} {verb}, first number {first}. `{how}` tells it."));
        }
        errors.extend(self.exhaustive.error());
        errors
    }
}

/// Runs the schedules, on all cores.
fn run(gate: &Gate, schedules: u32) -> Summary {
    let parts = available_parallelism().map_or(1, NonZeroUsize::get) as u32;
    let from = |part: u32| (u64::from(schedules) * u64::from(part) / u64::from(parts)) as u32;
    scope(|threads| {
        let run_part = |part: u32| {
            let numbers = from(part)..from(part + 1);
            threads.spawn(move || {
                let mut summary = Summary::default();
                numbers.for_each(|number| summary.add(number, gate.run(number)));
                summary
            })
        };
        let running: Vec<_> = (0..parts).map(run_part).collect();
        let mut whole = Summary::default();
        for part in running {
            whole.merge(part.join().expect("a schedule comes to its end"));
        }
        whole
    })
}

/// Tells one schedule, line by line.
fn tell(gate: &Gate, number: u32, report: &mut Report) {
    let (outcome, lines) = gate.tell(number);
    for line in lines {
        report.say(format!("{:>10}  {}", time(line.at_us), line.what));
    }
    if outcome.is_good() {
        report.say("Nothing bad was accepted.");
    } else {
        let mut harms: Vec<&str> = outcome.harms.iter().map(|harm| harm.name()).collect();
        harms.dedup();
        let unknown = if outcome.unreconciled > 0 { "; the outcome of a write is still unknown" } else { "" };
        report.fail(Status::Untrue, format!("number {number} is bad: {}{unknown}", harms.join(", ")));
    }
}

/// Runs the gate and writes what came of it as a page into a folder, made of the page of
/// the app.
///
/// # Errors
/// The folder can't be written to, or the gate is shut.
pub fn write_page(app: &str, folder: &Path) -> io::Result<()> {
    let passage = Passage::of(1, None, SCHEDULES);
    if let Some(error) = passage.errors().into_iter().next() {
        return Err(io::Error::other(error));
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("index.html"), page::page(app, &passage))
}
