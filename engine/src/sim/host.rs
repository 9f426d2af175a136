//! Real systems inside a world: their commands, their timers, and what a bystander
//! would be told about them.

use alloc::string::{String, ToString};

use super::change::Change;
use super::model::Model;
use super::record::Record;
use super::scenario::{NodeIndex, NodeKind};
use super::thing::{self, Probe, SystemNode};
use super::world::{CELLS, Cell, World};
use crate::system::setup::{Answer, Reply, Server};
use crate::system::{self, Caller, ClockKind, Time, Timer, View};

/// How many cells tell which of so many timers are set.
fn armed_cells(timers: u8) -> usize {
    usize::from(timers).div_ceil(Cell::BITS as usize)
}

/// How many cells a system has, with its first thing and its timers.
pub(super) fn length(server: &dyn Server) -> usize {
    thing::LENGTH + server.length() + armed_cells(server.timers())
}

/// The timers of a system: which are set is said by a world, when they fire by those
/// who take note.
struct Timers<'c, 'r, R: Record> {
    node: NodeIndex,
    armed: &'c mut [Cell],
    record: &'r mut R,
}

fn bit(timer: Timer) -> (usize, Cell) {
    let bits = Cell::BITS as usize;
    (usize::from(timer) / bits, 1 << (usize::from(timer) % bits))
}

fn is_set(armed: &[Cell], timer: Timer) -> bool {
    let (cell, bit) = bit(timer);
    armed[cell] & bit != 0
}

impl<R: Record> Time for Timers<'_, '_, R> {
    fn arm(&mut self, timer: Timer, after_us: u64) {
        let (cell, bit) = bit(timer);
        self.armed[cell] |= bit;
        self.record.arm(self.node, timer, after_us);
    }

    fn disarm(&mut self, timer: Timer) {
        let (cell, bit) = bit(timer);
        self.armed[cell] &= !bit;
    }

    fn left_us(&self, timer: Timer) -> Option<u64> {
        is_set(self.armed, timer).then(|| self.record.left_us(self.node, timer))
    }

    fn told_left_us(&self, timer: Timer) -> Option<u64> {
        is_set(self.armed, timer).then(|| self.record.told_left_us(self.node, timer))
    }
}

/// What was there before a run has reached every copy.
fn catch_up(server: &dyn Server, cells: &mut [Cell], time: &mut dyn Time) {
    for timer in (0..server.timers()).filter(|&timer| server.is_replication(timer)) {
        if time.left_us(timer).is_some() {
            time.disarm(timer);
            server.fire(timer, cells, time);
        }
    }
}

