//! A Redis primary with a replica that lags.

use racescope_engine::system::redis::{Answer, Redis, RedisPair, Reply, Version};

use crate::driver::{Promises, Step, What, keeps_its_promises};

const COMMANDS: [&str; 16] = [
    "SET k a",
    "SET k b",
    "SET m a",
    "SET m b",
    "SET l a NX PX 300",
    "EVAL CAD 1 l a",
    "GET k",
    "WAIT 1 0",
    "WAIT 1 0",
    "WAIT 1 1",
    "replica GET k",
    "replica SET k b",
    "replica PTTL l",
    "LINK FREEZE",
    "LINK THAW",
    "replica REPLICAOF NO ONE",
];

const WRITTEN: [&str; 2] = ["k", "m"];

/// Who has written each key last, and whether the replica has taken the primary's place.
#[derive(Default)]
struct Pair {
    writers: [Option<u8>; 2],
    is_promoted: bool,
}

impl Promises for Pair {
    type System = RedisPair;

    fn looks(&self) -> &'static [&'static str] {
        &["GET l", "GET k", "GET m", "replica GET l", "replica GET k", "replica GET m"]
    }

    fn refuses(&self, words: &str, reply: &Reply) -> bool {
        !words.starts_with("WAIT") && matches!(reply, Reply::One(Answer::Error(_) | Answer::Nil | Answer::Integer(0)))
    }

    fn judge(&mut self, step: &Step<RedisPair>) {
        if step.is_set_back() {
            // An older state may be one from before the promotion.
            *self = Self { is_promoted: step.look("replica SET k a") == "+OK", ..Self::default() };
            return;
        }
        // WAIT asks about the writes of its own connection.
        match step.what {
            What::Restarted => self.writers = [None; 2],
            What::Disconnected(gone) => {
                self.writers.iter_mut().for_each(|writer| *writer = writer.filter(|&it| it != gone));
            }
            _ => {}
        }
        let Some((caller, words, reply)) = step.answer() else { return };
        if words == "replica REPLICAOF NO ONE" && !self.is_promoted {
            self.is_promoted = true;
            for key in ["l", "k", "m"] {
                let kept = step.looked(&format!("replica GET {key}"));
                assert_eq!(step.look(&format!("GET {key}")), kept, "what the replica had is what there is");
            }
        }
        for (writer, key) in self.writers.iter_mut().zip(WRITTEN) {
            if words.contains(&format!("SET {key} ")) && reply == "+OK" {
                *writer = Some(caller);
            }
            if words.starts_with("WAIT") && reply == "1" && *writer == Some(caller) {
                let primary = step.look(&format!("GET {key}"));
                assert_eq!(step.look(&format!("replica GET {key}")), primary, "the replica has it, says WAIT");
            }
        }
        let is_replica_asked = words.starts_with("replica") && !self.is_promoted;
        assert!(!is_replica_asked || step.before.cells == step.after.cells, "{words} wrote to a replica");
    }
}

#[test]
fn a_replica_has_what_wait_says_and_takes_no_writes() {
    let primary = Redis::new(Version::V7_0, &["l", "k", "m"], &["a", "b"]).expect("the names fit");
    let pair = RedisPair { primary, lag_us: 10_000 };
    keeps_its_promises(&pair, Pair::default, &COMMANDS, &["+OK", "READONLY", "1", "0"]);
}

/// The witness: without `WAIT`, a promotion loses what was acknowledged.
#[test]
fn a_promotion_loses_what_the_replica_has_not() {
    use std::cell::Cell;

    struct Loses<'a>(&'a Cell<bool>);
    impl Promises for Loses<'_> {
        type System = RedisPair;
        fn looks(&self) -> &'static [&'static str] {
            &[]
        }
        fn refuses(&self, _: &str, _: &Reply) -> bool {
            false
        }
        fn judge(&mut self, step: &Step<RedisPair>) {
            if matches!(step.what, What::Answered { words: "replica REPLICAOF NO ONE", .. }) {
                self.0.set(self.0.get() || step.looked("GET k") != step.look("GET k"));
            }
        }
    }

    let primary = Redis::new(Version::V7_0, &["l", "k", "m"], &["a", "b"]).expect("the names fit");
    let is_lost = Cell::new(false);
    keeps_its_promises(&RedisPair { primary, lag_us: 10_000 }, || Loses(&is_lost), &COMMANDS, &[]);
    assert!(is_lost.get(), "a write was lost at least once");
}
