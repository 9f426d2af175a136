//! The model of etcd against what etcd 3.4.23 has answered, and what 3.5 answers instead.

use proptest::prelude::*;
use racescope_engine::system::etcd::{Command, Etcd, Release, Reply, Sizes};
use racescope_engine::system::transcript::check;
use racescope_engine::system::{System, Time, Timer};

const SIZES: Sizes = Sizes { keys: 8, leases: 3, snapshot: true };

fn etcd() -> Etcd {
    Etcd::new(Release::V3_5, SIZES)
}

#[test]
fn e1_a_key_is_created_once() {
    check(
        &etcd(),
        "A txn if create(k) = 0 then put k a → succeeded true, revision 2
         B txn if create(k) = 0 then put k b → succeeded false, revision 2
         A get k → value a, version 1, create_revision 2, mod_revision 2, revision 2",
    );
}

#[test]
fn e2_a_version_starts_again_after_a_delete_and_revisions_go_on() {
    check(
        &etcd(),
        "A put k a → revision 2
         A get k → value a, version 1, create_revision 2, mod_revision 2, revision 2
         A put k b → revision 3
         A get k → value b, version 2, create_revision 2, mod_revision 3, revision 3
         A put k b → revision 4
         A get k → value b, version 3, create_revision 2, mod_revision 4, revision 4
         A del k → deleted 1, revision 5
         A del k → deleted 0, revision 5
         A get k → count 0, revision 5
         A put k a → revision 6
         A get k → value a, version 1, create_revision 6, mod_revision 6, revision 6",
    );
}

#[test]
fn e3_value_and_version_are_back_after_a_delete_and_only_mod_tells() {
    check(
        &etcd(),
        "A put k a → revision 2
         B put k b → revision 3
         B del k → deleted 1, revision 4
         B put k a → revision 5
         A txn if value(k) = a then get k → succeeded true [value a, version 1, create_revision 5, mod_revision 5], revision 5
         A txn if version(k) = 1 then put w v → succeeded true, revision 6
         A txn if mod(k) = 2 then put w m → succeeded false, revision 6",
    );
}

#[test]
fn rule_2_an_absent_key_compares_as_0_and_its_value_as_nothing() {
    check(
        &etcd(),
        "A txn if create(k) = 0, mod(k) = 0, version(k) = 0 then get k → succeeded true [count 0], revision 1
         A txn if version(k) < 1 then get k → succeeded true [count 0], revision 1
         A txn if value(k) != a then get k → succeeded false, revision 1
         A txn if value(k) < a then get k else del k → succeeded false [deleted 0], revision 1
         A txn then get k → succeeded true [count 0], revision 1",
    );
}

#[test]
fn e4_a_transaction_has_one_revision_and_writes_no_key_twice() {
    check(
        &etcd(),
        "A txn then put j a, put k b → succeeded true, revision 2
         A get j → value a, version 1, create_revision 2, mod_revision 2, revision 2
         A get k → value b, version 1, create_revision 2, mod_revision 2, revision 2
         A txn then put k c, put k d → etcdserver: duplicate key given in txn request (code 3)
         A txn if create(k) = 0 then put k c, del k → etcdserver: duplicate key given in txn request (code 3)
         A txn if create(k) = 0 then put k c else put k d → succeeded false, revision 3
         A txn then del j, del j, get j → succeeded true [deleted 1] [deleted 0] [count 0], revision 4
         A get k → value d, version 2, create_revision 2, mod_revision 3, revision 4",
    );
}

#[test]
fn e5_a_lease_lasts_2_s_at_least_and_its_end_is_a_change() {
    check(
        &etcd().with_revocation(410),
        "A lease grant 1 --id=1 → ID 1, TTL 2
         A put j a → revision 2
         A put k a --lease=1 → revision 3
         wait 2409 ms
         A get k → value a, version 1, create_revision 3, mod_revision 3, lease 1, revision 3
         wait 1 ms
         A get k → count 0, revision 4
         A get j → value a, version 1, create_revision 2, mod_revision 2, revision 4",
    );
}

