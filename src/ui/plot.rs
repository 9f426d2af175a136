//! The drawing of one pane as SVG: the scene below, faults and playhead above.

use std::rc::Rc;

use racescope_engine::sim::What;
use yew::{
    Callback, Html, MouseEvent, PointerEvent, Properties, classes, component, html, use_effect_with, use_mut_ref,
};

use super::browser;
use super::drawing::Drawing;
use super::fault::{FaultView, Stops};
use super::reducer::{Dispatch, Page, Same};
use super::still::use_last;
use super::wires::Wires;
use crate::app::{Handle, Message, Pane};
use crate::scene::{Form, Rect, Share, TimeScale, draw_chain, percent};

/// What a plot shows.
#[derive(Clone, PartialEq, Properties)]
pub struct PlotProps {
    /// The pane.
    pub pane: Same<Pane>,
    /// Its place among the panes.
    pub place: usize,
    /// The page, for the faults, the playhead and what is selected.
    pub page: Same<Page>,
    /// Where messages go.
    pub dispatch: Dispatch,
    /// The id of the text that describes the plot.
    pub described_by: String,
    /// The name of the plot.
    pub label: String,
}

/// The drawing of a pane.
#[component]
pub fn Plot(props: &PlotProps) -> Html {
    let page = &props.page;
    let scale = page.scale;
    let placing = page.bring.is_some();
    let explained = page.explained[props.place];
    let (land, hover, leave) = landing(props);
    // While a fault is dragged, nobody can take a message, so those follow when it is let go.
    let can_be_taken = page.grab.as_ref().is_none_or(|grab| grab.by_keys || grab.by_wire);
    let takeable = use_last(&props.pane, can_be_taken);
    // Each list is in a group of its own: what is held must stay the same element when
    // a list grows.
    html! {
        <svg class={classes!("plot", placing.then_some("placing"), explained.then_some("explained"))} height={props.pane.scene.height.to_string()} role="group"
            aria-label={props.label.clone()} aria-describedby={props.described_by.clone()}
            onclick={land} onpointermove={hover} onpointerleave={leave}>
            <Drawing scene={Same(props.pane.scene.clone())} class="scene" />
            if explained {
                { chain(props) }
            }
            <g>{ for props.pane.scene.gaps.iter().map(|gap| fold(gap, &props.dispatch)) }</g>
            <g>{ for faults(props, true) }</g>
            <Wires pane={takeable} place={props.place} {scale} is_held={page.grab.is_some()} dispatch={props.dispatch.clone()} />
            <g>{ for faults(props, false) }</g>
            <g aria-hidden="true">{ for props.pane.scene.gaps.iter().flat_map(|gap| [(gap, gap.x1), (gap, gap.x2)]).map(edge) }</g>
            <Scrub {scale} dispatch={props.dispatch.clone()} />
            <g aria-hidden="true">{ for page.partings.iter().map(|&at_us| html! {
                <svg x={percent(scale.share(at_us))} overflow="visible"><path class="fork" d="M0 34v-6M-4 21l4 7 4-7" /></svg>
            }) }</g>
            { playhead(scale.share(page.cursor_us), page.time(page.cursor_us), props.pane.scene.height) }
        </svg>
    }
}

/// The faults of a pane: bands lie below all else that can be taken hold of.
fn faults(props: &PlotProps, bands: bool) -> Vec<Html> {
    let (page, pane) = (&props.page, &props.pane);
    let here = |place: &usize| pane.places.contains(place);
    let stop = page.selected.filter(here).or_else(|| pane.places.first().copied());
    let first_pane = page.panes.iter().position(|pane| stop.is_some_and(|stop| pane.places.contains(&stop)));
    let view = |block: &crate::scene::FaultBlock| {
        let place = *pane.places.get(usize::from(block.place))?;
        let placed = page.faults.get(place)?.clone();
        let held = page.grab.as_ref().filter(|grab| grab.place == place).map(|grab| grab.handle);
        let stops = match (stop == Some(place), first_pane == Some(props.place)) {
            (false, _) => Stops::None,
            (true, false) => Stops::Middle,
            (true, true) => Stops::All,
        };
        let pinned_to = placed.pane.and_then(|pane| Some(page.lesson.variants.get(usize::from(pane))?.title.clone()));
        let is_it = |what: What| matches!(what, What::FaultBegins(it) | What::FaultEnds(it) if it == block.place);
        let blamed = pane.telling.chain.iter().any(|link| is_it(pane.trace.event(link.event).what));
        Some(html! {
            <FaultView key={place} {blamed} block={block.clone()} {place} {placed} scale={page.scale}
                selected={page.selected == Some(place)} {held} {stops} {pinned_to} dispatch={props.dispatch.clone()}
                on_node={node_title(page, place)} />
        })
    };
    let is_band = |form: Form| matches!(form, Form::Band(_));
    pane.scene.faults.iter().filter(|block| is_band(block.form) == bands).filter_map(view).collect()
}

/// What a plot does on a press, on a move over it, and when the pointer leaves it.
type Landing = (Option<Callback<MouseEvent>>, Option<Callback<PointerEvent>>, Option<Callback<PointerEvent>>);

