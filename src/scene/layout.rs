//! Where the lanes lie. All panes of a lesson have the same nodes, so their rows agree.

use racescope_engine::sim::{Fault, Guard, NodeIndex, NodeKind, Part, Role, Scenario, SystemNode};

/// The height of the ruler, in pixels.
pub(super) const RULER: i32 = 30;

/// The height of the row with a node's own clock, in pixels.
const CLOCK: i32 = 40;

/// The lanes of a drawing, from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The lanes.
    pub lanes: Vec<Lane>,
    /// The height of the whole drawing, in pixels.
    pub height: i32,
}

/// One lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The node that it shows.
    pub node: NodeIndex,
    /// What the node is.
    pub kind: LaneKind,
    /// What it is called.
    pub title: String,
    /// Its upper edge, in pixels.
    pub top: i32,
    /// Its height, in pixels.
    pub height: i32,
    /// Whether its last row is a ruler of its own, by the node's wall clock.
    pub has_clock: bool,
    /// The names of its rows and their middles, in pixels from its upper edge.
    pub rows: Vec<(&'static str, i32)>,
}

/// What a lane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// What a client believes and does.
    Client,
    /// Who holds the lease.
    Lock,
    /// Who holds one of the locks on which a lock stands: a low lane, since there are many.
    Member,
    /// What storage has accepted.
    Storage,
}

impl Layout {
    /// The lanes of a scenario. A node whose clock a fault makes wrong has a ruler of its own.
    pub fn new(scenario: &Scenario, faults: &[Fault]) -> Self {
        let mut top = RULER;
        let mut lanes = Vec::new();
        for node in scenario.indices() {
            let described = &scenario.nodes[usize::from(node)];
            let (kind, mut height, mut rows) = match &described.kind {
                NodeKind::Client(_) => (LaneKind::Client, 94, vec![("believes", 40), ("runs", 72)]),
                NodeKind::Lock(_) => (LaneKind::Lock, 62, vec![("holder", 39)]),
                NodeKind::Storage(storage) => {
                    let kept = if storage.guard == Guard::VersionCompareAndSet { "version" } else { "highest fence" };
                    (LaneKind::Storage, 90, vec![("value", 40), (kept, 70)])
                }
                NodeKind::System(SystemNode { role, .. }) | NodeKind::Part(Part { role, .. }) => match role {
                    Role::Lock { .. } if scenario.is_member(node) => (LaneKind::Member, 34, Vec::new()),
                    Role::Lock { .. } => (LaneKind::Lock, 62, vec![("holder", 39)]),
                    Role::Data { .. } => (LaneKind::Storage, 90, vec![("value", 40)]),
                    Role::Cache { .. } => (LaneKind::Storage, 90, vec![("entry", 40)]),
                    Role::Effects { .. } => (LaneKind::Storage, 90, vec![("effects", 40)]),
                    Role::Server => (LaneKind::Storage, 90, vec![("server", 40)]),
                },
            };
            let is_clock = |fault: &Fault| matches!(fault, Fault::ClockStep(_) | Fault::ClockRate(_));
            let has_clock = faults.iter().any(|fault| is_clock(fault) && fault.node() == node);
            if has_clock {
                rows.push(("own clock", height + 18));
                height += CLOCK;
            }
            lanes.push(Lane { node, kind, title: described.title.clone(), top, height, has_clock, rows });
            top += height;
        }
        Self { lanes, height: top }
    }

    /// The lane at a height, in pixels from the upper edge of the drawing.
    pub fn lane_at(&self, y: i32) -> Option<&Lane> {
        self.lanes.iter().find(|lane| (lane.top..lane.top + lane.height).contains(&y))
    }

    pub(super) fn lane(&self, node: NodeIndex) -> &Lane {
        &self.lanes[usize::from(node)]
    }
}

impl Lane {
    /// The middle of the line on which a process runs, in pixels.
    pub fn run_y(&self) -> i32 {
        self.top + 72
    }

    /// The line of the ruler that shows the node's own clock, in pixels.
    pub fn clock_y(&self) -> i32 {
        self.top + self.height - 14
    }

    /// The upper edge of the band on which a belief or a holder is drawn, in pixels.
    pub fn band_y(&self) -> i32 {
        match self.kind {
            LaneKind::Client => self.top + 30,
            LaneKind::Lock | LaneKind::Storage => self.top + 28,
            LaneKind::Member => self.top + 9,
        }
    }

    /// The height of that band, in pixels.
    pub(super) fn band_height(&self) -> i32 {
        if self.kind == LaneKind::Member { 16 } else { 22 }
    }

    /// The middle of the mark at a moment of harm, in pixels: below the band of a storage,
    /// and above that of a lock.
    pub(super) fn harm_y(&self) -> i32 {
        self.top + if self.kind == LaneKind::Storage { 70 } else { 14 }
    }

    /// Where messages to and from this lane start and end, in pixels.
    pub(super) fn message_y(&self) -> i32 {
        if self.kind == LaneKind::Client { self.run_y() } else { self.band_y() }
    }
}
