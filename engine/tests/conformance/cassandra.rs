//! Cassandra: the rows of the table, mixed writes, and what holds for any statements.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::cassandra::{Cassandra, Command, Reply};
use racescope_engine::system::transcript::check;
use racescope_engine::system::{Decided, System, View};

fn table() -> Cassandra {
    Cassandra::new(&["l", "m"])
}

#[test]
fn ca1_a_row_is_inserted_once_and_the_second_sees_it() {
    check(
        &table(),
        "A INSERT INTO t (pk, v, id) VALUES ('l', 1, 'a') IF NOT EXISTS → [applied]=True
         B INSERT INTO t (pk, v, id) VALUES ('l', 1, 'b') IF NOT EXISTS → [applied]=False v=1 id=a",
    );
}

#[test]
fn ca2_after_a_timeout_a_serial_read_may_find_the_own_id() {
    check(
        &table(),
        "A INSERT INTO t (pk, v) VALUES ('l', 1) IF NOT EXISTS → [applied]=True
         A UPDATE t SET v=2, id='a' WHERE pk='l' IF v=1 -- times out after accept → WriteTimeout write_type=CAS
         A SELECT * FROM t WHERE pk='l' → v=1
         A SELECT * FROM t WHERE pk='l' -- SERIAL → v=2 id=a
         A SELECT * FROM t WHERE pk='l' → v=2 id=a",
    );
}

#[test]
fn ca2_or_it_may_not() {
    check(
        &table(),
        "A INSERT INTO t (pk, v) VALUES ('l', 1) IF NOT EXISTS → [applied]=True
         A UPDATE t SET v=2, id='a' WHERE pk='l' IF v=1 -- times out before accept → WriteTimeout write_type=CAS
         A SELECT * FROM t WHERE pk='l' -- SERIAL → v=1
         B UPDATE t SET v=2, id='b' WHERE pk='l' IF v=1 → [applied]=True",
    );
}

#[test]
fn ca2_or_somebody_else_completes_it_and_meets_its_value() {
    check(
        &table(),
        "A INSERT INTO t (pk, v) VALUES ('l', 1) IF NOT EXISTS → [applied]=True
         A UPDATE t SET v=2, id='a' WHERE pk='l' IF v=1 -- times out after accept → WriteTimeout write_type=CAS
         B UPDATE t SET v=2, id='b' WHERE pk='l' IF v=1 → [applied]=False v=2
         A SELECT * FROM t WHERE pk='l' -- SERIAL → v=2 id=a",
    );
}

#[test]
fn ca2_or_it_has_happened_and_a_retry_is_refused() {
    check(
        &table(),
        "A INSERT INTO t (pk, v) VALUES ('l', 1) IF NOT EXISTS → [applied]=True
         A UPDATE t SET v=2, id='a' WHERE pk='l' IF v=1 -- times out after commit → WriteTimeout write_type=CAS
         A UPDATE t SET v=2, id='a' WHERE pk='l' IF v=1 → [applied]=False v=2",
    );
}

#[test]
fn ca3_a_plain_write_with_an_earlier_timestamp_is_lost_without_a_word() {
    check(
        &table(),
        "A INSERT INTO t (pk, v, id) VALUES ('l', 1, 'a') IF NOT EXISTS -- ballot 100 → [applied]=True
         B UPDATE t USING TIMESTAMP 90 SET v=2 WHERE pk='l' → OK
         B SELECT * FROM t WHERE pk='l' -- SERIAL → v=1 id=a",
    );
}

#[test]
fn ca3_one_with_a_later_timestamp_wins_over_transactions_that_come_after_it() {
    check(
        &table(),
        "A INSERT INTO t (pk, v, id) VALUES ('l', 1, 'a') IF NOT EXISTS -- ballot 100 → [applied]=True
         B UPDATE t USING TIMESTAMP 200 SET v=7 WHERE pk='l' → OK
         A UPDATE t SET v=8, id='c' WHERE pk='l' IF v=7 -- ballot 150 → [applied]=True
         A SELECT * FROM t WHERE pk='l' -- SERIAL → v=7 id=c",
    );
}

#[test]
fn ballots_grow_whatever_the_clock_shows_and_end() {
    check(
        &table(),
        "A INSERT INTO t (pk, v) VALUES ('l', 1) IF NOT EXISTS -- ballot 100 → [applied]=True
         A UPDATE t SET v=2 WHERE pk='l' IF EXISTS -- ballot 50 → [applied]=True
         B UPDATE t USING TIMESTAMP 100 SET v=9 WHERE pk='l' → OK
         B SELECT * FROM t WHERE pk='l' → v=2
         A UPDATE t SET v=3 WHERE pk='l' IF v=2 AND id='a' → [applied]=False v=2
         A UPDATE t SET v=3 WHERE pk='m' IF EXISTS → [applied]=False
         A UPDATE t SET v=3 WHERE pk='l' IF v=2 -- ballot 65534 → [applied]=True
         A UPDATE t SET v=4 WHERE pk='l' IF v=3 → [applied]=True
         A UPDATE t SET v=5 WHERE pk='l' IF v=4 → OverloadedException
         A SELECT * FROM t WHERE pk='l' → v=4",
    );
}

#[test]
fn of_two_writes_at_one_timestamp_the_greater_value_stays() {
    check(
        &table(),
        "A UPDATE t USING TIMESTAMP 5 SET v=2, id='b' WHERE pk='l' → OK
         B INSERT INTO t (pk, id, v) VALUES ('l', 'aa', 3) USING TIMESTAMP 5 → OK
         A SELECT * FROM t WHERE pk='l' → v=3 id=b",
    );
}

