//! Sessions and keys in their cells, and what happens to them.

use super::command::{Behavior, Create, Put};
use super::reply::{Entry, SessionId};
use crate::system::Cell;
use crate::system::names::Word;
use crate::system::{Time, Timer};

// First two numbers, then the sessions, then the keys.
const INDEX: usize = 0; // of the last change
const CREATED: usize = 1; // how many sessions there have been
const SESSIONS: usize = 2;

const KIND: usize = 0; // 0 if there is no such session (any more)
const TTL: usize = 1; // in seconds, or 0
const LOCK_DELAY: usize = 2; // in seconds
const SESSION: usize = 3;

/// The bits of a session's kind.
const ALIVE: Cell = 1;
const DELETES: Cell = 2;
const CHECKED: Cell = 4;

const MODIFY_INDEX: usize = 0; // 0 if there is no such key
const LOCK_INDEX: usize = 1;
const HOLDER: usize = 2; // the session plus one, or 0
const VALUE: usize = 3;
const KEY: usize = 4;

const SECOND_US: u64 = 1_000_000;
/// The server waits for twice the TTL before it invalidates a session.
const TTL_MULTIPLIER: u64 = 2;

/// The number of cells.
pub(super) fn length(sessions: u8, keys: usize) -> usize {
    SESSIONS + usize::from(sessions) * SESSION + keys * KEY
}

/// All that a cluster keeps.
pub(super) struct State<'a> {
    pub sessions: u8,
    pub keys: usize,
    pub cells: &'a mut [Cell],
    pub time: &'a mut dyn Time,
}

/// What is known of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub lock_index: u16,
    pub modify_index: u16,
    pub session: Option<SessionId>,
    value: Word,
}

impl Row {
    pub fn entry(self, key: Word) -> Entry {
        let Self { lock_index, modify_index, session, value } = self;
        Entry { lock_index, key, value, session, modify_index }
    }
}

