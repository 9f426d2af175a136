//! The cells, computed: each is a walk over all schedules.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use racescope_engine::check::judge;
use racescope_engine::explore::{
    Bounds, Budget, Count, Exploration, Mark, Question, Realisation, Stop, explore, random_schedule, realise, shortest,
};
use racescope_engine::sim::{Fault, Scenario, Schedule, run_timed};
use racescope_lesson::{Column, Matrix, Row as Mechanism};

/// What was found of one mechanism, in the order of the columns.
pub struct Row {
    /// The cells.
    pub cells: Vec<Cell>,
}

/// What all schedules of one mechanism show under one assumption.
pub struct Cell {
    /// How many states the walk met.
    pub states: usize,
    /// Why it stopped early; then there are no counts.
    pub stopped: Option<Stop>,
    /// How many schedules there are.
    pub schedules: Count,
    /// How many of them do the harm that is counted.
    pub harmful: Count,
    /// The shortest of these. A walk that stopped early may have one, too.
    pub shortest: Option<Schedule>,
    /// The faults under which a timed run does the harm, if any were found.
    pub faults: Option<Vec<Fault>>,
    /// The schedule that these faults bring about: the shortest if that can be.
    pub played: Option<Schedule>,
    /// Whether what is assumed can happen at all: else every schedule is one in which
    /// nothing goes wrong.
    pub applies: bool,
}

/// The most states of a cell. What needs more says that it was stopped.
const STATES: usize = 2_000_000;

/// How many random schedules are tried for one that does harm and has times: a search
/// lets the leases of several servers end in any order, and not each of them can be.
const RANDOM: u32 = 500;

/// Computes all cells, on as many threads as there are cores.
pub fn computed(matrix: &Matrix) -> Vec<Row> {
    let rows: Vec<&Mechanism> = matrix.rows().collect();
    let columns = matrix.columns.len();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(row) = rows.get(place / columns) else { break };
            let found = cell(matrix, row, &matrix.columns[place % columns]);
            done.lock().expect("no thread has failed").push((place, found));
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().expect("no thread has failed");
    done.sort_by_key(|(place, _)| *place);
    let mut cells = done.into_iter().map(|(_, cell)| cell);
    rows.iter().map(|_| Row { cells: cells.by_ref().take(columns).collect() }).collect()
}

/// What is asked of a mechanism under an assumption.
pub fn question(row: &Mechanism, column: &Column) -> Question {
    let budget = Budget { states: STATES, ..Budget::default() };
    Question { bounds: column.bounds, marks: vec![row.harm], tally: None, budget, reduced: true }
}

/// Walks all schedules of a mechanism under an assumption.
fn cell(matrix: &Matrix, row: &Mechanism, column: &Column) -> Cell {
    let scenario = matrix.scenario(row, column);
    let question = question(row, column);
    let found = explore(&scenario, &question, &mut |_| ControlFlow::Continue(()));
    let harmful = found.showing(row.harm);
    let is_open = found.stopped.is_some() || !harmful.is_zero();
    let shortest = if is_open { shortest(&scenario, &question, row.harm).ok().flatten() } else { None };
    let realised = if is_open { realised(&scenario, row, &question.bounds, &found, shortest.as_ref()) } else { None };
    let (faults, played) = realised.map(|realised| (realised.faults, realised.schedule)).unzip();
    let (schedules, applies) = (found.schedules(), applies(&scenario, &question, &found));
    Cell { states: found.states, stopped: found.stopped, schedules, harmful, shortest, faults, played, applies }
}

/// Whether what is assumed to happen so often can happen at all. Each time it can, there is
/// a schedule more than if nothing goes wrong. What holds up or hurries is left out: it acts
/// in time, where it changes no order.
fn applies(scenario: &Scenario, question: &Question, found: &Exploration) -> bool {
    let bounds = question.bounds;
    if bounds.timers_can_win() || bounds == Bounds::NONE || found.stopped.is_some() {
        return true;
    }
    let nothing = Question { bounds: Bounds::NONE, ..question.clone() };
    let calm = explore(scenario, &nothing, &mut |_| ControlFlow::Continue(()));
    calm.stopped.is_some() || calm.schedules() != found.schedules()
}

/// How a timed run does the harm: as the shortest schedule if it can, or the sample that was
/// met, or a random one. Its faults are of the kinds that are assumed, or only say who comes
/// first.
fn realised(
    scenario: &Scenario,
    row: &Mechanism,
    bounds: &Bounds,
    found: &Exploration,
    shortest: Option<&Schedule>,
) -> Option<Realisation> {
    let harmful = found.outcomes.iter().filter(|outcome| outcome.marks.contains(&row.harm));
    let met = shortest.cloned().into_iter().chain(harmful.map(|outcome| outcome.sample.clone()));
    let random = (0..RANDOM).map(|number| random_schedule(scenario, bounds, 1, number));
    let is_right = |fault: &Fault| bounds.assumes(fault) || only_orders(fault);
    let does_it = |realised: &Realisation| {
        realised.faults.iter().all(is_right) && does_harm(scenario, &realised.faults, row.harm)
    };
    met.chain(random).filter_map(|schedule| realise(scenario, &schedule, bounds).ok()).find(does_it)
}

/// Whether a timed run under these faults does the harm.
fn does_harm(scenario: &Scenario, faults: &[Fault], harm: Mark) -> bool {
    let trace = run_timed(scenario, faults);
    harm.is_harm_in(&trace, &judge(scenario, &trace))
}

/// Whether a fault may stand on a stage without being assumed, since it only says who comes
/// first.
fn only_orders(fault: &Fault) -> bool {
    matches!(fault, Fault::Pause(_) | Fault::MessageDelay(_))
}

impl Cell {
    /// Whether the walk came to its end.
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none()
    }

    /// Whether some schedule does the harm.
    pub fn is_broken(&self) -> bool {
        self.shortest.is_some() || self.faults.is_some() || !self.harmful.is_zero()
    }
}
