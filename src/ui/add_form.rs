//! The plain form that adds a fault: a kind, a lane, a time.

use racescope_lesson::Lesson;
use yew::{Callback, Event, Html, Properties, SubmitEvent, component, html, use_state};

use super::browser;
use super::fields::{select, unit_of_times};
use super::reducer::{Dispatch, Same};
use crate::app::Message;
use crate::tell::{FaultKind, Units};

/// What the form knows.
#[derive(Clone, PartialEq, Properties)]
pub struct AddFormProps {
    /// The lesson.
    pub lesson: Same<Lesson>,
    /// Where the playhead stands, in microseconds.
    pub cursor_us: u64,
    /// In what times are written.
    pub units: Units,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// The plain form that adds a fault.
#[component]
pub fn AddForm(props: &AddFormProps) -> Html {
    let kind = use_state(|| FaultKind::Pause);
    let node = use_state(|| 0_u8);
    // No time typed: the playhead's.
    let typed = use_state(|| None::<i64>);
    let scenario = &props.lesson.variants[0].scenario;
    let lanes: Vec<(u8, String)> = scenario
        .indices()
        .filter(|&node| kind.suits(scenario, node))
        .map(|node| (node, scenario.nodes[usize::from(node)].title.clone()))
        .collect();
    let lane = lanes.iter().map(|&(lane, _)| lane).find(|&lane| lane == *node).or(lanes.first().map(|&(lane, _)| lane));
    let at_us = typed.map_or(props.cursor_us, i64::unsigned_abs);
    let offered: Vec<FaultKind> = FaultKind::suiting(scenario).collect();
    let kinds = offered.iter().enumerate().map(|(place, kind)| (place.to_string(), kind.name().to_string())).collect();
    let kind_at = offered.iter().position(|other| other == &*kind).unwrap_or(0);
    let choose_kind = {
        let kind = kind.clone();
        Callback::from(move |chosen: String| {
            if let Some(&chosen) = chosen.parse().ok().and_then(|place: usize| offered.get(place)) {
                kind.set(chosen);
            }
        })
    };
    let choose_lane = Callback::from(move |chosen: String| node.set(chosen.parse().unwrap_or_default()));
    let unit = unit_of_times(props.units);
    let shown = unit.written(at_us.cast_signed());
    let type_time = {
        let shown = shown.clone();
        Callback::from(move |event: Event| {
            let read = unit.read(&browser::typed(&event)).filter(|&us| us >= 0);
            browser::put_back(&event, &shown);
            if read.is_some() {
                typed.set(read);
            }
        })
    };
    let onsubmit = {
        let (dispatch, kind) = (props.dispatch.clone(), *kind);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(lane) = lane {
                dispatch.dispatch(Message::Add(kind, lane, at_us));
            }
        })
    };
    let lanes = lanes.into_iter().map(|(lane, title)| (lane.to_string(), title)).collect();
    html! {
        <details class="add">
            <summary>{ "Add a fault by form" }</summary>
            <form {onsubmit}>
                { select("Kind", "add-kind", &kind_at.to_string(), kinds, choose_kind) }
                { select("Lane", "add-lane", &lane.unwrap_or_default().to_string(), lanes, choose_lane) }
                <div class="field">
                    <label for="add-time">{ "At" }</label>
                    <span class="num"><input id="add-time" type="text" inputmode="decimal" autocomplete="off" value={shown} onchange={type_time} /></span>
                    <span class="unit">{ unit.name }</span>
                </div>
                <button class="btn" type="submit">{ "Add" }</button>
            </form>
        </details>
    }
}
