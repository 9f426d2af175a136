//! Writes whose outcome nobody knows, and writes that are lost without a word: they count when
//! they are there, whatever a client makes of the answer. Each run is written as a lesson's TOML.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod judged;
mod versions;
mod written;

use expect_test::{Expect, expect};
use judged::check;
use versions::versions;

/// A reads a row of Cassandra and writes it by a lightweight transaction, whose coordinator
/// gives up as the remark says. What B says then, at some time, is given.
fn timed_out(remark: &str, then: &str) -> String {
    let head = r#"
[nodes]
A = { client = "give-up" }
B = { client = "then" }
row = { system = "cassandra", keys = ["l"], keeps = "data", latency = "0.05 s", title = "Row",
  at_start = ["INSERT INTO t (pk, v) VALUES ('l', 0) IF NOT EXISTS"] }
"#;
    format!(
        r#"{head}[programs]
give-up = [
  {{ step = "ask", server = "row", say = "SELECT * FROM t WHERE pk='l'", means = "read", answers = [{{ reply = "v=*" }}] }},
  {{ step = "ask", server = "row", say = "UPDATE t SET v=1 WHERE pk='l' IF v=0 -- {remark}", means = "write",
    conditional = true, answers = [{{ reply = "WriteTimeout *", is = "unknown" }}] }},
]
then = [
{then}
]
"#
    )
}

const READ: &str = r#"  { step = "ask", server = "row", say = "SELECT * FROM t WHERE pk='l'", means = "read", answers = [{ reply = "v=*" }] },"#;

const SERIAL_READ: &str = r#"  { step = "ask", after = "1 s", server = "row", say = "SELECT * FROM t WHERE pk='l' -- SERIAL", means = "read",
    answers = [{ reply = "v=*" }] },"#;

/// A plain write with a timestamp, after a second.
fn plain_write(timestamp: u16) -> String {
    format!(
        r#"  {{ step = "ask", after = "1 s", server = "row", say = "UPDATE t USING TIMESTAMP {timestamp} SET v=7 WHERE pk='l'",
    means = "write", answers = [{{ reply = "OK", is = "accepted" }}] }},"#
    )
}

