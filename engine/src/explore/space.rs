//! The states that a search has met: packed, in one piece of memory, each once.

use alloc::vec::Vec;

use hashbrown::HashTable;

use super::monitor::{STORAGES, Watch};
use crate::sim::World;

/// A state's place among those that were met.
pub(super) type StateIndex = u32;

/// All states that were met.
pub(super) struct Space {
    /// How many bytes a state takes.
    stride: usize,
    /// How many bytes a cell takes: 1 as long as all numbers are small, else 2.
    wide: bool,
    cells: usize,
    bytes: Vec<u8>,
    table: HashTable<StateIndex>,
    scratch: Vec<u8>,
}

/// A number didn't fit one byte; the search starts anew with two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NeedsWide;

const WATCH: usize = 1 + 3 * STORAGES;

impl Space {
    pub fn new(cells: usize, wide: bool) -> Self {
        let stride = WATCH + if wide { 2 * cells } else { cells };
        Self { stride, wide, cells, bytes: Vec::new(), table: HashTable::new(), scratch: Vec::new() }
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
        self.pack(world, watch, &mut packed)?;
        let hash = hash(&packed);
        let stride = self.stride;
        let known = {
            let bytes = &self.bytes;
            self.table.find(hash, |&index| at(bytes, stride, index) == packed.as_slice()).copied()
        };
        let met = if let Some(index) = known {
            (index, true)
        } else {
            let index = self.len() as StateIndex;
            self.bytes.extend_from_slice(&packed);
            let bytes = &self.bytes;
            self.table.insert_unique(hash, index, |&index| self::hash(at(bytes, stride, index)));
            (index, false)
        };
        self.scratch = packed;
        Ok(met)
    }

    fn pack(&self, world: &World, watch: &Watch, packed: &mut Vec<u8>) -> Result<(), NeedsWide> {
        packed.push(watch.expiries_left);
        for place in 0..STORAGES {
            packed.extend_from_slice(&watch.highest[place].to_le_bytes());
            packed.push(watch.writer[place]);
        }
        for &cell in world.cells() {
            if self.wide {
                packed.extend_from_slice(&cell.to_le_bytes());
            } else {
                packed.push(u8::try_from(cell).map_err(|_| NeedsWide)?);
            }
        }
        Ok(())
    }

    /// The state at a place. `world` is any world of the same scenario.
    pub fn state(&self, index: StateIndex, world: &mut World) -> Watch {
        let packed = at(&self.bytes, self.stride, index);
        let mut watch = Watch { expiries_left: packed[0], ..Watch::default() };
        for place in 0..STORAGES {
            let from = 1 + 3 * place;
            watch.highest[place] = u16::from_le_bytes([packed[from], packed[from + 1]]);
            watch.writer[place] = packed[from + 2];
        }
        let cells = &packed[WATCH..];
        world.fill((0..self.cells).map(|cell| {
            if self.wide { u16::from_le_bytes([cells[2 * cell], cells[2 * cell + 1]]) } else { u16::from(cells[cell]) }
        }));
        watch
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
