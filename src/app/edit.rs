//! Changing the faults: by dragging, by keys, by numbers. All three end here.

use std::rc::Rc;

use racescope_lesson::MOST_FAULTS;

use super::bring::Bring;
use super::field::{Field, value_of, with_value};
use super::message::Message;
use super::motion::{Ground, Side, moved, snapped};
use super::placed::Placed;
use super::state::{Faults, State};
use crate::tell::{FaultKind, clause_of_fault, letter};

/// The part of a fault that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Its middle: the whole fault moves.
    Middle,
    /// Its start: the end stays.
    Start,
    /// Its end: the start stays.
    End,
    /// The slope of a clock's rate, which is tilted.
    Slope,
}

/// A fault that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grab {
    /// Its place in the list.
    pub place: usize,
    /// The part that is held.
    pub handle: Handle,
    /// How far it has been moved, in microseconds; a slope in parts per million.
    pub moved_us: i64,
    /// The faults as they were when it was taken.
    pub before: Faults,
    /// Whether keys hold it, and not a pointer.
    pub by_keys: bool,
    /// Whether it was taken by an end of a message.
    pub by_wire: bool,
    /// What is moved: the faults before, perhaps with a new one among them.
    pub(super) base: Faults,
    pub(super) ground: Ground,
}

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
            Message::Drop => self.let_go(),
            Message::FocusLeft if self.grab.as_ref().is_some_and(|grab| grab.by_keys) => self.drop_grabbed(),
            Message::Cancel => self.cancel(),
            Message::Set(place, field, value) => self.set_field(place, field, value),
            Message::Snap(place, handle, side) => self.snap(place, handle, side),
            Message::Delete(place) => self.delete(place),
            Message::Duplicate(place) => self.duplicate(place),
            Message::Undo => {
                self.cancel();
                if let Some((name, before)) = self.history.undo(self.faults.clone()) {
                    self.replace(before, &format!("Taken back: {name}."));
                }
            }
            Message::Redo => {
                self.cancel();
                if let Some((name, after)) = self.history.redo(self.faults.clone()) {
                    self.replace(after, &format!("Done again: {name}."));
                }
            }
            Message::Reset => {
                self.challenge = None;
                let own = self.own_faults();
                if own != self.faults {
                    self.cancel();
                    self.history.push("reset".to_string(), self.faults.clone());
                    self.replace(own, "The lesson’s own faults are back.");
                }
            }
            _ => {}
        }
    }

    /// A second finger can't take what a first one holds; a pointer takes over from keys.
    fn grab(&mut self, place: usize, handle: Handle, by_keys: bool) {
        if place >= self.faults.len() || self.grab.as_ref().is_some_and(|grab| !grab.by_keys) {
            return;
        }
        self.cancel_bring();
        self.drop_grabbed();
        self.hold(place, handle, by_keys, self.faults.clone());
        if handle == Handle::Middle {
            self.announcement = format!("Grabbed {}.", self.clause(place));
        }
    }

    /// Takes hold of a fault; undo leads back to `before`.
    pub(super) fn hold(&mut self, place: usize, handle: Handle, by_keys: bool, before: Faults) {
        self.playing = false;
        self.selected = Some(place);
        let (base, ground) = (self.faults.clone(), Ground::new(self, place, handle, by_keys));
        self.grab = Some(Grab { place, handle, moved_us: 0, before, by_keys, by_wire: false, base, ground });
    }

    /// An end is a slider, which says its place itself; the middle is a button and doesn't.
    fn say_where_it_is(&mut self) {
        if let Some(grab) = self.grab.as_ref().filter(|grab| grab.handle == Handle::Middle) {
            self.announcement = format!("{}.", self.clause(grab.place));
        }
    }

    fn move_grabbed(&mut self, moved_us: i64) {
        let Some(mut grab) = self.grab.take() else { return };
        let mut faults = (*grab.base).clone();
        faults[grab.place] = moved(&faults[grab.place], grab.handle, moved_us, &grab.ground);
        grab.moved_us = moved_us;
        self.grab = Some(grab);
        if faults != *self.faults {
            self.faults = Rc::new(faults);
            self.run();
        }
    }

    /// Puts down what is held or was brought.
    pub(super) fn let_go(&mut self) {
        self.drop_brought();
        self.drop_grabbed();
    }

    fn drop_grabbed(&mut self) {
        let Some(grab) = self.grab.take() else { return };
        // What was only begun, and not moved, isn't there.
        if grab.before == self.faults || (grab.before.len() < grab.base.len() && grab.base == self.faults) {
            if grab.before != self.faults {
                self.faults = grab.before;
                self.select_what_is_there();
                self.run();
            }
            return;
        }
        let verb = match grab.handle {
            _ if grab.before.len() < grab.base.len() => "add",
            Handle::Middle => "move",
            Handle::Start => "move the start of",
            Handle::End => "move the end of",
            Handle::Slope => "tilt",
        };
        self.history.push(format!("{verb} {}", self.name_of(grab.place)), grab.before);
        self.settle(grab.place);
    }

    fn cancel(&mut self) {
        self.cancel_bring();
        let Some(grab) = self.grab.take() else { return };
        self.faults = grab.before;
        self.select_what_is_there();
        self.run();
        self.announcement = "Put back.".to_string();
    }

    fn set_field(&mut self, place: usize, field: Field, value: i64) {
        let Some(placed) = self.faults.get(place).filter(|placed| value_of(placed, field).is_some()) else { return };
        let known = !field.is_choice() || self.options(place, field).iter().any(|&(option, _)| option == value);
        let changed = with_value(placed, field, value);
        if known {
            self.put(place, changed, &format!("change the {} of", field.plain_name()));
        }
    }

    fn snap(&mut self, place: usize, handle: Handle, side: Side) {
        let Some(placed) = self.faults.get(place) else { return };
        let changed = snapped(placed, handle, side, &Ground::new(self, place, handle, true));
        let verb = if handle == Handle::End { "move the end of" } else { "move" };
        self.put(place, changed, verb);
    }

    /// Puts a changed fault in the place of another, as one step.
    fn put(&mut self, place: usize, changed: Placed, verb: &str) {
        if self.faults[place] == changed {
            return;
        }
        self.cancel();
        let mut faults = (*self.faults).clone();
        let Some(there) = faults.get_mut(place) else { return };
        *there = changed;
        let before = std::mem::replace(&mut self.faults, Rc::new(faults));
        self.history.push(format!("{verb} {}", self.name_of(place)), before);
        self.selected = Some(place);
        self.settle(place);
    }

    fn delete(&mut self, place: usize) {
        self.cancel();
        if place >= self.faults.len() {
            return;
        }
        let name = self.name_of(place);
        let mut faults = (*self.faults).clone();
        faults.remove(place);
        self.history.push(format!("delete {name}"), self.faults.clone());
        self.selected = None;
        self.replace(Rc::new(faults), &format!("Deleted {name}."));
    }

    /// A copy starts where the fault ends, or a little after a fault without length.
    fn duplicate(&mut self, place: usize) {
        self.cancel();
        let Some(placed) = self.faults.get(place).cloned().filter(|_| self.has_room()) else { return };
        let after_us = placed.fault.lasts_us().unwrap_or(self.usual_length_us() / 2).cast_signed();
        let copy = moved(&placed, Handle::Middle, after_us, &Ground::new(self, place, Handle::Middle, true));
        self.add(copy, "duplicate");
    }

    /// Adds a fault as one step, and selects it.
    pub(super) fn add(&mut self, placed: Placed, verb: &str) {
        self.cancel();
        let mut faults = (*self.faults).clone();
        faults.push(placed);
        let place = faults.len() - 1;
        let before = std::mem::replace(&mut self.faults, Rc::new(faults));
        self.history.push(format!("{verb} {}", self.name_of(place)), before);
        self.selected = Some(place);
        self.settle(place);
    }

    /// Whether another fault can be added; it says so if not.
    pub(super) fn has_room(&mut self) -> bool {
        if self.faults.len() >= MOST_FAULTS {
            self.announcement = format!("{MOST_FAULTS} faults are the most that a stage takes. Delete one first.");
        }
        self.faults.len() < MOST_FAULTS
    }

    /// Fits the stage to a change that is done, and says what it led to.
    pub(super) fn settle(&mut self, place: usize) {
        self.fit_stage();
        self.run();
        self.cursor_us = self.cursor_us.min(self.end_us);
        self.announcement = format!("{}. {}", self.clause(place), self.verdicts());
        self.say_what_is_solved();
    }

    pub(super) fn replace(&mut self, faults: Faults, said: &str) {
        self.grab = None;
        self.bring = None;
        self.faults = faults;
        self.select_what_is_there();
        self.fit_stage();
        self.run();
        self.cursor_us = self.cursor_us.min(self.end_us);
        self.announcement = format!("{said} {}", self.verdicts());
        self.say_what_is_solved();
    }

    /// Selects the first fault where the selected one is gone.
    pub(super) fn select_what_is_there(&mut self) {
        let there = self.selected.filter(|&place| place < self.faults.len());
        self.selected = there.or((!self.faults.is_empty()).then_some(0));
    }

    /// All verdicts in a word or two each.
    fn verdicts(&self) -> String {
        let panes = self.lesson.variants.iter().zip(&self.panes);
        let told = panes.map(|(variant, pane)| format!("{}: {}", variant.title, pane.telling.headline));
        told.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn clause(&self, place: usize) -> String {
        let scenario = self.lesson.variants.first().map(|variant| &variant.scenario);
        match (scenario, self.faults.get(place)) {
            (Some(scenario), Some(placed)) => clause_of_fault(scenario, &placed.fault),
            _ => String::new(),
        }
    }

    /// What a fault is called in the history: "pause of A".
    fn name_of(&self, place: usize) -> String {
        let scenario = self.lesson.variants.first().map(|variant| &variant.scenario);
        let (Some(scenario), Some(placed)) = (scenario, self.faults.get(place)) else { return String::new() };
        let kind = FaultKind::of(&placed.fault).name().to_ascii_lowercase();
        format!("{kind} of {}", letter(scenario, placed.fault.node()))
    }

    /// Whether nothing is held and nothing is being brought.
    pub fn at_rest(&self) -> bool {
        self.grab.is_none() && self.bring.as_ref().is_none_or(Bring::is_away)
    }
}
