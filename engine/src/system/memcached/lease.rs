//! The leases of Facebook's memcached (Nishtala et al., NSDI 2013, section 3.2.1,
//! <https://www.usenix.org/conference/nsdi13/technical-sessions/presentation/nishtala>),
//! in the words of its router
//! (<https://github.com/facebook/mcrouter/blob/main/mcrouter/lib/network/AsciiSerialized.cpp>).
//!
//! - A miss brings a token that is bound to the key; a set has to show it, and a delete
//!   of the key voids it, also when there is nothing to delete.
//! - A key gives out a token only once in a while. That limits how many clients go to
//!   the database; it isn't the length of a lease, and a delete doesn't end it.
//! - A token says nothing about where the value was read: a client that misses after
//!   the delete and reads a replica that lags has a valid token and an old value.
//!
//! The paper doesn't say what becomes of a token when a later one is given out; here
//! only the newest is valid. Left out: serving the deleted value for a while as stale,
//! which the meta commands show (`md` with `I`).

use super::Leases;
use super::command::Store;
use super::item::Items;
use super::reply::{Content, Reply};
use crate::system::names::Word;

/// Reads an item; on a miss, gives out a token or says that one was given out just now.
pub(super) fn get(key: usize, name: Word, leases: Leases, items: &mut Items) -> Reply {
    if let Some(item) = items.get(key) {
        return Reply::Found { leased: true, key: name, content: Content::from(item), cas: None };
    }
    if items.is_pausing(key) {
        return Reply::NotFoundHot;
    }
    let pause_us = match leases {
        Leases::Unknown | Leases::EveryMiss => None,
        Leases::OnceIn(pause_us) => Some(pause_us),
    };
    Reply::Lease { key: name, token: items.lend(key, pause_us) }
}

/// Stores a value if its token is the one that is out; a token is good for one set.
pub(super) fn set(token: u16, store: Store, items: &mut Items) -> Reply {
    if !items.is_lent(store.key, token) {
        return Reply::NotStored;
    }
    items.void(store.key);
    super::classic::set(store, items)
}
