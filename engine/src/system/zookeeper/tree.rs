//! The tree of nodes: what creates, writes and deletes them.
//!
//! Each change has a number, its zxid, one order over everything. A refused request
//! changes nothing here; the real server spends a number on it too, so its numbers have
//! more gaps, in the same order
//! (<https://zookeeper.apache.org/doc/r3.8.0/zookeeperProgrammers.html#sc_timeInZk>).

use core::cmp::Ordering;

use super::code::{Kind, Place};
use super::command::{Mode, Multi, Operation, Set, Version};
use super::path::Path;
use super::reply::{Change, Children, Failure, Limit, Part, Reply};
use super::state::{ROOT, State};
use crate::system::label::Label;

impl State<'_> {
    fn node(&self, path: &Path) -> Result<Place, Failure> {
        self.find(path).filter(|&place| self.is_there(place)).ok_or(Failure::NoNode)
    }

    /// Creates a node. The number of a sequential one is the count of all children that
    /// its parent ever had, sequential or not, and starts again with a new parent:
    /// <https://zookeeper.apache.org/doc/r3.8.0/zookeeperProgrammers.html#Sequence+Nodes+--+Unique+Naming>.
    pub(super) fn create(&mut self, path: &Path, mode: Mode, data: Label, session: u8) -> Result<Reply, Failure> {
        let (above, mut component) = path.split().ok_or(Failure::NodeExists)?;
        let parent = self.node(&above)?;
        let creates = self.creates(parent);
        if self.numbers_run_out() || creates >= u16::MAX - 1 {
            return Err(Failure::BeyondModel(Limit::Numbers));
        }
        if matches!(mode, Mode::PersistentSequential | Mode::EphemeralSequential) {
            component.sequence = Some(creates);
        }
        let path = above.child(component).ok_or(Failure::NoNode)?;
        if self.node(&path).is_ok() {
            return Err(Failure::NodeExists);
        }
        if matches!(self.kind(parent), Kind::Ephemeral(_)) {
            return Err(Failure::NoChildrenForEphemerals);
        }
        let place = self.intern(parent, component)?;
        let zxid = self.next_zxid();
        self.put(place, Kind::of(mode, session), data, zxid);
        self.notify(place, Change::Created);
        Ok(Reply::Created(path))
    }

    pub(super) fn get_data(&self, path: &Path) -> Result<Reply, Failure> {
        self.node(path).map(|place| Reply::Data(self.data(place)))
    }

    pub(super) fn get_children(&self, path: &Path) -> Result<Reply, Failure> {
        let place = self.node(path)?;
        Ok(Reply::Children(Children::new(self.children(place).map(|child| self.component(child)))))
    }

    /// Writes data if the version is the one asked for.
    pub(super) fn set_data(&mut self, set: &Set) -> Result<Reply, Failure> {
        let mut operations = [None; Multi::MOST];
        operations[0] = Some(Operation::Set(*set));
        match self.multi(&Multi(operations))?[0] {
            Some(Part::Written(stat)) => Ok(Reply::Stat(stat)),
            Some(Part::Failed(failure)) => Err(failure),
            part => unreachable!("a single write is done or has failed, not {part:?}"),
        }
    }

    /// Deletes a node without children if the version is the one asked for.
    pub(super) fn delete(&mut self, path: &Path, version: Version) -> Result<Reply, Failure> {
        let place = self.node(path)?;
        if !allows(version, self.version(place)) {
            return Err(Failure::BadVersion);
        }
        if self.children(place).next().is_some() {
            return Err(Failure::NotEmpty);
        }
        if self.numbers_run_out() {
            return Err(Failure::BeyondModel(Limit::Numbers));
        }
        let zxid = self.next_zxid();
        self.remove(place, zxid);
        Ok(Reply::Done)
    }

    /// Takes a node out and tells who watches it.
    pub(super) fn remove(&mut self, place: Place, zxid: u16) {
        self.take(place, zxid);
        self.notify(place, Change::Deleted);
        self.release(place);
    }

    /// Does all operations as one change, or none. One that asks for a version sees the
    /// writes before it.
    pub(super) fn multi(&mut self, multi: &Multi) -> Result<[Option<Part>; Multi::MOST], Failure> {
        let mut parts = [None; Multi::MOST];
        for (at, operation) in multi.0.iter().enumerate() {
            if let Some(operation) = operation {
                if let Err(failure) = self.judge(operation, &multi.0[..at])? {
                    let part = |place: usize| match place.cmp(&at) {
                        Ordering::Less => Part::RolledBack,
                        Ordering::Equal => Part::Failed(failure),
                        Ordering::Greater => Part::RuntimeInconsistency,
                    };
                    return Ok(core::array::from_fn(|place| multi.0[place].map(|_| part(place))));
                }
                parts[at] = Some(Part::Checked);
            }
        }
        if !multi.0.iter().flatten().any(|operation| matches!(operation, Operation::Set(_))) {
            return Ok(parts);
        }
        if self.numbers_run_out() {
            return Err(Failure::BeyondModel(Limit::Numbers));
        }
        let zxid = self.next_zxid();
        for (part, operation) in parts.iter_mut().zip(multi.0) {
            if let Some(Operation::Set(set)) = operation {
                let place = self.node(&set.path)?;
                self.write(place, set.data, zxid);
                self.notify(place, Change::DataChanged);
                *part = Some(Part::Written(self.stat(place)));
            }
        }
        Ok(parts)
    }

    /// Whether an operation would work after those before it. The outer error is the model's own.
    fn judge(&self, operation: &Operation, before: &[Option<Operation>]) -> Result<Result<(), Failure>, Failure> {
        let (path, version) = match operation {
            Operation::Check { path, version } => (path, *version),
            Operation::Set(set) => (&set.path, set.version),
        };
        let place = match self.node(path) {
            Ok(place) => place,
            Err(failure) => return Ok(Err(failure)),
        };
        let writes = |operation: &&Operation| matches!(operation, Operation::Set(set) if set.path == *path);
        let writes = before.iter().flatten().filter(writes).count() as u16;
        let current = self.version(place).checked_add(writes).filter(|version| *version < u16::MAX);
        let current = current.ok_or(Failure::BeyondModel(Limit::Numbers))?;
        Ok(if allows(version, current) { Ok(()) } else { Err(Failure::BadVersion) })
    }

    /// The nodes that go with a session.
    pub(super) fn remove_ephemerals(&mut self, session: u8, zxid: u16) {
        for place in self.places() {
            if self.kind(place) == Kind::Ephemeral(session) {
                self.remove(place, zxid);
            }
        }
    }

    /// The first container that has had children and has none.
    pub(super) fn empty_container(&self) -> Option<Place> {
        self.places().find(|&place| {
            let is_used = self.kind(place) == Kind::Container && self.creates(place) > 0;
            place != ROOT && is_used && self.children(place).next().is_none()
        })
    }
}

fn allows(asked: Version, current: u16) -> bool {
    asked.is_none_or(|version| version == current)
}
