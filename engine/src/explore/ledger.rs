//! How many schedules follow each state, by what they show: packed, since there are
//! as many states as memory allows.

use alloc::vec::Vec;

use num_bigint::BigUint;

use super::count::Count;
use super::monitor::Seen;
use super::space::StateIndex;

/// What a schedule shows from some state on, as one number: how much of the tally,
/// then the marks as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class(u32);

impl From<Seen> for Class {
    fn from(seen: Seen) -> Self {
        Self(u32::from(seen.tally) << 16 | u32::from(seen.marks))
    }
}

impl From<Class> for Seen {
    fn from(class: Class) -> Self {
        let [low, high, tally, _] = class.0.to_le_bytes();
        Self { marks: u16::from_le_bytes([low, high]), tally, ends: None }
    }
}

impl Class {
    /// What is shown by an action and the schedule that follows it.
    pub fn after(self, edge: Seen) -> Self {
        let rest = Seen::from(self);
        Seen { marks: rest.marks | edge.marks, tally: rest.tally.saturating_add(edge.tally), ..edge }.into()
    }
}

/// The schedules that follow a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Futures {
    /// How many actions the longest has.
    pub longest: u16,
    /// How many show what, or how likely that is, in the order of classes.
    pub weights: Vec<(Class, Count)>,
}

impl Futures {
    pub fn clear(&mut self) {
        self.longest = 0;
        self.weights.clear();
    }

    /// Adds to the weight of a class.
    pub fn add(&mut self, class: Class, weight: &Count) {
        match self.weights.binary_search_by_key(&class, |(class, _)| *class) {
            Ok(place) => self.weights[place].1.add(weight),
            Err(place) => self.weights.insert(place, (class, weight.clone())),
        }
    }
}

/// The futures of all states that are done.
#[derive(Default)]
pub(super) struct Ledger {
    bytes: Vec<u8>,
    /// Where those of each state begin.
    places: Vec<usize>,
}

const OPEN: usize = usize::MAX;

/// How many bytes a class takes: its marks, then how much of the tally.
const CLASS: usize = 3;

impl Ledger {
    /// Makes room for a state that was met.
    pub fn open(&mut self) {
        self.places.push(OPEN);
    }

    /// Whether a state is done.
    pub fn is_done(&self, state: StateIndex) -> bool {
        self.places[state as usize] != OPEN
    }

    /// How much memory it takes, in bytes.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.places.capacity() * size_of::<usize>()
    }

    /// Writes down the futures of a state that is done.
    pub fn close(&mut self, state: StateIndex, futures: &Futures) {
        self.places[state as usize] = self.bytes.len();
        self.bytes.extend_from_slice(&futures.longest.to_le_bytes());
        self.bytes.extend_from_slice(&(futures.weights.len() as u16).to_le_bytes());
        for (class, weight) in &futures.weights {
            self.bytes.extend_from_slice(&class.0.to_le_bytes()[..CLASS]);
            match weight {
                Count::Small(number) => {
                    let length = (128 - number.leading_zeros()).div_ceil(8) as usize;
                    self.bytes.extend_from_slice(&(length as u16).to_le_bytes());
                    self.bytes.extend_from_slice(&number.to_le_bytes()[..length]);
                }
                Count::Large(number) => {
                    let bytes = number.to_bytes_le();
                    self.bytes.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
                    self.bytes.extend_from_slice(&bytes);
                }
            }
        }
    }

    /// How many actions the longest schedule has that follows a state.
    pub fn longest(&self, state: StateIndex) -> u16 {
        self.number(self.places[state as usize])
    }

    /// The weights of a state that is done.
    pub fn weights(&self, state: StateIndex) -> impl Iterator<Item = (Class, Count)> + '_ {
        let start = self.places[state as usize];
        let mut at = start + 4;
        (0..self.number(start + 2)).map(move |_| {
            let class = Class(u32::from(self.number(at)) | u32::from(self.bytes[at + 2]) << 16);
            let length = usize::from(self.number(at + CLASS));
            at += CLASS + 2;
            let digits = &self.bytes[at..at + length];
            at += length;
            (class, count_of(digits))
        })
    }

    fn number(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }
}

fn count_of(digits: &[u8]) -> Count {
    let mut small = [0; 16];
    match small.get_mut(..digits.len()) {
        Some(room) => {
            room.copy_from_slice(digits);
            Count::Small(u128::from_le_bytes(small))
        }
        None => Count::Large(BigUint::from_bytes_le(digits)),
    }
}
