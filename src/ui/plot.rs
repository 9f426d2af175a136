//! The drawing of one pane as SVG: the scene below, faults and playhead above.

use yew::{Callback, Html, Properties, classes, component, html};

use super::fault::FaultView;
use super::reducer::{Dispatch, Page, Same};
use crate::app::{Handle, Message, Pane};
use crate::scene::{Anchor, Head, Line, Room, Scene, Share, Text, TimeScale};
use crate::tell::time;

/// What a plot shows.
#[derive(Clone, PartialEq, Properties)]
pub struct PlotProps {
    /// The pane.
    pub pane: Same<Pane>,
    /// The page, for the faults, the playhead and what is selected.
    pub page: Same<Page>,
    /// Where messages go.
    pub dispatch: Dispatch,
    /// The id of the text that describes the plot.
    pub described_by: String,
    /// The name of the plot.
    pub label: String,
    /// Whether the faults of this plot take the focus by the tab key. One plot is
    /// enough, since all of them show the same faults.
    pub first: bool,
}

/// The drawing of a pane.
#[component]
pub fn Plot(props: &PlotProps) -> Html {
    let page = &props.page;
    let scale = TimeScale::new(page.end_us);
    let faults = props.pane.scene.faults.iter().filter_map(|block| {
        let place = usize::from(block.place);
        let staged = page.faults.get(place)?.clone();
        let held = page.grab.as_ref().filter(|grab| grab.place == place).map(|grab| grab.handle);
        Some(html! {
            <FaultView key={place} block={block.clone()} {staged} scale_end_us={page.end_us}
                selected={page.selected == Some(place)} {held} first={props.first} dispatch={props.dispatch.clone()}
                on_node={node_title(page, place)} />
        })
    });
    html! {
        <svg class="plot" height={props.pane.scene.height.to_string()} role="group"
            aria-label={props.label.clone()} aria-describedby={props.described_by.clone()}>
            <SceneView pane={props.pane.clone()} />
            { for faults }
            { playhead(scale.share(page.cursor_us), page.cursor_us, props.pane.scene.height) }
        </svg>
    }
}

fn node_title(page: &Page, place: usize) -> String {
    let node = page.faults.get(place).map_or(0, |staged| usize::from(staged.fault.node()));
    let nodes = page.lesson.variants.first().map(|variant| &variant.scenario.nodes);
    nodes.and_then(|nodes| nodes.get(node)).map_or_else(String::new, |node| node.title.clone())
}

fn playhead(x: Share, at_us: u64, height: i32) -> Html {
    html! {
        <g class="playhead" aria-hidden="true">
            <line x1={percent(x)} y1="19" x2={percent(x)} y2={height.to_string()} />
            <svg x={percent(x)} overflow="visible">
                <rect x="-23" y="1" width="46" height="19" rx="1" />
                <text class="t-mid" x="0" y="14.5">{ time(at_us) }</text>
            </svg>
        </g>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct SceneProps {
    pane: Same<Pane>,
}

/// What doesn't change while the playhead moves.
#[component]
fn SceneView(props: &SceneProps) -> Html {
    let scene: &Scene = &props.pane.scene;
    html! {
        <g class="scene" aria-hidden="true">
            <g>{ for scene.back.iter().map(line) }</g>
            <g>{ for scene.rects.iter().map(|rect| html! {
                <rect class={rect.role.class()} x={percent(rect.x1)} y={rect.y.to_string()}
                    width={percent((rect.x2 - rect.x1).max(0))} height={rect.height.to_string()} />
            }) }</g>
            <g>{ for scene.front.iter().map(line) }</g>
            <g>{ for scene.texts.iter().map(text) }</g>
            <g>{ for scene.marks.iter().map(|mark| html! {
                <svg x={percent(mark.x)} y={mark.y.to_string()} overflow="visible">
                    { for mark.glyph.paths().iter().map(|&(class, path)| html! { <path {class} d={path} /> }) }
                </svg>
            }) }</g>
            <g>{ for scene.tags.iter().map(|tag| html! {
                <svg class={classes!("tag", tag.tint.letter_class())} x={percent(tag.x)} y={tag.y.to_string()} overflow="visible">
                    <rect x="-29" y="-8" width="22" height="16" />
                    <text class="t t-mid strong" x="-18" y="4">{ tag.text.clone() }</text>
                </svg>
            }) }</g>
        </g>
    }
}

fn line(line: &Line) -> Html {
    let head = match line.head {
        Head::None => None,
        Head::Filled => Some("url(#head-ink)"),
        Head::Open => Some("url(#head-soft)"),
        Head::Harm => Some("url(#head-harm)"),
    };
    html! {
        <line class={line.role.class()} x1={percent(line.x1)} y1={line.y1.to_string()}
            x2={percent(line.x2)} y2={line.y2.to_string()} marker-end={head} />
    }
}

fn text(text: &Text) -> Html {
    let anchor = match text.anchor {
        Anchor::Start => None,
        Anchor::Middle => Some("t-mid"),
        Anchor::End => Some("t-end"),
    };
    html! {
        <text class={classes!(text.role.class(), anchor)} x={percent(text.x)} dx={text.dx.to_string()} y={text.y.to_string()}>
            { for text.words.iter().map(|(room, words)| html! {
                <tspan class={room_class(*room)}>{ words.clone() }</tspan>
            }) }
        </text>
    }
}

fn room_class(room: Room) -> Option<&'static str> {
    match room {
        Room::Any => None,
        Room::Wide => Some("w"),
        Room::Narrow => Some("n"),
        Room::Wider => Some("w2"),
        Room::Widest => Some("x"),
    }
}

/// A place across the plot as SVG says it, without a float: "70.79%".
pub fn percent(share: Share) -> String {
    let sign = if share < 0 { "-" } else { "" };
    let share = share.unsigned_abs();
    format!("{sign}{}.{:02}%", share / 100, share % 100)
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
