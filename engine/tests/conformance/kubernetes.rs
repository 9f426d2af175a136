//! Kubernetes leader election: the rows of the table, with each candidate on its own
//! clock, the rules behind them, and what holds for any order of events.

use crate::own_clock::{Process, Server};
use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::System;
use racescope_engine::system::kubernetes::{ApiServer, Candidate, ConfigError, Election, Step};
use racescope_engine::system::names::Word;
use racescope_engine::system::transcript::check;

fn candidate(name: &str) -> Candidate {
    Candidate::new(Word::parse(name).unwrap(), Election::default()).expect("the defaults are right")
}

fn process(name: &str, clock_percent: u64) -> Process<Candidate> {
    Process::new(candidate(name), clock_percent)
}

const HELD_BY_A: &str = "GET lease → lock is held by a and has not yet expired";

#[test]
fn kl1_a_candidate_waits_a_whole_lease_from_its_own_first_look() {
    let mut server = Server::new(ApiServer { last_version: 0 });
    let (mut a, mut b) = (process("a", 100), process("b", 100));
    let created = "POST lease holder=a duration=15s transitions=0 → successfully acquired lease";
    assert_eq!(a.at_ms(90_000).talk("retry", &mut server), created);
    // A begins to renew and pauses at once; B sees the record at 100.
    assert_eq!(a.hear("retry"), "GET lease");
    assert_eq!(b.at_ms(100_000).talk("retry", &mut server), HELD_BY_A);
    assert_eq!(b.at_ms(114_000).talk("retry", &mut server), HELD_BY_A);
    let taken = "PUT lease rv=1 holder=b duration=15s transitions=1 → successfully acquired lease";
    assert_eq!(b.at_ms(116_000).talk("retry", &mut server), taken);
    // A learns of its deadline when it wakes, and no earlier.
    assert_eq!(a.at_ms(200_000).hear("leading?"), "leading");
    assert_eq!(a.hear("retry"), "stopped leading");
}

#[test]
fn a_leader_that_reads_that_it_is_none_goes_on_until_its_deadline() {
    let mut server = Server::new(ApiServer { last_version: 0 });
    let (mut a, mut b) = (process("a", 100), process("b", 100));
    a.talk("retry", &mut server);
    b.talk("retry", &mut server);
    b.at_ms(15_000).talk("retry", &mut server);
    // A was paused right after it had acquired the lease, before its first round.
    let held_by_b = "GET lease → lock is held by b and has not yet expired";
    assert_eq!(a.at_ms(20_000).talk("retry", &mut server), held_by_b);
    assert_eq!(a.at_ms(29_999).hear("leading?"), "leading");
    assert_eq!(a.at_ms(30_000).hear("retry"), "stopped leading");
}

#[test]
fn kl2_of_two_that_read_the_same_version_one_gets_a_conflict() {
    check(
        &ApiServer { last_version: 6 },
        "A POST lease holder=c duration=15s transitions=0 → 201 rv=7 holder=c duration=15s transitions=0
         A GET lease → 200 rv=7 holder=c duration=15s transitions=0
         B GET lease → 200 rv=7 holder=c duration=15s transitions=0
         A PUT lease rv=7 holder=a duration=15s transitions=1 → 200 rv=8 holder=a duration=15s transitions=1
         B PUT lease rv=7 holder=b duration=15s transitions=1 → 409 Conflict
         B GET lease → 200 rv=8 holder=a duration=15s transitions=1",
    );
    check(
        &candidate("b"),
        "B retry → GET lease
         B 200 rv=7 holder=c duration=15s transitions=0 → lock is held by c and has not yet expired
         wait 15 s
         B retry → GET lease
         B 200 rv=7 holder=c duration=15s transitions=0 → PUT lease rv=7 holder=b duration=15s transitions=1
         B 409 Conflict → failed to update lock: 409 Conflict
         B leading? → not leading",
    );
}

#[test]
fn kl3_a_fast_clock_takes_over_from_a_leader_that_is_inside_its_deadline() {
    let mut server = Server::new(ApiServer { last_version: 0 });
    let (mut a, mut b) = (process("a", 100), process("b", 160));
    a.talk("retry", &mut server);
    for second in [0, 2, 4] {
        assert!(a.at_ms(second * 1_000).talk("retry", &mut server).ends_with("successfully renewed lease"));
        b.at_ms(second * 1_000 + 1).talk("retry", &mut server);
    }
    // The requests of A's next renewal get nowhere until 9.9 s after the last one.
    assert_eq!(a.at_ms(6_000).hear("retry"), "GET lease");
    // 15 s on B's clock are 9.375 s.
    assert_eq!(b.at_ms(12_000).talk("retry", &mut server), HELD_BY_A);
    assert!(b.at_ms(13_400).talk("retry", &mut server).ends_with("successfully acquired lease"));
    assert_eq!(a.at_ms(13_400).hear("leading?"), "leading");
    assert_eq!(b.hear("leading?"), "leading");
    let held_by_b = "GET lease → lock is held by b and has not yet expired";
    assert_eq!(a.at_ms(13_900).talk("retry", &mut server), held_by_b);
}

