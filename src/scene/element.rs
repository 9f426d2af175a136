//! What a drawing is made of as elements of SVG: their names, attributes and words.

use std::borrow::Cow;

use super::scale::percent;
use super::shapes::{Anchor, Badge, Head, Line, Mark, Rect, Room, Scene, Tag, Text};

/// A shape of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape<'a> {
    /// A line.
    Line(&'a Line),
    /// A rectangle.
    Rect(&'a Rect),
    /// A line of text.
    Text(&'a Text),
    /// A small mark.
    Mark(&'a Mark),
    /// A boxed number at an arrow.
    Tag(&'a Tag),
    /// The number of an event.
    Badge(&'a Badge),
}

/// An element of SVG.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Its name: "line".
    pub name: &'static str,
    /// Its attributes. Shapes of one kind have the same ones in the same order; one that
    /// isn't set is empty.
    pub attributes: Vec<(&'static str, Value)>,
    /// Its words.
    pub words: String,
    /// What lies in it.
    pub children: Vec<Element>,
}

/// The value of an attribute, which is often known beforehand.
pub type Value = Cow<'static, str>;

/// How many layers a drawing has.
pub const LAYERS: usize = 8;

impl Scene {
    /// The shapes of each layer, the one that lies farthest back first.
    pub fn layers(&self) -> [Vec<Shape<'_>>; LAYERS] {
        [
            self.back.iter().map(Shape::Line).collect(),
            self.rects.iter().map(Shape::Rect).collect(),
            self.front.iter().map(Shape::Line).collect(),
            self.gaps.iter().map(Shape::Rect).collect(),
            self.texts.iter().map(Shape::Text).collect(),
            self.marks.iter().map(Shape::Mark).collect(),
            self.tags.iter().map(Shape::Tag).collect(),
            self.badges.iter().map(Shape::Badge).collect(),
        ]
    }
}

impl Shape<'_> {
    /// The shape as an element.
    pub fn element(self) -> Element {
        match self {
            Self::Line(it) => line(it),
            Self::Rect(it) => rect(it),
            Self::Text(it) => text(it),
            Self::Mark(it) => mark(it),
            Self::Tag(it) => tag(it),
            Self::Badge(it) => badge(it),
        }
    }
}

impl Element {
    fn new(name: &'static str, attributes: Vec<(&'static str, Value)>) -> Self {
        Self { name, attributes, ..Self::default() }
    }

    fn saying(self, words: impl Into<String>) -> Self {
        Self { words: words.into(), ..self }
    }

    fn with(self, children: impl IntoIterator<Item = Self>) -> Self {
        Self { children: children.into_iter().collect(), ..self }
    }
}

fn line(line: &Line) -> Element {
    let head = match line.head {
        Head::None => "",
        Head::Filled => "url(#head-ink)",
        Head::Open => "url(#head-soft)",
        Head::Harm => "url(#head-harm)",
    };
    Element::new(
        "line",
        vec![
            ("class", line.role.class().into()),
            ("x1", percent(line.x1).into()),
            ("y1", line.y1.to_string().into()),
            ("x2", percent(line.x2).into()),
            ("y2", line.y2.to_string().into()),
            ("marker-end", head.into()),
        ],
    )
}

fn rect(rect: &Rect) -> Element {
    Element::new(
        "rect",
        vec![
            ("class", rect.role.class().into()),
            ("x", percent(rect.x1).into()),
            ("y", rect.y.to_string().into()),
            ("width", percent((rect.x2 - rect.x1).max(0)).into()),
            ("height", rect.height.to_string().into()),
        ],
    )
}

fn text(text: &Text) -> Element {
    let set = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " t-mid",
        Anchor::End => " t-end",
    };
    let words = text.words.iter().map(|(room, words)| {
        let class = match room {
            Room::Any => "",
            Room::Wide => "w",
            Room::Narrow => "n",
            Room::Wider => "w2",
            Room::Widest => "x",
        };
        Element::new("tspan", vec![("class", class.into())]).saying(words)
    });
    Element::new(
        "text",
        vec![
            ("class", format!("{}{set}", text.role.class()).into()),
            ("x", percent(text.x).into()),
            ("dx", text.dx.to_string().into()),
            ("y", text.y.to_string().into()),
        ],
    )
    .with(words)
}

fn mark(mark: &Mark) -> Element {
    let paths = mark.glyph.paths().iter();
    let paths = paths.map(|&(class, path)| Element::new("path", vec![("class", class.into()), ("d", path.into())]));
    at("", (mark.x, mark.y)).with(paths)
}

fn tag(tag: &Tag) -> Element {
    let width = 8 + 7 * tag.text.len();
    let frame = vec![
        ("x", format!("-{}", 9 + width).into()),
        ("y", "-8".into()),
        ("width", width.to_string().into()),
        ("height", "16".into()),
    ];
    let words =
        vec![("class", "t t-mid strong".into()), ("x", format!("-{}", 9 + width / 2).into()), ("y", "4".into())];
    let within = [Element::new("rect", frame), Element::new("text", words).saying(&tag.text)];
    at(format!("tag {}", tag.tint.letter_class()), (tag.x, tag.y)).with(within)
}

fn badge(badge: &Badge) -> Element {
    let words = vec![("class", "t-mid strong".into()), ("x", "-12".into()), ("y", "4".into())];
    at("badge", (badge.x, badge.y)).with([
        Element::new("circle", vec![("cx", "-12".into()), ("r", "7.5".into())]),
        Element::new("text", words).saying(badge.number.to_string()),
    ])
}

/// What is drawn around a point.
fn at(class: impl Into<Value>, (x, y): (super::Share, i32)) -> Element {
    let attributes = vec![
        ("class", class.into()),
        ("x", percent(x).into()),
        ("y", y.to_string().into()),
        ("overflow", "visible".into()),
    ];
    Element::new("svg", attributes)
}

#[cfg(test)]
mod tests {
    use super::super::{Glyph, Role, Tint};
    use super::*;

    fn written(element: &Element) -> String {
        let set = element.attributes.iter().filter(|(_, value)| !value.is_empty());
        let set: Vec<String> = set.map(|(name, value)| format!(" {name}={value:?}")).collect();
        let within: String = element.children.iter().map(written).collect();
        format!("<{0}{set}>{1}{within}</{0}>", element.name, element.words, set = set.concat())
    }

    fn check(shape: Shape<'_>, expected: &str) {
        assert_eq!(written(&shape.element()), expected);
    }

    #[test]
    fn lines_and_rectangles_lie_in_shares_across_and_pixels_down() {
        let line = Line { x1: 0, y1: 3, x2: 10_000, y2: 3, role: Role::Request, head: Head::Filled };
        check(
            Shape::Line(&line),
            "<line class=\"msg req\" x1=\"0.00%\" y1=\"3\" x2=\"100.00%\" y2=\"3\" marker-end=\"url(#head-ink)\"></line>",
        );
        let rect = Rect { x1: 705, x2: 700, y: -4, height: 8, role: Role::Belief(Tint::C) };
        check(Shape::Rect(&rect), "<rect class=\"belief c\" x=\"7.05%\" y=\"-4\" width=\"0.00%\" height=\"8\"></rect>");
    }

    #[test]
    fn words_stand_beside_each_other_by_the_room_that_there_is() {
        let text = Text::by_room(100, 16, Role::Soft, &[(Room::Any, "A"), (Room::Wide, " holds 33")]);
        let text = Text { anchor: Anchor::End, ..text };
        check(
            Shape::Text(&text),
            "<text class=\"t soft t-end\" x=\"1.00%\" dx=\"0\" y=\"16\"><tspan>A</tspan><tspan class=\"w\"> holds 33</tspan></text>",
        );
    }

    #[test]
    fn what_stands_at_a_point_is_drawn_around_it() {
        let mark = Mark { x: 50, y: 7, glyph: Glyph::Accepted };
        check(
            Shape::Mark(&mark),
            "<svg x=\"0.50%\" y=\"7\" overflow=\"visible\"><path class=\"tick-ok\" d=\"M8 -13l3 3 5.5 -7\"></path></svg>",
        );
        let badge = Badge { x: 0, y: 0, number: 2 };
        check(
            Shape::Badge(&badge),
            "<svg class=\"badge\" x=\"0.00%\" y=\"0\" overflow=\"visible\"><circle cx=\"-12\" r=\"7.5\"></circle>\
             <text class=\"t-mid strong\" x=\"-12\" y=\"4\">2</text></svg>",
        );
        let tag = Tag { x: 0, y: 0, tint: Tint::B, text: "33".to_string() };
        check(
            Shape::Tag(&tag),
            "<svg class=\"tag b\" x=\"0.00%\" y=\"0\" overflow=\"visible\"><rect x=\"-31\" y=\"-8\" width=\"22\" height=\"16\"></rect>\
             <text class=\"t t-mid strong\" x=\"-20\" y=\"4\">33</text></svg>",
        );
    }

    #[test]
    fn the_layer_of_words_lies_above_that_of_bands() {
        let rect = Rect { x1: 0, x2: 1, y: 0, height: 1, role: Role::Gap };
        let text = Text::new(0, 0, Role::Label, Anchor::Start, "held");
        let scene = Scene { rects: vec![rect], texts: vec![text.clone()], ..Scene::default() };
        let layers = scene.layers().into_iter().flatten();
        assert_eq!(layers.collect::<Vec<_>>(), [Shape::Rect(&rect), Shape::Text(&text)]);
    }
}
