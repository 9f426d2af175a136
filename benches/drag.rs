//! How much script a frame takes while the end of a pause is dragged, and how soon
//! the stage stands on the front page, in a real Chromium.
//!
//! Chromium hands out the moves of a pointer once a frame. What a frame runs is the
//! dispatch of that move, from before the first listener until after the last one
//! and all that it left to be done at once: running the panes again, checking,
//! drawing and patching the page. The page's clock has steps of 0.1 ms.

#[expect(dead_code, unused_imports, reason = "the tests do more with a browser than this")]
#[path = "../tests/browser/support/mod.rs"]
mod support;

use support::{Page, Pointer, Spot, in_browser};

/// How often the pointer moves in a measured drag.
const MOVES: u32 = 400;

/// How far it moves to the left and back again, in pixels.
const REACH: u32 = 90;

/// Times each move, between a listener before all others and one after all others.
const CLOCK: &str = "
    window.frames_ms = [];
    let began = 0;
    addEventListener('pointermove', () => { began = performance.now(); }, { capture: true });
    addEventListener('pointermove', () => { frames_ms.push(performance.now() - began); });
";

fn main() {
    println!("script a frame while the end of the pause is dragged, {MOVES} moves, in milliseconds");
    println!("{:28}{:>8}{:>8}{:>8}{:>8}", "", "frames", "median", "p99", "max");
    for (name, path) in [("two panes", "lessons/paused-holder/"), ("three panes", "lessons/early-check/")] {
        let drags = [measure_drag(path), measure_drag(path), measure_drag(path)];
        show(&format!("{name}, three drags"), drags.concat());
        // The same move does the same work each time. What it takes longer now and
        // then is the machine's other work.
        let [one, two, three] = drags;
        let least = one.iter().zip(&two).zip(&three).map(|((one, two), three)| one.min(*two).min(*three));
        show(&format!("{name}, least of three"), least.collect());
    }
    println!("\nfrom navigation to the live stage on the front page, five loads, in milliseconds");
    let mut loads = measure_loads();
    loads.sort_by(f64::total_cmp);
    println!("{:36}{:>8.0}{:>8}{:>8.0}", "", loads[loads.len() / 2], "", loads[loads.len() - 1]);
}

/// Prints a row of the table.
fn show(name: &str, mut frames: Vec<f64>) {
    frames.sort_by(f64::total_cmp);
    let at = |percent: usize| frames[(frames.len() - 1) * percent / 100];
    println!("{name:<28}{:>8}{:>8.1}{:>8.1}{:>8.1}", frames.len(), at(50), at(99), at(100));
}

/// The script of each frame of a drag in milliseconds, in the order of its moves.
fn measure_drag(path: &str) -> Vec<f64> {
    let mut frames = Vec::new();
    in_browser(async |page| {
        page.open(path).await;
        let start = Spot::of(page, ".pane .grip[aria-label$=': end'] .hit").await;
        // The page listens to the whole window only while something is held, and
        // the clock has to stop after it.
        Pointer::Mouse.press(page, start).await;
        page.run::<()>(CLOCK).await;
        Pointer::Mouse.move_through(page, (1..=MOVES).map(|step| start.right_by(sway(step)))).await;
        frames = page.value("window.frames_ms").await;
        Pointer::Mouse.release(page).await;
    });
    assert!(frames.len() >= 300, "only {} moves were handed out", frames.len());
    frames
}

/// Where the pointer is at a step: left by the reach, and back again.
fn sway(step: u32) -> f64 {
    let place = step % (2 * REACH);
    -f64::from(if place < REACH { place } else { 2 * REACH - place })
}

/// How long the stage took to stand, for five loads, in milliseconds.
fn measure_loads() -> Vec<f64> {
    let mut loads = Vec::new();
    for _ in 0..5 {
        in_browser(async |page: &Page| {
            page.open("").await;
            loads.push(page.value("window.stageStoodAt").await);
        });
    }
    loads
}
