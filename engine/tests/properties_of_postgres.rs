//! What holds for every run of `PostgreSQL`: random statements of several sessions.

use proptest::prelude::*;
use proptest::sample::select;
use racescope_engine::sim::Cell;
use racescope_engine::system::postgres::{Command, Error, Postgres, Reply, Tag};
use racescope_engine::system::{Caller, System, Time, Timer};

/// The sessions that send, and after them one that only looks.
const SESSIONS: u8 = 4;

const IN_ANY_TRANSACTION: [&str; 26] = [
    "update q set granted=granted+1 where id=1 and granted<lim",
    "update q set granted=granted+1 where id=2 and granted<lim",
    "update q set val='B', version=version+1 where id=1 and version=1",
    "update q set fence=34 where id=2 and fence<=34",
    "select id, granted, val from q order by id",
    "select granted from q where id=1 for update",
    "select id from q where granted<lim order by id for update",
    "select id from q where granted<lim order by id limit 1 for update skip locked",
    "select granted from q where id=2 for update nowait",
    "insert into grants values (7)",
    "insert into grants select 7 where (select count(*) from grants)<2",
    "update website set hits=hits+1",
    "delete from website where hits=10",
    "select hits from website order by hits",
    "insert into requests values ('k1') on conflict do nothing",
    "insert into requests values ('k1')",
    "insert into requests values ('k2') on conflict do nothing",
    "select clock_timestamp() as now, clock_timestamp()+interval '5 s' as until \\gset",
    "update shedlock set lock_until=:'until', locked_by='N1' where lock_until<=:'now'",
    "update shedlock set lock_until=clock_timestamp()+interval '5 s', locked_by='N2' where lock_until<=clock_timestamp()",
    "update shedlock set lock_until=clock_timestamp() where locked_by='N1' and lock_until<=now()",
    "select pg_advisory_lock(42)",
    "select pg_advisory_xact_lock(42)",
    "select pg_try_advisory_lock(43)",
    "select pg_advisory_xact_lock(43)",
    "select pg_advisory_unlock(42)",
];

const ENDS: [&str; 5] =
    ["begin", "begin isolation level repeatable read", "begin isolation level serializable", "commit", "rollback"];

/// Which timers are armed; who drives the server says when they fire.
#[derive(Clone, Default)]
struct Timers([bool; 32]);

impl Time for Timers {
    fn arm(&mut self, timer: Timer, _: u64) {
        self.0[usize::from(timer)] = true;
    }

    fn disarm(&mut self, timer: Timer) {
        self.0[usize::from(timer)] = false;
    }

    fn left_us(&self, timer: Timer) -> Option<u64> {
        self.0[usize::from(timer)].then_some(0)
    }
}

#[derive(Clone)]
struct Server {
    postgres: Postgres,
    cells: Vec<Cell>,
    timers: Timers,
    /// The statement of each session that waits.
    waiting: [Option<&'static str>; SESSIONS as usize],
}

impl Server {
    fn new() -> Self {
        let postgres = Postgres::new(SESSIONS + 1).expect("a number that it can have");
        let mut cells = vec![0; postgres.length()];
        postgres.start(&mut cells);
        Self { postgres, cells, timers: Timers::default(), waiting: [None; SESSIONS as usize] }
    }

    fn command(&self, words: &str) -> Command {
        self.postgres.parse(words).unwrap_or_else(|| panic!("not a statement: {words}"))
    }

    /// Sends a statement, or the one that waits.
    fn send(&mut self, caller: Caller, words: &'static str) -> Option<Reply> {
        let place = usize::from(caller);
        let words = self.waiting[place].unwrap_or(words);
        let command = self.command(words);
        let reply = self.postgres.execute(caller, &command, &mut self.cells, &mut self.timers);
        self.waiting[place] = if reply.is_none() { Some(words) } else { None };
        reply
    }

    /// Fires the next armed timer from a place on.
    fn fire(&mut self, from: u8) {
        let armed = (0..32).map(|step| (from + step) % 32).find(|&timer| self.timers.0[usize::from(timer)]);
        if let Some(timer) = armed {
            self.timers.0[usize::from(timer)] = false;
            self.postgres.fire(timer, &mut self.cells, &mut self.timers);
        }
    }

