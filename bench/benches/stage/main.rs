//! How much script a frame takes while the end of a pause is dragged, how evenly the
//! playhead moves, and how soon the stage stands, in a real Chromium and by its own trace.

mod report;
#[expect(dead_code, unused_imports, reason = "the tests do more with a browser than this")]
#[path = "../../../tests/browser/support/mod.rs"]
mod support;
mod trace;

use std::rc::Rc;
use std::time::Duration;

use racescope::app::State;
use racescope_bench::table::{load, publish};
use racescope_engine::sim::Fault;
use racescope_lesson::Lesson;
use report::{Dragged, Report};
use support::{Page, Pointer, Spot, in_browser_for, in_traced_browser_for};
use trace::{CATEGORIES, Trace};

/// How often the pointer moves in a measured drag.
const MOVES: u32 = 400;

/// How far it moves to the left and back again, in pixels.
const REACH: u32 = 60;

/// How long the playhead is watched, in milliseconds.
const WATCHED_MS: u32 = 4_000;

/// The longest that measuring one thing may take.
const LONGEST: Duration = Duration::from_secs(300);

fn main() {
    let load_before = load();
    let lessons = [largest(2), largest(4)];
    let dragged = lessons.iter().map(|lesson| Dragged {
        title: lesson.title.clone(),
        panes: lesson.variants.len(),
        events: events(lesson),
        frames: (0..3).flat_map(|_| drag(&lesson.id)).collect(),
    });
    let report = Report {
        dragged: dragged.collect(),
        played: (0..3).map(|_| play(&lessons[1].id)).collect(),
        loads: loads(),
        load_before,
        load_after: load(),
    };
    publish("stage", &report.markdown()).expect("the file has a place for the table, and can be written to");
}

/// The lesson of so many panes in which most happens, of those with a pause to drag.
fn largest(panes: usize) -> Lesson {
    let has_pause = |lesson: &Lesson| lesson.faults.iter().any(|staged| matches!(staged.fault, Fault::Pause(_)));
    let lessons = racescope::library().lessons.into_iter();
    let fitting = lessons.filter(|lesson| lesson.variants.len() == panes && has_pause(lesson));
    fitting.max_by_key(events).expect("there is a lesson of so many panes")
}

/// How many events the runs of a lesson have.
fn events(lesson: &Lesson) -> usize {
    State::new(Rc::new(lesson.clone())).panes.iter().map(|pane| pane.trace.events.len()).sum()
}

/// What the frames of a drag took.
fn drag(lesson: &str) -> Vec<trace::Frame> {
    let mut frames = Vec::new();
    in_traced_browser_for(LONGEST, CATEGORIES, async |page| {
        page.open(&format!("lessons/{lesson}/")).await;
        let start = Spot::of(page, ".pane .grip[aria-label$=': end'] .hit").await;
        Pointer::Mouse.press(page, start).await;
        Pointer::Mouse.move_through(page, (1..=MOVES).map(|step| start.right_by(sway(step)))).await;
        frames = Trace::new(page.trace().await).frames_with("pointermove");
        Pointer::Mouse.release(page).await;
    });
    assert!(frames.len() >= 100, "only {} frames had a move of the pointer", frames.len());
    frames
}

/// Where the pointer is at a step: left by the reach, and back again.
fn sway(step: u32) -> f64 {
    let place = step % (2 * REACH);
    -f64::from(if place < REACH { place } else { 2 * REACH - place })
}

/// The times between the frames that were drawn while the playhead moved, in milliseconds.
fn play(lesson: &str) -> Vec<f64> {
    let mut gaps = Vec::new();
    in_traced_browser_for(LONGEST, CATEGORIES, async |page| {
        page.open(&format!("lessons/{lesson}/")).await;
        page.run::<()>("document.querySelector('.switches [aria-label=Loop]').click()").await;
        page.run::<()>("document.querySelector('.transport .main').click()").await;
        page.run::<()>(&format!("return new Promise(done => setTimeout(() => done(null), {WATCHED_MS}))")).await;
        gaps = Trace::new(page.trace().await).gaps_between_frames_after("click");
    });
    assert!(!gaps.is_empty(), "no frame was drawn while the playhead moved");
    gaps
}

/// How long the stage of the front page took to stand, for five loads, in milliseconds.
fn loads() -> Vec<f64> {
    let mut loads = Vec::new();
    for _ in 0..5 {
        in_browser_for(LONGEST, async |page: &Page| {
            page.open("").await;
            loads.push(page.value("window.stageStoodAt").await);
        });
    }
    loads
}
