//! Redis: the rows of the table as the real 7.0.15 answered them, and what holds for
//! any commands.

use crate::redis_node::Node;
use proptest::prelude::*;
use racescope_engine::system::redis::{Answer, NamesError, Redis, RedisPair, Reply, Version};
use racescope_engine::system::transcript::check;
use racescope_engine::system::{System, Time};

const KEYS: [&str; 11] = ["l", "f", "k", "n", "nl", "s", "stock", "p", "lp", "price", "tk"];
const WORDS: [&str; 22] = [
    "a",
    "b",
    "q",
    "u",
    "v",
    "w",
    "x",
    "y",
    "A",
    "B",
    "C",
    "D",
    "abc",
    "t1",
    "t2",
    "tok1",
    "one",
    "new",
    "9007199254740992",
    "9007199254740993",
    "9223372036854775807",
    "01",
];

/// A node of version 7.0 with connections for A to C.
fn redis() -> Redis {
    Redis::new(Version::V7_0, &KEYS, &WORDS).expect("the names fit").with_transactions(3, 4)
}

fn newer_redis() -> Redis {
    Redis::new(Version::V8_4, &KEYS, &WORDS).expect("the names fit").with_transactions(3, 4)
}

/// A primary whose replica lags by 10 ms.
fn pair() -> RedisPair {
    RedisPair { primary: redis(), lag_us: 10_000 }
}

#[test]
fn r1_one_of_two_gets_the_lock_and_only_its_value_frees_it() {
    check(
        &redis(),
        "A SET l a NX PX 300 → +OK
         B SET l b NX PX 300 → nil
         B EVAL CAD 1 l b → 0
         A EVAL CAD 1 l a → 1
         A EVAL CAD 1 l a → 0
         A EXISTS l → 0",
    );
}

#[test]
fn r1_a_refused_set_leaves_the_end_where_it_was() {
    check(
        &redis(),
        "A SET l a NX PX 300 → +OK
         wait 200 ms
         B SET l b NX PX 300 → nil
         A PTTL l → 100
         wait 100 ms
         B SET l b NX PX 300 → +OK",
    );
}

#[test]
fn r2_a_late_delete_removes_the_lock_of_the_next_holder() {
    check(
        &redis(),
        "A SET l a NX PX 150 → +OK
         wait 250 ms
         A GET l → nil
         A PTTL l → -2
         B SET l b NX PX 5000 → +OK
         A EVAL CAD 1 l a → 0
         A GET l → b
         A EVAL EXTEND 1 l a 9000 → 0
         B EVAL EXTEND 1 l b 9000 → 1
         B PTTL l → 9000
         A DEL l → 1
         B GET l → nil",
    );
}

#[test]
fn r3_set_checks_its_options_and_a_plain_set_drops_the_end() {
    check(
        &redis(),
        "A SET l x NX XX → -ERR syntax error
         A SET l x PX 0 → -ERR invalid expire time in 'set' command
         A SETNX l x → 1
         A SETNX l y → 0
         A PTTL l → -1
         A SET l v PX 5000 → +OK
         A SET l w → +OK
         A PTTL l → -1",
    );
}

#[test]
fn r3_more_options_that_contradict_each_other() {
    check(
        &redis(),
        "A SET l a EX 5 PX 5 → -ERR syntax error
         A SET l a PX 5 KEEPTTL → -ERR syntax error
         A SET l a KEEPTTL PX 5 → -ERR syntax error
         A SET l a PX → -ERR syntax error
         A SET l a NX XX GET → -ERR syntax error
         A SET l a PX -1 → -ERR invalid expire time in 'set' command
         A SET l a EX 0 → -ERR invalid expire time in 'set' command
         A EXISTS l → 0
         A SET l a PX 5000 PX 9000 → +OK
         A PTTL l → 9000
         A SET l b XX EX 7 → +OK
         A PTTL l → 7000
         A SET k b XX → nil
         A EXISTS l k → 1",
    );
}

#[test]
fn r3b_with_nx_and_get_nil_means_that_it_was_set() {
    check(
        &redis(),
        "A SET l v PX 5000 → +OK
         A SET l u KEEPTTL → +OK
         A PTTL l → 5000
         A SET l q NX GET → u
         A DEL l → 1
         A SET l q NX GET → nil
         A GET l → q",
    );
}

