//! `PostgreSQL`, row by row: the same statements and replies as of a real server, version 15.

use racescope_engine::sim::Cell;
use racescope_engine::system::postgres::{Error, Postgres, Reply, Tag};
use racescope_engine::system::transcript::check;
use racescope_engine::system::{Caller, NoTime, System};

fn postgres() -> Postgres {
    Postgres::new(8).expect("a number of sessions that it can have")
}

#[test]
fn p1_the_second_of_two_updates_sees_that_the_limit_is_reached() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B update q set granted=granted+1 where id=1 and granted<lim → (waits)
         A commit → COMMIT
         B … update q set granted=granted+1 where id=1 and granted<lim → UPDATE 0
         B commit → COMMIT
         C select granted from q where id=1 → (1)",
    );
}

#[test]
fn p1b_the_second_update_takes_the_place_of_a_first_that_is_rolled_back() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B update q set granted=granted+1 where id=1 and granted<lim → (waits)
         A rollback → ROLLBACK
         B … update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B commit → COMMIT
         C select granted from q where id=1 → (1)",
    );
}

#[test]
fn p1_a_row_that_did_not_match_any_more_stays_locked_to_the_end_of_the_transaction() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B update q set granted=granted+1 where id=1 and granted<lim → (waits)
         A commit → COMMIT
         B … update q set granted=granted+1 where id=1 and granted<lim → UPDATE 0
         C update q set granted=0 where id=1 → (waits)
         B commit → COMMIT
         C … update q set granted=0 where id=1 → UPDATE 1",
    );
}

#[test]
fn p2_a_value_read_before_is_written_over_another_ones_without_an_error() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A select granted from q where id=1 → (0)
         B select granted from q where id=1 → (0)
         A update q set granted=1 where id=1 → UPDATE 1
         A commit → COMMIT
         B update q set granted=1 where id=1 → UPDATE 1
         B commit → COMMIT
         C select granted from q where id=1 → (1)",
    );
}

#[test]
fn p3_repeatable_read_refuses_to_update_a_row_that_has_changed_since() {
    check(
        &postgres(),
        "A begin isolation level repeatable read → BEGIN
         B begin isolation level repeatable read → BEGIN
         A select granted from q where id=1 → (0)
         B select granted from q where id=1 → (0)
         A update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B update q set granted=granted+1 where id=1 and granted<lim → (waits)
         A commit → COMMIT
         B … update q set granted=granted+1 where id=1 and granted<lim → ERROR 40001 could not serialize access due to concurrent update
         B select granted from q where id=1 → ERROR 25P02 current transaction is aborted, commands ignored until end of transaction block
         B commit → ROLLBACK
         B select granted from q where id=1 → (1)",
    );
}

#[test]
fn p3b_repeatable_read_goes_on_if_the_first_updater_is_rolled_back() {
    check(
        &postgres(),
        "A begin isolation level repeatable read → BEGIN
         B begin isolation level repeatable read → BEGIN
         A select granted from q where id=1 → (0)
         B select granted from q where id=1 → (0)
         A update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B update q set granted=granted+1 where id=1 and granted<lim → (waits)
         A rollback → ROLLBACK
         B … update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B commit → COMMIT",
    );
}

#[test]
fn p3c_the_snapshot_is_taken_by_the_first_statement_and_not_by_begin() {
    check(
        &postgres(),
        "B begin isolation level repeatable read → BEGIN
         A update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B update q set granted=granted+1 where id=1 and granted<lim → UPDATE 0
         B commit → COMMIT",
    );
}

#[test]
fn p4_a_locking_read_waits_and_then_sees_the_new_row() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A select granted from q where id=1 for update → (0)
         B select granted from q where id=1 for update → (waits)
         C select granted from q where id=1 → (0)
         C select granted from q where id=1 for update nowait → ERROR 55P03 could not obtain lock on row in relation \"q\"
         C select granted from q where id=1 for update skip locked → (0 rows)
         A update q set granted=granted+1 where id=1 → UPDATE 1
         A commit → COMMIT
         B … select granted from q where id=1 for update → (1)
         B commit → COMMIT",
    );
}

