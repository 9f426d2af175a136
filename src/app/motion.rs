//! Where a fault lies after a drag: on the grid, on the stage, and held by a moment
//! that is near.

use std::rc::Rc;

use racescope_engine::sim::{Fault, Leg, What};

use super::edit::Handle;
use super::field::{Field, message_value, value_of, with_value};
use super::placed::Placed;
use super::state::State;
use crate::scene::Wire;

/// Faults are moved in steps of ten milliseconds; finer ones can be typed.
const GRID_US: i64 = 10_000;

/// The shortest length that a drag leaves, so that it can be taken hold of again.
const SHORTEST_US: i64 = 100_000;

/// The slowest that a drag leaves a clock, in parts per million.
const SLOWEST_PPM: i64 = -990_000;

/// A rate is tilted in steps of a hundredth.
const TILT_PPM: i64 = 10_000;

/// On which side of an event something is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Just before it.
    Before,
    /// Just after it.
    After,
}

/// What a drag is measured against: the moments that hold an end which comes near,
/// and the messages among which a lost one can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ground {
    /// The last moment of the stage, in microseconds.
    end_us: i64,
    /// How near a moment holds an end, in microseconds; 0 for keys, which go by steps.
    reach_us: i64,
    moments: Rc<[i64]>,
    wires: Rc<[Wire]>,
}

impl Ground {
    /// What is there before a drag of a part of a fault. Moments that move with the
    /// fault hold nothing.
    pub fn new(state: &State, place: usize, handle: Handle, by_keys: bool) -> Self {
        let end_us = i64::try_from(state.end_us).unwrap_or(i64::MAX);
        Self {
            end_us,
            reach_us: if by_keys { 0 } else { end_us / 200 },
            moments: still_moments(state, place, handle).into(),
            wires: state.wires_for(place).into(),
        }
    }

    /// The value of an edge at a moment: held by an event nearby, or `None`.
    fn held(&self, at_us: i64, is_end: bool) -> Option<i64> {
        let nearest = self.moments.iter().copied().min_by_key(|moment| moment.abs_diff(at_us))?;
        let side = if at_us < nearest { Side::Before } else { Side::After };
        let near = self.reach_us > 0 && nearest.abs_diff(at_us) <= self.reach_us.unsigned_abs();
        near.then(|| self.beside(nearest, side, is_end))
    }

    /// Just before or just after an event. What is due at one moment goes in this
    /// order: ends of faults, events, starts of faults.
    fn beside(&self, moment: i64, side: Side, is_end: bool) -> i64 {
        match (side, is_end) {
            (Side::Before, true) | (Side::After, false) => moment,
            (Side::Before, false) => {
                let before = self.moments.iter().rev().find(|&&other| other < moment);
                let room = before.is_none_or(|&before| before <= moment - GRID_US);
                (moment - if room { GRID_US } else { 1 }).max(0)
            }
            (Side::After, true) => {
                let after = self.moments.iter().find(|&&other| other > moment);
                let room = after.is_none_or(|&after| after >= moment + GRID_US);
                moment + if room { GRID_US } else { 1 }
            }
        }
    }

    /// Where an edge lies after it was put beside the nearest event, or beside the
    /// next one if it already lies there.
    fn beside_nearest(&self, at_us: i64, side: Side, is_end: bool) -> i64 {
        let nearest = (0..self.moments.len()).min_by_key(|&index| self.moments[index].abs_diff(at_us));
        let Some(nearest) = nearest else { return at_us };
        let first = self.beside(self.moments[nearest], side, is_end);
        let next = match side {
            Side::Before => nearest.checked_sub(1),
            Side::After => Some(nearest + 1),
        };
        let next = next.and_then(|next| self.moments.get(next)).copied();
        if first == at_us { next.map_or(first, |next| self.beside(next, side, is_end)) } else { first }
    }
}

/// The moments at which something happens that doesn't hang on the part that moves.
fn still_moments(state: &State, place: usize, handle: Handle) -> Vec<i64> {
    let Some(placed) = state.faults.get(place) else { return Vec::new() };
    let node = placed.fault.node();
    let edge_us = if handle == Handle::End { placed.ends_us() } else { placed.fault.at_us().unwrap_or(0) };
    let own = |pane: &super::Pane, what: What| match what {
        What::FaultBegins(index) | What::FaultEnds(index) => pane.places.get(usize::from(index)) == Some(&place),
        What::Change(_) => false,
    };
    let mut moments: Vec<i64> = Vec::new();
    for pane in &state.panes {
        let still = pane.trace.events.iter().filter(|event| {
            // What is due at the moment of a start goes before it, and at that of an end after it.
            let is_after = event.at_us > edge_us || (handle == Handle::End && event.at_us == edge_us);
            let follows = is_after && (event.actor == node || event.client == Some(node));
            !follows && !own(pane, event.what)
        });
        for moment in still.map(|event| event.at_us.cast_signed()) {
            if let Err(at) = moments.binary_search(&moment) {
                moments.insert(at, moment);
            }
        }
    }
    moments
}

