//! A fault on its lane: moved by its middle or its ends, by mouse, finger or keys.

use racescope_engine::sim::Fault;
use yew::{Callback, Html, KeyboardEvent, PointerEvent, Properties, classes, component, html, use_mut_ref};

use super::browser;
use super::fault_form::{body, has_end, has_start};
use super::hold::{Held, Hold, step_of, use_pointer};
use super::plot::{nudge, send};
use super::reducer::Dispatch;
use crate::app::{Field, Handle, Message, Placed, value_of};
use crate::scene::{FaultBlock, Form, TimeScale, percent};
use crate::tell::seconds;

/// What a fault's block shows.
#[derive(Clone, PartialEq, Properties)]
pub struct FaultProps {
    /// Where it lies.
    pub block: FaultBlock,
    /// Its place among the faults of the page.
    pub place: usize,
    /// The fault.
    pub placed: Placed,
    /// Where moments lie.
    pub scale: TimeScale,
    /// Whether the form shows it.
    pub selected: bool,
    /// Whether it is among what led to the verdict.
    pub blamed: bool,
    /// The part that is held, if it is.
    pub held: Option<Handle>,
    /// How many of its parts the tab key reaches: none, the middle, or the ends too.
    pub stops: Stops,
    /// What the node is called.
    pub on_node: String,
    /// What the pane is called that it is pinned to, if it is.
    pub pinned_to: Option<String>,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// What the tab key reaches of a fault. Arrow keys lead to the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stops {
    /// Nothing.
    None,
    /// The middle.
    Middle,
    /// The middle and the ends.
    All,
}

/// A fault's block, with handles where it has ends.
#[component]
pub fn FaultView(props: &FaultProps) -> Html {
    let held: Held = use_mut_ref(|| None);
    let place = props.place;
    let take = |handle: Handle| {
        let (held, dispatch) = (held.clone(), props.dispatch.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 || held.borrow().is_some() {
                return;
            }
            if let Some(plot) = browser::take_pointer(&event) {
                *held.borrow_mut() = Some(Hold::new(&event, plot, handle == Handle::Slope));
                dispatch.dispatch(Message::Grab(place, handle));
            }
        })
    };
    use_pointer(&held, props.held.is_some(), props.scale, &props.dispatch);
    let leaves = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_| dispatch.dispatch(Message::FocusLeft))
    };
    html! {
        <g class={classes!("pause", props.selected.then_some("selected"), props.pinned_to.is_some().then_some("pinned"), props.blamed.then_some("blamed"))}
            role="group" aria-label={format!("{} on {}", props.placed.label, props.on_node)} onfocusout={leaves}>
            { middle(props, take(Handle::Middle)) }
            if has_start(props.block.form) {
                { end_of(props, Handle::Start, take(Handle::Start)) }
            }
            if has_end(props.block.form) {
                { end_of(props, Handle::End, take(Handle::End)) }
            }
            if let Form::Slope(_) = props.block.form {
                { slope(props, take(Handle::Slope)) }
            }
        </g>
    }
}

fn middle(props: &FaultProps, onpointerdown: Callback<PointerEvent>) -> Html {
    let place = props.place;
    let held = props.held == Some(Handle::Middle);
    let onkeydown = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: KeyboardEvent| keys_on_middle(&event, &dispatch, place, held))
    };
    let shared =
        props.pinned_to.as_ref().map_or_else(|| "shared by all panes".to_string(), |pane| format!("only in {pane}"));
    let what = if held {
        "grabbed; arrow keys move it, Enter puts it down, Escape puts it back"
    } else {
        "Enter grabs it, Delete removes it, arrow keys go to what is near"
    };
    // What is seen on it comes first, so that it can be called by that.
    let label = format!(
        "{}, {}, on {}, {}, {shared}; {what}.",
        props.placed.label,
        props.block.words.1,
        props.on_node,
        when(&props.placed)
    );
    html! {
        <g class={classes!("take", held.then_some("held"))} role="button" tabindex={stop(props.stops != Stops::None)}
            data-object="" aria-label={label} aria-pressed={held.to_string()} {onpointerdown} {onkeydown}
            onfocus={send(&props.dispatch, Message::Select(Some(place)))}>
            { body(&props.block, &props.placed.label) }
        </g>
    }
}

/// When a fault is, in words.
fn when(placed: &Placed) -> String {
    let of = |field| value_of(placed, field);
    let us = |us: i64| seconds(us.unsigned_abs());
    match (of(Field::Start), of(Field::Length)) {
        (Some(start), Some(length)) => {
            format!("{} to {} seconds", us(start), us(start + length))
        }
        (Some(start), None) => format!("at {} seconds", us(start)),
        (None, Some(length)) => format!("late by {} seconds", us(length)),
        (None, None) => "where it was sent".to_string(),
    }
}

fn keys_on_middle(event: &KeyboardEvent, dispatch: &Dispatch, place: usize, held: bool) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let message = match (event.key().as_str(), held) {
        ("Enter" | " ", false) => Message::GrabByKeys(place, Handle::Middle),
        ("Enter" | " ", true) => Message::Drop,
        ("Escape", true) => Message::Cancel,
        ("Delete" | "Backspace", false) => Message::Delete(place),
        ("d", false) => Message::Duplicate(place),
        (key, true) => match step_of(key, event.shift_key()) {
            Some(by_us) => Message::MoveBy(by_us),
            None => return,
        },
        (key, false) => {
            if browser::focus_neighbour(event, key) {
                event.prevent_default();
                event.stop_propagation();
            }
            return;
        }
    };
    event.prevent_default();
    event.stop_propagation();
    dispatch.dispatch(message);
}

