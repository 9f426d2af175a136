//! Consul: the rows of the table, the rules behind them, and what holds for any requests.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::System;
use racescope_engine::system::consul::{Consul, Reply};
use racescope_engine::system::transcript::check;

fn cluster() -> Consul {
    Consul::new(&["k", "m"], 4).expect("two short words")
}

#[test]
fn co1_lock_index_counts_acquisitions_of_a_free_key_only() {
    check(
        &cluster(),
        r#"A PUT session/create → {"ID":"s1"}
           B PUT session/create → {"ID":"s2"}
           A PUT kv/k?acquire=s1 a → true
           A GET kv/k → [{"LockIndex":1,"Key":"k","Value":"a","Session":"s1","ModifyIndex":3}]
           B PUT kv/k?acquire=s2 b → false
           A PUT kv/k?acquire=s1 a2 → true
           A GET kv/k → [{"LockIndex":1,"Key":"k","Value":"a2","Session":"s1","ModifyIndex":4}]
           A PUT kv/k?release=s1 a2 → true
           A GET kv/k → [{"LockIndex":1,"Key":"k","Value":"a2","ModifyIndex":5}]
           B PUT kv/k?acquire=s2 b → true
           B GET kv/k → [{"LockIndex":2,"Key":"k","Value":"b","Session":"s2","ModifyIndex":6}]"#,
    );
}

#[test]
fn co2_nobody_acquires_a_key_during_the_lock_delay_of_an_invalidated_session() {
    check(
        &cluster(),
        r#"A PUT session/create → {"ID":"s1"}
           B PUT session/create → {"ID":"s2"}
           A PUT kv/k?acquire=s1 a → true
           A PUT session/destroy/s1 → true
           B GET kv/k → [{"LockIndex":1,"Key":"k","Value":"a","ModifyIndex":4}]
           B PUT kv/k?acquire=s2 b → false
           wait 14999 ms
           B PUT kv/k?acquire=s2 b → false
           wait 1 ms
           B PUT kv/k?acquire=s2 b → true
           B GET kv/k → [{"LockIndex":2,"Key":"k","Value":"b","Session":"s2","ModifyIndex":5}]"#,
    );
}

#[test]
fn a_session_lives_for_at_least_its_ttl_and_here_for_twice_as_long() {
    check(
        &cluster(),
        r#"A PUT session/create TTL=10s LockDelay=5s → {"ID":"s1"}
           B PUT session/create → {"ID":"s2"}
           A PUT kv/k?acquire=s1 a → true
           wait 15 s
           A PUT session/renew/s1 → [{"ID":"s1"}]
           wait 19999 ms
           A PUT kv/k?acquire=s1 a → true
           wait 1 ms
           A PUT session/renew/s1 → 404 Session id 's1' not found
           A PUT kv/k?acquire=s1 a → 500 invalid session "s1"
           B PUT kv/k?acquire=s2 b → false
           wait 5 s
           B PUT kv/k?acquire=s2 b → true"#,
    );
}

#[test]
fn another_leader_gives_sessions_their_whole_ttl_and_keeps_lock_delays() {
    check(
        &cluster(),
        r#"A PUT session/create TTL=10s → {"ID":"s1"}
           B PUT session/create LockDelay=15s → {"ID":"s2"}
           B PUT kv/m?acquire=s2 b → true
           wait 19 s
           B PUT session/destroy/s2 → true
           restart
           A PUT kv/m?acquire=s1 a → false
           wait 15 s
           A PUT kv/m?acquire=s1 a → true
           wait 4999 ms
           A PUT session/renew/s1 → [{"ID":"s1"}]
           clock +3600 s
           A PUT session/renew/s1 → [{"ID":"s1"}]
           restart without memory
           A PUT session/renew/s1 → 404 Session id 's1' not found
           A GET kv/m → 404"#,
    );
}

