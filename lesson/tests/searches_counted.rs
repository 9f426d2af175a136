//! Searches of scenarios with real systems: that they count what judging every schedule
//! counts, and where they end.

use std::ops::ControlFlow;
use std::path::Path;

use expect_test::expect;
use racescope_engine::check::judge;
use racescope_engine::explore::{Bounds, Budget, Mark, Question, Stop, explore, shortest};
use racescope_engine::sim::{
    Action, Assumptions, Fault, Granularity, Leg, Model, Scenario, Schedule, World, run_replay,
};
use racescope_lesson::author::{Draft, Settings, read_library, read_study, study_of};
use racescope_lesson::{Lesson, Variant};

/// Two clients that ask one Redis node for its lock, and then for what stands at `REST`.
const TWO_CLIENTS: &str = r#"
format = 1
title = "One Redis node"

[nodes.client]
client = "work"
count = 2

[nodes.redis]
title = "Redis"
system = "redis"
keys = ["lock"]
latency = "100 ms"
keeps = "lock"
held_ask = "GET lock"
held_reply = "$me"

[[programs.work]]
step = "ask"
server = "redis"
say = "SET lock $me NX PX 9000"
means = "acquire"
answers = [{ reply = "+OK", is = "granted" }, { reply = "nil", is = "busy", then = "end" }]

[[programs.work]]
step = "ask"
server = "redis"
REST

[[variants]]
id = "v"
title = "V"
remark = "One lock"
"#;

/// The only variant of a scenario file.
fn scenario(text: &str) -> Scenario {
    let mut study = study_of("counted", text).expect("the file has no mistake");
    study.variants.remove(0).scenario
}

/// How many schedules there are with what is written for the second command.
#[track_caller]
fn check(rest: &str, bounds: Bounds, expected: Result<&str, Stop>) {
    let scenario = scenario(&TWO_CLIENTS.replace("REST", rest));
    let found = explore(&scenario, &Question::of_harm(bounds), &mut |_| ControlFlow::Continue(()));
    let counted = found.schedules().decimal();
    assert_eq!(found.stopped.map_or(Ok(counted.as_str()), Err), expected, "{rest}");
}

#[test]
fn a_search_ends_where_an_answer_depends_on_time_or_is_not_known() {
    let bounds = Bounds::default();
    check("say = \"PTTL lock\"\nanswers = [{ reply = \"$left\" }]", bounds, Err(Stop::TellsTime));
    check("say = \"GET lock\"\nanswers = [{ reply = \"*\" }]", bounds, Ok("17060"));
    check("say = \"GET lock\"\nanswers = [{ reply = \"nothing\" }]", bounds, Err(Stop::Unexpected));
}

#[test]
fn the_lock_of_somebody_who_is_gone_ends_without_being_counted() {
    let rest = "say = \"GET lock\"\nanswers = [{ reply = \"*\", then = \"end\" }]";
    check(rest, Bounds { pauses: false, expiries: 0, ..Bounds::default() }, Ok("196"));
}

