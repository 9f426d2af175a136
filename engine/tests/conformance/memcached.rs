//! memcached: the rows of the table, the rules behind them, Facebook's leases, and
//! what holds for any commands.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::System;
use racescope_engine::system::memcached::{Leases, Memcached, Reply};
use racescope_engine::system::transcript::check;

fn server() -> Memcached {
    Memcached::new(&["p", "r", "s", "w"]).expect("four short words")
}

#[test]
fn m1_a_set_without_a_number_stores_what_was_read_before_the_delete() {
    check(
        &server(),
        "A mg p v → EN
         B md p → NF
         A ms p 3 T600 ⏎ 100 → HD
         B mg p v → VA 3 ⏎ 100",
    );
}

#[test]
fn m2_a_delete_voids_the_number_of_the_placeholder() {
    check(
        &server(),
        "C ms p 3 ⏎ 100 → HD
         C ms p 3 ⏎ 100 → HD
         C md p → HD
         A mg p v c N30 → VA 0 c3 W ⏎
         B mg p v c N30 → VA 0 c3 Z ⏎
         C md p → HD
         A ms p 3 C3 ⏎ 100 → NF
         B mg p v → EN",
    );
}

#[test]
fn m3_a_key_that_was_deleted_and_made_again_has_another_number() {
    check(
        &server(),
        "C set p 0 0 1 ⏎ 1 → STORED
         C set p 0 0 1 ⏎ 2 → STORED
         C set p 0 0 1 ⏎ 3 → STORED
         C md p → HD
         A mg p c N30 → HD c4 W
         C md p → HD
         B mg p c N30 → HD c5 W
         A ms p 2 C4 ⏎ 80 → EX
         B ms p 2 C5 ⏎ 80 → HD",
    );
}

#[test]
fn m4_one_reader_of_a_stale_value_wins_and_its_set_makes_the_item_fresh() {
    check(
        &server(),
        "C ms s 1 ⏎ 0 → HD
         C ms s 1 ⏎ 0 → HD
         C ms s 1 ⏎ 0 → HD
         C ms s 1 ⏎ 0 → HD
         C ms s 1 ⏎ 0 → HD
         C ms p 2 c ⏎ 80 → HD c6
         C md p I T30 → HD
         A mg p v c → VA 2 c7 X W ⏎ 80
         B mg p v c → VA 2 c7 Z X ⏎ 80
         C ms p 2 C6 ⏎ 80 → EX
         A ms p 2 C7 ⏎ 90 → HD
         B mg p v → VA 2 ⏎ 90",
    );
}

#[test]
fn m5_a_value_that_turns_stale_again_has_a_new_winner() {
    check(
        &server(),
        "C ms p 2 ⏎ 90 → HD
         C md p I T30 → HD
         A mg p v c → VA 2 c2 X W ⏎ 90
         C md p I T30 → HD
         B mg p v c → VA 2 c3 X W ⏎ 90
         A ms p 2 C2 ⏎ 91 → EX",
    );
}

#[test]
fn m6_a_lower_number_is_stored_as_stale_and_a_higher_one_is_refused() {
    check(
        &server(),
        "C ms p 2 ⏎ 90 → HD
         C md p I T30 → HD
         A mg p c → HD c2 X W
         C md p I T20 → HD
         B mg p c → HD c3 X W
         A ms p 2 C2 I T600 ⏎ 91 → HD
         A mg p v c t → VA 2 c4 t20 Z X ⏎ 91
         A ms p 2 C5 I ⏎ 92 → EX
         A ms p 2 C0 I ⏎ 92 → EX
         A mg p v → VA 2 Z X ⏎ 91",
    );
}

#[test]
fn m8_a_value_that_came_back_does_not_fool_the_number() {
    check(
        &server(),
        "A set r 0 0 1 ⏎ a → STORED
         A gets r → VALUE r 0 1 1 ⏎ a ⏎ END
         B set r 0 0 1 ⏎ b → STORED
         B set r 0 0 1 ⏎ a → STORED
         A cas r 0 0 1 1 ⏎ x → EXISTS
         A gets r → VALUE r 0 1 3 ⏎ a ⏎ END
         B delete r → DELETED
         B add r 0 0 1 ⏎ a → STORED
         A cas r 0 0 1 3 ⏎ x → EXISTS
         A get r → VALUE r 0 1 ⏎ a ⏎ END",
    );
}

#[test]
fn m9_a_placeholder_ends_with_its_second_and_so_does_its_number() {
    check(
        &server(),
        "A mg s c N1 → HD c1 W
         wait 2200 ms
         A ms s 1 C1 ⏎ 5 → NF",
    );
}

#[test]
fn m12_the_number_protects_only_from_those_who_show_theirs() {
    check(
        &server(),
        "A mg w N30 → HD W
         B md w → HD
         A ms w 1 ⏎ 5 → HD
         B mg w v → VA 1 ⏎ 5",
    );
}

