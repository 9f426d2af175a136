//! What is said about scenario files that can't be meant.

use expect_test::{Expect, expect};
use racescope_lesson::author::study_of;

const GOOD: &str = r#"
format = 1
title = "A race"
[nodes]
A = { client = "take" }
B = { client = "take" }
lock = { lock = "redis-lease", title = "Lock", latency = "1 ms" }
redis = { system = "redis", title = "Redis", keys = ["n"], latency = "1 ms" }
[programs]
take = [
  { label = "try", step = "acquire", lock = "lock", ttl = "3 s", on_busy = "stop" },
  { label = "ask", step = "ask", server = "redis", say = "GET n", answers = [{ reply = "nil", is = "miss" }] },
]
[tally]
name = "grants"
of = "try"
outcome = "granted"
[[variants]]
id = "only"
title = "Only"
remark = "The one"
"#;

/// What is said about the file with one piece put in the place of another.
fn check(piece: &str, instead: &str, expect: &Expect) {
    assert!(GOOD.contains(piece), "the file has {piece}");
    let said = study_of("race", &GOOD.replace(piece, instead)).map_or_else(
        |mistakes| mistakes.iter().map(|mistake| mistake.to_string() + "\n").collect(),
        |_| "good\n".to_string(),
    );
    expect.assert_eq(&said);
}

#[test]
fn a_tally_counts_what_a_step_can_come_to() {
    check("\"granted\"", "\"granted\"", &expect!["good\n"]);
    check(
        "\"granted\"",
        "\"accepted\"",
        &expect!["race.toml:17: tally.outcome: no step that is counted ends so. Write \"granted\" or \"busy\".\n"],
    );
    check("of = \"try\"\noutcome = \"granted\"", "of = \"ask\"\noutcome = \"miss\"", &expect!["good\n"]);
    check(
        "of = \"try\"\noutcome = \"granted\"",
        "of = \"ask\"\noutcome = \"hit\"",
        &expect!["race.toml:17: tally.outcome: no step that is counted ends so. Write \"miss\".\n"],
    );
}

#[test]
fn a_search_is_told_once_what_a_variant_violates() {
    let violates = "remark = \"The one\"\nviolates = [\"no-progress\", \"no-progress\"]";
    check(
        "remark = \"The one\"",
        violates,
        &expect!["race.toml:22: variants[1].violates[2]: \"no-progress\" is there already. Take it out.\n"],
    );
}
