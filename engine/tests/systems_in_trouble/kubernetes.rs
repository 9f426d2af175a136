//! A Kubernetes Lease: the server that keeps it, and candidates that want to lead.

use std::cell::Cell;

use proptest::prelude::*;
use racescope_engine::system::kubernetes::{ApiServer, Candidate, Election, Reply};
use racescope_engine::system::names::Word;

use crate::driver::{Promises, Rising, Step, keeps_its_promises, number_after};
use crate::network::{CLIENTS, Seen, talk};
use crate::own_clock::{self, Process};

const COMMANDS: [&str; 8] = [
    "GET lease",
    "POST lease holder=a duration=15s transitions=0",
    "PUT lease rv=# holder=a duration=15s transitions=1",
    "PUT lease rv=# holder=b duration=15s transitions=#",
    "PUT lease rv=1 holder=b duration=15s transitions=1",
    "PUT lease rv=2 holder= duration=1s transitions=1",
    "GET lease",
    "DELETE lease",
];

#[derive(Default)]
struct Server {
    version: Rising,
}

impl Promises for Server {
    type System = ApiServer;

    fn looks(&self) -> &'static [&'static str] {
        &["GET lease"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        !matches!(reply, Reply::Found(_) | Reply::Created(_) | Reply::Deleted)
    }

    fn judge(&mut self, step: &Step<ApiServer>) {
        self.version.see(step.after.cells[0].into(), step);
        let Some((_, words, reply)) = step.answer() else { return };
        if words.starts_with("PUT") && reply.starts_with("200") {
            let replaced = number_after(&step.looked("GET lease"), "rv=");
            assert_eq!(replaced, number_after(words, "rv="), "{words} → {reply}");
            assert!(number_after(&reply, "rv=") > replaced);
        }
    }
}

#[test]
fn kubernetes_server() {
    let wanted = ["200 rv=2", "201", "404", "409 AlreadyExists", "409 Conflict"];
    keeps_its_promises(&ApiServer::default(), Server::default, &COMMANDS, &wanted);
}

fn candidates() -> [Candidate; CLIENTS] {
    ["a", "b", "c"].map(|name| {
        let name = Word::parse(name).expect("a letter is a word");
        Candidate::new(name, Election::default()).expect("the defaults fit each other")
    })
}

/// The timer of a candidate that runs while the lease that it saw last holds.
const LEASE: u8 = 0;

/// Over a network of every kind of trouble: an update replaces the very version that it was
/// decided on; and nobody asks for the lease of another one before it has stood still for
/// as long as it lasts, by the own clock.
#[test]
fn kubernetes_candidates() {
    let takeovers = Cell::new(0);
    let start = || {
        |seen: &Seen| {
            if let Some((client, said, _)) = seen.said
                && said.starts_with("PUT")
                && number_after(said, "transitions=") > 0
            {
                let own = ["holder=a", "holder=b", "holder=c"][client];
                let is_running = seen.clients[client].is_armed(LEASE);
                let held = seen.clients[client].cells[4];
                let other = held != 0 && Word::from_cell(held).is_some_and(|name| !own.ends_with(&name.to_string()));
                assert!(!is_running || !other, "{said}: the lease that it saw still runs");
            }
            if let Some((request, answer, before)) = seen.served
                && request.starts_with("PUT")
                && answer.starts_with("200")
            {
                let replaced = before.look(&ApiServer::default(), "GET lease");
                assert_eq!(number_after(&replaced, "rv="), number_after(request, "rv="), "{request}");
                takeovers.set(takeovers.get() + 1);
            }
        }
    };
    talk(&candidates(), &ApiServer::default(), &["retry", "retry", "retry", "release", "leading?"], start);
    assert!(takeovers.get() > 1_000, "there were {} updates", takeovers.get());
}

proptest! {
    /// On clocks that are right, and as long as each looks at least once a second whether it
    /// still leads, at most one does: also if any of them is cut off at any time.
    #[test]
    fn kubernetes_leaders_on_honest_clocks(turns in prop::collection::vec((0..1_000u64, 0..8u8), 1..200)) {
        let mut server = own_clock::Server::new(ApiServer::default());
        let mut candidates = candidates().map(|candidate| Process::new(candidate, 100));
        let mut now_ms = 0;
        for (while_ms, cut_off) in turns {
            now_ms += while_ms;
            for (place, candidate) in candidates.iter_mut().enumerate() {
                candidate.at_ms(now_ms);
                if cut_off >> place & 1 == 1 {
                    candidate.hear("retry");
                } else {
                    candidate.talk("retry", &mut server);
                }
            }
            let leads = candidates.iter_mut().filter_map(|candidate| (candidate.hear("leading?") == "leading").then_some(()));
            prop_assert!(leads.count() <= 1);
        }
    }
}
