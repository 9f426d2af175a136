//! A hand on the page: a mouse or a finger, through the browser's own input.

use std::time::Duration;

use fantoccini::actions::{
    Actions, InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction, TouchActions,
};

use super::page::Page;

/// A place in the window, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

impl Spot {
    /// The middle of the first element that a selector finds, scrolled into view.
    pub async fn of(page: &Page, selector: &str) -> Self {
        let script = format!(
            "const found = document.querySelector({selector:?});
             found.scrollIntoView({{ block: 'center', behavior: 'instant' }});
             const box = found.getBoundingClientRect();
             return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]"
        );
        let (x, y) = page.run(&script).await;
        Self { x, y }
    }

    /// The place this many pixels to the right.
    pub fn right_by(self, pixels: f64) -> Self {
        Self { x: self.x + pixels, ..self }
    }
}

/// A mouse or a finger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// A mouse, with its left button.
    Mouse,
    /// A finger.
    Finger,
}

impl Pointer {
    /// Presses at a place and stays down.
    pub async fn press(self, page: &Page, at: Spot) {
        self.act(page, vec![to(at, Duration::ZERO), PointerAction::Down { button: MOUSE_BUTTON_LEFT }]).await;
    }

    /// Moves to a place.
    pub async fn move_to(self, page: &Page, at: Spot) {
        self.act(page, vec![to(at, Duration::ZERO)]).await;
    }

    /// Moves through many places, each for one frame.
    pub async fn move_through(self, page: &Page, places: impl Iterator<Item = Spot>) {
        self.act(page, places.map(|at| to(at, Duration::from_millis(16))).collect()).await;
    }

    /// Lets go.
    pub async fn release(self, page: &Page) {
        self.act(page, vec![PointerAction::Up { button: MOUSE_BUTTON_LEFT }]).await;
    }

    /// Presses on the middle of what a selector finds, and lets go.
    pub async fn click(self, page: &Page, selector: &str) {
        let at = Spot::of(page, selector).await;
        self.press(page, at).await;
        self.release(page).await;
    }

    async fn act(self, page: &Page, doings: Vec<PointerAction>) {
        let actions = match self {
            Self::Mouse => Actions::from(doings.into_iter().fold(MouseActions::new("mouse".into()), InputSource::then)),
            Self::Finger => Actions::from(doings.into_iter().fold(TouchActions::new("finger".into()), InputSource::then)),
        };
        page.client.perform_actions(actions).await.expect("the pointer can act");
    }
}

fn to(at: Spot, duration: Duration) -> PointerAction {
    PointerAction::MoveTo { duration: Some(duration), x: at.x, y: at.y }
}
