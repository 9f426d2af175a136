//! Bringing something new onto the stage: from the palette, from the form, or by
//! taking a message at one of its ends.

use std::rc::Rc;

use racescope_engine::sim::{Fault, Leg, MessageDelay, NodeIndex, Pause, Waking};

use super::edit::Handle;
use super::field::{Field, message_value, value_of};
use super::message::Message;
use super::placed::{Placed, new_fault};
use super::state::{Faults, State};
use crate::scene::Wire;
use crate::tell::FaultKind;

/// A fault that was chosen from the palette and isn't placed yet. While it is over
/// a lane, all panes already run under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bring {
    /// Its kind.
    pub kind: FaultKind,
    /// The lane and the moment, in microseconds, if it is over a lane that it suits.
    pub over: Option<(NodeIndex, u64)>,
    /// The faults without it.
    pub(super) before: Faults,
    /// The messages as they were without it.
    wires: Rc<[Wire]>,
}

impl Bring {
    /// Whether it is over no lane, so that the panes run without it.
    pub fn is_away(&self) -> bool {
        self.over.is_none()
    }
}

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireEnd {
    /// Where it leaves. Held back, its sender stands still.
    Sending,
    /// Where it arrives. Held back, it is late.
    Arrival,
}

/// A message by the call that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireName {
    /// The client whose call it is.
    pub client: NodeIndex,
    /// Which of its calls, counted from 0.
    pub call: u16,
    /// Which of the call's messages.
    pub leg: Leg,
}

/// The work that is left before a step when its process is made to stand still.
const LEFT_US: u64 = 10_000;

impl State {
    /// Does what brings something new; the rest is left to others.
    pub(super) fn fetch(&mut self, message: Message) {
        match message {
            Message::Bring(kind) => self.bring(kind),
            Message::BringTo(node, at_us) => self.bring_to(Some((node, at_us))),
            Message::BringAway => self.bring_to(None),
            Message::BringBy(lanes, by_us) => self.bring_by(lanes, by_us),
            Message::Add(kind, node, at_us) if self.has_room() => self.add_new(kind, node, at_us),
            Message::GrabWire(pane, name, end) => self.grab_wire(pane, name, end, false),
            Message::GrabWireByKeys(pane, name, end) => self.grab_wire(pane, name, end, true),
            _ => {}
        }
    }

    /// How long a new fault lasts, in microseconds: an eighth of the lesson's stage.
    pub(super) fn usual_length_us(&self) -> u64 {
        let (eighth, tenth) = (self.lesson.shows_us / 8, 100_000);
        if eighth >= tenth { eighth / tenth * tenth } else { eighth.max(1) }
    }

    fn bring(&mut self, kind: FaultKind) {
        let again = self.bring.as_ref().is_some_and(|brought| brought.kind == kind);
        self.let_go_of_all();
        if again || !self.has_room() {
            return;
        }
        self.playing = false;
        let wires = self.wires().into();
        self.bring = Some(Bring { kind, over: None, before: self.faults.clone(), wires });
        self.announcement = format!("{}: {}. Choose a lane and a time, then press Enter.", kind.name(), kind.remark());
    }

    /// Puts what is held where it was, and what was brought away.
    fn let_go_of_all(&mut self) {
        self.cancel_bring();
        self.let_go();
    }

    fn bring_to(&mut self, over: Option<(NodeIndex, u64)>) {
        let Some(mut brought) = self.bring.take() else { return };
        let length_us = self.usual_length_us();
        let new = over.and_then(|(node, at_us)| {
            let scenario = &self.lesson.variants.first()?.scenario;
            let at_us = (at_us.min(self.end_us) + 5_000) / 10_000 * 10_000;
            let fault = new_fault(brought.kind, scenario, node, at_us, length_us, &brought.wires)?;
            Some(((node, at_us), Placed::new(fault)))
        });
        let mut faults = (*brought.before).clone();
        let place = faults.len();
        brought.over = new.as_ref().map(|(over, _)| *over);
        self.selected = new.as_ref().map(|_| place);
        faults.extend(new.map(|(_, placed)| placed));
        self.bring = Some(brought);
        if faults != *self.faults {
            self.faults = Rc::new(faults);
            self.run();
        }
    }

