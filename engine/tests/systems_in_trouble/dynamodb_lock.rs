//! The `DynamoDB` lock client, and the table that its clients write to.

use std::cell::Cell;
use std::collections::BTreeMap;

use racescope_engine::system::dynamodb_lock::{LockClient, LockTable};
use racescope_engine::system::names::Word;

use crate::network::{CLIENTS, Seen, talk};

/// The timer of a client that runs while the lock that it saw may be alive.
const LEASE: u8 = 0;

/// Over a network of every kind of trouble: a record version number is written by one
/// request only, of which a copy may come late; a write replaces the very one that its
/// client saw; and nobody takes a lock before it has stood still for a whole lease, by the
/// own clock.
#[test]
fn dynamodb_lock() {
    let clients = ["a", "b", "c"].map(|name| LockClient::new(Word::parse(name).expect("a letter is a word")));
    let takeovers = Cell::new(0);
    let start = || {
        let mut written = BTreeMap::new();
        let takeovers = &takeovers;
        move |seen: &Seen| {
            if seen.is_set_back {
                // What was written since the state that is back may be written again by
                // a request that comes late.
                written.clear();
            }
            if let Some((client, said, _)) = seen.said {
                let takes_over = said.starts_with("PutItem") && !said.contains("attribute_not_exists");
                assert!(!takes_over || !seen.clients[client].is_armed(LEASE), "{said}: it may be alive");
            }
            let Some((request, answer, before)) = seen.served else { return };
            if answer != "200" || !request.contains("rvn=") {
                return;
            }
            let (written_now, condition) = request.split_once(" IF ").expect("each write has a condition");
            let found = before.look(&LockTable, "GetItem lock");
            if let Some((_, shown)) = condition.split_once("rvn=") {
                let shown = shown.split(' ').next().unwrap_or_default();
                assert!(found.contains(&format!("rvn={shown}}}")), "{request} over {found}");
                takeovers.set(takeovers.get() + u32::from(request.starts_with("PutItem")));
            }
            if let Some((_, version)) = written_now.split_once("rvn=") {
                let earlier = written.insert(version.to_string(), request.to_string());
                assert!(earlier.is_none_or(|earlier| earlier == request), "{request}: {version} was written before");
            }
        }
    };
    let words = ["lock", "lock", "lock", "tryLock", "heartbeat", "heartbeat", "release", "held?"];
    assert_eq!(clients.len(), CLIENTS);
    talk(&clients, &LockTable, &words, start);
    assert!(takeovers.get() > 30, "{} locks were taken over", takeovers.get());
}
