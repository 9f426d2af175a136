//! The palette: every kind of fault, to be dragged onto a lane by a mouse, or to be
//! chosen and then placed by a finger or by keys.

use std::cell::RefCell;
use std::rc::Rc;

use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, PointerEvent, Properties, classes, component, html, use_effect_with,
    use_mut_ref, use_state,
};

use super::browser;
use super::icon::icon;
use super::reducer::{Dispatch, Page, Same};
use crate::app::Message;
use crate::tell::FaultKind;

/// How far a pressed mouse moves before that is a drag, in pixels.
const SLACK: i32 = 4;

/// A step by an arrow key, and a longer one, in microseconds.
const STEP_US: i64 = 100_000;
const LONG_STEP_US: i64 = 1_000_000;

/// The page as it is now, for what happens between two drawings of the palette.
#[derive(Clone)]
pub struct Latest(pub Rc<RefCell<Same<Page>>>);

impl PartialEq for Latest {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What the palette shows.
#[derive(Clone, PartialEq, Properties)]
pub struct PaletteProps {
    /// The kind that is chosen, if one is.
    pub chosen: Option<FaultKind>,
    /// The page as it is now.
    pub latest: Latest,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// A mouse that is pressed on a kind.
#[derive(Clone, Copy, PartialEq)]
struct Press {
    pointer: i32,
    x: i32,
    y: i32,
    kind: FaultKind,
}

/// The palette.
#[component]
pub fn Palette(props: &PaletteProps) -> Html {
    let press = use_state(|| None::<Press>);
    // Whether the press has become a drag; the click at its end then means nothing.
    let dragged = use_mut_ref(|| false);
    {
        let (setter, dragged) = (press.setter(), dragged.clone());
        let (latest, dispatch) = (props.latest.clone(), props.dispatch.clone());
        use_effect_with(*press, move |&press| {
            let followed = press.map(|press| {
                browser::follow_pointer(move |event| {
                    if event.pointer_id() != press.pointer {
                        return;
                    }
                    if event.type_() == "pointermove" {
                        drag(event, press, &dragged, &latest, &dispatch);
                        return;
                    }
                    setter.set(None);
                    if *dragged.borrow() {
                        let lifted = event.type_() == "pointerup";
                        dispatch.dispatch(if lifted { Message::Drop } else { Message::Cancel });
                    }
                })
            });
            move || drop(followed)
        });
    }
    // What can befall nothing in this lesson isn't offered. Its kinds of nodes never change.
    let offered: Vec<FaultKind> = FaultKind::suiting(&props.latest.0.borrow().lesson.variants[0].scenario).collect();
    let chip = |kind: FaultKind| {
        let onpointerdown = {
            let (press, dragged) = (press.clone(), dragged.clone());
            Callback::from(move |event: PointerEvent| {
                *dragged.borrow_mut() = false;
                // A finger scrolls; it taps, and then taps a lane.
                if event.button() == 0 && event.pointer_type() != "touch" {
                    press.set(Some(Press {
                        pointer: event.pointer_id(),
                        x: event.client_x(),
                        y: event.client_y(),
                        kind,
                    }));
                }
            })
        };
        let onclick = {
            let (dragged, dispatch) = (dragged.clone(), props.dispatch.clone());
            Callback::from(move |event: MouseEvent| {
                // A drag that ended elsewhere has no click of its own to be taken for it.
                let by_pointer = event.detail() != 0;
                if std::mem::take(&mut *dragged.borrow_mut()) && by_pointer {
                    return;
                }
                dispatch.dispatch(Message::Bring(kind));
                if !by_pointer {
                    dispatch.dispatch(Message::BringBy(0, 0));
                }
            })
        };
        let is_chosen = props.chosen == Some(kind);
        let onkeydown = {
            let dispatch = props.dispatch.clone();
            Callback::from(move |event: KeyboardEvent| keys(&event, is_chosen, &dispatch))
        };
        html! {
            <li><button class={classes!("chip", is_chosen.then_some("chosen"))} type="button" aria-pressed={is_chosen.to_string()}
                title={kind.remark()} {onpointerdown} {onclick} {onkeydown}>
                { icon(icon_of(kind)) }{ kind.name() }
            </button></li>
        }
    };
    html! {
        <section class="palette" aria-labelledby="palette-h">
            <h3 id="palette-h">{ "Faults" }</h3>
            <ul>{ for offered.into_iter().map(chip) }</ul>
            <p class="palette-hint">
                { match props.chosen {
                    Some(kind) => format!("{}: {}. Press a lane, or take it there by arrow keys and Enter. Esc puts it away.", kind.name(), kind.remark()),
                    None => "Drag one onto a lane, or choose one and press a lane.".to_string(),
                } }
            </p>
        </section>
    }
}

/// A pressed mouse that moves far enough takes the kind along, over whatever lane it is.
fn drag(event: &PointerEvent, press: Press, dragged: &Rc<RefCell<bool>>, latest: &Latest, dispatch: &Dispatch) {
    let (x, y) = (event.client_x(), event.client_y());
    if !*dragged.borrow() {
        if (x - press.x).abs().max((y - press.y).abs()) < SLACK {
            return;
        }
        *dragged.borrow_mut() = true;
        let chosen = latest.0.borrow().bring.as_ref().map(|brought| brought.kind);
        if chosen != Some(press.kind) {
            dispatch.dispatch(Message::Bring(press.kind));
        }
    }
    let page = latest.0.borrow().clone();
    let over = browser::plot_at(x, y).and_then(|(pane, share, down)| {
        let lane = page.panes.get(pane)?.layout.lane_at(down)?;
        Some((lane.node, page.scale.moment(share)))
    });
    dispatch.dispatch(over.map_or(Message::BringAway, |(node, at_us)| Message::BringTo(node, at_us)));
}

/// Keys on a chosen kind take it along the lanes.
fn keys(event: &KeyboardEvent, is_chosen: bool, dispatch: &Dispatch) {
    if !is_chosen || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let step_us = if event.shift_key() { LONG_STEP_US } else { STEP_US };
    let message = match event.key().as_str() {
        "ArrowRight" => Message::BringBy(0, step_us),
        "ArrowLeft" => Message::BringBy(0, -step_us),
        "PageUp" => Message::BringBy(0, LONG_STEP_US),
        "PageDown" => Message::BringBy(0, -LONG_STEP_US),
        "ArrowDown" => Message::BringBy(1, 0),
        "ArrowUp" => Message::BringBy(-1, 0),
        "Enter" => Message::Drop,
        "Escape" => Message::Cancel,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    dispatch.dispatch(message);
}

/// The icon of a kind in the page's sprite.
pub fn icon_of(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Pause => "f-pause",
        FaultKind::Crash => "f-crash",
        FaultKind::ClockStep => "f-step",
        FaultKind::ClockRate => "f-rate",
        FaultKind::Delay => "f-delay",
        FaultKind::Loss => "f-loss",
        FaultKind::Duplicate => "f-dup",
        FaultKind::Partition => "f-part",
        FaultKind::Restore => "f-snap",
        FaultKind::ForcedUnlock => "f-unlock",
        FaultKind::StateLoss => "f-forget",
        FaultKind::Reorder => "f-reorder",
        FaultKind::Lag => "f-lag",
        FaultKind::LeaderChange => "f-leader",
    }
}