#[test]
fn p4b_a_locking_read_whose_condition_fails_on_the_new_row_returns_nothing() {
    check(
        &postgres(),
        "A begin → BEGIN
         A update q set granted=granted+1 where id=1 and granted<lim → UPDATE 1
         B begin → BEGIN
         B select granted from q where id=1 and granted=0 for update → (waits)
         A commit → COMMIT
         B … select granted from q where id=1 and granted=0 for update → (0 rows)
         B commit → COMMIT",
    );
}

#[test]
fn p5_of_two_writes_from_one_version_one_is_taken() {
    check(
        &postgres(),
        "A select version from q where id=1 → (1)
         B select version from q where id=1 → (1)
         A update q set val='B', version=version+1 where id=1 and version=1 → UPDATE 1
         B update q set val='C', version=version+1 where id=1 and version=1 → UPDATE 0
         C select val, version from q where id=1 → (B,2)",
    );
}

#[test]
fn p5b_a_value_that_came_back_looks_unchanged_and_its_version_does_not() {
    check(
        &postgres(),
        "C select val, version from q where id=1 → (A,1)
         A update q set val='B', version=version+1 where id=1 → UPDATE 1
         A update q set val='A', version=version+1 where id=1 → UPDATE 1
         C update q set val='C' where id=1 and version=1 → UPDATE 0
         C update q set val='C' where id=1 and val='A' → UPDATE 1",
    );
}

#[test]
fn p6_a_fence_that_lets_the_same_token_again_refuses_an_older_one() {
    check(
        &postgres(),
        "A update q set val='B', fence=34 where id=1 and fence<=34 → UPDATE 1
         A update q set val='C', fence=34 where id=1 and fence<=34 → UPDATE 1
         B update q set val='D', fence=33 where id=1 and fence<=33 → UPDATE 0
         C select val, fence from q where id=1 → (C,34)",
    );
}

#[test]
fn p6_a_fence_that_wants_a_greater_token_refuses_a_holders_own_second_write() {
    check(
        &postgres(),
        "A update q set val='B', fence=34 where id=1 and fence<34 → UPDATE 1
         A update q set val='C', fence=34 where id=1 and fence<34 → UPDATE 0",
    );
}

#[test]
fn p6_an_old_token_is_refused_only_after_a_newer_one_was_seen() {
    check(
        &postgres(),
        "B update q set val='B', fence=33 where id=1 and fence<=33 → UPDATE 1
         A update q set val='C', fence=34 where id=1 and fence<=34 → UPDATE 1",
    );
}

#[test]
fn p7_two_inserts_that_count_first_both_pass_the_limit() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A insert into grants select 7 where (select count(*) from grants)<1 → INSERT 0 1
         B insert into grants select 7 where (select count(*) from grants)<1 → INSERT 0 1
         A commit → COMMIT
         B commit → COMMIT
         C select count(*) from grants → (2)",
    );
}

#[test]
fn p7b_a_limit_in_a_subquery_is_not_looked_at_again() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A update q set granted=granted+1 where id=1 and (select count(*) from grants)<1 → UPDATE 1
         A insert into grants values (7) → INSERT 0 1
         B update q set granted=granted+1 where id=1 and (select count(*) from grants)<1 → (waits)
         A commit → COMMIT
         B … update q set granted=granted+1 where id=1 and (select count(*) from grants)<1 → UPDATE 1
         B commit → COMMIT
         C select granted from q where id=1 → (2)",
    );
}

#[test]
fn p8_a_row_that_matches_only_after_the_wait_is_not_deleted() {
    check(
        &postgres(),
        "A begin → BEGIN
         A update website set hits=hits+1 → UPDATE 2
         B delete from website where hits=10 → (waits)
         A commit → COMMIT
         B … delete from website where hits=10 → DELETE 0
         C select hits from website order by hits → (10), (11)",
    );
}

#[test]
fn p9_serializable_refuses_the_second_of_two_counts_and_inserts_at_its_commit() {
    check(
        &postgres(),
        "A begin isolation level serializable → BEGIN
         B begin isolation level serializable → BEGIN
         A insert into grants select 7 where (select count(*) from grants)<1 → INSERT 0 1
         B insert into grants select 7 where (select count(*) from grants)<1 → INSERT 0 1
         A commit → COMMIT
         B commit → ERROR 40001 could not serialize access due to read/write dependencies among transactions
         B select count(*) from grants → (1)",
    );
}

