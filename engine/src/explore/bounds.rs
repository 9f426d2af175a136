//! What is assumed to go wrong in a search, and how often in one schedule.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::sim::{Action, Assumptions, Fault, Leg, Model, World};
use crate::system::ClockKind;

/// What may go wrong in a schedule. The first four say what can hold something up or
/// hurry a timer, and have no number; the others say how often something happens.
///
/// Bounds belong to the search and not to the world: a timed run is never stopped by one.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Processes may stand still for longer than a lease or a deadline lasts.
    pub pauses: bool,
    /// Messages may be on the way for longer than that.
    pub late_messages: bool,
    /// Wall clocks may jump.
    pub clock_steps: bool,
    /// Clocks may run at a wrong rate.
    pub clock_rates: bool,
    /// How many leases may end while their holder could still go on. This needs one
    /// of the four above: on honest clocks a lease outlasts the work that is done
    /// under it, if nothing holds the work up. The lease of a holder that has ended,
    /// has crashed or waits for ever ends without being counted.
    pub expiries: u8,
    /// How many requests may be lost.
    pub lost_requests: u8,
    /// How many replies may be lost.
    pub lost_replies: u8,
    /// How many requests may arrive twice.
    pub duplicates: u8,
    /// How often a node may crash, with or without its memory.
    pub crashes: u8,
    /// How often a node may stop and come back with what it knew, beside its crashes.
    pub halts: u8,
    /// How often a server may get an older state back.
    pub restores: u8,
    /// How often an operator may break a lease.
    pub forced_unlocks: u8,
    /// How often a lock service may forget its state.
    pub state_losses: u8,
}

impl Default for Bounds {
    /// Processes may pause, and so two leases end early: one for each of two clients.
    fn default() -> Self {
        Self { pauses: true, expiries: 2, ..Self::NONE }
    }
}

/// How many kinds of trouble are counted.
pub(super) const KINDS: usize = 9;

/// How much may still go wrong, in the order of the fields of [`Bounds`].
pub(super) type Left = [u8; KINDS];

const EXPIRIES: usize = 0;
const LOST_REQUESTS: usize = 1;
const LOST_REPLIES: usize = 2;
const DUPLICATES: usize = 3;
const CRASHES: usize = 4;
pub(super) const RESTORES: usize = 5;
const FORCED_UNLOCKS: usize = 6;
const STATE_LOSSES: usize = 7;
const HALTS: usize = 8;

impl Bounds {
    /// Nothing goes wrong.
    pub const NONE: Self = Self {
        pauses: false,
        late_messages: false,
        clock_steps: false,
        clock_rates: false,
        expiries: 0,
        lost_requests: 0,
        lost_replies: 0,
        duplicates: 0,
        crashes: 0,
        halts: 0,
        restores: 0,
        forced_unlocks: 0,
        state_losses: 0,
    };

    /// Nothing goes wrong but that processes pause, so that this many leases end early.
    pub const fn expiries(expiries: u8) -> Self {
        Self { pauses: true, expiries, ..Self::NONE }
    }

    /// The switches of the model.
    pub fn assumptions(&self) -> Assumptions {
        Assumptions {
            pauses: self.pauses,
            expiries: true,
            lost_messages: self.lost_requests > 0 || self.lost_replies > 0,
            duplicates: self.duplicates > 0,
            crashes: self.crashes > 0 || self.halts > 0,
            restores: self.restores > 0,
            forced_unlocks: self.forced_unlocks > 0,
            state_losses: self.state_losses > 0,
            leader_changes: false,
        }
    }

    /// Whether something can make work take longer than a timer, or a timer shorter: without
    /// it, no lease ends early.
    pub fn timers_can_win(&self) -> bool {
        self.pauses || self.late_messages || self.clock_steps || self.clock_rates
    }

    /// Whether a fault is of a kind that is assumed.
    pub fn assumes(&self, fault: &Fault) -> bool {
        match fault {
            Fault::Pause(_) => self.pauses,
            Fault::MessageDelay(_) | Fault::MessageReorder(_) => self.late_messages,
            Fault::ClockStep(_) => self.clock_steps,
            Fault::ClockRate(_) => self.clock_rates,
            Fault::Crash(crash) => self.crashes > 0 || crash.keeps_memory && self.halts > 0,
            Fault::MessageLoss(loss) => match loss.leg {
                Leg::Request => self.lost_requests > 0,
                Leg::Reply => self.lost_replies > 0,
            },
            Fault::MessageDuplicate(_) => self.duplicates > 0,
            Fault::SnapshotRestore(_) => self.restores > 0,
            Fault::ForcedUnlock(_) => self.forced_unlocks > 0,
            Fault::StateLoss(_) => self.state_losses > 0,
            Fault::Partition(_) | Fault::ReplicaLag(_) | Fault::LeaderChange(_) => false,
        }
    }

    pub(super) fn left(&self) -> Left {
        let expiries = if self.timers_can_win() { self.expiries } else { 0 };
        [
            expiries,
            self.lost_requests,
            self.lost_replies,
            self.duplicates,
            self.crashes,
            self.restores,
            self.forced_unlocks,
            self.state_losses,
            self.halts,
        ]
    }