#[test]
fn an_honest_clock_never_comes_inside_the_deadline() {
    let mut server = Server::new(ApiServer { last_version: 0 });
    let (mut a, mut b) = (process("a", 100), process("b", 100));
    a.talk("retry", &mut server);
    assert!(a.talk("retry", &mut server).ends_with("successfully renewed lease"));
    assert_eq!(b.talk("retry", &mut server), HELD_BY_A);
    assert_eq!(a.at_ms(2_000).hear("retry"), "GET lease");
    assert_eq!(b.at_ms(12_000).talk("retry", &mut server), HELD_BY_A);
    assert_eq!(a.at_ms(12_000).hear("retry"), "stopped leading");
    assert!(b.at_ms(15_000).talk("retry", &mut server).ends_with("successfully acquired lease"));
}

#[test]
fn a_record_says_for_how_long_it_holds_whatever_the_candidate_would_write() {
    check(
        &candidate("b"),
        "B retry → GET lease
         B 200 rv=1 holder=a duration=60s transitions=0 → lock is held by a and has not yet expired
         wait 59 s
         B retry → GET lease
         B 200 rv=1 holder=a duration=60s transitions=0 → lock is held by a and has not yet expired
         B retry → (waits)
         wait 2 s
         B … retry → GET lease
         B 200 rv=1 holder=a duration=60s transitions=0 → PUT lease rv=1 holder=b duration=15s transitions=1
         B 200 rv=2 holder=b duration=15s transitions=1 → successfully acquired lease",
    );
}

#[test]
fn a_change_of_the_record_starts_the_wait_anew() {
    check(
        &candidate("b"),
        "B retry → GET lease
         B 200 rv=1 holder=a duration=15s transitions=0 → lock is held by a and has not yet expired
         wait 14 s
         B retry → GET lease
         B 200 rv=2 holder=a duration=15s transitions=0 → lock is held by a and has not yet expired
         wait 14 s
         clock +3600 s
         B retry → GET lease
         B 200 rv=2 holder=a duration=15s transitions=0 → lock is held by a and has not yet expired",
    );
}

#[test]
fn transitions_count_other_holders_only_and_are_lost_with_the_lease() {
    let mut server = Server::new(ApiServer { last_version: 0 });
    let mut a = process("a", 100);
    a.talk("retry", &mut server);
    // The same holder, started anew, takes over its own lease at once.
    let mut again = process("a", 100);
    let taken = "PUT lease rv=1 holder=a duration=15s transitions=0 → successfully acquired lease";
    assert_eq!(again.talk("retry", &mut server), taken);
    let mut b = process("b", 100);
    b.talk("retry", &mut server);
    assert!(b.at_ms(15_000).talk("retry", &mut server).contains("transitions=1"));
    assert_eq!(server.answer("DELETE lease"), "200");
    let mut c = process("c", 100);
    let created = "POST lease holder=c duration=15s transitions=0 → successfully acquired lease";
    assert_eq!(c.talk("retry", &mut server), created);
}

#[test]
fn a_lease_that_was_given_up_is_taken_without_waiting() {
    let mut server = Server::new(ApiServer { last_version: 0 });
    let (mut a, mut b) = (process("a", 100), process("b", 100));
    a.talk("retry", &mut server);
    assert_eq!(b.talk("retry", &mut server), HELD_BY_A);
    // The lease is given up before the program has stopped acting as leader.
    assert_eq!(a.at_ms(1_000).hear("release"), "PUT lease rv=1 holder= duration=1s transitions=0");
    assert_eq!(a.hear("leading?"), "leading");
    let released = server.answer("PUT lease rv=1 holder= duration=1s transitions=0");
    let taken = "PUT lease rv=2 holder=b duration=15s transitions=1 → successfully acquired lease";
    assert_eq!(b.at_ms(2_000).talk("retry", &mut server), taken);
    assert_eq!(a.hear("leading?"), "leading");
    assert_eq!(a.hear(&released), "stopped leading");
    assert_eq!(a.hear("release"), "not leading");
}

#[test]
fn a_leader_that_has_seen_the_lease_in_other_hands_leaves_it_there_when_it_is_told_to_stop() {
    check(
        &candidate("a"),
        "A retry → GET lease
         A 404 NotFound → POST lease holder=a duration=15s transitions=0
         A 201 rv=1 holder=a duration=15s transitions=0 → successfully acquired lease
         A retry → GET lease
         A 200 rv=3 holder=b duration=15s transitions=1 → lock is held by b and has not yet expired
         A leading? → leading
         A release → stopped leading
         A leading? → not leading",
    );
}

