//! Systems by name: how a scenario says which real system a node is.
//!
//! A [`Setup`] is plain data. [`Setup::build`] makes a [`Server`] of it, which is any
//! system with its commands and replies as text. A new system is a line in [`ENTRIES`].

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::chubby::{self, Chubby, SequencerCheck};
use super::etcd::{Etcd, Release};
use super::grant::{Check, Mode, SignedGrants};
use super::idempotency::{Idempotency, Steps};
use super::kafka::{Kafka, TransactionVersion};
use super::memcached::{Leases, Memcached};
use super::outbox::{self, Consumer, Outbox, Publishing};
use super::outside::Outside;
use super::redis::{Redis, RedisPair, Version};
use super::s3::{Overlap, S3};
use super::saga::{Memory, Saga};
use super::zookeeper::{self, ZooKeeper};
use super::{Caller, Cell, ClockKind, System, Time, Timer};
use super::{cassandra, consul, dynamodb, dynamodb_lock, elasticsearch, etcd, journal_node, kubernetes, postgres};

/// Which system a node is, and how it is set up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Its name in [`kinds`], such as "redis".
    pub kind: String,
    /// The keys, documents, resources or steps that it knows.
    pub keys: Vec<String>,
    /// The words that it can keep as values, where it has to know them beforehand.
    pub words: Vec<String>,
    /// Which of its behaviours it has, such as a release; the first one if it doesn't say.
    pub variant: Option<String>,
    /// How far its copies lag, in microseconds, where it has any.
    pub lag_us: u64,
}

/// Why a system can't be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// There is no system of this name.
    NoSuchKind(String),
    /// The system has no such behaviour; these are the ones that it has.
    NoSuchVariant(String, &'static [&'static str]),
    /// Keys or words are too many, too long, or written in other letters.
    NamesDoNotFit,
    /// The system tells no more clients apart than this.
    TooManyClients(u8),
}

/// A server whose commands and replies are text.
pub trait Server: Debug {
    /// The clock that a timer follows.
    fn clock(&self, timer: Timer) -> ClockKind;
    /// How many cells of state it needs.
    fn length(&self) -> usize;
    /// How many timers it has.
    fn timers(&self) -> u8;
    /// Sets up fresh cells, which are all zero.
    fn start(&self, cells: &mut [Cell]);
    /// Handles a command as a client writes it.
    fn ask(&self, caller: Caller, words: &str, cells: &mut [Cell], time: &mut dyn Time) -> Answer;
    /// Whether these words are a command of it.
    fn knows(&self, words: &str) -> bool;
    /// A timer that was armed fires.
    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time);
    /// The connection of a caller is gone.
    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time);
    /// The server stops and comes back.
    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time);
    /// Whether a timer is the arrival of what a copy lags behind.
    fn is_replication(&self, timer: Timer) -> bool;
}

/// What a server does about a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is none of its commands.
    NotACommand,
    /// It keeps the command until something has changed.
    Waits,
    /// It answers, in its own words.
    Replies(String),
}

impl<S: System + Debug> Server for S {
    fn clock(&self, timer: Timer) -> ClockKind {
        System::clock(self, timer)
    }

    fn length(&self) -> usize {
        System::length(self)
    }

    fn timers(&self) -> u8 {
        System::timers(self)
    }

    fn start(&self, cells: &mut [Cell]) {
        System::start(self, cells);
    }

    fn ask(&self, caller: Caller, words: &str, cells: &mut [Cell], time: &mut dyn Time) -> Answer {
        let Some(command) = self.parse(words) else { return Answer::NotACommand };
        let reply = self.execute(caller, &command, cells, time);
        reply.map_or(Answer::Waits, |reply| Answer::Replies(reply.to_string()))
    }

    fn knows(&self, words: &str) -> bool {
        self.parse(words).is_some()
    }

    fn fire(&self, timer: Timer, cells: &mut [Cell], time: &mut dyn Time) {
        System::fire(self, timer, cells, time);
    }

    fn disconnect(&self, caller: Caller, cells: &mut [Cell], time: &mut dyn Time) {
        System::disconnect(self, caller, cells, time);
    }

    fn restart(&self, keeps_memory: bool, cells: &mut [Cell], time: &mut dyn Time) {
        System::restart(self, keeps_memory, cells, time);
    }

    fn is_replication(&self, timer: Timer) -> bool {
        System::is_replication(self, timer)
    }
}

