//! What becomes of a message that is sent in a timed run.

use alloc::vec::Vec;

use super::fault::{Fault, Leg, MessageDelay, MessageDuplicate};
use super::scenario::NodeIndex;

/// A message that is being sent.
#[derive(Clone, Copy)]
pub(super) struct Letter {
    /// Whose call it is.
    pub client: NodeIndex,
    /// The process of that client.
    pub process: NodeIndex,
    /// Whom the call asks.
    pub server: NodeIndex,
    /// Which call of that client.
    pub call: u16,
    /// Which of the call's messages.
    pub leg: Leg,
}

/// What becomes of a message, with the places of the faults that decide it.
#[derive(Default)]
pub(super) struct Fate {
    /// The fault that loses it, if one does.
    pub lost_by: Option<u16>,
    /// The faults that make it late.
    pub late: Vec<u16>,
    /// By how much they do together, in microseconds.
    pub late_us: u64,
    /// The fault that lets it be overtaken.
    pub overtaken_by: Option<u16>,
    /// The faults that copy it, and how much later each copy arrives, in microseconds.
    pub copies: Vec<(u16, u64)>,
}

/// Looks up what becomes of a message that is sent at this moment. One that a
/// partition loses is lost before it can be copied; no lost message is late.
pub(super) fn fate(faults: &[Fault], letter: Letter, now_us: u64) -> Fate {
    let mut fate = Fate::default();
    let mut is_cut_off = false;
    for (place, fault) in (0..).zip(faults) {
        match *fault {
            Fault::Partition(_) if loses(fault, letter, now_us) => {
                is_cut_off = true;
                fate.lost_by.get_or_insert(place);
            }
            _ if fault.node() != letter.client || fault.message() != Some((letter.call, letter.leg)) => {}
            Fault::MessageLoss(_) => {
                fate.lost_by.get_or_insert(place);
            }
            Fault::MessageReorder(_) => fate.overtaken_by = Some(place),
            Fault::MessageDelay(MessageDelay { by_us, .. }) if by_us > 0 => {
                fate.late.push(place);
                fate.late_us += by_us;
            }
            Fault::MessageDuplicate(MessageDuplicate { by_us, .. }) => fate.copies.push((place, by_us)),
            _ => {}
        }
    }
    if fate.lost_by.is_some() {
        fate.late.clear();
        fate.late_us = 0;
    }
    if is_cut_off {
        fate.copies.clear();
    }
    fate
}

/// Whether a partition loses a message that is sent at this moment: after its
/// start, since what happens at the very start happens before it.
fn loses(fault: &Fault, letter: Letter, now_us: u64) -> bool {
    let Fault::Partition(cut) = fault else { return false };
    let (from, to) = match letter.leg {
        Leg::Request => (letter.process, letter.server),
        Leg::Reply => (letter.server, letter.process),
    };
    let lasts = cut.at_us < now_us && now_us < cut.at_us + cut.lasts_us;
    lasts && ((from, to) == (cut.node, cut.other) || (!cut.one_way && (to, from) == (cut.node, cut.other)))
}
