//! A lease in a row, as `ShedLock` keeps it, and the times that its statements compare.
//!
//! `now()` is the time at which the transaction began, `clock_timestamp()` the time of
//! the moment (<https://www.postgresql.org/docs/15/functions-datetime.html#FUNCTIONS-DATETIME-CURRENT>).
//! A client that reads the clock itself and sends both times later may write an end
//! that has passed already (<https://github.com/lukas-krecan/ShedLock/issues/132>).
//!
//! No time is kept as a number. An end is a deadline with a timer, and a reading of the
//! clock is the set of deadlines that were ahead of it. All readings are of the
//! server's clock, so the clients' clocks agree with it; a step back of that clock
//! doesn't bring back a deadline that has passed.

use super::command::{LeaseCondition, Locking, Until};
use super::layout::{
    COMMITTED, COMPUTED, Database, LOCKED_BY, PENDING, SHEDLOCK, Set, UNTIL, VARIABLE_UNTIL, VARIABLES_SET, WAITING,
    columns, deadlines,
};
use super::reply::{Reply, Rows, Tag, Value};
use super::rows::Found;
use super::transaction::Status;
use super::{Progress, Step};

impl Database<'_> {
    /// `UPDATE shedlock`.
    pub(super) fn update_lease(
        &mut self,
        caller: usize,
        until: Until,
        locked_by: Option<u16>,
        conditions: &[LeaseCondition],
    ) -> Progress {
        self.reads(caller, SHEDLOCK)?;
        let matches = |db: &Self, image: usize| db.lease_holds(caller, image, conditions);
        // The new row is worked out before a wait, and again only if the row has changed.
        if !self.is(caller, WAITING) && matches(self, self.visible(caller, SHEDLOCK)) {
            self.compute(caller, until);
        }
        match self.lock_row(caller, SHEDLOCK, Locking::Wait, matches)? {
            Found::Nothing => Ok(Step::Done(Reply::Tag(Tag::Update(0)))),
            Found::Wait => Ok(Step::Wait(SHEDLOCK)),
            Found::Row { is_newer, .. } => {
                if is_newer {
                    self.compute(caller, until);
                }
                self.writes(caller, SHEDLOCK)?;
                self.change(caller, SHEDLOCK);
                let row = PENDING + columns(SHEDLOCK).start;
                self.cells[row + UNTIL] = self.get(caller, COMPUTED);
                self.cells[row + LOCKED_BY] = locked_by.unwrap_or(self.cells[row + LOCKED_BY]);
                Ok(Step::Done(Reply::Tag(Tag::Update(1))))
            }
        }
    }

    fn lease_holds(&self, caller: usize, image: usize, conditions: &[LeaseCondition]) -> bool {
        let deadline = usize::from(self.column(image, SHEDLOCK, UNTIL)).checked_sub(1);
        let is_over = |ahead: Set| deadline.is_none_or(|deadline| !self.has(ahead, deadline));
        conditions.iter().all(|condition| match *condition {
            LeaseCondition::OverAtStart => is_over(Set::AheadAtStart(caller)),
            LeaseCondition::OverByNow => is_over(Set::Armed),
            LeaseCondition::OverAtReading => is_over(Set::AheadAtReading(caller)),
            LeaseCondition::Ahead => !is_over(Set::Armed),
            LeaseCondition::LockedBy(node) => self.column(image, SHEDLOCK, LOCKED_BY) == node,
        })
    }

    /// `SELECT locked_by FROM shedlock`.
    pub(super) fn select_locked_by(&mut self, caller: usize, conditions: &[LeaseCondition]) -> Progress {
        self.reads(caller, SHEDLOCK)?;
        let image = self.visible(caller, SHEDLOCK);
        if !self.lease_holds(caller, image, conditions) {
            return Ok(Step::Done(Reply::Rows(Rows::default())));
        }
        let node = self.column(image, SHEDLOCK, LOCKED_BY);
        let value = if node == 0 { Value::Null } else { Value::Node(node) };
        Ok(Step::Done(Reply::Rows(Rows::one(value))))
    }

    /// `SELECT clock_timestamp() … \gset`: the client keeps the time, and the time a while later.
    pub(super) fn set_variables(&mut self, caller: usize, lasts_us: u64) -> Reply {
        self.set(caller, VARIABLE_UNTIL, 0);
        self.drop_idle_deadlines();
        self.set(caller, VARIABLES_SET, 1);
        self.read_clock(Set::AheadAtReading(caller));
        let until = self.new_deadline(Some(lasts_us));
        self.set(caller, VARIABLE_UNTIL, until);
        Reply::Tag(Tag::Select(1))
    }

    /// Works out the end that a statement will write.
    fn compute(&mut self, caller: usize, until: Until) {
        self.set(caller, COMPUTED, 0);
        self.drop_idle_deadlines();
        let deadline = match until {
            Until::ClockPlus(lasts_us) => self.new_deadline(Some(lasts_us)),
            Until::Clock => self.new_deadline(None),
            Until::Variable => self.get(caller, VARIABLE_UNTIL),
        };
        self.set(caller, COMPUTED, deadline);
    }

    /// Makes a reading of the clock: the deadlines that are ahead now.
    pub(super) fn read_clock(&mut self, reading: Set) {
        for deadline in 0..deadlines(self.callers) {
            self.put(reading, deadline, self.has(Set::Armed, deadline));
        }
    }

    /// Forgets a reading.
    pub(super) fn clear_set(&mut self, reading: Set) {
        (0..deadlines(self.callers)).for_each(|deadline| self.put(reading, deadline, false));
    }

    /// A deadline so many microseconds ahead, or one that passes now; counted from 1.
    fn new_deadline(&mut self, after_us: Option<u64>) -> u16 {
        let is_free = |&deadline: &usize| !self.has(Set::Armed, deadline) && !self.has(Set::Passed, deadline);
        let free = (0..deadlines(self.callers)).find(is_free);
        let deadline = free.expect("there are as many deadlines as places that can refer to one");
        match after_us {
            Some(after_us) => self.time.arm((self.callers + deadline) as u8, after_us),
            None => self.put(Set::Passed, deadline, true),
        }
        self.put(Set::Armed, deadline, after_us.is_some());
        for caller in self.sessions() {
            let has_begun = self.status(caller) != Status::Idle;
            self.put(Set::AheadAtStart(caller), deadline, has_begun);
            let has_read = self.is(caller, VARIABLES_SET);
            self.put(Set::AheadAtReading(caller), deadline, has_read);
        }
        deadline as u16 + 1
    }

    /// The timer of a deadline fires.
    pub(super) fn pass_deadline(&mut self, deadline: usize) {
        if self.has(Set::Armed, deadline) {
            self.put(Set::Armed, deadline, false);
            self.put(Set::Passed, deadline, true);
            self.drop_idle_deadlines();
        }
    }

    /// Drops deadlines that nothing refers to, and makes those that have passed in the
    /// eyes of all as good as none, so that equal states have equal cells.
    pub(super) fn drop_idle_deadlines(&mut self) {
        for deadline in 0..deadlines(self.callers) {
            let is_armed = self.has(Set::Armed, deadline);
            if !is_armed && !self.has(Set::Passed, deadline) {
                continue;
            }
            let is_ahead_of = |&caller: &usize| {
                self.has(Set::AheadAtStart(caller), deadline) || self.has(Set::AheadAtReading(caller), deadline)
            };
            let is_past_to_all = !is_armed && !self.sessions().any(|caller| is_ahead_of(&caller));
            if is_past_to_all {
                self.replace_deadline(deadline as u16 + 1);
            }
            if is_past_to_all || !self.refers_to(deadline as u16 + 1) {
                self.put(Set::Armed, deadline, false);
                self.put(Set::Passed, deadline, false);
                for caller in self.sessions() {
                    self.put(Set::AheadAtStart(caller), deadline, false);
                    self.put(Set::AheadAtReading(caller), deadline, false);
                }
                if is_armed {
                    self.time.disarm((self.callers + deadline) as u8);
                }
            }
        }
    }

    fn refers_to(&self, deadline: u16) -> bool {
        let in_a_row = |image: usize| self.column(image, SHEDLOCK, UNTIL) == deadline;
        let in_a_session = |caller: usize| {
            in_a_row(self.snapshot(caller))
                || self.get(caller, VARIABLE_UNTIL) == deadline
                || self.get(caller, COMPUTED) == deadline
        };
        in_a_row(COMMITTED) || in_a_row(PENDING) || self.sessions().any(in_a_session)
    }

    fn replace_deadline(&mut self, deadline: u16) {
        let replace_in_row = |db: &mut Self, image: usize| {
            let cell = &mut db.cells[image + columns(SHEDLOCK).start + UNTIL];
            *cell = if *cell == deadline { 0 } else { *cell };
        };
        replace_in_row(self, COMMITTED);
        replace_in_row(self, PENDING);
        for caller in self.sessions() {
            let snapshot = self.snapshot(caller);
            replace_in_row(self, snapshot);
            for field in [VARIABLE_UNTIL, COMPUTED] {
                if self.get(caller, field) == deadline {
                    self.set(caller, field, 0);
                }
            }
        }
    }
}
