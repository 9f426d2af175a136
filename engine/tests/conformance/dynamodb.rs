//! `DynamoDB`: the rows of the table, transactions, and what holds for any requests.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::dynamodb::{Dynamodb, Reply};
use racescope_engine::system::transcript::check;
use racescope_engine::system::{System, Time};

fn table() -> Dynamodb {
    Dynamodb::new(&["l", "m"], 500_000)
}

#[test]
fn d1_a_put_on_a_free_key_happens_once() {
    check(
        &table(),
        "A PutItem l v=7, owner=a IF attribute_not_exists(pk) → 200
         B PutItem l v=1, owner=b IF attribute_not_exists(pk) → 400 ConditionalCheckFailedException
         B PutItem l v=1 IF attribute_not_exists(pk) ReturnValuesOnConditionCheckFailure=ALL_OLD → 400 ConditionalCheckFailedException {v=7 owner=a}
         A GetItem l ConsistentRead → 200 {v=7 owner=a}",
    );
}

#[test]
fn d2_of_two_updates_from_one_number_one_happens() {
    check(
        &table(),
        "A PutItem l v=7 → 200
         A UpdateItem l SET v=v+1, owner=:a IF v=:7 → 200
         B UpdateItem l SET v=v+1, owner=:b IF v=:7 → 400 ConditionalCheckFailedException
         B GetItem l ConsistentRead → 200 {v=8 owner=a}",
    );
}

#[test]
fn d3_the_retry_after_a_lost_reply_fails_although_the_write_is_in() {
    let table = table();
    let mut cells = vec![0; table.length()];
    let mut timers = Timers::new(table.timers());
    let mut ask = |words: &str| {
        let command = table.parse(words).expect(words);
        table.execute(0, &command, &mut cells, &mut timers).expect("nothing waits").to_string()
    };
    ask("PutItem l v=7");
    let update = "UpdateItem l SET v=v+1, owner=:a IF v=:7";
    let reply_that_is_lost = ask(update);
    assert_eq!(ask(update), "400 ConditionalCheckFailedException");
    assert_eq!(reply_that_is_lost, "200", "it had happened");
    assert_eq!(ask("GetItem l ConsistentRead"), "200 {v=8 owner=a}", "a reader finds its own id and knows");
}

#[test]
fn a_transaction_happens_whole_or_not_at_all_and_says_why() {
    check(
        &table(),
        "A PutItem m v=3 → 200
         A TransactWriteItems Put l v=1 IF attribute_not_exists(pk); Update m SET v=v+1 IF v=:2 → 400 TransactionCanceledException [None, ConditionalCheckFailed]
         A GetItem l ConsistentRead → 200 (no item)
         A TransactWriteItems Update l SET v=v+1; ConditionCheck m IF v=:3 → 400 TransactionCanceledException [ValidationError, None]
         A TransactWriteItems Put l v=1; Update m SET v=v+1 IF v=:3 → 200
         A GetItem l ConsistentRead → 200 {v=1}
         A GetItem m ConsistentRead → 200 {v=4}",
    );
}

#[test]
fn a_token_makes_a_retry_harmless_for_ten_minutes_and_no_longer() {
    check(
        &table(),
        "A PutItem l v=0 → 200
         A TransactWriteItems ClientRequestToken=t1 Update l SET v=v+1 → 200
         A TransactWriteItems ClientRequestToken=t1 Update l SET v=v+1 → 200
         A GetItem l ConsistentRead → 200 {v=1}
         A TransactWriteItems ClientRequestToken=t1 Update l SET v=v+2 → 400 IdempotentParameterMismatchException
         wait 599999 ms
         A TransactWriteItems ClientRequestToken=t1 Update l SET v=v+1 → 200
         A GetItem l ConsistentRead → 200 {v=1}
         wait 1 ms
         A TransactWriteItems ClientRequestToken=t1 Update l SET v=v+1 → 200
         A GetItem l ConsistentRead → 200 {v=2}",
    );
}

#[test]
fn a_cancelled_transaction_does_not_use_its_token_up() {
    check(
        &table(),
        "A TransactWriteItems ClientRequestToken=t1 Put l v=1 IF attribute_exists(pk) → 400 TransactionCanceledException [ConditionalCheckFailed]
         A PutItem l v=0 → 200
         A TransactWriteItems ClientRequestToken=t1 Put l v=1 IF attribute_exists(pk) → 200",
    );
}