#[test]
fn all_lives_end_on_the_ticks_of_one_clock() {
    check(
        &server(),
        "A ms p 1 T2 ⏎ 1 → HD
         wait 600 ms
         A ms r 1 T1 ⏎ 1 → HD
         wait 399 ms
         A mg r v t → VA 1 t1 ⏎ 1
         wait 1 ms
         A mg r v t → EN
         A mg p v t → VA 1 t1 ⏎ 1
         wait 1 s
         A mg p v → EN",
    );
    // An item that is stored just before a tick has hardly anything of its first second.
    check(
        &server().with_first_tick_us(1_000),
        "A ms p 1 T1 ⏎ 1 → HD
         wait 1 ms
         A mg p v → EN",
    );
}

#[test]
fn f3_a_step_of_the_wall_clock_ends_nothing() {
    check(
        &server(),
        "A ms p 1 T30 ⏎ 1 → HD
         clock +1000 s
         A mg p t → HD t30",
    );
}

#[test]
fn a_restart_loses_all_and_counts_from_the_start() {
    check(
        &server(),
        "A mg p c N30 → HD c1 W
         restart
         B mg p c N30 → HD c1 W
         A ms p 1 C1 ⏎ 5 → HD
         B ms p 1 C1 ⏎ 6 → EX",
    );
}

#[test]
fn a_reader_wins_an_item_that_ends_soon() {
    check(
        &server(),
        "A ms p 1 T30 ⏎ 5 → HD
         A mg p t R30 → HD t30
         A mg p t R31 → HD t30 W
         B mg p t R31 → HD t30 Z
         B ms s 1 ⏎ 5 → HD
         B mg s t R31 → HD t-1",
    );
}

#[test]
fn flags_are_handled_in_the_order_in_which_they_stand() {
    check(
        &server(),
        "A mg p t N4 c → HD t-1 c1 W
         A mg p T20 t c → HD t20 c1 Z
         A mg p c t T40 → HD c1 t20 Z
         A mg p t → HD t40 Z
         A ms r 1 T30 ⏎ 5 → HD
         A mg r T20 R25 → HD W",
    );
}

#[test]
fn marks_of_an_item_outlive_touches_and_end_with_a_plain_set() {
    check(
        &server(),
        "A ms p 1 T9 ⏎ 8 → HD
         B md p I → HD
         A get p → VALUE p 0 1 ⏎ 8 ⏎ END
         A add p 0 0 1 ⏎ 9 → NOT_STORED
         A mg p t T0 → HD t9 X W
         B mg p t → HD t-1 Z X
         B md p I C1 → EX
         B md p C1 → EX
         B md r C1 → NF
         B md r I → NF
         A cas p 0 0 1 9 ⏎ 9 → EXISTS
         A cas r 0 0 1 9 ⏎ 9 → NOT_FOUND
         A ms p 1 c C1 ⏎ 9 → EX c0
         A ms r 1 c C1 ⏎ 9 → NF c0
         B set p 0 0 0 ⏎ → STORED
         A mg p v c t → VA 0 c3 t-1 ⏎
         B delete p → DELETED
         B delete p → NOT_FOUND
         A get p → END",
    );
}

#[test]
fn leases_give_one_token_in_ten_seconds_and_a_delete_voids_it() {
    check(
        &server().with_leases(Leases::TEN_SECONDS),
        "A lease-get p → LVALUE p 1 0 0
         B lease-get p → NOT_FOUND_HOT
         C delete p → NOT_FOUND
         A lease-set p 1 0 0 2 ⏎ 80 → NOT_STORED
         B lease-get p → NOT_FOUND_HOT
         wait 9999 ms
         B lease-get p → NOT_FOUND_HOT
         B lease-get r → LVALUE r 2 0 0
         wait 1 ms
         B lease-get p → LVALUE p 3 0 0
         B lease-set p 3 0 0 2 ⏎ 90 → STORED
         A lease-get p → VALUE p 0 2 ⏎ 90
         B lease-set p 3 0 0 2 ⏎ 91 → NOT_STORED",
    );
}

#[test]
fn leases_do_not_stop_a_reader_that_missed_after_the_delete() {
    check(
        &server().with_leases(Leases::EveryMiss),
        "C delete p → NOT_FOUND
         A lease-get p → LVALUE p 1 0 0
         B lease-get p → LVALUE p 2 0 0
         B lease-set p 2 0 0 3 ⏎ old → STORED
         A lease-set p 1 0 0 3 ⏎ new → NOT_STORED",
    );
}

