//! The `DynamoDB` lock client: the rows of the table, with each client on its own clock,
//! the rules behind them, and what holds for any requests.

use crate::own_clock::{Process, Server};
use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::System;
use racescope_engine::system::dynamodb_lock::{LockClient, LockTable, Reply};
use racescope_engine::system::names::Word;
use racescope_engine::system::transcript::check;

fn client(name: &str) -> LockClient {
    LockClient::new(Word::parse(name).unwrap())
}

fn process(name: &str, clock_percent: u64) -> Process<LockClient> {
    Process::new(client(name), clock_percent)
}

const NOT_YET: &str = "GetItem lock → not yet: held by a";
const TAKEN: &str = "PutItem lock owner=b leaseDuration=20s rvn=b.1 IF rvn=a.1 → granted b.1";

#[test]
fn dl1_a_dead_lock_costs_a_whole_lease_from_the_first_look() {
    let mut table = Server::new(LockTable);
    let (mut a, mut b) = (process("a", 100), process("b", 100));
    let granted = "PutItem lock owner=a leaseDuration=20s rvn=a.1 IF attribute_not_exists(key) → granted a.1";
    assert_eq!(a.talk("lock", &mut table), granted);
    // A dies here, which B doesn't know: B's first look is 100 s later.
    assert_eq!(b.at_ms(100_000).talk("lock", &mut table), NOT_YET);
    assert_eq!(b.at_ms(110_000).talk("lock", &mut table), NOT_YET);
    assert_eq!(b.at_ms(121_000).talk("lock", &mut table), TAKEN);
}

#[test]
fn dl2_a_heartbeat_starts_the_wait_anew_and_fails_a_put_on_its_way() {
    let mut table = Server::new(LockTable);
    let (mut a, mut b) = (process("a", 100), process("b", 100));
    a.talk("lock", &mut table);
    assert_eq!(b.talk("lock", &mut table), NOT_YET);
    let beaten = "UpdateItem lock owner=a leaseDuration=20s rvn=a.2 IF rvn=a.1 AND owner=a → heartbeat a.2";
    assert_eq!(a.at_ms(15_000).talk("heartbeat", &mut table), beaten);
    assert_eq!(b.at_ms(21_000).talk("lock", &mut table), NOT_YET);
    assert_eq!(b.at_ms(40_000).talk("lock", &mut table), NOT_YET);
    // B's put was on its way when the heartbeat arrived.
    let put = "PutItem lock owner=b leaseDuration=20s rvn=b.1 IF rvn=a.1";
    assert_eq!(table.answer(put), "400 ConditionalCheckFailedException");
}

#[test]
fn dl3_a_holder_that_was_overtaken_learns_it_from_its_heartbeat() {
    let mut table = Server::new(LockTable);
    let (mut a, mut b) = (process("a", 100), process("b", 100));
    a.talk("lock", &mut table);
    b.talk("lock", &mut table);
    // A's heartbeat leaves in time and arrives after B's put.
    let heartbeat = a.at_ms(19_000).hear("heartbeat");
    assert_eq!(heartbeat, "UpdateItem lock owner=a leaseDuration=20s rvn=a.2 IF rvn=a.1 AND owner=a");
    assert_eq!(b.at_ms(21_000).talk("lock", &mut table), TAKEN);
    let refused = table.answer(&heartbeat);
    assert_eq!(refused, "400 ConditionalCheckFailedException");
    let lost = "LockNotGrantedException: Someone else acquired the lock, so we will stop heartbeating it";
    assert_eq!(a.at_ms(21_000).hear(&refused), lost);
    assert_eq!(a.hear("held?"), "not held");
}

