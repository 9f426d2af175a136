//! Programs as code, and where each client is in its own at a moment.

use expect_test::{Expect, expect};
use racescope::app::{Message, State};
use racescope::tell::{Voice, program};
use racescope_engine::sim::step_at;
use std::rc::Rc;

fn page(id: &str) -> State {
    let lesson = racescope::library().lesson(id).expect("the lesson is there").clone();
    State::new(Rc::new(lesson))
}

/// The program of the first client in a pane, with the numbers of its lines.
fn check(id: &str, pane: usize, voice: Voice, expected: &Expect) {
    let page = page(id);
    let scenario = &page.lesson.variants[pane].scenario;
    let client = scenario.clients().next().expect("there is a client");
    let lines = program(scenario, client, voice).into_iter();
    let lines: Vec<String> = (1..).zip(lines).map(|(place, line)| format!("{place} {line}")).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

/// The line at which each client of a pane is, at some moments in milliseconds.
fn check_places(id: &str, pane: usize, at_ms: &[u64], expected: &Expect) {
    let page = page(id);
    let (scenario, progress) = (&page.lesson.variants[pane].scenario, &page.panes[pane].progress);
    let place = |client, at_us| match step_at(progress, client, at_us) {
        None => "not started".to_string(),
        Some(None) => "ended".to_string(),
        Some(Some(step)) => format!("line {}", step + 1),
    };
    let mut text = String::new();
    for &ms in at_ms {
        let places: Vec<String> = scenario.clients().map(|client| place(client, ms * 1_000)).collect();
        text += &format!("{ms} ms: {}\n", places.join(", "));
    }
    expected.assert_eq(&text);
}

#[test]
fn plain_servers_in_plain_words() {
    check(
        "paused-holder",
        1,
        Voice::Pseudocode,
        &expect![[r#"
            1 token ← acquire(Lock service, 3 s); granted → line 3
            2 sleep 0.2 s; then → line 1
            3 value, version ← read(Storage)
            4 value ← value + 1
            5 write(Storage, value, token)
            6 release(Lock service, token)
        "#]],
    );
}

#[test]
fn plain_servers_as_the_calls_that_they_are_modelled_after() {
    check(
        "paused-holder",
        1,
        Voice::Calls,
        &expect![[r#"
            1 redis> EVAL "SET lock a NX PX 3000 and INCR fence"; granted → line 3
            2 sleep 0.2 s; then → line 1
            3 sql> SELECT value, version FROM t WHERE id = 1
            4 value ← value + 1
            5 sql> UPDATE t SET value = :value, version = version + 1, fence = :token WHERE id = 1 AND fence <= :token
            6 redis> EVAL "if GET lock is a then DEL lock"
        "#]],
    );
}

#[test]
fn real_systems_in_their_own_words() {
    check(
        "stale-cache-set",
        1,
        Voice::Calls,
        &expect![[r#"
            1 memcached> mg p v c N30; VA 0 c… Z ⏎ → end; VA 1 c… ⏎ $version → end
            2 PostgreSQL> select version from q where id=1
            3 memcached> ms p 1 C$lease ⏎ $version
        "#]],
    );
}

#[test]
fn real_systems_in_plain_words() {
    check(
        "stale-cache-set",
        1,
        Voice::Pseudocode,
        &expect![[r#"
            1 read(memcached); miss → end; hit → end
            2 read(PostgreSQL)
            3 fill(memcached)
        "#]],
    );
}

#[test]
fn a_client_that_pauses_stays_at_its_line() {
    check_places(
        "paused-holder",
        0,
        &[0, 150, 500, 1_200, 3_000, 5_800, 7_500],
        &expect![[r#"
        0 ms: not started, not started
        150 ms: line 1, not started
        500 ms: line 1, not started
        1200 ms: line 3, not started
        3000 ms: line 5, not started
        5800 ms: line 5, line 6
        7500 ms: ended, ended
    "#]],
    );
}

#[test]
fn what_is_chosen_holds_for_the_page() {
    let page = page("stale-cache-set");
    assert_eq!(page.voice(), Voice::Calls);
    let page = page.update(Message::Speak(Voice::Pseudocode));
    assert_eq!(page.voice(), Voice::Pseudocode);
    assert_eq!(page.update(Message::StepForward).voice(), Voice::Pseudocode);
}
