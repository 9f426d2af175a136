//! What a pointer holds, and how its moves become moves of time.

use std::cell::RefCell;
use std::rc::Rc;

use yew::{PointerEvent, use_effect_with};

use super::browser;
use super::reducer::Dispatch;
use crate::app::Message;
use crate::scene::{Share, TimeScale};

/// A step by an arrow key, and a longer one, in microseconds.
const STEP_US: i64 = 100_000;
const LONG_STEP_US: i64 = 1_000_000;

/// How much a slope is tilted by a pixel, in parts per million.
const TILT_PPM: i64 = 20_000;

/// Which pointer took hold, where, in pixels and across the plot, and how wide that is.
#[derive(Clone, Copy)]
pub struct Hold {
    pointer: i32,
    x: i32,
    y: i32,
    plot: (f64, Share),
    tilts: bool,
}

/// What a pointer holds, if it does.
pub type Held = Rc<RefCell<Option<Hold>>>;

impl Hold {
    /// A pointer that was pressed on a plot of this width, in pixels, at this place. One
    /// that tilts goes by what is up and down.
    pub fn new(event: &PointerEvent, plot: (f64, Share), tilts: bool) -> Self {
        Self { pointer: event.pointer_id(), x: event.client_x(), y: event.client_y(), plot, tilts }
    }

    fn moved(&self, event: &PointerEvent, scale: TimeScale) -> i64 {
        if self.tilts {
            return i64::from(self.y - event.client_y()) * TILT_PPM;
        }
        let (width, from) = self.plot;
        scale.span_us(from, (f64::from(event.client_x() - self.x) * 10_000.0 / width) as Share)
    }
}

/// While a pointer holds something, its moves move it, wherever they are.
#[yew::hook]
pub fn use_pointer(held: &Held, is_held: bool, scale: TimeScale, dispatch: &Dispatch) {
    let (held, dispatch) = (held.clone(), dispatch.clone());
    use_effect_with((is_held, scale), move |&(is_held, scale)| {
        let held_by = held.clone();
        let followed = is_held.then(|| {
            browser::follow_pointer(move |event| {
                let Some(hold) = *held.borrow() else { return };
                if event.pointer_id() != hold.pointer {
                    return;
                }
                if event.type_() == "pointermove" {
                    dispatch.dispatch(Message::MoveTo(hold.moved(event, scale)));
                } else {
                    held.borrow_mut().take();
                    let lifted = event.type_() == "pointerup";
                    dispatch.dispatch(if lifted { Message::Drop } else { Message::Cancel });
                }
            })
        });
        // What was put down by a key is no longer in the pointer's hand either.
        move || {
            if followed.is_some() {
                held_by.borrow_mut().take();
            }
        }
    });
}

/// How far a key moves what is held, in microseconds.
pub fn step_of(key: &str, long: bool) -> Option<i64> {
    let step_us = if long { LONG_STEP_US } else { STEP_US };
    match key {
        "ArrowRight" | "ArrowUp" => Some(step_us),
        "ArrowLeft" | "ArrowDown" => Some(-step_us),
        "PageUp" => Some(LONG_STEP_US),
        "PageDown" => Some(-LONG_STEP_US),
        _ => None,
    }
}
