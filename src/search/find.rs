//! Finding the answer, a slice at a time.

use std::cell::Cell;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use racescope_engine::explore::{
    Count, Exploration, Likelihood, Mark, Outcome, Question, Sampled, Share, Stop, explore_in_steps,
    likelihoods_in_steps, random_schedule, realise, sample_in_steps, shortest_in_steps,
};
use racescope_engine::sim::Schedule;

use super::answer::{Answer, Example, Group, Harm, Hunted, Progress, Reply, is_harm};
use super::ask::{Ask, Scope};

/// A search that is under way.
pub struct Search {
    work: Pin<Box<dyn Future<Output = Answer>>>,
    progress: Rc<Cell<Progress>>,
}

impl Search {
    /// A search that has yet to begin.
    pub fn new(ask: Ask) -> Self {
        let progress = Rc::new(Cell::new(Progress::default()));
        let told = progress.clone();
        let work = async move { answer(&ask, &mut |now| told.set(now)).await };
        Self { work: Box::pin(work), progress }
    }

    /// Goes on for a few thousand actions. After [`Reply::Done`] there is nothing to go
    /// on with.
    pub fn go_on(&mut self) -> Reply {
        match self.work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Reply::Done(answer),
            Poll::Pending => Reply::Progress(self.progress.get()),
        }
    }
}

/// Finds the answer. `tell` hears of the progress.
pub async fn answer(ask: &Ask, tell: &mut dyn FnMut(Progress)) -> Answer {
    if let Scope::Random { seed, schedules } = ask.scope {
        return sampled(ask, seed, schedules, tell).await;
    }
    let question = ask.question();
    let mut watch = |now: racescope_engine::explore::Progress| {
        tell(Progress { states: number(now.states), actions: now.actions });
        ControlFlow::Continue(())
    };
    let found = explore_in_steps(&ask.scenario, &question, &mut watch).await;
    let mut harms = Vec::new();
    for &mark in ask.marks.iter().filter(|&&mark| is_harm(mark)) {
        let shortest = hunt(ask, &question, &found, mark, &mut watch).await;
        let schedules = counted(&found, &found.showing(mark));
        harms.push(Harm { mark, schedules, shortest });
    }
    let is_asked = question.tally.is_some() && found.stopped.is_none();
    let likelihoods =
        if is_asked { likelihoods_in_steps(&ask.scenario, &question, &mut watch).await.ok() } else { None };
    let mut harmful = Count::default();
    let does_harm = |outcome: &&Outcome| outcome.marks.iter().any(|&mark| is_harm(mark));
    found.outcomes.iter().filter(does_harm).for_each(|outcome| harmful.add(&outcome.schedules));
    Answer {
        states: number(found.states),
        stopped: found.stopped,
        schedules: counted(&found, &found.schedules()),
        harmful: counted(&found, &harmful),
        harms,
        groups: groups(ask, &found, likelihoods.as_deref()),
    }
}

/// What random schedules show. That none does harm proves nothing, and is not said so.
async fn sampled(ask: &Ask, seed: u64, schedules: u32, tell: &mut dyn FnMut(Progress)) -> Answer {
    let mut watch = |now: racescope_engine::explore::Progress| {
        tell(Progress { states: number(now.states), actions: now.actions });
        ControlFlow::Continue(())
    };
    let sampling = sample_in_steps(&ask.scenario, &ask.question(), seed, schedules, &mut watch).await;
    let harm = |mark| Harm { mark, schedules: sampling.showing(mark).to_string(), shortest: Hunted::Unknown(None) };
    let group = |sampled: &Sampled| Group {
        marks: sampled.marks.clone(),
        tally: sampled.tally,
        schedules: sampled.schedules.to_string(),
        per_million: share_per_million(sampled.schedules, sampling.schedules),
        by_step_per_million: Some(share_per_million(sampled.schedules, sampling.schedules)),
        sample: ask.examples.then(|| {
            let schedule = random_schedule(&ask.scenario, &ask.bounds, seed, sampled.first);
            example(ask, &schedule)
        }),
        number: Some(sampled.first),
    };
    let groups = in_order(sampling.outcomes.iter().map(group).collect());
    let harmful: u32 = sampling
        .outcomes
        .iter()
        .filter(|outcome| outcome.marks.iter().any(|&mark| is_harm(mark)))
        .map(|outcome| outcome.schedules)
        .sum();
    Answer {
        states: 0,
        stopped: sampling.stopped,
        schedules: sampling.schedules.to_string(),
        harmful: harmful.to_string(),
        harms: ask.marks.iter().copied().filter(|&mark| is_harm(mark)).map(harm).collect(),
        groups,
    }
}

fn share_per_million(part: u32, whole: u32) -> u32 {
    let share = u64::from(part) * 1_000_000 / u64::from(whole.max(1));
    u32::try_from(share).unwrap_or(u32::MAX)
}

/// A number of schedules, if they were all counted.
fn counted(found: &Exploration, count: &Count) -> String {
    if found.stopped.is_none() { count.decimal() } else { String::new() }
}

/// Looks for the shortest schedule that does a harm. Where the counting only failed
/// because a loop goes round for ever, the states are finite all the same, and so it
/// can be said for sure that no schedule does it.
async fn hunt(
    ask: &Ask,
    question: &Question,
    found: &Exploration,
    mark: Mark,
    watch: &mut dyn FnMut(racescope_engine::explore::Progress) -> ControlFlow<()>,
) -> Hunted {
    let is_complete = found.stopped.is_none();
    if is_complete && found.showing(mark).is_zero() {
        return Hunted::Nowhere;
    }
    if !(is_complete && ask.examples || found.stopped == Some(Stop::Endless)) {
        return Hunted::Unknown(None);
    }
    match shortest_in_steps(&ask.scenario, question, mark, watch).await {
        Ok(Some(schedule)) => Hunted::Found(example(ask, &schedule)),
        Ok(None) => Hunted::Nowhere,
        Err(stop) => Hunted::Unknown(Some(stop)),
    }
}

fn groups(ask: &Ask, found: &Exploration, likelihoods: Option<&[Likelihood]>) -> Vec<Group> {
    let all = found.schedules();
    let group = |outcome: &Outcome| {
        let same = |likelihood: &&Likelihood| likelihood.marks == outcome.marks && likelihood.tally == outcome.tally;
        let likely = likelihoods.map(|likelihoods| likelihoods.iter().find(same));
        Group {
            marks: outcome.marks.clone(),
            tally: outcome.tally,
            schedules: outcome.schedules.decimal(),
            per_million: outcome.schedules.per_million_of(&all),
            by_step_per_million: likely.map(|likely| {
                likely.map_or(0, |Likelihood { share: Share { part, whole }, .. }| part.per_million_of(whole))
            }),
            sample: ask.examples.then(|| example(ask, &outcome.sample)),
            number: None,
        }
    };
    in_order(found.outcomes.iter().map(group).collect())
}

/// What does harm first, then what is more frequent.
fn in_order(mut groups: Vec<Group>) -> Vec<Group> {
    groups.sort_by_key(|group| (!group.is_harmful(), group.tally, std::cmp::Reverse(group.per_million)));
    groups
}

/// A schedule with the faults under which a timed run takes it.
fn example(ask: &Ask, schedule: &Schedule) -> Example {
    let faults = realise(&ask.scenario, schedule, &ask.bounds);
    let faults = faults.map(|found| found.faults).map_err(|error| error.to_string());
    Example { actions: number(schedule.actions.len()), faults }
}

/// As many as there are, or as can be said.
fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
