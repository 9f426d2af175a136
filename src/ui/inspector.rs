//! The faults as a list, and the selected one in numbers: everything that dragging
//! does, by typing and choosing.

use yew::{Html, Properties, classes, component, html};

use super::add_form::AddForm;
use super::fields::{choice, number};
use super::icon::icon;
use super::palette::icon_of;
use super::plot::send;
use super::reducer::{Dispatch, Page, Same};
use super::still::{still, use_last};
use crate::app::{Field, Handle, Message, Placed, Side, value_of};
use crate::tell::{FaultKind, time};

/// What the form shows.
#[derive(Clone, PartialEq, Properties)]
pub struct InspectorProps {
    /// The page.
    pub page: Same<Page>,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// The list of faults, and the form for the selected one.
#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let page = &props.page;
    // What is being brought isn't there yet; the form doesn't jump to it and back.
    let page = use_last(page, page.bring.is_none());
    let selected = page.selected.and_then(|place| Some((place, page.faults.get(place)?.clone())));
    html! {
        <section class="inspect" aria-labelledby="inspect-h">
            <h3 id="inspect-h">{ "Faults" }<span>{ format!(" {} on the stage", page.faults.len()) }</span></h3>
            <ul class="fault-list">
                { for page.faults.iter().enumerate().map(|(place, placed)| listed(props, &page, place, placed)) }
            </ul>
            if let Some((place, placed)) = &selected {
                { form(props, &page, *place, placed) }
            } else {
                <p class="aside">{ if page.faults.is_empty() {
                    "Nothing goes wrong yet. Drag a fault onto a lane, or add one by form."
                } else {
                    "Press a block on a lane to see its numbers here."
                } }</p>
            }
            <AddForm lesson={Same(page.lesson.clone())} cursor_us={page.cursor_us} units={page.settings.units()} dispatch={props.dispatch.clone()} />
        </section>
    }
}

fn listed(props: &InspectorProps, page: &Page, place: usize, placed: &Placed) -> Html {
    let is_selected = page.selected == Some(place);
    let kind = FaultKind::of(&placed.fault);
    let pinned = placed.pane.and_then(|pane| page.lesson.variants.get(usize::from(pane)));
    html! {
        <li><button class={classes!("fault-row", is_selected.then_some("selected"))} type="button" aria-pressed={is_selected.to_string()}
            onclick={send(&props.dispatch, Message::Select(Some(place)))}>
            { icon(icon_of(kind)) }<b>{ placed.label.clone() }</b>
            <span class="fault-lane">{ node_title(page, placed) }</span>
            <span class="fault-when">{ page.told(&when(placed)) }</span>
            if let Some(pane) = pinned {
                <span class="fault-pin">{ format!("only in {}", pane.title) }</span>
            }
        </button></li>
    }
}

fn node_title(page: &Page, placed: &Placed) -> String {
    let nodes = &page.lesson.variants[0].scenario.nodes;
    nodes.get(usize::from(placed.fault.node())).map_or_else(String::new, |node| node.title.clone())
}

/// When it is, in short.
fn when(placed: &Placed) -> String {
    match (placed.fault.at_us(), placed.fault.lasts_us()) {
        (Some(at_us), Some(_)) => format!("{} to {}", time(at_us), time(placed.ends_us())),
        (Some(at_us), None) => time(at_us),
        (None, _) => {
            placed.fault.message().map_or_else(String::new, |(call, _)| format!("call {}", u32::from(call) + 1))
        }
    }
}

fn form(props: &InspectorProps, page: &Page, place: usize, placed: &Placed) -> Html {
    let kind = FaultKind::of(&placed.fault);
    let ends = value_of(placed, Field::Start).zip(value_of(placed, Field::Length));
    let start = value_of(placed, Field::Start).map(|_| if ends.is_some() { "Start" } else { kind.name() });
    let edges = [start, ends.map(|_| "End")];
    html! {
        <div class="fault-form" role="group" aria-label={format!("{} on {}", placed.label, node_title(page, placed))}>
            { for Field::ALL.into_iter().map(|field| {
                if field.is_choice() { choice(page, &props.dispatch, place, field) } else { number(page, &props.dispatch, place, field) }
            }) }
            if let Some((start, length)) = ends {
                <p class="field"><span class="lab">{ "Ends" }</span><span>{ page.time((start + length).unsigned_abs()) }</span></p>
            }
            { still((place, edges, props.dispatch.clone()), tools) }
        </div>
    }
}

/// What can be done to a fault beside its numbers. Each edge that lies at a moment has a name.
fn tools((place, edges, dispatch): &(usize, [Option<&'static str>; 2], Dispatch)) -> Html {
    let press = |message| send(dispatch, message);
    let handles = [Handle::Start, Handle::End].into_iter().zip(edges);
    html! {
        <>
            { for handles.filter_map(|(handle, name)| name.map(|name| snaps(dispatch, *place, handle, name))) }
            <div class="row">
                <button class="link" type="button" onclick={press(Message::Duplicate(*place))}>{ "Duplicate" }</button>
                <button class="link" type="button" onclick={press(Message::Delete(*place))}>{ "Delete" }</button>
            </div>
            <p class="keysline"><kbd>{ "Enter" }</kbd>{ " grab " }<kbd>{ "←" }</kbd>{ " " }<kbd>{ "→" }</kbd>{ " move " }<kbd>{ "Esc" }</kbd>{ " put back " }<kbd>{ "Del" }</kbd>{ " delete" }</p>
        </>
    }
}

/// Two buttons that put an edge beside the nearest event.
fn snaps(dispatch: &Dispatch, place: usize, handle: Handle, name: &str) -> Html {
    let press = |side| send(dispatch, Message::Snap(place, handle, side));
    html! {
        <div class="field snaps" role="group" aria-label={format!("{name}: beside the nearest event")}>
            <span class="lab">{ format!("{name} just") }</span>
            <span class="row">
                <button class="btn small" type="button" onclick={press(Side::Before)}>{ "before" }</button>
                <button class="btn small" type="button" onclick={press(Side::After)}>{ "after" }</button>
                <span class="unit">{ "an event" }</span>
            </span>
        </div>
    }
}
