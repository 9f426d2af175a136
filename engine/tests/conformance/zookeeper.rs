//! The model of `ZooKeeper` against what version 3.8.0 (`tickTime` 500) has answered.

use proptest::prelude::*;
use racescope_engine::system::transcript::check;
use racescope_engine::system::zookeeper::{Command, Event, Failure, LockRecipe, Next, Path, Reply, Sizes, ZooKeeper};
use racescope_engine::system::{System, Time, Timer};

fn server() -> ZooKeeper {
    ZooKeeper::new(Sizes { callers: 3, sessions: 3, nodes: 8 }, 500).expect("it is small enough")
}

/// A and B with long sessions, and what they do then.
#[track_caller]
fn check_connected(text: &str) {
    let connected = "A connect 10000 → negotiated timeout = 10000
                     B connect 10000 → negotiated timeout = 10000\n";
    check(&server(), &[connected, text].concat());
}

#[test]
fn z1_a_version_counts_writes_and_refuses_an_old_one_though_the_value_is_back() {
    check_connected(
        "A create /t → Created /t
         A create /t/v a → Created /t/v
         A exists /t/v → version 0, czxid 4, mzxid 4, pzxid 4, cversion 0, numChildren 0
         A set -v 0 /t/v b → version 1, czxid 4, mzxid 5, pzxid 4, cversion 0, numChildren 0
         B set -v 0 /t/v c → BadVersion
         B set -v -1 /t/v a → version 2, czxid 4, mzxid 6, pzxid 4, cversion 0, numChildren 0
         A get /t/v → a
         A set -v 0 /t/v c → BadVersion
         A get /t/v → a",
    );
}

#[test]
fn z1b_a_version_starts_again_so_an_old_one_is_accepted_by_the_next_incarnation() {
    check_connected(
        "A create /t → Created /t
         A create /t/v a → Created /t/v
         B exists /t/v → version 0, czxid 4, mzxid 4, pzxid 4, cversion 0, numChildren 0
         A delete /t/v → ok
         A create /t/v a → Created /t/v
         A exists /t/v → version 0, czxid 6, mzxid 6, pzxid 6, cversion 0, numChildren 0
         B set -v 0 /t/v b → version 1, czxid 6, mzxid 7, pzxid 6, cversion 0, numChildren 0",
    );
}

#[test]
fn z2_what_exists_is_not_created_and_another_version_is_not_deleted() {
    check_connected(
        "A create /t a → Created /t
         A create /t b → NodeExists
         A delete -v 1 /t → BadVersion
         A get /t → a
         A delete -v 0 /t → ok
         A delete /t → NoNode",
    );
}

#[test]
fn z3_the_number_counts_all_creates_below_the_parent_and_cversion_counts_deletes_too() {
    check_connected(
        "A create /p → Created /p
         A create -s /p/n- → Created /p/n-0000000000
         B create -s /p/n- → Created /p/n-0000000001
         A exists /p → version 0, czxid 3, mzxid 3, pzxid 5, cversion 2, numChildren 2
         A delete /p/n-0000000000 → ok
         A exists /p → version 0, czxid 3, mzxid 3, pzxid 6, cversion 3, numChildren 1
         A create -s /p/n- → Created /p/n-0000000002
         A create /p/plain → Created /p/plain
         A create -s /p/n- → Created /p/n-0000000004
         A ls /p → [n-0000000001, n-0000000002, n-0000000004, plain]",
    );
}

#[test]
fn z3b_the_number_starts_again_with_a_new_parent_but_czxid_goes_on() {
    check_connected(
        "A create /p → Created /p
         A create -s /p/n- → Created /p/n-0000000000
         A create -s /p/n- → Created /p/n-0000000001
         A exists /p/n-0000000001 → version 0, czxid 5, mzxid 5, pzxid 5, cversion 0, numChildren 0
         A delete /p → NotEmpty
         A delete /p/n-0000000000 → ok
         A delete /p/n-0000000001 → ok
         A delete /p → ok
         A create /p → Created /p
         B create -s /p/n- → Created /p/n-0000000000
         B exists /p/n-0000000000 → version 0, czxid 10, mzxid 10, pzxid 10, cversion 0, numChildren 0",
    );
}

#[test]
fn z4_a_watch_reports_once() {
    check_connected(
        "A create /pred → Created /pred
         B exists -w /pred → version 0, czxid 3, mzxid 3, pzxid 3, cversion 0, numChildren 0
         B event → (waits)
         A delete /pred → ok
         B … event → WatchedEvent state:SyncConnected type:NodeDeleted path:/pred
         B event → (waits)
         A create /pred → Created /pred
         A delete /pred → ok
         A create /other → Created /other",
    );
}

