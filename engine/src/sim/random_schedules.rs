//! Many random schedules of one scenario under troubles, drawn quickly: no trace is kept.

use alloc::vec::Vec;

use rand_pcg::Pcg32;
use rand_pcg::rand_core::SeedableRng;

use super::change::{Action, Change};
use super::model::{Model, Phase};
use super::random::below;
use super::record::Record;
use super::replay::Schedule;
use super::scenario::{NodeIndex, Scenario};
use super::trouble::Assumptions;
use super::world::World;

/// How much goes wrong in a random schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomTrouble {
    /// What may go wrong at all.
    pub assumptions: Assumptions,
    /// How many leases may end before their holders give them back, if that is assumed.
    pub expiries: u32,
    /// How often something else may go wrong: a pause, a deadline that passes although its
    /// call is under way, a message that is lost, a crash. That something starts again
    /// isn't counted.
    pub others: u32,
    /// Whether servers that crash lose their memory, too. Clients may in any case.
    pub servers_forget: bool,
}

/// The random schedules of a scenario, each drawn from its seed.
///
/// At one action in eight, as long as something may still go wrong, it does: half of the
/// time a client pauses for a few dozen actions at most, and else each thing that can go
/// wrong is equally likely. At the other times each other action that can happen is.
#[derive(Clone, Debug)]
pub struct RandomSchedules<'a> {
    model: Model<'a>,
    trouble: RandomTrouble,
    start: World,
    world: World,
    enabled: Vec<Action>,
    schedule: Schedule,
    /// The client that pauses, and after how many actions it goes on.
    paused: Option<(NodeIndex, usize)>,
}

/// The most actions of a schedule: programs that loop may have no end.
const MOST_ACTIONS: usize = 400;
/// For how many actions of others a client pauses at most.
const LONGEST_PAUSE: u32 = 32;

impl<'a> RandomSchedules<'a> {
    /// Schedules of a scenario that [`Scenario::validate`] has passed.
    pub fn new(scenario: &'a Scenario, trouble: RandomTrouble) -> Self {
        let model = Model::under(scenario, &trouble.assumptions);
        let start = model.start();
        let (enabled, schedule) = (Vec::new(), Schedule::default());
        Self { world: start.clone(), start, model, trouble, enabled, schedule, paused: None }
    }

    /// Draws the schedule of a seed, and has its changes noted. False if it was cut short.
    pub fn draw(&mut self, seed: u64, record: &mut dyn Record) -> bool {
        let mut dice = Pcg32::seed_from_u64(seed);
        let mut left = self.trouble;
        self.world.clone_from(&self.start);
        self.schedule.actions.clear();
        self.paused = None;
        while self.schedule.actions.len() < MOST_ACTIONS {
            self.enabled.clear();
            if left.others > 0 && below(&mut dice, 8) == 0 {
                left.others -= 1;
                if self.trouble.assumptions.pauses && below(&mut dice, 2) == 0 {
                    self.pause(&mut dice);
                } else {
                    self.list_trouble();
                }
            }
            if self.enabled.is_empty() {
                self.list_others(left.expiries > 0);
            }
            if self.enabled.is_empty() {
                return true;
            }
            let action = self.enabled[below(&mut dice, self.enabled.len() as u32) as usize];
            if let Action::Expire(_) = action {
                left.expiries -= 1;
            }
            self.model.apply(&mut self.world, action, &mut Noted(record));
            self.schedule.actions.push(action);
        }
        false
    }

    /// The schedule that was drawn last.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn pause(&mut self, dice: &mut Pcg32) {
        let clients = self.model.scenario().clients().count() as u32;
        let client = self.model.scenario().clients().nth(below(dice, clients) as usize);
        let until = self.schedule.actions.len() + below(dice, LONGEST_PAUSE) as usize;
        self.paused = client.map(|client| (client, until));
    }

    fn list_trouble(&mut self) {
        let (scenario, servers_forget) = (self.model.scenario(), self.trouble.servers_forget);
        self.model.enabled_under(&self.world, &self.trouble.assumptions, &mut self.enabled);
        self.enabled.retain(|action| match *action {
            Action::Crash(node) => servers_forget || scenario.client(node).is_some(),
            Action::Step(_)
            | Action::Serve(_)
            | Action::ServeStray(_)
            | Action::Deliver(_)
            | Action::Expire(_)
            | Action::Restart(_) => false,
            _ => true,
        });
    }

    fn list_others(&mut self, may_expire: bool) {
        let may_expire = may_expire && self.trouble.assumptions.expiries;
        let (model, world) = (&self.model, &self.world);
        model.enabled(world, &mut self.enabled);
        self.enabled.retain(|&action| match action {
            Action::Expire(_) => may_expire,
            Action::TimeOut(client) => model.phase(world, client) == Phase::Waiting,
            _ => true,
        });
        if let Some((paused, until)) = self.paused {
            let is_still =
                |action: &Action| matches!(*action, Action::Step(client) | Action::Deliver(client) if client == paused);
            // Nobody waits for a pause to end if nothing else can happen.
            if self.schedule.actions.len() >= until || self.enabled.iter().all(is_still) {
                self.paused = None;
            } else {
                self.enabled.retain(|action| !is_still(action));
            }
        }
        if self.trouble.assumptions.crashes {
            for node in 0..self.model.scenario().nodes.len() as NodeIndex {
                self.model.add(&self.world, Action::Restart(node), &mut self.enabled);
            }
        }
    }
}

/// Hands on what is noted.
struct Noted<'a>(&'a mut dyn Record);

impl Record for Noted<'_> {
    fn note(&mut self, actor: NodeIndex, client: Option<NodeIndex>, change: Change) {
        self.0.note(actor, client, change);
    }

    fn goes_astray(&mut self, client: NodeIndex, slot: u8) {
        self.0.goes_astray(client, slot);
    }

    fn is_copied(&mut self, client: NodeIndex, slot: u8) {
        self.0.is_copied(client, slot);
    }

    fn concerns_stray(&mut self, slot: u8) {
        self.0.concerns_stray(slot);
    }

    fn comes_by(&mut self, client: Option<NodeIndex>) {
        self.0.comes_by(client);
    }
}
