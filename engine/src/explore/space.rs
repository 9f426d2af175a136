//! The states that a search has met: packed, in one piece of memory, each once.

use alloc::vec;
use alloc::vec::Vec;

use hashbrown::HashTable;

use super::bounds::{Bounds, KINDS};
use super::mark::Mark;
use super::monitor::{Lookout, Watch};
use super::readings::Readings;
use crate::sim::World;

/// A state's place among those that were met.
pub(super) type StateIndex = u32;

/// All states that were met.
pub(super) struct Space {
    layout: Layout,
    /// How many bytes a state takes.
    stride: usize,
    bytes: Vec<u8>,
    table: HashTable<StateIndex>,
    scratch: Vec<u8>,
}

/// A number didn't fit one byte; the search starts anew with two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NeedsWide;

/// What of a state is kept: nothing that can't change.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// How many bytes a cell takes: 1 as long as all numbers are small, else 2.
    wide: bool,
    cells: usize,
    /// The kinds of trouble that are bounded by more than 0.
    left: Vec<usize>,
    /// Of how many storages the highest token and the writer are kept.
    highest: usize,
    writers: usize,
    /// Of how many lock services the highest grant is kept.
    granted: usize,
    /// Whether it is kept which caches are stale.
    stale: bool,
    /// Of how many storages it is kept who has read what, and how many bytes that takes.
    readings: usize,
    readings_bytes: usize,
}

impl Layout {
    pub fn new(cells: usize, bounds: &Bounds, lookout: &Lookout<'_>, wide: bool) -> Self {
        let left = bounds.left();
        let (storages, locks) = (lookout.storages, lookout.locks);
        let if_wanted = |wanted, count: usize| if wanted { count } else { 0 };
        let stale = lookout.wants(Mark::StaleWriteAccepted) || lookout.wants(Mark::StaleWriteRefused);
        Self {
            wide,
            cells,
            left: (0..KINDS).filter(|&kind| left[kind] > 0).collect(),
            highest: if_wanted(stale, storages),
            writers: if_wanted(lookout.wants_writers(), storages),
            granted: if_wanted(lookout.wants(Mark::TokenRegression), locks),
            stale: lookout.wants(Mark::StaleCacheEntryStays),
            readings: if_wanted(lookout.remembers_readings, storages),
            readings_bytes: Readings::bytes(lookout.clients),
        }
    }

    /// Writes a state into as many bytes as a stride has.
    fn pack(&self, world: &World, watch: &Watch, packed: &mut [u8]) -> Result<(), NeedsWide> {
        let (left, rest) = packed.split_at_mut(self.left.len());
        for (byte, &kind) in left.iter_mut().zip(&self.left) {
            *byte = watch.left[kind];
        }
        let (writers, rest) = rest.split_at_mut(self.writers);
        writers.copy_from_slice(&watch.writer[..self.writers]);
        let (stale, rest) = rest.split_at_mut(if self.stale { 4 } else { 0 });
        if self.stale {
            stale.copy_from_slice(&watch.stale.to_le_bytes());
        }
        let (readings, rest) = rest.split_at_mut(self.readings_bytes * self.readings);
        for (bytes, readings) in readings.chunks_exact_mut(self.readings_bytes).zip(&watch.readings) {
            readings.pack(bytes);
        }
        let width = if self.wide { 2 } else { 1 };
        let (highest, rest) = rest.split_at_mut(width * self.highest);
        let (granted, rest) = rest.split_at_mut(width * self.granted);
        self.pack_cells(&watch.highest[..self.highest], highest)?;
        self.pack_cells(&watch.granted[..self.granted], granted)?;
        self.pack_cells(world.cells(), rest)
    }

    /// Writes numbers, and looks only once whether one of them was too large for a byte.
    fn pack_cells(&self, cells: &[u16], packed: &mut [u8]) -> Result<(), NeedsWide> {
        if self.wide {
            for (bytes, cell) in packed.chunks_exact_mut(2).zip(cells) {
                bytes.copy_from_slice(&cell.to_le_bytes());
            }
            return Ok(());
        }
        let mut all = 0;
        for (byte, &cell) in packed.iter_mut().zip(cells) {
            all |= cell;
            *byte = cell as u8;
        }
        if all > u16::from(u8::MAX) { Err(NeedsWide) } else { Ok(()) }
    }