#[test]
fn every_lesson_can_be_searched_whatever_is_assumed() {
    let shelf = read_library(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons"));
    let everything = Bounds {
        clock_steps: true,
        late_messages: true,
        lost_requests: 1,
        lost_replies: 1,
        duplicates: 1,
        crashes: 1,
        restores: 1,
        state_losses: 1,
        ..Bounds::default()
    };
    for Draft { lesson, .. } in &shelf.drafts {
        for variant in &lesson.variants {
            for bounds in [lesson.bounds, everything] {
                let budget = Budget { states: 3_000, ..Budget::default() };
                let question = Question { budget, ..Question::of_harm(bounds) };
                let found = explore(&variant.scenario, &question, &mut |_| ControlFlow::Continue(()));
                let place = format!("{}: {}", lesson.id, variant.id);
                assert!(found.states > 0, "{place}");
                // What a program isn't made for, such as a crash, may surprise it.
                let surprises = bounds == lesson.bounds && found.stopped == Some(Stop::Unexpected);
                assert!(!surprises && found.stopped != Some(Stop::TooManyServers), "{place}: {:?}", found.stopped);
            }
        }
    }
}

/// What may go wrong in a search that is to find what these faults do.
fn bounds_for(faults: &[Fault]) -> Bounds {
    let mut bounds = Bounds { pauses: false, ..Bounds::default() };
    for fault in faults {
        let (switch, number) = match fault {
            Fault::Pause(_) => (Some(&mut bounds.pauses), None),
            Fault::MessageDelay(_) | Fault::MessageReorder(_) => (Some(&mut bounds.late_messages), None),
            Fault::ClockStep(_) => (Some(&mut bounds.clock_steps), None),
            Fault::ClockRate(_) => (Some(&mut bounds.clock_rates), None),
            Fault::Crash(crash) if crash.keeps_memory => (None, Some(&mut bounds.halts)),
            Fault::Crash(_) => (None, Some(&mut bounds.crashes)),
            Fault::MessageLoss(loss) if loss.leg == Leg::Request => (None, Some(&mut bounds.lost_requests)),
            Fault::MessageLoss(_) => (None, Some(&mut bounds.lost_replies)),
            Fault::MessageDuplicate(_) => (None, Some(&mut bounds.duplicates)),
            Fault::SnapshotRestore(_) => (None, Some(&mut bounds.restores)),
            Fault::ForcedUnlock(_) => (None, Some(&mut bounds.forced_unlocks)),
            Fault::StateLoss(_) => (None, Some(&mut bounds.state_losses)),
            // A search knows none of these.
            Fault::Partition(_) | Fault::ReplicaLag(_) | Fault::LeaderChange(_) => (None, None),
        };
        if let Some(switch) = switch {
            *switch = true;
        }
        if let Some(number) = number {
            *number += 1;
        }
    }
    bounds
}

/// What a search says of a mark in a variant of a lesson.
fn said(lesson: &Lesson, variant: &Variant, mark: Mark) -> String {
    let bounds = bounds_for(&lesson.plain_faults());
    let budget = Budget { states: 60_000, ..Budget::default() };
    let question = Question { budget, marks: vec![mark], ..Question::of_harm(bounds) };
    let found = explore(&variant.scenario, &question, &mut |_| ControlFlow::Continue(()));
    let is_found = match found.stopped {
        None => !found.showing(mark).is_zero(),
        Some(_) => matches!(shortest(&variant.scenario, &question, mark), Ok(Some(_))),
    };
    match (is_found, found.stopped) {
        (true, _) => "found".to_string(),
        (false, None) => "none".to_string(),
        (false, Some(stop)) => format!("not found, {stop:?}"),
    }
}

#[test]
fn a_search_finds_the_harm_that_each_lesson_shows() {
    let shelf = read_library(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons"));
    let mut not_found = String::new();
    let mut found = 0;
    for Draft { lesson, .. } in &shelf.drafts {
        for variant in &lesson.variants {
            for mark in variant.expectation.violates.iter().filter_map(|&property| Mark::harm_of(property)) {
                match said(lesson, variant, mark).as_str() {
                    "found" => found += 1,
                    told => not_found += &format!("{} {} {}: {told}\n", lesson.id, variant.id, mark.name()),
                }
            }
        }
    }
    // Where it isn't found, there is a reason: a fault that no search knows, a session that
    // is kept alive for ever, five servers, or a crash that a program isn't made for.
    expect![[r#"
        etcd-dead-lease version-3-4 lost-update: not found, Endless
        redsync-valid valid stale-write-accepted: not found, States
        redsync-valid valid lost-update: not found, States
        recreated-path by-version aba: not found, Unexpected
        recreated-path by-value aba: not found, Unexpected
    "#]]
    .assert_eq(&not_found);
    assert_eq!(found, 25);
}

/// The schedules by what they show.
type Shown = Vec<(Vec<Mark>, String)>;

/// What a search shows that comes to its end within so many states.
fn shown(scenario: &Scenario, bounds: Bounds, reduced: bool) -> Option<Shown> {
    let budget = Budget { states: 30_000, ..Budget::default() };
    let question = Question { budget, reduced, ..Question::of_harm(bounds) };
    let found = explore(scenario, &question, &mut |_| ControlFlow::Continue(()));
    let mut shown: Shown =
        found.outcomes.iter().map(|outcome| (outcome.marks.clone(), outcome.schedules.decimal())).collect();
    shown.sort();
    found.stopped.is_none().then_some(shown)
}

#[test]
fn states_that_are_met_as_one_change_no_count_of_a_lesson() {
    let shelf = read_library(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons"));
    let mut compared = 0;
    for Draft { lesson, .. } in &shelf.drafts {
        for variant in &lesson.variants {
            for granularity in [Granularity::Call, Granularity::ServeDeliver] {
                let scenario = Scenario { granularity, ..variant.scenario.clone() };
                for bounds in [Bounds::default(), Bounds { restores: 1, ..Bounds::NONE }] {
                    let Some(raw) = shown(&scenario, bounds, false) else { continue };
                    let place = format!("{}: {}, {granularity:?}, {bounds}", lesson.id, variant.id);
                    assert_eq!(shown(&scenario, bounds, true), Some(raw), "{place}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 40, "{compared} searches came to their end");
}

/// Holds the counts with states that are met as one to those without.
#[track_caller]
fn check_reduced(text: &str, bounds: Bounds, harmful: Mark) {
    let scenario = scenario(text);
    let raw = shown(&scenario, bounds, false).expect("it has few states");
    assert!(raw.iter().any(|(marks, _)| marks.contains(&harmful)), "{raw:?}");
    assert_eq!(shown(&scenario, bounds, true), Some(raw));
}

#[test]
fn two_timers_of_one_server_are_two_actions() {
    let text = "format = 1\ntitle = \"T\"\ngranularity = \"call\"\n[nodes.client]\nclient = \"work\"\ncount = 2\n\
         [nodes.redis]\nsystem = \"redis\"\ntitle = \"Redis\"\nkeys = [\"x\", \"y\"]\nlatency = \"50 ms\"\n\
         keeps = \"effects\"\nlimit = 1\n\
         [[programs.work]]\nstep = \"ask\"\nserver = \"redis\"\nsay = \"SET x $me NX PX 1000\"\n\
         answers = [{ reply = \"+OK\" }, { reply = \"nil\", then = \"end\" }]\n\
         [[programs.work]]\nstep = \"ask\"\nserver = \"redis\"\nsay = \"SET y $me NX PX 1000\"\nmeans = \"effect\"\n\
         answers = [{ reply = \"+OK\", is = \"accepted\" }, { reply = \"nil\", is = \"refused\" }]\n\
         [[variants]]\nid = \"v\"\ntitle = \"V\"\nremark = \"R\"\n";
    check_reduced(text, Bounds::default(), Mark::LimitExceeded);
}

#[test]
fn a_write_that_names_no_token_carries_the_one_its_client_believes_in() {
    let text = TWO_CLIENTS.replace("REST", WRITES_A_ROW).replace("[[variants]]", &format!("{ROW}[[variants]]"));
    check_reduced(&text, Bounds::default(), Mark::StaleWriteAccepted);
}

#[test]
fn the_instance_of_the_release_gate_has_the_counts_of_all_its_states() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios/signed-grants.toml");
    let study = read_study(&file, Settings::default()).expect("it has no mistake");
    let scenario = &study.variants[0].scenario;
    let raw = shown(scenario, study.bounds, false).expect("it has few states");
    assert_eq!(raw.iter().map(|(_, schedules)| schedules.as_str()).collect::<Vec<_>>(), ["7422"]);
    assert_eq!(shown(scenario, study.bounds, true), Some(raw));
}

/// Another system, and a write to it.
const ROW: &str = r#"[nodes.row]
title = "Row"
system = "redis"
keys = ["row"]
latency = "100 ms"
keeps = "data"

"#;
const WRITES_A_ROW: &str = r#"say = "GET lock"
answers = [{ reply = "$me" }, { reply = "*", then = "end" }]

[[programs.work]]
step = "ask"
server = "row"
say = "SET row 8"
means = "write"
answers = [{ reply = "+OK", is = "accepted" }]"#;

/// Two clients that read a row, look at it, and write it, under guards of their own.
const A_ROW: &str = r#"
format = 1
title = "A row"

[nodes.client]
client = "work"
count = 2

[nodes.row]
title = "PostgreSQL"
system = "postgres"
latency = "100 ms"
keeps = "data"

[[programs.work]]
step = "ask"
server = "row"
say = "select granted from q where id=1"
means = "read"
answers = [{ reply = "($n)" }]

[[programs.work]]
step = "ask"
server = "row"
WRITE

[[variants]]
id = "v"
title = "V"
remark = "One row"
"#;

/// Every schedule with so many restores of an older state, and nothing else that goes
/// wrong, one after the other.
fn each_schedule(
    model: &Model<'_>,
    world: &World,
    restores: u8,
    path: &mut Vec<Action>,
    seen: &mut dyn FnMut(&[Action]),
) {
    let mut enabled = Vec::new();
    let assumptions = Assumptions { expiries: true, restores: restores > 0, ..Assumptions::default() };
    model.enabled_under(world, &assumptions, &mut enabled);
    if enabled.is_empty() {
        seen(path);
    }
    for action in enabled {
        let mut next = world.clone();
        model.apply(&mut next, action, &mut ());
        path.push(action);
        each_schedule(model, &next, restores - u8::from(matches!(action, Action::Restore(_))), path, seen);
        path.pop();
    }
}

/// The schedules of a scenario, and those that show each harm, by judging every one.
fn judged_one_by_one(scenario: &Scenario, restores: u8) -> (u64, [u64; Mark::HARM.len()]) {
    let model = Model::new(scenario);
    let (mut schedules, mut showing) = (0, [0; Mark::HARM.len()]);
    each_schedule(&model, &model.start(), restores, &mut Vec::new(), &mut |path| {
        let run = run_replay(scenario, &Schedule { actions: path.to_vec() }).expect("it can be walked again");
        let verdict = judge(scenario, &run);
        schedules += 1;
        for (count, mark) in showing.iter_mut().zip(Mark::HARM) {
            let shows = verdict.findings.iter().any(|finding| Mark::harm_of(finding.property) == Some(mark));
            *count += u64::from(shows);
        }
    });
    (schedules, showing)
}

#[test]
fn a_search_counts_what_judging_every_schedule_counts() {
    for write in [
        "say = \"update q set granted=$n+1 where id=1\"\nmeans = \"write\"\nanswers = [{ reply = \"UPDATE 1\", is = \"accepted\" }]",
        "say = \"update q set granted=$n+1 where id=1 and granted=$n\"\nmeans = \"write\"\nconditional = true\n\
         answers = [{ reply = \"UPDATE 1\", is = \"accepted\" }, { reply = \"UPDATE 0\", is = \"refused\" }]",
        "say = \"update q set granted=granted+1 where id=1\"\nmeans = \"write\"\nin_place = true\n\
         answers = [{ reply = \"UPDATE 1\", is = \"accepted\" }]",
    ] {
        check_counts(&scenario(&A_ROW.replace("WRITE", write)), 0, write);
    }
}

/// Counts by a search and by judging every schedule, and returns how many there are and
/// how many of them lose an update or have an ABA.
#[track_caller]
fn check_counts(scenario: &Scenario, restores: u8, what: &str) -> [u64; 3] {
    let (schedules, showing) = judged_one_by_one(scenario, restores);
    let bounds = Bounds { restores, ..Bounds::default() };
    let found = explore(scenario, &Question::of_harm(bounds), &mut |_| ControlFlow::Continue(()));
    assert_eq!((found.stopped, found.schedules().decimal()), (None, schedules.to_string()), "{what}");
    let counted = Mark::HARM.map(|mark| found.showing(mark).decimal());
    assert_eq!(counted, showing.map(|count| count.to_string()), "{what}");
    let of = |wanted| Mark::HARM.iter().zip(showing).find(|(mark, _)| **mark == wanted).map_or(0, |(_, count)| count);
    [schedules, of(Mark::LostUpdate), of(Mark::Aba)]
}

/// A scenario with clients that all run one program on a row, each command of it with the
/// beginning of its answer and more fields.
fn transactions(system: &str, clients: u8, program: &[(&str, &str, &str)]) -> Scenario {
    let steps = program.iter().map(|(say, reply, more)| {
        format!(
            "[[programs.work]]\nstep = \"ask\"\nserver = \"row\"\nsay = \"{say}\"\n{more}\n\
             answers = [{{ reply = \"{reply}\", is = \"{}\" }}, {{ reply = \"*\", then = \"end\" }}]\n",
            match (reply, more) {
                (&"WriteTimeout *", _) => "unknown",
                (_, more) if more.contains("write") => "accepted",
                _ => "done",
            },
        )
    });
    let variant = "[[variants]]\nid = \"v\"\ntitle = \"V\"\nremark = \"R\"\n";
    scenario(&format!(
        "format = 1\ntitle = \"T\"\ngranularity = \"call\"\n[nodes.worker]\nclient = \"work\"\ncount = {clients}\n\
         [nodes.row]\ntitle = \"Row\"\nlatency = \"50 ms\"\nkeeps = \"data\"\n{system}\n{}{variant}",
        steps.collect::<String>(),
    ))
}

const POSTGRES: &str = "system = \"postgres\"";
const READ: (&str, &str, &str) = ("select granted from q where id=1", "($n)", "means = \"read\"");
const WRITE: (&str, &str, &str) = ("update q set granted=$n+1 where id=1", "UPDATE 1", "means = \"write\"");
const COMMIT: (&str, &str, &str) = ("commit", "COMMIT", "");

#[test]
fn a_write_in_a_transaction_counts_from_its_commit_on() {
    let begin = ("begin", "BEGIN", "");
    let check = |program: &[_]| check_counts(&transactions(POSTGRES, 2, program), 0, &format!("{program:?}"));
    // Both read before either commits, or one after the other.
    assert_eq!(check(&[begin, READ, WRITE, COMMIT]), [50, 40, 0]);
    let locked = ("select granted from q where id=1 for update", "($n)", "means = \"read\"");
    assert_eq!(check(&[begin, locked, WRITE, COMMIT]), [24, 0, 0]);
    // What is rolled back was never there.
    assert_eq!(check(&[begin, READ, WRITE, ("rollback", "ROLLBACK", "")]), [50, 0, 0]);
    // What a transaction has written itself is no version that others know.
    assert_eq!(check(&[begin, READ, WRITE, READ, WRITE, COMMIT]), [148, 134, 0]);
    // Another place for the same: the commit is what writes.
    let held = ("update q set granted=$n+1 where id=1", "UPDATE 1", "");
    assert_eq!(check(&[begin, READ, held, ("commit", "COMMIT", "means = \"write\"")]), [50, 40, 0]);
}

#[test]
fn a_snapshot_shows_what_was_there_when_it_was_taken() {
    let begin = ("begin isolation level repeatable read", "BEGIN", "");
    let check = |program: &[_]| check_counts(&transactions(POSTGRES, 2, program), 0, &format!("{program:?}"));
    // Who writes within the transaction is refused; who writes after it isn't.
    assert_eq!(check(&[begin, READ, WRITE, COMMIT]), [50, 0, 0]);
    let look = ("select granted from q where id=1", "($n)", "");
    assert_eq!(check(&[begin, look, READ, COMMIT, WRITE]), [252, 240, 0]);
}

#[test]
fn what_is_read_from_a_copy_that_lags_is_what_the_copy_has() {
    let system = "system = \"dynamodb\"\nkeys = [\"l\"]\nat_start = [\"PutItem l v=7\"]\nlag = \"2 s\"";
    let write = ("PutItem l v=$v+1", "200", "means = \"write\"");
    let check = |read| {
        let program = [(read, "200 {v=$v}", "means = \"read\""), write];
        check_counts(&transactions(system, 2, &program), 0, read)
    };
    assert_eq!(check("GetItem l"), [14, 12, 0]);
    assert_eq!(check("GetItem l ConsistentRead"), [14, 8, 0]);
}

#[test]
fn what_is_queued_counts_when_it_is_done() {
    let system = "system = \"redis\"\nkeys = [\"x\"]\nvariant = \"7.0-transactions\"\nat_start = [\"SET x 7\"]";
    let program = [
        ("GET x", "$v", "means = \"read\""),
        ("MULTI", "+OK", ""),
        ("SET x $v+1", "+QUEUED", "means = \"write\""),
        ("EXEC", "[*]", ""),
    ];
    assert_eq!(check_counts(&transactions(system, 2, &program), 0, "redis"), [70, 68, 0]);
}

#[test]
fn what_somebody_else_decides_about_counts_from_then_on() {
    let system = "system = \"cassandra\"\nkeys = [\"l\"]\n\
                  at_start = [\"INSERT INTO t (pk, v) VALUES ('l', 7) IF NOT EXISTS -- ballot 5\"]";
    let read = ("SELECT * FROM t WHERE pk='l' -- SERIAL", "v=$v", "means = \"read\"");
    let propose = |remark| {
        let write = match remark {
            "before" => "UPDATE t SET v=$v+1 WHERE pk='l' IF v=$v -- times out before accept",
            "after" => "UPDATE t SET v=$v+1 WHERE pk='l' IF v=$v -- times out after accept",
            _ => "UPDATE t SET v=$v+1 WHERE pk='l' IF v=$v -- times out after commit",
        };
        (write, "WriteTimeout *", "means = \"write\"")
    };
    let plain = ("UPDATE t USING TIMESTAMP 99 SET v=$v+1 WHERE pk='l'", "OK", "means = \"write\"");
    let check =
        |clients, program: &[_]| check_counts(&transactions(system, clients, program), 0, &format!("{program:?}"));
    assert_eq!(check(3, &[read, propose("before")]), [90, 0, 0]);
    assert_eq!(check(3, &[read, propose("after")]), [90, 0, 0]);
    assert_eq!(check(2, &[read, propose("after"), plain]), [20, 16, 0]);
    assert_eq!(check(2, &[read, propose("commit"), plain]), [20, 16, 0]);
    // A write that is lost to a later timestamp takes nobody's place.
    let early = ("UPDATE t USING TIMESTAMP 1 SET v=$v+1 WHERE pk='l'", "OK", "means = \"write\"");
    assert_eq!(check(2, &[read, early, plain]), [20, 18, 0]);

    let system = "system = \"kafka\"\nvariant = \"one-epoch-for-all\"";
    let begin = ("InitProducerId", "ok 1:$epoch", "");
    let read = ("Fetch", "[*]", "means = \"read\"");
    let produce = ("Produce 1:$epoch $me", "ok offset *", "means = \"write\"");
    let commit = ("EndTxn 1:$epoch commit", "ok", "");
    let add = ("AddPartitionsToTxn 1:$epoch", "ok", "");
    assert_eq!(check_counts(&transactions(system, 2, &[begin, read, add, produce, commit]), 0, "kafka"), [62, 8, 0]);
}

/// Three clients that read plain storage and write it.
fn plain(guard: &str) -> Scenario {
    scenario(&format!(
        "format = 1\ntitle = \"T\"\ngranularity = \"call\"\n[nodes.worker]\nclient = \"work\"\ncount = 3\n\
         [nodes.row]\nstorage = \"versioned-register\"\ntitle = \"Row\"\nguard = \"{guard}\"\nfirst_version = 1\n\
         first_value = 0\nlatency = \"50 ms\"\n\
         [[programs.work]]\nstep = \"read\"\nstorage = \"row\"\n\
         [[programs.work]]\nstep = \"write\"\nstorage = \"row\"\non_refused = \"stop\"\n\
         [[variants]]\nid = \"v\"\ntitle = \"V\"\nremark = \"R\"\n",
    ))
}

#[test]
fn a_version_whose_number_is_given_anew_is_another_one() {
    assert_eq!(check_counts(&plain("last-write-wins"), 1, "blind"), [5382, 4824, 0]);
    assert_eq!(check_counts(&plain("version-compare-and-set"), 1, "compared"), [3618, 0, 48]);
}
