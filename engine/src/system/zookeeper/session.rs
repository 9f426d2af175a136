//! Sessions: how long a client's ephemeral nodes live without word from it.
//!
//! - The server grants a timeout from 2 to 20 ticks.
//! - It looks once a tick, so the end of a session lies on a tick: the timeout after the
//!   last packet, rounded up to the next tick (a whole tick more if it lies on one).
//! - It goes by a monotonic clock: a step of the wall clock ends no session.
//! - Only the server decides that a session has ended, and the client hears of it when it
//!   has a connection again. Until then it is merely disconnected.
//!
//! See <https://zookeeper.apache.org/doc/r3.8.0/zookeeperProgrammers.html#ch_zkSessions> and
//! <https://github.com/apache/zookeeper/blob/master/zookeeper-server/src/main/java/org/apache/zookeeper/server/ExpiryQueue.java>.

use super::code::Handle;
use super::reply::{Failure, Limit, Reply};
use super::state::State;
use crate::system::{Caller, Time};

impl State<'_> {
    /// Opens a handle with a session of its own. One that the caller had is left alone.
    pub(super) fn connect(&mut self, caller: Caller, asked_ms: u16, time: &mut dyn Time) -> Result<Reply, Failure> {
        if self.numbers_run_out() {
            return Err(Failure::BeyondModel(Limit::Numbers));
        }
        let free = (0..self.system.sizes.sessions).find(|&session| *self.timeout_ms_mut(session) == 0);
        let session = free.ok_or(Failure::BeyondModel(Limit::Sessions))?;
        self.drop_watches(caller, true);
        *self.seen_mut(caller) = 0;
        let timeout_ms = asked_ms.clamp(2 * self.system.tick_ms, 20 * self.system.tick_ms);
        *self.timeout_ms_mut(session) = timeout_ms;
        self.set_handle(caller, Handle::Session { session, connected: true });
        self.next_zxid();
        self.touch(session, time);
        Ok(Reply::Connected { timeout_ms })
    }

    /// Offers the session that the handle has. Only now does a client hear that it has ended.
    pub(super) fn reconnect(&mut self, caller: Caller, time: &mut dyn Time) -> Result<Reply, Failure> {
        match self.handle(caller) {
            Handle::None => Err(Failure::NotConnected),
            Handle::Dead | Handle::Expired => {
                self.set_handle(caller, Handle::Expired);
                Err(Failure::SessionExpired)
            }
            Handle::Session { session, connected } => {
                if !connected {
                    self.set_handle(caller, Handle::Session { session, connected: true });
                    self.set_watches_again(caller);
                }
                self.touch(session, time);
                Ok(Reply::Connected { timeout_ms: *self.timeout_ms_mut(session) })
            }
        }
    }

    /// The session over which a request of this caller arrives.
    pub(super) fn session(&self, caller: Caller) -> Result<u8, Failure> {
        match self.handle(caller) {
            Handle::None => Err(Failure::NotConnected),
            Handle::Dead | Handle::Session { connected: false, .. } => Err(Failure::ConnectionLoss),
            Handle::Expired => Err(Failure::SessionExpired),
            Handle::Session { session, connected: true } => Ok(session),
        }
    }

    /// A packet has come: the session's end moves.
    ///
    /// The model has no number for the time. That each session ends on a tick tells how
    /// far away the next tick is; the first session of all starts on one.
    pub(super) fn touch(&mut self, session: u8, time: &mut dyn Time) {
        let tick_us = u64::from(self.system.tick_ms) * 1_000;
        let ends = (0..self.system.sizes.sessions).find_map(|session| time.left_us(session));
        let since_tick_us = ends.map_or(0, |left_us| (tick_us - left_us % tick_us) % tick_us);
        let timeout_us = u64::from(*self.timeout_ms_mut(session)) * 1_000;
        let end_us = ((since_tick_us + timeout_us) / tick_us + 1) * tick_us;
        time.arm(session, end_us - since_tick_us);
    }

    /// The client ends its session.
    pub(super) fn close(&mut self, caller: Caller, session: u8, time: &mut dyn Time) -> Result<Reply, Failure> {
        if self.numbers_run_out() {
            return Err(Failure::BeyondModel(Limit::Numbers));
        }
        time.disarm(session);
        self.drop_watches(caller, true);
        self.set_handle(caller, Handle::None);
        self.end(session);
        Ok(Reply::Done)
    }

    /// The server ends a session whose time is over, and closes its connection.
    pub(super) fn expire(&mut self, session: u8) {
        if *self.timeout_ms_mut(session) == 0 {
            return;
        }
        for caller in self.callers() {
            if matches!(self.handle(caller), Handle::Session { session: own, .. } if own == session) {
                self.set_handle(caller, Handle::Dead);
                *self.seen_mut(caller) = 0;
                self.drop_watches(caller, false);
            }
        }
        self.end(session);
    }

    /// A session and its ephemeral nodes go in one change.
    fn end(&mut self, session: u8) {
        *self.timeout_ms_mut(session) = 0;
        let zxid = self.next_zxid();
        self.remove_ephemerals(session, zxid);
    }

    /// The connection of a caller is gone; its session isn't.
    pub(super) fn lose_connection(&mut self, caller: Caller) {
        if let Handle::Session { session, connected: true } = self.handle(caller) {
            self.set_handle(caller, Handle::Session { session, connected: false });
            *self.seen_mut(caller) = self.zxid();
        }
    }

    /// A server that has just started gives each session that it finds its whole timeout.
    pub(super) fn touch_all(&mut self, time: &mut dyn Time) {
        for session in 0..self.system.sizes.sessions {
            if *self.timeout_ms_mut(session) > 0 {
                self.touch(session, time);
            }
        }
    }
}
