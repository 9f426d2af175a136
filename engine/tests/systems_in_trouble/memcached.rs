//! memcached: CAS numbers, winners and leases.

use racescope_engine::system::memcached::{Leases, Memcached, Reply};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, number_after, numbers};

const COMMANDS: [&str; 22] = [
    "mg p v c N30",
    "mg p v c N30",
    "mg p c t R30",
    "mg p T10",
    "ms p 1 C# ⏎ a",
    "ms p 1 c C# T5 ⏎ b",
    "ms p 1 I C# ⏎ c",
    "ms p 1 ⏎ d",
    "md p",
    "md p I T5",
    "md p C#",
    "gets p",
    "set p 0 5 1 ⏎ e",
    "add p 0 0 1 ⏎ f",
    "cas p 0 0 1 # ⏎ g",
    "delete p",
    "lease-get p",
    "lease-get r",
    "lease-get r",
    "lease-set p # 0 0 1 ⏎ h",
    "lease-set r # 0 5 1 ⏎ i",
    "delete r",
];

const MARKS_OF_P: usize = 3;
const LEASE_OF_P: usize = 4;
const LEASE_OF_R: usize = 8;
const WON: u16 = 2;

#[derive(Default)]
struct Server {
    number: Rising,
    /// For `p` and `r` the lease that is out: the newest one that was given, unless it was
    /// used or a delete has voided it.
    leases: [Option<u64>; 2],
    /// Whether somebody was told to fill the item that there is.
    is_won: bool,
}

impl Promises for Server {
    type System = Memcached;

    fn looks(&self) -> &'static [&'static str] {
        &["gets p", "gets r"]
    }

    fn refuses(&self, words: &str, reply: &Reply) -> bool {
        use Reply::{Absent, Differs, End, Exists, Miss, NotFound, NotFoundHot, NotStored};
        let is_delete = words.starts_with("md") || words.starts_with("delete");
        // A delete voids the lease that is out, whatever it finds.
        !is_delete
            && matches!(
                reply,
                Absent { .. } | Differs { .. } | End | Exists | Miss | NotFound | NotFoundHot | NotStored
            )
    }

    /// Nothing is on disk.
    fn is_durable(&self) -> bool {
        false
    }

    fn judge(&mut self, step: &Step<Memcached>) {
        self.number.see(step.after.cells[0].into(), step);
        if step.is_set_back() {
            let cells = &step.after.cells;
            self.leases = [LEASE_OF_P, LEASE_OF_R].map(|at| Some(cells[at].into()).filter(|&token| token != 0));
            self.is_won = cells[MARKS_OF_P] & WON != 0;
            return;
        }
        let item = |said: String| numbers(&said).get(2).copied();
        let (was, is) = (item(step.looked("gets p")), item(step.look("gets p")));
        if was != is {
            self.is_won = false;
        }
        let Some((_, words, reply)) = step.answer() else { return };
        let is_stored = reply == "STORED" || reply.starts_with("HD");
        if is_stored && (words.starts_with("cas") || words.contains(" C") && !words.contains(" I ")) {
            let shown = if words.starts_with("cas") { numbers(words)[3] } else { number_after(words, " C") };
            assert_eq!(was, Some(shown), "{words} → {reply}");
        }
        if words.starts_with("mg p") && reply.ends_with('W') || reply.contains(" W ⏎") {
            assert!(!self.is_won, "{words} → {reply}: a second one won");
            self.is_won = true;
        }
        let lease = &mut self.leases[usize::from(words.contains(" r"))];
        if words.starts_with("lease-set") {
            let token = numbers(words)[0];
            assert!(reply != "STORED" || *lease == Some(token), "{words}: {lease:?} is out");
            if reply == "STORED" {
                *lease = None;
            }
        } else if reply.starts_with("LVALUE") {
            *lease = Some(numbers(&reply)[0]);
        } else if reply == "DELETED"
            || words.starts_with("delete")
            || words.starts_with("md") && !reply.starts_with("EX")
        {
            *lease = None;
        }
    }
}

#[test]
fn memcached() {
    for leases in [Leases::EveryMiss, Leases::TEN_SECONDS] {
        let server = Memcached::new(&["p", "r"]).expect("two short words").with_leases(leases);
        let wanted = ["STORED", "NOT_STORED", "EXISTS", "EX", "NF", "LVALUE", " W", " Z", " X"];
        keeps_its_promises(&server, Server::default, &COMMANDS, &wanted);
    }
}
