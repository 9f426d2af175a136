//! Text as a tree of blocks: no HTML ever reaches the page.

use serde::{Deserialize, Serialize};

/// A part of a lesson's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Which part it is.
    pub name: SectionName,
    /// What it says.
    pub blocks: Vec<Block>,
}

/// The parts that a lesson's text can have. The stage shows each at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SectionName {
    /// Two sentences that make one want to know.
    Hook,
    /// What happens in the run, with moments to go to.
    WhatToLookAt,
    /// What to remember.
    Recap,
}

/// A block of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Block {
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list.
    List {
        /// Whether its items are numbered.
        ordered: bool,
        /// The items.
        items: Vec<Vec<Inline>>,
    },
    /// Lines of a program or a session.
    Code {
        /// What they are written in, such as "redis" or "sql".
        language: String,
        /// The lines.
        text: String,
    },
}

/// A stretch of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inline {
    /// Plain text.
    Text(String),
    /// Text that matters.
    Strong(String),
    /// Text with a stress, or a term at its first use.
    Emphasis(String),
    /// A word of a program.
    Code(String),
    /// A link to another page: only https and paths of our own.
    Link {
        /// What is read.
        text: String,
        /// Where it leads.
        url: String,
    },
    /// A moment of the run; pressing it moves the playhead there.
    Moment {
        /// What is read.
        text: String,
        /// When, in microseconds.
        at_us: u64,
    },
}