#[test]
fn dl3_a_holder_that_was_paused_for_a_lease_sends_no_heartbeat() {
    let mut table = Server::new(LockTable);
    let (mut a, mut b) = (process("a", 100), process("b", 100));
    a.talk("lock", &mut table);
    b.talk("lock", &mut table);
    assert_eq!(b.at_ms(21_000).talk("lock", &mut table), TAKEN);
    assert_eq!(a.at_ms(21_000).hear("held?"), "expired");
    let refused = "LockNotGrantedException: Cannot send heartbeat because lock is not granted";
    assert_eq!(a.hear("heartbeat"), refused);
}

#[test]
fn two_hold_it_if_the_holders_clock_is_slow() {
    let mut table = Server::new(LockTable);
    let (mut a, mut b) = (process("a", 90), process("b", 100));
    a.talk("lock", &mut table);
    b.talk("lock", &mut table);
    assert_eq!(b.at_ms(20_000).talk("lock", &mut table), TAKEN);
    assert_eq!(a.at_ms(20_000).hear("held?"), "held");
    assert_eq!(b.hear("held?"), "held");
}

#[test]
fn a_holder_counts_its_lease_from_before_it_asked() {
    check(
        &client("a"),
        "A lock → GetItem lock
         A 200 (no item) → PutItem lock owner=a leaseDuration=20s rvn=a.1 IF attribute_not_exists(key)
         wait 15 s
         A 200 → granted a.1
         A held? → held
         wait 5 s
         A held? → expired
         A release → DeleteItem lock IF rvn=a.1 AND owner=a
         A 400 ConditionalCheckFailedException → not released
         A lock → GetItem lock
         A 200 (no item) → PutItem lock owner=a leaseDuration=20s rvn=a.2 IF attribute_not_exists(key)
         wait 21 s
         A 200 → granted a.2
         A held? → expired",
    );
}

#[test]
fn a_client_that_starts_anew_makes_no_record_version_number_a_second_time() {
    check(
        &client("a"),
        "A lock → GetItem lock
         A 200 (no item) → PutItem lock owner=a leaseDuration=20s rvn=a.1 IF attribute_not_exists(key)
         A 200 → granted a.1
         restart without memory
         A held? → not held
         A lock → GetItem lock
         A 200 {owner=a leaseDuration=20s rvn=a.1} → not yet: held by a
         wait 20 s
         A lock → GetItem lock
         A 200 {owner=a leaseDuration=20s rvn=a.1} → PutItem lock owner=a leaseDuration=20s rvn=a.2 IF rvn=a.1",
    );
}

#[test]
fn a_lost_race_for_a_dead_lock_starts_the_wait_anew() {
    check(
        &client("b"),
        "B lock → GetItem lock
         B 200 {owner=a leaseDuration=3s rvn=a.1} → not yet: held by a
         B lock → (waits)
         wait 1 s
         B … lock → GetItem lock
         B 200 {owner=a leaseDuration=3s rvn=a.1} → not yet: held by a
         wait 3 s
         clock -3600 s
         B lock → GetItem lock
         B 200 {owner=a leaseDuration=3s rvn=a.1} → PutItem lock owner=b leaseDuration=20s rvn=b.1 IF rvn=a.1
         B 400 ConditionalCheckFailedException → someone else acquired the lock
         wait 1 s
         B lock → GetItem lock
         B 200 {owner=c leaseDuration=3s rvn=c.1} → not yet: held by c
         B 200 → ignored",
    );
}

#[test]
fn one_that_does_not_wait_never_takes_a_dead_lock() {
    check(
        &client("b"),
        "B tryLock → GetItem lock
         B 200 {owner=a leaseDuration=3s rvn=a.1} → LockCurrentlyUnavailableException
         wait 3600 s
         B tryLock → GetItem lock
         B 200 {owner=a leaseDuration=3s rvn=a.1} → LockCurrentlyUnavailableException
         B tryLock → GetItem lock
         B 200 (no item) → PutItem lock owner=b leaseDuration=20s rvn=b.1 IF attribute_not_exists(key)
         B 200 → granted b.1",
    );
}

