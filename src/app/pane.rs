//! One pane: a variant, its run, and all that is derived from it.

use racescope_engine::check::{Verdict, judge};
use racescope_engine::sim::{Trace, run_timed};
use racescope_lesson::{StagedFault, Variant};

use crate::scene::{Layout, Scene, TimeScale, draw};
use crate::tell::{Line, Telling, story, verdict};

/// A variant's run, judged, told and drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pane {
    /// The run.
    pub trace: Trace,
    /// What the checkers found.
    pub verdict: Verdict,
    /// The same in words.
    pub telling: Telling,
    /// The events in words.
    pub story: Vec<Line>,
    /// The lanes.
    pub layout: Layout,
    /// The drawing.
    pub scene: Scene,
}

impl Pane {
    /// Runs a variant under faults and draws the first `end_us` of it.
    pub fn run(variant: &Variant, faults: &[StagedFault], end_us: u64) -> Self {
        let plain: Vec<_> = faults.iter().map(|staged| staged.fault).collect();
        let scenario = &variant.scenario;
        let trace = run_timed(scenario, &plain);
        let found = judge(scenario, &trace);
        Self {
            telling: verdict(scenario, &trace, &found),
            story: story(scenario, &trace, &found),
            layout: Layout::new(scenario),
            scene: draw(scenario, &trace, &found, TimeScale::new(end_us)),
            verdict: found,
            trace,
        }
    }

    /// When the first harm is done, in microseconds.
    pub fn first_harm_us(&self) -> Option<u64> {
        self.verdict.harm().first().map(|found| self.trace.event(found.event).at_us)
    }
}
