//! What the stage says, read off the page; and what it has to say, by the same
//! model run natively.

use std::rc::Rc;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use racescope::app::{Field, Message, State};
use racescope_lesson::Lesson;
use serde_json::Value;

use crate::support::Page;

/// The page of the lesson with two panes.
pub const TWO_PANES: &str = "lessons/paused-holder/";

/// The page of the lesson with three panes.
pub const THREE_PANES: &str = "lessons/early-check/";

/// The end of the fault in the first pane.
pub const END: &str = ".pane .grip[aria-label$=': end'] .hit";

/// The middle of the fault in the first pane.
pub const MIDDLE: &str = ".pane .take .body";

/// The field with the length of the fault.
pub const LENGTH: &str = "#field-length";

/// The number field of its start.
pub const START: &str = "#field-start";

/// The button that takes back the last change.
pub const UNDO: &str = ".stage-tools button:first-child";

/// What the stage says at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The verdict under each pane.
    pub verdicts: Vec<String>,
    /// The start and the length of the selected fault, as the form has them.
    pub start: String,
    /// How long it lasts.
    pub length: String,
    /// Where the playhead stands.
    pub playhead: String,
    /// What the undo button would take back; empty if it is off.
    pub undo: String,
}

impl Shown {
    /// Reads the stage.
    pub async fn on(page: &Page) -> Self {
        let told: Value = page
            .run(
                "const text = node => node.textContent.trim().replace(/\\s+/g, ' ');
                 const verdict = node => {
                     const copy = node.cloneNode(true);
                     copy.querySelectorAll('button').forEach(button => button.remove());
                     return text(copy);
                 };
                 const undo = document.querySelector('.stage-tools button');
                 return {
                     verdicts: [...document.querySelectorAll('.verdict > p')].map(verdict),
                     start: document.querySelector('#field-start')?.value ?? '',
                     length: document.querySelector('#field-length')?.value ?? '',
                     playhead: text(document.querySelector('.clock b')),
                     undo: undo.ariaDisabled === 'true' ? '' : undo.getAttribute('aria-label'),
                 }",
            )
            .await;
        let word = |name: &str| told[name].as_str().unwrap_or_default().to_string();
        let verdicts = told["verdicts"].as_array().into_iter().flatten();
        Self {
            verdicts: verdicts.map(|verdict| verdict.as_str().unwrap_or_default().to_string()).collect(),
            start: word("start"),
            length: word("length"),
            playhead: word("playhead"),
            undo: word("undo"),
        }
    }

    /// Whether each pane says that nothing harmful was tried.
    pub fn is_clean(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.starts_with("Clean."))
    }

    /// Whether the first pane says that a write was lost, and the last that none was.
    pub fn is_broken_beside_holding(&self) -> bool {
        let (first, last) = (self.verdicts.first(), self.verdicts.last());
        first.is_some_and(|verdict| verdict.contains("Storage accepted 33 after 34; B’s v8 is lost."))
            && last.is_some_and(|verdict| verdict.starts_with("Holds. Storage refused A’s write, 33 < 34;"))
    }

    /// Checks that the verdicts are those of a native run under the fault that the
    /// form shows.
    pub fn assert_true(&self, lesson: &Rc<Lesson>) {
        let changed = State::new(lesson.clone())
            .update(Message::Set(0, Field::Start, microseconds(&self.start)))
            .update(Message::Set(0, Field::Length, microseconds(&self.length)));
        assert_eq!(self.verdicts, verdicts(&changed), "under a pause from {} for {}", self.start, self.length);
    }
}

/// The verdicts of a state, as the page writes them.
pub fn verdicts(state: &State) -> Vec<String> {
    let told = state.panes.iter().map(|pane| format!("{} {}", pane.telling.headline, pane.telling.reason));
    told.collect()
}

/// The lesson of a page.
pub fn lesson_of(page: &str) -> Rc<Lesson> {
    let id = page.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    Rc::new(racescope::library().lesson(id).expect("the page is one of a lesson").clone())
}

/// A number of seconds with two digits, in microseconds.
pub fn microseconds(seconds: &str) -> i64 {
    let (whole, hundredths) = seconds.split_once('.').expect("a number of seconds has digits behind the point");
    assert_eq!(hundredths.len(), 2, "{seconds} has two digits behind the point");
    let number = |digits: &str| digits.parse::<i64>().expect("seconds are digits");
    number(whole) * 1_000_000 + number(hundredths) * 10_000
}

/// Presses keys, one after the other.
pub async fn press(page: &Page, keys: impl IntoIterator<Item = char>) {
    let keys: Vec<char> = keys.into_iter().collect();
    // What Enter takes hold of has to be drawn before the next key moves it.
    for keys in keys.split_inclusive(|&key| key == char::from(Key::Enter)) {
        let strokes = keys.iter().flat_map(|&value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        let actions = strokes.fold(KeyActions::new("keyboard".into()), InputSource::then);
        page.client.perform_actions(actions).await.expect("keys can be pressed");
        page.settle().await;
    }
}

/// Presses a key while another is held down.
pub async fn press_with(page: &Page, held: char, value: char) {
    let strokes = [
        KeyAction::Down { value: held },
        KeyAction::Down { value },
        KeyAction::Up { value },
        KeyAction::Up { value: held },
    ];
    let actions = strokes.into_iter().fold(KeyActions::new("keyboard".into()), InputSource::then);
    page.client.perform_actions(actions).await.expect("keys can be pressed");
    page.settle().await;
}

/// Presses Tab until the focus is on what a selector finds.
pub async fn tab_to(page: &Page, selector: &str) {
    for _ in 0..80 {
        press(page, [fantoccini::key::Key::Tab.into()]).await;
        if page.value::<bool>(&format!("document.activeElement.matches({selector:?})")).await {
            return;
        }
    }
    panic!("Tab never leads to {selector}");
}