impl State<'_> {
    pub fn create(&mut self, create: Create) -> Option<SessionId> {
        let created = self.cells[CREATED];
        if created >= self.sessions.into() {
            return None;
        }
        let session = SessionId(created as u8);
        self.cells[CREATED] = created + 1;
        self.next_index();
        let deletes = if create.behavior == Behavior::Delete { DELETES } else { 0 };
        let checked = if create.is_checked { CHECKED } else { 0 };
        let kind = ALIVE | deletes | checked;
        let cells = [kind, create.ttl_s.unwrap_or(0), create.lock_delay_s];
        self.cells[session_at(session)..][..SESSION].copy_from_slice(&cells);
        self.renew(session);
        Some(session)
    }

    pub fn is_alive(&self, session: SessionId) -> bool {
        self.cells[session_at(session) + KIND] != 0
    }

    /// Whether the health of the session's node matters to it.
    pub fn is_checked(&self, session: SessionId) -> bool {
        self.cells[session_at(session) + KIND] & CHECKED != 0
    }

    /// Gives a session its whole TTL; false if it is no more.
    pub fn renew(&mut self, session: SessionId) -> bool {
        let ttl_s = self.cells[session_at(session) + TTL];
        if self.is_alive(session) && ttl_s > 0 {
            self.time.arm(session.0, u64::from(ttl_s) * SECOND_US * TTL_MULTIPLIER);
        }
        self.is_alive(session)
    }

    /// Ends a session, lets go of its keys, and keeps them from being acquired for its
    /// lock-delay.
    pub fn invalidate(&mut self, session: SessionId) {
        if !self.is_alive(session) {
            return;
        }
        self.time.disarm(session.0);
        let at = session_at(session);
        let deletes = self.cells[at + KIND] & DELETES != 0;
        let lock_delay_s = self.cells[at + LOCK_DELAY];
        self.cells[at..at + SESSION].fill(0);
        let index = self.next_index();
        for key in 0..self.keys {
            let Some(row) = self.get(key).filter(|row| row.session == Some(session)) else { continue };
            let left = Row { session: None, modify_index: index, ..row };
            self.store(key, (!deletes).then_some(left));
            if lock_delay_s > 0 {
                self.time.arm(self.delay_of(key), u64::from(lock_delay_s) * SECOND_US);
            }
        }
    }

    pub fn get(&self, key: usize) -> Option<Row> {
        let at = self.key_at(key);
        let cells = &self.cells[at..at + KEY];
        let session = cells[HOLDER].checked_sub(1).map(|session| SessionId(session as u8));
        let (lock_index, modify_index) = (cells[LOCK_INDEX], cells[MODIFY_INDEX]);
        Some(Row { lock_index, modify_index, session, value: Word::from_cell(cells[VALUE])? })
    }

    pub fn delete(&mut self, key: usize) {
        if self.get(key).is_some() {
            self.next_index();
            self.store(key, None);
        }
    }

    /// Writes a value, whoever holds the key, and leaves the lock as it is.
    pub fn put(&mut self, put: Put) -> bool {
        let (lock_index, session) = self.get(put.key).map_or((0, None), |row| (row.lock_index, row.session));
        self.change(put, lock_index, session);
        true
    }

    pub fn compare_and_set(&mut self, put: Put, index: u16) -> bool {
        let current = self.get(put.key).map_or(0, |row| row.modify_index);
        current == index && self.put(put)
    }

    /// Takes a key that nobody holds and that isn't in a lock-delay. The holder can do
    /// so again, which writes its value and leaves the `LockIndex` as it is.
    pub fn acquire(&mut self, put: Put, session: SessionId) -> bool {
        if self.time.left_us(self.delay_of(put.key)).is_some() {
            return false;
        }
        let (lock_index, holder) = self.get(put.key).map_or((0, None), |row| (row.lock_index, row.session));
        match holder {
            None => self.change(put, lock_index.saturating_add(1), Some(session)),
            Some(holder) if holder == session => self.change(put, lock_index, holder.into()),
            Some(_) => return false,
        }
        true
    }

    /// Lets go of a key that this session holds, whoever asks for it.
    pub fn release(&mut self, put: Put, session: SessionId) -> bool {
        match self.get(put.key) {
            Some(row) if row.session == Some(session) => self.change(put, row.lock_index, None),
            _ => return false,
        }
        true
    }

    /// The real index has 64 bits.
    pub fn has_no_indexes_left(&self) -> bool {
        self.cells[INDEX] == Cell::MAX
    }

    /// Writes a key, with a new `ModifyIndex` if anything about it differs.
    fn change(&mut self, put: Put, lock_index: u16, session: Option<SessionId>) {
        let old = self.get(put.key);
        let unchanged =
            Row { lock_index, modify_index: old.map_or(0, |row| row.modify_index), session, value: put.value };
        if old != Some(unchanged) {
            let modify_index = self.next_index();
            self.store(put.key, Some(Row { modify_index, ..unchanged }));
        }
    }

    fn store(&mut self, key: usize, row: Option<Row>) {
        let at = self.key_at(key);
        let cells = row.map_or([0; KEY], |row| {
            let holder = row.session.map_or(0, |session| Cell::from(session.0) + 1);
            [row.modify_index, row.lock_index, holder, row.value.to_cell()]
        });
        self.cells[at..at + KEY].copy_from_slice(&cells);
    }

    fn next_index(&mut self) -> u16 {
        self.cells[INDEX] = self.cells[INDEX].saturating_add(1);
        self.cells[INDEX]
    }

    fn key_at(&self, key: usize) -> usize {
        SESSIONS + usize::from(self.sessions) * SESSION + key * KEY
    }

    /// The timer of a key's lock-delay.
    fn delay_of(&self, key: usize) -> Timer {
        self.sessions + key as Timer
    }
}

fn session_at(session: SessionId) -> usize {
    SESSIONS + usize::from(session.0) * SESSION
}
