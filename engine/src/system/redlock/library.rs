//! The published Redlock libraries, by what they do differently.
//!
//! Each was read at one commit, which its entry links to; later releases may differ.

/// A Redlock library, as far as it decides who holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// Its name.
    pub name: &'static str,
    /// Which clock of the client it reads before and after it asks the nodes.
    pub clock: ClientClock,
    /// How finely it reads that clock, in microseconds.
    pub resolution_us: u64,
    /// What it takes off the lease because the nodes' clocks may run faster.
    pub drift: Drift,
    /// When it says that it has the lock.
    pub accepts: Accepts,
    /// What it does if it has the lock but a node failed.
    pub on_failed_node: OnFailedNode,
    /// How its tries follow each other.
    pub rounds: Rounds,
    /// What extending does when the key is no longer there; `None` if it can't extend.
    pub extend_after_end: Option<ExtendAfterEnd>,
    /// How often it tries in all by default; `None` if it doesn't count.
    pub tries: Option<u8>,
    /// How long it waits between two tries by default; `None` if it has no such delay.
    pub delay: Option<Delay>,
    /// How long it waits for one node, in percent of the lease; `None` if it leaves
    /// that to the connection.
    pub node_timeout_percent: Option<u8>,
}

/// A clock of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientClock {
    /// The date. A step back between the readings makes the lease seem longer.
    Wall,
    /// Time since some start; it is never stepped.
    Monotonic,
}

/// How much of the lease is given up for clocks that drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drift {
    /// Nothing.
    None,
    /// A hundredth of the lease, and some more.
    Hundredth {
        /// How the hundredth is rounded.
        rounding: Rounding,
        /// What is added, in microseconds.
        plus_us: u64,
    },
}

/// How a hundredth of the lease is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Down to a whole millisecond.
    Down,
    /// To the nearest millisecond, and up from the middle.
    Nearest,
    /// Not at all: here to microseconds.
    Exact,
}

/// When a library says that it has the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepts {
    /// With a majority, and if some of the lease is left.
    QuorumAndTimeLeft,
    /// With a majority, and if the lease isn't over by more than nothing: at the very
    /// moment of its end, it still accepts.
    QuorumAndNotBeyondEnd,
    /// With a majority, whatever is left of the lease.
    QuorumAlone,
}

/// What a library does with a majority if another node failed to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailedNode {
    /// It counts it as a vote that it didn't get.
    Ignores,
    /// It raises an error and releases nothing: the lock is held, and nobody knows.
    Raises,
}

/// How the tries of one call follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// Each is for itself: the clock is read anew before it, and after it, if it has
    /// failed, every node is asked to release.
    Separate,
    /// They are one: the clock is read before the first, and nodes are asked to release
    /// after the last. So a node that said yes to one try says no to the next.
    Joined,
}

/// What extending a lock does when its key has ended already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtendAfterEnd {
    /// It fails.
    Fails,
    /// It takes the lock anew by default, as if it had been held all the time.
    TakesAnew,
    /// It fails by default, and takes the lock anew if it was told so.
    TakesAnewIfTold,
}

/// A random delay, evenly spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The shortest, in milliseconds.
    pub least_ms: u16,
    /// The longest, in milliseconds. If it equals the shortest, two clients that have
    /// split the votes will split them again.
    pub most_ms: u16,
}

/// The algorithm's own allowance: a hundredth of the lease, rounded down, and 2 ms.
const REFERENCE_DRIFT: Drift = Drift::Hundredth { rounding: Rounding::Down, plus_us: 2_000 };
const MILLISECOND_US: u64 = 1_000;

impl Library {
    /// The reference, <https://github.com/antirez/redlock-rb/blob/2af803d8/redlock.rb>.
    pub const REDLOCK_RB: Self = Self {
        name: "antirez/redlock-rb",
        clock: ClientClock::Wall,
        resolution_us: MILLISECOND_US,
        drift: REFERENCE_DRIFT,
        accepts: Accepts::QuorumAndTimeLeft,
        on_failed_node: OnFailedNode::Ignores,
        rounds: Rounds::Separate,
        extend_after_end: None,
        tries: Some(3),
        delay: Some(Delay { least_ms: 0, most_ms: 199 }),
        node_timeout_percent: None,
    };

    /// <https://github.com/leandromoreira/redlock-rb/tree/f176e574>. Its lock script takes
    /// a key that is absent or its own, so an extension that comes too late takes the
    /// lock anew, unless it is told `extend_only_if_locked`.
    pub const LEANDROMOREIRA: Self = Self {
        name: "leandromoreira/redlock-rb",
        clock: ClientClock::Monotonic,
        accepts: Accepts::QuorumAndNotBeyondEnd,
        extend_after_end: Some(ExtendAfterEnd::TakesAnew),
        tries: Some(4),
        delay: Some(Delay { least_ms: 200, most_ms: 249 }),
        ..Self::REDLOCK_RB
    };

    /// <https://github.com/go-redsync/redsync/blob/5560bd2d/mutex.go>. Its clock readings
    /// carry a monotonic part.
    pub const REDSYNC: Self = Self {
        name: "go-redsync/redsync",
        clock: ClientClock::Monotonic,
        resolution_us: 1,
        drift: Drift::Hundredth { rounding: Rounding::Exact, plus_us: 0 },
        extend_after_end: Some(ExtendAfterEnd::TakesAnewIfTold),
        tries: Some(32),
        delay: Some(Delay { least_ms: 50, most_ms: 249 }),
        node_timeout_percent: Some(5),
        ..Self::REDLOCK_RB
    };

    /// <https://github.com/SPSCommerce/redlock-py/blob/42ef4910/redlock/__init__.py>.
    pub const REDLOCK_PY: Self = Self {
        name: "SPSCommerce/redlock-py",
        on_failed_node: OnFailedNode::Raises,
        delay: Some(Delay { least_ms: 200, most_ms: 200 }),
        ..Self::REDLOCK_RB
    };

    /// <https://github.com/mike-marcacci/node-redlock/blob/afe5cf92/src/index.ts>. It returns
    /// a lock with the time of its end, and doesn't look whether that has passed
    /// (<https://github.com/mike-marcacci/node-redlock/pull/369> would).
    pub const NODE_REDLOCK: Self = Self {
        name: "mike-marcacci/node-redlock",
        drift: Drift::Hundredth { rounding: Rounding::Nearest, plus_us: 2_000 },
        accepts: Accepts::QuorumAlone,
        rounds: Rounds::Joined,
        extend_after_end: Some(ExtendAfterEnd::Fails),
        tries: Some(11),
        delay: Some(Delay { least_ms: 100, most_ms: 299 }),
        ..Self::REDLOCK_RB
    };

    /// `RedissonRedLock` of <https://github.com/redisson/redisson/tree/66863978>, which is
    /// deprecated. It does no arithmetic on the lease.
    pub const REDISSON: Self = Self {
        name: "redisson RedissonRedLock",
        drift: Drift::None,
        accepts: Accepts::QuorumAlone,
        extend_after_end: Some(ExtendAfterEnd::Fails),
        tries: None,
        delay: None,
        ..Self::REDLOCK_RB
    };

    /// All of them, the reference first.
    pub const ALL: [Self; 6] =
        [Self::REDLOCK_RB, Self::LEANDROMOREIRA, Self::REDSYNC, Self::REDLOCK_PY, Self::NODE_REDLOCK, Self::REDISSON];
}
