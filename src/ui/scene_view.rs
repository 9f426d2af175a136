//! A scene as SVG: layer by layer, each drawn anew only if one of its shapes is another.

use yew::{Html, classes, html};

use super::plot::percent;
use super::reducer::Same;
use super::still::still;
use crate::app::Pane;
use crate::scene::{Anchor, Badge, Head, Line, Mark, Rect, Room, Scene, Tag, Text};

/// What doesn't change while the playhead moves.
pub fn scene(pane: &Same<Pane>) -> Html {
    html! {
        <g class="scene" aria-hidden="true">
            { for Layer::ALL.into_iter().map(|layer| still(Drawn { pane: pane.clone(), layer }, |drawn| drawn.layer.view(&drawn.pane.scene))) }
        </g>
    }
}

/// A scene that lies over another one, which steps back.
pub fn lit(scene: &Scene) -> Html {
    html! { <g class="scene lit" aria-hidden="true">{ for Layer::ALL.into_iter().map(|layer| layer.view(scene)) }</g> }
}

/// Shapes of one kind, in the order in which they are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    Back,
    Rects,
    Front,
    Gaps,
    Texts,
    Marks,
    Tags,
    Badges,
}

/// A layer of a pane.
struct Drawn {
    pane: Same<Pane>,
    layer: Layer,
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.layer == other.layer
            && (self.pane == other.pane || self.layer.is_same(&self.pane.scene, &other.pane.scene))
    }
}

impl Layer {
    const ALL: [Self; 8] =
        [Self::Back, Self::Rects, Self::Front, Self::Gaps, Self::Texts, Self::Marks, Self::Tags, Self::Badges];

    /// Whether two scenes have the same shapes of this kind.
    fn is_same(self, one: &Scene, other: &Scene) -> bool {
        match self {
            Self::Back => one.back == other.back,
            Self::Rects => one.rects == other.rects,
            Self::Front => one.front == other.front,
            Self::Gaps => one.gaps == other.gaps,
            Self::Texts => one.texts == other.texts,
            Self::Marks => one.marks == other.marks,
            Self::Tags => one.tags == other.tags,
            Self::Badges => one.badges == other.badges,
        }
    }

    fn view(self, scene: &Scene) -> Html {
        html! {
            <g>{ for match self {
                Self::Back => scene.back.iter().map(line).collect::<Vec<Html>>(),
                Self::Rects => scene.rects.iter().map(rect).collect(),
                Self::Front => scene.front.iter().map(line).collect(),
                Self::Gaps => scene.gaps.iter().map(rect).collect(),
                Self::Texts => scene.texts.iter().map(text).collect(),
                Self::Marks => scene.marks.iter().map(mark).collect(),
                Self::Tags => scene.tags.iter().map(tag).collect(),
                Self::Badges => scene.badges.iter().map(badge).collect(),
            } }</g>
        }
    }
}

fn mark(mark: &Mark) -> Html {
    html! {
        <svg x={percent(mark.x)} y={mark.y.to_string()} overflow="visible">
            { for mark.glyph.paths().iter().map(|&(class, path)| html! { <path {class} d={path} /> }) }
        </svg>
    }
}

fn tag(tag: &Tag) -> Html {
    let width = 8 + 7 * tag.text.len();
    html! {
        <svg class={classes!("tag", tag.tint.letter_class())} x={percent(tag.x)} y={tag.y.to_string()} overflow="visible">
            <rect x={format!("-{}", 9 + width)} y="-8" width={width.to_string()} height="16" />
            <text class="t t-mid strong" x={format!("-{}", 9 + width / 2)} y="4">{ tag.text.clone() }</text>
        </svg>
    }
}

fn badge(badge: &Badge) -> Html {
    html! {
        <svg class="badge" x={percent(badge.x)} y={badge.y.to_string()} overflow="visible">
            <circle cx="-12" r="7.5" />
            <text class="t-mid strong" x="-12" y="4">{ badge.number }</text>
        </svg>
    }
}

fn rect(rect: &Rect) -> Html {
    html! {
        <rect class={rect.role.class()} x={percent(rect.x1)} y={rect.y.to_string()}
            width={percent((rect.x2 - rect.x1).max(0))} height={rect.height.to_string()} />
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
