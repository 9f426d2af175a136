//! A run as shapes: pure geometry, from which the page and the exports draw.
//!
//! Across, a place is a share of the plot's width, in hundredths of a per cent;
//! down, it is in pixels. One drawing so serves every width.

mod client;
mod element;
mod faults;
mod glyphs;
mod layout;
mod messages;
mod outcomes;
mod scale;
mod servers;
mod shapes;
mod style;
mod wires;

use racescope_engine::check::{Verdict, beliefs};
use racescope_engine::sim::{Event, EventIndex, Scenario, Trace};

use crate::tell::duration;

pub use element::{Element, LAYERS, Shape};
pub use glyphs::Glyph;
pub use layout::{Lane, LaneKind, Layout};
pub use outcomes::{BarPart, Fate, bar};
pub use scale::{Fold, Share, TimeScale, percent};
pub use shapes::{Anchor, Badge, FaultBlock, Form, Head, Line, Mark, Rect, Room, Scene, Tag, Text};
pub use style::{Role, Tint};
pub use wires::Wire;

/// Draws a run on the lanes of a layout.
pub fn draw(scenario: &Scenario, trace: &Trace, verdict: &Verdict, scale: TimeScale, layout: &Layout) -> Scene {
    let mut scene = Scene::new(layout);
    let sheet = Sheet { scenario, trace, verdict, scale, layout, only: None };
    sheet.ruler(&mut scene);
    messages::draw(&sheet, &mut scene);
    client::draw(&sheet, &beliefs(scenario, trace), &mut scene);
    servers::draw(&sheet, &mut scene);
    wires::draw(&sheet, &mut scene);
    faults::draw(&sheet, &mut scene);
    scene
}

/// Draws what some events of a run have brought about, and nothing else, with the
/// number of each: to lie over the whole drawing while that steps back.
pub fn draw_chain(
    scenario: &Scenario,
    trace: &Trace,
    verdict: &Verdict,
    scale: TimeScale,
    layout: &Layout,
    chain: &[EventIndex],
) -> Scene {
    let mut scene = Scene::new(layout);
    let sheet = Sheet { scenario, trace, verdict, scale, layout, only: Some(chain) };
    sheet.ruler(&mut scene);
    messages::draw(&sheet, &mut scene);
    client::draw(&sheet, &beliefs(scenario, trace), &mut scene);
    servers::draw(&sheet, &mut scene);
    for (number, &event) in (1..).zip(chain) {
        let (x, lane) = (sheet.at(event), layout.lane(trace.event(event).actor));
        // Where one would lie on another, it lies above or below it.
        let is_taken = |badge: &Badge| badge.y == lane.top + 12 && (x - badge.x).abs() < 600;
        let y = lane.top + if scene.badges.iter().any(is_taken) { 27 } else { 12 };
        scene.badges.push(Badge { x, y, number });
    }
    scene
}

/// What every part of a drawing needs to know.
struct Sheet<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
    verdict: &'a Verdict,
    scale: TimeScale,
    layout: &'a Layout,
    /// The events whose shapes are drawn, if not all are.
    only: Option<&'a [EventIndex]>,
}

impl Sheet<'_> {
    fn at(&self, event: u32) -> Share {
        self.scale.share(self.trace.event(event).at_us)
    }

    /// Whether what an event has brought about is drawn.
    fn shows(&self, event: EventIndex) -> bool {
        self.only.is_none_or(|chain| chain.contains(&event))
    }

    /// Whether any of the events is drawn that a rule holds for.
    fn shows_any(&self, holds: impl Fn(&Event) -> bool) -> bool {
        self.only.is_none_or(|chain| chain.iter().any(|&event| holds(self.trace.event(event))))
    }

    /// Whether an event did harm.
    fn harms(&self, event: u32) -> bool {
        self.verdict.harm().iter().any(|found| found.event == event)
    }

    /// The events that did harm, in order, each once.
    fn harms_done(&self) -> Vec<u32> {
        let mut events: Vec<u32> = self.verdict.harm().iter().map(|found| found.event).collect();
        events.dedup();
        events
    }

    fn ruler(&self, scene: &mut Scene) {
        for lane in &self.layout.lanes {
            scene.back.push(Line::across(lane.top, Role::Rule));
        }
        for fold in self.scale.folds() {
            let (x1, x2) = (self.scale.share(fold.from_us), self.scale.share(fold.to_us));
            scene.gaps.push(Rect {
                x1,
                x2,
                y: layout::RULER + 1,
                height: scene.height - layout::RULER,
                role: Role::Gap,
            });
            let length = duration(fold.rounded_us());
            let words = [(Room::Any, length.as_str()), (Room::Wider, " folded")];
            let middle = Text::by_room(i32::midpoint(x1, x2), 16, Role::RulerText, &words);
            scene.texts.push(Text { anchor: Anchor::Middle, ..middle });
        }
        for (at_us, label) in self.scale.ticks() {
            let x = self.scale.share(at_us);
            let length = if label.is_some() { 6 } else { 3 };
            scene.back.push(Line::down(x, layout::RULER - length, layout::RULER, Role::Tick));
            if let Some(label) = label {
                let anchor = if at_us == self.scale.end_us() { Anchor::End } else { Anchor::Middle };
                scene.texts.push(Text::new(x, 16, Role::RulerText, anchor, label));
            }
        }
    }
}
