//! Where the lanes lie. All panes of a lesson have the same nodes, so their rows agree.

use racescope_engine::sim::{Guard, NodeIndex, NodeKind, Scenario};

/// The height of the ruler, in pixels.
pub(super) const RULER: i32 = 30;

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
    /// What storage has accepted.
    Storage,
}

impl Layout {
    /// The lanes of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let mut top = RULER;
        let mut lanes = Vec::new();
        for node in scenario.indices() {
            let described = &scenario.nodes[usize::from(node)];
            let (kind, height, rows) = match &described.kind {
                NodeKind::Client(_) => (LaneKind::Client, 94, vec![("believes", 40), ("runs", 72)]),
                NodeKind::Lock(_) => (LaneKind::Lock, 62, vec![("holder", 39)]),
                NodeKind::Storage(storage) => {
                    let kept = if storage.guard == Guard::VersionCompareAndSet { "version" } else { "highest fence" };
                    (LaneKind::Storage, 90, vec![("value", 40), (kept, 70)])
                }
            };
            lanes.push(Lane { node, kind, title: described.title.clone(), top, height, rows });
            top += height;
        }
        Self { lanes, height: top }
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

    /// The upper edge of the band on which a belief or a holder is drawn, in pixels.
    pub fn band_y(&self) -> i32 {
        match self.kind {
            LaneKind::Client => self.top + 30,
            LaneKind::Lock | LaneKind::Storage => self.top + 28,
        }
    }

    /// Where messages to and from this lane start and end, in pixels.
    pub(super) fn message_y(&self) -> i32 {
        if self.kind == LaneKind::Client { self.run_y() } else { self.band_y() }
    }
}
