//! Consul: sessions, keys and lock-delays.

use racescope_engine::system::System;
use racescope_engine::system::consul::{Consul, Reply};

use crate::driver::{Promises, Rising, Step, What, keeps_its_promises, number_after};

const SESSIONS: u8 = 6;

const COMMANDS: [&str; 22] = [
    "PUT session/create",
    "PUT session/create TTL=10s LockDelay=0s",
    "PUT session/create TTL=10s Behavior=delete",
    "PUT session/renew/s1",
    "PUT session/destroy/s1",
    "PUT session/destroy/s#",
    "serfHealth s# critical",
    "GET kv/k",
    "PUT kv/k?acquire=s1 a",
    "PUT kv/k?acquire=s2 b",
    "PUT kv/k?acquire=s3 a",
    "PUT kv/k?acquire=s# b",
    "PUT kv/m?acquire=s2 a",
    "PUT kv/k?release=s1 a",
    "PUT kv/k?release=s# b",
    "PUT kv/k?cas=# a",
    "PUT kv/m?cas=# b",
    "PUT kv/k b",
    "DELETE kv/k",
    "PUT txn check-session k s1, set m a",
    "PUT txn check-session k s#, set m b",
    "PUT kv/m a",
];

#[derive(Default)]
struct Cluster {
    index: Rising,
}

/// What an entry says of its holder, with its `LockIndex` and its `ModifyIndex`.
fn entry(said: &str) -> Option<(Option<u64>, u64, u64)> {
    let holder = said.contains("Session").then(|| number_after(said, "\"Session\":"));
    said.starts_with('[').then(|| (holder, number_after(said, "LockIndex\":"), number_after(said, "ModifyIndex\":")))
}

impl Promises for Cluster {
    type System = Consul;

    fn looks(&self) -> &'static [&'static str] {
        &["GET kv/k", "GET kv/m"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        !matches!(reply, Reply::Created(_) | Reply::Done(true) | Reply::Noted | Reply::Transacted)
    }

    fn judge(&mut self, step: &Step<Consul>) {
        self.index.see(step.after.cells[0].into(), step);
        for (place, look) in self.looks().iter().enumerate() {
            let (was, is) = (entry(&step.looked(look)), entry(&step.look(look)));
            if let Some((Some(holder), ..)) = is {
                let mut ask = step.after.clone();
                let renew = step.system.parse(&format!("PUT session/renew/s{holder}")).expect("it is a request");
                let lives = matches!(ask.execute(step.system, 0, &renew), Some(Reply::Renewed(_)));
                assert!(lives, "{look} is held by a session that has ended");
            }
            if step.is_set_back() {
                continue;
            }
            let Some((holder, lock_index, modify_index)) = is else { continue };
            let (was_held_by, was_locked, was_modified) = was.unwrap_or((None, 0, 0));
            assert!(was_modified <= modify_index);
            if holder.is_some() && holder != was_held_by {
                assert_eq!(was_held_by, None, "{look} changed hands without being free");
                assert_eq!(lock_index, was_locked + 1);
                let delay = SESSIONS + place as u8;
                assert!(!step.before.is_armed(delay), "{look} was acquired within its lock-delay");
            } else {
                assert_eq!(lock_index, was_locked, "only who acquires a free key raises its LockIndex");
            }
        }
        // A session that ends by its time or by its server's word can't acquire any more.
        if let What::Fired(session @ 0..SESSIONS) = step.what {
            let said = step.look(&format!("PUT kv/m?acquire=s{} a", session + 1));
            assert!(said.contains("invalid session"), "{said}");
        }
    }
}

#[test]
fn consul() {
    let cluster = Consul::new(&["k", "m"], SESSIONS).expect("two short words");
    let wanted = ["ID", "true", "false", "LockIndex\":2", "404 Session", "500 invalid", "409 failed", "\"200\""];
    let wanted: Vec<_> = wanted.iter().map(|want| want.trim_matches('"')).collect();
    keeps_its_promises(&cluster, Cluster::default, &COMMANDS, &wanted);
}
