//! The state of everything, as a small plain value.

use core::hash::{Hash, Hasher};

/// One number of state: a program counter, a token, a version.
pub use crate::system::Cell;

/// How many cells a world has room for.
pub(super) const CELLS: usize = 720;

/// The state of all clients and servers. It holds no time: a deadline is a timer
/// that may fire in an untimed run and is due in a timed one.
///
/// It is of fixed size and copies without a heap. Each node owns a range of
/// cells, and only [`super::Model`] knows which.
#[derive(Clone)]
pub struct World {
    length: u16,
    cells: [Cell; CELLS],
}

impl World {
    pub(super) fn zeroed(length: usize) -> Self {
        assert!(length <= CELLS, "a validated scenario fits the world");
        Self { length: length as u16, cells: [0; CELLS] }
    }

    /// Becomes a world with so many cells, which are to be written.
    pub(crate) fn cells_of_length(&mut self, length: usize) -> &mut [Cell] {
        self.length = length as u16;
        &mut self.cells[..length]
    }

    /// The cells in use.
    pub fn cells(&self) -> &[Cell] {
        &self.cells[..usize::from(self.length)]
    }

    pub(super) fn range(&self, start: usize, length: usize) -> &[Cell] {
        &self.cells[start..start + length]
    }

    pub(super) fn range_mut(&mut self, start: usize, length: usize) -> &mut [Cell] {
        &mut self.cells[start..start + length]
    }
}

impl PartialEq for World {
    fn eq(&self, other: &Self) -> bool {
        self.cells() == other.cells()
    }
}

impl Eq for World {}

impl Hash for World {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for cell in self.cells() {
            state.write_u16(*cell);
        }
    }
}

impl core::fmt::Debug for World {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("World").field(&self.cells()).finish()
    }
}