#[test]
fn e6_a_dead_lease_is_kept_alive_with_0_and_refused_elsewhere() {
    check(
        &etcd(),
        "A lease grant 2 --id=1 → ID 1, TTL 2
         A lease grant 2 --id=1 → etcdserver: lease already exists (code 9)
         wait 1 s
         A lease keep-alive --once 1 → TTL 2
         wait 1900 ms
         A lease timetolive 1 → TTL 0, grantedTTL 2
         wait 600 ms
         A lease keep-alive --once 1 → TTL 0
         A put k a --lease=1 → etcdserver: requested lease not found (code 5)
         A txn then put j a, put k a --lease=1 → etcdserver: requested lease not found (code 5)
         A txn if create(k) = 0 then get k else put k a --lease=1 → succeeded true [count 0], revision 1
         A lease revoke 1 → etcdserver: requested lease not found (code 5)
         A lease timetolive 1 → TTL -1
         A lock mtx 1 → etcdserver: requested lease not found (code 5)
         A get j → count 0, revision 1",
    );
}

#[test]
fn rule_4_a_lease_whose_time_is_over_is_not_renewed_though_its_key_is_there() {
    check(
        &etcd(),
        "A lease grant 2 --id=1 → ID 1, TTL 2
         A put k a --lease=1 → revision 2
         wait 2 s
         A get k → value a, version 1, create_revision 2, mod_revision 2, lease 1, revision 2
         A lease keep-alive --once 1 → (waits)
         clock -3600 s
         wait 500 ms
         A … lease keep-alive --once 1 → TTL 0
         A get k → count 0, revision 3",
    );
}

#[test]
fn a_lease_lets_go_of_a_key_that_is_put_without_it() {
    check(
        &etcd(),
        "A lease grant 2 --id=1 → ID 1, TTL 2
         A put j a --lease=1 → revision 2
         A put k a --lease=1 → revision 3
         A put l a --lease=1 → revision 4
         B put l b → revision 5
         A lease revoke 1 → revision 6
         A get j → count 0, revision 6
         A get l → value b, version 2, create_revision 4, mod_revision 5, revision 6
         A lease grant 2 --id=2 → ID 2, TTL 2
         A lease revoke 2 → revision 6",
    );
}