#[test]
fn a_number_of_the_application_stays_over_heartbeats_and_is_counted_up_by_who_takes_over() {
    check(
        &LockTable,
        "A PutItem lock owner=a leaseDuration=4s rvn=a.1 fence=1 IF attribute_not_exists(key) → 200
         A UpdateItem lock owner=a leaseDuration=4s rvn=a.2 IF rvn=a.1 AND owner=a → 200
         B GetItem lock → 200 {owner=a leaseDuration=4s rvn=a.2 fence=1}
         B PutItem lock owner=b leaseDuration=4s rvn=b.1 fence=2 IF rvn=a.2 → 200
         A PutItem lock owner=a leaseDuration=4s rvn=a.3 fence=2 IF rvn=a.2 → 400 ConditionalCheckFailedException
         A GetItem lock → 200 {owner=b leaseDuration=4s rvn=b.1 fence=2}
         C PutItem lock owner=c leaseDuration=4s rvn=c.1 IF rvn=b.1 → 200
         C GetItem lock → 200 {owner=c leaseDuration=4s rvn=c.1}",
    );
    assert_eq!(LockTable.parse("PutItem lock owner=a leaseDuration=4s rvn=a.1 fence=1 v=2 IF rvn=a.1"), None);
}

#[test]
fn what_is_no_request_is_not_read() {
    for words in [
        "",
        "GetItem",
        "PutItem lock owner=a leaseDuration=20s rvn=a.1",
        "PutItem lock owner=a leaseDuration=0s rvn=a.1 IF rvn=a.1",
    ] {
        assert_eq!(LockTable.parse(words), None, "{words}");
    }
    for words in ["", "unlock", "200 {}", "200 {owner=a leaseDuration=3s rvn=a.0}"] {
        assert_eq!(client("a").parse(words), None, "{words}");
    }
}

proptest! {
    /// Everyone's clock is right, messages take no time, and everyone may be paused.
    #[test]
    fn on_honest_clocks_at_most_one_holds_the_lock(
        turns in prop::collection::vec((0..3usize, 0..5u8, 0..9_000u64), 1..80),
    ) {
        let mut table = Server::new(LockTable);
        let mut clients = [process("a", 100), process("b", 100), process("c", 100)];
        let mut now_ms = 0;
        for (turn, event, while_ms) in turns {
            now_ms += while_ms;
            let words = ["lock", "lock", "heartbeat", "release", "tryLock"][usize::from(event)];
            let own = &mut clients[turn];
            let holds = own.at_ms(now_ms).hear("held?") == "held";
            if holds == matches!(words, "heartbeat" | "release") {
                own.talk(words, &mut table);
            }
            let held = clients.iter_mut().filter_map(|client| (client.at_ms(now_ms).hear("held?") == "held").then_some(()));
            prop_assert!(held.count() <= 1);
        }
    }

    #[test]
    fn a_refused_write_changes_nothing(writes in prop::collection::vec((0..4u8, 1..4u16, 1..4u16), 1..40)) {
        let mut cells = vec![0; LockTable.length()];
        for (kind, new, shown) in writes {
            let words = match kind {
                0 => format!("PutItem lock owner=a leaseDuration=9s rvn=a.{new} IF attribute_not_exists(key)"),
                1 => format!("PutItem lock owner=b leaseDuration=9s rvn=b.{new} IF rvn=a.{shown}"),
                2 => format!("UpdateItem lock owner=b leaseDuration=9s rvn=b.{new} IF rvn=b.{shown} AND owner=b"),
                _ => format!("DeleteItem lock IF rvn=b.{shown} AND owner=b"),
            };
            let before = cells.clone();
            let request = LockTable.parse(&words).unwrap();
            let reply = LockTable.execute(0, &request, &mut cells, &mut Timers::new(0)).unwrap();
            if reply == Reply::ConditionalCheckFailed {
                prop_assert_eq!(before, cells.clone());
            } else {
                prop_assert_eq!(cells[0] == 0, kind == 3);
            }
        }
    }
}
