//! A hand on the page: a mouse or a finger, through the browser's own input.

use std::time::Duration;

use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction, TouchActions};

use super::browser::Browser;
use super::chromium;
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
        Self::across(page, selector, 0.5).await
    }

    /// The same in its left part, where there may be something else in its middle.
    pub async fn in_left_part_of(page: &Page, selector: &str) -> Self {
        Self::across(page, selector, 0.25).await
    }

    async fn across(page: &Page, selector: &str, share: f64) -> Self {
        let script = format!(
            "const found = document.querySelector({selector:?});
             const before = scrollY;
             found.scrollIntoView({{ block: 'center', behavior: 'instant' }});
             window.scrolled = scrollY !== before;
             const box = found.getBoundingClientRect();
             return [Math.round(box.x + box.width * {share}), Math.round(box.y + box.height / 2)]"
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
            Self::Finger => use_finger(page, FingerDoing::Press(at)).await,
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
                    use_finger(page, FingerDoing::Move(at)).await;
                }
            }
        }
        page.settle().await;
    }

    /// Lets go.
    pub async fn release(self, page: &Page) {
        match self {
            Self::Mouse => use_mouse(page, [UP]).await,
            Self::Finger => use_finger(page, FingerDoing::Lift).await,
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
                use_finger(page, FingerDoing::Press(at)).await;
                use_finger(page, FingerDoing::Lift).await;
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

/// What a finger does.
#[derive(Clone, Copy)]
enum FingerDoing {
    Press(Spot),
    Move(Spot),
    Lift,
}

async fn use_finger(page: &Page, doing: FingerDoing) {
    match (page.browser, doing) {
        (Browser::Chromium, FingerDoing::Press(at)) => chromium::touch(page, "touchStart", Some((at.x, at.y))).await,
        (Browser::Chromium, FingerDoing::Move(at)) => chromium::touch(page, "touchMove", Some((at.x, at.y))).await,
        (Browser::Chromium, FingerDoing::Lift) => chromium::touch(page, "touchEnd", None).await,
        (Browser::Firefox, FingerDoing::Press(at)) => touch(page, vec![to(at, Duration::ZERO), DOWN]).await,
        (Browser::Firefox, FingerDoing::Move(at)) => touch(page, vec![to(at, Duration::from_millis(16))]).await,
        (Browser::Firefox, FingerDoing::Lift) => touch(page, vec![UP]).await,
        (Browser::WebKit, _) => panic!("the driver of this browser has no fingers"),
    }
}

async fn touch(page: &Page, doings: Vec<PointerAction>) {
    let actions = doings.into_iter().fold(TouchActions::new("finger".into()), InputSource::then);
    page.client.perform_actions(actions).await.expect("the finger can be used");
}
