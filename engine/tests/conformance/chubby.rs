//! Chubby: sequencers and the lock-delay, and what holds for any requests.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::System;
use racescope_engine::system::chubby::{Chubby, Reply, SequencerCheck};
use racescope_engine::system::transcript::check;

const UNCHECKED: Chubby = Chubby { check: SequencerCheck::None };
const ASKING: Chubby = Chubby { check: SequencerCheck::AskChubby };
const REMEMBERING: Chubby = Chubby { check: SequencerCheck::NewestSeen };

#[test]
fn a_lock_whose_holder_failed_is_not_given_out_for_the_lock_delay() {
    check(
        &UNCHECKED,
        "A Acquire exclusive lock-delay=10s → ok
         A disconnects
         B Acquire exclusive → (waits)
         wait 12 s
         C TryAcquire exclusive → busy
         wait 9999 ms
         C TryAcquire exclusive → busy
         wait 1 ms
         B … Acquire exclusive → ok
         C TryAcquire exclusive → busy",
    );
}

#[test]
fn a_release_has_no_delay() {
    check(
        &UNCHECKED,
        "A Acquire exclusive lock-delay=60s → ok
         B TryAcquire exclusive → busy
         A Release → ok
         B TryAcquire exclusive → ok
         A Release → not held",
    );
}

#[test]
fn a_holder_lives_as_long_as_it_extends_its_session() {
    check(
        &UNCHECKED,
        "A Acquire exclusive → ok
         wait 11 s
         A KeepAlive → ok
         wait 11 s
         restart
         wait 11 s
         clock +3600 s
         A KeepAlive → ok
         wait 12 s
         A KeepAlive → not held
         A GetSequencer → not held
         B TryAcquire exclusive → ok",
    );
}

#[test]
fn a_sequencer_is_valid_while_the_lock_is_held_as_it_says() {
    check(
        &ASKING,
        "A Acquire exclusive → ok
         A GetSequencer → lock:exclusive:1
         H CheckSequencer lock:exclusive:1 → valid
         H CheckSequencer lock:shared:1 → invalid
         A Write a1 lock:exclusive:1 → written
         wait 12 s
         H CheckSequencer lock:exclusive:1 → invalid
         A Write a2 lock:exclusive:1 → refused: stale sequencer
         B Acquire exclusive → ok
         B GetSequencer → lock:exclusive:2
         B Write b lock:exclusive:2 → written
         A Write a3 lock:exclusive:1 → refused: stale sequencer
         H Read → b",
    );
}

#[test]
fn a_server_that_remembers_the_newest_takes_an_older_one_that_comes_first() {
    check(
        &REMEMBERING,
        "A Acquire exclusive → ok
         A GetSequencer → lock:exclusive:1
         wait 12 s
         B Acquire exclusive → ok
         A Write a1 lock:exclusive:1 → written
         B Write b lock:exclusive:2 → written
         A Write a2 lock:exclusive:1 → refused: stale sequencer
         H Read → b",
    );
}

#[test]
fn without_a_check_the_lock_delay_protects_only_from_what_is_not_later_than_it() {
    check(
        &UNCHECKED,
        "A Acquire exclusive lock-delay=10s → ok
         wait 12 s
         A Write a1 lock:exclusive:1 → written
         wait 10 s
         B Acquire exclusive → ok
         B Write b lock:exclusive:2 → written
         A Write a2 lock:exclusive:1 → written
         H Read → a2",
    );
}

#[test]
fn shared_holders_share_a_generation_and_the_last_one_frees_the_lock() {
    check(
        &ASKING,
        "A Acquire shared lock-delay=10s → ok
         B Acquire shared → ok
         B GetSequencer → lock:shared:1
         C TryAcquire exclusive → busy
         wait 11 s
         B KeepAlive → ok
         wait 1 s
         A GetSequencer → not held
         A TryAcquire shared → ok
         B Release → ok
         C TryAcquire exclusive → busy
         A Release → ok
         C TryAcquire exclusive → ok
         C GetSequencer → lock:exclusive:2
         restart without memory
         H Read → nothing
         C GetSequencer → not held",
    );
}

#[test]
fn what_is_no_request_is_not_read() {
    for words in ["", "Acquire", "Acquire both", "Acquire shared lock-delay=61s", "Write a", "CheckSequencer lock:1"] {
        assert_eq!(UNCHECKED.parse(words), None, "{words}");
    }
}

proptest! {
    #[test]
    fn at_most_one_holds_it_alone_and_generations_only_rise(
        requests in prop::collection::vec((0..10u8, 0..8u8), 0..80),
    ) {
        let mut cells = vec![0; ASKING.length()];
        let mut timers = Timers::new(ASKING.timers());
        for (caller, kind) in requests {
            let before = cells.clone();
            let words = match kind {
                0 => "Acquire exclusive lock-delay=5s",
                1 => "Acquire shared",
                2 => "TryAcquire shared lock-delay=5s",
                3 => "Release",
                4 => "KeepAlive",
                5 => "Write v lock:exclusive:1",
                _ => {
                    if timers.take(caller) {
                        ASKING.fire(caller, &mut cells, &mut timers);
                    }
                    continue;
                }
            };
            let reply = ASKING.execute(caller, &ASKING.parse(words).unwrap(), &mut cells, &mut timers);
            if !matches!(reply, Some(Reply::Done | Reply::Written)) {
                prop_assert_eq!(&before, &cells);
            }
            prop_assert!(before[0] <= cells[0]);
            let holders = cells[2].count_ones();
            let fits = match cells[1] {
                0 => holders == 0,
                1 => holders == 1,
                _ => holders >= 1,
            };
            prop_assert!(fits, "{} holders in mode {}", holders, cells[1]);
            prop_assert!(caller < 8 || before == cells || words.starts_with("Write"), "a caller beyond the model");
        }
    }
}
