//! Version vectors: which of two versions came first, or whether neither knew the other.
//!
//! Each replica counts its own changes. A replica that is missing has counted none.
//! (Parker et al., "Detection of Mutual Inconsistency in Distributed Systems", 1983;
//! Akka's `VersionVector`:
//! <https://doc.akka.io/api/akka/current/akka/cluster/ddata/VersionVector.html>.)
//! Two concurrent versions both stay; a timestamp doesn't make one of them the newer.

use core::cmp::Ordering;

/// The changes that a version knows of, by replica: one count for each of `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VersionVector<const N: usize>(pub [u16; N]);

/// How one version relates to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// They know of the same changes.
    Same,
    /// The other knows of all that this one knows, and of more.
    Before,
    /// This one knows of all that the other knows, and of more.
    After,
    /// Each knows of a change that the other doesn't.
    Concurrent,
}

impl<const N: usize> VersionVector<N> {
    /// The version before any change.
    pub const EMPTY: Self = Self([0; N]);

    /// This version with one more change by a replica; `None` if there is no such
    /// replica or its count is full. A count never wraps, since the version would
    /// then seem older than it is.
    pub fn changed_by(mut self, replica: usize) -> Option<Self> {
        let count = self.0.get_mut(replica)?;
        *count = count.checked_add(1)?;
        Some(self)
    }

    /// How this version relates to another.
    pub fn compare(&self, other: &Self) -> Causality {
        let pairs = || self.0.iter().zip(&other.0);
        match (pairs().any(|(own, others)| own < others), pairs().any(|(own, others)| own > others)) {
            (false, false) => Causality::Same,
            (true, false) => Causality::Before,
            (false, true) => Causality::After,
            (true, true) => Causality::Concurrent,
        }
    }

    /// The version that knows of the changes of both: the greater count of each replica.
    #[must_use]
    pub fn merged(mut self, other: &Self) -> Self {
        for (own, others) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*others);
        }
        self
    }
}

impl<const N: usize> PartialOrd for VersionVector<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.compare(other) {
            Causality::Same => Some(Ordering::Equal),
            Causality::Before => Some(Ordering::Less),
            Causality::After => Some(Ordering::Greater),
            Causality::Concurrent => None,
        }
    }
}
