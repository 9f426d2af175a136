//! What the judges find in runs of real systems, each written as a lesson's TOML: a
//! run that has the harm, one that only tries it, and one that does neither.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts so")]

mod judged;
mod written;

use std::ops::ControlFlow;

use expect_test::expect;
use judged::check;
use racescope_engine::explore::{Bounds, Mark, Question, explore};
use written::lesson;

/// Three clients on one row. C changes it twice while A thinks, if it does.
fn row(c: &str, condition: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "careful" }}
C = {{ client = "back-and-forth", starts = "0.5 s" }}
row = {{ system = "postgres", keeps = "data", latency = "0.1 s", title = "Row" }}
[programs]
careful = [
  {{ step = "ask", server = "row", say = "select granted from q where id=1", means = "read", answers = [{{ reply = "($v)" }}] }},
  {{ step = "ask", server = "row", after = "3 s", say = "update q set granted=$v+1 where id=1{condition}", means = "write",
    conditional = {conditional}, answers = [{{ reply = "UPDATE 1", is = "accepted" }}, {{ reply = "UPDATE 0", is = "refused" }}] }},
]
back-and-forth = [{c}]
"#,
        conditional = !condition.is_empty(),
    )
}

fn write_of(value: u16) -> String {
    format!(
        r#"{{ step = "ask", server = "row", say = "update q set granted={value} where id=1", means = "write",
    answers = [{{ reply = "UPDATE 1", is = "accepted" }}] }},"#
    )
}

