//! The systems that scenarios can have: a line for each, and how it is made.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::chubby::{self, Chubby, SequencerCheck};
use super::etcd::{Etcd, Release};
use super::grant::{Check, Mode, SignedGrants};
use super::idempotency::{Idempotency, Steps};
use super::kafka::{Kafka, TransactionVersion};
use super::memcached::{Leases, Memcached};
use super::outbox::{self, Consumer, Outbox, Publishing};
use super::outside::Outside;
use super::redis::{Redis, RedisPair, Version};
use super::redis_list::RedisList;
use super::riak::{Concurrent, Riak};
use super::s3::{Overlap, S3};
use super::saga::{Memory, Saga};
use super::setup::{Server, Setting, Setup};
use super::zookeeper::{self, ZooKeeper};
use super::{cassandra, consul, dynamodb, dynamodb_lock, elasticsearch, etcd, journal_node, kubernetes, postgres};

/// Of most systems only the keys can be set.
const KEYS: &[Setting] = &[Setting::Keys];

/// More callers than a scenario has nodes.
const ANY: u8 = 33;

/// One line of the table of systems.
pub(super) struct Entry {
    pub name: &'static str,
    /// The behaviours that it can have; the first one is the default.
    pub variants: &'static [&'static str],
    /// What can be set of it, beside its variant.
    pub takes: &'static [Setting],
    /// The most callers that it can tell apart.
    pub most_callers: u8,
    /// Makes the server, for so many callers and with the variant of this place.
    pub build: fn(&Setup, u8, usize) -> Option<Rc<dyn Server>>,
}

/// All systems.
pub(super) const ENTRIES: &[Entry] = &[
    Entry { name: "redis", variants: REDIS, takes: &[Setting::Keys, Setting::Words], most_callers: ANY, build: redis },
    Entry {
        name: "redis-pair",
        variants: REDIS,
        takes: &[Setting::Keys, Setting::Words, Setting::Lag],
        most_callers: ANY,
        build: redis_pair,
    },
    Entry {
        name: "redis-list",
        variants: &[],
        takes: KEYS,
        most_callers: ANY,
        build: |setup, callers, _| shared(RedisList::new(&names(&setup.keys), callers)?),
    },
    Entry {
        name: "postgres",
        variants: &[],
        takes: &[],
        most_callers: ANY,
        build: |_, callers, _| shared(postgres::Postgres::new(callers)?),
    },
    Entry { name: "zookeeper", variants: &[], takes: &[], most_callers: ANY, build: zookeeper },
    Entry { name: "etcd", variants: ETCD, takes: KEYS, most_callers: ANY, build: etcd },
    Entry { name: "memcached", variants: &["public", "leases"], takes: KEYS, most_callers: ANY, build: memcached },
    Entry {
        name: "consul",
        variants: &[],
        takes: KEYS,
        most_callers: ANY,
        build: |setup, callers, _| shared(consul::Consul::new(&names(&setup.keys), callers)?),
    },
    Entry {
        name: "chubby",
        variants: &["unchecked", "asks-chubby", "newest-seen"],
        takes: &[],
        most_callers: chubby::CLIENTS,
        build: chubby,
    },
    Entry {
        name: "kubernetes",
        variants: &[],
        takes: &[],
        most_callers: ANY,
        build: |_, _, _| shared(kubernetes::ApiServer { last_version: 0 }),
    },
    Entry {
        name: "dynamodb-lock-table",
        variants: &[],
        takes: &[],
        most_callers: ANY,
        build: |_, _, _| shared(dynamodb_lock::LockTable),
    },
    Entry {
        name: "journal-node",
        variants: &[],
        takes: &[],
        most_callers: ANY,
        build: |_, _, _| shared(journal_node::JournalNode),
    },
    Entry {
        name: "kafka",
        variants: &["one-epoch-for-all", "one-epoch-each"],
        takes: &[],
        most_callers: ANY,
        build: kafka,
    },
    Entry {
        name: "elasticsearch",
        variants: &[],
        takes: KEYS,
        most_callers: ANY,
        build: |setup, _, _| shared(elasticsearch::Elasticsearch::new(&names(&setup.keys), 0, 1)?),
    },
    Entry {
        name: "dynamodb",
        variants: &[],
        takes: &[Setting::Keys, Setting::Lag],
        most_callers: ANY,
        build: |setup, _, _| shared(dynamodb::Dynamodb::new(&names(&setup.keys), setup.lag_us)),
    },
    Entry { name: "riak", variants: &["siblings", "last-write-wins"], takes: KEYS, most_callers: ANY, build: riak },
    Entry { name: "s3", variants: &["precondition-failed", "conflict"], takes: KEYS, most_callers: ANY, build: s3 },
    Entry {
        name: "cassandra",
        variants: &[],
        takes: KEYS,
        most_callers: ANY,
        build: |setup, _, _| shared(cassandra::Cassandra::new(&names(&setup.keys))),
    },
    Entry {
        name: "idempotency",
        variants: &["apart", "one-transaction"],
        takes: &[Setting::Keys, Setting::Retention],
        most_callers: ANY,
        build: idempotency,
    },
    Entry {
        name: "outbox",
        variants: &["deduplicates", "trusts", "second-write"],
        takes: &[],
        most_callers: outbox::CALLERS as u8,
        build: outbox,
    },
    Entry { name: "saga", variants: &["tombstones", "forgets"], takes: KEYS, most_callers: ANY, build: saga },
    Entry { name: "signed-grants", variants: SIGNED_GRANTS, takes: KEYS, most_callers: ANY, build: signed_grants },
    // A plain effect on the world outside.
    Entry { name: "outside", variants: &[], takes: &[], most_callers: ANY, build: |_, _, _| shared(Outside) },
];

