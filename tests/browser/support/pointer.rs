//! A hand on the page: a mouse or a finger, through the browser's own input.

use std::time::Duration;

use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use serde_json::{Value, json};

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
             const before = scrollY;
             found.scrollIntoView({{ block: 'center', behavior: 'instant' }});
             window.scrolled = scrollY !== before;
             const box = found.getBoundingClientRect();
             return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]"
        );
        let (x, y) = page.run(&script).await;
        // Input that comes before the scrolled page is drawn would hit what was there before.
        if page.value::<bool>("window.scrolled").await {
            page.settle().await;
        }
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
        match self {
            Self::Mouse => use_mouse(page, [to(at, Duration::ZERO), DOWN]).await,
            Self::Finger => touch(page, "touchStart", Some(at)).await,
        }
        page.settle().await;
    }

    /// Moves to a place.
    pub async fn move_to(self, page: &Page, at: Spot) {
        self.move_through(page, std::iter::once(at)).await;
    }

    /// Moves through many places, each for one frame.
    pub async fn move_through(self, page: &Page, places: impl Iterator<Item = Spot>) {
        match self {
            Self::Mouse => use_mouse(page, places.map(|at| to(at, Duration::from_millis(16)))).await,
            Self::Finger => {
                for at in places {
                    touch(page, "touchMove", Some(at)).await;
                }
            }
        }
        page.settle().await;
    }

    /// Lets go.
    pub async fn release(self, page: &Page) {
        match self {
            Self::Mouse => use_mouse(page, [UP]).await,
            Self::Finger => touch(page, "touchEnd", None).await,
        }
        page.settle().await;
    }

    /// Presses on the middle of what a selector finds, and lets go.
    pub async fn click(self, page: &Page, selector: &str) {
        let at = Spot::of(page, selector).await;
        match self {
            Self::Mouse => use_mouse(page, [to(at, Duration::ZERO), DOWN, UP]).await,
            Self::Finger => {
                // A tap becomes a click only after a while, in case it is the first of two.
                page.run::<()>("window.clicks = 0; addEventListener('click', () => { window.clicks = 1; }, true)")
                    .await;
                touch(page, "touchStart", Some(at)).await;
                touch(page, "touchEnd", None).await;
                page.wait_for("window.clicks").await;
            }
        }
        page.settle().await;
    }
}

const DOWN: PointerAction = PointerAction::Down { button: MOUSE_BUTTON_LEFT };
const UP: PointerAction = PointerAction::Up { button: MOUSE_BUTTON_LEFT };

fn to(at: Spot, duration: Duration) -> PointerAction {
    PointerAction::MoveTo { duration: Some(duration), x: at.x, y: at.y }
}

async fn use_mouse(page: &Page, doings: impl IntoIterator<Item = PointerAction>) {
    let actions = doings.into_iter().fold(MouseActions::new("mouse".into()), InputSource::then);
    page.client.perform_actions(actions).await.expect("the mouse can be used");
}

/// One event of a finger. The driver's own touch actions lose moves that come in a
/// request of their own, so this speaks to the browser.
async fn touch(page: &Page, kind: &str, at: Option<Spot>) {
    let points: Vec<Value> = at.map(|Spot { x, y }| json!({ "x": x, "y": y })).into_iter().collect();
    page.devtools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points })).await;
}