/// What was chosen from the palette is placed by a press on a lane, and shown there
/// before by a mouse that is over it.
fn landing(props: &PlotProps) -> Landing {
    if props.page.bring.is_none() {
        return (None, None, None);
    }
    let place = {
        let (pane, dispatch, scale) = (props.pane.clone(), props.dispatch.clone(), props.page.scale);
        move |x: i32, y: i32| {
            let Some((_, share, down)) = browser::plot_at(x, y) else { return };
            if let Some(lane) = pane.layout.lane_at(down) {
                dispatch.dispatch(Message::BringTo(lane.node, scale.moment(share)));
            }
        }
    };
    let land = {
        let (place, dispatch) = (place.clone(), props.dispatch.clone());
        Callback::from(move |event: MouseEvent| {
            place(event.client_x(), event.client_y());
            dispatch.dispatch(Message::Drop);
        })
    };
    let hover = Callback::from(move |event: PointerEvent| {
        if event.pointer_type() == "mouse" {
            place(event.client_x(), event.client_y());
        }
    });
    let leave = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: PointerEvent| {
            if event.pointer_type() == "mouse" {
                dispatch.dispatch(Message::BringAway);
            }
        })
    };
    (Some(land), Some(hover), Some(leave))
}

fn node_title(page: &Page, place: usize) -> String {
    let node = page.faults.get(place).map_or(0, |placed| usize::from(placed.fault.node()));
    let nodes = page.lesson.variants.first().map(|variant| &variant.scenario.nodes);
    nodes.and_then(|nodes| nodes.get(node)).map_or_else(String::new, |node| node.title.clone())
}

#[derive(Clone, PartialEq, Properties)]
struct ScrubProps {
    scale: TimeScale,
    dispatch: Dispatch,
}

/// The ruler: the playhead comes to where it is pressed, and follows.
#[component]
fn Scrub(props: &ScrubProps) -> Html {
    let pressed = yew::use_state(|| None::<i32>);
    let at_hand = use_mut_ref(|| None::<i32>);
    let seek = {
        let (dispatch, scale) = (props.dispatch.clone(), props.scale);
        move |x: i32, y: i32| {
            if let Some((_, share, _)) = browser::nearest_plot_at(x, y) {
                let at_us = scale.moment(share);
                dispatch.dispatch(Message::Seek((at_us + 5_000) / 10_000 * 10_000));
            }
        }
    };
    let onpointerdown = {
        let (seek, pressed, at_hand) = (seek.clone(), pressed.clone(), at_hand.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 && browser::take_pointer(&event).is_some() {
                *at_hand.borrow_mut() = Some(event.client_y());
                pressed.set(Some(event.pointer_id()));
                seek(event.client_x(), event.client_y());
            }
        })
    };
    let setter = pressed.setter();
    use_effect_with((*pressed, props.scale), move |&(pressed, _)| {
        let followed = pressed.map(|pointer| {
            browser::follow_pointer(move |event| {
                if event.pointer_id() == pointer {
                    let y = at_hand.borrow().unwrap_or_else(|| event.client_y());
                    if event.type_() == "pointermove" {
                        seek(event.client_x(), y);
                    } else {
                        setter.set(None);
                    }
                }
            })
        });
        move || drop(followed)
    });
    html! { <rect class="scrubber" x="0" y="0" width="100%" height="30" {onpointerdown} /> }
}

fn playhead(x: Share, time: String, height: i32) -> Html {
    let half = 2 + 7 * time.len() / 2;
    html! {
        <g class="playhead" aria-hidden="true">
            <line x1={percent(x)} y1="19" x2={percent(x)} y2={height.to_string()} />
            <svg x={percent(x)} overflow="visible">
                <rect x={format!("-{half}")} y="1" width={(2 * half).to_string()} height="19" rx="1" />
                <text class="t-mid" x="0" y="14.5">{ time }</text>
            </svg>
        </g>
    }
}

/// What led to the verdict of a pane, over all the rest, which steps back.
fn chain(props: &PlotProps) -> Html {
    let (page, pane) = (&props.page, &props.pane);
    let scenario = &page.lesson.variants[props.place].scenario;
    let events: Vec<u32> = page.why(props.place).iter().map(|step| step.event).collect();
    let mut drawn = draw_chain(scenario, &pane.trace, &pane.verdict, page.scale, &pane.layout, &events);
    drawn.tell_in(page.settings.units());
    html! { <Drawing scene={Same(Rc::new(drawn))} class="scene lit" /> }
}

/// A fold unfolds all of them when it is pressed; the button of the playback does so by keys.
fn fold(gap: &Rect, dispatch: &Dispatch) -> Html {
    html! {
        <rect class="fold" aria-hidden="true" x={percent(gap.x1)} y="0" width={percent(gap.x2 - gap.x1)}
            height="100%" onclick={send(dispatch, Message::FoldOrNot)}><title>{ "Unfold" }</title></rect>
    }
}

/// A torn edge of a fold.
fn edge((gap, x): (&Rect, Share)) -> Html {
    html! {
        <svg x={percent(x)} y={gap.y.to_string()} overflow="visible"><rect class="zig" x="-3" width="6" height={gap.height.to_string()} /></svg>
    }
}

/// Sends a message when something is pressed.
pub fn send<E>(dispatch: &Dispatch, message: Message) -> Callback<E> {
    let dispatch = dispatch.clone();
    Callback::from(move |_| dispatch.dispatch(message))
}

/// Takes hold of a fault and moves it in one go, for keys that act at once.
pub fn nudge(dispatch: &Dispatch, place: usize, handle: Handle, by_us: i64, held: bool) {
    if !held {
        dispatch.dispatch(Message::GrabByKeys(place, handle));
    }
    dispatch.dispatch(Message::MoveBy(by_us));
}
