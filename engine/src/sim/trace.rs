//! What happened in a run: an append-only list, from which everything on screen,
//! in an export and in a checker is derived.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::fault::Fault;
use super::recorder::NO_CALL;
use super::scenario::NodeIndex;

/// An event's place in [`Trace::events`].
pub type EventIndex = u32;

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The events, in the order in which they happened.
    pub events: Vec<Event>,
    /// The faults that the run was under.
    pub faults: Vec<Fault>,
    /// What was said to real systems, and what they answered, each text once.
    pub words: Vec<String>,
    /// Whether the run came to its end. A run that a limit cut short didn't.
    pub complete: bool,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When, in microseconds of true time. In an untimed run, which step it was.
    pub at_us: u64,
    /// Where it happened.
    pub actor: NodeIndex,
    /// In whose call, or whose program; `None` for a lease that ends and for a fault.
    pub client: Option<NodeIndex>,
    /// Which call of that client, counted from 0; 65,535 if it is about an earlier one.
    pub call: u16,
    /// When the message that left with this event arrives, in microseconds; 0 for none.
    pub arrives_us: u64,
    /// What happened.
    pub what: What,
    /// The event without which it wouldn't have happened.
    pub cause: Option<EventIndex>,
    /// What was said, or answered: its place in [`Trace::words`].
    pub said: Option<u16>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// The model changed.
    Change(Change),
    /// A fault starts: its place in [`Trace::faults`].
    FaultBegins(u16),
    /// A fault ends: its place in [`Trace::faults`].
    FaultEnds(u16),
}

impl Event {
    /// Whether it is what a client did in an earlier call, and somebody else decided about now.
    pub fn counts_only_now(&self) -> bool {
        self.call == NO_CALL
    }
}

impl Trace {
    /// The run as bytes; equal runs have equal bytes on every machine.
    ///
    /// # Panics
    /// Never: plain lists of numbers always have bytes.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("plain data has bytes")
    }

    /// A number that stands for [`Trace::bytes`] (FNV-1a, 64 bits).
    pub fn digest(&self) -> u64 {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        self.bytes().into_iter().fold(0xcbf2_9ce4_8422_2325, mix)
    }

    /// When the last event happened, in microseconds.
    pub fn end_us(&self) -> u64 {
        self.events.last().map_or(0, |event| event.at_us)
    }

    /// What was said or answered with an event, in the words of a real system.
    pub fn said(&self, event: &Event) -> Option<&str> {
        self.words.get(usize::from(event.said?)).map(String::as_str)
    }

    /// The event at a place.
    pub fn event(&self, index: EventIndex) -> &Event {
        &self.events[index as usize]
    }

    /// The changes of the model with their places and times, in order.
    pub fn changes(&self) -> impl Iterator<Item = (EventIndex, &Event, Change)> {
        self.events.iter().enumerate().filter_map(|(index, event)| match event.what {
            What::Change(change) => Some((index as EventIndex, event, change)),
            _ => None,
        })
    }
}
