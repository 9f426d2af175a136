//! What transactions have written and done counts when they are committed, and never if
//! that doesn't come: what the judges find, each run written as a lesson's TOML.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod judged;
mod versions;
mod written;

use expect_test::expect;
use judged::check;
use versions::versions;

/// Two clients that read a row and write it in a transaction of this kind, which they end
/// so after a second.
fn transaction(begin: &str, end: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work" }}
B = {{ client = "work", starts = "0.6 s" }}
row = {{ system = "postgres", keeps = "data", latency = "0.05 s", title = "Row" }}
[programs]
work = [
  {{ step = "ask", server = "row", say = "{begin}", answers = [{{ reply = "BEGIN" }}] }},
  {{ step = "ask", server = "row", say = "select granted from q where id=1", means = "read", answers = [{{ reply = "($n)" }}] }},
  {{ step = "ask", server = "row", say = "update q set granted=$n+1 where id=1", means = "write",
    answers = [{{ reply = "UPDATE 1", is = "accepted" }}, {{ reply = "ERROR*", is = "refused", then = "stop" }}] }},
  {{ step = "ask", server = "row", after = "1 s", say = "{end}", answers = [{{ reply = "*" }}] }},
]
"#
    )
}

#[test]
fn who_reads_while_another_has_written_and_not_committed_reads_the_older_version() {
    check(
        &transaction("begin", "commit"),
        &expect![[r#"
            lost-update
                750 ms Row Read { version: 1, value: 0 } `(0)`
                1.35 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `COMMIT`
                2.45 s Row Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `COMMIT`
            tried: kept-waiting
                800 ms B Sent { server: 2, request: Command { step: 2, meaning: Write }, token: 0 } `update q set granted=1 where id=1`
                850 ms Row Waits
            tried: outdated-write-tried
                750 ms Row Read { version: 1, value: 0 } `(0)`
                1.35 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `COMMIT`
                2.45 s Row Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `COMMIT`
        "#]],
    );
}

#[test]
fn what_was_rolled_back_makes_nobody_lose_anything() {
    check(
        &transaction("begin", "rollback"),
        &expect![[r#"
            tried: kept-waiting
                800 ms B Sent { server: 2, request: Command { step: 2, meaning: Write }, token: 0 } `update q set granted=1 where id=1`
                850 ms Row Waits
        "#]],
    );
}

#[test]
fn a_snapshot_that_is_too_old_to_write_on_is_refused() {
    check(
        &transaction("begin isolation level repeatable read", "commit"),
        &expect![[r#"
            tried: kept-waiting
                800 ms B Sent { server: 2, request: Command { step: 2, meaning: Write }, token: 0 } `update q set granted=1 where id=1`
                850 ms Row Waits
            tried: outdated-write-tried
                750 ms Row Read { version: 1, value: 0 } `(0)`
                1.35 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `COMMIT`
                1.35 s Row Refused { token: 0, based_on: 1, comparison: Comparison { brought: 1, relation: Different, kept: 2 } } `ERROR 40001 could not serialize access due to concurrent update`
        "#]],
    );
}

#[test]
fn a_commit_without_a_reply_leaves_a_write_in_doubt() {
    let lost = "[[faults]]\nloss = \"A\"\ncall = 4\nleg = \"reply\"\n[nodes]";
    let alone = transaction("begin", "commit").replace("B = {", "# B").replace("[nodes]", lost);
    let patient = alone.replace(r#"after = "1 s","#, r#"timeout = "1 s", on_timed_out = "stop","#);
    check(
        &patient,
        &expect![[r#"
        outcome-unknown
            300 ms A Sent { server: 1, request: Command { step: 3, meaning: Nothing }, token: 0 } `commit`
            350 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `COMMIT`
            350 ms A trouble begins
            375 ms Row Lost { leg: Reply, server: 1 }
            1.3 s A Learned { outcome: TimedOut, server: 1, token: 0 }
        tried: message-lost
            300 ms A Sent { server: 1, request: Command { step: 3, meaning: Nothing }, token: 0 } `commit`
            350 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `COMMIT`
            350 ms A trouble begins
            375 ms Row Lost { leg: Reply, server: 1 }
        tried: write-unanswered
            300 ms A Sent { server: 1, request: Command { step: 3, meaning: Nothing }, token: 0 } `commit`
            350 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `COMMIT`
            350 ms A trouble begins
            375 ms Row Lost { leg: Reply, server: 1 }
        tried: write-unanswered
            300 ms A Sent { server: 1, request: Command { step: 3, meaning: Nothing }, token: 0 } `commit`
            350 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `COMMIT`
            350 ms A trouble begins
            375 ms Row Lost { leg: Reply, server: 1 }
            1.3 s A Learned { outcome: TimedOut, server: 1, token: 0 }
    "#]],
    );
}

#[test]
fn who_is_kept_by_a_row_lock_waits_and_for_ever_if_it_stays() {
    check(
        &transaction("begin", "rollback"),
        &expect![[r#"
        tried: kept-waiting
            800 ms B Sent { server: 2, request: Command { step: 2, meaning: Write }, token: 0 } `update q set granted=1 where id=1`
            850 ms Row Waits
    "#]],
    );
    check(
        &transaction("begin", "select granted from q where id=1"),
        &expect![[r#"
        no-progress
            800 ms B Sent { server: 2, request: Command { step: 2, meaning: Write }, token: 0 } `update q set granted=1 where id=1`
            850 ms Row Waits
        tried: kept-waiting
            800 ms B Sent { server: 2, request: Command { step: 2, meaning: Write }, token: 0 } `update q set granted=1 where id=1`
            850 ms Row Waits
    "#]],
    );
}

/// Two clients that each send a mail at most once in all, in a transaction that they end so.
fn mails(begin: &str, end: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work" }}
B = {{ client = "work", starts = "0.6 s" }}
mail = {{ system = "postgres", keeps = "effects", limit = 1, latency = "0.05 s", title = "Orders" }}
[programs]
work = [
  {{ step = "ask", server = "mail", say = "{begin}", answers = [{{ reply = "BEGIN" }}] }},
  {{ step = "ask", server = "mail", say = "insert into grants values (7)", means = "effect",
    answers = [{{ reply = "INSERT 0 1", is = "accepted" }}] }},
  {{ step = "ask", server = "mail", after = "1 s", say = "{end}", answers = [{{ reply = "*" }}] }},
]
"#
    )
}

#[test]
fn what_is_done_in_a_transaction_counts_at_its_commit() {
    check(
        &mails("begin", "commit"),
        &expect![[r#"
        limit-exceeded
            1.25 s Orders Effected { count: 1, of: 0 }
            1.85 s Orders Effected { count: 2, of: 0 }
        tried: effect-beyond-limit-tried
            1.25 s Orders Effected { count: 1, of: 0 }
            1.85 s Orders Effected { count: 2, of: 0 }
    "#]],
    );
}

#[test]
fn what_was_rolled_back_was_never_done() {
    check(
        &mails("begin", "rollback"),
        &expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn a_server_that_crashes_undoes_what_was_not_committed() {
    let crash = "[[faults]]\ncrash = \"mail\"\nat = \"0.9 s\"\nlasts = \"0.1 s\"\nkeeps_memory = true\n";
    check(
        &format!("{crash}{}", mails("begin", "commit")),
        &expect![[r#"
        nothing
    "#]],
    );
}

/// A producer that writes a message, and one that takes its place before its end or after.
fn producers(second_starts: &str, end: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "produce" }}
B = {{ client = "produce", starts = "{second_starts}" }}
C = {{ client = "consume", starts = "1 s" }}
kafka = {{ system = "kafka", variant = "one-epoch-for-all", keeps = "data", latency = "0.05 s", title = "Kafka" }}
[programs]
produce = [
  {{ step = "ask", server = "kafka", say = "InitProducerId", answers = [{{ reply = "ok 1:$epoch" }}] }},
  {{ step = "ask", server = "kafka", say = "AddPartitionsToTxn 1:$epoch", answers = [{{ reply = "ok" }}] }},
  {{ step = "ask", server = "kafka", say = "Produce 1:$epoch $me", means = "write",
    answers = [{{ reply = "ok offset *", is = "accepted" }}] }},
  {{ step = "ask", server = "kafka", after = "1.5 s", say = "EndTxn 1:$epoch {end}",
    answers = [{{ reply = "ok" }}, {{ reply = "PRODUCER_FENCED: *", is = "lost", then = "stop" }}] }},
]
consume = [
  {{ step = "ask", server = "kafka", say = "Fetch", means = "read", answers = [{{ reply = "[*" }}] }},
  {{ step = "ask", server = "kafka", after = "6 s", say = "Fetch", means = "read", answers = [{{ reply = "[*" }}] }},
]
"#
    )
}

#[test]
fn a_message_is_read_when_its_transaction_is_committed() {
    let committed = [
        "250 ms A writes",
        "1.05 s C reads v1",
        "1.85 s A has v2 accepted",
        "3.25 s B writes",
        "4.85 s B has v3 accepted",
        "7.15 s C reads v3",
    ];
    assert_eq!(versions(&producers("3 s", "commit")), committed);
    let crash = "[[faults]]\ncrash = \"kafka\"\nat = \"0.9 s\"\nlasts = \"0.01 s\"\nkeeps_memory = true\n";
    let crashed = versions(&format!("{crash}{}", producers("3 s", "commit")));
    assert_eq!(crashed, committed, "a transaction is in the log, and not in a connection");
    let aborted = [
        "250 ms A writes",
        "1.05 s C reads v1",
        "1.85 s - A's is undone",
        "3.25 s B writes",
        "4.85 s - B's is undone",
        "7.15 s C reads v1",
    ];
    assert_eq!(versions(&producers("3 s", "abort")), aborted);
}

#[test]
fn what_the_older_producer_has_written_is_undone_when_a_newer_one_begins() {
    let fenced = [
        "250 ms A writes",
        "850 ms - A's is undone",
        "1.05 s B writes",
        "1.05 s C reads v1",
        "2.65 s B has v2 accepted",
        "7.15 s C reads v2",
    ];
    assert_eq!(versions(&producers("0.8 s", "commit")), fenced);
}

/// A producer that writes after its transaction has ended, and another process of the same
/// transactional id that ends one of its own.
fn hanging(end: &str) -> String {
    let head = r#"
[nodes]
A = { client = "late" }
B = { client = "next", starts = "1 s" }
C = { client = "consume", starts = "4 s" }
kafka = { system = "kafka", variant = "one-epoch-for-all", keeps = "data", latency = "0.05 s", title = "Kafka" }
[programs]
late = [
  { step = "ask", server = "kafka", say = "InitProducerId", answers = [{ reply = "ok 1:$epoch" }] },
  { step = "ask", server = "kafka", say = "Produce 1:$epoch $me", means = "write",
    answers = [{ reply = "ok offset *", is = "accepted" }] },
]
consume = [
  { step = "ask", server = "kafka", say = "Fetch", means = "read", answers = [{ reply = "[*" }] },
]
"#;
    format!(
        r#"{head}next = [
  {{ step = "ask", server = "kafka", say = "AddPartitionsToTxn 1:0", answers = [{{ reply = "ok" }}] }},
  {{ step = "ask", server = "kafka", say = "Produce 1:0 $me", means = "write",
    answers = [{{ reply = "ok offset *", is = "accepted" }}] }},
  {{ step = "ask", server = "kafka", after = "1 s", say = "EndTxn 1:0 {end}", answers = [{{ reply = "ok" }}] }},
]
"#
    )
}

#[test]
fn a_message_that_hangs_is_decided_by_whoever_ends_the_next_transaction() {
    let start = ["150 ms A writes", "1.15 s B writes"];
    let committed =
        [&start[..], &["2.25 s A has v2 accepted", "2.25 s B has v3 accepted", "4.05 s C reads v3"]].concat();
    assert_eq!(versions(&hanging("commit")), committed);
    let aborted = [&start[..], &["2.25 s - A's is undone", "2.25 s - B's is undone", "4.05 s C reads v1"]].concat();
    assert_eq!(versions(&hanging("abort")), aborted);
}