#[test]
fn z5_a_paused_holder_loses_the_lock_at_a_tick_and_hears_of_it_on_its_return() {
    check(
        &server(),
        "A connect 1000 → negotiated timeout = 1000
         B connect 10000 → negotiated timeout = 10000
         A create -c /l → Created /l
         A create /r → Created /r
         A create -s -e /l/lock- → Created /l/lock-0000000000
         B create -s -e /l/lock- → Created /l/lock-0000000001
         B ls /l → [lock-0000000000, lock-0000000001]
         B exists -w /l/lock-0000000000 → version 0, czxid 5, mzxid 5, pzxid 5, cversion 0, numChildren 0
         B event → (waits)
         wait 130 ms
         A ping → ping response
         wait 1369 ms
         B ls /l → [lock-0000000000, lock-0000000001]
         wait 1 ms
         B … event → WatchedEvent state:SyncConnected type:NodeDeleted path:/l/lock-0000000000
         B ls /l → [lock-0000000001]
         B set /r b → version 1, czxid 4, mzxid 8, pzxid 4, cversion 0, numChildren 0
         A set /r a → ConnectionLoss
         A event → WatchedEvent state:Disconnected type:None path:null
         A reconnect → SessionExpired
         A event → WatchedEvent state:Expired type:None path:null
         A set /r a → SessionExpired
         B get /r → b",
    );
}

#[test]
fn z6_a_multi_does_all_or_nothing() {
    check_connected(
        "A create /t a → Created /t
         A multi check -v 99 /t ; set /t b → [BadVersion, RuntimeInconsistency]
         A multi set /t b ; check -v 0 /t → [RolledBack, BadVersion]
         A exists /t → version 0, czxid 3, mzxid 3, pzxid 3, cversion 0, numChildren 0
         A get /t → a
         A multi check -v 0 /t ; set /t b → [true, version 1]
         A get /t → b",
    );
}

#[test]
fn z7_an_empty_container_goes_and_takes_the_count_of_its_children_along() {
    check_connected(
        "A create -c /l → Created /l
         A create -s -e /l/lock- → Created /l/lock-0000000000
         A create -s -e /l/lock- → Created /l/lock-0000000001
         A exists /l/lock-0000000001 → version 0, czxid 5, mzxid 5, pzxid 5, cversion 0, numChildren 0
         A delete /l/lock-0000000000 → ok
         A delete /l/lock-0000000001 → ok
         A exists /l → version 0, czxid 3, mzxid 3, pzxid 7, cversion 4, numChildren 0
         wait 60 s
         A reconnect → SessionExpired
         A connect 10000 → negotiated timeout = 10000
         A exists /l → null
         A create -c /l → Created /l
         A create -s -e /l/lock- → Created /l/lock-0000000000
         A exists /l/lock-0000000000 → version 0, czxid 13, mzxid 13, pzxid 13, cversion 0, numChildren 0",
    );
}

#[test]
fn z7_a_container_that_never_had_a_child_or_has_one_again_stays() {
    let server = server().with_container_check(1_000);
    check(
        &server,
        "A connect 10000 → negotiated timeout = 10000
         A create -c /new → Created /new
         A create -c /l → Created /l
         A create /l/x → Created /l/x
         A delete /l/x → ok
         wait 900 ms
         A create /l/y → Created /l/y
         wait 2 s
         A ls / → [l, new]
         A delete /l/y → ok
         wait 1 s
         A ls / → [new]",
    );
}

#[test]
fn z8_a_timeout_lies_between_2_and_20_ticks() {
    check(
        &server(),
        "A connect 100 → negotiated timeout = 1000
         B connect 30000 → negotiated timeout = 10000
         C connect 1234 → negotiated timeout = 1234",
    );
}

#[test]
fn rule_3_a_session_ends_on_the_first_tick_after_its_timeout_and_no_clock_step_ends_it() {
    check(
        &server(),
        "A connect 1000 → negotiated timeout = 1000
         A create -e /a → Created /a
         B connect 10000 → negotiated timeout = 10000
         clock +3600 s
         wait 1499 ms
         B exists /a → version 0, czxid 2, mzxid 2, pzxid 2, cversion 0, numChildren 0
         wait 1 ms
         B exists /a → null",
    );
}

