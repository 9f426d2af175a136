//! Snapshots: a restore sends the store back, and its revision with it.
//!
//! What clients have seen since the snapshot is undone, and revisions that they know as
//! fences or as conditions are given out again, to other writes. `--bump-revision` with
//! `--mark-compacted` starts the restored store at a higher revision, so that none comes
//! twice (<https://etcd.io/docs/v3.6/op-guide/recovery/>). It doesn't bring back what was
//! undone.

use super::reply::{Failure, Limit, Reply};
use super::state::State;
use crate::system::Cell;
use crate::system::Time;

impl State<'_> {
    /// Copies the store behind a mark that there is a copy.
    pub(super) fn save(&self, snapshot: &mut [Cell]) -> Result<Reply, Failure> {
        let Some((mark, copy)) = snapshot.split_first_mut() else {
            return Err(Failure::BeyondModel(Limit::Snapshot));
        };
        *mark = 1;
        copy.copy_from_slice(self.cells);
        Ok(Reply::Saved)
    }

    /// Starts from the copy. Its leases are there again, with their whole time.
    pub(super) fn restore(&mut self, snapshot: &[Cell], bump: u16, time: &mut dyn Time) -> Result<Reply, Failure> {
        let Some((mark, copy)) = snapshot.split_first() else {
            return Err(Failure::BeyondModel(Limit::Snapshot));
        };
        if *mark == 0 {
            return Err(Failure::NoSnapshot);
        }
        let saved = Self::revision_of(copy).checked_add(bump);
        let revision = saved.filter(|revision| *revision <= self.last_revision());
        let revision = revision.ok_or(Failure::BeyondModel(Limit::Numbers))?;
        self.cells.copy_from_slice(copy);
        self.set_revision(revision);
        for timer in self.timers() {
            time.disarm(timer);
        }
        self.refresh_all(time);
        Ok(Reply::Restored { revision })
    }
}
