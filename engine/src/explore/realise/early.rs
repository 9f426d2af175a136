//! What takes no time and nobody else can notice, moved to where it can happen.

use alloc::vec::Vec;

use crate::sim::{Action, Change, Granularity, LIMITS, Model, NodeIndex, Operation, Record, Scenario, Schedule, World};

/// The same schedule with such actions as early as they can come. What others do isn't
/// changed by it, and neither is what comes of it. `None` if it is no schedule.
pub(super) fn early(scenario: &Scenario, schedule: &Schedule) -> Option<Schedule> {
    let model = Model::new(scenario);
    let mut world = model.start();
    let mut moved: Vec<Moved> = Vec::new();
    let mut strays = [None; 3];
    let mut steps = [0_usize; LIMITS.nodes];
    for (place, &action) in schedule.actions.iter().enumerate() {
        if !model.can(&world, action) {
            return None;
        }
        let is_early = is_early(scenario, &model, &world, action);
        let stray = slot_of(action).and_then(|slot| arrived(&mut strays, slot));
        if let Action::Step(client) = action {
            steps[usize::from(client)] += 1;
        }
        if let Some(slot) = apply(&model, &mut world, action) {
            let is_copy = matches!(action, Action::Duplicate(_));
            let of = (action.place(), steps[usize::from(action.place())]);
            strays[slot] = Some(Sent { place, of, is_copy });
        }
        let own = |other: &Moved| slot_of(other.action).is_none() && other.action.place() == action.place();
        let before = moved.iter().rposition(own).filter(|_| is_early);
        moved.insert(before.map_or(moved.len(), |before| before + 1), Moved { action, place, stray });
    }
    Some(replayed(&model, &moved).unwrap_or_else(|| schedule.clone()))
}

/// An action of the schedule, with its place there and that of the action which has
/// sent the stray message that it is about.
struct Moved {
    action: Action,
    place: usize,
    stray: Option<usize>,
}

/// A stray message.
#[derive(Clone, Copy)]
struct Sent {
    /// The place of the action that has sent it astray.
    place: usize,
    /// The client whose request it is, and how many steps it had done by then.
    of: (NodeIndex, usize),
    is_copy: bool,
}

/// The place of the action that has sent the message in a slot astray, which arrives
/// now. Of a request and its copy, which are the same, the request comes first.
fn arrived(strays: &mut [Option<Sent>; 3], slot: usize) -> Option<usize> {
    let arrives = strays[slot].take()?;
    let itself = |sent: &&mut Sent| arrives.is_copy && !sent.is_copy && sent.of == arrives.of;
    match strays.iter_mut().flatten().find(itself) {
        Some(itself) => Some(core::mem::replace(itself, arrives).place),
        None => Some(arrives.place),
    }
}

/// The moved actions, with stray messages in the slots that they come to lie in.
fn replayed(model: &Model<'_>, moved: &[Moved]) -> Option<Schedule> {
    let mut world = model.start();
    let mut slots: Vec<(usize, usize)> = Vec::new();
    let mut schedule = Schedule::default();
    for Moved { action, place, stray } in moved {
        let slot =
            stray.and_then(|sender| slots.iter().find(|(known, _)| *known == sender)).map(|(_, slot)| *slot as u8);
        let action = match (*action, slot) {
            (Action::ServeStray(_), Some(slot)) => Action::ServeStray(slot),
            (Action::LoseStray(_), Some(slot)) => Action::LoseStray(slot),
            (action, _) => action,
        };
        if !model.can(&world, action) {
            return None;
        }
        slots.extend(apply(model, &mut world, action).map(|slot| (*place, slot)));
        schedule.actions.push(action);
    }
    Some(schedule)
}

fn is_early(scenario: &Scenario, model: &Model<'_>, world: &World, action: Action) -> bool {
    let client = action.place();
    match action {
        Action::Duplicate(_) => true,
        Action::Lose(_) => !model.asks_one_that_is_down(world, client),
        Action::Step(_) => model.step_of(world, client).is_some_and(|step| {
            let asks = matches!(step.operation, Operation::Call { .. });
            let waits = model.sleeps_us(world, client) > 0;
            let is_noticed = asks && scenario.granularity != Granularity::SendServeDeliver;
            step.work_us == 0 && !waits && !is_noticed
        }),
        _ => false,
    }
}

/// Lets an action happen, and says which slot it has put a message into.
fn apply(model: &Model<'_>, world: &mut World, action: Action) -> Option<usize> {
    let mut slot = Slot(None);
    model.apply(world, action, &mut slot);
    slot.0.map(usize::from)
}

struct Slot(Option<u8>);

impl Record for Slot {
    fn note(&mut self, _: NodeIndex, _: Option<NodeIndex>, _: Change) {}

    fn goes_astray(&mut self, _: NodeIndex, slot: u8) {
        self.0 = Some(slot);
    }

    fn is_copied(&mut self, _: NodeIndex, slot: u8) {
        self.0 = Some(slot);
    }
}

/// The slot of stray messages that an action is about.
pub(super) fn slot_of(action: Action) -> Option<usize> {
    match action {
        Action::ServeStray(slot) | Action::LoseStray(slot) => Some(slot.into()),
        _ => None,
    }
}