#[test]
fn r3c_an_end_that_is_now_deletes_and_this_version_cannot_compare() {
    check(
        &redis(),
        "A SET l v → +OK
         A PEXPIRE l 0 → 1
         A EXISTS l → 0
         A SET l q IFEQ x → -ERR syntax error
         A DELEX l IFEQ x → -ERR unknown command 'DELEX', with args beginning with: 'l' 'IFEQ' 'x'",
    );
}

#[test]
fn r3c_the_newer_version_compares_and_deletes_by_itself() {
    check(
        &newer_redis(),
        "A SET l a NX PX 300 → +OK
         B DELEX l IFEQ b → 0
         B SET l b IFEQ x → nil
         B SET l b IFEQ a NX → -ERR syntax error
         A SET l v IFEQ a KEEPTTL → +OK
         A PTTL l → 300
         A SET l w IFEQ q GET → v
         B DELEX l IFNE v → 0
         A DELEX l IFEQ v → 1
         A DELEX l IFEQ v → 0
         A DELEX l IFNE v → 0
         A SET l v IFEQ a → nil
         A EXISTS l → 0
         A EVAL SET_IF_NEWER 1 price 2 v 600 → 1
         A DELEX price IFEQ v → -WRONGTYPE Operation against a key holding the wrong kind of value
         A DELEX price → 1",
    );
}

#[test]
fn r4_a_watched_key_that_another_writes_stops_the_transaction() {
    check(
        &redis(),
        "A SET stock 1 → +OK
         A WATCH stock → +OK
         A GET stock → 1
         A MULTI → +OK
         A SET stock 0 → +QUEUED
         B SET stock 5 → +OK
         A EXEC → nil
         A GET stock → 5",
    );
}

#[test]
fn r5_watch_notices_a_value_that_went_away_and_came_back() {
    check(
        &redis(),
        "A SET k A → +OK
         A WATCH k → +OK
         B SET k B → +OK
         B SET k A → +OK
         A MULTI → +OK
         A SET k C → +QUEUED
         A EXEC → nil
         A WATCH k → +OK
         B SET k A → +OK
         A MULTI → +OK
         A SET k C → +QUEUED
         A EXEC → nil
         A WATCH k → +OK
         A SET k A → +OK
         A MULTI → +OK
         A SET k C → +QUEUED
         A EXEC → nil
         A GET k → A",
    );
}

#[test]
fn r5_watch_takes_no_notice_of_what_changed_nothing() {
    check(
        &redis(),
        "A SET k A → +OK
         A WATCH k n → +OK
         B SETNX k B → 0
         B SET k B NX → nil
         B DEL n → 0
         B PEXPIRE n 5 → 0
         B EVAL CAD 1 k B → 0
         B SET l b → +OK
         A MULTI → +OK
         A SET k C → +QUEUED
         A SET n 1 → +QUEUED
         A EXEC → [OK, OK]",
    );
}

#[test]
fn r5_every_kind_of_write_is_noticed() {
    for write in
        ["DEL k", "PEXPIRE k 9000", "PEXPIRE k 0", "EXPIRE k 9", "INCR k", "FLUSHALL", "SET k 1 XX", "SET k 1 KEEPTTL"]
    {
        let reply = if write.starts_with("SET") || write == "FLUSHALL" {
            "+OK"
        } else if write == "INCR k" {
            "2"
        } else {
            "1"
        };
        let text = format!(
            "A SET k 1 → +OK
             A WATCH k → +OK
             B {write} → {reply}
             A MULTI → +OK
             A EXEC → nil"
        );
        check(&redis(), &text);
    }
}

#[test]
fn r5_watching_ends_with_unwatch_discard_and_exec() {
    check(
        &redis(),
        "A WATCH k → +OK
         A SET k 2 → +OK
         A UNWATCH → +OK
         A MULTI → +OK
         A GET k → +QUEUED
         A EXEC → [2]
         A WATCH k → +OK
         A MULTI → +OK
         A DISCARD → +OK
         A SET k 5 → +OK
         A MULTI → +OK
         A UNWATCH → +QUEUED
         A GET k → +QUEUED
         A EXEC → [OK, 5]
         B WATCH nl → +OK
         A FLUSHALL → +OK
         B MULTI → +OK
         B EXEC → []",
    );
}