#[test]
fn what_the_server_would_not_read_is_no_command() {
    let server = server();
    for words in [
        "",
        "mg",
        "mg x",
        "mg p c c",
        "mg p v E5",
        "mg p N",
        "mg p T-1",
        "ms p 2 ⏎ 100",
        "ms p 3",
        "ms p 3 C65535 ⏎ 100",
        "md p v",
        "md p I I",
        "set p 0 0 ⏎ 1",
        "cas p 0 0 1 ⏎ 1",
        "lease-get p",
        "lease-set p 1 0 0 1 ⏎ 1",
        "mg p ü",
    ] {
        assert_eq!(server.parse(words), None, "{words}");
    }
    assert_eq!(Memcached::new(&["four"]), None);
    assert_eq!(Memcached::new(&["p"; 101]), None);
}

fn command() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["p", "r"]);
    let get = prop::sample::subsequence(vec!["v", "c", "t", "N2", "R2", "T3"], 0..=6).prop_shuffle();
    let set = prop::sample::subsequence(vec!["c", "I", "T2"], 0..=3);
    let delete = prop::sample::subsequence(vec!["I", "T2"], 0..=2);
    let cas = prop_oneof![Just(String::new()), (0..9u16).prop_map(|cas| format!("C{cas}"))];
    prop_oneof![
        4 => (key.clone(), get).prop_map(|(key, flags)| format!("mg {key} {}", flags.join(" "))),
        4 => (key.clone(), set, cas.clone())
            .prop_map(|(key, flags, cas)| format!("ms {key} 1 {} {cas} ⏎ x", flags.join(" "))),
        2 => (key.clone(), delete, cas).prop_map(|(key, flags, cas)| format!("md {key} {} {cas}", flags.join(" "))),
        1 => key.clone().prop_map(|key| format!("add {key} 0 1 1 ⏎ y")),
        1 => (key.clone(), 0..9u16).prop_map(|(key, cas)| format!("cas {key} 0 1 1 {cas} ⏎ z")),
        1 => key.clone().prop_map(|key| format!("delete {key}")),
        2 => key.clone().prop_map(|key| format!("lease-get {key}")),
        2 => (key, 0..9u16).prop_map(|(key, token)| format!("lease-set {key} {token} 0 0 1 ⏎ l")),
    ]
}

#[derive(Clone, Debug)]
enum Happening {
    Command(String),
    Timer(u8),
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let one = prop_oneof![8 => command().prop_map(Happening::Command), 1 => (0..4u8).prop_map(Happening::Timer)];
    prop::collection::vec(one, 0..80)
}

fn refuses(reply: &Reply) -> bool {
    use Reply::{Absent, Differs, End, Exists, Miss, NotFoundHot, NotStored};
    matches!(reply, Absent { .. } | Differs { .. } | End | Exists | Miss | NotFoundHot | NotStored)
}

proptest! {
    #[test]
    fn numbers_only_rise_and_a_refused_command_changes_no_item(happenings in happenings()) {
        let server = Memcached::new(&["p", "r"]).unwrap().with_leases(Leases::TEN_SECONDS);
        let mut cells = vec![0; server.length()];
        let mut timers = Timers::new(server.timers());
        for happening in happenings {
            let before = cells.clone();
            match happening {
                Happening::Timer(timer) if timers.take(timer) => server.fire(timer, &mut cells, &mut timers),
                Happening::Timer(_) => {}
                Happening::Command(words) => {
                    let command = server.parse(&words).expect("it was written right");
                    let reply = server.execute(0, &command, &mut cells, &mut timers).expect("nothing waits");
                    // A delete voids the lease even if there is nothing to delete.
                    if refuses(&reply) && !words.starts_with("md") {
                        prop_assert_eq!(&before, &cells, "{} {}", words, reply);
                    }
                }
            }
            prop_assert!(before[0] <= cells[0], "the number went back");
            let numbers = [cells[1], cells[5]];
            prop_assert!(numbers.iter().all(|&cas| cas <= cells[0]), "a number that nobody gave out");
            prop_assert!(numbers[0] == 0 || numbers[0] != numbers[1], "one number twice");
        }
    }

    #[test]
    fn an_item_has_one_winner_until_it_is_written(readers in prop::collection::vec((0..8u8, any::<bool>()), 1..20)) {
        let server = Memcached::new(&["p"]).unwrap();
        let mut cells = vec![0; server.length()];
        let mut timers = Timers::new(server.timers());
        let read = server.parse("mg p N30").unwrap();
        let mark = server.parse("md p I").unwrap();
        let mut winners = 0;
        for (reader, marks) in readers {
            if marks && refuses(&server.execute(reader, &mark, &mut cells, &mut timers).unwrap()) {
                prop_assert_eq!(winners, 0);
            } else if marks {
                winners = 0;
            }
            let reply = server.execute(reader, &read, &mut cells, &mut timers).unwrap();
            if let Reply::Done(_, marks) = reply {
                winners += u8::from(marks.won);
                prop_assert_ne!(marks.won, marks.sent);
            }
            prop_assert_eq!(winners, 1);
        }
    }
}
