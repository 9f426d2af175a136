//! `PostgreSQL`: rows, advisory locks and a lease in a row, beside what
//! `properties_of_postgres.rs` says of its transactions.

use racescope_engine::system::postgres::{Postgres, Reply};

use crate::driver::{CALLERS, Promises, Rising, Step, What, keeps_its_promises, numbers};

const COMMANDS: [&str; 23] = [
    "begin",
    "begin isolation level repeatable read",
    "begin isolation level serializable",
    "commit",
    "commit",
    "rollback",
    "select id, granted, lim, val, version, fence from q order by id",
    "update q set val='B', version=version+1 where id=1 and version=1",
    "update q set version=version+1 where id=1",
    "update q set version=version+1 where id=2",
    "update q set fence=34 where id=2 and fence<=34",
    "update q set fence=35 where id=2 and fence<=35",
    "update q set fence=33 where id=2 and fence<=33",
    "select granted from q where id=1 for update",
    "select id from q where granted<lim order by id limit 1 for update skip locked",
    "update shedlock set lock_until=clock_timestamp()+interval '5 s', locked_by='N1' where lock_until<=clock_timestamp()",
    "update shedlock set lock_until=clock_timestamp()+interval '5 s', locked_by='N2' where lock_until<=clock_timestamp()",
    "insert into requests values ('k1') on conflict do nothing",
    "select pg_try_advisory_lock(43)",
    "select pg_try_advisory_lock(43)",
    "select pg_advisory_lock(43)",
    "select pg_advisory_unlock(43)",
    "select pg_advisory_xact_lock(42)",
];

const ROWS: &str = "select id, granted, lim, val, version, fence from q order by id";
const HOLDER: &str = "select locked_by from shedlock";

struct Database {
    /// How often each session has taken the advisory lock 43 and not let go; `None` while
    /// that isn't known, since a state with a holder was put back.
    held: Option<[u32; CALLERS as usize]>,
    versions: [Rising; 2],
    fence: Rising,
}

impl Promises for Database {
    type System = Postgres;

    fn looks(&self) -> &'static [&'static str] {
        &[ROWS, HOLDER, "select count(*) from requests where key='k1'"]
    }

    fn refuses(&self, _: &str, reply: &Reply) -> bool {
        matches!(reply, Reply::Error(_))
    }

    /// An error ends the session's transaction, of which nobody else has seen anything.
    fn is_unchanged(&self, step: &Step<Postgres>) -> bool {
        self.looks().iter().all(|look| step.looked(look) == step.look(look))
    }

    fn judge(&mut self, step: &Step<Postgres>) {
        let rows = step.look(ROWS);
        let columns: Vec<Vec<u64>> = rows.split("), (").map(numbers).collect();
        for (version, row) in self.versions.iter_mut().zip(&columns) {
            version.see(row[row.len() - 2], step);
        }
        self.fence.see(*columns[1].last().expect("a fence"), step);
        match step.what {
            What::SetBack | What::Restarted => {
                let is_free = step.look("select pg_try_advisory_lock(43)") == "t";
                self.held = is_free.then_some([0; CALLERS as usize]);
            }
            What::Disconnected(caller) => self.held.iter_mut().for_each(|held| held[usize::from(caller)] = 0),
            _ => {}
        }
        let (Some((caller, words, reply)), Some(all)) = (step.answer(), &mut self.held) else { return };
        let held = &mut all[usize::from(caller)];
        match (words, reply.as_str()) {
            ("select pg_try_advisory_lock(43)", "t") | ("select pg_advisory_lock(43)", "()") => *held += 1,
            ("select pg_advisory_unlock(43)", "t") => *held -= 1,
            _ => {}
        }
        let holders = all.iter().filter(|&&times| times > 0).count();
        assert!(holders <= 1, "{holders} sessions hold the advisory lock");
    }
}

#[test]
fn postgres() {
    let postgres = Postgres::new(CALLERS + 1).expect("a number that it can have");
    let start =
        || Database { held: Some([0; CALLERS as usize]), versions: [Rising::default(); 2], fence: Rising::default() };
    let wanted = ["BEGIN", "COMMIT", "ROLLBACK", "UPDATE 1", "UPDATE 0", "40001", "25P02", "WARNING", "INSERT 0 1"];
    keeps_its_promises(&postgres, start, &COMMANDS, &wanted);
}
