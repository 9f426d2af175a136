//! Signed grants, as far as resources keep what they have accepted whatever becomes of the
//! registry. What each verdict must be is judged in `random_grants.rs`.

use racescope_engine::system::grant::{Mode, Reply, SignedGrants, Verdict};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, number_after, numbers};

const COMMANDS: [&str; 22] = [
    "ACQUIRE r request=a1 root=x ttl=1000",
    "ACQUIRE r request=b1 root=y ttl=1000",
    "ACQUIRE r request=c1 root=z ttl=1000",
    "ACQUIRE r request=d1 root=z ttl=1000 LOST",
    "QUERY r request=d1",
    "RENEW r",
    "RELEASE r",
    "RELEASE r",
    "STATUS r",
    "APPLY r seg=1 op=x1 set=a",
    "APPLY r seg=1 op=x1 set=a PROOF",
    "APPLY r seg=1 op=y1 set=b OLD PROOF",
    "APPLY r seg=1 op=z1 set=c",
    "APPLY r seg=2 op=x2 set=b",
    "APPLY r seg=2 op=x2 set=c OF B",
    "APPLY r seg=1 op=w1 set=d WITH fence=#",
    "APPLY r seg=1 op=v1 set=d FORGED",
    "READ r",
    "SNAPSHOT",
    "RESTORE",
    "RESUME r",
    "REVOKE EPOCH",
];

#[derive(Default)]
struct Resource {
    highest: Rising,
    changes: Rising,
    /// The lease that was granted last, and its token.
    granted: (u64, u64),
}

impl Promises for Resource {
    type System = SignedGrants;

    fn looks(&self) -> &'static [&'static str] {
        &["READ r", "RECEIPT r op=x1", "RECEIPT r op=y1"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        match reply {
            Reply::Verdict(verdict) => {
                !matches!(verdict, Verdict::Accepted(_) | Verdict::Quarantined | Verdict::FenceRegression)
            }
            Reply::Busy | Reply::NotHeld | Reply::UnknownRequest | Reply::NoGrant | Reply::NoSnapshot => true,
            _ => false,
        }
    }

    /// Neither a registry that loses its memory or gets an older one back nor a client that
    /// crashes makes a resource forget: only a state of all of them that is put back does.
    fn judge(&mut self, step: &Step<SignedGrants>) {
        let (was, is) = (step.looked("READ r"), step.look("READ r"));
        let (highest, changes) = (number_after(&is, "fence-"), number_after(&is, "changes-"));
        if !step.is_set_back() || was == is {
            assert!(highest >= number_after(&was, "fence-") && changes >= number_after(&was, "changes-"));
        }
        self.highest.see(highest, step);
        self.changes.see(changes, step);
        let is_back = step.answer().is_some_and(|(_, _, reply)| reply.starts_with("restored"));
        if step.is_set_back() || is_back {
            self.granted = (0, 0);
        }
        let Some((_, words, reply)) = step.answer() else { return };
        if let Some(lease) = reply.strip_prefix("HELD lease-") {
            let (lease, token) = (numbers(lease)[0], number_after(lease, "fence-"));
            let is_new = lease > self.granted.0 && token > self.granted.1;
            assert!(is_new || (lease, token) == self.granted, "{words} → {reply} after {:?}", self.granted);
            self.granted = (lease, token);
        }
        let is_accepted = reply.starts_with("ACCEPTED");
        assert_eq!(is_accepted, changes > number_after(&was, "changes-"), "{words} → {reply}");
        assert!(!is_accepted || !was.ends_with("HALTED"), "{words} → {reply} while writes are stopped");
        assert!(!is_accepted || !words.contains("FORGED"), "{words} → {reply}");
    }
}

#[test]
fn grant() {
    let grants = SignedGrants::new(&["r"], Mode::Enforcing, 16, 1_000_000, 4).expect("it is small enough");
    let wanted = ["HELD lease-2", "BUSY", "ACCEPTED", "FORGED", "NOT_HELD", "restored", "FENCE_REGRESSION"];
    keeps_its_promises(&grants, Resource::default, &COMMANDS, &wanted);
}
