//! Cassandra: lightweight transactions whose coordinators may give up.

use racescope_engine::system::cassandra::{Cassandra, Reply};

use crate::driver::{Promises, Rising, Step, keeps_its_promises, number_after, numbers};

const COMMANDS: [&str; 11] = [
    "INSERT INTO t (pk, v) VALUES ('l', 0) IF NOT EXISTS",
    "INSERT INTO t (pk, v, id) VALUES ('l', 1, 'a') IF NOT EXISTS",
    "UPDATE t SET v=#, id='a' WHERE pk='l' IF v=#",
    "UPDATE t SET v=2, id='b' WHERE pk='l' IF v=1",
    "UPDATE t SET v=3, id='c' WHERE pk='l' IF EXISTS",
    "UPDATE t SET v=1, id='d' WHERE pk='l' IF v=#",
    "UPDATE t SET v=#, id='e' WHERE pk='l' IF v=# -- times out before accept",
    "UPDATE t SET v=#, id='f' WHERE pk='l' IF v=# -- times out after accept",
    "UPDATE t SET v=1, id='g' WHERE pk='l' IF v=2 -- times out after commit",
    "SELECT * FROM t WHERE pk='l'",
    "SELECT * FROM t WHERE pk='l' -- SERIAL",
];

const SERIAL: &str = "SELECT * FROM t WHERE pk='l' -- SERIAL";
const BALLOT: usize = 4;

#[derive(Default)]
struct Table {
    ballot: Rising,
}

impl Promises for Table {
    type System = Cassandra;

    fn looks(&self) -> &'static [&'static str] {
        &["SELECT * FROM t WHERE pk='l'", SERIAL]
    }

    fn refuses(&self, words: &str, reply: &Reply) -> bool {
        matches!(reply, Reply::NotApplied(_)) || words.starts_with("SELECT")
    }

    /// A round that is refused, and a serial read, complete the round of somebody else,
    /// which everybody could.
    fn is_unchanged(&self, step: &Step<Cassandra>) -> bool {
        step.looked(SERIAL) == step.look(SERIAL)
    }

    /// Without plain writes all rounds have one order, in which a serial read shows all
    /// that were before it.
    fn judge(&mut self, step: &Step<Cassandra>) {
        self.ballot.see(step.after.cells[BALLOT].into(), step);
        if step.is_set_back() {
            return;
        }
        let (was, is) = (step.looked(SERIAL), step.look(SERIAL));
        let Some((_, words, reply)) = step.answer() else {
            assert_eq!(was, is, "only statements write");
            return;
        };
        if reply == "[applied]=True" {
            match words.split_once(" IF ") {
                Some((_, "NOT EXISTS")) => assert_eq!(was, "(0 rows)", "{words}"),
                Some((_, "EXISTS")) => assert_ne!(was, "(0 rows)", "{words}"),
                _ => assert_eq!(number_after(&was, "v="), number_after(words, "IF v="), "{words}"),
            }
            let written = if words.starts_with("INSERT") { numbers(words)[0] } else { number_after(words, "SET v=") };
            assert_eq!(number_after(&is, "v="), written, "{words}: a serial read shows it");
        }
        if words.ends_with("before accept") {
            assert_eq!(was, is, "{words}: it never happens");
        }
        if words.ends_with("after accept") && was != is {
            assert_eq!(
                number_after(&was, "v="),
                number_after(words, "IF v="),
                "{words}: it happens under its condition"
            );
        }
    }
}

#[test]
fn cassandra() {
    let wanted = ["[applied]=True", "[applied]=False v=", "WriteTimeout", "id=f", "id=g", "(0 rows)"];
    keeps_its_promises(&Cassandra::new(&["l"]), Table::default, &COMMANDS, &wanted);
}