/// Puts, so that the next revision is 10.
fn nine_revisions() -> String {
    (2..=9).map(|revision| format!("A put k a → revision {revision}")).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn e7_a_session_that_locks_again_is_answered_at_once_and_the_next_queues_behind_it() {
    let text = "A lease grant 5 --id=1 → ID 1, TTL 5
         B lease grant 60 --id=2 → ID 2, TTL 60
         A lock mtx 1 → key mtx/1, revision 10
         A lock mtx 1 → key mtx/1, revision 10
         B lock mtx 2 → queued mtx/2, create_revision 11
         B lock mtx 2 since 11 → (waits)
         wait 5399 ms
         A get mtx/1 → value \"\", version 1, create_revision 10, mod_revision 10, lease 1, revision 11
         wait 1 ms
         B … lock mtx 2 since 11 → key mtx/2, revision 12
         B get mtx/2 → value \"\", version 1, create_revision 11, mod_revision 11, lease 2, revision 12";
    check(&etcd().with_revocation(400), &[&nine_revisions(), text].concat());
}

#[test]
fn e8_a_write_guarded_by_the_lock_key_is_refused_to_the_loser_and_a_plain_one_is_not() {
    let text = "A lease grant 5 --id=1 → ID 1, TTL 5
         B lease grant 60 --id=2 → ID 2, TTL 60
         A lock mtx 1 → key mtx/1, revision 10
         B lock mtx 2 → queued mtx/2, create_revision 11
         wait 6 s
         B lock mtx 2 since 11 → key mtx/2, revision 12
         A txn if create(mtx/1) = 10 then put r a → succeeded false, revision 12
         B txn if create(mtx/2) = 11 then put r b → succeeded true, revision 13
         A put r a → revision 14
         A get r → value a, version 2, create_revision 13, mod_revision 14, revision 14";
    check(&etcd(), &[&nine_revisions(), text].concat());
}

#[test]
fn e9_unlock_asks_nobody() {
    check(
        &etcd(),
        "A unlock mtx/1 → revision 1
         A lease grant 60 --id=1 → ID 1, TTL 60
         A lock mtx 1 → key mtx/1, revision 2
         B unlock mtx/1 → revision 3
         A get mtx/1 → count 0, revision 3
         A unlock mtx/1 → revision 3",
    );
}

#[test]
fn a_bystander_finds_the_holder_as_the_mutex_does_by_the_oldest_key_of_the_queue() {
    check(
        &etcd().with_revocation(0),
        "C get mtx/ --prefix --sort-by=CREATE --limit=1 → count 0, revision 1
         A lease grant 3 --id=a → ID a, TTL 3
         B lease grant 60 --id=b → ID b, TTL 60
         A put mtx a → revision 2
         A lock mtx a → key mtx/a, revision 3
         B lock mtx b → queued mtx/b, create_revision 4
         C get mtx/ --prefix --sort-by=CREATE --limit=1 → key mtx/a, value \"\", version 1, create_revision 3, mod_revision 3, lease a, revision 4
         wait 3 s
         C get mtx/ --prefix --sort-by=CREATE --limit=1 → key mtx/b, value \"\", version 1, create_revision 4, mod_revision 4, lease b, revision 5",
    );
}

#[test]
fn e10_a_restart_gives_a_lease_its_whole_time_again_so_a_dead_holder_holds_on() {
    check(
        &etcd().with_revocation(0),
        "A lease grant 10 --id=1 → ID 1, TTL 10
         A lock mtx 1 → key mtx/1, revision 2
         B lease grant 60 --id=2 → ID 2, TTL 60
         B lock mtx 2 → queued mtx/2, create_revision 3
         wait 5001 ms
         B lease timetolive 1 → TTL 4, grantedTTL 10
         restart
         wait 1 ms
         B lease timetolive 1 → TTL 10, grantedTTL 10
         B lock mtx 2 since 3 → (waits)
         wait 10998 ms
         B get mtx/1 → value \"\", version 1, create_revision 2, mod_revision 2, lease 1, revision 3
         wait 1 ms
         B … lock mtx 2 since 3 → key mtx/2, revision 4",
    );
}

#[test]
fn rule_6_a_new_leader_refreshes_leases_too_even_those_whose_time_was_over() {
    check(
        &etcd(),
        "A lease grant 4 --id=1 → ID 1, TTL 4
         wait 4100 ms
         A lease keep-alive --once 1 → (waits)
         A lease timetolive 1 → TTL 0, grantedTTL 4
         B move-leader → Leadership transferred
         A … lease keep-alive --once 1 → TTL 4
         A lease timetolive 1 → TTL 4, grantedTTL 4",
    );
}

/// A holds the lock for a lease of 8 s, and B's lease of 2 s ends while it waits.
const E11: &str = "A lease grant 8 --id=1 → ID 1, TTL 8
     B lease grant 2 --id=2 → ID 2, TTL 2
     C lease grant 60 --id=3 → ID 3, TTL 60
     A lock mtx 1 → key mtx/1, revision 2
     B lock mtx 2 → queued mtx/2, create_revision 3
     B lock mtx 2 since 3 → (waits)
     wait 3 s
     C lease timetolive 2 → TTL -1
     C get mtx/2 → count 0, revision 4
     wait 5099 ms
     C lease timetolive 1 → TTL 0, grantedTTL 8
     wait 1 ms\n";
const E11_AFTER: &str = "C get mtx/2 → count 0, revision 5
     C lease timetolive 2 → TTL -1
     C lock mtx 3 → key mtx/3, revision 6";

#[test]
fn e11_in_3_4_a_waiter_is_granted_the_lock_though_its_lease_has_ended() {
    let text = [E11, "B … lock mtx 2 since 3 → key mtx/2, revision 5\n", E11_AFTER].concat();
    check(&Etcd::new(Release::V3_4, SIZES).with_revocation(100), &text);
}

#[test]
fn e11_since_3_5_a_waiter_hears_that_its_session_has_ended_but_only_when_the_holder_goes() {
    let text = [E11, "B … lock mtx 2 since 3 → mutex: session is expired\n", E11_AFTER].concat();
    check(&Etcd::new(Release::V3_5, SIZES).with_revocation(100), &text);
}

#[test]
fn rule_11_a_restore_gives_revisions_out_again_so_an_old_fence_fits_another_holder() {
    check(
        &etcd(),
        "A snapshot restore → open snapshot.db: no such file or directory
         A put k a → revision 2
         A snapshot save → Snapshot saved
         A lease grant 60 --id=1 → ID 1, TTL 60
         A lock mtx 1 → key mtx/1, revision 3
         A put k b → revision 4
         A snapshot restore → restored snapshot, revision 2
         A get k → value a, version 1, create_revision 2, mod_revision 2, revision 2
         A lease timetolive 1 → TTL -1
         B lease grant 60 --id=1 → ID 1, TTL 60
         B lock mtx 1 → key mtx/1, revision 3
         A txn if create(mtx/1) = 3 then put k old → succeeded true, revision 4
         restart without memory
         A get k → count 0, revision 1
         A snapshot restore → restored snapshot, revision 2",
    );
}

#[test]
fn rule_11_a_bumped_revision_comes_only_once_and_leases_of_the_snapshot_are_refreshed() {
    check(
        &etcd(),
        "A lease grant 5 --id=1 → ID 1, TTL 5
         A put k a --lease=1 → revision 2
         A snapshot save → Snapshot saved
         A lease revoke 1 → revision 3
         A put k b → revision 4
         A snapshot restore --bump-revision 1000 --mark-compacted → restored snapshot, revision 1002
         A get k → value a, version 1, create_revision 2, mod_revision 2, lease 1, revision 1002
         A lease timetolive 1 → TTL 6, grantedTTL 5
         A put k c → revision 1003
         A snapshot restore --bump-revision 65530 --mark-compacted → (the model's numbers have 16 bits)",
    );
}

#[test]
fn what_the_model_is_too_small_for_it_says_so() {
    let small = Etcd::new(Release::V3_5, Sizes { keys: 1, leases: 1, snapshot: false });
    assert_eq!(["snapshot save", "snapshot restore"].map(|words| small.parse(words)), [None, None]);
    check(
        &small,
        "A put j a → revision 2
         A put k a → (the model has no more keys)
         A txn then put j b, put k a → (the model has no more keys)
         A lease grant 2 --id=1 → ID 1, TTL 2
         A lease grant 2 --id=2 → (the model has no more leases)
         A lock mtx 1 → (the model has no more keys)
         A get j → value a, version 1, create_revision 2, mod_revision 2, revision 2",
    );
}

/// Timers that fire in any order.
#[derive(Default)]
struct Armed(Vec<bool>);

impl Time for Armed {
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

/// What happens in a random run.
#[derive(Clone, Debug)]
enum Move {
    Say(&'static str),
    Fire(Timer),
    Restart,
}

const SAYINGS: [&str; 27] = [
    "lease grant 1 --id=1",
    "lease grant 5 --id=2",
    "lease grant 5 --id=3",
    "lease grant 5 --id=4",
    "lease keep-alive --once 1",
    "lease keep-alive --once 2",
    "lease revoke 1",
    "lease timetolive 2",
    "put k a",
    "put k b --lease=1",
    "put mtx/2 x",
    "put j b --lease=2",
    "get k",
    "del k",
    "txn if create(k) = 0 then put k c, put j c else del k, get j",
    "txn if value(j) > a then put k c --lease=3 else put j d",
    "txn then put k a, put k b",
    "txn if mod(k) < 9 then get k",
    "lock mtx 1",
    "lock mtx 2",
    "lock mtx 3",
    "lock mtx 1 since 5",
    "lock mtx 2 since 9",
    "unlock mtx/1",
    "unlock mtx/2",
    "move-leader",
    "snapshot save",
];

fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![
        8 => proptest::sample::select(&SAYINGS[..]).prop_map(Move::Say),
        1 => (0..3u8).prop_map(Move::Fire),
        1 => Just(Move::Restart),
    ]
}

proptest! {
    /// Without a restore, the revision grows by one with each change of keys and never
    /// otherwise; a request that waits or fails changes nothing; and a key never outlives
    /// its lease.
    #[test]
    fn random_runs_keep_the_store_in_order(moves in proptest::collection::vec(any_move(), 0..150)) {
        let etcd = etcd();
        let mut cells = vec![0; etcd.length()];
        etcd.start(&mut cells);
        let mut armed = Armed(vec![false; etcd.timers().into()]);
        let keys = ["k", "j", "mtx/1", "mtx/2", "mtx/3"];
        let look = |cells: &mut Vec<u16>, words: &str| {
            let command = etcd.parse(words).expect("it is a command");
            etcd.execute(0, &command, cells, &mut Armed(vec![false; 3])).expect("it is answered")
        };
        let found = |cells: &mut Vec<u16>| keys.map(|key| match look(cells, &format!("get {key}")) {
            Reply::Get { found, .. } => found,
            reply => panic!("not the reply to a get: {reply}"),
        });
        for step in moves {
            let before = cells.clone();
            let found_before = found(&mut cells);
            match step {
                Move::Say(words) => {
                    let command = etcd.parse(words).expect("it is a command");
                    match etcd.execute(0, &command, &mut cells, &mut armed) {
                        None | Some(Reply::Failed(_)) => prop_assert_eq!(&cells, &before, "{} changes nothing", words),
                        Some(reply) => prop_assert!(!reply.to_string().is_empty()),
                    }
                }
                Move::Fire(timer) if armed.0[usize::from(timer)] => {
                    armed.0[usize::from(timer)] = false;
                    etcd.fire(timer, &mut cells, &mut armed);
                }
                Move::Fire(_) => {}
                Move::Restart => etcd.restart(true, &mut cells, &mut armed),
            }
            let found_now = found(&mut cells);
            let changed = found_now != found_before;
            prop_assert_eq!(cells[0], before[0] + u16::from(changed));
            for found in found_now.into_iter().flatten() {
                prop_assert!(found.create_revision <= found.mod_revision && found.mod_revision <= cells[0]);
                if let Some(id) = found.lease {
                    let left = look(&mut cells, &format!("lease timetolive {id:x}"));
                    prop_assert!(left != Reply::TimeToLive { left_and_granted_s: None }, "a key without its lease");
                }
            }
        }
    }

    /// Clients lock, wait and unlock in any order, and leases end at any time. Of the
    /// sessions that etcd has told that they hold the lock and whose key is there, there
    /// is at most one (in 3.5, where a waiter is told only if its key is there); and
    /// create revisions grow from holder to holder.
    #[test]
    fn the_lock_has_one_holder_at_a_time(turns in proptest::collection::vec((0..3u8, 0..5u8), 0..200)) {
        let etcd = etcd();
        let mut cells = vec![0; etcd.length()];
        etcd.start(&mut cells);
        let mut armed = Armed(vec![false; etcd.timers().into()]);
        // What each session was told last.
        let mut told: [Option<Reply>; 3] = [None; 3];
        let mut last_fence = 0;
        for (session, turn) in turns {
            let id = session + 1;
            let mut say = |words: &str, cells: &mut Vec<u16>| {
                let command: Command = etcd.parse(words).expect("it is a command");
                etcd.execute(session, &command, cells, &mut armed)
            };
            let mine = &mut told[usize::from(session)];
            if turn == 0 {
                if std::mem::take(&mut armed.0[usize::from(session)]) {
                    etcd.fire(session, &mut cells, &mut armed);
                }
                continue;
            }
            match (*mine, turn) {
                (Some(Reply::Queued { create_revision, .. }), _) => {
                    let reply = say(&format!("lock mtx {id} since {create_revision}"), &mut cells);
                    *mine = reply.or(*mine);
                }
                (Some(Reply::Locked { .. }), 1) => {
                    say(&format!("unlock mtx/{id}"), &mut cells);
                    *mine = None;
                }
                (Some(Reply::Locked { .. }), _) => {}
                _ => {
                    say(&format!("lease grant 2 --id={id}"), &mut cells);
                    *mine = say(&format!("lock mtx {id}"), &mut cells);
                }
            }
            let mut fences = Vec::new();
            for (session, told) in told.iter().enumerate() {
                let get = etcd.parse(&format!("get mtx/{}", session + 1)).expect("it is a command");
                let found = etcd.execute(0, &get, &mut cells, &mut armed);
                if let (Some(Reply::Locked { .. }), Some(Reply::Get { found: Some(found), .. })) = (told, found) {
                    fences.push(found.create_revision);
                }
            }
            prop_assert!(fences.len() <= 1, "several hold the lock: {:?}", fences);
            for fence in fences {
                prop_assert!(fence >= last_fence);
                last_fence = fence;
            }
        }
    }
}