#[allow(clippy::unnecessary_wraps, reason = "it ends functions that may find that names don't fit")]
fn shared(server: impl Server + 'static) -> Option<Rc<dyn Server>> {
    Some(Rc::new(server))
}

fn names(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// Two releases, each without and with transactions, which need room.
const REDIS: &[&str] = &["7.0", "8.4", "7.0-transactions", "8.4-transactions"];

/// A node, perhaps with transactions for all callers, who can queue four commands each.
fn redis_node(setup: &Setup, callers: u8, variant: usize) -> Option<Redis> {
    let version = if variant.is_multiple_of(2) { Version::V7_0 } else { Version::V8_4 };
    let node = Redis::new(version, &names(&setup.keys), &names(&setup.words)).ok()?;
    Some(if variant < 2 { node } else { node.with_transactions(callers, 4) })
}

fn redis(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    shared(redis_node(setup, callers, variant)?)
}

fn redis_pair(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    shared(RedisPair { primary: redis_node(setup, callers, variant)?, lag_us: setup.lag_us })
}

fn zookeeper(_: &Setup, callers: u8, _: usize) -> Option<Rc<dyn Server>> {
    let sizes = zookeeper::Sizes { callers, sessions: callers, nodes: callers + 3 };
    shared(ZooKeeper::new(sizes, 500)?)
}

/// Two releases, each without and with room for a snapshot.
const ETCD: &[&str] = &["3.5", "3.4", "3.5-snapshots", "3.4-snapshots"];

fn etcd(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    let release = if variant.is_multiple_of(2) { Release::V3_5 } else { Release::V3_4 };
    let keys = u8::try_from(setup.keys.len()).ok()?.checked_add(callers)?;
    shared(Etcd::new(release, etcd::Sizes { keys, leases: callers, snapshot: variant >= 2 }))
}

fn memcached(setup: &Setup, _: u8, variant: usize) -> Option<Rc<dyn Server>> {
    let leases = if variant == 0 { Leases::Unknown } else { Leases::EveryMiss };
    shared(Memcached::new(&names(&setup.keys))?.with_leases(leases))
}

fn chubby(_: &Setup, _: u8, variant: usize) -> Option<Rc<dyn Server>> {
    let checks = [SequencerCheck::None, SequencerCheck::AskChubby, SequencerCheck::NewestSeen];
    shared(Chubby { check: checks[variant] })
}

fn kafka(_: &Setup, _: u8, variant: usize) -> Option<Rc<dyn Server>> {
    let versions = [TransactionVersion::OneEpochForAll, TransactionVersion::OneEpochEach];
    shared(Kafka { transactions: versions[variant] })
}

fn riak(setup: &Setup, _: u8, variant: usize) -> Option<Rc<dyn Server>> {
    shared(Riak::new(&names(&setup.keys), [Concurrent::Siblings, Concurrent::LastWriteWins][variant]))
}

fn s3(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    shared(S3::new(&names(&setup.keys), [Overlap::PreconditionFailed, Overlap::Conflict][variant], callers))
}

fn idempotency(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    const DAY_US: u64 = 86_400_000_000;
    let retention_us = setup.retention_us.unwrap_or(DAY_US);
    shared(Idempotency::new(&names(&setup.keys), [Steps::Apart, Steps::OneTransaction][variant], retention_us, callers))
}

fn outbox(_: &Setup, _: u8, variant: usize) -> Option<Rc<dyn Server>> {
    let publishing = if variant == 2 { Publishing::SecondWrite } else { Publishing::Outbox };
    let consumer = if variant == 1 { Consumer::Trusts } else { Consumer::Deduplicates };
    shared(Outbox { publishing, consumer })
}

fn saga(setup: &Setup, _: u8, variant: usize) -> Option<Rc<dyn Server>> {
    shared(Saga::new(&names(&setup.keys), [Memory::Tombstones, Memory::Forgets][variant]))
}

/// Two modes, and then what leaves out each of [`Check::ALL`] in turn.
const SIGNED_GRANTS: &[&str] = &[
    "enforcing",
    "shadow",
    "without-authenticity",
    "without-resource",
    "without-epoch",
    "without-status",
    "without-policy",
    "without-owner",
    "without-halt",
    "without-fence",
    "without-digest",
    "without-receipt",
    "without-segment",
];

fn signed_grants(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    const PROOF_LASTS_US: u64 = 5_000_000;
    let mode = if variant == 1 { Mode::Shadow } else { Mode::Enforcing };
    let grants = SignedGrants::new(&names(&setup.keys), mode, 4, PROOF_LASTS_US, callers)?;
    let left_out = variant.checked_sub(2).and_then(|place| Check::ALL.get(place));
    match left_out {
        Some(&check) => shared(grants.without(check)),
        None => shared(grants),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_leave_out_the_check_that_their_variant_names() {
        let named = Check::ALL.map(|check| alloc::format!("without-{}", check.name()));
        assert_eq!(SIGNED_GRANTS[2..], named);
    }
}
