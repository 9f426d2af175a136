//! Searches of scenarios with real systems: that they count what judging every schedule
//! counts, and where they end.

use std::ops::ControlFlow;
use std::path::Path;

use racescope_engine::check::judge;
use racescope_engine::explore::{Bounds, Budget, Mark, Question, Stop, explore};
use racescope_engine::sim::{Action, Model, Scenario, Schedule, World, run_replay};
use racescope_lesson::author::{Draft, read_library, study_of};

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

/// Every schedule in which nothing goes wrong, one after the other.
fn each_schedule(model: &Model<'_>, world: &World, path: &mut Vec<Action>, seen: &mut dyn FnMut(&[Action])) {
    let mut enabled = Vec::new();
    model.enabled(world, &mut enabled);
    if enabled.is_empty() {
        seen(path);
    }
    for action in enabled {
        let mut next = world.clone();
        model.apply(&mut next, action, &mut ());
        path.push(action);
        each_schedule(model, &next, path, seen);
        path.pop();
    }
}

/// The schedules of a scenario, and those that show each harm, by judging every one.
fn judged_one_by_one(scenario: &Scenario) -> (u64, [u64; Mark::HARM.len()]) {
    let model = Model::new(scenario);
    let (mut schedules, mut showing) = (0, [0; Mark::HARM.len()]);
    each_schedule(&model, &model.start(), &mut Vec::new(), &mut |path| {
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
        let scenario = scenario(&A_ROW.replace("WRITE", write));
        let (schedules, showing) = judged_one_by_one(&scenario);
        let found = explore(&scenario, &Question::of_harm(Bounds::default()), &mut |_| ControlFlow::Continue(()));
        assert_eq!((found.stopped, found.schedules().decimal()), (None, schedules.to_string()), "{write}");
        let counted = Mark::HARM.map(|mark| found.showing(mark).decimal());
        assert_eq!(counted, showing.map(|count| count.to_string()), "{write}");
    }
}
