//! The fields that each kind of step can have.
//!
//! Outcomes whose field must be there are those after which going on as if nothing
//! had happened is never meant.

use racescope_engine::sim::LIMITS;

use super::shape::{Kind, Slot, may, need};
use super::steps;

/// Every step.
pub(super) const STEP: &[Slot] = &[
    need("step", Kind::OneOf(steps::kinds), "step = \"read\""),
    may("label", Kind::Name),
    may("after", Kind::Duration),
];

/// The fields in which any step may name the values that it puts somewhere.
pub(super) const PUTS: &[Slot] = &[
    may("token", Kind::Name),
    may("version", Kind::Name),
    may("value", Kind::Name),
    may("into", Kind::Name),
    may("tries", Kind::Name),
    may("answers", super::asks::ANSWERS),
];

/// Every step that asks a server. The two fields come together.
pub(super) const DEADLINE: &[Slot] = &[may("timeout", Kind::Span), may("on_timed_out", Kind::Name)];

pub(super) const ACQUIRE: &[Slot] = &[
    need("lock", Kind::Name, LOCK),
    need("ttl", Kind::Span, TTL),
    may("token", Kind::Name),
    may("blocking", Kind::Is(false)),
    may("on_granted", Kind::Name),
    need("on_busy", Kind::Name, "on_busy = \"stop\", or the label of the step to go on with"),
];

/// An `acquire` with `blocking = true`, which is never told that the lock is taken.
pub(super) const ACQUIRE_BLOCKING: &[Slot] = &[
    need("lock", Kind::Name, LOCK),
    need("ttl", Kind::Span, TTL),
    may("token", Kind::Name),
    need("blocking", Kind::Is(true), "blocking = true"),
    may("on_granted", Kind::Name),
];

pub(super) const CHECK: &[Slot] = &[
    need("lock", Kind::Name, LOCK),
    may("token", Kind::Name),
    may("on_held", Kind::Name),
    need("on_lost", Kind::Name, ON_LOST),
];

pub(super) const RENEW: &[Slot] = &[
    need("lock", Kind::Name, LOCK),
    need("ttl", Kind::Span, TTL),
    may("token", Kind::Name),
    may("on_held", Kind::Name),
    need("on_lost", Kind::Name, ON_LOST),
];

pub(super) const RELEASE: &[Slot] =
    &[need("lock", Kind::Name, LOCK), may("token", Kind::Name), may("on_done", Kind::Name), may("on_lost", Kind::Name)];

pub(super) const READ: &[Slot] = &[
    need("storage", Kind::Name, STORAGE),
    may("version", Kind::Name),
    may("value", Kind::Name),
    may("on_done", Kind::Name),
];

pub(super) const WRITE: &[Slot] = &[
    need("storage", Kind::Name, STORAGE),
    may("value", Kind::Name),
    may("based_on", Kind::Name),
    may("token", Kind::Name),
    may("on_accepted", Kind::Name),
    may("on_refused", Kind::Name),
];

pub(super) const COMPUTE: &[Slot] = &[
    may("from", Kind::Name),
    may("into", Kind::Name),
    may("add", Kind::Number(0, u16::MAX)),
    may("on_done", Kind::Name),
];

pub(super) const COMPARE: &[Slot] = &[
    may("value", Kind::Name),
    need("with", Kind::Number(0, u16::MAX), "with = 1"),
    may("on_below", Kind::Name),
    need("on_at_least", Kind::Name, "on_at_least = \"stop\", or the label of the step to go on with"),
];

/// Every step that asks nobody and takes no time.
pub(super) const LOCAL: &[Slot] = &[may("at_once", Kind::Truth)];

pub(super) const WAIT: &[Slot] = &[need("for", Kind::Span, "for = \"200 ms\""), may("on_done", Kind::Name)];

pub(super) const BACKOFF: &[Slot] = &[
    need("kind", Kind::OneOf(super::contention::kinds), "kind = \"full-jitter\""),
    may("base", Kind::Span),
    may("cap", Kind::Span),
    need("attempts", Kind::Number(1, LIMITS.tries as u16), "attempts = 5"),
    may("tries", Kind::Name),
    may("seed", Kind::Number(0, u16::MAX)),
    may("on_done", Kind::Name),
    need("on_exhausted", Kind::Name, "on_exhausted = \"stop\", or the label of the step to go on with"),
];

const LOCK: &str = "lock = \"the name of a node\"";
const STORAGE: &str = "storage = \"the name of a node\"";
const TTL: &str = "ttl = \"3 s\"";
const ON_LOST: &str = "on_lost = \"stop\", or the label of the step to go on with";
