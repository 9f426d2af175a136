//! Where the state of a server and of its clients' handles lies in the cells.

use super::ZooKeeper;
use super::code::{Handle, Kind, Place, Watch};
use super::path::{Component, Path};
use super::reply::{Failure, Limit, Stat};
use crate::system::Caller;
use crate::system::Cell;
use crate::system::label::Label;

/// The place of `/`, which is always there.
pub(super) const ROOT: Place = 0;

/// The number of the last change.
const ZXID: usize = 0;
/// The number of cells before those of the callers.
const HEAD: usize = 1;

// The cells of a caller.
const HANDLE: usize = 0;
/// The last change that the library had heard of when its connection went.
const SEEN: usize = 1;
const WATCHES: usize = 2;
/// How many watches a caller can have, with the events that it hasn't taken yet.
pub(super) const WATCHES_EACH: usize = 2;
const CALLER: usize = WATCHES + WATCHES_EACH;

// The cells of a place.
/// The place of the parent, plus one; 0 if nothing is in this place.
const PARENT: usize = 0;
const NAME: usize = 1; // and one more
/// The number behind the name, plus one; or 0.
const SEQUENCE: usize = 3;
const KIND: usize = 4;
const DATA: usize = 5; // and one more
const CZXID: usize = 7;
const MZXID: usize = 8;
const PZXID: usize = 9;
const VERSION: usize = 10;
/// How many children have ever been created here.
const CREATES: usize = 11;
const PLACE: usize = 12;

/// How many cells a model of this size needs.
pub(super) fn length(system: &ZooKeeper) -> usize {
    let sizes = system.sizes;
    HEAD + CALLER * usize::from(sizes.callers) + usize::from(sizes.sessions) + PLACE * usize::from(sizes.nodes)
}

fn caller_at(caller: Caller) -> usize {
    HEAD + CALLER * usize::from(caller)
}

/// The state of a server and of its clients' handles, as a view on its cells.
pub(super) struct State<'a> {
    pub(super) system: &'a ZooKeeper,
    pub(super) cells: &'a mut [Cell],
}

