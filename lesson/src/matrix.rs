//! The safety matrix as it is asked: which mechanisms, under which assumptions, and
//! which harm is counted. What comes of it is computed and written nowhere.

use postcard::Error;
use racescope_engine::explore::{Bounds, Mark};
use racescope_engine::sim::{Granularity, Scenario};
use serde::{Deserialize, Serialize};

use crate::{Study, Variant};

/// Mechanisms and assumptions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// What may go wrong, each by itself.
    pub columns: Vec<Column>,
    /// The mechanisms, in groups.
    pub groups: Vec<Group>,
    /// The scenario files with the mechanisms.
    pub studies: Vec<Study>,
}

/// An assumption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name in links and JSON.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What may go wrong, and how often.
    pub bounds: Bounds,
    /// How much of a call is one action: an assumption about messages has to part them.
    pub granularity: Granularity,
}

/// Mechanisms that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What they have in common.
    pub title: String,
    /// The mechanisms.
    pub rows: Vec<Row>,
}

/// A mechanism.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its name in links and JSON.
    pub id: String,
    /// The place of its file in [`Matrix::studies`].
    pub study: u8,
    /// The place of its variant in that file.
    pub variant: u8,
    /// The harm that is counted: the worst that this mechanism is there to prevent.
    pub harm: Mark,
}

impl Matrix {
    /// All mechanisms, from the top.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }

    /// The file of a mechanism.
    pub fn study(&self, row: &Row) -> &Study {
        &self.studies[usize::from(row.study)]
    }

    /// A mechanism with its name.
    pub fn variant(&self, row: &Row) -> &Variant {
        &self.study(row).variants[usize::from(row.variant)]
    }

    /// The scenario of a mechanism as an assumption asks for it.
    pub fn scenario(&self, row: &Row, column: &Column) -> Scenario {
        Scenario { granularity: column.granularity, ..self.variant(row).scenario.clone() }
    }

    /// The matrix as bytes, for the command to carry.
    ///
    /// # Errors
    /// None that can happen with plain data; it is passed on all the same.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        postcard::to_allocvec(self)
    }

    /// Reads what [`Matrix::to_bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are no matrix of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        postcard::from_bytes(bytes)
    }
}
