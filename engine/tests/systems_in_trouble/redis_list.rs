//! The lists of a Redis node: no value is taken out twice, and none overtakes another.

use racescope_engine::system::redis_list::{RedisList, Reply};

use crate::driver::{Promises, Step, keeps_its_promises};

const COMMANDS: [&str; 10] = [
    "RPUSH l a",
    "RPUSH l b",
    "RPUSH l c",
    "RPUSH m d",
    "LPOP l",
    "BLPOP l 0",
    "BLPOP l 0",
    "BLPOP l 1",
    "BLPOP m 2",
    "LLEN l",
];

struct Lists;

/// The values in the answer to `LRANGE`.
fn values(answer: &str) -> Vec<String> {
    let inside = answer.trim_matches(['[', ']']);
    inside.split(", ").filter(|value| !value.is_empty()).map(String::from).collect()
}

impl Promises for Lists {
    type System = RedisList;

    fn looks(&self) -> &'static [&'static str] {
        &["LRANGE l 0 -1", "LRANGE m 0 -1"]
    }

    fn refuses(&self, words: &str, reply: &Reply) -> bool {
        // A wait that has come to its end is over.
        matches!(reply, Reply::OutOfMemory) || words.starts_with("LLEN") || words == "LPOP l" && *reply == Reply::Nil
    }

    fn judge(&mut self, step: &Step<RedisList>) {
        let answer = step.answer();
        for (look, list) in self.looks().iter().zip(["l", "m"]) {
            let (was, is) = (values(&step.looked(look)), values(&step.look(look)));
            if step.is_set_back() {
                continue;
            }
            let Some((_, words, reply)) = answer.as_ref().filter(|(_, words, _)| words.contains(&format!(" {list}")))
            else {
                assert_eq!(was, is, "only what is said to a list changes it");
                continue;
            };
            match (words.split_once(' '), reply.as_str()) {
                (Some(("RPUSH", _)), said) if said.starts_with("OOM") => assert_eq!(was, is, "{words}"),
                (Some(("RPUSH", rest)), said) => {
                    assert_eq!(said, (was.len() + 1).to_string(), "{words}");
                    let handed_on = was.is_empty() && is.is_empty();
                    let behind = is.split_last().is_some_and(|(last, others)| rest.ends_with(last) && others == was);
                    assert!(handed_on || behind, "{words}: from {was:?} to {is:?}");
                }
                (Some(("LPOP", _)), "nil") => assert!(was.is_empty() && is.is_empty(), "{words}"),
                (Some(("LPOP", _)), said) => {
                    assert_eq!((Some(said), &was[1..]), (was.first().map(String::as_str), &is[..]), "{words}");
                }
                // Who has waited is answered with what it was handed before.
                (Some(("BLPOP", _)), said) if was != is => {
                    assert_eq!((said, &was[1..]), (format!("[{list}, {}]", was[0]).as_str(), &is[..]), "{words}");
                }
                _ => assert_eq!(was, is, "{words}"),
            }
        }
    }
}

#[test]
fn redis_list() {
    let node = RedisList::new(&["l", "m"], 5).expect("the names fit");
    keeps_its_promises(&node, || Lists, &COMMANDS, &["[l, a]", "[m, d]", "nil", "OOM", "3"]);
}
