//! Challenges: something to bring about by changing the faults.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::message::Message;
use super::state::State;

/// How far a challenge has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChallengeState {
    /// Whether it was started.
    pub started: bool,
    /// How many hints were given.
    pub hints: usize,
    /// Whether its goal was reached since it was started.
    pub solved: bool,
}

impl State {
    /// Does what concerns questions and challenges; the rest is left to others.
    pub(super) fn learn(&mut self, message: Message) {
        match message {
            Message::Predict(option) => {
                let known =
                    self.lesson.prediction.as_ref().is_some_and(|asked| usize::from(option) < asked.options.len());
                self.predicted = Some(option).filter(|_| known);
            }
            Message::StartChallenge(place) => {
                let Some(challenge) = self.lesson.challenges.get(place) else { return };
                let start = Rc::new(challenge.start.clone());
                let title = challenge.title.clone();
                self.challenges[place].started = true;
                self.challenges[place].solved = false;
                if start != self.faults {
                    self.history.push(format!("start of “{title}”"), self.faults.clone());
                }
                self.replace(start, &format!("Challenge: {title}."));
            }
            Message::Hint(place) => {
                let Some(challenge) = self.lesson.challenges.get(place) else { return };
                let given = &mut self.challenges[place].hints;
                *given = (*given + 1).min(challenge.hints.len());
                self.announcement = challenge.hints[*given - 1].clone();
            }
            _ => {}
        }
    }

    /// Marks the challenges whose goal the panes now show.
    pub(super) fn judge_challenges(&mut self) {
        let lesson = self.lesson.clone();
        for (challenge, state) in lesson.challenges.iter().zip(&mut self.challenges) {
            let pane = self.panes.get(usize::from(challenge.variant));
            if state.started && pane.is_some_and(|pane| challenge.goal.is_met_by(&pane.verdict)) {
                state.solved = true;
            }
        }
    }
}