#[test]
fn r6_comparing_the_value_falls_for_one_that_came_back() {
    check(
        &redis(),
        "A SET k A → +OK
         A GET k → A
         B SET k B → +OK
         B SET k A → +OK
         A EVAL CAS_IF_EQUAL 1 k A C → 1
         A GET k → C
         A EVAL CAS_IF_EQUAL 1 k A B → 0
         A EVAL CAS_IF_EQUAL 1 n A B → 0",
    );
}

#[test]
fn r7_a_watched_key_that_ends_stops_the_transaction() {
    check(
        &redis(),
        "A SET k A PX 100 → +OK
         A WATCH k → +OK
         A MULTI → +OK
         A SET k C → +QUEUED
         wait 300 ms
         A EXEC → nil
         A SET k A PX 100 → +OK
         wait 300 ms
         A WATCH k → +OK
         A MULTI → +OK
         A SET k C → +QUEUED
         A EXEC → [OK]
         A GET k → C",
    );
}

#[test]
fn r8_a_command_that_fails_in_a_transaction_undoes_nothing() {
    check(
        &redis(),
        "A MULTI → +OK
         A SET s abc → +QUEUED
         A INCR s → +QUEUED
         A SET n 1 → +QUEUED
         A EXEC → [OK, ERR value is not an integer or out of range, OK]
         A GET n → 1
         A MULTI → +OK
         A SET l x NX XX → +QUEUED
         A SET l x PX 0 → +QUEUED
         A GET l → +QUEUED
         A EXEC → [ERR syntax error, ERR invalid expire time in 'set' command, nil]",
    );
}

#[test]
fn r8b_a_command_that_is_refused_discards_the_transaction() {
    check(
        &redis(),
        "A MULTI → +OK
         A NOSUCH → -ERR unknown command 'NOSUCH', with args beginning with:
         A SET n 1 → +QUEUED
         A EXEC → -EXECABORT Transaction discarded because of previous errors.
         A EXEC → -ERR EXEC without MULTI
         A GET n → nil
         A MULTI → +OK
         A WATCH k → -ERR WATCH inside MULTI is not allowed
         A MULTI → -ERR MULTI calls can not be nested
         A SET n 1 → +QUEUED
         A EXEC → [OK]
         A DISCARD → -ERR DISCARD without MULTI",
    );
}

#[test]
fn r9_two_who_look_before_either_writes_both_hold_the_naive_lock() {
    check(
        &redis(),
        "A GET nl → nil
         B GET nl → nil
         A SET nl a → +OK
         B SET nl b → +OK
         A GET nl → b",
    );
}

#[test]
fn r9b_a_crash_between_setnx_and_expire_locks_for_ever() {
    check(
        &redis(),
        "A SETNX nl a → 1
         A disconnects
         B PTTL nl → -1
         B SETNX nl b → 0
         wait 1000000 s
         B SETNX nl b → 0",
    );
}

#[test]
fn r12_lost_data_sets_the_fence_back() {
    check(
        &redis(),
        "A EVAL GRANT 2 l f a 150 → 1
         B EVAL GRANT 2 l f b 150 → 0
         wait 150 ms
         B EVAL GRANT 2 l f b 150 → 2
         A FLUSHALL → +OK
         A EVAL GRANT 2 l f a 150 → 1",
    );
}

#[test]
fn r12_a_restart_without_memory_sets_the_fence_back_and_one_with_it_does_not() {
    check(
        &redis(),
        "A EVAL GRANT 2 l f a 150 → 1
         restart
         wait 149 ms
         B EVAL GRANT 2 l f b 150 → 0
         wait 1 ms
         B EVAL GRANT 2 l f b 150 → 2
         restart without memory
         A EVAL GRANT 2 l f a 150 → 1",
    );
}

#[test]
fn r14_time_stands_still_in_a_script() {
    check(
        &redis(),
        "A EVAL SET_WORK_GET 1 tk v 50 → v
         wait 150 ms
         A GET tk → nil",
    );
}

#[test]
fn r10_an_older_version_does_not_replace_a_newer_one() {
    check(
        &redis(),
        "A EVAL SET_IF_NEWER 1 price 2 new 600 → 1
         B EVAL SET_IF_NEWER 1 price 1 w 600 → 0
         B EVAL SET_IF_NEWER 1 price 2 w 600 → 0
         A HGET price data → new
         A HGET price v → 2
         A PTTL price → 600000",
    );
}

