//! Changing the faults: by dragging, by keys, by numbers. All three end here.

use std::rc::Rc;

use racescope_engine::sim::{Fault, LIMITS};

use super::message::{Field, Message};
use super::state::{Faults, State};
use crate::tell::{clause_of_fault, letter};

/// The part of a fault that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Its middle: the whole fault moves.
    Middle,
    /// Its start: the end stays.
    Start,
    /// Its end: the start stays.
    End,
}

/// A fault that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grab {
    /// Its place in the list.
    pub place: usize,
    /// The part that is held.
    pub handle: Handle,
    /// How far it has been moved, in microseconds.
    pub moved_us: i64,
    /// The faults as they were when it was taken.
    pub before: Faults,
    /// Whether keys hold it, and not a pointer.
    pub by_keys: bool,
}

/// Faults are moved in steps of ten milliseconds; finer ones can be typed.
const GRID_US: i64 = 10_000;

/// The shortest pause that a drag leaves, so that it can be taken hold of again.
const SHORTEST_US: i64 = 100_000;

impl State {
    /// Does what concerns the faults; the rest is left to others.
    pub(super) fn edit(&mut self, message: Message) {
        match message {
            Message::Select(place) => self.selected = place.filter(|&place| place < self.faults.len()),
            Message::Grab(place, handle) => self.grab(place, handle, false),
            Message::GrabByKeys(place, handle) => self.grab(place, handle, true),
            Message::MoveTo(moved_us) => self.move_grabbed(moved_us),
            Message::MoveBy(by_us) => {
                let moved_us = self.grab.as_ref().map_or(0, |grab| grab.moved_us);
                self.move_grabbed(moved_us.saturating_add(by_us));
                self.say_where_it_is();
            }
            Message::Drop => self.drop_grabbed(),
            Message::FocusLeft if self.grab.as_ref().is_some_and(|grab| grab.by_keys) => self.drop_grabbed(),
            Message::Cancel => {
                if let Some(grab) = self.grab.take() {
                    self.faults = grab.before;
                    self.run();
                    self.announcement = "Put back.".to_string();
                }
            }
            Message::Set(place, field, value) => self.set_field(place, field, value),
            Message::Undo => {
                if let Some((name, before)) = self.history.undo(self.faults.clone()) {
                    self.replace(before, &format!("Taken back: {name}."));
                }
            }
            Message::Redo => {
                if let Some((name, after)) = self.history.redo(self.faults.clone()) {
                    self.replace(after, &format!("Done again: {name}."));
                }
            }
            Message::Reset => {
                let own = Rc::new(self.lesson.faults.clone());
                self.change("reset", own);
            }
            _ => {}
        }
    }

    /// A second finger can't take what a first one holds; a pointer takes over from keys.
    fn grab(&mut self, place: usize, handle: Handle, by_keys: bool) {
        if place >= self.faults.len() || self.grab.as_ref().is_some_and(|grab| !grab.by_keys) {
            return;
        }
        self.drop_grabbed();
        self.playing = false;
        self.selected = Some(place);
        self.grab = Some(Grab { place, handle, moved_us: 0, before: self.faults.clone(), by_keys });
        if handle == Handle::Middle {
            self.announcement = format!("Grabbed {}.", self.clause(place));
        }
    }

    /// An end is a slider, which says its place itself; the middle is a button and doesn't.
    fn say_where_it_is(&mut self) {
        if let Some(grab) = self.grab.as_ref().filter(|grab| grab.handle == Handle::Middle) {
            self.announcement = format!("{}.", self.clause(grab.place));
        }
    }

    fn move_grabbed(&mut self, moved_us: i64) {
        let Some(mut grab) = self.grab.take() else { return };
        let mut faults = (*grab.before).clone();
        let bound_us = i64::try_from(self.end_us).unwrap_or(i64::MAX);
        faults[grab.place].fault = moved(&faults[grab.place].fault, grab.handle, moved_us, bound_us);
        grab.moved_us = moved_us;
        self.grab = Some(grab);
        if faults != *self.faults {
            self.faults = Rc::new(faults);
            self.run();
        }
    }

    fn drop_grabbed(&mut self) {
        let Some(grab) = self.grab.take() else { return };
        if grab.before == self.faults {
            return;
        }
        self.history.push(self.name_of_change(grab.place), grab.before);
        self.settle(grab.place);
    }

    fn set_field(&mut self, place: usize, field: Field, value: i64) {
        let Some(staged) = self.faults.get(place) else { return };
        let mut faults = (*self.faults).clone();
        faults[place].fault = with_field(&staged.fault, field, value);
        if faults == *self.faults {
            return;
        }
        let before = std::mem::replace(&mut self.faults, Rc::new(faults));
        self.history.push(self.name_of_change(place), before);
        self.selected = Some(place);
        self.settle(place);
    }

    /// Fits the stage to a change that is done, and says what it led to.
    fn settle(&mut self, place: usize) {
        self.fit_stage();
        self.run();
        self.cursor_us = self.cursor_us.min(self.end_us);
        self.announcement = format!("{}. {}", self.clause(place), self.verdicts());
    }

    fn change(&mut self, name: &str, faults: Faults) {
        if faults == self.faults {
            return;
        }
        let before = self.faults.clone();
        self.history.push(name.to_string(), before);
        self.replace(faults, &format!("Done: {name}."));
    }

    pub(super) fn replace(&mut self, faults: Faults, said: &str) {
        self.grab = None;
        self.faults = faults;
        self.selected = self.selected.filter(|&place| place < self.faults.len());
        self.fit_stage();
        self.run();
        self.cursor_us = self.cursor_us.min(self.end_us);
        self.announcement = format!("{said} {}", self.verdicts());
    }