/// What an end is called and stands for: its name, and its moment, the least and the
/// most, in microseconds.
fn limits(props: &FaultProps, handle: Handle) -> (&'static str, i64, i64, i64) {
    let of = |field| value_of(&props.placed, field).unwrap_or(0);
    let start = of(Field::Start);
    let stage = props.scale.end_us().cast_signed();
    match (&props.placed.fault, handle) {
        (Fault::SnapshotRestore(_), Handle::Start) => ("snapshot", of(Field::Taken), 0, start),
        (Fault::SnapshotRestore(_), _) => ("restore", start, of(Field::Taken), stage.max(start)),
        (Fault::ClockStep(_), _) => ("jump", of(Field::Jump), -stage, stage.max(of(Field::Jump))),
        (_, Handle::Start) => ("start", start, 0, start + of(Field::Length)),
        (_, _) => ("end", start + of(Field::Length), start, stage.max(start + of(Field::Length))),
    }
}

/// Keys on an end move it at once, and let go of it when they are up.
fn keys_on_end(props: &FaultProps, handle: Handle) -> (Callback<KeyboardEvent>, Callback<KeyboardEvent>) {
    let (place, held) = (props.place, props.held == Some(handle));
    let down = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: KeyboardEvent| {
            let tilts = handle == Handle::Slope;
            if event.key() == "Escape" && held {
                event.stop_propagation();
                dispatch.dispatch(Message::Cancel);
            } else if let Some(by_us) = step_of(&event.key(), event.shift_key()) {
                event.prevent_default();
                event.stop_propagation();
                nudge(&dispatch, place, handle, if tilts { by_us / 10 * 5 } else { by_us }, held);
            }
        })
    };
    let up = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: KeyboardEvent| {
            // The key can be up again before the page shows that it holds the end.
            if step_of(&event.key(), event.shift_key()).is_some() {
                dispatch.dispatch(Message::FocusLeft);
            }
        })
    };
    (down, up)
}

fn end_of(props: &FaultProps, handle: Handle, onpointerdown: Callback<PointerEvent>) -> Html {
    let FaultBlock { x1, x2, y, form, .. } = props.block;
    let (name, now_us, least_us, most_us) = limits(props, handle);
    let (x, hit_x) = if handle == Handle::End { (x2, "-6") } else { (x1, "-22") };
    let (top, height) = match form {
        Form::Block | Form::Down | Form::Band(_) => (y - 17, 34),
        Form::Slope(_) => (y - 26, 26),
        Form::Jump => (y - 24, 14),
        _ => (y - 8, 16),
    };
    let held = props.held == Some(handle);
    let (onkeydown, onkeyup) = keys_on_end(props, handle);
    let said = |us: i64| format!("{}{}", if us < 0 { "-" } else { "" }, seconds(us.unsigned_abs()));
    html! {
        <svg class={classes!("grip", held.then_some("held"))} x={percent(x)} overflow="visible" role="slider"
            tabindex={stop(props.stops == Stops::All)} aria-label={format!("{} on {}: {name}", props.placed.label, props.on_node)}
            aria-valuemin={said(least_us)} aria-valuemax={said(most_us)} aria-valuenow={said(now_us)}
            aria-valuetext={format!("{} seconds", said(now_us))} {onpointerdown} {onkeydown} {onkeyup}
            onfocus={send(&props.dispatch, Message::Select(Some(props.place)))}>
            <rect class="hit" x={hit_x} y={(top - 5).to_string()} width="28" height={(height + 10).to_string()} />
            <rect class="handle" x="-4" y={top.to_string()} width="8" height={height.to_string()} rx="1" />
            <path class="ridge" d={format!("M-1.5 {}v6M1.5 {0}v6", top + height / 2 - 3)} />
        </svg>
    }
}

/// The slope of a rate is tilted up for a faster clock, and down for a slower one.
fn slope(props: &FaultProps, onpointerdown: Callback<PointerEvent>) -> Html {
    let FaultBlock { x1, x2, y, form, .. } = props.block;
    let Form::Slope(rise) = form else { return html! {} };
    let ppm = value_of(&props.placed, Field::Rate).unwrap_or(0);
    let (onkeydown, onkeyup) = keys_on_end(props, Handle::Slope);
    let middle = y - 15 - rise / 6;
    html! {
        <svg class={classes!("grip", "tilt", (props.held == Some(Handle::Slope)).then_some("held"))}
            x={percent(i32::midpoint(x1, x2))} overflow="visible" role="slider" tabindex={stop(props.stops == Stops::All)}
            aria-label={format!("{} on {}: rate", props.placed.label, props.on_node)} aria-valuemin="-99" aria-valuemax="1000"
            aria-valuenow={(ppm / 10_000).to_string()} aria-valuetext={format!("{} percent faster", ppm / 10_000)}
            aria-orientation="vertical" {onpointerdown} {onkeydown} {onkeyup}
            onfocus={send(&props.dispatch, Message::Select(Some(props.place)))}>
            <rect class="hit" x="-12" y={(middle - 12).to_string()} width="24" height="24" />
            <rect class="handle" x="-8" y={(middle - 4).to_string()} width="16" height="8" rx="1" />
        </svg>
    }
}

fn stop(is_one: bool) -> &'static str {
    if is_one { "0" } else { "-1" }
}