#[test]
fn p9_serializable_lets_two_pass_of_which_only_one_has_read_what_the_other_wrote() {
    check(
        &postgres(),
        "A begin isolation level serializable → BEGIN
         B begin isolation level serializable → BEGIN
         A select count(*) from grants → (0)
         B insert into grants values (7) → INSERT 0 1
         B commit → COMMIT
         A insert into requests values ('k1') → INSERT 0 1
         A commit → COMMIT",
    );
}

#[test]
fn p9_serializable_refuses_the_one_in_the_middle_of_three() {
    check(
        &postgres(),
        "A begin isolation level serializable → BEGIN
         B begin isolation level serializable → BEGIN
         C begin isolation level serializable → BEGIN
         A select granted from q where id=1 → (0)
         B select granted from q where id=2 → (0)
         B update q set granted=1 where id=1 → UPDATE 1
         C update q set granted=1 where id=2 → UPDATE 1
         C commit → COMMIT
         B select granted from q where id=1 → ERROR 40001 could not serialize access due to read/write dependencies among transactions
         A commit → COMMIT",
    );
}

#[test]
fn p9_serializable_refuses_at_once_what_a_finished_transaction_contradicts() {
    check(
        &postgres(),
        "A begin isolation level serializable → BEGIN
         B begin isolation level serializable → BEGIN
         A select hits from website order by hits → (9), (10)
         B insert into grants values (7) → INSERT 0 1
         B select hits from website order by hits → (9), (10)
         B commit → COMMIT
         A update website set hits=hits+1 → UPDATE 2
         A update q set granted=granted+1 where id=2 and (select count(*) from grants)<1 → ERROR 40001 could not serialize access due to read/write dependencies among transactions
         A commit → ROLLBACK",
    );
}

#[test]
fn p10_an_advisory_lock_counts_and_has_to_be_freed_as_often() {
    check(
        &postgres(),
        "A select pg_try_advisory_lock(42) → t
         A select pg_try_advisory_lock(42) → t
         B select pg_try_advisory_lock(42) → f
         A select pg_advisory_unlock(42) → t
         B select pg_try_advisory_lock(42) → f
         A select pg_advisory_unlock(42) → t
         B select pg_try_advisory_lock(42) → t
         A select pg_advisory_unlock(42) → f (WARNING you don't own a lock of type ExclusiveLock)",
    );
}

#[test]
fn p10_a_sessions_advisory_lock_outlives_a_rollback_and_goes_with_the_connection() {
    check(
        &postgres(),
        "A begin → BEGIN
         A select pg_try_advisory_lock(42) → t
         A select pg_try_advisory_xact_lock(43) → t
         A rollback → ROLLBACK
         B select pg_try_advisory_lock(43) → t
         B select pg_advisory_lock(42) → (waits)
         A disconnects
         B … select pg_advisory_lock(42) → ()",
    );
}

#[test]
fn p11_a_replayed_request_inserts_nothing() {
    check(
        &postgres(),
        "A insert into requests values ('k1') on conflict do nothing → INSERT 0 1
         A insert into requests values ('k1') on conflict do nothing → INSERT 0 0
         A insert into requests values ('k1') → ERROR 23505 duplicate key value violates unique constraint \"requests_pkey\"",
    );
}

#[test]
fn p11_a_request_waits_for_the_same_one_and_takes_its_place_if_that_is_rolled_back() {
    check(
        &postgres(),
        "A begin → BEGIN
         A insert into requests values ('k1') on conflict do nothing → INSERT 0 1
         B insert into requests values ('k1') on conflict do nothing → (waits)
         A rollback → ROLLBACK
         B … insert into requests values ('k1') on conflict do nothing → INSERT 0 1",
    );
}

#[test]
fn p11_a_request_that_the_snapshot_does_not_show_is_a_failure() {
    check(
        &postgres(),
        "B begin isolation level repeatable read → BEGIN
         B select count(*) from requests where key='k1' → (0)
         A insert into requests values ('k1') on conflict do nothing → INSERT 0 1
         B insert into requests values ('k1') on conflict do nothing → ERROR 40001 could not serialize access due to concurrent update
         B rollback → ROLLBACK",
    );
}

#[test]
fn rule_6_opposite_orders_of_locks_end_in_one_deadlock() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A select granted from q where id=1 for update → (0)
         B select granted from q where id=2 for update → (0)
         A select granted from q where id=2 for update → (waits)
         wait 300 ms
         B select granted from q where id=1 for update → (waits)
         wait 600 ms
         wait 100 ms
         A … select granted from q where id=2 for update → ERROR 40P01 deadlock detected
         B … select granted from q where id=1 for update → (0)
         A commit → ROLLBACK
         B commit → COMMIT",
    );
}