impl State<'_> {
    /// The root is there from the start.
    pub(super) fn start(&mut self) {
        self.place_mut(ROOT)[PARENT] = 1;
        self.place_mut(ROOT)[KIND] = Kind::Persistent.to_cell();
    }

    pub(super) fn zxid(&self) -> u16 {
        self.cells[ZXID]
    }

    /// Forgets every node, every session and every number, but not the handles of clients.
    pub(super) fn forget_tree(&mut self) {
        let sessions = HEAD + CALLER * usize::from(self.system.sizes.callers);
        self.cells[sessions..].fill(0);
        self.cells[ZXID] = 0;
    }

    /// Whether a client's change would leave too few numbers. Some are kept back for what
    /// the server does by itself: ending each session and deleting each container once.
    pub(super) fn numbers_run_out(&self) -> bool {
        let kept = u16::from(self.system.sizes.sessions) + u16::from(self.system.sizes.nodes);
        self.zxid() >= u16::MAX - kept
    }

    /// The number of a new change.
    pub(super) fn next_zxid(&mut self) -> u16 {
        self.cells[ZXID] += 1;
        self.cells[ZXID]
    }

    pub(super) fn callers(&self) -> impl Iterator<Item = Caller> + use<> {
        0..self.system.sizes.callers
    }

    pub(super) fn handle(&self, caller: Caller) -> Handle {
        Handle::from_cell(self.cells[caller_at(caller) + HANDLE])
    }

    pub(super) fn set_handle(&mut self, caller: Caller, handle: Handle) {
        let at = caller_at(caller) + HANDLE;
        self.cells[at] = handle.to_cell();
    }

    pub(super) fn seen_mut(&mut self, caller: Caller) -> &mut u16 {
        let at = caller_at(caller) + SEEN;
        &mut self.cells[at]
    }

    /// The watches of a caller: first those that have fired, in that order, then those
    /// that are set.
    pub(super) fn watches(&self, caller: Caller) -> [Option<Watch>; WATCHES_EACH] {
        let at = caller_at(caller) + WATCHES;
        core::array::from_fn(|place| Watch::from_cell(self.cells[at + place]))
    }

    pub(super) fn set_watches(&mut self, caller: Caller, watches: [Option<Watch>; WATCHES_EACH]) {
        let at = caller_at(caller) + WATCHES;
        for (cell, watch) in self.cells[at..].iter_mut().zip(watches) {
            *cell = watch.map_or(0, Watch::to_cell);
        }
    }

    /// The timeout of a session in milliseconds; 0 if there is no such session.
    pub(super) fn timeout_ms_mut(&mut self, session: u8) -> &mut u16 {
        let at = HEAD + CALLER * usize::from(self.system.sizes.callers) + usize::from(session);
        &mut self.cells[at]
    }

    pub(super) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        0..Place::from(self.system.sizes.nodes)
    }

    fn place_at(&self, place: Place) -> usize {
        let sizes = self.system.sizes;
        HEAD + CALLER * usize::from(sizes.callers) + usize::from(sizes.sessions) + PLACE * place
    }

    fn place(&self, place: Place) -> &[Cell] {
        &self.cells[self.place_at(place)..][..PLACE]
    }

    fn place_mut(&mut self, place: Place) -> &mut [Cell] {
        let at = self.place_at(place);
        &mut self.cells[at..][..PLACE]
    }

    pub(super) fn kind(&self, place: Place) -> Kind {
        Kind::from_cell(self.place(place)[KIND])
    }

    pub(super) fn is_there(&self, place: Place) -> bool {
        self.kind(place) != Kind::Absent
    }

    pub(super) fn is_free(&self, place: Place) -> bool {
        self.place(place)[PARENT] == 0
    }

    /// The parent of a place that isn't free and isn't the root.
    pub(super) fn parent(&self, place: Place) -> Place {
        Place::from(self.place(place)[PARENT]) - 1
    }

    pub(super) fn component(&self, place: Place) -> Component {
        let cells = self.place(place);
        Component { name: Label::from_cells([cells[NAME], cells[NAME + 1]]), sequence: cells[SEQUENCE].checked_sub(1) }
    }

    pub(super) fn data(&self, place: Place) -> Label {
        let cells = self.place(place);
        Label::from_cells([cells[DATA], cells[DATA + 1]])
    }

    pub(super) fn version(&self, place: Place) -> u16 {
        self.place(place)[VERSION]
    }

    pub(super) fn mzxid(&self, place: Place) -> u16 {
        self.place(place)[MZXID]
    }

    /// How many children were ever created here: the number of the next sequential one.
    pub(super) fn creates(&self, place: Place) -> u16 {
        self.place(place)[CREATES]
    }

    /// The places below one, whether or not there is a node in them.
    pub(super) fn below(&self, parent: Place) -> impl Iterator<Item = Place> {
        self.places().filter(move |&place| place != ROOT && !self.is_free(place) && self.parent(place) == parent)
    }

    /// The nodes below one.
    pub(super) fn children(&self, parent: Place) -> impl Iterator<Item = Place> {
        self.below(parent).filter(|&place| self.is_there(place))
    }

    pub(super) fn stat(&self, place: Place) -> Stat {
        let num_children = self.children(place).count() as u16;
        let cells = self.place(place);
        Stat {
            czxid: cells[CZXID],
            mzxid: cells[MZXID],
            pzxid: cells[PZXID],
            version: cells[VERSION],
            // Each create and each delete is a change: creates + (creates − children).
            cversion: 2 * u32::from(cells[CREATES]) - u32::from(num_children),
            num_children,
        }
    }

    /// The place of a path, if it has one.
    pub(super) fn find(&self, path: &Path) -> Option<Place> {
        path.components()
            .iter()
            .try_fold(ROOT, |parent, component| self.below(parent).find(|&place| self.component(place) == *component))
    }

    /// The place of a child, which is made if it isn't there yet.
    pub(super) fn intern(&mut self, parent: Place, component: Component) -> Result<Place, Failure> {
        let known = self.below(parent).find(|&place| self.component(place) == component);
        if let Some(place) = known {
            return Ok(place);
        }
        let free = self.places().find(|&place| self.is_free(place));
        let place = free.ok_or(Failure::BeyondModel(Limit::Nodes))?;
        let [first, second] = component.name.cells();
        let cells = self.place_mut(place);
        cells[PARENT] = parent as Cell + 1;
        cells[NAME] = first;
        cells[NAME + 1] = second;
        cells[SEQUENCE] = component.sequence.map_or(0, |number| number + 1);
        Ok(place)
    }

    /// Gives a place up if there is no node in it, nothing below it and no watch on it;
    /// and so its parents.
    pub(super) fn release(&mut self, place: Place) {
        let watched = self.callers().any(|caller| {
            let on = |watch: &Watch| watch.place() == place;
            self.watches(caller).iter().flatten().any(on)
        });
        if place == ROOT || self.is_there(place) || watched || self.below(place).next().is_some() {
            return;
        }
        let parent = self.parent(place);
        self.place_mut(place).fill(0);
        self.release(parent);
    }

    /// Puts a node into a place, and counts it as a child of its parent.
    pub(super) fn put(&mut self, place: Place, kind: Kind, data: Label, zxid: u16) {
        let cells = self.place_mut(place);
        cells[KIND] = kind.to_cell();
        [cells[DATA], cells[DATA + 1]] = data.cells();
        [cells[CZXID], cells[MZXID], cells[PZXID]] = [zxid; 3];
        let parent = self.parent(place);
        let cells = self.place_mut(parent);
        cells[PZXID] = zxid;
        cells[CREATES] += 1;
    }

    /// Takes the node out of a place; its path stays until it is released.
    pub(super) fn take(&mut self, place: Place, zxid: u16) {
        self.place_mut(place)[KIND..].fill(0);
        let parent = self.parent(place);
        self.place_mut(parent)[PZXID] = zxid;
    }

    /// Writes data, as one more version.
    pub(super) fn write(&mut self, place: Place, data: Label, zxid: u16) {
        let cells = self.place_mut(place);
        [cells[DATA], cells[DATA + 1]] = data.cells();
        cells[MZXID] = zxid;
        cells[VERSION] += 1;
    }
}