    /// All verdicts in a word or two each.
    fn verdicts(&self) -> String {
        let panes = self.lesson.variants.iter().zip(&self.panes);
        let told = panes.map(|(variant, pane)| format!("{}: {}", variant.title, pane.telling.headline));
        told.collect::<Vec<_>>().join(" ")
    }

    fn clause(&self, place: usize) -> String {
        let scenario = self.lesson.variants.first().map(|variant| &variant.scenario);
        match (scenario, self.faults.get(place)) {
            (Some(scenario), Some(staged)) => clause_of_fault(scenario, &staged.fault),
            _ => String::new(),
        }
    }

    fn name_of_change(&self, place: usize) -> String {
        let scenario = self.lesson.variants.first().map(|variant| &variant.scenario);
        let (Some(scenario), Some(staged)) = (scenario, self.faults.get(place)) else { return String::new() };
        let kind = match staged.fault {
            Fault::Pause(_) => "pause",
            Fault::ClockStep(_) => "clock step",
            Fault::ClockRate(_) => "clock rate",
            Fault::MessageDelay(_) => "delay",
            Fault::Crash(_) => "crash",
            Fault::MessageLoss(_) => "loss",
            Fault::MessageDuplicate(_) => "copy",
            Fault::Partition(_) => "partition",
            Fault::SnapshotRestore(_) => "restore",
            Fault::ForcedUnlock(_) => "forced unlock",
            Fault::StateLoss(_) => "state loss",
        };
        format!("{kind} of {}", letter(scenario, staged.fault.node()))
    }
}

/// A fault after a drag, on the grid and on the stage.
fn moved(fault: &Fault, handle: Handle, by_us: i64, end_us: i64) -> Fault {
    if by_us == 0 {
        return *fault;
    }
    let start_us = field_us(fault, Field::Start).unwrap_or(0);
    let Some(length_us) = field_us(fault, Field::Length) else {
        return with_field(fault, Field::Start, on_grid(start_us, by_us).clamp(0, end_us));
    };
    match handle {
        Handle::Middle if field_us(fault, Field::Start).is_none() => {
            with_field(fault, Field::Length, on_grid(length_us, by_us).clamp(0, end_us))
        }
        Handle::Middle => with_field(fault, Field::Start, on_grid(start_us, by_us).clamp(0, end_us)),
        Handle::Start => {
            let end = start_us + length_us;
            let start = on_grid(start_us, by_us).clamp(0, (end - SHORTEST_US).max(0));
            with_field(&with_field(fault, Field::Start, start), Field::Length, end - start)
        }
        Handle::End => {
            let longest = (2 * end_us - start_us).max(SHORTEST_US);
            with_field(fault, Field::Length, on_grid(length_us, by_us).clamp(SHORTEST_US, longest))
        }
    }
}

/// A number moved and set on the grid.
fn on_grid(from_us: i64, by_us: i64) -> i64 {
    from_us.saturating_add(by_us).saturating_add(GRID_US / 2).div_euclid(GRID_US) * GRID_US
}

/// A field of a fault, in its unit; `None` if the fault has no such field.
pub fn field_us(fault: &Fault, field: Field) -> Option<i64> {
    let us = |us: u64| i64::try_from(us).ok();
    match (fault, field) {
        (_, Field::Start) => fault.at_us().and_then(us),
        (Fault::MessageDelay(delay), Field::Length) => us(delay.by_us),
        (Fault::MessageDuplicate(copy), Field::Length) => us(copy.by_us),
        (_, Field::Length) => fault.lasts_us().and_then(us),
        (Fault::ClockStep(step), Field::Jump) => Some(step.by_us),
        (Fault::ClockRate(rate), Field::Rate) => Some(rate.rate_ppm.into()),
        _ => None,
    }
}

/// A fault with another value of a field, within the engine's limits.
fn with_field(fault: &Fault, field: Field, value: i64) -> Fault {
    let most = i64::try_from(LIMITS.time_us).unwrap_or(i64::MAX);
    let time_us = value.clamp(0, most).unsigned_abs();
    let mut fault = *fault;
    match (&mut fault, field) {
        (Fault::Pause(pause), Field::Start) => pause.at_us = time_us,
        (Fault::Pause(pause), Field::Length) => pause.lasts_us = time_us,
        (Fault::ClockStep(step), Field::Start) => step.at_us = time_us,
        (Fault::ClockStep(step), Field::Jump) => step.by_us = value.clamp(-most, most),
        (Fault::ClockRate(rate), Field::Start) => rate.at_us = time_us,
        (Fault::ClockRate(rate), Field::Length) => rate.lasts_us = time_us,
        (Fault::ClockRate(rate), Field::Rate) => {
            rate.rate_ppm = value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        }
        (Fault::MessageDelay(delay), Field::Length) => delay.by_us = time_us,
        (Fault::MessageDuplicate(copy), Field::Length) => copy.by_us = time_us,
        (Fault::Crash(crash), Field::Start) => crash.at_us = time_us,
        (Fault::Crash(crash), Field::Length) => crash.lasts_us = time_us,
        (Fault::Partition(cut), Field::Start) => cut.at_us = time_us,
        (Fault::Partition(cut), Field::Length) => cut.lasts_us = time_us,
        (Fault::SnapshotRestore(restore), Field::Start) => restore.at_us = time_us,
        (Fault::ForcedUnlock(unlock), Field::Start) => unlock.at_us = time_us,
        (Fault::StateLoss(loss), Field::Start) => loss.at_us = time_us,
        _ => {}
    }
    fault.clamped()
}