#[test]
fn r10b_after_a_delete_the_older_version_is_stored() {
    check(
        &redis(),
        "A EVAL SET_IF_NEWER 1 price 2 new 600 → 1
         A DEL price → 1
         B EVAL SET_IF_NEWER 1 price 1 w 600 → 1
         B HGET price data → w",
    );
}

#[test]
fn r10c_a_tombstone_with_a_version_keeps_the_older_version_out() {
    check(
        &redis(),
        r#"A EVAL SET_IF_NEWER 1 price 2 "" 600 → 1
           B EVAL SET_IF_NEWER 1 price 1 w 600 → 0
           B HGET price data → """#,
    );
}

#[test]
fn r10c_a_fill_takes_the_place_of_a_tombstone_with_its_own_version() {
    check(
        &redis(),
        r#"A EVAL SET_IF_NEWER 1 price 2 "" 600 → 1
           B EVAL FILL_IF_NEWER 1 price 1 w 600 → 0
           A EVAL FILL_IF_NEWER 1 price 2 v 600 → 1
           B EVAL FILL_IF_NEWER 1 price 2 w 600 → 0
           A HGET price data → v
           A DEL price → 1
           B EVAL FILL_IF_NEWER 1 price 1 w 600 → 1"#,
    );
}

#[test]
fn r10d_versions_beyond_a_double_compare_equal_to_their_neighbour() {
    check(
        &redis(),
        "A EVAL SET_IF_NEWER 1 price 9007199254740992 v 600 → 1
         A EVAL SET_IF_NEWER 1 price 9007199254740993 w 600 → 0
         A HGET price data → v
         A HGET price v → 9007199254740992",
    );
}

#[test]
fn r11_a_lease_that_the_writer_deleted_stores_nothing() {
    check(
        &redis(),
        "A SET lp t1 NX PX 5000 → +OK
         B DEL p lp → 1
         A EVAL SET_IF_LEASE 2 p lp t1 v 600 → 0
         A GET p → nil
         A SET lp t2 NX PX 5000 → +OK
         A EVAL SET_IF_LEASE 2 p lp t2 v 600 → 1
         A GET p → v
         A PTTL p → 600000",
    );
}

#[test]
fn f1_a_write_that_the_replica_did_not_get_is_lost_when_it_takes_over() {
    check(
        &pair(),
        "A LINK FREEZE → +OK
         A SET l a NX PX 60000 → +OK
         A WAIT 1 200 → (waits)
         wait 199 ms
         B GET l → a
         wait 1 ms
         A … WAIT 1 200 → 0
         A GET l → a
         B replica GET l → nil
         B replica SET l b → -READONLY You can't write against a read only replica.
         B replica REPLICAOF NO ONE → +OK
         A GET l → nil
         B SET l b NX PX 60000 → +OK
         B replica GET l → b
         B WAIT 1 200 → 0",
    );
}

#[test]
fn f1_a_write_that_the_replica_has_survives_with_its_end() {
    check(
        &pair(),
        "A WAIT 1 0 → 1
         A SET l a NX PX 60000 → +OK
         A WAIT 1 5 → (waits)
         wait 5 ms
         A … WAIT 1 5 → 0
         B replica GET l → nil
         B WAIT 1 5 → 1
         A WAIT 1 0 → (waits)
         wait 5 ms
         A … WAIT 1 0 → 1
         B replica GET l → a
         B replica PTTL l → 59990
         B replica REPLICAOF NO ONE → +OK
         B SET l b NX PX 60000 → nil
         wait 59990 ms
         B SET l b NX PX 60000 → +OK",
    );
}

#[test]
fn f1_a_primary_that_comes_back_empty_empties_its_replica() {
    check(
        &pair(),
        "A SET l a → +OK
         wait 10 ms
         restart without memory
         B replica GET l → a
         wait 10 ms
         B replica GET l → nil",
    );
}

#[test]
fn f1_a_link_that_is_mended_delivers_what_was_missing() {
    check(
        &pair(),
        "A LINK FREEZE → +OK
         A SET l a PX 100 → +OK
         A SET k 1 → +OK
         A WAIT 1 0 → (waits)
         wait 50 ms
         B LINK THAW → +OK
         wait 10 ms
         A … WAIT 1 0 → 1
         B replica PTTL l → 40
         B replica GET k → 1
         wait 40 ms
         B replica GET l → nil",
    );
}

#[test]
fn f2_nil_after_a_lost_reply_can_mean_oneself() {
    check(
        &redis(),
        "A SET l tok1 NX PX 5000 → +OK
         A disconnects
         A SET l tok1 NX PX 5000 → nil
         A GET l → tok1",
    );
}

#[test]
fn c1_a_step_of_the_wall_clock_moves_the_end() {
    check(
        &redis(),
        "A SET l a NX PX 10000 → +OK
         clock +15 s
         A GET l → nil
         B SET l b NX PX 10000 → +OK
         wait 200 ms
         clock -15 s
         B PTTL l → 24800",
    );
}

#[test]
fn rule_5_a_key_is_gone_at_the_moment_of_its_end() {
    check(
        &redis(),
        "A SET l a PX 150 → +OK
         wait 149 ms
         A GET l → a
         A PTTL l → 1
         wait 1 ms
         A GET l → nil",
    );
}

#[test]
fn rule_8_time_passes_while_the_server_is_down() {
    check(
        &redis(),
        "A SET l a PX 150 → +OK
         A SET k 1 → +OK
         restart
         wait 150 ms
         A GET l → nil
         A GET k → 1",
    );
}

#[test]
fn rule_12_a_connection_that_is_gone_has_no_queue_left() {
    check(
        &redis(),
        "A MULTI → +OK
         A SET k 1 → +QUEUED
         A disconnects
         A EXEC → -ERR EXEC without MULTI
         B MULTI → +OK
         restart
         B EXEC → -ERR EXEC without MULTI
         A GET k → nil",
    );
}

#[test]
fn a_hash_is_no_string() {
    let wrong = "WRONGTYPE Operation against a key holding the wrong kind of value";
    let text = format!(
        "A EVAL SET_IF_NEWER 1 price 1 v 600 → 1
         A GET price → -{wrong}
         A INCR price → -{wrong}
         A SET price v GET → -{wrong}
         A SETNX price x → 0
         A EVAL CAD 1 price v → -{wrong} script: …, on @user_script:1.
         A HGET price v → 1
         A SET price x → +OK
         A HGET price v → -{wrong}
         A EVAL SET_IF_NEWER 1 price 2 v 600 → -{wrong} script: …, on @user_script:1.
         A GET price → x"
    );
    check(&redis(), &text);
}

#[test]
fn a_script_that_fails_undoes_nothing() {
    check(
        &redis(),
        "A SET f abc → +OK
         A EVAL GRANT 2 l f a 150 → -ERR value is not an integer or out of range script: …, on @user_script:1.
         A GET l → a",
    );
}

#[test]
fn a_counter_counts_integers_only_and_does_not_wrap() {
    check(
        &redis(),
        "A INCR n → 1
         A INCR n → 2
         A SET n 01 → +OK
         A INCR n → -ERR value is not an integer or out of range
         A SET n 9007199254740992 → +OK
         A INCR n → 9007199254740993
         A SET n 9223372036854775807 → +OK
         A INCR n → -ERR increment or decrement would overflow
         A SET n 65279 PX 500 → +OK
         A INCR n → -ERR increment or decrement would overflow
         A SET n 65278 KEEPTTL → +OK
         A INCR n → 65279
         A PTTL n → 500",
    );
}

#[test]
fn a_queue_that_is_full_refuses_and_so_does_exec() {
    let small = redis().with_transactions(2, 1);
    check(
        &small,
        "A MULTI → +OK
         A SET k 1 → +QUEUED
         A SET k 2 → -OOM command not allowed when used memory > 'maxmemory'.
         A EXEC → -EXECABORT Transaction discarded because of previous errors.
         C MULTI → -ERR max number of clients reached
         C SET k 3 → +OK
         A GET k → 3",
    );
}

#[test]
fn wait_asks_replicas_that_a_single_node_does_not_have() {
    check(
        &redis(),
        "A SET l a → +OK
         A WAIT 0 100 → 0
         A WAIT 1 100 → 0
         A MULTI → +OK
         A WAIT 1 0 → +QUEUED
         A EXEC → [0]
         A WAIT 1 0 → (waits)",
    );
}

#[test]
fn what_the_model_does_not_know_is_no_command() {
    let unknown = [
        "",
        "GET",
        "get l",
        "GET other",
        "SET l other",
        "SET l a PX many",
        "SET l a PX 4294967296",
        "EXPIRE l 4294968",
        "DEL",
        "EXISTS l l",
        "WAIT 2 100",
        "WAIT 1 -5",
        "EVAL CAD 2 l a",
        "EVAL OTHER 1 l",
        "EVAL GRANT 2 l f a 0",
        "EVAL SET_IF_NEWER 1 price abc v 600",
        "SET l 65280",
        "SET l -1",
        "DELEX l",
        "WATCH",
    ];
    for words in unknown {
        assert_eq!(redis().parse(words), None, "{words}");
    }
    assert_eq!(pair().parse("replica MULTI"), None);
    assert_eq!(pair().parse("replica EVAL CAD 1 l a"), None);
    assert_eq!(Redis::new(Version::V7_0, &["a b"], &[]), Err(NamesError::BadName));
}

/// A command of a kind that clients of a lock and of a transaction send.
fn command() -> impl Strategy<Value = String> {
    let key = || proptest::sample::select(vec!["l", "k", "price"]);
    let value = || proptest::sample::select(vec!["a", "b", "7", "\"\"", "abc"]);
    let plain = vec![
        "MULTI",
        "EXEC",
        "DISCARD",
        "UNWATCH",
        "NOSUCH",
        "WAIT 1 0",
        "WAIT 1 20",
        "EVAL GRANT 2 l f a 30",
        "EVAL GRANT 2 l f b 50",
        "INCR k",
        "HGET price data",
        "SET l a NX XX",
        "SET l a PX 0",
        "DEL l k",
        "WATCH l k",
    ];
    prop_oneof![
        6 => proptest::sample::select(plain).prop_map(String::from),
        2 => (key(), value(), proptest::sample::select(vec!["", "NX PX 40", "XX KEEPTTL", "GET EX 1", "NX GET"]))
            .prop_map(|(key, value, options)| format!("SET {key} {value} {options}")),
        1 => (key(), value()).prop_map(|(key, value)| format!("SETNX {key} {value}")),
        1 => (proptest::sample::select(vec!["GET", "DEL", "PTTL", "WATCH", "EXISTS", "INCR"]), key())
            .prop_map(|(name, key)| format!("{name} {key}")),
        1 => (key(), 0..60_u32).prop_map(|(key, ms)| format!("PEXPIRE {key} {ms}")),
        2 => (proptest::sample::select(vec!["CAD", "EXTEND", "CAS_IF_EQUAL", "LOCK_OR_EXTEND"]), key(), value(), 1..60_u16)
            .prop_map(|(name, key, value, number)| match name {
                "CAD" => format!("EVAL CAD 1 {key} {value}"),
                _ => format!("EVAL {name} 1 {key} {value} {number}"),
            }),
        1 => (1..9_u16, value()).prop_map(|(version, data)| format!("EVAL SET_IF_NEWER 1 price {version} {data} 1")),
    ]
}

#[derive(Clone, Debug)]
enum Event {
    Command(u8, String),
    Pass(i64),
    Step(i64),
    Disconnect(u8),
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        20 => (0..4_u8, command()).prop_map(|(caller, words)| Event::Command(caller, words)),
        3 => (0..70_i64).prop_map(Event::Pass),
        1 => (-90..90_i64).prop_map(Event::Step),
        1 => (0..4_u8).prop_map(Event::Disconnect),
        1 => Just(Event::Restart),
    ]
}

/// The token in an answer of `GRANT`.
fn token(words: &str, reply: Option<&Reply>) -> Option<i64> {
    match reply {
        Some(Reply::One(Answer::Integer(token))) if words.contains("GRANT") && *token > 0 => Some(*token),
        _ => None,
    }
}

/// Whether an answer says that nothing was written.
fn says_that_nothing_was_written(words: &str, reply: Option<&Reply>) -> bool {
    match reply {
        None | Some(Reply::Unknown(_) | Reply::One(Answer::Error(_) | Answer::Queued)) => true,
        Some(Reply::One(Answer::Nil)) => !words.contains("GET"),
        Some(Reply::One(Answer::Integer(0))) => !words.starts_with("INCR"),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_refusal_changes_no_key_and_tokens_only_rise(events in proptest::collection::vec(event(), 1..80)) {
        let mut node = Node::start(redis());
        let keys = KEYS.len() * 2;
        let mut highest = 0;
        for event in events {
            let (before, clock) = (node.cells.clone(), node.clock.clone());
            match event {
                Event::Command(caller, words) => {
                    let reply = node.ask(caller, &words);
                    if says_that_nothing_was_written(&words, reply.as_ref()) {
                        prop_assert_eq!(&node.cells[..keys], &before[..keys], "{}", words);
                        prop_assert_eq!(&node.clock, &clock, "{}", words);
                    }
                    if reply.is_none() {
                        prop_assert_eq!(&node.cells, &before, "{}", words);
                    }
                    if let Some(token) = token(&words, reply.as_ref()) {
                        prop_assert!(token > highest, "{} after {}", token, highest);
                        prop_assert_eq!(before[0], 0, "the lock was free");
                        highest = token;
                    }
                }
                Event::Pass(ms) => node.pass(ms),
                Event::Step(ms) => node.step(ms),
                Event::Disconnect(caller) => {
                    node.system.clone().disconnect(caller, &mut node.cells, &mut node.clock);
                    prop_assert_eq!(&node.cells[..keys], &before[..keys]);
                }
                Event::Restart => {
                    node.restart(true);
                    prop_assert_eq!(&node.cells[..keys], &before[..keys]);
                    prop_assert!(node.cells[keys..].iter().all(|&cell| cell == 0), "no connection is left");
                }
            }
            for (timer, key) in (0..).zip(node.cells[..keys].chunks(2)) {
                prop_assert!(key[0] != 0 || (key[1] == 0 && node.clock.left_us(timer).is_none()), "an absent key has no end");
            }
        }
    }

    #[test]
    fn a_transaction_runs_as_a_whole_or_not_at_all(
        queued in proptest::collection::vec(command(), 1..5),
        between in proptest::collection::vec((1..3_u8, command()), 0..6),
    ) {
        let mut node = Node::start(redis());
        node.say(0, "SET k 1");
        node.say(0, "WATCH l k price");
        node.say(0, "MULTI");
        for words in queued.iter().filter(|words| !["EXEC", "DISCARD"].contains(&words.as_str())) {
            node.say(0, words);
        }
        let keys = |node: &Node<Redis>| [node.cells[..KEYS.len() * 2].to_vec()];
        let watched = keys(&node);
        for (caller, words) in &between {
            node.ask(*caller, words);
        }
        let (before, clock) = (keys(&node), node.clock.clone());
        let reply = node.ask(0, "EXEC");
        if matches!(reply, Some(Reply::List(_))) {
            prop_assert_eq!(&before, &watched, "nothing came between");
        } else {
            prop_assert_eq!(keys(&node), before);
            prop_assert_eq!(&node.clock, &clock);
        }
    }

    #[test]
    fn a_replica_that_has_caught_up_answers_like_its_primary(events in proptest::collection::vec(event(), 1..60)) {
        let mut node = Node::start(pair());
        for event in events {
            match event {
                Event::Command(caller, words) => drop(node.ask(caller, &words)),
                Event::Pass(ms) => node.pass(ms),
                Event::Step(ms) => node.step(ms),
                Event::Disconnect(caller) => {
                    node.system.clone().disconnect(caller, &mut node.cells, &mut node.clock);
                }
                Event::Restart => node.restart(false),
            }
        }
        node.pass(200);
        let reads: Vec<String> =
            KEYS.iter().flat_map(|key| [format!("GET {key}"), format!("PTTL {key}"), format!("EXISTS {key}")]).collect();
        let primary: Vec<String> = reads.iter().map(|read| node.say(7, read)).collect();
        let replica: Vec<String> = reads.iter().map(|read| node.say(7, &format!("replica {read}"))).collect();
        prop_assert_eq!(&replica, &primary);
        node.say(7, "replica REPLICAOF NO ONE");
        let promoted: Vec<String> = reads.iter().map(|read| node.say(7, read)).collect();
        prop_assert_eq!(&promoted, &primary);
    }
}