#[test]
fn a_deleted_key_counts_its_locks_from_the_start() {
    check(
        &cluster(),
        r#"A PUT session/create Behavior=delete LockDelay=0s → {"ID":"s1"}
           B PUT session/create → {"ID":"s2"}
           A PUT kv/k a → true
           A PUT kv/k?acquire=s1 a → true
           A PUT kv/k?release=s1 a → true
           A PUT kv/k?acquire=s1 a → true
           A GET kv/k → [{"LockIndex":2,"Key":"k","Value":"a","Session":"s1","ModifyIndex":6}]
           A PUT session/destroy/s1 → true
           B GET kv/k → 404
           B PUT kv/k?acquire=s2 b → true
           B GET kv/k → [{"LockIndex":1,"Key":"k","Value":"b","Session":"s2","ModifyIndex":8}]"#,
    );
}

#[test]
fn a_session_can_end_while_its_owner_is_alive() {
    check(
        &cluster(),
        r#"A PUT session/create LockDelay=0s → {"ID":"s1"}
           B PUT session/create NodeChecks=[] → {"ID":"s2"}
           A PUT kv/k?acquire=s1 a → true
           B PUT kv/m?acquire=s2 b → true
           H serfHealth s1 critical → noted
           H serfHealth s2 critical → noted
           A PUT kv/k?acquire=s1 a → 500 invalid session "s1"
           B PUT kv/k?acquire=s2 b → true
           B PUT session/renew/s2 → [{"ID":"s2"}]"#,
    );
}

#[test]
fn locks_are_advisory_and_a_checked_session_is_the_fence() {
    check(
        &cluster(),
        r#"A PUT session/create LockDelay=0s → {"ID":"s1"}
           B PUT session/create LockDelay=0s → {"ID":"s2"}
           A PUT txn check-session k s1, set m a1 → 409 failed to check session, key "k" doesn't exist
           A PUT kv/k?acquire=s1 a → true
           A PUT txn check-session k s1, set m a1 → 200
           A PUT session/destroy/s1 → true
           A PUT txn check-session k s1, set m a2 → 409 failed session check for key "k", current session "" != "s1"
           B PUT kv/k?acquire=s2 b → true
           A PUT txn check-session k s1, set m a2 → 409 failed session check for key "k", current session "s2" != "s1"
           B GET kv/m → [{"LockIndex":0,"Key":"m","Value":"a1","ModifyIndex":4}]
           A PUT kv/m a2 → true
           A PUT kv/k a2 → true
           B GET kv/k → [{"LockIndex":2,"Key":"k","Value":"a2","Session":"s2","ModifyIndex":8}]
           A PUT kv/k?release=s1 a → false
           A PUT kv/k?release=s2 a → true
           A DELETE kv/k → true
           B GET kv/k → 404"#,
    );
}

#[test]
fn compare_and_set_goes_by_the_modify_index_which_rests_if_nothing_changed() {
    check(
        &cluster(),
        r#"A PUT kv/k?cas=0 a → true
           B PUT kv/k?cas=0 b → false
           A PUT kv/k a → true
           B GET kv/k → [{"LockIndex":0,"Key":"k","Value":"a","ModifyIndex":1}]
           B PUT kv/k?cas=1 b → true
           A PUT kv/k?cas=1 c → false"#,
    );
}

#[test]
fn a_session_that_acquires_what_it_released_has_no_delay() {
    check(
        &cluster(),
        r#"A PUT session/create → {"ID":"s1"}
           B PUT session/create → {"ID":"s2"}
           A PUT kv/k?acquire=s1 a → true
           B PUT kv/k?release=s2 b → false
           B PUT kv/m?release=s2 b → false
           A PUT kv/k?release=s1 a → true
           A PUT session/destroy/s1 → true
           B PUT kv/k?acquire=s2 b → true"#,
    );
}

