//! One pane: a variant, its run, and all that is derived from it.

use std::rc::Rc;

use racescope_engine::check::{Verdict, judge};
use racescope_engine::sim::{Progress, Trace, run_timed_with_progress};
use racescope_lesson::Variant;

use super::placed::Placed;
use crate::scene::{Layout, Scene, TimeScale, draw};
use crate::tell::{Telling, Units, verdict};

/// A variant's run, judged, told and drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pane {
    /// The run.
    pub trace: Trace,
    /// When each client comes to which step of its program.
    pub progress: Vec<Progress>,
    /// What the checkers found.
    pub verdict: Verdict,
    /// The same in words.
    pub telling: Telling,
    /// The lanes.
    pub layout: Layout,
    /// The drawing.
    pub scene: Rc<Scene>,
    /// The faults that befall this pane, by their places in the list of all, in the
    /// order in which the run has them.
    pub places: Vec<usize>,
}

impl Pane {
    /// Runs the variant of a pane under the faults that befall it, and draws it to scale.
    pub fn run(place: usize, variant: &Variant, faults: &[Placed], scale: TimeScale) -> Self {
        let places: Vec<usize> = (0..faults.len()).filter(|&index| faults[index].befalls(place)).collect();
        let plain: Vec<_> = places.iter().map(|&index| faults[index].fault).collect();
        // Lanes agree in all panes, also where a clock is wrong in one of them only.
        let all: Vec<_> = faults.iter().map(|placed| placed.fault).collect();
        let scenario = &variant.scenario;
        let (trace, progress) = run_timed_with_progress(scenario, &plain);
        let found = judge(scenario, &trace);
        let layout = Layout::new(scenario, &all);
        Self {
            telling: verdict(scenario, &trace, &found),
            scene: Rc::new(draw(scenario, &trace, &found, scale, &layout)),
            layout,
            verdict: found,
            trace,
            progress,
            places,
        }
    }

    /// The same with its times told in a unit.
    #[must_use]
    pub fn told_in(mut self, units: Units) -> Self {
        if units == Units::Suited {
            return self;
        }
        let again = |text: &mut String| *text = units.told(text);
        again(&mut self.telling.headline);
        again(&mut self.telling.reason);
        self.telling.chain.iter_mut().for_each(|link| again(&mut link.text));
        Rc::make_mut(&mut self.scene).tell_in(units);
        self
    }

    /// When the first harm is done, in microseconds.
    pub fn first_harm_us(&self) -> Option<u64> {
        self.verdict.harm().first().map(|found| self.trace.event(found.event).at_us)
    }
}