    fn unpack(&self, packed: &[u8], world: &mut World) -> Watch {
        let mut watch = Watch::default();
        let (left, rest) = packed.split_at(self.left.len());
        for (&kind, &left) in self.left.iter().zip(left) {
            watch.left[kind] = left;
        }
        let (writers, rest) = rest.split_at(self.writers);
        watch.writer[..self.writers].copy_from_slice(writers);
        let (stale, rest) = rest.split_at(if self.stale { 4 } else { 0 });
        watch.stale = stale.iter().rev().fold(0, |stale, &byte| stale << 8 | u32::from(byte));
        let (readings, rest) = rest.split_at(self.readings_bytes * self.readings);
        for (readings, bytes) in watch.readings.iter_mut().zip(readings.chunks_exact(self.readings_bytes)) {
            *readings = Readings::unpack(bytes);
        }
        let width = if self.wide { 2 } else { 1 };
        let (highest, rest) = rest.split_at(width * self.highest);
        let (granted, rest) = rest.split_at(width * self.granted);
        self.unpack_cells(highest, &mut watch.highest);
        self.unpack_cells(granted, &mut watch.granted);
        self.unpack_cells(&rest[..width * self.cells], world.cells_of_length(self.cells));
        watch
    }

    fn unpack_cells(&self, packed: &[u8], cells: &mut [u16]) {
        if self.wide {
            for (cell, bytes) in cells.iter_mut().zip(packed.chunks_exact(2)) {
                *cell = u16::from_le_bytes([bytes[0], bytes[1]]);
            }
        } else {
            for (cell, &byte) in cells.iter_mut().zip(packed) {
                *cell = u16::from(byte);
            }
        }
    }

    fn stride(&self) -> usize {
        let cells = self.highest + self.granted + self.cells;
        self.left.len()
            + self.writers
            + self.readings_bytes * self.readings
            + if self.stale { 4 } else { 0 }
            + if self.wide { 2 * cells } else { cells }
    }
}

impl Space {
    pub fn new(layout: Layout) -> Self {
        // A state of no bytes could not be told from none.
        let stride = layout.stride().max(1);
        Self { layout, stride, bytes: Vec::new(), table: HashTable::new(), scratch: vec![0; stride] }
    }

    /// How many states were met.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.stride
    }

    /// How much memory the states take, in bytes.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.table.capacity() * 5
    }

    /// The place of a state, and whether it was met before.
    pub fn meet(&mut self, world: &World, watch: &Watch) -> Result<(StateIndex, bool), NeedsWide> {
        self.layout.pack(world, watch, &mut self.scratch)?;
        let hash = hash(&self.scratch);
        if let Some(index) = self.find_packed(hash, &self.scratch) {
            return Ok((index, true));
        }
        let index = self.len() as StateIndex;
        self.bytes.extend_from_slice(&self.scratch);
        let (bytes, stride) = (&self.bytes, self.stride);
        self.table.insert_unique(hash, index, |&index| self::hash(at(bytes, stride, index)));
        Ok((index, false))
    }

    /// The place of a state that was met before.
    pub fn find(&self, world: &World, watch: &Watch) -> Option<StateIndex> {
        let mut packed = vec![0; self.stride];
        self.layout.pack(world, watch, &mut packed).ok()?;
        self.find_packed(hash(&packed), &packed)
    }

    fn find_packed(&self, hash: u64, packed: &[u8]) -> Option<StateIndex> {
        self.table.find(hash, |&index| at(&self.bytes, self.stride, index) == packed).copied()
    }

    /// The state at a place. `world` is any world of the same scenario.
    pub fn state(&self, index: StateIndex, world: &mut World) -> Watch {
        self.layout.unpack(at(&self.bytes, self.stride, index), world)
    }
}

fn at(bytes: &[u8], stride: usize, index: StateIndex) -> &[u8] {
    let start = index as usize * stride;
    &bytes[start..start + stride]
}

/// Mixes eight bytes at a time, and lets each bit reach all others: a weaker hash
/// makes long probes from a million states on, in wasm above all.
fn hash(packed: &[u8]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for chunk in packed.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        hash ^= hash >> 32;
    }
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}