#[test]
fn rule_6_the_one_that_closes_the_ring_gives_way_if_the_other_has_looked_already() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         A select granted from q where id=1 for update → (0)
         B select granted from q where id=2 for update → (0)
         A select granted from q where id=2 for update → (waits)
         wait 1200 ms
         B select granted from q where id=1 for update → (waits)
         wait 1 s
         B … select granted from q where id=1 for update → ERROR 40P01 deadlock detected
         A … select granted from q where id=2 for update → (0)",
    );
}

#[test]
fn rule_6_skip_locked_hands_each_worker_another_row() {
    check(
        &postgres(),
        "A begin → BEGIN
         B begin → BEGIN
         C begin → BEGIN
         A select id from q where granted<lim order by id limit 1 for update skip locked → (1)
         B select id from q where granted<lim order by id limit 1 for update skip locked → (2)
         C select id from q where granted<lim order by id limit 1 for update skip locked → (0 rows)
         A rollback → ROLLBACK
         C select id from q where granted<lim order by id limit 1 for update skip locked → (1)",
    );
}

#[test]
fn rule_8_now_is_the_beginning_of_the_transaction() {
    check(
        &postgres(),
        "B update shedlock set lock_until=clock_timestamp()+interval '2 s', locked_by='N2' where lock_until<=clock_timestamp() → UPDATE 1
         A begin → BEGIN
         wait 3 s
         A update shedlock set lock_until=clock_timestamp()+interval '2 s', locked_by='N1' where lock_until<=now() → UPDATE 0
         A update shedlock set lock_until=clock_timestamp()+interval '2 s', locked_by='N1' where lock_until<=clock_timestamp() → UPDATE 1
         A commit → COMMIT
         C select locked_by from shedlock → (N1)",
    );
}

#[test]
fn rule_9_a_row_that_is_not_there_is_updated_for_nobody() {
    check(
        &postgres(),
        "A update q set granted=granted+1 where id=3 and granted<lim → UPDATE 0
         B update q set granted=granted+1 where id=3 and granted<lim → UPDATE 0",
    );
}

/// The five steps of <https://github.com/lukas-krecan/ShedLock/issues/132>.
#[test]
fn shedlock_a_pause_between_reading_the_clock_and_the_update_lets_two_in() {
    check(
        &postgres(),
        "A select clock_timestamp() as now, clock_timestamp()+interval '5 s' as until \\gset → SELECT 1
         wait 6 s
         B select clock_timestamp() as now, clock_timestamp()+interval '5 s' as until \\gset → SELECT 1
         A update shedlock set lock_until=:'until', locked_by='N1' where lock_until<=:'now' → UPDATE 1
         B update shedlock set lock_until=:'until', locked_by='N2' where lock_until<=:'now' → UPDATE 1
         C select locked_by from shedlock → (N2)",
    );
}

#[test]
fn shedlock_asked_who_holds_it_now_names_nobody_after_the_end() {
    check(
        &postgres(),
        "C select locked_by from shedlock where lock_until>clock_timestamp() → (0 rows)
         A update shedlock set lock_until=clock_timestamp()+interval '5 s', locked_by='a' where lock_until<=clock_timestamp() → UPDATE 1
         B update shedlock set lock_until=clock_timestamp() where locked_by='b' → UPDATE 0
         C select locked_by from shedlock where lock_until>clock_timestamp() → (a)
         C select locked_by from shedlock where locked_by='N1' → (0 rows)
         wait 5 s
         C select locked_by from shedlock where lock_until>clock_timestamp() → (0 rows)
         C select locked_by from shedlock where lock_until<=:'now' → ERROR 42601 syntax error at or near \":\"
         C select locked_by from shedlock → (a)",
    );
}

