//! What is planned in a timed run: actions and marks of faults, each with its moment.

use alloc::vec::Vec;

use super::change::Action;
use super::fault::Fault;
use super::scenario::LIMITS;
use crate::order::sort_by;

/// What happens next, and when. The order of the fields is the order of ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Next {
    pub due_us: u64,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    FaultEnds(u16),
    Overdue(Action),
    Act(Action),
    /// The snapshot is taken that this fault brings back.
    IsTaken(u16),
    FaultBegins(u16),
}

impl Next {
    /// The same, but not in the past.
    pub fn not_before(self, now_us: u64) -> Self {
        Self { due_us: self.due_us.max(now_us), ..self }
    }

    /// Whether only a timer of a real system fires, such as one after which it forgets;
    /// or nothing ever happens, if its date is too far away for its clock.
    pub fn is_of_a_timer(self) -> bool {
        self == NEVER || matches!(self.kind, Kind::Act(Action::Fire(..)) | Kind::Overdue(Action::Fire(..)))
    }
}

/// What no run comes to.
pub(super) const NEVER: Next = Next { due_us: u64::MAX, kind: Kind::FaultBegins(u16::MAX) };

/// A message on its way, or a client's own next step.
#[derive(Clone, Copy, Default)]
pub(super) struct Flight {
    /// When it arrives, or when it is lost, in microseconds.
    pub due_us: u64,
    /// Whether it is lost.
    pub lost: bool,
    /// Whether the next message overtakes it.
    pub overtaken: bool,
}

impl Flight {
    pub fn at(due_us: u64) -> Self {
        Self { due_us, ..Self::default() }
    }
}

/// The starts and ends of faults, the latest first. What befalls a message has
/// neither, nor has a fault that lasts for no time, since it does nothing. What lies
/// beyond the latest moment is left out, so that no run is cut for the sake of a mark.
pub(super) fn marks(faults: &[Fault], nodes: usize) -> Vec<Next> {
    let mut marks = Vec::new();
    for (place, fault) in faults.iter().enumerate().filter(|(_, fault)| usize::from(fault.node()) < nodes) {
        let place = place as u16;
        let Some(at_us) = fault.at_us() else { continue };
        if fault.lasts_us() == Some(0) {
            continue;
        }
        marks.push(Next { due_us: at_us, kind: Kind::FaultBegins(place) });
        if let Some(lasts_us) = fault.lasts_us() {
            marks.push(Next { due_us: at_us + lasts_us, kind: Kind::FaultEnds(place) });
        }
        if let Fault::SnapshotRestore(restore) = fault {
            marks.push(Next { due_us: restore.taken_us, kind: Kind::IsTaken(place) });
        }
    }
    marks.retain(|mark| mark.due_us <= LIMITS.time_us);
    sort_by(&mut marks, |a, b| a < b);
    marks
}
