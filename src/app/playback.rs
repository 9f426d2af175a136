//! The playhead: one for all panes. Its speed never changes what happens.

use super::message::Message;
use super::settings::Setting;
use super::state::State;
use crate::tell::{duration, seconds, time};

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

impl State {
    /// Does what concerns the playhead; the rest is left to others.
    pub(super) fn play(&mut self, message: Message) {
        if !matches!(message, Message::ElapsedInSteps(_)) {
            self.waited_us = 0;
        }
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
            Message::ToParting => {
                let next = self.partings.iter().find(|&&at_us| at_us > self.cursor_us);
                if let Some(&at_us) = next.or(self.partings.first()) {
                    self.go_to(at_us);
                }
            }
            Message::ExplainOrNot(place) => self.explain_or_not(place),
            Message::PlayOrPause => self.play_or_pause(),
            Message::Elapsed(us) if self.playing => self.elapse(us),
            Message::ElapsedInSteps(us) if self.playing => self.elapse_in_steps(us),
            Message::GoTo(at_us) => self.go_to(at_us),
            Message::Slower | Message::Faster => {
                let (_, name) = SPEEDS[self.settings.place(Setting::Speed)];
                self.announcement = format!("Speed {name}.");
            }
            Message::LoopOrNot => {
                self.loops = !self.loops;
                let what = if self.loops { "Starts anew at the end." } else { "Stops at the end." };
                self.announcement = what.to_string();
            }
            Message::FoldOrNot => self.fold_or_not(),
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

    fn explain_or_not(&mut self, place: usize) {
        let Some(explained) = self.explained.get_mut(place) else { return };
        *explained = !*explained;
        let is_on = *explained;
        let steps = if is_on { self.why(place) } else { Vec::new() };
        self.announcement = match steps.as_slice() {
            [] => "The whole run is shown.".to_string(),
            [first, ..] => format!("Why, in {} steps. {}", steps.len(), first.text),
        };
    }

    /// What is held stays where it is under the pointer, so nothing is folded then.
    fn fold_or_not(&mut self) {
        if !self.at_rest() {
            return;
        }
        self.unfolded = !self.unfolded;
        self.fit_stage();
        self.run();
        let folds = self.scale.folds();
        self.announcement = match folds.len() {
            _ if self.unfolded => "All time is shown.".to_string(),
            0 => "There is no idle time to fold.".to_string(),
            _ => {
                let told =
                    folds.iter().map(|fold| format!("{} from {}", duration(fold.rounded_us()), time(fold.from_us)));
                format!("Folded: {}.", told.collect::<Vec<_>>().join(", "))
            }
        };
    }

    fn elapse(&mut self, us: u64) {
        self.arrive(self.after(us));
    }

    /// The playhead stays where it is until the time of the next event has come.
    fn elapse_in_steps(&mut self, us: u64) {
        let now_us = self.after(us);
        let last = self.moments().into_iter().rev().find(|at_us| (self.cursor_us + 1..=now_us).contains(at_us));
        if let Some(at_us) = last.or((now_us >= self.end_us).then_some(self.end_us)) {
            self.waited_us = self.scale.shown_us(now_us) - self.scale.shown_us(at_us);
            self.arrive(at_us);
        } else {
            self.waited_us = self.scale.shown_us(now_us) - self.scale.shown_us(self.cursor_us);
        }
    }

    /// Where the playhead would be after so much real time.
    fn after(&self, us: u64) -> u64 {
        // A tab that was in the background doesn't jump ahead when it comes back.
        let moved_us = us.min(100_000) * u64::from(self.settings.speed().quarters) / 4;
        // Folded time passes as quickly as it looks.
        let shown_us = self.scale.shown_us(self.cursor_us) + self.waited_us + moved_us;
        self.scale.unfolded_us(shown_us).min(self.end_us)
    }

    fn arrive(&mut self, at_us: u64) {
        self.cursor_us = at_us;
        if self.cursor_us < self.end_us {
            return;
        }
        if self.loops {
            self.cursor_us = 0;
        } else {
            self.playing = false;
            self.announcement = "The end.".to_string();
        }
    }

    /// What stands at the playhead, for a screen reader: the last event of each pane.
    fn what_happened(&self) -> String {
        let mut said = format!("{} seconds.", seconds(self.cursor_us));
        let mut lines: Vec<String> = Vec::new();
        for (place, variant) in self.lesson.variants.iter().enumerate() {
            let line = self
                .last_line(place)
                .map_or_else(|| "nothing yet".to_string(), |line| format!("{} {}", line.place, line.sentence));
            lines.push(format!(" {}: {line}.", variant.title));
        }
        let first = self.story(0);
        if (1..self.panes.len()).all(|place| self.story(place) == first) {
            lines.truncate(1);
        }
        said.extend(lines);
        said
    }
}
