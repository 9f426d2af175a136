//! What may go wrong in a schedule, one by one, as the panel of all schedules offers it.

use racescope_engine::explore::Bounds;

/// Something that may go wrong, or how often it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// Processes may stand still.
    Pauses,
    /// Messages may be late.
    LateMessages,
    /// Wall clocks may jump.
    ClockSteps,
    /// Clocks may run at a wrong rate.
    ClockRates,
    /// Leases end early.
    Expiries,
    /// Requests are lost.
    LostRequests,
    /// Replies are lost.
    LostReplies,
    /// Requests arrive twice.
    Duplicates,
    /// Nodes crash.
    Crashes,
    /// Nodes stop and come back with what they knew.
    Halts,
    /// Servers get an older state back.
    Restores,
    /// An operator breaks a lease.
    ForcedUnlocks,
    /// A lock service forgets what it knew.
    StateLosses,
}

/// The most that can be asked for of something that is counted. Beyond a few, a
/// search says nothing more and takes for ever.
const MOST: u8 = 3;

impl Assumption {
    /// What is on or off, in the order in which it is offered.
    pub const SWITCHES: [Self; 4] = [Self::Pauses, Self::LateMessages, Self::ClockSteps, Self::ClockRates];

    /// What is counted, in the order in which it is offered.
    pub const NUMBERS: [Self; 9] = [
        Self::Expiries,
        Self::LostRequests,
        Self::LostReplies,
        Self::Duplicates,
        Self::Crashes,
        Self::Halts,
        Self::Restores,
        Self::ForcedUnlocks,
        Self::StateLosses,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pauses => "Processes may pause",
            Self::LateMessages => "Messages may be late",
            Self::ClockSteps => "Clocks may jump",
            Self::ClockRates => "Clocks may run at a wrong rate",
            Self::Expiries => "Leases that end early",
            Self::LostRequests => "Lost requests",
            Self::LostReplies => "Lost replies",
            Self::Duplicates => "Requests that arrive twice",
            Self::Crashes => "Crashes",
            Self::Halts => "Stops with memory kept",
            Self::Restores => "Restores of an older state",
            Self::ForcedUnlocks => "Forced unlocks",
            Self::StateLosses => "Services that forget",
        }
    }

    /// The most that it can be set to.
    pub fn most(self) -> u8 {
        if Self::SWITCHES.contains(&self) { 1 } else { MOST }
    }

    /// What it is set to; 1 for what is on.
    pub fn of(self, bounds: &Bounds) -> u8 {
        let mut bounds = *bounds;
        match self.place(&mut bounds) {
            Place::Switch(switch) => u8::from(*switch),
            Place::Number(number) => *number,
        }
    }

    /// Sets it, to its most if that is less.
    pub fn set(self, bounds: &mut Bounds, value: u8) {
        match self.place(bounds) {
            Place::Switch(switch) => *switch = value > 0,
            Place::Number(number) => *number = value.min(MOST),
        }
    }

    fn place(self, bounds: &mut Bounds) -> Place<'_> {
        match self {
            Self::Pauses => Place::Switch(&mut bounds.pauses),
            Self::LateMessages => Place::Switch(&mut bounds.late_messages),
            Self::ClockSteps => Place::Switch(&mut bounds.clock_steps),
            Self::ClockRates => Place::Switch(&mut bounds.clock_rates),
            Self::Expiries => Place::Number(&mut bounds.expiries),
            Self::LostRequests => Place::Number(&mut bounds.lost_requests),
            Self::LostReplies => Place::Number(&mut bounds.lost_replies),
            Self::Duplicates => Place::Number(&mut bounds.duplicates),
            Self::Crashes => Place::Number(&mut bounds.crashes),
            Self::Halts => Place::Number(&mut bounds.halts),
            Self::Restores => Place::Number(&mut bounds.restores),
            Self::ForcedUnlocks => Place::Number(&mut bounds.forced_unlocks),
            Self::StateLosses => Place::Number(&mut bounds.state_losses),
        }
    }
}

/// Where it lies in the bounds.
enum Place<'a> {
    Switch(&'a mut bool),
    Number(&'a mut u8),
}