/// A fault after a part of it was moved, by microseconds or, for a slope, by parts
/// per million.
pub(super) fn moved(placed: &Placed, handle: Handle, by: i64, ground: &Ground) -> Placed {
    if by == 0 {
        return placed.clone();
    }
    let value = |field| value_of(placed, field).unwrap_or(0);
    let at = |field, value| with_value(placed, field, value);
    let (start_us, length_us) = (value(Field::Start), value(Field::Length));
    match (&placed.fault, handle) {
        (Fault::ClockRate(_), Handle::Slope) => {
            let ppm = (value(Field::Rate) + by).div_euclid(TILT_PPM) * TILT_PPM;
            at(Field::Rate, ppm.max(SLOWEST_PPM))
        }
        (Fault::MessageLoss(_) | Fault::MessageReorder(_), _) => other_message(placed, by, ground),
        (Fault::MessageDelay(_) | Fault::MessageDuplicate(_), _) => {
            at(Field::Length, on_grid(length_us, by).clamp(0, 2 * ground.end_us))
        }
        (Fault::ClockStep(_), Handle::End) => at(Field::Jump, on_grid(value(Field::Jump), by)),
        (Fault::SnapshotRestore(_), Handle::Start) => {
            at(Field::Taken, edge(value(Field::Taken), by, false, ground).clamp(0, start_us))
        }
        (Fault::SnapshotRestore(_), Handle::End) => {
            at(Field::Start, edge(start_us, by, false, ground).clamp(value(Field::Taken), ground.end_us))
        }
        (Fault::SnapshotRestore(_), _) => {
            let start = edge(start_us, by, false, ground).clamp(0, ground.end_us);
            let taken = (value(Field::Taken) + start - start_us).max(0);
            with_value(&at(Field::Start, start), Field::Taken, taken)
        }
        (_, Handle::Middle | Handle::Slope) => {
            at(Field::Start, edge(start_us, by, false, ground).clamp(0, ground.end_us))
        }
        (_, Handle::Start) => {
            let end = start_us + length_us;
            let start = edge(start_us, by, false, ground).clamp(0, (end - SHORTEST_US).max(0));
            with_value(&at(Field::Start, start), Field::Length, end - start)
        }
        (_, Handle::End) => {
            let shortest = SHORTEST_US.min(length_us);
            let longest = (2 * ground.end_us - start_us).max(SHORTEST_US);
            let held = ground.held((start_us + length_us).saturating_add(by), true).map(|end| end - start_us);
            let length = held.unwrap_or_else(|| on_grid(length_us, by));
            at(Field::Length, length.clamp(shortest, longest))
        }
    }
}

/// A fault with an edge put just before or just after the nearest event.
pub(super) fn snapped(placed: &Placed, handle: Handle, side: Side, ground: &Ground) -> Placed {
    let value = |field| value_of(placed, field).unwrap_or(0);
    let (start_us, length_us) = (value(Field::Start), value(Field::Length));
    if handle == Handle::End && value_of(placed, Field::Length).is_some() {
        let end = ground.beside_nearest(start_us + length_us, side, true);
        return with_value(placed, Field::Length, (end - start_us).max(0));
    }
    with_value(placed, Field::Start, ground.beside_nearest(start_us, side, false))
}

fn edge(from_us: i64, by_us: i64, is_end: bool, ground: &Ground) -> i64 {
    ground.held(from_us.saturating_add(by_us), is_end).unwrap_or_else(|| on_grid(from_us, by_us))
}

/// A number moved and set on the grid.
fn on_grid(from_us: i64, by_us: i64) -> i64 {
    from_us.saturating_add(by_us).saturating_add(GRID_US / 2).div_euclid(GRID_US) * GRID_US
}

/// What befalls one message, whole, moves to the one that was sent nearest; only requests
/// are overtaken.
fn other_message(placed: &Placed, by_us: i64, ground: &Ground) -> Placed {
    let own = value_of(placed, Field::Message);
    let number = |wire: &Wire| message_value(wire.client, wire.call, wire.leg);
    let from_us = ground.wires.iter().find(|wire| Some(number(wire)) == own).map_or(0, |wire| wire.sent_us);
    let at_us = from_us.saturating_add_signed(by_us);
    let any_leg = matches!(placed.fault, Fault::MessageLoss(_));
    let suits = |wire: &&Wire| wire.client == placed.fault.node() && (any_leg || wire.leg == Leg::Request);
    let fitting = ground.wires.iter().filter(suits);
    let nearest = fitting.min_by_key(|wire| wire.sent_us.abs_diff(at_us));
    nearest.map_or_else(|| placed.clone(), |wire| with_value(placed, Field::Message, number(wire)))
}