#[test]
fn a_record_is_another_one_though_a_server_that_was_set_back_gives_its_version_again() {
    check(
        &candidate("b"),
        "B retry → GET lease
         B 200 rv=1 holder=a duration=15s transitions=0 → lock is held by a and has not yet expired
         wait 14 s
         B retry → GET lease
         B 200 rv=1 holder=c duration=15s transitions=0 → lock is held by c and has not yet expired
         wait 14 s
         B retry → GET lease
         B 200 rv=1 holder=c duration=15s transitions=0 → lock is held by c and has not yet expired",
    );
}

#[test]
fn jitter_makes_followers_rest_longer() {
    let election = Election { jitter_permille: 1_200, ..Election::default() };
    check(
        &Candidate::new(Word::parse("b").unwrap(), election).unwrap(),
        "B retry → GET lease
         B 200 rv=1 holder=a duration=15s transitions=0 → lock is held by a and has not yet expired
         wait 4399 ms
         B retry → (waits)
         wait 1 ms
         B … retry → GET lease",
    );
}

#[test]
fn settings_that_would_let_two_lead_on_honest_clocks_are_refused() {
    let with = |lease_duration_s, renew_deadline_s, retry_period_s, jitter_permille| {
        let election = Election { lease_duration_s, renew_deadline_s, retry_period_s, jitter_permille };
        Candidate::new(Word::parse("a").unwrap(), election).map(|_| ())
    };
    assert_eq!(with(10, 10, 2, 0), Err(ConfigError::LeaseDuration));
    assert_eq!(with(15, 12, 10, 0), Err(ConfigError::RenewDeadline));
    assert_eq!(with(15, 13, 10, 0), Ok(()));
    assert_eq!(with(15, 10, 0, 0), Err(ConfigError::RetryPeriod));
    assert_eq!(with(15, 10, 2, 1_201), Err(ConfigError::Jitter));
}

#[test]
fn what_is_no_request_is_not_read() {
    let server = ApiServer::default();
    for words in [
        "",
        "GET pod",
        "PUT lease holder=a duration=15s transitions=1",
        "POST lease holder=a duration=0s transitions=0",
    ] {
        assert_eq!(server.parse(words), None, "{words}");
    }
    for words in ["", "lead", "200", "200 rv=0 holder=a duration=15s transitions=0", "409"] {
        assert_eq!(candidate("a").parse(words), None, "{words}");
    }
    check(&server, "A PUT lease rv=1 holder=a duration=15s transitions=0 → 404 NotFound");
}

proptest! {
    #[test]
    fn a_write_that_is_accepted_was_based_on_the_version_before(writes in prop::collection::vec((1..6u16, 0..4u8), 1..40)) {
        let mut server = Server::new(ApiServer::default());
        let mut version = 0;
        for (shown, kind) in writes {
            let request = match kind {
                0 => "POST lease holder=a duration=9s transitions=0".to_string(),
                1 => "DELETE lease".to_string(),
                _ => format!("PUT lease rv={shown} holder=b duration=9s transitions=0"),
            };
            let answer = server.answer(&request);
            match (kind, answer.as_str()) {
                (0, "409 AlreadyExists") => prop_assert_ne!(version, 0),
                (1, "200") | (_, "404 NotFound") => version = 0,
                (_, "409 Conflict") => prop_assert_ne!(shown, version),
                _ => {
                    prop_assert!(kind == 0 || shown == version, "{} {}", request, answer);
                    let new = answer.split("rv=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
                    version = new.parse().unwrap();
                }
            }
        }
    }

    #[test]
    fn a_candidate_never_takes_a_lease_that_it_saw_change_just_now(
        events in prop::collection::vec((0..8u8, 1..4u16), 1..60),
    ) {
        let system = candidate("b");
        let mut cells = vec![0; system.length()];
        let mut timers = Timers::new(system.timers());
        let mut armed_for_seen = true;
        for (event, version) in events {
            let words = match event {
                0..=2 => "retry".to_string(),
                3 | 4 => format!("200 rv={version} holder=a duration=15s transitions=0"),
                5 => "404 NotFound".to_string(),
                6 => "409 Conflict".to_string(),
                _ => {
                    if timers.take((version % 3) as u8) {
                        armed_for_seen &= version % 3 != 0;
                        system.fire((version % 3) as u8, &mut cells, &mut timers);
                    }
                    continue;
                }
            };
            let before = cells.clone();
            let command = system.parse(&words).unwrap();
            match system.execute(0, &command, &mut cells, &mut timers) {
                None => prop_assert_eq!(&before, &cells),
                Some(Step::Send(request)) if request.to_string().starts_with("PUT") => {
                    prop_assert!(!armed_for_seen, "{} after {}", request, words);
                }
                Some(_) => {}
            }
            // Seeing another version arms the timer of the lease anew.
            armed_for_seen |= before[3] != cells[3];
        }
    }
}
