//! The states that a search has met: packed, in one piece of memory, each once.

use alloc::vec::Vec;

use hashbrown::HashTable;

use super::bounds::{Bounds, KINDS};
use super::mark::Mark;
use super::monitor::{Lookout, Watch};
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
    /// Of how many storages it is kept who has read a version that was taken back.
    void: usize,
}

/// How many bytes it takes who has read such a version.
const VOID: usize = 8;

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
            void: if_wanted(lookout.wants_void(bounds), storages),
        }
    }

    fn cell(&self, cell: u16, packed: &mut Vec<u8>) -> Result<(), NeedsWide> {
        if self.wide {
            packed.extend_from_slice(&cell.to_le_bytes());
        } else {
            packed.push(u8::try_from(cell).map_err(|_| NeedsWide)?);
        }
        Ok(())
    }

    fn pack(&self, world: &World, watch: &Watch, packed: &mut Vec<u8>) -> Result<(), NeedsWide> {
        packed.extend(self.left.iter().map(|&kind| watch.left[kind]));
        packed.extend_from_slice(&watch.writer[..self.writers]);
        if self.stale {
            packed.extend_from_slice(&watch.stale.to_le_bytes());
        }
        packed.extend(watch.void[..self.void].iter().flat_map(|void| void.to_le_bytes()));
        let tokens = watch.highest[..self.highest].iter().chain(&watch.granted[..self.granted]);
        tokens.chain(world.cells()).try_for_each(|&cell| self.cell(cell, packed))
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
        let (void, rest) = rest.split_at(VOID * self.void);
        for (place, bytes) in void.chunks_exact(VOID).enumerate() {
            watch.void[place] = bytes.iter().rev().fold(0, |void, &byte| void << 8 | u64::from(byte));
        }
        let cell = |place: usize| {
            if self.wide { u16::from_le_bytes([rest[2 * place], rest[2 * place + 1]]) } else { u16::from(rest[place]) }
        };
        for place in 0..self.highest {
            watch.highest[place] = cell(place);
        }
        for place in 0..self.granted {
            watch.granted[place] = cell(self.highest + place);
        }
        let first = self.highest + self.granted;
        world.fill((first..first + self.cells).map(cell));
        watch
    }

    fn stride(&self) -> usize {
        let cells = self.highest + self.granted + self.cells;
        self.left.len()
            + self.writers
            + VOID * self.void
            + if self.stale { 4 } else { 0 }
            + if self.wide { 2 * cells } else { cells }
    }
}

impl Space {
    pub fn new(layout: Layout) -> Self {
        // A state of no bytes could not be told from none.
        let stride = layout.stride().max(1);
        Self { layout, stride, bytes: Vec::new(), table: HashTable::new(), scratch: Vec::new() }
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
        let mut packed = core::mem::take(&mut self.scratch);
        packed.clear();
        let fits = self.layout.pack(world, watch, &mut packed);
        packed.resize(self.stride, 0);
        let hash = hash(&packed);
        let known = fits.map(|()| self.find_packed(hash, &packed));
        let met = match known {
            Ok(Some(index)) => Ok((index, true)),
            Ok(None) => {
                let index = self.len() as StateIndex;
                self.bytes.extend_from_slice(&packed);
                let (bytes, stride) = (&self.bytes, self.stride);
                self.table.insert_unique(hash, index, |&index| self::hash(at(bytes, stride, index)));
                Ok((index, false))
            }
            Err(needs_wide) => Err(needs_wide),
        };
        self.scratch = packed;
        met
    }

    /// The place of a state that was met before.
    pub fn find(&self, world: &World, watch: &Watch) -> Option<StateIndex> {
        let mut packed = Vec::with_capacity(self.stride);
        self.layout.pack(world, watch, &mut packed).ok()?;
        packed.resize(self.stride, 0);
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