#[test]
fn rule_4_a_lost_connection_ends_no_session_and_what_was_missed_is_reported_later() {
    check_connected(
        "A create -e /a → Created /a
         B create /w → Created /w
         A exists -w /w → version 0, czxid 4, mzxid 4, pzxid 4, cversion 0, numChildren 0
         A exists -w /x → null
         A disconnects
         A get /w → ConnectionLoss
         B exists /a → version 0, czxid 3, mzxid 3, pzxid 3, cversion 0, numChildren 0
         B delete /w → ok
         B create /w → Created /w
         B create /x → Created /x
         A event → WatchedEvent state:Disconnected type:None path:null
         A reconnect → negotiated timeout = 10000
         A event → WatchedEvent state:SyncConnected type:NodeDataChanged path:/w
         A event → WatchedEvent state:SyncConnected type:NodeCreated path:/x
         A event → (waits)
         A ping → ping response",
    );
}

#[test]
fn a_restarted_server_gives_each_session_its_whole_timeout() {
    check(
        &server(),
        "A connect 1000 → negotiated timeout = 1000
         A create -e /a → Created /a
         wait 1200 ms
         restart
         A get /a → ConnectionLoss
         wait 1 s
         A reconnect → negotiated timeout = 1000
         A get /a → null
         A exists /a → version 0, czxid 2, mzxid 2, pzxid 2, cversion 0, numChildren 0
         restart without memory
         A reconnect → SessionExpired
         A connect 1000 → negotiated timeout = 1000
         A exists /a → null",
    );
}

#[test]
fn a_session_that_is_closed_takes_its_nodes_along_at_once() {
    check_connected(
        "A create -e /a → Created /a
         A create /a/b → NoChildrenForEphemerals
         A close → ok
         A get /a → Not connected
         B exists /a → null",
    );
}

#[test]
fn what_the_model_is_too_small_for_it_says_so() {
    let small = ZooKeeper::new(Sizes { callers: 2, sessions: 1, nodes: 2 }, 500).expect("it is small enough");
    check(
        &small,
        "C connect 1000 → (the model has no such caller)
         A connect 1000 → negotiated timeout = 1000
         B connect 1000 → (the model has no more sessions)
         A create /a → Created /a
         A create /b → (the model has no more nodes)
         A exists -w /b/c → (the model has no more nodes)
         A exists -w /a → version 0, czxid 2, mzxid 2, pzxid 2, cversion 0, numChildren 0
         A exists -w / → version 0, czxid 0, mzxid 0, pzxid 2, cversion 1, numChildren 1
         A delete /a → ok
         A create /b → (the model has no more nodes)
         A event → WatchedEvent state:SyncConnected type:NodeDeleted path:/a
         A create /b → Created /b",
    );
    assert_eq!(ZooKeeper::new(Sizes { callers: 1, sessions: 1, nodes: 13 }, 500), None);
    assert_eq!(ZooKeeper::new(Sizes { callers: 1, sessions: 1, nodes: 0 }, 500), None);
    assert_eq!(ZooKeeper::new(Sizes { callers: 1, sessions: 1, nodes: 2 }, 0), None);
    assert_eq!(ZooKeeper::new(Sizes { callers: 1, sessions: 1, nodes: 2 }, 3_277), None);
}

/// Timers that end in the order of their times, in one thread of events.
#[derive(Default)]
struct Clock {
    now_us: u64,
    ends_us: Vec<Option<u64>>,
}

impl Clock {
    fn new(timers: u8) -> Self {
        Self { now_us: 0, ends_us: vec![None; timers.into()] }
    }

    /// Lets time pass to the end of the next timer, and fires that.
    fn fire_next(&mut self, server: &ZooKeeper, cells: &mut [u16]) {
        let ends = self.ends_us.iter().enumerate().filter_map(|(timer, end)| end.map(|end| (end, timer)));
        if let Some((end_us, timer)) = ends.min() {
            self.now_us = end_us;
            self.ends_us[timer] = None;
            server.fire(timer as Timer, cells, self);
        }
    }
}

impl Time for Clock {
    fn arm(&mut self, timer: Timer, after_us: u64) {
        self.ends_us[usize::from(timer)] = Some(self.now_us + after_us);
    }

    fn disarm(&mut self, timer: Timer) {
        self.ends_us[usize::from(timer)] = None;
    }

    fn left_us(&self, timer: Timer) -> Option<u64> {
        self.ends_us[usize::from(timer)].map(|end_us| end_us - self.now_us)
    }
}

