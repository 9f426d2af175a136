//! The shapes that a drawing consists of, in the order in which they are laid down.

use super::glyphs::Glyph;
use super::layout::Layout;
use super::scale::Share;
use super::style::{Role, Tint};
use super::wires::Wire;
use crate::tell::Units;

/// A drawing. Its lists are layers, the first one farthest back. Each list holds
/// one kind of shape, so that a page can patch it in place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The height of the drawing, in pixels.
    pub height: i32,
    /// Rules, guides and messages, which pass behind the lanes.
    pub back: Vec<Line>,
    /// Bands and blocks.
    pub rects: Vec<Rect>,
    /// Lines that lie on their lanes.
    pub front: Vec<Line>,
    /// What is folded: below the words, and above all that it tears.
    pub gaps: Vec<Rect>,
    /// Words.
    pub texts: Vec<Text>,
    /// Small marks.
    pub marks: Vec<Mark>,
    /// Boxed numbers at arrows: the token that a write carries.
    pub tags: Vec<Tag>,
    /// The numbers of the events of a chain.
    pub badges: Vec<Badge>,
    /// Faults that can be taken hold of.
    pub faults: Vec<FaultBlock>,
    /// Messages that can be taken hold of at their ends.
    pub wires: Vec<Wire>,
}

impl Scene {
    /// Tells the times in its words in a unit. The ruler stays as it is: its own stands at
    /// its end.
    pub fn tell_in(&mut self, units: Units) {
        for text in self.texts.iter_mut().filter(|text| text.role != Role::RulerText) {
            for (_, words) in &mut text.words {
                *words = units.told(words);
            }
        }
        for block in &mut self.faults {
            block.words.1 = units.told(&block.words.1);
        }
    }
}

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it starts, across.
    pub x1: Share,
    /// Where it starts, down.
    pub y1: i32,
    /// Where it ends, across.
    pub x2: Share,
    /// Where it ends, down.
    pub y2: i32,
    /// What it means.
    pub role: Role,
    /// The head at its end.
    pub head: Head,
}

/// The head of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// None.
    None,
    /// Filled: a request or a write.
    Filled,
    /// Open: a reply.
    Open,
    /// Filled, in the colour of harm.
    Harm,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Its left edge.
    pub x1: Share,
    /// Its right edge.
    pub x2: Share,
    /// Its upper edge.
    pub y: i32,
    /// Its height.
    pub height: i32,
    /// What it means.
    pub role: Role,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The point that it is set from, across.
    pub x: Share,
    /// Pixels to the right of that point.
    pub dx: i32,
    /// Its base line.
    pub y: i32,
    /// What it means.
    pub role: Role,
    /// How it is set from its point.
    pub anchor: Anchor,
    /// What it says, by the room that the pane has.
    pub words: Vec<(Room, String)>,
}

/// How a text is set from its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// Its middle lies there.
    Middle,
    /// It ends there.
    End,
}

/// The room that a pane must have, or must lack, for words to be shown. The style
/// sheet measures it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// In every pane.
    Any,
    /// Only in panes from 430 pixels on.
    Wide,
    /// Only in panes below 430 pixels.
    Narrow,
    /// Only in panes from 490 pixels on.
    Wider,
    /// Only in panes from 620 pixels on.
    Widest,
}

/// A small mark at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where, across.
    pub x: Share,
    /// Where, down.
    pub y: i32,
    /// Which.
    pub glyph: Glyph,
}

/// A boxed number at an arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Where, across.
    pub x: Share,
    /// Where, down.
    pub y: i32,
    /// Whose token it is.
    pub tint: Tint,
    /// The number.
    pub text: String,
}

/// The number of an event in a chain, to the left of its moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Badge {
    /// Where the event is, across.
    pub x: Share,
    /// The middle of the number, down.
    pub y: i32,
    /// The number, from 1.
    pub number: usize,
}

/// A fault as something on a lane that can be taken hold of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultBlock {
    /// Its place in the list of faults of the run.
    pub place: u16,
    /// Its left end.
    pub x1: Share,
    /// Its right end; the same as the left one for a fault without length.
    pub x2: Share,
    /// The middle of the line that it lies on.
    pub y: i32,
    /// How it is drawn.
    pub form: Form,
    /// What it says: first by name, then by number.
    pub words: (String, String),
    /// Its widest part that no fold tears, where words lie.
    pub untorn: (Share, Share),
}

/// How a fault is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A block: a process stands still.
    Block,
    /// A block with a cross: a node is down.
    Down,
    /// A line that rises or falls by this many pixels: a clock runs fast or slow.
    Slope(i32),
    /// An arrow from the moment to what the clock then shows, which may lie to the left.
    Jump,
    /// A bracket from the usual arrival to the late one.
    Late,
    /// A point on a message.
    Lost,
    /// A band across lanes, down to this line.
    Band(i32),
    /// An arrow back from the moment to the state that is brought back.
    Back,
    /// A point on a lane.
    Point,
}

impl Scene {
    pub(super) fn new(layout: &Layout) -> Self {
        Self { height: layout.height, ..Self::default() }
    }
}

impl Line {
    pub(super) fn across(y: i32, role: Role) -> Self {
        Self { x1: 0, y1: y, x2: 10_000, y2: y, role, head: Head::None }
    }

    pub(super) fn down(x: Share, y1: i32, y2: i32, role: Role) -> Self {
        Self { x1: x, y1, x2: x, y2, role, head: Head::None }
    }

    pub(super) fn level(x1: Share, x2: Share, y: i32, role: Role) -> Self {
        Self { x1, y1: y, x2, y2: y, role, head: Head::None }
    }
}

impl Text {
    pub(super) fn new(x: Share, y: i32, role: Role, anchor: Anchor, words: impl Into<String>) -> Self {
        Self { x, dx: 0, y, role, anchor, words: vec![(Room::Any, words.into())] }
    }

    pub(super) fn by_room(x: Share, y: i32, role: Role, words: &[(Room, &str)]) -> Self {
        let words = words.iter().map(|&(room, word)| (room, word.to_string())).collect();
        Self { x, dx: 0, y, role, anchor: Anchor::Start, words }
    }

    pub(super) fn moved(self, dx: i32) -> Self {
        Self { dx, ..self }
    }

    /// Set to the left of its point where it would leave the plot on the right.
    pub(super) fn kept_inside(self, needs: Share) -> Self {
        if self.x + needs > 10_000 { Self { anchor: Anchor::End, dx: -self.dx, ..self } } else { self }
    }
}
