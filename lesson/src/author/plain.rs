//! The two plain servers: a lock that grants leases, and a storage with a guard.

use racescope_engine::sim::{Guard, LIMITS, LeaseLock, VersionedRegister};

use super::shape::{self, Kind, Slot, Slots, may, need};
use super::table::Fields;

/// The fields of a plain lock.
pub(super) const LOCK_SLOTS: Slots = &[LOCK, SERVER];

/// The fields of a plain storage.
pub(super) const STORAGE_SLOTS: Slots = &[STORAGE, SERVER];

const LOCK: &[Slot] = &[
    need("lock", Kind::OneOf(|| shape::names(&LOCKS)), "lock = \"redis-lease\""),
    may("first_token", Kind::Number(1, LIMITS.first_number)),
    may("expires", Kind::Truth),
];

const STORAGE: &[Slot] = &[
    need("storage", Kind::OneOf(|| shape::names(&STORAGES)), "storage = \"versioned-register\""),
    need("guard", Kind::OneOf(|| shape::names(&GUARDS)), "guard = \"last-write-wins\""),
    may("first_version", Kind::Number(0, LIMITS.first_number)),
    may("first_value", Kind::Number(0, LIMITS.first_number)),
    may("first_fence", Kind::Number(0, LIMITS.first_number)),
];

/// What all servers have. A message always takes some time, so that no loop that
/// calls a server can go round without any.
const SERVER: &[Slot] =
    &[need("latency", Kind::Span, "latency = \"200 ms\""), need("title", Kind::Text, "title = \"…\"")];

const LOCKS: [(&str, ()); 1] = [("redis-lease", ())];

const STORAGES: [(&str, ()); 1] = [("versioned-register", ())];

const GUARDS: [(&str, Guard); 4] = [
    ("last-write-wins", Guard::LastWriteWins),
    ("fence-below", Guard::FenceBelow),
    ("fence-at-most", Guard::FenceAtMost),
    ("version-compare-and-set", Guard::VersionCompareAndSet),
];

/// Reads a plain lock.
pub(super) fn lock(fields: &mut Fields) -> Option<LeaseLock> {
    let kind = fields.get("lock").and_then(|field| field.one_of("kind of lock", &LOCKS));
    let first_token = fields.get("first_token").map_or(Some(1), |field| field.number());
    let expires = fields.get("expires").map_or(Some(true), |field| field.truth());
    let latency_us = latency_us(fields);
    kind?;
    Some(LeaseLock { first_token: first_token?, latency_us: latency_us?, expires: expires? })
}

/// Reads a plain storage.
pub(super) fn storage(fields: &mut Fields) -> Option<VersionedRegister> {
    let kind = fields.get("storage").and_then(|field| field.one_of("kind of storage", &STORAGES));
    let guard = fields.get("guard").and_then(|field| field.one_of("guard", &GUARDS));
    let mut first = |name, or| fields.get(name).map_or(Some(or), |field| field.number());
    let (version, value, fence) = (first("first_version", 1), first("first_value", 0), first("first_fence", 0));
    let latency_us = latency_us(fields);
    kind?;
    Some(VersionedRegister {
        guard: guard?,
        first_version: version?,
        first_value: value?,
        first_fence: fence?,
        latency_us: latency_us?,
    })
}

fn latency_us(fields: &mut Fields) -> Option<u64> {
    fields.get("latency")?.span_us()
}