#[test]
fn shedlock_without_a_pause_only_one_gets_in() {
    check(
        &postgres(),
        "A select clock_timestamp() as now, clock_timestamp()+interval '5 s' as until \\gset → SELECT 1
         B select clock_timestamp() as now, clock_timestamp()+interval '5 s' as until \\gset → SELECT 1
         A update shedlock set lock_until=:'until', locked_by='N1' where lock_until<=:'now' → UPDATE 1
         B update shedlock set lock_until=:'until', locked_by='N2' where lock_until<=:'now' → UPDATE 0
         wait 6 s
         B update shedlock set lock_until=:'until', locked_by='N2' where lock_until<=:'now' → UPDATE 0
         B update shedlock set lock_until=clock_timestamp()+interval '5 s', locked_by='N2' where lock_until<=clock_timestamp() → UPDATE 1",
    );
}

#[test]
fn shedlock_with_the_servers_time_in_the_statement_a_pause_does_no_harm() {
    check(
        &postgres(),
        "wait 6 s
         A update shedlock set lock_until=clock_timestamp()+interval '5 s', locked_by='N1' where lock_until<=clock_timestamp() → UPDATE 1
         B update shedlock set lock_until=clock_timestamp()+interval '5 s', locked_by='N2' where lock_until<=clock_timestamp() → UPDATE 0
         A update shedlock set lock_until=clock_timestamp() where locked_by='N1' → UPDATE 1
         B update shedlock set lock_until=clock_timestamp()+interval '5 s', locked_by='N2' where lock_until<=clock_timestamp() → UPDATE 1",
    );
}

#[test]
fn a_restart_keeps_what_was_committed_and_nothing_else() {
    check(
        &postgres(),
        "A update q set granted=1 where id=2 → UPDATE 1
         A begin → BEGIN
         A update q set granted=1 where id=1 → UPDATE 1
         B select pg_try_advisory_lock(42) → t
         restart
         A commit → FATAL 57P01 terminating connection due to administrator command
         A select id, granted from q order by id → (1,0), (2,1)
         C select pg_try_advisory_lock(42) → t
         restart without memory
         A select id, granted from q order by id → (1,0), (2,0)",
    );
}

#[test]
fn p14_eight_at_once_with_the_limit_in_the_update() {
    let losers = "BCDEFGH";
    let update = "update q set granted=granted+1 where id=1 and granted<lim";
    let mut lines = vec!["A begin → BEGIN".into(), format!("A {update} → UPDATE 1")];
    lines.extend(losers.chars().map(|caller| format!("{caller} {update} → (waits)")));
    lines.push("A commit → COMMIT".into());
    lines.extend(losers.chars().map(|caller| format!("{caller} … {update} → UPDATE 0")));
    check(&postgres(), &lines.join("\n"));
}

/// Twenty sessions of which each runs a few statements, and goes on when it has its reply.
struct Crowd {
    server: Postgres,
    cells: Vec<Cell>,
}

impl Crowd {
    const SIZE: u8 = Postgres::MOST_SESSIONS;

    fn new() -> Self {
        let server = Postgres::new(Self::SIZE).expect("the most that it can have");
        let mut cells = vec![0; server.length()];
        server.start(&mut cells);
        Self { server, cells }
    }

    fn send(&mut self, caller: Caller, words: &str) -> Option<Reply> {
        let command = self.server.parse(words).expect("a statement");
        self.server.execute(caller, &command, &mut self.cells, &mut NoTime)
    }

    /// Sends one statement in all sessions, of which the first has its reply at once and
    /// the others wait. Each goes on with `after` of its reply. Returns the replies.
    fn race(&mut self, words: &str, after: impl Fn(Reply) -> &'static [&'static str]) -> Vec<Reply> {
        let mut sent: Vec<Option<Reply>> = (0..Self::SIZE).map(|caller| self.send(caller, words)).collect();
        assert!(sent[0].is_some() && sent[1..].iter().all(Option::is_none), "one goes on, the others wait");
        for caller in 0..Self::SIZE {
            let reply = sent[usize::from(caller)].take().or_else(|| self.send(caller, words));
            let reply = reply.expect("those before it are done");
            for words in after(reply) {
                self.send(caller, words).expect("nothing to wait for");
            }
            sent[usize::from(caller)] = Some(reply);
        }
        sent.into_iter().flatten().collect()
    }

    fn granted(&mut self) -> String {
        self.send(0, "select granted from q where id=1").expect("nothing to wait for").to_string()
    }
}

