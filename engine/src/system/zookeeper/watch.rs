//! Watches: a client hears once of the next change of a node.
//!
//! A watch fires once and is gone. It belongs to a connection; when the library has
//! lost one, it sets its watches again on the next, and the server then reports at once
//! what has changed since. A node that was deleted and created meanwhile is reported as
//! changed, not as deleted.
//! See <https://zookeeper.apache.org/doc/r3.8.0/zookeeperProgrammers.html#ch_zkWatches>,
//! and `setWatches` in
//! <https://github.com/apache/zookeeper/blob/master/zookeeper-server/src/main/java/org/apache/zookeeper/server/DataTree.java>.

use super::code::{Handle, Place, Watch};
use super::path::Path;
use super::reply::{Change, Event, Failure, Limit, Reply};
use super::state::{ROOT, State, WATCHES_EACH};
use crate::system::Caller;

impl State<'_> {
    /// Answers `exists`, and leaves a watch if one is asked for. A second watch of the
    /// same caller on the same node is the first.
    pub(super) fn exists(&mut self, caller: Caller, path: &Path, watch: bool) -> Result<Reply, Failure> {
        let there = self.find(path).filter(|&place| self.is_there(place));
        let reply = there.map_or(Reply::Null, |place| Reply::Stat(self.stat(place)));
        if watch {
            self.watch(caller, path)?;
        }
        Ok(reply)
    }

    fn watch(&mut self, caller: Caller, path: &Path) -> Result<(), Failure> {
        let mut watches = self.watches(caller);
        let is_set = |watch: &Watch, at: Place| !matches!(watch, Watch::Fired(..)) && watch.place() == at;
        let known = self.find(path);
        if known.is_some_and(|place| watches.iter().flatten().any(|watch| is_set(watch, place))) {
            return Ok(());
        }
        let free = watches.iter().position(Option::is_none).ok_or(Failure::BeyondModel(Limit::Watches))?;
        let place = self.intern_path(path)?;
        let watch = if self.is_there(place) { Watch::OnNode(place) } else { Watch::OnAbsence(place) };
        watches[free] = Some(watch);
        self.set_watches(caller, watches);
        Ok(())
    }

    /// The place of a path, with places for its parents; if there are too few, none is made.
    fn intern_path(&mut self, path: &Path) -> Result<Place, Failure> {
        let mut parent = ROOT;
        for component in path.components() {
            match self.intern(parent, *component) {
                Ok(place) => parent = place,
                Err(failure) => {
                    self.release(parent);
                    return Err(failure);
                }
            }
        }
        Ok(parent)
    }

    /// Fires the watches that a change of a node concerns. A client without a connection
    /// will hear of it when it has one again.
    pub(super) fn notify(&mut self, place: Place, change: Change) {
        for caller in self.callers() {
            if matches!(self.handle(caller), Handle::Session { connected: true, .. }) {
                let concerned = match change {
                    Change::Created => Watch::OnAbsence(place),
                    Change::Deleted | Change::DataChanged => Watch::OnNode(place),
                };
                self.fire_watch(caller, concerned, change);
            }
        }
    }

    /// Fires a watch, if it is set: it moves behind those that have fired before.
    fn fire_watch(&mut self, caller: Caller, set: Watch, change: Change) {
        let mut watches = self.watches(caller);
        let fired = watches.iter().take_while(|watch| matches!(watch, Some(Watch::Fired(..)))).count();
        if let Some(at) = watches.iter().position(|watch| *watch == Some(set)) {
            watches[at] = Some(Watch::Fired(change, set.place()));
            watches[fired..=at].rotate_right(1);
            self.set_watches(caller, watches);
        }
    }

    /// Sets the watches of a caller again, on a new connection.
    pub(super) fn set_watches_again(&mut self, caller: Caller) {
        let seen = core::mem::take(self.seen_mut(caller));
        for watch in self.watches(caller).into_iter().flatten() {
            let missed = match watch {
                Watch::OnNode(place) if !self.is_there(place) => Some(Change::Deleted),
                Watch::OnNode(place) if self.mzxid(place) > seen => Some(Change::DataChanged),
                Watch::OnAbsence(place) if self.is_there(place) => Some(Change::Created),
                _ => None,
            };
            if let Some(change) = missed {
                self.fire_watch(caller, watch, change);
            }
        }
    }

    /// Forgets the watches of a caller; with `all`, also the events that it hasn't taken.
    pub(super) fn drop_watches(&mut self, caller: Caller, all: bool) {
        let watches = self.watches(caller);
        let stays = |watch: &Watch| !all && matches!(watch, Watch::Fired(..));
        self.set_watches(caller, watches.map(|watch| watch.filter(stays)));
        for watch in watches.into_iter().flatten() {
            self.release_unless_free(watch.place());
        }
    }

    fn release_unless_free(&mut self, place: Place) {
        if !self.is_free(place) {
            self.release(place);
        }
    }

    /// Takes the next event of a caller, or says what its connection is like. `None`
    /// means that there is nothing to tell yet.
    pub(super) fn event(&mut self, caller: Caller) -> Option<Reply> {
        let watches = self.watches(caller);
        if let Some(Watch::Fired(change, place)) = watches[0] {
            let path = self.path(place);
            let left: [_; WATCHES_EACH] = core::array::from_fn(|at| watches.get(at + 1).copied().flatten());
            self.set_watches(caller, left);
            self.release_unless_free(place);
            return Some(Reply::Event(Event::Node(change, path)));
        }
        match self.handle(caller) {
            Handle::None => Some(Reply::Failed(Failure::NotConnected)),
            Handle::Dead | Handle::Session { connected: false, .. } => Some(Reply::Event(Event::Disconnected)),
            Handle::Expired => Some(Reply::Event(Event::Expired)),
            Handle::Session { connected: true, .. } => None,
        }
    }

    /// The path of a place.
    fn path(&self, place: Place) -> Path {
        let mut components = [None; Path::DEEPEST];
        let mut at = place;
        for component in components.iter_mut().rev() {
            if at != ROOT {
                *component = Some(self.component(at));
                at = self.parent(at);
            }
        }
        let child = |path: Path, component| path.child(component).expect("a place lies no deeper than a path");
        components.into_iter().flatten().fold(Path::default(), child)
    }
}