    fn disconnect(&mut self, caller: Caller) {
        self.waiting[usize::from(caller)] = None;
        self.postgres.disconnect(caller, &mut self.cells, &mut self.timers);
    }

    /// All that somebody sees who begins now.
    fn seen(&self) -> Vec<String> {
        let mut server = self.clone();
        let looks = [
            "select id, granted, lim, val, version, fence from q order by id",
            "select count(*) from grants",
            "select hits from website order by hits",
            "select count(*) from requests where key='k1'",
            "select count(*) from requests where key='k2'",
            "select locked_by from shedlock",
        ];
        let look = |words: &&str| {
            let command = server.command(words);
            let reply = server.postgres.execute(SESSIONS, &command, &mut server.cells, &mut server.timers);
            reply.expect("a plain read doesn't wait").to_string()
        };
        looks.iter().map(look).collect()
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Send(Caller, &'static str),
    Fire(u8),
    Disconnect(Caller),
    Restart,
}

fn events(statements: Vec<&'static str>) -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        24 => (0..SESSIONS, select(statements)).prop_map(|(caller, words)| Event::Send(caller, words)),
        3 => (0..32_u8).prop_map(Event::Fire),
        1 => (0..SESSIONS).prop_map(Event::Disconnect),
        1 => Just(Event::Restart),
    ];
    proptest::collection::vec(event, 1..60)
}

/// The statements of a transaction, each with its reply.
type Replies = Vec<(&'static str, Reply)>;

/// Of transactions that ran at the same time: those that committed, each as its statements
/// with the replies, and what was seen after them.
fn run_together(transactions: &[Vec<&'static str>], turns: &[u8]) -> (Vec<Replies>, Vec<String>) {
    let mut server = Server::new();
    let mut done: Vec<Replies> = vec![Vec::new(); transactions.len()];
    let is_over = |done: &[(&str, Reply)], whole: &[&str]| {
        done.len() == whole.len() || matches!(done.last(), Some((_, Reply::Error(_))))
    };
    let mut turn = turns.iter().copied().cycle();
    while done.iter().zip(transactions).any(|(done, whole)| !is_over(done, whole)) {
        let first = usize::from(turn.next().unwrap_or(0));
        let mut went_on = false;
        for step in 0..transactions.len() {
            let place = (first + step) % transactions.len();
            if is_over(&done[place], &transactions[place]) {
                continue;
            }
            let words = transactions[place][done[place].len()];
            if let Some(reply) = server.send(place as Caller, words) {
                done[place].push((words, reply));
                if matches!(reply, Reply::Error(_)) {
                    server.disconnect(place as Caller);
                }
                went_on = true;
                break;
            }
        }
        if !went_on {
            server.fire(0);
        }
    }
    let has_committed = |done: &Replies| matches!(done.last(), Some((_, Reply::Tag(Tag::Commit))));
    (done.into_iter().filter(has_committed).collect(), server.seen())
}

/// Whether these transactions, one after another in some order, have the same replies.
fn has_a_serial_order(rest: &[Replies], server: &Server, seen: &[String]) -> bool {
    if rest.is_empty() {
        return server.seen() == seen;
    }
    (0..rest.len()).any(|first| {
        let mut server = server.clone();
        let is_same = rest[first].iter().all(|&(words, reply)| server.send(0, words) == Some(reply));
        let others: Vec<_> =
            rest.iter().enumerate().filter(|&(place, _)| place != first).map(|(_, it)| it.clone()).collect();
        is_same && has_a_serial_order(&others, &server, seen)
    })
}

/// A serializable transaction of a few reads and writes.
fn transaction() -> impl Strategy<Value = Vec<&'static str>> {
    let statements = vec![
        "select granted, version from q where id=1",
        "select granted, version from q where id=2",
        "update q set granted=granted+1 where id=1 and granted<lim",
        "update q set version=version+1 where id=2",
        "update q set granted=granted+1 where id=2 and (select count(*) from grants)<1",
        "select count(*) from grants",
        "insert into grants values (7)",
        "insert into grants select 7 where (select count(*) from grants)<1",
        "select hits from website order by hits",
        "update website set hits=hits+1",
        "delete from website where hits=10",
        "insert into requests values ('k1') on conflict do nothing",
        "select count(*) from requests where key='k1'",
    ];
    proptest::collection::vec(select(statements), 1..4).prop_map(|mut statements| {
        statements.insert(0, "begin isolation level serializable");
        statements.push("commit");
        statements
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_waits_changes_nothing_that_is_seen_and_the_limit_holds(
        events in events([&IN_ANY_TRANSACTION[..], &ENDS[..]].concat()),
    ) {
        let mut server = Server::new();
        for event in events {
            let before = server.clone();
            match event {
                Event::Send(caller, words) => {
                    let reply = server.send(caller, words);
                    if reply.is_none() {
                        prop_assert_eq!(server.seen(), before.seen());
                        let first = server.cells.clone();
                        server.send(caller, words);
                        prop_assert_eq!(&server.cells, &first, "waiting on changed something");
                    }
                    if let Some(Reply::Error(error)) = reply {
                        prop_assert_eq!(server.seen(), before.seen(), "{} changed something", error);
                    }
                }
                Event::Fire(timer) => server.fire(timer),
                Event::Disconnect(caller) => {
                    server.disconnect(caller);
                    prop_assert_eq!(server.seen(), before.seen());
                }
                Event::Restart => {
                    server.postgres.restart(true, &mut server.cells, &mut server.timers);
                    server.waiting = [None; SESSIONS as usize];
                    prop_assert_eq!(server.seen(), before.seen());
                }
            }
            let rows = &server.seen()[0];
            prop_assert!(!rows.contains("(1,2") && !rows.contains("(2,2"), "granted above the limit: {}", rows);
        }
    }

    #[test]
    fn what_is_never_committed_leaves_no_trace(
        events in events(IN_ANY_TRANSACTION.to_vec()),
        isolations in proptest::collection::vec(0..3_usize, 4),
    ) {
        let mut server = Server::new();
        for (caller, isolation) in (0..SESSIONS).zip(isolations) {
            prop_assert_eq!(server.send(caller, ENDS[isolation]), Some(Reply::Tag(Tag::Begin)));
        }
        for event in events {
            match event {
                Event::Send(caller, words) => drop(server.send(caller, words)),
                Event::Fire(timer) => server.fire(timer),
                // A session that is gone would commit by each statement.
                Event::Disconnect(_) | Event::Restart => {}
            }
        }
        (0..SESSIONS).for_each(|caller| server.disconnect(caller));
        prop_assert_eq!(&server.cells, &Server::new().cells);
        prop_assert_eq!(server.timers.0, [false; 32]);
    }

    #[test]
    fn serializable_transactions_that_commit_have_a_serial_order(
        transactions in proptest::collection::vec(transaction(), 2..5),
        turns in proptest::collection::vec(any::<u8>(), 24),
    ) {
        let (committed, seen) = run_together(&transactions, &turns);
        prop_assert!(!committed.is_empty(), "at least one of them commits");
        prop_assert!(has_a_serial_order(&committed, &Server::new(), &seen), "no order explains {:?}", committed);
    }

    #[test]
    fn words_of_a_statement_in_another_order_never_panic(
        words in proptest::collection::vec(select("begin commit update q set granted = 1 where id and < <= ( ) select count * from grants for update insert into requests values 'k1' on conflict do nothing , : 'until' \\ gset + 99999".split(' ').collect::<Vec<_>>()), 0..14),
    ) {
        let server = Server::new();
        let text = words.join(" ");
        let again = server.postgres.parse(&text);
        prop_assert_eq!(again, server.postgres.parse(&text));
    }
}

#[test]
fn every_error_says_its_code() {
    let said = Reply::Error(Error::Deadlock).to_string();
    assert_eq!(said, "ERROR 40P01 deadlock detected");
    assert_eq!(Error::Deadlock.code(), "40P01");
}