/// One line of the table of systems.
struct Entry {
    name: &'static str,
    /// The behaviours that it can have; the first one is the default.
    variants: &'static [&'static str],
    /// Makes the server, for so many callers and with the variant of this place.
    build: fn(&Setup, u8, usize) -> Option<Rc<dyn Server>>,
}

/// All systems.
const ENTRIES: [Entry; 20] = [
    Entry { name: "redis", variants: &["7.0", "8.4"], build: redis },
    Entry { name: "redis-pair", variants: &["7.0", "8.4"], build: redis_pair },
    Entry { name: "postgres", variants: &[], build: |_, callers, _| shared(postgres::Postgres::new(callers)?) },
    Entry { name: "zookeeper", variants: &[], build: zookeeper },
    Entry { name: "etcd", variants: &["3.5", "3.4"], build: etcd },
    Entry { name: "memcached", variants: &["public", "leases"], build: memcached },
    Entry {
        name: "consul",
        variants: &[],
        build: |setup, callers, _| shared(consul::Consul::new(&names(&setup.keys), callers)?),
    },
    Entry { name: "chubby", variants: &["unchecked", "asks-chubby", "newest-seen"], build: chubby },
    Entry { name: "kubernetes", variants: &[], build: |_, _, _| shared(kubernetes::ApiServer { last_version: 0 }) },
    Entry { name: "dynamodb-lock-table", variants: &[], build: |_, _, _| shared(dynamodb_lock::LockTable) },
    Entry { name: "journal-node", variants: &[], build: |_, _, _| shared(journal_node::JournalNode) },
    Entry { name: "kafka", variants: &["one-epoch-for-all", "one-epoch-each"], build: kafka },
    Entry {
        name: "elasticsearch",
        variants: &[],
        build: |setup, _, _| shared(elasticsearch::Elasticsearch::new(&names(&setup.keys), 0, 1)?),
    },
    Entry {
        name: "dynamodb",
        variants: &[],
        build: |setup, _, _| shared(dynamodb::Dynamodb::new(&names(&setup.keys), setup.lag_us)),
    },
    Entry { name: "s3", variants: &["precondition-failed", "conflict"], build: s3 },
    Entry {
        name: "cassandra",
        variants: &[],
        build: |setup, _, _| shared(cassandra::Cassandra::new(&names(&setup.keys))),
    },
    Entry { name: "idempotency", variants: &["apart", "one-transaction"], build: idempotency },
    Entry { name: "outbox", variants: &["deduplicates", "trusts", "second-write"], build: outbox },
    Entry { name: "saga", variants: &["tombstones", "forgets"], build: saga },
    Entry { name: "signed-grants", variants: SIGNED_GRANTS, build: signed_grants },
];

/// A plain effect on the world outside, and then all entries.
const OUTSIDE: Entry = Entry { name: "outside", variants: &[], build: |_, _, _| shared(Outside) };

/// The systems that this build has: all, or none to keep a page small.
fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().chain(core::iter::once(&OUTSIDE)).filter(|_| cfg!(feature = "systems"))
}

/// The names of all systems.
pub fn kinds() -> Vec<&'static str> {
    entries().map(|entry| entry.name).collect()
}

/// The behaviours that a system can have, the default first; none if it has only one.
pub fn variants(kind: &str) -> &'static [&'static str] {
    entries().find(|entry| entry.name == kind).map_or(&[], |entry| entry.variants)
}

/// The most keys, and the most words, that any system has.
const MOST_NAMES: usize = 64;

/// How many callers a system can tell apart: most have room for all that there are.
fn most_callers(kind: &str) -> u8 {
    match kind {
        "chubby" => chubby::CLIENTS,
        "outbox" => outbox::CALLERS as u8,
        _ => MOST_CALLERS,
    }
}

/// More callers than a scenario has nodes.
const MOST_CALLERS: u8 = 33;

impl Setup {
    /// Makes the server, for so many callers: the clients, and one who is none of them.
    ///
    /// # Errors
    /// If there is no such system or behaviour, its names don't fit, or it can't tell so
    /// many callers apart.
    pub fn build(&self, callers: u8) -> Result<Rc<dyn Server>, SetupError> {
        let entry = entries().find(|entry| entry.name == self.kind);
        let entry = entry.ok_or_else(|| SetupError::NoSuchKind(self.kind.clone()))?;
        let variant = match &self.variant {
            None => 0,
            Some(name) => {
                let place = entry.variants.iter().position(|variant| variant == name);
                place.ok_or_else(|| SetupError::NoSuchVariant(name.clone(), entry.variants))?
            }
        };
        let most = most_callers(entry.name);
        if callers > most {
            return Err(SetupError::TooManyClients(most - 1));
        }
        if self.keys.len().max(self.words.len()) > MOST_NAMES {
            return Err(SetupError::NamesDoNotFit);
        }
        (entry.build)(self, callers, variant).ok_or(SetupError::NamesDoNotFit)
    }
}

