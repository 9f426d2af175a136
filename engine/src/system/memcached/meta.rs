//! The meta commands `mg`, `ms` and `md`
//! (<https://github.com/memcached/memcached/blob/1.6.18/doc/protocol.txt>, "Meta
//! Commands").

use super::command::{GetFlag, Store};
use super::item::Items;
use super::reply::{Content, Marks, Reply, Returned};

/// Reads an item, and says who is to fill it.
///
/// One caller wins an empty item that it made itself, a stale one, or one that ends
/// soon; the mark of the winner is kept with the item until it is written.
pub(super) fn get(key: usize, flags: &[GetFlag], items: &mut Items) -> Reply {
    let vivify = flags.iter().any(|flag| matches!(flag, GetFlag::Vivify(_)));
    let is_new = items.get(key).is_none();
    if is_new {
        if !vivify {
            return Reply::Miss;
        }
        items.put(key, 0);
    }
    let Some(item) = items.get(key) else { return Reply::Miss };
    let mut won = is_new || item.is_stale && !item.is_won;
    let mut returns_value = false;
    let mut returned = [None; 2];
    let mut places = returned.iter_mut();
    let mut give_back = |what| {
        if let Some(place) = places.next() {
            *place = Some(what);
        }
    };
    for &flag in flags {
        match flag {
            GetFlag::Value => returns_value = true,
            GetFlag::Cas => give_back(Returned::Cas(item.cas)),
            GetFlag::TimeLeft => give_back(Returned::TimeLeft(items.left_s(key))),
            GetFlag::Vivify(ttl_s) if is_new => items.live(key, ttl_s),
            GetFlag::Vivify(_) => {}
            GetFlag::Recache(limit_s) => {
                let ends_soon = items.left_s(key).is_some_and(|left_s| left_s < limit_s);
                won |= ends_soon && !item.is_won;
            }
            GetFlag::Touch(ttl_s) => items.live(key, ttl_s),
        }
    }
    if won {
        items.win(key);
    }
    let marks = Marks { won, stale: item.is_stale, sent: item.is_won };
    if returns_value { Reply::Value(Content::from(item), returned, marks) } else { Reply::Done(returned, marks) }
}

/// Stores a value; with a CAS number, only over the item that has it.
///
/// With `I`, a number that is lower than the item's is let through: the value came
/// from before the item was marked, so it is stored as stale.
pub(super) fn set(store: Store, items: &mut Items) -> Reply {
    let Store { key, ttl_s, returns_cas: asks_cas, .. } = store;
    let cas = match (store.cas, items.get(key)) {
        (Some(_), None) => return Reply::Absent { asks_cas },
        (Some(shown), Some(item)) if shown != item.cas => {
            // A shown 0 is no number at all, and not a low one.
            let is_older = 0 < shown && shown < item.cas;
            if !(store.even_stale && is_older) {
                return Reply::Differs { asks_cas };
            }
            items.put_stale(key, store.cell())
        }
        _ => {
            let cas = items.put(key, store.cell());
            items.live(key, ttl_s);
            cas
        }
    };
    Reply::Done([asks_cas.then_some(Returned::Cas(cas)), None], Marks::default())
}

/// Removes an item, or marks it stale so that one caller can win it. Like any delete
/// it voids the lease that is out for the key.
pub(super) fn delete(key: usize, cas: Option<u16>, stale: bool, ttl_s: Option<u16>, items: &mut Items) -> Reply {
    let Some(item) = items.get(key) else {
        items.void(key);
        return Reply::Absent { asks_cas: false };
    };
    if cas.is_some_and(|shown| shown != item.cas) {
        return Reply::Differs { asks_cas: false };
    }
    items.void(key);
    if stale {
        items.make_stale(key);
        if let Some(ttl_s) = ttl_s {
            items.live(key, ttl_s);
        }
    } else {
        items.remove(key);
    }
    Reply::Done([None; 2], Marks::default())
}