/// What happens in a random run.
#[derive(Clone, Debug)]
enum Move {
    Say(u8, &'static str),
    Disconnect(u8),
    Restart(bool),
    Wait(u64),
    Fire,
}

const SAYINGS: [&str; 26] = [
    "connect 1000",
    "connect 3000",
    "reconnect",
    "reconnect",
    "ping",
    "close",
    "event",
    "event",
    "create /a x",
    "create -e /a x",
    "create -s /a/n-",
    "create -s -e /a/n-",
    "create -c /a",
    "create /a/b y",
    "create /a/b/c",
    "exists -w /a",
    "exists -w /a/b",
    "exists -w /a/b/c",
    "ls /a",
    "get /a/b",
    "set -v 0 /a/b z",
    "set /a/b z",
    "delete /a",
    "delete -v 1 /a/b",
    "delete /a/n-0000000000",
    "multi check -v 1 /a/b ; set /a q ; set /a/b r",
];

fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![
        12 => (0..4u8, proptest::sample::select(&SAYINGS[..])).prop_map(|(caller, words)| Move::Say(caller, words)),
        1 => (0..4u8).prop_map(Move::Disconnect),
        1 => any::<bool>().prop_map(Move::Restart),
        1 => (0..700u64).prop_map(Move::Wait),
        2 => Just(Move::Fire),
    ]
}