#[allow(clippy::unnecessary_wraps, reason = "it ends functions that may find that names don't fit")]
fn shared(server: impl Server + 'static) -> Option<Rc<dyn Server>> {
    Some(Rc::new(server))
}

fn names(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// A node with transactions for all callers, who can queue four commands each.
fn redis_node(setup: &Setup, callers: u8, variant: usize) -> Option<Redis> {
    let version = if variant == 0 { Version::V7_0 } else { Version::V8_4 };
    let node = Redis::new(version, &names(&setup.keys), &names(&setup.words)).ok()?;
    let transactions = setup.words.iter().any(|word| word == "MULTI");
    Some(if transactions { node.with_transactions(callers, 4) } else { node })
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

fn etcd(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    let release = if variant == 0 { Release::V3_5 } else { Release::V3_4 };
    let keys = u8::try_from(setup.keys.len()).ok()?.checked_add(callers)?;
    shared(Etcd::new(release, etcd::Sizes { keys, leases: callers, snapshot: false }))
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

fn s3(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    shared(S3::new(&names(&setup.keys), [Overlap::PreconditionFailed, Overlap::Conflict][variant], callers))
}

fn idempotency(setup: &Setup, callers: u8, variant: usize) -> Option<Rc<dyn Server>> {
    const DAY_US: u64 = 86_400_000_000;
    shared(Idempotency::new(&names(&setup.keys), [Steps::Apart, Steps::OneTransaction][variant], DAY_US, callers))
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

impl core::fmt::Display for SetupError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NoSuchKind(name) => write!(f, "there is no system {name:?}"),
            Self::NoSuchVariant(name, known) => {
                let known = known.iter().map(|known| format!("{known:?}")).collect::<Vec<_>>().join(", ");
                write!(f, "it has no variant {name:?}, only: {known}")
            }
            Self::TooManyClients(most) => write!(f, "it tells at most {most} clients apart"),
            Self::NamesDoNotFit => write!(f, "its keys or words are too many, too long, or have other letters"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(kind: &str) -> Setup {
        Setup { kind: kind.into(), keys: alloc::vec!["k".into()], words: alloc::vec!["a".into()], ..Setup::default() }
    }

    #[test]
    fn each_system_can_be_set_up_in_each_of_its_variants() {
        for kind in kinds() {
            assert!(setup(kind).build(4).is_ok(), "{kind}");
            for variant in variants(kind) {
                let named = Setup { variant: Some((*variant).into()), ..setup(kind) };
                assert!(named.build(4).is_ok(), "{kind} {variant}");
            }
        }
    }

    #[test]
    fn any_number_of_keys_and_callers_is_taken_or_refused() {
        for kind in kinds() {
            for keys in [0, 64, 65, 254, 255, 256, 65_537] {
                for callers in [1, 8, 9, 33, 34, 255] {
                    let keys: Vec<String> = (0..keys).map(|at| format!("{at}")).collect();
                    let built = Setup { keys, ..setup(kind) }.build(callers);
                    assert!(built.is_err() || callers < 34, "{kind} takes {callers} callers");
                    if let Ok(server) = built {
                        server.start(&mut alloc::vec![0; server.length()]);
                    }
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |setup: Setup| setup.build(4).expect_err("it doesn't fit").to_string();
        assert_eq!(error(setup("redos")), "there is no system \"redos\"");
        let old = Setup { variant: Some("3.3".into()), ..setup("etcd") };
        assert_eq!(error(old), "it has no variant \"3.3\", only: \"3.5\", \"3.4\"");
        let chubby = setup("chubby").build(9).expect_err("it doesn't fit");
        assert_eq!(chubby.to_string(), "it tells at most 7 clients apart");
        let long = Setup { keys: alloc::vec!["a key with spaces".into()], ..setup("redis") };
        assert_eq!(error(long), "its keys or words are too many, too long, or have other letters");
    }
}