#[test]
fn p14_twenty_at_once_with_the_limit_in_the_update() {
    let mut crowd = Crowd::new();
    (0..Crowd::SIZE).for_each(|caller| assert_eq!(crowd.send(caller, "begin"), Some(Reply::Tag(Tag::Begin))));
    let replies = crowd.race("update q set granted=granted+1 where id=1 and granted<lim", |_| &["commit"]);
    let expected: Vec<Reply> = (0..20).map(|place| Reply::Tag(Tag::Update(u16::from(place == 0)))).collect();
    assert_eq!(replies, expected);
    assert_eq!(crowd.granted(), "(1)");
}

#[test]
fn p14_twenty_at_once_with_a_locking_read() {
    let mut crowd = Crowd::new();
    (0..Crowd::SIZE).for_each(|caller| assert_eq!(crowd.send(caller, "begin"), Some(Reply::Tag(Tag::Begin))));
    let replies = crowd.race("select granted from q where id=1 for update", |read| {
        if read.to_string() == "(0)" { &["update q set granted=granted+1 where id=1", "commit"] } else { &["commit"] }
    });
    let read: Vec<String> = replies.iter().map(Reply::to_string).collect();
    assert_eq!(read, [vec!["(0)"], vec!["(1)"; 19]].concat());
    assert_eq!(crowd.granted(), "(1)");
}

#[test]
fn p14_twenty_at_once_under_repeatable_read() {
    let mut crowd = Crowd::new();
    for caller in 0..Crowd::SIZE {
        crowd.send(caller, "begin isolation level repeatable read").expect("nothing to wait for");
        assert_eq!(
            crowd.send(caller, "select granted from q where id=1").map(|rows| rows.to_string()),
            Some("(0)".into())
        );
    }
    let replies = crowd.race("update q set granted=granted+1 where id=1 and granted<lim", |_| &["commit"]);
    assert_eq!(replies[0], Reply::Tag(Tag::Update(1)));
    assert_eq!(replies[1..], [Reply::Error(Error::ConcurrentUpdate); 19]);
    assert_eq!(crowd.granted(), "(1)");
}

#[test]
fn a_caller_too_many_is_told_so() {
    let mut crowd = Crowd::new();
    assert_eq!(crowd.send(20, "begin"), Some(Reply::Error(Error::TooManyClients)));
    assert_eq!((Postgres::new(0), Postgres::new(21)), (None, None));
}

#[test]
fn what_has_none_of_the_shapes_is_no_statement() {
    let server = postgres();
    for words in [
        "",
        "begin begin",
        "commit and chain",
        "update q set granted=granted+1",
        "update q set granted=32768 where id=1",
        "update q set granted=-1 where id=1",
        "update q set granted=1, granted=2 where id=1",
        "update q set granted=lim+1 where id=1",
        "update q set id=2 where id=1",
        "update q set val=1 where id=1",
        "update q set val='AB' where id=1",
        "update q set fence=34 where id=1 and val=3",
        "select granted from q",
        "select granted from q where id=1 limit 1",
        "insert into requests values ('k3')",
        "select pg_advisory_lock(41)",
        "update shedlock set lock_until=clock_timestamp()+interval '0 s' where lock_until<=now()",
        "update shedlock set lock_until=clock_timestamp()+interval '5 h' where lock_until<=now()",
        "select 'open",
        "update q set granted=granted+1 where id=1 →",
    ] {
        assert_eq!(server.parse(words), None, "{words}");
    }
}

#[test]
fn capitals_and_spaces_do_not_matter() {
    let server = postgres();
    let statement = |words| server.parse(words).expect("a statement").statement;
    assert_eq!(
        statement("SELECT granted FROM q WHERE id = 1 FOR UPDATE"),
        statement("select granted from q where id=1 for update")
    );
}