#[test]
fn a_value_that_came_back_lets_a_conditional_write_through() {
    check(
        &row(&(write_of(2) + &write_of(0)), " and granted=$v"),
        &expect![[r#"
            aba
                100 ms Row Read { version: 1, value: 0 } `(0)`
                800 ms Row Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `UPDATE 1`
                3.3 s Row Accepted { token: 0, based_on: 1, replaced: 3, version: 4, comparison: None, conditional: true } `UPDATE 1`
            tried: outdated-write-tried
                100 ms Row Read { version: 1, value: 0 } `(0)`
                800 ms Row Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `UPDATE 1`
                3.3 s Row Accepted { token: 0, based_on: 1, replaced: 3, version: 4, comparison: None, conditional: true } `UPDATE 1`
            tried: aba-tried
                100 ms Row Read { version: 1, value: 0 } `(0)`
                800 ms Row Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `UPDATE 1`
                3.3 s Row Accepted { token: 0, based_on: 1, replaced: 3, version: 4, comparison: None, conditional: true } `UPDATE 1`
        "#]],
    );
}

#[test]
fn a_value_that_did_not_come_back_stops_it() {
    check(
        &row(&write_of(2), " and granted=$v"),
        &expect![[r#"
            tried: outdated-write-tried
                100 ms Row Read { version: 1, value: 0 } `(0)`
                600 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
                3.3 s Row Refused { token: 0, based_on: 1, comparison: Comparison { brought: 1, relation: Different, kept: 2 } } `UPDATE 0`
            tried: aba-tried
                100 ms Row Read { version: 1, value: 0 } `(0)`
                600 ms Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
                3.3 s Row Refused { token: 0, based_on: 1, comparison: Comparison { brought: 1, relation: Different, kept: 2 } } `UPDATE 0`
        "#]],
    );
}

#[test]
fn the_same_write_without_a_condition_is_a_lost_update() {
    check(
        &row(&(write_of(2) + &write_of(0)), ""),
        &expect![[r#"
            lost-update
                100 ms Row Read { version: 1, value: 0 } `(0)`
                800 ms Row Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `UPDATE 1`
                3.3 s Row Accepted { token: 0, based_on: 1, replaced: 3, version: 4, comparison: None, conditional: false } `UPDATE 1`
            tried: outdated-write-tried
                100 ms Row Read { version: 1, value: 0 } `(0)`
                800 ms Row Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `UPDATE 1`
                3.3 s Row Accepted { token: 0, based_on: 1, replaced: 3, version: 4, comparison: None, conditional: false } `UPDATE 1`
        "#]],
    );
}

#[test]
fn a_conditional_write_that_nobody_comes_before_is_nothing() {
    check(
        &row(r#"{ step = "stop" }"#, " and granted=$v"),
        &expect![[r#"
        nothing
    "#]],
    );
}

/// A reader that fills a cache with what it has read, and a writer that takes the
/// entry out, all at the times that are given.
fn cache(reader_thinks: &str, writer_starts: &str, fill: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "reader" }}
B = {{ client = "writer", starts = "{writer_starts}" }}
row = {{ system = "postgres", keeps = "data", latency = "0.1 s", title = "Row" }}
cache = {{ system = "memcached", keys = ["p"], keeps = "cache", of = "row", latency = "0.1 s", title = "Cache" }}
[programs]
reader = [
  {{ step = "ask", server = "cache", say = "mg p v c N600", means = "read", answers = [{{ reply = "VA * c$cas W*", is = "miss" }}] }},
  {{ step = "ask", server = "row", say = "select granted from q where id=1", means = "read", answers = [{{ reply = "($v)" }}] }},
  {{ step = "ask", server = "cache", after = "{reader_thinks}", say = "{fill}", means = "fill", answers = [
    {{ reply = "HD", is = "accepted" }}, {{ reply = "NF", is = "refused" }}, {{ reply = "EX", is = "refused" }},
  ] }},
]
writer = [
  {{ step = "ask", server = "row", say = "update q set granted=5 where id=1", means = "write", answers = [{{ reply = "UPDATE 1", is = "accepted" }}] }},
  {{ step = "ask", server = "cache", say = "md p", means = "clear", answers = [{{ reply = "HD" }}, {{ reply = "NF" }}] }},
  {{ step = "ask", server = "cache", after = "5 s", say = "md p", means = "clear", answers = [{{ reply = "HD" }}, {{ reply = "NF" }}] }},
]
"#
    )
}

#[test]
fn an_entry_that_was_read_before_a_write_is_stale_until_it_is_taken_out() {
    check(
        &cache("3 s", "1 s", "ms p 1 T600 ⏎ $v"),
        &expect![[r#"
            stale-cache-entry until 6.5 s
                300 ms Row Read { version: 1, value: 0 } `(0)`
                1.1 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
                1.3 s Cache Emptied `HD`
                3.5 s Cache Filled { version: 1, newest: 2 } `HD`
            tried: stale-fill-tried
                300 ms Row Read { version: 1, value: 0 } `(0)`
                1.1 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
                1.3 s Cache Emptied `HD`
                3.5 s Cache Filled { version: 1, newest: 2 } `HD`
        "#]],
    );
}

#[test]
fn an_entry_with_a_number_that_a_delete_has_voided_is_not_taken() {
    check(
        &cache("3 s", "1 s", "ms p 1 C$cas ⏎ $v"),
        &expect![[r#"
            tried: stale-fill-tried
                300 ms Row Read { version: 1, value: 0 } `(0)`
                1.1 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
                1.3 s Cache Emptied `HD`
                3.5 s Cache NotFilled { version: 1, newest: 2 } `NF`
        "#]],
    );
}

#[test]
fn an_entry_that_is_put_there_before_the_write_is_not_stale() {
    check(
        &cache("0.1 s", "4 s", "ms p 1 T600 ⏎ $v"),
        &expect![[r#"
        nothing
    "#]],
    );
}

/// The entry is put there before the write, and taken out after it; then the cache gets
/// back what it had between the two.
fn restored(at: &str, taken: &str) -> String {
    let fault = format!("[[faults]]\nrestore = \"cache\"\nat = \"{at}\"\ntaken = \"{taken}\"\n");
    cache("0.1 s", "4 s", "ms p 1 T600 ⏎ $v") + &fault
}

#[test]
fn an_entry_that_comes_back_after_its_source_has_changed_is_stale() {
    check(
        &restored("5 s", "3 s"),
        &expect![[r#"
        stale-cache-entry until 9.5 s
            4.1 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
            4.3 s Cache Emptied `HD`
            5 s Cache trouble begins
            5 s Cache Filled { version: 1, newest: 2 }
        tried: stale-fill-tried
            4.1 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
            4.3 s Cache Emptied `HD`
            5 s Cache trouble begins
            5 s Cache Filled { version: 1, newest: 2 }
    "#]],
    );
}

#[test]
fn an_entry_that_comes_back_while_it_is_the_newest_is_not_stale() {
    check(
        &restored("3.5 s", "3 s"),
        &expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn an_entry_is_gone_with_the_older_state_that_had_none() {
    let lesson = cache("3 s", "1 s", "ms p 1 T600 ⏎ $v");
    let fault = "[[faults]]\nrestore = \"cache\"\nat = \"5 s\"\ntaken = \"1.5 s\"\n";
    check(
        &(lesson + fault),
        &expect![[r#"
        stale-cache-entry until 5 s
            300 ms Row Read { version: 1, value: 0 } `(0)`
            1.1 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
            1.3 s Cache Emptied `HD`
            3.5 s Cache Filled { version: 1, newest: 2 } `HD`
        tried: stale-fill-tried
            300 ms Row Read { version: 1, value: 0 } `(0)`
            1.1 s Row Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `UPDATE 1`
            1.3 s Cache Emptied `HD`
            3.5 s Cache Filled { version: 1, newest: 2 } `HD`
    "#]],
    );
}

/// Two clients that each see whether there is one left, and then take it.
fn voucher(second_starts: &str, take: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "buyer" }}
B = {{ client = "buyer", starts = "{second_starts}" }}
row = {{ system = "postgres", keeps = "data", latency = "0.1 s", title = "Row" }}
voucher = {{ part_of = "row", keeps = "effects", limit = 1, title = "Voucher" }}
[programs]
buyer = [
  {{ step = "ask", server = "row", say = "select granted from q where id=1", means = "read",
    answers = [{{ reply = "(0)" }}, {{ reply = "(1)", then = "stop" }}] }},
  {{ step = "ask", server = "voucher", after = "1 s", say = "update q set granted=granted+1 where id=1{take}", means = "effect",
    answers = [{{ reply = "UPDATE 1", is = "accepted" }}, {{ reply = "UPDATE 0", is = "refused" }}] }},
]
"#
    )
}

#[test]
fn two_that_looked_before_either_took_take_one_too_many() {
    check(
        &voucher("0.5 s", ""),
        &expect![[r#"
            limit-exceeded
                600 ms Row Read { version: 1, value: 0 } `(0)`
                1.3 s Voucher Effected { count: 1, of: 0 } `UPDATE 1`
                1.8 s Voucher Effected { count: 2, of: 0 } `UPDATE 1`
            tried: effect-beyond-limit-tried
                600 ms Row Read { version: 1, value: 0 } `(0)`
                1.3 s Voucher Effected { count: 1, of: 0 } `UPDATE 1`
                1.8 s Voucher Effected { count: 2, of: 0 } `UPDATE 1`
        "#]],
    );
}

#[test]
fn a_condition_refuses_the_one_too_many() {
    check(
        &voucher("0.5 s", " and granted<lim"),
        &expect![[r#"
            tried: effect-beyond-limit-tried
                600 ms Row Read { version: 1, value: 0 } `(0)`
                1.3 s Voucher Effected { count: 1, of: 0 } `UPDATE 1`
                1.8 s Voucher NotEffected { of: 0 } `UPDATE 0`
        "#]],
    );
}

#[test]
fn who_looks_later_finds_none_left() {
    check(
        &voucher("4 s", ""),
        &expect![[r#"
        nothing
    "#]],
    );
}

/// An order with an event in an outbox, a relay, and a consumer that dies before it
/// acknowledges, if it does.
fn outbox(variant: &str, relay: &str, faults: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "writer" }}
R = {{ client = "relay", starts = "1 s" }}
C = {{ client = "consumer", starts = "3 s" }}
outbox = {{ system = "outbox", variant = "{variant}", keeps = "effects", latency = "0.1 s", title = "Mail" }}
[programs]
writer = [
  {{ step = "ask", server = "outbox", say = "ORDER", means = "promise", token = "event", answers = [{{ reply = "committed event $event" }}] }},
]
relay = [{relay}]
consumer = [
  {{ step = "ask", server = "outbox", say = "TAKE", means = "effect", token = "event", answers = [
    {{ reply = "effect of $event" }}, {{ reply = "$event seen before", is = "hit" }}, {{ reply = "nothing", is = "miss", then = "end" }},
  ] }},
  {{ step = "ask", server = "outbox", after = "0.5 s", say = "ACK", answers = [{{ reply = "acknowledged" }}] }},
]
{faults}
"#
    )
}

const RELAY: &str = r#"
  { step = "ask", server = "outbox", say = "PUBLISH", answers = [{ reply = "published *" }] },
  { step = "ask", server = "outbox", say = "MARK", answers = [{ reply = "marked *" }] },
"#;
const DIES: &str = "[[faults]]\ncrash = \"C\"\nat = \"3.4 s\"\nlasts = \"1 s\"\nkeeps_memory = false\n";

#[test]
fn a_consumer_that_dies_before_it_acknowledges_does_it_twice() {
    check(
        &outbox("trusts", RELAY, DIES),
        &expect![[r#"
            effect-twice
                3.1 s Mail Effected { count: 1, of: 1 } `effect of 1`
                3.4 s C trouble begins
                4.4 s C Sent { server: 3, request: Command { step: 0, meaning: Effect }, token: 0 } `TAKE`
                4.5 s Mail Effected { count: 2, of: 1 } `effect of 1`
            tried: promise-left-open
                100 ms Mail Promised { count: 1, of: 1 } `committed event 1`
                200 ms A Finished
            tried: effect-twice-tried
                3.1 s Mail Effected { count: 1, of: 1 } `effect of 1`
                3.4 s C trouble begins
                4.4 s C Sent { server: 3, request: Command { step: 0, meaning: Effect }, token: 0 } `TAKE`
                4.5 s Mail Effected { count: 2, of: 1 } `effect of 1`
        "#]],
    );
}

#[test]
fn a_consumer_that_remembers_does_it_once() {
    check(
        &outbox("deduplicates", RELAY, DIES),
        &expect![[r#"
            tried: promise-left-open
                100 ms Mail Promised { count: 1, of: 1 } `committed event 1`
                200 ms A Finished
            tried: effect-twice-tried
                3.1 s Mail Effected { count: 1, of: 1 } `effect of 1`
                3.4 s C trouble begins
                4.4 s C Sent { server: 3, request: Command { step: 0, meaning: Effect }, token: 0 } `TAKE`
                4.5 s Mail NotEffected { of: 1 } `1 seen before`
        "#]],
    );
}

#[test]
fn a_consumer_that_lives_does_it_once() {
    check(
        &outbox("trusts", RELAY, ""),
        &expect![[r#"
            tried: promise-left-open
                100 ms Mail Promised { count: 1, of: 1 } `committed event 1`
                200 ms A Finished
        "#]],
    );
}

#[test]
fn an_event_that_nobody_relays_is_lost() {
    check(
        &outbox("trusts", "{ step = \"stop\" }", ""),
        &expect![[r#"
            effect-lost
                100 ms Mail Promised { count: 1, of: 1 } `committed event 1`
                200 ms A Finished
            tried: promise-left-open
                100 ms Mail Promised { count: 1, of: 1 } `committed event 1`
                200 ms A Finished
        "#]],
    );
}

/// A client that sends a mail, and sends it again if it doesn't hear of it.
fn mail(faults: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "sender" }}
mail = {{ system = "outside", keeps = "effects", latency = "0.1 s", title = "Mail" }}
[programs]
sender = [
  {{ step = "ask", label = "send", server = "mail", say = "SEND", means = "effect", timeout = "1 s", on_timed_out = "send",
    answers = [{{ reply = "sent *" }}] }},
]
{faults}
"#
    )
}

#[test]
fn a_mail_that_is_sent_again_is_sent_twice_if_only_the_reply_was_lost() {
    check(
        &mail("[[faults]]\nloss = \"A\"\ncall = 1\nleg = \"reply\"\n"),
        &expect![[r#"
            outcome-unknown until 1.2 s
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                100 ms Mail Effected { count: 1, of: 0 } `sent 1`
                100 ms A trouble begins
                150 ms Mail Lost { leg: Reply, server: 1 }
                1 s A Learned { outcome: TimedOut, server: 1, token: 0 }
            effect-twice
                100 ms Mail Effected { count: 1, of: 0 } `sent 1`
                100 ms A trouble begins
                1 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                1.1 s Mail Effected { count: 2, of: 0 } `sent 2`
            tried: message-lost
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                100 ms Mail Effected { count: 1, of: 0 } `sent 1`
                100 ms A trouble begins
                150 ms Mail Lost { leg: Reply, server: 1 }
            tried: write-unanswered
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                100 ms Mail Effected { count: 1, of: 0 } `sent 1`
                100 ms A trouble begins
                150 ms Mail Lost { leg: Reply, server: 1 }
            tried: write-unanswered
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                100 ms Mail Effected { count: 1, of: 0 } `sent 1`
                100 ms A trouble begins
                150 ms Mail Lost { leg: Reply, server: 1 }
                1 s A Learned { outcome: TimedOut, server: 1, token: 0 }
            tried: effect-twice-tried
                100 ms Mail Effected { count: 1, of: 0 } `sent 1`
                100 ms A trouble begins
                1 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                1.1 s Mail Effected { count: 2, of: 0 } `sent 2`
        "#]],
    );
}

#[test]
fn a_mail_that_never_left_is_sent_once() {
    check(
        &mail("[[faults]]\nloss = \"A\"\ncall = 1\nleg = \"request\"\n"),
        &expect![[r#"
            outcome-unknown until 1.2 s
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                0 s A trouble begins
                50 ms A Lost { leg: Request, server: 1 }
                1 s A Learned { outcome: TimedOut, server: 1, token: 0 }
            tried: message-lost
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                0 s A trouble begins
                50 ms A Lost { leg: Request, server: 1 }
            tried: write-unanswered
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                0 s A trouble begins
                50 ms A Lost { leg: Request, server: 1 }
            tried: write-unanswered
                0 s A Sent { server: 1, request: Command { step: 0, meaning: Effect }, token: 0 } `SEND`
                0 s A trouble begins
                50 ms A Lost { leg: Request, server: 1 }
                1 s A Learned { outcome: TimedOut, server: 1, token: 0 }
        "#]],
    );
}

/// A holder of a signed grant that applies two segments.
fn segments(variant: &str, first: u16, second: u16, forged: bool) -> String {
    let flip = if forged { " FORGED" } else { "" };
    format!(
        r#"
[nodes]
A = {{ client = "holder" }}
grants = {{ system = "signed-grants", variant = "{variant}", keys = ["r"], keeps = "data", latency = "0.1 s", title = "Resource" }}
[programs]
holder = [
  {{ step = "ask", server = "grants", say = "ACQUIRE r request=x root=x ttl=10000", answers = [{{ reply = "HELD lease-* fence-$n" }}] }},
  {{ step = "compute", from = "n", into = "n", add = {first_add} }},
  {{ step = "ask", server = "grants", say = "APPLY r seg=$n op=o set=s{flip}", means = "write", segment = "n", forged = {forged},
    answers = [{{ reply = "ACCEPTED *", is = "accepted" }}, {{ reply = "happened, *", is = "accepted" }}, {{ reply = "*", is = "refused" }}] }},
  {{ step = "compute", from = "n", into = "n", add = {second_add} }},
  {{ step = "ask", server = "grants", say = "APPLY r seg=$n op=p set=t", means = "write", segment = "n",
    answers = [{{ reply = "ACCEPTED *", is = "accepted" }}, {{ reply = "happened, *", is = "accepted" }}, {{ reply = "*", is = "refused" }}] }},
]
"#,
        first_add = first - 1,
        second_add = second - first,
    )
}

#[test]
fn a_segment_is_missing_and_the_next_one_is_refused() {
    check(
        &segments("enforcing", 1, 3, false),
        &expect![[r#"
            tried: segment-out-of-order-tried
                300 ms Resource Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `ACCEPTED receipt-1`
                500 ms Resource Answered { outcome: Refused } `SEGMENT_GAP`
        "#]],
    );
}

#[test]
fn segments_in_order_are_nothing() {
    check(
        &segments("enforcing", 1, 2, false),
        &expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn a_resource_that_only_watches_lets_a_gap_happen() {
    check(
        &segments("shadow", 1, 3, false),
        &expect![[r#"
            segment-skipped
                300 ms Resource Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `ACCEPTED receipt-1`
                500 ms Resource Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `happened, would be SEGMENT_GAP`
            tried: segment-out-of-order-tried
                300 ms Resource Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `ACCEPTED receipt-1`
                500 ms Resource Accepted { token: 0, based_on: 2, replaced: 2, version: 3, comparison: None, conditional: false } `happened, would be SEGMENT_GAP`
        "#]],
    );
}

#[test]
fn a_forged_grant_is_refused() {
    check(
        &segments("enforcing", 1, 2, true),
        &expect![[r#"
            tried: forged-grant-tried
                200 ms A Sent { server: 1, request: Command { step: 2, meaning: Write }, token: 0 } `APPLY r seg=1 op=o set=s FORGED`
                300 ms Resource Answered { outcome: Refused } `FORGED`
            tried: segment-out-of-order-tried
                500 ms Resource Answered { outcome: Refused } `SEGMENT_GAP`
        "#]],
    );
}

#[test]
fn a_resource_that_only_watches_lets_a_forged_grant_in() {
    check(
        &segments("shadow", 1, 2, true),
        &expect![[r#"
            forged-grant-accepted
                200 ms A Sent { server: 1, request: Command { step: 2, meaning: Write }, token: 0 } `APPLY r seg=1 op=o set=s FORGED`
                300 ms Resource Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `happened, would be FORGED`
            tried: forged-grant-tried
                200 ms A Sent { server: 1, request: Command { step: 2, meaning: Write }, token: 0 } `APPLY r seg=1 op=o set=s FORGED`
                300 ms Resource Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `happened, would be FORGED`
        "#]],
    );
}

/// The marks that all schedules of a lesson show between them, if nothing goes wrong.
fn marks(toml: &str) -> Vec<&'static str> {
    let lesson = lesson(toml);
    let found =
        explore(&lesson.variants[0].scenario, &Question::of_harm(Bounds::NONE), &mut |_| ControlFlow::Continue(()));
    assert_eq!(found.stopped, None);
    Mark::HARM.into_iter().filter(|&mark| !found.showing(mark).is_zero()).map(Mark::name).collect()
}

#[test]
fn a_search_sees_in_all_schedules_what_the_judges_see_in_one() {
    let there_and_back = write_of(2) + &write_of(0);
    // In other orders, the two that come back lose what came between them.
    assert_eq!(marks(&row(&there_and_back, " and granted=$v")), ["lost-update", "aba"]);
    assert_eq!(marks(&row(&there_and_back, "")), ["lost-update"]);
    let found = [
        marks(&cache("3 s", "1 s", "ms p 1 T600 ⏎ $v")),
        marks(&voucher("0.5 s", "")),
        marks(&voucher("0.5 s", " and granted<lim")),
        marks(&segments("shadow", 1, 3, false)),
        marks(&segments("shadow", 1, 2, true)),
        marks(&segments("enforcing", 1, 2, true)),
    ];
    let harm: [&[&str]; 6] =
        [&["stale-cache-entry"], &["limit-exceeded"], &[], &["segment-skipped"], &["forged-grant-accepted"], &[]];
    assert_eq!(found, harm);
}

#[test]
fn a_read_from_a_copy_that_lags_is_one_of_what_the_copy_has() {
    check(
        r#"
[nodes]
A = { client = "work", starts = "3 s" }
B = { client = "work", starts = "3.5 s" }
table = { system = "dynamodb", keys = ["l"], at_start = ["PutItem l v=7"], lag = "2 s", keeps = "data", latency = "0.05 s", title = "Table" }
[programs]
work = [
  { step = "ask", server = "table", say = "GetItem l", means = "read", answers = [{ reply = "200 {v=$v}" }] },
  { step = "ask", server = "table", say = "PutItem l v=$v+1", means = "write", answers = [{ reply = "200", is = "accepted" }] },
]
"#,
        &expect![[r#"
            lost-update
                3.15 s Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `200`
                3.55 s Table Read { version: 1, value: 0 } `200 {v=7}`
                3.65 s Table Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `200`
            tried: outdated-write-tried
                3.15 s Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: false } `200`
                3.55 s Table Read { version: 1, value: 0 } `200 {v=7}`
                3.65 s Table Accepted { token: 0, based_on: 1, replaced: 2, version: 3, comparison: None, conditional: false } `200`
        "#]],
    );
}

/// A client takes a lock and gives it back, on a node that then forgets all.
fn forgetful(say: &str, answers: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work" }}
redis = {{ system = "redis", keys = ["lock", "fence"], keeps = "lock", held_ask = "GET lock", held_reply = "$me", latency = "0.1 s", title = "Redis" }}
[programs]
work = [
  {{ step = "ask", server = "redis", say = "{say}", means = "acquire", {answers} }},
  {{ step = "ask", server = "redis", say = "DEL lock", means = "release", answers = [{{ reply = "1" }}] }},
]
[[faults]]
state_loss = "redis"
at = "1 s"
"#
    )
}

#[test]
fn a_counter_that_is_lost_is_a_danger_though_nothing_is_granted_any_more() {
    check(
        &forgetful(
            "EVAL GRANT 2 lock fence $me 9000",
            r#"token = "t", answers = [{ reply = "0", is = "busy", then = "stop" }, { reply = "$t", is = "granted" }]"#,
        ),
        &expect![[r#"
            tried: counter-set-back
                100 ms Redis Granted { token: 1, ttl_us: 0 } `1`
                1 s Redis trouble begins
                1 s Redis Forgotten { next: None }
        "#]],
    );
    check(
        &forgetful("SET lock $me NX PX 9000", r#"answers = [{ reply = "+OK", is = "granted" }]"#),
        &expect![[r#"
            nothing
        "#]],
    );
}

/// A client whose write has no reply goes on in another way.
fn in_doubt(afterwards: &str) -> String {
    format!(
        r#"
[nodes]
A = {{ client = "work" }}
table = {{ system = "dynamodb", keys = ["l"], at_start = ["PutItem l v=7"], keeps = "data", latency = "0.05 s", title = "Table" }}
[programs]
work = [
  {{ step = "ask", label = "put", server = "table", say = "UpdateItem l SET v=v+1 IF v=:7", means = "write", conditional = true,
    timeout = "1 s", on_timed_out = "{afterwards}",
    answers = [{{ reply = "200", is = "accepted" }}, {{ reply = "400*", is = "refused", then = "look" }}] }},
  {{ step = "stop" }},
  {{ step = "ask", label = "look", after = "2 s", server = "table", say = "GetItem l ConsistentRead", means = "read", answers = [{{ reply = "*" }}] }},
]
[[faults]]
loss = "A"
call = 1
leg = "reply"
"#
    )
}

#[test]
fn a_doubt_lasts_until_its_client_looks_and_not_until_it_is_refused() {
    check(
        &in_doubt("look"),
        &expect![[r#"
        outcome-unknown until 3.1 s
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UpdateItem l SET v=v+1 IF v=:7`
            50 ms Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `200`
            50 ms A trouble begins
            75 ms Table Lost { leg: Reply, server: 1 }
            1 s A Learned { outcome: TimedOut, server: 1, token: 0 }
        tried: message-lost
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UpdateItem l SET v=v+1 IF v=:7`
            50 ms Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `200`
            50 ms A trouble begins
            75 ms Table Lost { leg: Reply, server: 1 }
        tried: write-unanswered
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UpdateItem l SET v=v+1 IF v=:7`
            50 ms Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `200`
            50 ms A trouble begins
            75 ms Table Lost { leg: Reply, server: 1 }
        tried: write-unanswered
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UpdateItem l SET v=v+1 IF v=:7`
            50 ms Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `200`
            50 ms A trouble begins
            75 ms Table Lost { leg: Reply, server: 1 }
            1 s A Learned { outcome: TimedOut, server: 1, token: 0 }
    "#]],
    );
    check(
        &in_doubt("put"),
        &expect![[r#"
        outcome-unknown until 3.2 s
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UpdateItem l SET v=v+1 IF v=:7`
            50 ms Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `200`
            50 ms A trouble begins
            75 ms Table Lost { leg: Reply, server: 1 }
            1 s A Learned { outcome: TimedOut, server: 1, token: 0 }
        tried: message-lost
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UpdateItem l SET v=v+1 IF v=:7`
            50 ms Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `200`
            50 ms A trouble begins
            75 ms Table Lost { leg: Reply, server: 1 }
        tried: write-unanswered
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UpdateItem l SET v=v+1 IF v=:7`
            50 ms Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `200`
            50 ms A trouble begins
            75 ms Table Lost { leg: Reply, server: 1 }
        tried: write-unanswered
            0 s A Sent { server: 1, request: Command { step: 0, meaning: Write }, token: 0 } `UpdateItem l SET v=v+1 IF v=:7`
            50 ms Table Accepted { token: 0, based_on: 1, replaced: 1, version: 2, comparison: None, conditional: true } `200`
            50 ms A trouble begins
            75 ms Table Lost { leg: Reply, server: 1 }
            1 s A Learned { outcome: TimedOut, server: 1, token: 0 }
    "#]],
    );
}
