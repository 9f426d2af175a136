//! Of what tables a lesson's file consists: the fields of each, and what they hold.
//!
//! Each part of the format has its table beside its reader. The reader asks for
//! fields by the table, so that it knows which must be there, which are no fields at
//! all, and within which bounds a number lies. `schema` prints the same tables for
//! editors.

/// What a field holds.
pub(super) enum Kind {
    /// Text for people.
    Text,
    /// A name: of the author's own, or one that stands elsewhere in the file.
    Name,
    /// The address of another site's page.
    Address,
    /// A duration, which may be zero.
    Duration,
    /// A duration longer than zero.
    Span,
    /// How far a clock jumps.
    Shift,
    /// How fast a clock runs.
    Rate,
    /// Yes or no.
    Truth,
    /// Yes or no, where only one of the two makes the table what it is.
    Is(bool),
    /// A whole number within these bounds.
    Number(u16, u16),
    /// One of these names.
    OneOf(fn() -> Vec<&'static str>),
    /// One of the options of a prediction: its text, or its number from 1.
    Answer,
    /// A list.
    List {
        /// What its elements are.
        of: &'static Kind,
        /// How many there are at least.
        least: usize,
        /// How many there are at most, if that is bounded.
        most: Option<usize>,
    },
    /// A table of one of these shapes.
    Table(fn() -> Vec<Shape>),
    /// Fields that take the place of those in a table of one of these shapes.
    Over(fn() -> Vec<Shape>),
    /// A table whose names are the author's own.
    Named {
        /// What lies under each name.
        of: &'static Kind,
        /// How many names there are at most.
        most: usize,
    },
}

/// A field that a table can have.
pub(super) struct Slot {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// How to write it, if it must be there.
    pub example: Option<&'static str>,
}

/// A field that must be there; the example shows how to write it.
pub(super) const fn need(name: &'static str, kind: Kind, example: &'static str) -> Slot {
    Slot { name, kind, example: Some(example) }
}

/// A field that may be missing.
pub(super) const fn may(name: &'static str, kind: Kind) -> Slot {
    Slot { name, kind, example: None }
}

/// The fields of a table, some of which it may share with others.
pub(super) type Slots = &'static [&'static [Slot]];

/// One shape that a table can have.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Its fields.
    pub slots: Slots,
    /// The field that tells this shape from others by what it says.
    pub mark: Option<(&'static str, &'static str)>,
}

impl Shape {
    /// A shape that is told from others, if there are any, by the fields it needs.
    pub const fn of(slots: Slots) -> Self {
        Self { slots, mark: None }
    }
}

/// The names of a table of names.
pub(super) fn names<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(name, _)| *name).collect()
}
