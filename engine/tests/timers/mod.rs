//! Timers without a clock, for tests in which any armed one may fire next.
#![allow(dead_code, reason = "not every test fires a timer")]

use racescope_engine::system::{Time, Timer};

/// Which timers are armed, and for how long, in microseconds.
pub struct Timers {
    armed: Vec<Option<u64>>,
}

impl Timers {
    /// So many timers, none of them armed.
    pub fn new(count: u8) -> Self {
        Self { armed: vec![None; count.into()] }
    }

    /// Disarms a timer because it fires now; false if it isn't armed.
    pub fn take(&mut self, timer: Timer) -> bool {
        self.armed.get_mut(usize::from(timer)).is_some_and(|armed| armed.take().is_some())
    }
}

impl Time for Timers {
    fn arm(&mut self, timer: Timer, after_us: u64) {
        self.armed[usize::from(timer)] = Some(after_us);
    }

    fn disarm(&mut self, timer: Timer) {
        self.armed[usize::from(timer)] = None;
    }

    fn left_us(&self, timer: Timer) -> Option<u64> {
        self.armed[usize::from(timer)]
    }
}
