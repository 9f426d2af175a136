//! One Redis node.

use racescope_engine::system::redis::{Answer, Redis, Reply, Version};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, numbers};

const COMMANDS: [&str; 33] = [
    "SET l a NX PX 300",
    "SET l b NX PX 300",
    "SETNX l b",
    "EVAL GRANT 2 l f a 300",
    "EVAL GRANT 2 l f b 300",
    "EVAL GRANT 2 l f b 300",
    "EVAL CAD 1 l a",
    "EVAL CAD 1 l b",
    "EVAL EXTEND 1 l a 300",
    "EVAL LOCK_OR_EXTEND 1 l b 300",
    "DELEX l IFEQ a",
    "PEXPIRE l 100",
    "GET l",
    "GET f",
    "SET k #",
    "SET k b IFEQ a",
    "INCR k",
    "INCR k",
    "DEL k",
    "EVAL CAS_IF_EQUAL 1 k # #",
    "EVAL SET_IF_NEWER 1 p # a 600",
    "EVAL SET_IF_NEWER 1 p 5 b 600",
    "EVAL FILL_IF_NEWER 1 p # a 600",
    "EVAL SET_IF_LEASE 2 k l a 1 600",
    "HGET p v",
    "GET p",
    "WATCH l k",
    "UNWATCH",
    "MULTI",
    "EXEC",
    "EXEC",
    "DISCARD",
    "WAIT 1 0",
];

#[derive(Default)]
struct Node {
    token: Rising,
    version: Rising,
}

impl Promises for Node {
    type System = Redis;

    fn looks(&self) -> &'static [&'static str] {
        &["GET l", "GET f", "GET k", "HGET p v", "HGET p data"]
    }

    fn refuses(&self, words: &str, reply: &Reply) -> bool {
        match reply {
            Reply::Unknown(_) | Reply::One(Answer::Error(_) | Answer::Queued | Answer::Nil) => true,
            Reply::One(Answer::Integer(number)) => *number == 0 && words != "INCR k",
            _ => false,
        }
    }

    /// A refusal changes no key. What a connection queues and watches is its own.
    fn is_unchanged(&self, step: &Step<Redis>) -> bool {
        self.looks().iter().all(|look| step.looked(look) == step.look(look))
    }

    fn judge(&mut self, step: &Step<Redis>) {
        self.token.see(numbers(&step.look("GET f")).first().copied().unwrap_or(0), step);
        let version = numbers(&step.look("HGET p v"));
        match version.first() {
            // A key that has ended begins anew.
            None => self.version = Rising::default(),
            Some(&version) => self.version.see(version, step),
        }
        let (was, is) = (step.looked("GET l"), step.look("GET l"));
        let answer = step.answer();
        let is_transaction = answer.as_ref().is_some_and(|(_, words, _)| *words == "EXEC");
        let keeps_or_frees = was == is || was == "nil" || is == "nil";
        assert!(keeps_or_frees || is_transaction || step.is_set_back(), "the lock went from {was} to {is}");
        let Some((_, words, reply)) = answer else { return };
        let says_so = numbers(&reply).first().is_some_and(|&number| number > 0);
        if words.starts_with("EVAL GRANT") && says_so {
            assert_eq!(was, "nil", "{words} → {reply}");
        }
        if (words.starts_with("EVAL CAD") || words.starts_with("EVAL EXTEND")) && reply == "1" {
            assert_eq!(was, words.split(' ').nth(4).unwrap_or_default(), "{words}");
        }
        if words.contains("NX PX") && reply == "+OK" {
            assert_eq!(was, "nil", "{words}");
        }
    }
}

#[test]
fn redis() {
    for version in [Version::V7_0, Version::V8_4] {
        let node = Redis::new(version, &["l", "f", "k", "p"], &["a", "b"]).expect("the names fit");
        let node = node.with_transactions(5, 4);
        keeps_its_promises(&node, Node::default, &COMMANDS, &["+OK", "nil", "+QUEUED", "[", "EXECABORT", "WRONGTYPE"]);
    }
}
