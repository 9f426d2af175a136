//! Chromium's own trace: what its main thread did in which frame. The form is described
//! at <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.

use serde_json::Value;

/// What of the trace is needed.
pub const CATEGORIES: &str = "devtools.timeline,disabled-by-default-devtools.timeline.frame";

/// What is script: it runs when an event is handed out, for a frame, later, or by itself.
const SCRIPT: [&str; 6] =
    ["EventDispatch", "FireAnimationFrame", "TimerFire", "FunctionCall", "RunMicrotasks", "EvaluateScript"];

/// The script of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// By the clock on the wall, in milliseconds; with all that came between.
    pub wall_ms: f64,
    /// By the clock of the thread, in milliseconds.
    pub thread_ms: f64,
}

/// A trace, in the order of time.
pub struct Trace {
    events: Vec<Value>,
    /// The process that draws the page, and its main thread.
    main: (u64, u64),
}

impl Trace {
    /// Puts what the browser traced in order. The page is what drew last.
    ///
    /// # Panics
    /// If no frame is among it.
    pub fn new(mut events: Vec<Value>) -> Self {
        events.sort_by(|a, b| at(a).total_cmp(&at(b)));
        let begins = |event: &&Value| event["name"] == "BeginMainThreadFrame";
        let main = events.iter().rfind(begins).and_then(thread_of).expect("the trace has a frame");
        Self { events, main }
    }

    /// The script of each frame in which an event of a kind was handed out.
    pub fn frames_with(&self, kind: &str) -> Vec<Frame> {
        let mut frames: Vec<(Frame, bool)> = Vec::new();
        // What lies within other script has been counted with it.
        let mut counted_until = 0.0;
        for event in self.events.iter().filter(|event| thread_of(event) == Some(self.main)) {
            let name = event["name"].as_str().unwrap_or_default();
            if name == "BeginMainThreadFrame" {
                frames.push((Frame::default(), false));
            }
            let Some((frame, has_it)) = frames.last_mut() else { continue };
            if SCRIPT.contains(&name) && event["ph"] == "X" && at(event) >= counted_until {
                let wall_us = number(&event["dur"]);
                counted_until = at(event) + wall_us;
                frame.wall_ms += wall_us / 1_000.0;
                frame.thread_ms += number(&event["tdur"]) / 1_000.0;
                *has_it |= event["args"]["data"]["type"] == kind;
            }
        }
        frames.into_iter().filter(|(_, has_it)| *has_it).map(|(frame, _)| frame).collect()
    }

    /// The times between the frames that were drawn after the last event of a kind, in
    /// milliseconds.
    pub fn gaps_between_frames_after(&self, kind: &str) -> Vec<f64> {
        let last = self.events.iter().rposition(|event| event["args"]["data"]["type"] == kind);
        let drawn = self.events.iter().skip(last.unwrap_or(0)).filter(|event| {
            event["name"] == "DrawFrame" && thread_of(event).is_some_and(|(process, _)| process == self.main.0)
        });
        let drawn: Vec<f64> = drawn.map(at).collect();
        drawn.windows(2).map(|pair| (pair[1] - pair[0]) / 1_000.0).collect()
    }
}

/// When an event was, in microseconds.
fn at(event: &Value) -> f64 {
    number(&event["ts"])
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn thread_of(event: &Value) -> Option<(u64, u64)> {
    event["pid"].as_u64().zip(event["tid"].as_u64())
}