#[test]
fn a_read_that_is_not_consistent_may_be_old() {
    check(
        &table(),
        "A PutItem l v=1 → 200
         A GetItem l → 200 (no item)
         wait 500 ms
         A GetItem l → 200 {v=1}
         A DeleteItem l IF v=:1 → 200
         B GetItem l → 200 {v=1}
         B GetItem l ConsistentRead → 200 (no item)
         wait 500 ms
         B GetItem l → 200 (no item)",
    );
}

#[test]
fn comparisons_on_a_missing_attribute_fail_except_that_it_differs() {
    check(
        &table(),
        "A PutItem l v=7 → 200
         A UpdateItem l SET v=:8 IF owner=:a → 400 ConditionalCheckFailedException
         A UpdateItem l SET v=:8 IF owner<:a → 400 ConditionalCheckFailedException
         A UpdateItem l SET v=:8 IF owner<>:a → 200
         A UpdateItem l SET v=:9 IF attribute_exists(owner) OR v>=:8 AND NOT v>:8 → 200
         A UpdateItem l SET v=:1 IF v<:9 OR v>:9 → 400 ConditionalCheckFailedException
         A UpdateItem l SET v=:1 IF v <= :9 → 200
         A UpdateItem m SET v=v+1 → 400 ValidationException
         A UpdateItem m SET v=:65534 → 200
         A UpdateItem m SET v=v+1 → 400 ValidationException",
    );
}

#[test]
fn what_does_not_exist_cannot_be_asked_for() {
    for words in [
        "UpdateItem l SET v=:8 IF attribute_equals(v, :7)",
        "UpdateItem l SET v=:8 IF v=:65535",
        "UpdateItem l SET v=:8 IF",
        "PutItem unknown v=7",
        "PutItem l v=7, v=8",
        "TransactWriteItems Put l v=1; Put l v=2",
        "TransactWriteItems ClientRequestToken=t1",
        "ConditionCheckItem l",
        "",
    ] {
        assert_eq!(table().parse(words), None, "{words}");
    }
}

fn condition() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "",
        " IF attribute_not_exists(pk)",
        " IF attribute_exists(pk)",
        " IF v=:1",
        " IF v<:2 AND owner<>:a",
        " IF owner=:a OR NOT v=:0",
    ])
}

fn request() -> impl Strategy<Value = String> {
    let write = proptest::sample::select(vec![
        "PutItem l v=1",
        "PutItem l v=0, owner=a",
        "UpdateItem l SET v=v+1",
        "UpdateItem l SET owner=:b",
        "UpdateItem l SET v=v+65533",
        "DeleteItem l",
    ]);
    let transaction = (0..6u8, 0..2u8, condition(), condition()).prop_map(|(token, more, first, second)| {
        format!("TransactWriteItems ClientRequestToken=t{token} Put l v={more}{first}; Update m SET v=v+1{second}")
    });
    prop_oneof![
        4 => (write, condition()).prop_map(|(write, condition)| format!("{write}{condition}")),
        2 => transaction,
        1 => Just("PutItem m v=0".to_string()),
        1 => Just("GetItem l".to_string()),
        1 => Just("fire".to_string()),
    ]
}

proptest! {
    #[test]
    fn what_is_refused_changes_nothing(requests in proptest::collection::vec((request(), 0..5u8), 0..60)) {
        let table = table();
        let mut cells = vec![0; table.length()];
        let mut timers = Timers::new(table.timers());
        for (words, timer) in requests {
            if words == "fire" {
                if timers.take(timer) {
                    table.fire(timer, &mut cells, &mut timers);
                }
                continue;
            }
            let before = cells.clone();
            let command = table.parse(&words).expect("it was written right");
            let reply = table.execute(0, &command, &mut cells, &mut timers).expect("nothing waits");
            if !matches!(reply, Reply::Written) {
                prop_assert_eq!(&cells, &before, "{} was answered {}", words, reply);
            }
            prop_assert!(timers.left_us(0).is_some() || cells[..6] == cells[6..12], "the copy will catch up");
        }
    }

    #[test]
    fn any_text_is_refused_or_read_as_a_request_that_can_be_made(
        words in "(PutItem|UpdateItem|DeleteItem|TransactWriteItems Put) l [a-z:=<>(),; 0-9IFANDOR]{0,30}",
    ) {
        let table = table();
        let mut cells = vec![0; table.length()];
        let reply = table.parse(&words).map(|command| {
            table.execute(0, &command, &mut cells, &mut Timers::new(table.timers())).expect("nothing waits")
        });
        prop_assert!(reply.is_none_or(|reply| !reply.to_string().is_empty()));
    }
}
