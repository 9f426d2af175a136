//! Which version who sees of what is read and written, where that isn't the same for
//! all: inside a transaction, of a proposal, and from a copy that lags.
//!
//! A system says of each answer from where it came (see [`View`]); here it is kept which
//! versions these are. A write counts when others can see it: one in a transaction that
//! is open, or one that was only proposed, lies aside until it is committed, by whomever,
//! and is forgotten if that never comes.

use super::change::Change;
use super::host;
use super::judged::Answered;
use super::model::Model;
use super::record::Record;
use super::scenario::{NodeIndex, Scenario};
use super::storage;
use super::thing::{self, Role};
use super::world::{Cell, World};
use crate::system::setup::Server;
use crate::system::{Decided, View};

/// What a client is told of the version that only its own transaction sees.
pub(super) const OWN: u16 = u16::MAX;

// What is kept for each client. All of it is 0 while nothing of its own is open.
/// The version that its snapshot shows, or 0.
const SHOWN: usize = 0;
/// The version that its pending writes are based on, or 0 if it has none.
const BASE: usize = 1;
/// The token that came with the last of them.
const TOKEN: usize = 2;
/// Whether all of them hold only if what was read is still there.
const CONDITIONAL: usize = 3;
pub(super) const EACH: usize = 4;
/// Pending writes that are based on nothing that was read before.
const NOTHING_READ: u16 = u16::MAX;

/// Why something counts, or is undone, which its client has done before.
#[derive(Clone, Copy)]
enum Because {
    /// It follows from what was noted last, which may have come by a stray message.
    Follows { stray: Option<u8> },
    /// It comes by the command of a client, or of an operator, before what that does itself.
    ComesBy(Option<NodeIndex>),
}

impl Because {
    fn tell(self, record: &mut impl Record) {
        match self {
            Self::Follows { stray } => {
                record.follows();
                if let Some(slot) = stray {
                    record.concerns_stray(slot);
                }
            }
            Self::ComesBy(client) => record.comes_by(client),
        }
    }
}

/// What has to be kept of one lane, beside what is kept of every thing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ViewCells {
    /// Whether there is a copy that can lag.
    copy: bool,
    /// How many clients can have a transaction.
    clients: u8,
}

impl ViewCells {
    /// What has to be kept of a lane on this server.
    pub fn of(scenario: &Scenario, lane: NodeIndex, server: &dyn Server) -> Self {
        let clients = if server.has_transactions() { scenario.clients().count() as u8 } else { 0 };
        match scenario.role(lane) {
            Some(Role::Data { .. }) => {
                Self { copy: (0..server.timers()).any(|timer| server.is_replication(timer)), clients }
            }
            Some(Role::Effects { .. }) => Self { copy: false, clients },
            _ => Self::default(),
        }
    }

    /// How many cells it takes: first those of the clients, then the version of the copy.
    pub fn length(self) -> usize {
        usize::from(self.clients) * EACH + usize::from(self.copy)
    }
}