impl Model<'_> {
    fn system(&self, host: NodeIndex) -> Option<(&SystemNode, &dyn Server)> {
        match &self.scenario.nodes.get(usize::from(host))?.kind {
            NodeKind::System(node) if system::ARE_HERE => Some((node, self.servers[usize::from(host)].as_deref()?)),
            _ => None,
        }
    }

    /// What a client calls itself when it speaks to a system: its place among the clients.
    pub(super) fn caller(&self, client: NodeIndex) -> Caller {
        let process = self.scenario.process(client);
        self.scenario.clients().position(|other| other == process).unwrap_or_default() as Caller
    }

    /// Who is none of the clients: an operator, or a bystander who asks.
    fn bystander(&self) -> Caller {
        self.scenario.clients().count() as Caller
    }

    /// Lets a system do something with its cells and its timers.
    fn with_system<R: Record, T>(
        &self,
        world: &mut World,
        host: NodeIndex,
        record: &mut R,
        act: impl FnOnce(&dyn Server, &mut [Cell], &mut dyn Time) -> T,
    ) -> Option<T> {
        let (_, server) = self.system(host)?;
        let length = length(server);
        let cells = &mut self.cells_mut(world, host)[thing::LENGTH..length];
        Some(act_on(server, host, cells, record, act))
    }

    /// Gives a system the state that it has before anything has happened.
    pub(super) fn start_system(&self, world: &mut World, host: NodeIndex, record: &mut impl Record) {
        let Some((node, _)) = self.system(host) else { return };
        let bystander = self.bystander();
        self.with_system(world, host, record, |server, cells, time| {
            cells.fill(0);
            server.start(&mut cells[..server.length()]);
            for words in &node.at_start {
                server.ask(bystander, words, cells, time);
            }
            catch_up(server, cells, time);
        });
    }

    /// A system handles a command. If it keeps it, only the view is told.
    pub(super) fn say_to(
        &self,
        world: &mut World,
        host: NodeIndex,
        caller: Caller,
        words: &str,
        record: &mut impl Record,
    ) -> Result<Reply, View> {
        let answer =
            self.with_system(world, host, record, |server, cells, time| server.ask(caller, words, cells, time));
        match answer {
            None | Some(Answer::NotACommand) => Ok(Reply::default()),
            Some(Answer::Waits(view)) => Err(view),
            Some(Answer::Replies(reply)) => Ok(reply),
        }
    }

    /// Whether something would happen if a command were handled now: it is answered,
    /// or the server has something to note.
    pub(super) fn would_move(&self, world: &World, host: NodeIndex, caller: Caller, words: &str) -> bool {
        self.try_out(world, host, |server, cells, time| {
            let mut before = [0; CELLS];
            before[..cells.len()].copy_from_slice(cells);
            !matches!(server.ask(caller, words, cells, time), Answer::Waits(_)) || before[..cells.len()] != *cells
        })
        .unwrap_or(false)
    }

    /// What a bystander would be answered.
    pub(super) fn probe(&self, world: &World, host: NodeIndex, words: &str) -> String {
        let bystander = self.bystander();
        let answer = self.try_out(world, host, |server, cells, time| server.ask(bystander, words, cells, time));
        match answer {
            Some(Answer::Replies(reply)) => reply.words,
            _ => String::new(),
        }
    }

    /// Whether a bystander would get this answer, with this client's letter in it.
    pub(super) fn says(&self, reply: &str, probe: &Probe, client: NodeIndex) -> bool {
        let letter = self.scenario.client(client).map_or('?', |client| client.letter);
        probe.reply.read(reply, letter, &|_| 0).is_some()
    }

    /// Tries something out on a copy of a system's cells.
    fn try_out<T>(
        &self,
        world: &World,
        host: NodeIndex,
        act: impl FnOnce(&dyn Server, &mut [Cell], &mut dyn Time) -> T,
    ) -> Option<T> {
        let (_, server) = self.system(host)?;
        let mut copy = [0; CELLS];
        let cells = &self.cells(world, host)[thing::LENGTH..length(server)];
        let copy = &mut copy[..cells.len()];
        copy.copy_from_slice(cells);
        Some(act_on(server, host, copy, &mut (), act))
    }

    /// Whether a timer of a system is set.
    pub(crate) fn is_armed(&self, world: &World, host: NodeIndex, timer: Timer) -> bool {
        let Some((_, server)) = self.system(host).filter(|(_, server)| timer < server.timers()) else { return false };
        let armed = thing::LENGTH + server.length();
        is_set(&self.cells(world, host)[armed..length(server)], timer)
    }

    /// How many timers a node has.
    pub(super) fn timers(&self, node: NodeIndex) -> u8 {
        self.system(node).map_or(0, |(_, server)| server.timers())
    }

    /// The clock that a timer of a node follows.
    pub(crate) fn clock(&self, node: NodeIndex, timer: Timer) -> ClockKind {
        self.system(node).map_or(ClockKind::Monotonic, |(_, server)| server.clock(timer))
    }

    /// Whether a timer is the arrival of what a copy lags behind.
    pub(super) fn is_replication(&self, node: NodeIndex, timer: Timer) -> bool {
        self.system(node).is_some_and(|(_, server)| server.is_replication(timer))
    }

    /// A timer fires.
    pub(super) fn fire(&self, world: &mut World, host: NodeIndex, timer: Timer, record: &mut impl Record) {
        self.with_system(world, host, record, |server, cells, time| {
            time.disarm(timer);
            server.fire(timer, cells, time);
        });
        if self.is_replication(host, timer) {
            self.catch_up_copies(world, host);
        }
        self.refresh(world, host, None, record);
    }

    /// The connections of a client to all systems are gone.
    pub(super) fn disconnect(&self, world: &mut World, client: NodeIndex, record: &mut impl Record) {
        let caller = self.caller(client);
        for host in self.scenario.indices().filter(|&node| self.servers[usize::from(node)].is_some()) {
            self.with_system(world, host, record, |server, cells, time| server.disconnect(caller, cells, time));
            if !self.transactions_outlive_connections(host) {
                self.undo_all(world, host, self.scenario.process(client), record);
            }
            self.refresh(world, host, None, record);
        }
    }

    /// A system comes back.
    pub(super) fn restart_system(
        &self,
        world: &mut World,
        host: NodeIndex,
        keeps_memory: bool,
        record: &mut impl Record,
    ) {
        let Some((node, _)) = self.system(host) else { return };
        let bystander = self.bystander();
        self.with_system(world, host, record, |server, cells, time| {
            server.restart(keeps_memory, cells, time);
            if !keeps_memory {
                for words in &node.at_start {
                    server.ask(bystander, words, cells, time);
                }
            }
        });
        self.restart_views(world, host, keeps_memory, record);
        self.refresh(world, host, None, record);
    }

    /// The command by which an operator breaks the lock on this lane.
    pub(super) fn unlock_command(&self, lane: NodeIndex) -> Option<&str> {
        self.system(self.scenario.host(lane))?.0.unlock.as_deref()
    }

    /// The command by which another member of this system becomes the leader.
    pub(super) fn leader_command(&self, host: NodeIndex) -> Option<&str> {
        self.system(host)?.0.change_leader.as_deref()
    }

    /// An operator does something to a system.
    pub(super) fn operate(&self, world: &mut World, lane: NodeIndex, words: &str, record: &mut impl Record) -> View {
        let host = self.scenario.host(lane);
        match self.say_to(world, host, self.bystander(), words, record) {
            Ok(Reply { view, decided, .. }) => {
                self.decide(world, lane, None, decided, record);
                view
            }
            Err(view) => view,
        }
    }

    /// Another member of a system becomes its leader.
    pub(super) fn note_leader(&self, world: &mut World, host: NodeIndex, record: &mut impl Record) {
        let Some(words) = self.leader_command(host).map(ToString::to_string) else { return };
        let view = self.operate(world, host, &words, record);
        record.say(&words);
        record.note(host, None, Change::LeaderChanged);
        if view == View::Promoted {
            self.promote(world, host, record);
        }
        self.refresh(world, host, None, record);
    }
}

fn act_on<R: Record, T>(
    server: &dyn Server,
    node: NodeIndex,
    cells: &mut [Cell],
    record: &mut R,
    act: impl FnOnce(&dyn Server, &mut [Cell], &mut dyn Time) -> T,
) -> T {
    let (own, armed) = cells.split_at_mut(server.length());
    let mut time = Timers { node, armed, record };
    act(server, own, &mut time)
}
