//! The older commands `get`, `gets`, `set`, `add`, `cas` and `delete`
//! (<https://github.com/memcached/memcached/blob/1.6.18/doc/protocol.txt>).

use super::command::Store;
use super::item::Items;
use super::reply::{Content, Reply};
use crate::system::names::Word;

/// Reads an item. It tells nothing of marks: a stale value looks like a fresh one.
pub(super) fn get(key: usize, name: Word, with_cas: bool, items: &Items) -> Reply {
    let Some(item) = items.get(key) else { return Reply::End };
    let cas = with_cas.then_some(item.cas);
    Reply::Found { leased: false, key: name, content: Content::from(item), cas }
}

/// Stores a value, whatever is there.
pub(super) fn set(store: Store, items: &mut Items) -> Reply {
    items.put(store.key, store.cell());
    items.live(store.key, store.ttl_s);
    Reply::Stored
}

/// Stores a value if there is no item; one that `mg` made on a miss is one.
pub(super) fn add(store: Store, items: &mut Items) -> Reply {
    if items.get(store.key).is_some() { Reply::NotStored } else { set(store, items) }
}

/// Stores a value over the item that has the CAS number.
pub(super) fn compare_and_set(store: Store, items: &mut Items) -> Reply {
    match items.get(store.key) {
        None => Reply::NotFound,
        Some(item) if store.cas != Some(item.cas) => Reply::Exists,
        Some(_) => set(store, items),
    }
}

/// Removes an item, and voids the lease that is out for its key.
pub(super) fn delete(key: usize, items: &mut Items) -> Reply {
    items.void(key);
    if items.get(key).is_none() {
        return Reply::NotFound;
    }
    items.remove(key);
    Reply::Deleted
}
