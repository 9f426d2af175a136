//! Challenges: something to bring about by changing the faults.

use serde::{Deserialize, Serialize};

use super::message::Message;
use super::state::{State, placed};

/// How far a challenge has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChallengeState {
    /// Whether it was started.
    pub started: bool,
    /// How many hints were given.
    pub hints: usize,
    /// Whether its goal was reached since it was started.
    pub solved: bool,
    /// Whether that has yet to be said.
    #[serde(skip)]
    pub(super) unsaid: bool,
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
                let start = placed(&challenge.start);
                let title = challenge.title.clone();
                self.challenge = Some(place);
                self.challenges[place].started = true;
                self.challenges[place].solved = false;
                self.let_go();
                if start != self.faults {
                    self.history.push(format!("start of “{title}”"), self.faults.clone());
                }
                self.replace(start, &format!("Challenge: {title}."));
            }
            Message::Hint(place) => {
                let Some(challenge) = self.lesson.challenges.get(place) else { return };
                let given = &mut self.challenges[place].hints;
                *given = (*given + 1).min(challenge.hints.len());
                self.announcement = challenge.hints.get(given.saturating_sub(1)).cloned().unwrap_or_default();
            }
            _ => {}
        }
    }

    /// Marks the challenges whose goal the panes now show.
    pub(super) fn judge_challenges(&mut self) {
        let lesson = self.lesson.clone();
        for (challenge, state) in lesson.challenges.iter().zip(&mut self.challenges) {
            let pane = self.panes.get(usize::from(challenge.variant));
            if state.started
                && !state.solved
                && pane.is_some_and(|pane| challenge.goal.is_met_by(&pane.trace, &pane.verdict))
            {
                (state.solved, state.unsaid) = (true, true);
            }
        }
    }

    /// Adds to what is said that a challenge was solved just now.
    pub(super) fn say_what_is_solved(&mut self) {
        for (challenge, state) in self.lesson.challenges.iter().zip(&mut self.challenges) {
            if std::mem::take(&mut state.unsaid) {
                self.announcement = format!("Solved: {}. {}", challenge.title, self.announcement);
            }
        }
    }
}
