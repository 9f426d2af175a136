//! A fault on its lane: moved by its middle or its ends, by mouse, finger or keys.

use std::cell::RefCell;
use std::rc::Rc;

use racescope_lesson::StagedFault;
use yew::{
    Callback, Html, KeyboardEvent, PointerEvent, Properties, classes, component, html, use_effect_with, use_mut_ref,
};

use super::browser;
use super::plot::{nudge, percent, send};
use super::reducer::Dispatch;
use crate::app::{Field, Handle, Message, field_us};
use crate::scene::{FaultBlock, TimeScale};
use crate::tell::{seconds, time};

/// A step by an arrow key, and a longer one, in microseconds.
const STEP_US: i64 = 100_000;
const LONG_STEP_US: i64 = 1_000_000;

/// What a fault's block shows.
#[derive(Clone, PartialEq, Properties)]
pub struct FaultProps {
    /// Where it lies.
    pub block: FaultBlock,
    /// The fault.
    pub staged: StagedFault,
    /// The last moment that the stage shows, in microseconds.
    pub scale_end_us: u64,
    /// Whether the form shows it.
    pub selected: bool,
    /// The part that is held, if it is.
    pub held: Option<Handle>,
    /// Whether it takes the focus by the tab key.
    pub first: bool,
    /// What the node is called.
    pub on_node: String,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// Which pointer took hold, where, in pixels, and how wide the plot is.
#[derive(Clone, Copy)]
struct Hold {
    pointer: i32,
    x: i32,
    width: f64,
}

/// A fault's block, with handles where it has ends.
#[component]
pub fn FaultView(props: &FaultProps) -> Html {
    let hold = use_mut_ref(|| None::<Hold>);
    let block = &props.block;
    let place = usize::from(block.place);
    let scale = TimeScale::new(props.scale_end_us);

    let take = |handle: Handle| {
        let (hold, dispatch) = (hold.clone(), props.dispatch.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 || hold.borrow().is_some() {
                return;
            }
            if let Some(width) = browser::take_pointer(&event) {
                *hold.borrow_mut() = Some(Hold { pointer: event.pointer_id(), x: event.client_x(), width });
                dispatch.dispatch(Message::Grab(place, handle));
            }
        })
    };
    use_pointer(&hold, props.held.is_some(), scale, &props.dispatch);
    let leaves = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_| dispatch.dispatch(Message::FocusLeft))
    };

    html! {
        <g class={classes!("pause", props.selected.then_some("selected"))} role="group"
            aria-label={format!("{} on {}", props.staged.label, props.on_node)}
            onfocusout={leaves}>
            { middle(props, take(Handle::Middle)) }
            { end_of(props, Handle::Start, take(Handle::Start)) }
            { end_of(props, Handle::End, take(Handle::End)) }
        </g>
    }
}