    /// Keys take it from lane to lane and along the lane. The first one takes it onto
    /// the first lane that it suits, at the playhead.
    fn bring_by(&mut self, lanes: isize, by_us: i64) {
        let Some(brought) = &self.bring else { return };
        let Some(variant) = self.lesson.variants.first() else { return };
        let suiting: Vec<NodeIndex> =
            variant.scenario.indices().filter(|&node| brought.kind.suits(&variant.scenario, node)).collect();
        let over = match brought.over {
            None => suiting.first().map(|&node| (node, self.cursor_us)),
            Some((node, at_us)) if !suiting.is_empty() => {
                let at = suiting.iter().position(|&other| other == node).unwrap_or(0);
                let next = at.saturating_add_signed(lanes).min(suiting.len().saturating_sub(1));
                Some((suiting[next], at_us.saturating_add_signed(by_us)))
            }
            Some(_) => None,
        };
        self.bring_to(over);
        let place = self.faults.len().saturating_sub(1);
        if self.bring.as_ref().is_some_and(|brought| !brought.is_away()) {
            self.announcement = format!("{}.", self.clause(place));
        }
    }

    pub(super) fn drop_brought(&mut self) {
        let Some(brought) = self.bring.take() else { return };
        let new = if brought.is_away() { None } else { self.faults.last().cloned() };
        self.faults = brought.before;
        match new {
            Some(placed) => self.add(placed, "add"),
            None => self.run(),
        }
    }

    pub(super) fn cancel_bring(&mut self) {
        let Some(brought) = self.bring.take() else { return };
        let was_shown = !brought.is_away();
        self.faults = brought.before;
        self.select_what_is_there();
        self.announcement = "Nothing was added.".to_string();
        if was_shown {
            self.run();
        }
    }

    fn add_new(&mut self, kind: FaultKind, node: NodeIndex, at_us: u64) {
        self.let_go_of_all();
        let Some(variant) = self.lesson.variants.first() else { return };
        let new = new_fault(kind, &variant.scenario, node, at_us, self.usual_length_us(), &self.wires());
        match new {
            Some(fault) => self.add(Placed::new(fault), "add"),
            None => {
                self.announcement = if kind.is_of_message() {
                    "No message leaves or reaches this lane, so none was chosen.".to_string()
                } else {
                    format!("{} doesn’t go on this lane: {}.", kind.name(), kind.remark())
                };
            }
        }
    }

    /// A message is held at an end: at its arrival it can be made late, and at its
    /// sending its sender can be made to stand still.
    fn grab_wire(&mut self, pane: usize, name: WireName, end: WireEnd, by_keys: bool) {
        if self.grab.as_ref().is_some_and(|grab| !grab.by_keys) {
            return;
        }
        self.let_go_of_all();
        let wires = self.panes.get(pane).map(|pane| pane.scene.wires.clone()).unwrap_or_default();
        let same = |wire: &&Wire| (wire.client, wire.call, wire.leg) == (name.client, name.call, name.leg);
        let Some(wire) = wires.iter().find(same).copied() else { return };
        let known = match end {
            WireEnd::Arrival => self.delay_of(pane, name),
            WireEnd::Sending => self.pause_before(pane, &wire),
        };
        let before = self.faults.clone();
        if let Some(place) = known {
            self.hold_by_wire(place, by_keys, before);
            return;
        }
        if !self.has_room() {
            return;
        }
        let fault = match end {
            WireEnd::Arrival => {
                Fault::MessageDelay(MessageDelay { node: name.client, call: name.call, leg: name.leg, by_us: 0 })
            }
            WireEnd::Sending => {
                let at_us = wire.sent_us.saturating_sub(LEFT_US);
                Fault::Pause(Pause { node: wire.sender(), at_us, lasts_us: 0, on_waking: Waking::Messages })
            }
        };
        let mut faults = (*before).clone();
        faults.push(Placed::new(fault));
        let place = faults.len() - 1;
        self.faults = Rc::new(faults);
        self.run();
        self.hold_by_wire(place, by_keys, before);
    }

    /// Takes hold of the end of a fault by the message that it moves.
    fn hold_by_wire(&mut self, place: usize, by_keys: bool, before: Faults) {
        self.hold(place, Handle::End, by_keys, before);
        if let Some(grab) = &mut self.grab {
            grab.by_wire = true;
        }
    }

    fn delay_of(&self, pane: usize, name: WireName) -> Option<usize> {
        let number = message_value(name.client, name.call, name.leg);
        self.faults.iter().position(|placed| {
            let is_delay = FaultKind::of(&placed.fault) == FaultKind::Delay;
            is_delay && placed.befalls(pane) && value_of(placed, Field::Message) == Some(number)
        })
    }

    /// The pause that has just held a message back, if there is one.
    fn pause_before(&self, pane: usize, wire: &Wire) -> Option<usize> {
        self.faults.iter().position(|placed| {
            let is_pause = FaultKind::of(&placed.fault) == FaultKind::Pause;
            let ends = placed.ends_us();
            let just_ended = ends <= wire.sent_us && wire.sent_us - ends <= LEFT_US;
            is_pause && placed.befalls(pane) && placed.fault.node() == wire.sender() && just_ended
        })
    }
}