#[test]
fn a_write_that_has_happened_counts_whatever_its_client_knows() {
    let then = format!("{READ}\n{}", plain_write(9));
    check(
        &timed_out("times out after commit", &then),
        &expect![[r#"
        outcome-unknown
            100 ms A Sent { server: 2, request: Command { step: 1, meaning: Write }, token: 0 } `UPDATE t SET v=1 WHERE pk='l' IF v=0 -- times out after commit`
            150 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `WriteTimeout write_type=CAS`
            200 ms A Learned { outcome: Unknown, server: 2, token: 0 }
        lost-update
            50 ms Row Read { version: 1, value: 0 } `v=0`
            150 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `WriteTimeout write_type=CAS`
            1.15 s Row Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `OK`
        tried: write-unanswered
            100 ms A Sent { server: 2, request: Command { step: 1, meaning: Write }, token: 0 } `UPDATE t SET v=1 WHERE pk='l' IF v=0 -- times out after commit`
            150 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `WriteTimeout write_type=CAS`
            200 ms A Learned { outcome: Unknown, server: 2, token: 0 }
        tried: outdated-write-tried
            50 ms Row Read { version: 1, value: 0 } `v=0`
            150 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `WriteTimeout write_type=CAS`
            1.15 s Row Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `OK`
    "#]],
    );
    check(
        &timed_out("times out before accept", &then),
        &expect![[r#"
        outcome-unknown
            100 ms A Sent { server: 2, request: Command { step: 1, meaning: Write }, token: 0 } `UPDATE t SET v=1 WHERE pk='l' IF v=0 -- times out before accept`
            200 ms A Learned { outcome: Unknown, server: 2, token: 0 }
        tried: write-unanswered
            100 ms A Sent { server: 2, request: Command { step: 1, meaning: Write }, token: 0 } `UPDATE t SET v=1 WHERE pk='l' IF v=0 -- times out before accept`
            200 ms A Learned { outcome: Unknown, server: 2, token: 0 }
    "#]],
    );
}

/// The versions that are accepted and read, a line each.
#[track_caller]
fn follow(toml: &str, expect: &Expect) {
    expect.assert_eq(&format!("{}\n", versions(toml).join("\n")));
}

#[test]
fn a_proposal_counts_once_somebody_completes_it() {
    let after_accept = |then: &str| timed_out("times out after accept", then);
    follow(
        &after_accept(READ),
        &expect![[r#"
        50 ms A reads v1
        50 ms B reads v1
        150 ms A writes
    "#]],
    );
    follow(
        &after_accept(SERIAL_READ),
        &expect![[r#"
        50 ms A reads v1
        150 ms A writes
        1.05 s A has v2 accepted
        1.05 s B reads v2
    "#]],
    );
    let conditional = |value: u16| {
        format!(
            r#"  {{ step = "ask", after = "1 s", server = "row", say = "UPDATE t SET v=7 WHERE pk='l' IF v={value}",
    means = "write", conditional = true,
    answers = [{{ reply = "[applied]=True", is = "accepted" }}, {{ reply = "[applied]=False *", is = "refused" }}] }},"#
        )
    };
    follow(
        &after_accept(&conditional(0)),
        &expect![[r#"
        50 ms A reads v1
        150 ms A writes
        1.05 s A has v2 accepted
    "#]],
    );
    follow(
        &after_accept(&conditional(1)),
        &expect![[r#"
        50 ms A reads v1
        150 ms A writes
        1.05 s A has v2 accepted
        1.05 s B has v3 accepted
    "#]],
    );
}

#[test]
fn a_write_with_an_earlier_timestamp_than_what_is_there_is_no_write() {
    let then = |timestamp| format!("{}\n{SERIAL_READ}", plain_write(timestamp));
    follow(
        &timed_out("ballot 20, times out after commit", &then(9)),
        &expect![[r#"
        50 ms A reads v1
        150 ms A has v2 accepted
        2.15 s B reads v2
    "#]],
    );
    follow(
        &timed_out("ballot 20, times out after commit", &then(21)),
        &expect![[r#"
        50 ms A reads v1
        150 ms A has v2 accepted
        1.05 s B has v3 accepted
        2.15 s B reads v3
    "#]],
    );
    // A proposal loses as well to what was written later by the clocks, though it was sooner.
    follow(
        &timed_out("ballot 20, times out after accept", &then(21)),
        &expect![[r#"
        50 ms A reads v1
        150 ms A writes
        1.05 s B has v2 accepted
        2.15 s - A's is undone
        2.15 s B reads v2
    "#]],
    );
    follow(
        &timed_out("ballot 20, times out after accept", &then(9)),
        &expect![[r#"
        50 ms A reads v1
        150 ms A writes
        1.05 s B has v2 accepted
        2.15 s A has v3 accepted
        2.15 s B reads v3
    "#]],
    );
}

#[test]
fn an_effect_that_was_proposed_counts_when_its_own_retry_completes_it() {
    let toml = r#"
[nodes]
A = { client = "pay" }
pay = { system = "cassandra", keys = ["l"], keeps = "effects", latency = "0.05 s", title = "Payments" }
[programs]
pay = [
  { step = "ask", server = "pay", say = "INSERT INTO t (pk, id) VALUES ('l', '$me1') IF NOT EXISTS -- times out after accept",
    means = "effect", answers = [{ reply = "WriteTimeout *", is = "unknown" }] },
  { step = "ask", server = "pay", say = "INSERT INTO t (pk, id) VALUES ('l', '$me1') IF NOT EXISTS",
    means = "effect", answers = [{ reply = "[applied]=True" }, { reply = "[applied]=False id=$me1", is = "hit" }] },
]
"#;
    check(
        toml,
        &expect![[r#"
            outcome-unknown
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `INSERT INTO t (pk, id) VALUES ('l', 'a1') IF NOT EXISTS -- times out after accept`
                50 ms Payments EffectPending { of: 0, promised: false } `WriteTimeout write_type=CAS`
                100 ms A Learned { outcome: Unknown, server: 1, token: 0 }
            tried: write-unanswered
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `INSERT INTO t (pk, id) VALUES ('l', 'a1') IF NOT EXISTS -- times out after accept`
                50 ms Payments EffectPending { of: 0, promised: false } `WriteTimeout write_type=CAS`
                100 ms A Learned { outcome: Unknown, server: 1, token: 0 }
            tried: effect-twice-tried
                100 ms A Sent { server: 1, request: Command { step: 1, meaning: Effect }, token: 0 } `INSERT INTO t (pk, id) VALUES ('l', 'a1') IF NOT EXISTS`
                150 ms Payments Effected { count: 1, of: 0 }
                150 ms Payments NotEffected { of: 0 } `[applied]=False id=a1`
        "#]],
    );
}

#[test]
fn a_proposal_that_its_own_next_round_completes_has_happened_once() {
    let toml = r#"
[nodes]
A = { client = "again" }
row = { system = "cassandra", keys = ["l"], keeps = "data", latency = "0.05 s", title = "Row",
  at_start = ["INSERT INTO t (pk, v) VALUES ('l', 0) IF NOT EXISTS"] }
[programs]
again = [
  { step = "ask", server = "row", say = "UPDATE t SET v=1, id='$me1' WHERE pk='l' IF v=0 -- times out after accept",
    means = "write", conditional = true, answers = [{ reply = "WriteTimeout *", is = "unknown" }] },
  { step = "ask", server = "row", say = "UPDATE t SET v=1, id='$me1' WHERE pk='l' IF v=0 -- times out after accept",
    means = "write", conditional = true, answers = [{ reply = "WriteTimeout *", is = "unknown" }] },
]
"#;
    check(
        toml,
        &expect![[r#"
        outcome-unknown
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UPDATE t SET v=1, id='a1' WHERE pk='l' IF v=0 -- times out after accept`
            50 ms Row Pending { token: 0, based_on: 0 } `WriteTimeout write_type=CAS`
            100 ms A Learned { outcome: Unknown, server: 1, token: 0 }
        outcome-unknown
            100 ms A Sent { server: 1, request: Command { step: 1, meaning: Write }, token: 0 } `UPDATE t SET v=1, id='a1' WHERE pk='l' IF v=0 -- times out after accept`
            200 ms A Learned { outcome: Unknown, server: 1, token: 0 }
        tried: write-unanswered
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UPDATE t SET v=1, id='a1' WHERE pk='l' IF v=0 -- times out after accept`
            50 ms Row Pending { token: 0, based_on: 0 } `WriteTimeout write_type=CAS`
            100 ms A Learned { outcome: Unknown, server: 1, token: 0 }
        tried: write-unanswered
            100 ms A Sent { server: 1, request: Command { step: 1, meaning: Write }, token: 0 } `UPDATE t SET v=1, id='a1' WHERE pk='l' IF v=0 -- times out after accept`
            200 ms A Learned { outcome: Unknown, server: 1, token: 0 }
    "#]],
    );
}

#[test]
fn what_another_commits_is_known_to_its_writer_by_its_number_even_if_the_reply_is_late() {
    let head = r#"
[nodes]
A = { client = "late" }
B = { client = "next", starts = "0.3 s" }
log = { system = "kafka", variant = "one-epoch-for-all", keeps = "data", latency = "0.05 s", title = "Log" }
[programs]
late = [
  { step = "ask", server = "log", say = "InitProducerId", answers = [{ reply = "ok 1:$epoch" }] },
  { step = "ask", server = "log", say = "Produce 1:$epoch a", means = "write", answers = [{ reply = "ok offset *", is = "accepted" }] },
  { step = "ask", server = "log", after = "3 s", say = "AddPartitionsToTxn 1:$epoch", answers = [{ reply = "ok" }] },
  { step = "ask", server = "log", say = "Produce 1:$epoch b", means = "write", answers = [{ reply = "ok offset *", is = "accepted" }] },
  { step = "ask", server = "log", say = "EndTxn 1:$epoch commit", answers = [{ reply = "ok" }] },
]
next = [
  { step = "ask", server = "log", say = "AddPartitionsToTxn 1:0", answers = [{ reply = "ok" }] },
  { step = "ask", server = "log", say = "EndTxn 1:0 commit", answers = [{ reply = "ok" }] },
  { step = "ask", server = "log", say = "AddPartitionsToTxn 1:0", answers = [{ reply = "ok" }] },
  { step = "ask", server = "log", say = "Produce 1:0 c", means = "write", answers = [{ reply = "ok offset *", is = "accepted" }] },
  { step = "ask", server = "log", say = "EndTxn 1:0 commit", answers = [{ reply = "ok" }] },
]
[[faults]]
delay = "A"
call = 2
leg = "reply"
by = "2 s"
label = "Late reply"
"#;
    check(
        head,
        &expect![[r#"
        lost-update
            150 ms A trouble begins
            750 ms Log Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `ok`
            5.45 s Log Accepted { token: 0, based_on: 2, replaced: 3, version: 4, comparison: None, conditional: false } `ok`
        tried: outdated-write-tried
            150 ms A trouble begins
            750 ms Log Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `ok`
            5.45 s Log Accepted { token: 0, based_on: 2, replaced: 3, version: 4, comparison: None, conditional: false } `ok`
    "#]],
    );
}