/// While a pointer holds the fault, its moves move the fault, wherever they are.
#[yew::hook]
fn use_pointer(hold: &Rc<RefCell<Option<Hold>>>, held: bool, scale: TimeScale, dispatch: &Dispatch) {
    let (hold, dispatch) = (hold.clone(), dispatch.clone());
    use_effect_with((held, scale), move |&(held, scale)| {
        let held_by = hold.clone();
        let followed = held.then(|| {
            browser::follow_pointer(move |event| {
                let Some(Hold { pointer, x, width }) = *hold.borrow() else { return };
                if event.pointer_id() != pointer {
                    return;
                }
                if event.type_() == "pointermove" {
                    let share = f64::from(event.client_x() - x) * 10_000.0 / width;
                    dispatch.dispatch(Message::MoveTo(scale.span_us(share as i32)));
                } else {
                    hold.borrow_mut().take();
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

fn middle(props: &FaultProps, onpointerdown: Callback<PointerEvent>) -> Html {
    let FaultBlock { x1, x2, y, place } = props.block;
    let place = usize::from(place);
    let held = props.held == Some(Handle::Middle);
    let onkeydown = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: KeyboardEvent| keys_on_middle(&event, &dispatch, place, held))
    };
    let length = field_us(&props.staged.fault, Field::Length).unwrap_or(0).unsigned_abs();
    let when = match (field_us(&props.staged.fault, Field::Start), field_us(&props.staged.fault, Field::Length)) {
        (Some(start), Some(length)) => {
            format!("{} to {} seconds", seconds(start.unsigned_abs()), seconds((start + length).unsigned_abs()))
        }
        (Some(start), None) => format!("at {} seconds", seconds(start.unsigned_abs())),
        (None, Some(length)) => format!("late by {} seconds", seconds(length.unsigned_abs())),
        (None, None) => "where it was sent".to_string(),
    };
    let what =
        if held { "grabbed; arrow keys move it, Enter puts it down, Escape puts it back" } else { "Enter grabs it" };
    let label =
        format!("{}, {}, on {}, {when}, shared by all panes; {what}.", props.staged.label, time(length), props.on_node);
    let wide = x2 - x1 >= 2_600;
    html! {
        <g class={classes!("take", held.then_some("held"))} role="button" tabindex={tab_stop(props)} aria-label={label}
            aria-pressed={held.to_string()} {onpointerdown} {onkeydown}
            onfocus={send(&props.dispatch, Message::Select(Some(place)))}>
            <rect class="hit" x={percent(x1)} y={(y - 22).to_string()} width={percent((x2 - x1).max(0))} height="44" />
            if field_us(&props.staged.fault, Field::Length).is_none() {
                <svg x={percent(x1)} overflow="visible">
                    <rect class="hit" x="-14" y={(y - 22).to_string()} width="28" height="44" />
                    <rect class="handle" x="-4" y={(y - 17).to_string()} width="8" height="34" rx="1" />
                </svg>
            }
            <rect class="body" x={percent(x1)} y={(y - 14).to_string()} width={percent((x2 - x1).max(0))} height="28" />
            <text class="t t-mid strong" x={percent(i32::midpoint(x1, x2))} y={(y + 4).to_string()}>
                if wide {
                    <tspan class="w">{ format!("{}, ", props.staged.label) }</tspan>
                }
                if x2 - x1 >= 1_100 {
                    { time(length) }
                }
            </text>
        </g>
    }
}

fn keys_on_middle(event: &KeyboardEvent, dispatch: &Dispatch, place: usize, held: bool) {
    let message = match (event.key().as_str(), held) {
        ("Enter" | " ", false) => Message::GrabByKeys(place, Handle::Middle),
        ("Enter" | " ", true) => Message::Drop,
        ("Escape", true) => Message::Cancel,
        (key, true) => match step_of(key, event.shift_key()) {
            Some(by_us) => Message::MoveBy(by_us),
            None => return,
        },
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    dispatch.dispatch(message);
}

fn end_of(props: &FaultProps, handle: Handle, onpointerdown: Callback<PointerEvent>) -> Html {
    let FaultBlock { x1, x2, y, place } = props.block;
    let Some(length_us) = field_us(&props.staged.fault, Field::Length) else { return html! {} };
    let start = field_us(&props.staged.fault, Field::Start);
    if start.is_none() && handle == Handle::Start {
        // A late message starts with its sending, which its program decides.
        return html! {};
    }
    let start_us = start.unwrap_or(0);
    let end_us = start_us + length_us;
    let (x, name, now_us, least_us, most_us) = match handle {
        Handle::End => (x2, "end", end_us, start_us, end_us.max(props.scale_end_us.cast_signed())),
        _ => (x1, "start", start_us, 0, end_us),
    };
    let place = usize::from(place);
    let held = props.held == Some(handle);
    let onkeydown = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && held {
                event.stop_propagation();
                dispatch.dispatch(Message::Cancel);
            } else if let Some(by_us) = step_of(&event.key(), event.shift_key()) {
                event.prevent_default();
                event.stop_propagation();
                nudge(&dispatch, place, handle, by_us, held);
            }
        })
    };
    let onkeyup = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: KeyboardEvent| {
            // The key can be up again before the page shows that it holds the end.
            if step_of(&event.key(), event.shift_key()).is_some() {
                dispatch.dispatch(Message::FocusLeft);
            }
        })
    };
    html! {
        <svg class={classes!("grip", held.then_some("held"))} x={percent(x)} overflow="visible" role="slider" tabindex={tab_stop(props)}
            aria-label={format!("{} on {}: {name}", props.staged.label, props.on_node)}
            aria-valuemin={seconds(least_us.unsigned_abs())} aria-valuemax={seconds(most_us.unsigned_abs())}
            aria-valuenow={seconds(now_us.unsigned_abs())}
            aria-valuetext={format!("{} seconds", seconds(now_us.unsigned_abs()))}
            {onpointerdown} {onkeydown} {onkeyup} onfocus={send(&props.dispatch, Message::Select(Some(place)))}>
            <rect class="hit" x="-14" y={(y - 22).to_string()} width="28" height="44" />
            <rect class="handle" x="-4" y={(y - 17).to_string()} width="8" height="34" rx="1" />
            <path class="ridge" d={format!("M-1.5 {}v10M1.5 {0}v10", y - 5)} />
        </svg>
    }
}

fn tab_stop(props: &FaultProps) -> &'static str {
    if props.first { "0" } else { "-1" }
}

fn step_of(key: &str, long: bool) -> Option<i64> {
    let step_us = if long { LONG_STEP_US } else { STEP_US };
    match key {
        "ArrowRight" | "ArrowUp" => Some(step_us),
        "ArrowLeft" | "ArrowDown" => Some(-step_us),
        "PageUp" => Some(LONG_STEP_US),
        "PageDown" => Some(-LONG_STEP_US),
        _ => None,
    }
}