#[test]
fn what_is_no_statement_of_the_model_is_refused() {
    for words in [
        "SELECT * FROM t WHERE pk='unknown'",
        "SELECT * FROM t WHERE pk='l' -- QUORUM",
        "UPDATE t SET v=2 WHERE pk='l'",
        "UPDATE t USING TIMESTAMP 0 SET v=2 WHERE pk='l'",
        "UPDATE t USING TIMESTAMP 5 SET v=2 WHERE pk='l' IF v=1",
        "UPDATE t SET v=2 WHERE pk='l' IF v=1 -- ballot 65535",
        "UPDATE t SET v=2, v=3 WHERE pk='l' IF v=1",
        "INSERT INTO t (pk, v) VALUES ('l') IF NOT EXISTS",
        "INSERT INTO t (pk) VALUES ('l') IF NOT EXISTS",
        "DELETE FROM t WHERE pk='l'",
        "",
    ] {
        assert_eq!(table().parse(words), None, "{words}");
    }
}

fn statement() -> impl Strategy<Value = String> {
    let timeout = proptest::sample::select(vec![
        "",
        ", times out before accept",
        ", times out after accept",
        ", times out after commit",
    ]);
    let conditional = (0..4u16, 0..4u16, 0..30u16, timeout).prop_map(|(old, new, clock, timeout)| {
        format!("UPDATE t SET v={new}, id='{old}' WHERE pk='l' IF v={old} -- ballot {clock}{timeout}")
    });
    prop_oneof![
        3 => conditional,
        2 => (1..40u16, 0..4u16).prop_map(|(at, v)| format!("UPDATE t USING TIMESTAMP {at} SET v={v} WHERE pk='l'")),
        1 => Just("INSERT INTO t (pk, v) VALUES ('l', 0) IF NOT EXISTS".to_string()),
        1 => Just("SELECT * FROM t WHERE pk='l'".to_string()),
        1 => Just("SELECT * FROM t WHERE pk='l' -- SERIAL".to_string()),
    ]
}

proptest! {
    #[test]
    fn timestamps_and_ballots_never_go_back_and_a_refused_transaction_writes_nothing_of_its_own(
        statements in proptest::collection::vec(statement(), 0..60),
    ) {
        const V_TIMESTAMP: usize = 1;
        const ID_TIMESTAMP: usize = 3;
        const BALLOT: usize = 4;
        let table = Cassandra::new(&["l"]);
        let mut cells = vec![0; table.length()];
        let ask = |words: &str, cells: &mut [u16]| {
            let command = table.parse(words).expect("it was written right");
            let reply = table.execute(0, &command, cells, &mut Timers::new(0)).expect("nothing waits");
            (command, reply)
        };
        for words in statements {
            let before = cells.clone();
            let mut completed = cells.clone();
            ask("SELECT * FROM t WHERE pk='l' -- SERIAL", &mut completed);
            let (command, reply) = ask(&words, &mut cells);
            for at in [V_TIMESTAMP, ID_TIMESTAMP, BALLOT] {
                prop_assert!(cells[at] >= before[at], "{} went back", words);
            }
            if matches!(reply, Reply::NotApplied(_)) {
                prop_assert_eq!(&cells[..BALLOT], &completed[..BALLOT]);
            }
            if matches!(command, Command::Select { serial: false, .. }) {
                prop_assert_eq!(&cells, &before);
            }
        }
    }

    #[test]
    fn those_who_judge_are_told_just_when_something_is_written(
        statements in proptest::collection::vec(statement(), 0..60),
    ) {
        const V: usize = 0;
        const V_TIMESTAMP: usize = 1;
        const BALLOT: usize = 4;
        const PROPOSAL: usize = 5;
        let table = Cassandra::new(&["l"]);
        let mut cells = vec![0; table.length()];
        for words in statements {
            let command = table.parse(&words).expect("it was written right");
            let before = cells.clone();
            let decided = table.decides(&command, &cells);
            let reply = table.execute(0, &command, &mut cells, &mut Timers::new(0)).expect("nothing waits");
            let view = table.view(0, &command, Some(&reply), &cells);
            // What was left behind is gone with the round that comes after it.
            let gone = before[PROPOSAL] != 0 && cells[PROPOSAL] != before[PROPOSAL];
            // It wins if any of its values is the later one.
            let wins = |value: usize, proposed: usize| {
                let later = (before[PROPOSAL], before[proposed]) >= (before[value + 1], before[value]);
                before[proposed] != 0 && later
            };
            let fate = if wins(0, PROPOSAL + 1) || wins(2, PROPOSAL + 2) { Decided::Completed } else { Decided::Lost };
            prop_assert_eq!(decided, gone.then_some(fate), "{}", words);
            let is_written = cells[..BALLOT] != before[..BALLOT];
            let is_told = view == View::Landed || decided == Some(Decided::Completed);
            prop_assert!(is_told || !is_written, "{}: {:?} after {:?}", words, cells, before);
            // What is told is there: as its statement says, or as the round before has left it.
            let is_there = match command {
                Command::Write { columns, timestamp, .. } => {
                    (Some(cells[V] - 1), cells[V_TIMESTAMP]) == (columns.v, timestamp)
                }
                _ => is_written || decided == Some(Decided::Completed),
            };
            prop_assert_eq!(is_told, is_there, "{}: {:?} after {:?}", words, cells, before);
            prop_assert_eq!(view == View::Proposed, cells[PROPOSAL] != 0 && (gone || before[PROPOSAL] == 0));
        }
    }
}