impl Model<'_> {
    /// Where the cells of a lane begin that are kept here.
    fn views_at(&self, lane: NodeIndex) -> usize {
        self.servers[usize::from(lane)].as_deref().map_or(thing::LENGTH, host::length)
    }

    /// Where that begins which is kept for a client.
    pub(super) fn of_client(&self, lane: NodeIndex, client: NodeIndex) -> Option<usize> {
        let place = self.caller(client);
        let kept = self.kept[usize::from(lane)];
        (place < kept.clients).then(|| self.views_at(lane) + usize::from(place) * EACH)
    }

    /// Where the version of the copy lies.
    fn copy_at(&self, lane: NodeIndex) -> Option<usize> {
        let kept = self.kept[usize::from(lane)];
        kept.copy.then(|| self.views_at(lane) + kept.length() - 1)
    }

    /// What is read and written on a server.
    fn data_on(&self, host: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.data.iter().copied().filter(move |&lane| self.scenario.host(lane) == host)
    }

    /// What can be written, done or promised on a server in a way that others don't see yet.
    fn kept_on(&self, host: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.data_on(host).chain(self.effects_on(host))
    }

    fn processes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.scenario.clients().filter(|&client| self.scenario.process(client) == client)
    }

    /// Nobody has a transaction, and the copy has what is there.
    pub(super) fn start_views(&self, world: &mut World, lane: NodeIndex) {
        let Some(length) = self.kept.get(usize::from(lane)).map(|kept| kept.length()) else { return };
        let (start, copy) = (self.views_at(lane), self.copy_at(lane));
        let cells = self.cells_mut(world, lane);
        cells[start..start + length].fill(0);
        if let Some(copy) = copy {
            (cells[copy], _) = storage::version_and_value(cells);
        }
    }

    /// Notes what a client's snapshot shows, when it has just taken it or is rid of it.
    pub(super) fn take_view(&self, world: &mut World, host: NodeIndex, client: NodeIndex, view: View) {
        for lane in self.data_on(host) {
            let Some(own) = self.of_client(lane, client) else { continue };
            let cells = self.cells_mut(world, lane);
            let (version, _) = storage::version_and_value(cells);
            match view {
                View::Snapshot if cells[own + SHOWN] == 0 => cells[own + SHOWN] = version,
                View::Snapshot => {}
                _ => cells[own + SHOWN] = 0,
            }
        }
    }

    /// The version that a client has read; [`OWN`] if it is one that only it sees.
    pub(super) fn version_seen(&self, world: &World, it: Answered) -> u16 {
        let cells = self.cells(world, it.lane);
        let (version, _) = storage::version_and_value(cells);
        let own = self.of_client(it.lane, it.client);
        match (it.view, own, self.copy_at(it.lane)) {
            // A lane that is a copy itself has the version that it has caught up with.
            (View::Copy, _, Some(copy)) if self.scenario.source(it.lane) == it.lane => cells[copy],
            (View::Open | View::Snapshot, Some(own), _) if cells[own + BASE] != 0 => OWN,
            (View::Snapshot, Some(own), _) => cells[own + SHOWN],
            _ => version,
        }
    }

    /// A write was taken that others don't see yet. `None` if it is to be judged at once.
    pub(super) fn keep_back(&self, world: &mut World, it: Answered) -> Option<Change> {
        if !it.stays_open() {
            return None;
        }
        let own = self.of_client(it.lane, it.client)?;
        let cells = self.cells_mut(world, it.lane);
        let base = match it.based_on {
            0 | OWN => NOTHING_READ,
            read => read,
        };
        // What compares only when it is proposed doesn't compare once more when it counts.
        let conditional = Cell::from(it.ask.conditional && it.view != View::Proposed);
        match cells[own + BASE] {
            0 => (cells[own + BASE], cells[own + CONDITIONAL]) = (base, conditional),
            // What it writes over later is its own, unless it goes back to an older read.
            NOTHING_READ => {
                (cells[own + BASE], cells[own + CONDITIONAL]) = (base, cells[own + CONDITIONAL] & conditional);
            }
            _ => cells[own + CONDITIONAL] &= conditional,
        }
        cells[own + TOKEN] = it.token;
        Some(Change::Pending { token: it.token, based_on: if base == NOTHING_READ { 0 } else { base } })
    }

    /// What a client's transaction has written is there for all. `None` if that is nothing.
    pub(super) fn publish(&self, world: &mut World, lane: NodeIndex, client: NodeIndex) -> Option<Change> {
        let own = self.of_client(lane, client)?;
        let cells = self.cells_mut(world, lane);
        if cells[own + BASE] == 0 {
            return None;
        }
        let (replaced, _) = storage::version_and_value(cells);
        let version = thing::next_version(cells);
        let (token, conditional) = (cells[own + TOKEN], cells[own + CONDITIONAL] != 0);
        let based_on = if cells[own + BASE] == NOTHING_READ { replaced } else { cells[own + BASE] };
        storage::note_write(cells, token, version);
        cells[own..own + EACH].fill(0);
        self.knows_instead_of_own(world, client, lane, version);
        Some(Change::Accepted { token, based_on, replaced, version, comparison: None, conditional })
    }

    /// Nobody will see what a client's transaction has written. Whether it has written anything.
    fn undo(&self, world: &mut World, lane: NodeIndex, client: NodeIndex) -> bool {
        let Some(own) = self.of_client(lane, client) else { return false };
        let cells = self.cells_mut(world, lane);
        let base = cells[own + BASE];
        cells[own..own + EACH].fill(0);
        if base != 0 {
            self.knows_instead_of_own(world, client, lane, if base == NOTHING_READ { 0 } else { base });
        }
        base != 0
    }

    /// After an answer: what has become of its transaction, or of the copy.
    pub(super) fn settle(
        &self,
        world: &mut World,
        host: NodeIndex,
        (client, stray): (NodeIndex, Option<u8>),
        view: View,
        record: &mut impl Record,
    ) {
        match view {
            View::Committed => {
                for lane in self.kept_on(host) {
                    self.count_what_was_open(world, lane, client, Because::Follows { stray }, record);
                }
            }
            View::Undone => self.undo_all(world, host, client, record),
            View::Promoted => self.promote(world, host, record),
            View::Shared
            | View::Copy
            | View::Beside
            | View::Open
            | View::Snapshot
            | View::Landed
            | View::Void
            | View::Proposed => {}
        }
    }

    /// Before a command of a client, or of an operator, does anything itself: what becomes by
    /// it of what was left open.
    pub(super) fn decide(
        &self,
        world: &mut World,
        lane: NodeIndex,
        by: Option<NodeIndex>,
        decided: Option<Decided>,
        record: &mut impl Record,
    ) {
        let Some(decided) = decided else { return };
        let host = self.scenario.host(lane);
        let is_meant = |kept| match decided {
            Decided::Completed | Decided::Lost => kept == lane,
            Decided::OthersCommitted | Decided::AllUndone => true,
        };
        let own = by.map(|client| self.scenario.process(client));
        let spared = own.filter(|_| decided == Decided::OthersCommitted);
        let because = Because::ComesBy(by);
        for client in self.processes().filter(|&client| spared != Some(client)) {
            for lane in self.kept_on(host).filter(|&kept| is_meant(kept)) {
                match decided {
                    Decided::Completed | Decided::OthersCommitted => {
                        self.count_what_was_open(world, lane, client, because, record);
                    }
                    Decided::Lost | Decided::AllUndone => {
                        self.undo_what_was_open(world, lane, client, because, record);
                    }
                }
            }
        }
    }

    /// What is kept aside for a client on one lane counts from now on.
    fn count_what_was_open(
        &self,
        world: &mut World,
        lane: NodeIndex,
        client: NodeIndex,
        because: Because,
        record: &mut impl Record,
    ) {
        if let Some(change) = self.publish(world, lane, client) {
            because.tell(record);
            record.note(lane, Some(client), change);
        }
        for change in self.publish_effects(world, lane, client) {
            because.tell(record);
            record.note(lane, Some(client), change);
        }
    }

    /// What is kept aside for a client on one lane will never be seen.
    fn undo_what_was_open(
        &self,
        world: &mut World,
        lane: NodeIndex,
        client: NodeIndex,
        because: Because,
        record: &mut impl Record,
    ) {
        if self.undo(world, lane, client) || self.undo_effects(world, lane, client) {
            because.tell(record);
            record.note(lane, None, Change::Undone { client });
        }
    }

    /// Nothing that a client's transaction has done on a server will be seen.
    pub(super) fn undo_all(&self, world: &mut World, host: NodeIndex, client: NodeIndex, record: &mut impl Record) {
        for lane in self.kept_on(host) {
            self.undo_what_was_open(world, lane, client, Because::Follows { stray: None }, record);
        }
    }

    /// The copy has taken the place of the original, with what it has.
    pub(super) fn promote(&self, world: &mut World, host: NodeIndex, record: &mut impl Record) {
        for lane in self.data_on(host).filter(|&lane| self.scenario.source(lane) == lane) {
            let Some(copy) = self.copy_at(lane) else { continue };
            let cells = self.cells_mut(world, lane);
            if cells[copy] != storage::version_and_value(cells).0 {
                let version = cells[copy];
                storage::put_version(cells, version);
                record.follows();
                record.note(lane, None, storage::restored(self.cells(world, lane)));
            }
        }
    }

    /// The copy has all that is there.
    pub(super) fn catch_up_copies(&self, world: &mut World, host: NodeIndex) {
        for lane in self.data_on(host) {
            if let Some(copy) = self.copy_at(lane) {
                let cells = self.cells_mut(world, lane);
                (cells[copy], _) = storage::version_and_value(cells);
            }
        }
    }

    /// Whether a transaction on a server goes on without the connection that began it.
    pub(super) fn transactions_outlive_connections(&self, host: NodeIndex) -> bool {
        self.servers[usize::from(host)].as_deref().is_some_and(Server::transactions_outlive_connections)
    }

    /// A server was stopped: nobody has a transaction any more that hangs on a connection, and
    /// if it has lost its memory, what was there at the start is there again.
    pub(super) fn restart_views(
        &self,
        world: &mut World,
        host: NodeIndex,
        keeps_memory: bool,
        record: &mut impl Record,
    ) {
        if !(keeps_memory && self.transactions_outlive_connections(host)) {
            for client in self.processes() {
                self.undo_all(world, host, client, record);
            }
        }
        for lane in self.data_on(host).filter(|_| !keeps_memory) {
            if let Some(Role::Data { first_version, .. }) = self.scenario.role(lane) {
                storage::put_version(self.cells_mut(world, lane), *first_version);
            }
        }
    }
}
