//! One `ZooKeeper` server (3.8), with its clients' sessions.
//!
//! What it models: sessions and how they end, a small tree of nodes with their numbers,
//! ephemeral, sequential and container nodes, conditional writes, one-shot watches.
//! [`LockRecipe`] is the lock that clients build from these.
//!
//! What it leaves out: several servers (so a read is never old), access control, other
//! watches than that of `exists`, nodes with a time to live, quotas. What it is too small
//! for it says in brackets, as the real server never does.
//!
//! ```
//! use racescope_engine::system::{transcript, zookeeper::{Sizes, ZooKeeper}};
//!
//! let server = ZooKeeper::new(Sizes { callers: 2, sessions: 2, nodes: 4 }, 500).expect("it is small enough");
//! transcript::check(
//!     &server,
//!     "A connect 1000 → negotiated timeout = 1000
//!      A create -e /leader a → Created /leader
//!      B connect 10000 → negotiated timeout = 10000
//!      B create -e /leader b → NodeExists
//!      wait 1500 ms
//!      B create -e /leader b → Created /leader
//!      A get /leader → ConnectionLoss
//!      A reconnect → SessionExpired",
//! );
//! ```

mod code;
mod command;
mod path;
mod recipe;
mod reply;
mod session;
mod state;
mod tree;
mod watch;

pub use command::{Command, Mode, Multi, Operation, Set, Version};
pub use path::{Component, Path};
pub use recipe::{LockRecipe, Next};
pub use reply::{Change, Children, Event, Failure, Limit, Part, Reply, Stat};

use self::code::Handle;
use self::state::State;
use super::{Caller, ClockKind, System, Time, Timer};
use crate::system::Cell;

/// How much room the model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// How many callers can have a handle.
    pub callers: u8,
    /// How many sessions there can be at once. A caller that opens a new handle leaves
    /// its old session to end by itself.
    pub sessions: u8,
    /// How many nodes there can be at once, with `/` and the paths that are only watched.
    pub nodes: u8,
}

/// A `ZooKeeper` server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZooKeeper {
    sizes: Sizes,
    tick_ms: u16,
    container_check_ms: u32,
}

impl ZooKeeper {
    /// The server's own interval between two looks for empty containers, in milliseconds
    /// (`znode.container.checkIntervalMs`).
    pub const CONTAINER_CHECK_MS: u32 = 60_000;
    /// The longest tick in milliseconds: 20 of them fit 16 bits.
    pub const LONGEST_TICK_MS: u16 = u16::MAX / 20;

    /// A server of this size with this `tickTime` in milliseconds. `None` if the tick is 0
    /// or longer than [`ZooKeeper::LONGEST_TICK_MS`], or if there are no nodes, more than
    /// [`Children::MOST`], or more than 100 callers or sessions.
    pub fn new(sizes: Sizes, tick_ms: u16) -> Option<Self> {
        let ticks = 1..=Self::LONGEST_TICK_MS;
        let fits = (1..=Children::MOST).contains(&sizes.nodes.into()) && sizes.callers.max(sizes.sessions) <= 100;
        let server = Self { sizes, tick_ms, container_check_ms: Self::CONTAINER_CHECK_MS };
        (fits && ticks.contains(&tick_ms)).then_some(server)
    }

    /// The same server, with another time from when a container has lost its last child
    /// to when it is deleted, in milliseconds. The real server looks at fixed times, so
    /// there it takes anything from nothing to one interval; here it takes all of it.
    #[must_use]
    pub fn with_container_check(self, after_ms: u32) -> Self {
        Self { container_check_ms: after_ms, ..self }
    }

    /// Behind those of the sessions: when empty containers are deleted.
    fn container_timer(&self) -> Timer {
        self.sizes.sessions
    }