#[test]
fn what_is_no_request_is_not_read() {
    for words in [
        "",
        "PUT",
        "GET kv/x",
        "PUT session/create TTL=9s",
        "PUT session/create LockDelay=61s",
        "PUT session/create LockDelay=15",
        "PUT session/create Behavior=keep",
        "PUT session/renew/s5",
        "PUT session/renew/s0",
        "PUT session/renew/s+1",
        "PUT kv/k?acquire=s5 a",
        "PUT kv/k?acquire=s1",
        "PUT kv/k?cas=x a",
        "PUT txn check-session k s1 set m a",
        "serfHealth s9 critical",
    ] {
        assert_eq!(cluster().parse(words), None, "{words}");
    }
    assert_eq!(Consul::new(&["four"], 1), None);
    assert_eq!(Consul::new(&["k"], 255), None);
    check(
        &Consul::new(&["k"], 1).unwrap(),
        r#"A PUT session/create → {"ID":"s1"}
           B PUT session/create → 500 no sessions left in this model"#,
    );
}

#[derive(Clone, Debug)]
enum Happening {
    Request(String),
    Timer(u8),
    Failover,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let key = prop::sample::select(vec!["k", "m"]);
    let value = prop::sample::select(vec!["a", "b"]);
    let options = prop::sample::select(vec!["", " TTL=10s", " LockDelay=0s", " Behavior=delete"]);
    let request = prop_oneof![
        1 => options.prop_map(|options| format!("PUT session/create{options}")),
        1 => (1..5u8).prop_map(|session| format!("PUT session/destroy/s{session}")),
        1 => (1..5u8).prop_map(|session| format!("PUT session/renew/s{session}")),
        4 => (key.clone(), 1..5u8, value.clone()).prop_map(|(k, s, v)| format!("PUT kv/{k}?acquire=s{s} {v}")),
        2 => (key.clone(), 1..5u8, value.clone()).prop_map(|(k, s, v)| format!("PUT kv/{k}?release=s{s} {v}")),
        2 => (key.clone(), 0..20u16, value.clone()).prop_map(|(k, i, v)| format!("PUT kv/{k}?cas={i} {v}")),
        1 => (1..5u8, value.clone()).prop_map(|(s, v)| format!("PUT txn check-session k s{s}, set m {v}")),
        1 => (key.clone(), value).prop_map(|(k, v)| format!("PUT kv/{k} {v}")),
        1 => key.prop_map(|k| format!("DELETE kv/{k}")),
    ];
    let one = prop_oneof![
        9 => request.prop_map(Happening::Request),
        2 => (0..6u8).prop_map(Happening::Timer),
        1 => Just(Happening::Failover)
    ];
    prop::collection::vec(one, 0..80)
}

proptest! {
    #[test]
    fn a_key_changes_hands_only_through_nobody_and_each_time_with_a_higher_number(happenings in happenings()) {
        let cluster = cluster();
        let mut cells = vec![0; cluster.length()];
        let mut timers = Timers::new(cluster.timers());
        let read = |cells: &mut [u16], timers: &mut Timers| {
            match cluster.execute(0, &cluster.parse("GET kv/k").unwrap(), cells, timers) {
                Some(Reply::Entry(entry)) => Some(entry),
                _ => None,
            }
        };
        let mut last_index = 0;
        for happening in happenings {
            let before = cells.clone();
            let old = read(&mut cells, &mut timers);
            match &happening {
                Happening::Timer(timer) if timers.take(*timer) => cluster.fire(*timer, &mut cells, &mut timers),
                Happening::Timer(_) => {}
                Happening::Failover => cluster.restart(true, &mut cells, &mut timers),
                Happening::Request(words) => {
                    let command = cluster.parse(words).expect("it was written right");
                    let reply = cluster.execute(0, &command, &mut cells, &mut timers).expect("nothing waits");
                    let refused = matches!(reply, Reply::Done(false) | Reply::OtherSession { .. } | Reply::NoKey(_));
                    prop_assert!(!refused || before == cells, "{} {}", words, reply);
                }
            }
            prop_assert!(last_index <= cells[0]);
            last_index = cells[0];
            if let (Some(old), Some(new)) = (old, read(&mut cells, &mut timers)) {
                prop_assert!(old.lock_index <= new.lock_index);
                prop_assert!(old.modify_index <= new.modify_index);
                if new.session.is_some() && old.session != new.session {
                    prop_assert_eq!(old.session, None);
                    prop_assert_eq!(new.lock_index, old.lock_index + 1);
                }
            }
        }
    }
}