    /// Lists what can happen next with so much left that may go wrong.
    pub(super) fn possible(&self, model: &Model<'_>, world: &World, left: Left, actions: &mut Vec<Action>) {
        let mut assumptions = self.assumptions();
        assumptions.restores &= left[RESTORES] > 0;
        if assumptions == (Assumptions { pauses: self.pauses, expiries: true, ..Assumptions::default() }) {
            // Nothing else can go wrong, so nothing else is asked for.
            model.enabled(world, actions);
        } else {
            model.enabled_under(world, &assumptions, actions);
        }
        actions.retain(|&action| match action {
            // A message is lost half-way, and so before anybody stops waiting for it; what
            // is astray is lost only at a server that is down.
            Action::LoseStray(slot) => model.stray_asks_one_that_is_down(world, slot),
            Action::TimeOut(client) => self.deadline_may_pass(model, world, client),
            Action::Pass(client) => {
                let is_moved = self.clock_steps && model.has_date_ahead(world, client);
                self.pauses || self.late_messages || self.clock_rates || is_moved
            }
            _ => {
                spent(model, world, action, left).is_none_or(|kind| left[kind] > 0 && self.may_be_early(model, action))
            }
        });
    }

    /// Steps of a wall clock don't move the timers of a system that goes by its
    /// monotonic one.
    fn may_be_early(&self, model: &Model<'_>, action: Action) -> bool {
        let Action::Fire(node, timer) = action else { return true };
        self.pauses || self.late_messages || self.clock_rates || model.clock(node, timer) == ClockKind::Wall
    }

    /// A deadline passes while its call could still be answered only if something is
    /// late. Steps of a wall clock don't move it.
    fn deadline_may_pass(&self, model: &Model<'_>, world: &World, client: u8) -> bool {
        self.pauses || self.late_messages || self.clock_rates || !model.is_being_answered(world, client)
    }
}

/// Takes note that an action happens.
pub(super) fn spend(model: &Model<'_>, world: &World, action: Action, left: &mut Left) {
    if let Some(kind) = spent(model, world, action, *left) {
        left[kind] = left[kind].saturating_sub(1);
    }
}

/// Of which bound an action takes, if it takes of one.
fn spent(model: &Model<'_>, world: &World, action: Action, left: Left) -> Option<usize> {
    match action {
        Action::Expire(lock) => model.holder_can_go_on(world, lock).then_some(EXPIRIES),
        Action::Fire(node, timer) => model.ends_something_early(world, node, timer).then_some(EXPIRIES),
        Action::Lose(client) => match model.leg_of(world, client) {
            _ if model.asks_one_that_is_down(world, client) => None,
            Leg::Request => Some(LOST_REQUESTS),
            Leg::Reply => Some(LOST_REPLIES),
        },
        Action::Duplicate(_) => Some(DUPLICATES),
        Action::Halt(_) if left[HALTS] > 0 => Some(HALTS),
        Action::Crash(_) | Action::Halt(_) => Some(CRASHES),
        Action::Restore(_) => Some(RESTORES),
        Action::ForceUnlock(_) => Some(FORCED_UNLOCKS),
        Action::Forget(_) => Some(STATE_LOSSES),
        Action::Step(_)
        | Action::Serve(_)
        | Action::ServeStray(_)
        | Action::Deliver(_)
        | Action::LoseStray(_)
        | Action::TimeOut(_)
        | Action::Pass(_)
        | Action::ChangeLeader(_)
        | Action::Restart(_)
        | Action::Snapshot(_) => None,
    }
}

impl fmt::Display for Bounds {
    /// In words: `processes may pause; at most 2 leases end early`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of("a service"))
    }
}

impl Bounds {
    /// In words, with the name of what may forget its state: `at most 1 loss of all that
    /// PostgreSQL knows`.
    pub fn of(&self, forgetful: &str) -> String {
        let at_most = |number: u8, one: &str, many: &str| match number {
            0 => None,
            1 => Some(format!("at most 1 {one}")),
            number => Some(format!("at most {number} {many}")),
        };
        let said = |switch: bool, words: &str| switch.then(|| words.to_string());
        let expiries = if self.timers_can_win() { self.expiries } else { 0 };
        let parts: Vec<String> = [
            said(self.pauses, "processes may pause"),
            said(self.late_messages, "messages may be late"),
            said(self.clock_steps, "clocks may jump"),
            said(self.clock_rates, "clocks may run at a wrong rate"),
            at_most(expiries, "lease ends early", "leases end early"),
            at_most(self.lost_requests, "request is lost", "requests are lost"),
            at_most(self.lost_replies, "reply is lost", "replies are lost"),
            at_most(self.duplicates, "request arrives twice", "requests arrive twice"),
            at_most(self.crashes, "crash", "crashes"),
            at_most(
                self.halts,
                "node stops and comes back with what it knew",
                "nodes stop and come back with what they knew",
            ),
            at_most(self.restores, "restore of an older state", "restores of older states"),
            at_most(self.forced_unlocks, "forced unlock", "forced unlocks"),
            at_most(
                self.state_losses,
                &format!("loss of all that {forgetful} knows"),
                &format!("losses of all that {forgetful} knows"),
            ),
        ]
        .into_iter()
        .flatten()
        .collect();
        if parts.is_empty() { "nothing goes wrong".to_string() } else { parts.join("; ") }
    }
}