fn children(reply: Option<Reply>) -> Vec<String> {
    match reply {
        Some(Reply::Children(children)) => children.list().iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #[test]
    fn random_runs_keep_the_server_in_order(moves in proptest::collection::vec(any_move(), 0..120)) {
        let server = server().with_container_check(2_000);
        let mut cells = vec![0; server.length()];
        server.start(&mut cells);
        let mut clock = Clock::new(server.timers());
        for step in moves {
            let before = cells.clone();
            let zxid = cells[0];
            match step {
                Move::Say(caller, words) => {
                    let command = server.parse(words).expect("it is a command");
                    let reply = server.execute(caller, &command, &mut cells, &mut clock);
                    let tells_of_end = matches!(command, Command::Reconnect);
                    match reply {
                        None => prop_assert_eq!(&cells, &before, "{} waits and changes nothing", words),
                        Some(Reply::Failed(failure)) if !tells_of_end => {
                            prop_assert_eq!(&cells, &before, "{} fails with {} and changes nothing", words, failure);
                        }
                        Some(reply) => prop_assert!(!reply.to_string().is_empty()),
                    }
                }
                Move::Disconnect(caller) => server.disconnect(caller, &mut cells, &mut clock),
                Move::Restart(keeps_memory) => {
                    server.restart(keeps_memory, &mut cells, &mut clock);
                    prop_assert!(keeps_memory || cells[0] == 0);
                    if !keeps_memory { continue; }
                }
                Move::Wait(ms) => {
                    let until_us = clock.now_us + ms * 1_000;
                    while clock.ends_us.iter().flatten().any(|end_us| *end_us <= until_us) {
                        clock.fire_next(&server, &mut cells);
                    }
                    clock.now_us = until_us;
                }
                Move::Fire => clock.fire_next(&server, &mut cells),
            }
            prop_assert!(cells[0] >= zxid, "numbers never go back");
        }
        // With every session ended and every container looked at, nothing temporary is left.
        for _ in 0..40 {
            clock.fire_next(&server, &mut cells);
        }
        prop_assert!(clock.ends_us.iter().all(Option::is_none), "no timer runs for nothing");
        server.execute(0, &server.parse("connect 1000").expect("it is a command"), &mut cells, &mut clock);
        let list = server.parse("ls /").expect("it is a command");
        for name in children(server.execute(0, &list, &mut cells, &mut clock)) {
            let again = server.parse(&format!("create -e /{name}/e")).expect("it is a command");
            let reply = server.execute(0, &again, &mut cells, &mut clock);
            let kept = !matches!(reply, Some(Reply::Failed(Failure::NoChildrenForEphemerals)));
            prop_assert!(kept, "an ephemeral node has outlived its session: {}", name);
        }
    }

    /// Clients run the recipe in any order, and sessions end at any time. At no moment do
    /// two clients whose sessions live hold the lock; and numbers are given in order.
    #[test]
    fn the_lock_recipe_has_one_living_holder(turns in proptest::collection::vec(0..11u8, 0..250)) {
        let server = server();
        let mut cells = vec![0; server.length()];
        server.start(&mut cells);
        let mut clock = Clock::new(server.timers());
        let locks = Path::parse("/l").expect("it is a path");
        let mut clients: Vec<Option<(LockRecipe, Next)>> = vec![None; 3];
        let command = |words: &str| server.parse(words).expect("it is a command");
        server.execute(0, &command("connect 1000"), &mut cells, &mut clock);
        server.execute(0, &command("create /l"), &mut cells, &mut clock);
        server.execute(0, &command("close"), &mut cells, &mut clock);
        for turn in turns {
            let caller = turn % 3;
            let client = &mut clients[usize::from(caller)];
            match (turn, *client) {
                (9.., _) => clock.fire_next(&server, &mut cells),
                (_, None) => {
                    server.execute(caller, &command("connect 1000"), &mut cells, &mut clock);
                    *client = LockRecipe::start(locks, "lock-").map(|(recipe, create)| (recipe, Next::Send(create)));
                }
                (_, Some((mut recipe, Next::Send(sent)))) => {
                    if let Some(reply) = server.execute(caller, &sent, &mut cells, &mut clock) {
                        let ended = matches!(reply, Reply::Event(Event::Disconnected | Event::Expired));
                        let next = recipe.next(&reply);
                        *client = (!ended && !matches!(next, Next::Failed(_))).then_some((recipe, next));
                    }
                }
                (_, Some((_, Next::Held(path)))) => {
                    let delete = Command::Delete { path, version: None };
                    server.execute(caller, &delete, &mut cells, &mut clock);
                    *client = None;
                }
                (_, Some((_, Next::Gone | Next::Failed(_)))) => *client = None,
            }
            let holders = (0..3u8).filter(|&caller| {
                let believes = matches!(clients[usize::from(caller)], Some((_, Next::Held(_))));
                let mut copy = cells.clone();
                let mut time = Clock::new(server.timers());
                let ping = server.execute(caller, &Command::Ping, &mut copy, &mut time);
                believes && ping == Some(Reply::Pong)
            });
            prop_assert!(holders.count() <= 1);
        }
    }
}

#[test]
fn the_lock_recipe_passes_the_lock_on_in_order_though_the_middle_one_goes() {
    let server = server();
    let mut cells = vec![0; server.length()];
    server.start(&mut cells);
    let mut clock = Clock::new(server.timers());
    let say = |caller, command: &Command, cells: &mut Vec<u16>, clock: &mut Clock| {
        server.execute(caller, command, cells, clock).expect("it is answered at once")
    };
    let command = |words: &str| server.parse(words).expect("it is a command");
    for caller in 0..3 {
        say(caller, &command("connect 1000"), &mut cells, &mut clock);
    }
    say(0, &command("create /l"), &mut cells, &mut clock);
    let locks = Path::parse("/l").expect("it is a path");
    let mut recipes = Vec::new();
    for caller in 0..3 {
        let (mut recipe, create) = LockRecipe::start(locks, "lock-").expect("it is a short name");
        let mut next = Next::Send(create);
        while let Next::Send(sent) = next {
            match server.execute(caller, &sent, &mut cells, &mut clock) {
                Some(reply) => next = recipe.next(&reply),
                None => break,
            }
        }
        recipes.push((recipe, next));
    }
    let own = |at: usize| recipes[at].0.own().expect("it is created");
    assert_eq!(recipes[0].1, Next::Held(own(0)));
    assert_eq!([recipes[1].1, recipes[2].1], [Next::Send(Command::Event); 2]);

    // The second gives up. The third hears of it, lists again, and waits for the first.
    say(1, &Command::Close, &mut cells, &mut clock);
    let mut third = recipes[2].0;
    let event = say(2, &Command::Event, &mut cells, &mut clock);
    let Next::Send(list) = third.next(&event) else { panic!("it lists again") };
    let Next::Send(look) = third.next(&say(2, &list, &mut cells, &mut clock)) else { panic!("it looks") };
    assert_eq!(look, Command::Exists { path: own(0), watch: true });
    assert_eq!(third.next(&say(2, &look, &mut cells, &mut clock)), Next::Send(Command::Event));

    say(0, &Command::Delete { path: own(0), version: None }, &mut cells, &mut clock);
    let event = say(2, &Command::Event, &mut cells, &mut clock);
    let Next::Send(list) = third.next(&event) else { panic!("it lists again") };
    assert_eq!(third.next(&say(2, &list, &mut cells, &mut clock)), Next::Held(own(2)));
}
