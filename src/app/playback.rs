//! The playhead: one for all panes. Its speed never changes what happens.

use super::message::Message;
use super::state::State;
use crate::tell::seconds;

/// How fast the playhead moves, in quarters of real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    quarters: u8,
}

/// The speeds that can be chosen, with their names.
pub const SPEEDS: [(Speed, &str); 5] = [
    (Speed { quarters: 1 }, "¼"),
    (Speed { quarters: 2 }, "½"),
    (Speed { quarters: 4 }, "1×"),
    (Speed { quarters: 8 }, "2×"),
    (Speed { quarters: 16 }, "4×"),
];

impl Default for Speed {
    fn default() -> Self {
        Self { quarters: 4 }
    }
}

impl State {
    /// Does what concerns the playhead; the rest is left to others.
    pub(super) fn play(&mut self, message: Message) {
        match message {
            // A scrub speaks by the value of its slider; announcing each move would flood.
            Message::Seek(at_us) => {
                (self.playing, self.opened) = (false, false);
                self.cursor_us = at_us.min(self.end_us);
            }
            Message::ToStart => self.go_to(0),
            Message::ToEnd => self.go_to(self.end_us),
            Message::StepForward => {
                let next = self.moments().into_iter().find(|&at_us| at_us > self.cursor_us);
                self.go_to(next.unwrap_or(self.end_us));
            }
            Message::StepBack => {
                let before = self.moments().into_iter().rev().find(|&at_us| at_us < self.cursor_us);
                self.go_to(before.unwrap_or(0));
            }
            Message::ToFirstViolation => {
                if let Some(at_us) = self.first_violation_us() {
                    self.go_to(at_us);
                }
            }
            Message::PlayOrPause => self.play_or_pause(),
            Message::Elapsed(us) if self.playing => self.elapse(us),
            Message::SetSpeed(speed) => self.speed = speed,
            Message::Speak(voice) => self.voice = voice,
            _ => {}
        }
    }

    fn go_to(&mut self, at_us: u64) {
        (self.playing, self.opened) = (false, false);
        self.cursor_us = at_us.min(self.end_us);
        self.announcement = self.what_happened();
    }

    fn play_or_pause(&mut self) {
        self.playing = !self.playing;
        // A page opens at its moment of harm; who plays it wants to see what leads there.
        let opened = std::mem::replace(&mut self.opened, false);
        if self.playing && (opened || self.cursor_us >= self.end_us) {
            self.cursor_us = 0;
        }
        self.announcement = if self.playing { "Playing.".to_string() } else { self.what_happened() };
    }

    fn elapse(&mut self, us: u64) {
        // A tab that was in the background doesn't jump ahead when it comes back.
        let moved_us = us.min(100_000) * u64::from(self.speed.quarters) / 4;
        self.cursor_us = (self.cursor_us + moved_us).min(self.end_us);
        if self.cursor_us >= self.end_us {
            self.playing = false;
            self.announcement = "The end.".to_string();
        }
    }

    /// What stands at the playhead, for a screen reader: the last event of each pane.
    fn what_happened(&self) -> String {
        let mut said = format!("{} seconds.", seconds(self.cursor_us));
        let mut lines: Vec<String> = Vec::new();
        for (variant, pane) in self.lesson.variants.iter().zip(&self.panes) {
            let last = pane.story.iter().rev().find(|line| line.at_us <= self.cursor_us);
            let line =
                last.map_or_else(|| "nothing yet".to_string(), |line| format!("{} {}", line.place, line.sentence));
            lines.push(format!(" {}: {line}.", variant.title));
        }
        if let Some(first) = self.panes.first()
            && self.panes.iter().all(|pane| pane.story == first.story)
        {
            lines.truncate(1);
        }
        said.extend(lines);
        said
    }
}