    /// Arms the look for empty containers if there is one to find.
    fn watch_containers(&self, state: &State, time: &mut dyn Time) {
        let timer = self.container_timer();
        match (state.empty_container(), time.left_us(timer)) {
            (Some(_), None) => time.arm(timer, u64::from(self.container_check_ms) * 1_000),
            (None, Some(_)) => time.disarm(timer),
            _ => {}
        }
    }
}

impl System for ZooKeeper {
    type Command = Command;
    type Reply = Reply;

    /// Sessions are timed by `System.nanoTime`:
    /// <https://github.com/apache/zookeeper/blob/master/zookeeper-server/src/main/java/org/apache/zookeeper/common/Time.java>.
    const CLOCK: ClockKind = ClockKind::Monotonic;

    fn parse(&self, words: &str) -> Option<Command> {
        command::parse(words)
    }

    fn length(&self) -> usize {
        state::length(self)
    }

    fn start(&self, cells: &mut [Cell]) {
        State { system: self, cells }.start();
    }

    fn execute(&self, caller: Caller, command: &Command, cells: &mut [Cell], time: &mut dyn Time) -> Option<Reply> {
        if caller >= self.sizes.callers {
            return Some(Reply::Failed(Failure::BeyondModel(Limit::Callers)));
        }
        let mut state = State { system: self, cells };
        if *command == Command::Event {
            return state.event(caller);
        }
        let reply = request(&mut state, caller, command, time);
        self.watch_containers(&state, time);
        Some(reply.unwrap_or_else(Reply::Failed))
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        let mut state = State { system: self, cells };
        if timer < self.sizes.sessions {
            state.expire(timer);
        } else {
            while let Some(container) = state.empty_container() {
                let zxid = state.next_zxid();
                state.remove(container, zxid);
            }
        }
        self.watch_containers(&state, time);
    }

    fn disconnect(&self, caller: Caller, cells: &mut [Cell], _: &mut dyn Time) {
        if caller < self.sizes.callers {
            State { system: self, cells }.lose_connection(caller);
        }
    }

    /// All connections go. With its data, the server finds its sessions again and gives
    /// each its whole timeout. Without, it knows none of them: each client hears, when it
    /// has connected again, that its session has ended. (A real client that has seen a
    /// higher zxid than the server's is turned away until it opens a new handle.)
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        let mut state = State { system: self, cells };
        if keeps_memory {
            for caller in state.callers() {
                state.lose_connection(caller);
            }
            state.touch_all(time);
            time.disarm(self.container_timer());
            self.watch_containers(&state, time);
            return;
        }
        for timer in 0..self.timers() {
            time.disarm(timer);
        }
        for caller in state.callers() {
            state.drop_watches(caller, true);
            *state.seen_mut(caller) = 0;
            if matches!(state.handle(caller), Handle::Session { .. }) {
                state.set_handle(caller, Handle::Dead);
            }
        }
        state.forget_tree();
        state.start();
    }

    fn timers(&self) -> u8 {
        self.sizes.sessions + 1
    }
}

fn request(state: &mut State, caller: Caller, command: &Command, time: &mut dyn Time) -> Result<Reply, Failure> {
    match command {
        Command::Connect { timeout_ms } => return state.connect(caller, *timeout_ms, time),
        Command::Reconnect => return state.reconnect(caller, time),
        _ => {}
    }
    let session = state.session(caller)?;
    state.touch(session, time);
    match command {
        Command::Ping => Ok(Reply::Pong),
        Command::Close => state.close(caller, session, time),
        Command::Create { path, mode, data } => state.create(path, *mode, *data, session),
        Command::Exists { path, watch } => state.exists(caller, path, *watch),
        Command::GetData(path) => state.get_data(path),
        Command::GetChildren(path) => state.get_children(path),
        Command::SetData(set) => state.set_data(set),
        Command::Delete { path, version } => state.delete(path, *version),
        Command::Multi(multi) => state.multi(multi).map(Reply::Multi),
        Command::Connect { .. } | Command::Reconnect | Command::Event => {
            unreachable!("it was handled before there was need of a session")
        }
    }
}
