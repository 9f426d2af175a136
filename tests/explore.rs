//! Scenario files and what all their schedules show: the same counts as an
//! independent program's, through the file, the library and the command.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use racescope_engine::explore::{Bounds, Mark, Question, Survey, survey};
use racescope_lesson::Study;
use racescope_lesson::author::{Settings, read_study};
use serde_json::Value;

fn scenario(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(name).with_extension("toml")
}

fn study(name: &str, clients: u16) -> Study {
    read_study(&scenario(name), Settings { clients: Some(clients) }).expect("the file has no mistake")
}

fn explored(study: &Study, variant: &str, bounds: Bounds) -> Survey {
    let variant = study.variants.iter().find(|known| known.id == variant).expect("there is such a variant");
    survey(&variant.scenario, &Question::of_harm(bounds), &mut |_| ControlFlow::Continue(()))
}

/// Schedules in all, and those with a stale write accepted.
#[track_caller]
fn check(clients: u16, variant: &str, schedules: &str, stale: &str) {
    let study = study("paused-holder", clients);
    let found = explored(&study, variant, study.bounds).exploration;
    assert_eq!(found.stopped, None);
    assert_eq!(
        (found.schedules().decimal().as_str(), found.showing(Mark::StaleWriteAccepted).decimal().as_str()),
        (schedules, stale),
        "{variant} with {clients} clients"
    );
}

#[test]
fn the_paused_holder_has_the_counts_of_an_independent_program() {
    check(2, "unfenced", "4846", "1288");
    check(3, "unfenced", "6217224", "3833196");
    check(4, "unfenced", "720393048", "664039488");
    check(2, "fenced", "4846", "0");
    check(3, "fenced", "6217224", "0");
    check(4, "fenced", "720393048", "0");
}

struct Ended {
    code: Option<i32>,
    results: String,
    errors: String,
}

fn explore(arguments: &[&str]) -> Ended {
    let output = Command::new(env!("CARGO_BIN_EXE_racescope"))
        .arg("explore")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    Ended { code: output.status.code(), results: text(output.stdout), errors: text(output.stderr) }
}

const PAUSED_HOLDER: &str = "tests/scenarios/paused-holder.toml";

#[test]
fn the_variants_show_what_the_file_says() {
    let ended = explore(&[PAUSED_HOLDER]);
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
    let paragraphs: Vec<&str> = ended.results.split("\n\n").collect();
    assert_eq!(paragraphs.len(), 4);
    assert!(paragraphs[0].contains("\n4,846 schedules, all of them, in "), "{}", paragraphs[0]);
    assert!(paragraphs[0].contains("\n  stale-write-accepted  1,288 (26.5 %)\n"), "{}", paragraphs[0]);
    assert!(
        paragraphs[0].contains("\n2 clients; processes may pause; at most 2 leases end early; a call is one action.\n"),
        "{}",
        paragraphs[0]
    );
    assert!(paragraphs[1].contains("\n  stale-write-accepted  0\n"), "{}", paragraphs[1]);
}

#[test]
fn json_has_the_counts_as_text_and_the_shortest_as_steps() {
    let ended = explore(&[PAUSED_HOLDER, "--variant", "unfenced", "--set", "clients=3", "--json"]);
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&ended.results).expect("it is JSON");
    assert_eq!(found["variant"], "unfenced");
    assert_eq!(found["complete"], true);
    assert_eq!(found["schedules"], "6217224");
    assert_eq!(found["violating"]["stale-write-accepted"], "3833196");
    assert_eq!(found["violating"]["no-progress"], "0");
    assert!(found["unique_states"].is_number());
    let steps = found["shortest"]["stale-write-accepted"].as_array().expect("it is a list");
    assert_eq!((steps.len(), &steps[0]), (11, &Value::from("step:0")));
}

#[test]
fn settings_change_the_counts() {
    let count = |settings: &[&str]| {
        let variant = ["--variant", "unfenced", "--json"];
        let arguments: Vec<&str> = [PAUSED_HOLDER].iter().chain(&variant).chain(settings).copied().collect();
        let ended = explore(&arguments);
        assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""), "{settings:?}");
        let found: Value = serde_json::from_str(&ended.results).expect("it is JSON");
        found["violating"]["stale-write-accepted"].clone()
    };
    assert_eq!(count(&["--set", "clients=2", "--set", "expiries=2"]), "1288");
    assert_eq!(count(&["--set", "expiries=0"]), "0");
    assert_eq!(count(&["--assume", "nothing"]), "0");
    assert_eq!(count(&["--assume", "pauses"]), "1288");
    assert_eq!(count(&["--assume", "clock-steps", "--set", "expiries=1"]), count(&["--set", "expiries=1"]));
}

/// The tally of the voucher race: each number of grants with its schedules.
#[track_caller]
fn grants(clients: u16, variant: &str, expected: &[(u64, &str)]) {
    let set = format!("clients={clients}");
    let race = ["tests/scenarios/voucher.toml", "--variant", variant, "--set", &set, "--json"];
    // Looking for nothing but the tally meets fewer states, and counts the same.
    if clients < 20 {
        tallied(&[&race[..], &["--look-for", "nothing"]].concat(), expected);
    }
    tallied(&race, expected);
}

#[track_caller]
fn tallied(arguments: &[&str], expected: &[(u64, &str)]) {
    let ended = explore(arguments);
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&ended.results).expect("it is JSON");
    let outcomes = found["outcomes"].as_array().expect("it is a list");
    let counted: Vec<(u64, &str)> = outcomes
        .iter()
        .map(|row| (row["grants"].as_u64().unwrap_or(0), row["schedules"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(counted, expected);
    let likely: f64 = outcomes.iter().map(|row| row["by_step"].as_f64().expect("it is a number")).sum();
    assert!((likely - 1.0).abs() < 1e-9, "{likely}");
}

#[test]
fn the_voucher_race_is_counted_by_its_grants() {
    grants(2, "check-then-act", &[(1, "2"), (2, "4")]);
    grants(3, "check-then-act", &[(1, "6"), (2, "24"), (3, "36")]);
    grants(4, "check-then-act", &[(1, "24"), (2, "144"), (3, "432"), (4, "576")]);
    grants(4, "select-for-update", &[(1, "24")]);
    grants(4, "conditional-update", &[(1, "1176")]);
    grants(20, "select-for-update", &[(1, "2432902008176640000")]);
    grants(20, "conditional-update", &[(1, "15285066092344975821946691816816640000")]);
}

#[test]
fn a_naive_lock_lets_any_number_of_twenty_clients_in() {
    let race = ["tests/scenarios/voucher.toml", "--variant", "naive-lock", "--set", "clients=20"];
    let ended = explore(&[&race[..], &["--look-for", "nothing", "--json"]].concat());
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&ended.results).expect("it is JSON");
    assert_eq!(found["violating"].as_object().map(serde_json::Map::len), Some(0));
    assert_eq!(found["outcomes"].as_array().map(Vec::len), Some(20));
}

#[test]
fn a_naive_lock_lets_a_second_client_in() {
    let ended = explore(&["tests/scenarios/voucher.toml"]);
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
    let paragraphs: Vec<&str> = ended.results.split("\n\n").collect();
    assert!(paragraphs[1].contains("\n    2  0.187500  0.521739  24 schedules\n"), "{}", paragraphs[1]);
}

#[track_caller]
fn refused(arguments: &[&str], error: &str) {
    let arguments: Vec<&str> = [PAUSED_HOLDER].iter().chain(arguments).copied().collect();
    let ended = explore(&arguments);
    assert_eq!((ended.code, ended.results.as_str()), (Some(2), ""), "{arguments:?}");
    assert!(ended.errors.contains(error), "{}", ended.errors);
}

#[test]
fn what_is_wrong_on_the_command_line_is_said_with_its_cure() {
    refused(&["--variant", "nothing"], "has no variant nothing. Name one of these: unfenced, fenced, ");
    refused(&["--set", "expiry=1"], "there is no bound expiry. Name one of these: pauses, ");
    refused(&["--set", "expiries=many"], "expiries=many sets nothing. Write a name and a whole number, such as ");
    refused(&["--set", "clients"], "clients sets nothing.");
    refused(&["--set", "expiries=99"], "99 is out of bounds. Set a number from 0 to 9.");
    refused(&["--assume", "pauses=2"], "pauses=2: 2 is out of bounds. Set 1 for yes or 0 for no.");
    refused(
        &["--assume", "lost-replies"],
        "paused-holder: lost_replies can't happen, since no such message is ever on its",
    );
    refused(&["--assume", "duplicates"], "Set granularity = \"send-serve-deliver\" in it.");
    refused(&["--set", "clients=99"], "paused-holder.toml:11: nodes.client.count: 99 clients are out of bounds.");
    refused(&["--set", "clients=2", "--set", "clients=3"], "--set names clients twice. Name it once.");
    refused(&["--assume", "crashes", "--assume", "crashes=2"], "--assume names crashes twice.");
    refused(&["--assume", "lost-replies", "--set", "lost_replies=2"], "--set and --assume both name lost_replies.");
    refused(
        &["--assume", "nothing", "--assume", "pauses"],
        "--assume nothing stands alone. Leave it out, or the others.",
    );
    refused(
        &["--assume", "expiries=1"],
        "expiries assumes nothing by itself: a lease ends early only if something holds",
    );
    refused(
        &["--assume", "lost-replies", "--set", "expiries=1"],
        "Assume pauses, late_messages, clock_steps or clock_",
    );
    refused(&["--look-for", "nothing", "--look-for", "lost-update"], "--look-for nothing stands alone.");
    refused(&["--seed", "3"], "Add --random NUMBER or --replay NUMBER, or leave --seed out.");
    refused(&["--states", "9", "--random", "9"], "Leave out --states, or --random and --replay.");
    refused(&["--replay", "9", "--look-for", "lost-update"], "--replay tells a schedule and looks for nothing.");
    refused(&["--random", "0"], "0 is not in 1..");
    refused(&["--states", "0"], "0 is not in 1..");
    let lesson = explore(&["paused-holder", "--set", "clients=3"]);
    assert_eq!(lesson.code, Some(2));
    assert!(lesson.errors.contains("paused-holder is no scenario file"), "{}", lesson.errors);
    assert_eq!(explore(&["nowhere.toml"]).code, Some(2));
}

#[test]
fn a_search_that_is_stopped_says_so_and_gives_no_counts() {
    let ended = explore(&[PAUSED_HOLDER, "--variant", "unfenced", "--states", "50"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.results.contains("Incomplete: more than 50 states, so there are no counts."), "{}", ended.results);
    assert!(ended.errors.contains("unfenced: it has more than 50 states, the most that --states "), "{}", ended.errors);
    let one = explore(&[PAUSED_HOLDER, "--variant", "unfenced", "--states", "1"]);
    assert!(one.errors.contains("it has more than 1 state, the most"), "{}", one.errors);
    let json = explore(&[PAUSED_HOLDER, "--variant", "unfenced", "--states", "50", "--json"]);
    let found: Value = serde_json::from_str(&json.results).expect("it is JSON");
    assert_eq!((&found["complete"], &found["schedules"]), (&Value::from(false), &Value::Null));
    assert_eq!(found["stopped"], "states");
}

/// A copy of the reference scenario with a part of its text replaced.
fn changed(name: &str, part: &str, by: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let text = std::fs::read_to_string(scenario("paused-holder")).expect("the file is there");
    let file = folder.join(name).with_extension("toml");
    std::fs::write(&file, text.replace(part, by)).expect("it can be written");
    file.to_str().expect("the path is text").to_string()
}

#[test]
fn a_file_that_says_what_is_not_so_ends_with_one() {
    let file = changed("untrue", "violates = [\"lost-update\"]", "violates = [\"stale-write-accepted\"]");
    let ended = explore(&[&file, "--variant", "fenced"]);
    assert_eq!(ended.code, Some(1));
    assert_eq!(
        ended.errors,
        "fenced: no schedule violates stale-write-accepted, which \"violates\" names. Take it out.\n\
         fenced: 1,872 schedules violate lost-update. Name it in \"violates\".\n"
    );
}

/// The last lines of what is printed about a variant: what of the file wasn't checked.
#[track_caller]
fn not_checked(arguments: &[&str], expected: &[&str]) {
    let ended = explore(arguments);
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""), "{arguments:?}");
    let lines = ended.results.lines().filter_map(|line| line.strip_prefix("Not checked against the file: "));
    assert_eq!(lines.collect::<Vec<_>>(), expected, "{arguments:?}");
}

#[test]
fn what_of_the_file_was_not_checked_is_said_with_the_reason() {
    let of = |more: &[&'static str]| [&[PAUSED_HOLDER, "--variant", "fenced"], more].concat();
    not_checked(&of(&[]), &[]);
    let others = "stale-write-accepted, token-regression, no-progress; ";
    not_checked(&of(&["--look-for", "lost-update"]), &[&format!("{others}left out by --look-for.")]);
    let silent = "random schedules that don't show it say nothing about the others.";
    not_checked(&of(&["--random", "1000"]), &[&format!("{others}{silent}")]);
    let changed = "it is about what the file assumes, and --set or --assume changed that.";
    not_checked(&of(&["--set", "expiries=1"]), &[changed]);
    not_checked(&of(&["--assume", "nothing"]), &[changed]);
    let run = "a lesson speaks of one run, which `racescope check` checks.";
    not_checked(&["paused-holder", "--variant", "lease-only"], &[run]);
    let found = explore(&of(&["--look-for", "lost-update", "--json"]));
    let found: Value = serde_json::from_str(&found.results).expect("it is JSON");
    assert_eq!(found["claims"]["checked"], serde_json::json!(["lost-update"]));
    assert_eq!(found["claims"]["not_checked"]["no-progress"], "left out by --look-for");
}

#[test]
fn what_random_schedules_find_is_held_against_the_file() {
    let file = changed("untrue-at-random", "violates = [\"lost-update\"]", "violates = [\"stale-write-accepted\"]");
    let ended = explore(&[&file, "--variant", "fenced", "--random", "1000"]);
    assert_eq!(
        (ended.code, ended.errors.as_str()),
        (Some(1), "fenced: 66 schedules violate lost-update. Name it in \"violates\".\n")
    );
    let ended = explore(&[&file, "--variant", "fenced", "--look-for", "stale-write-accepted"]);
    assert_eq!(ended.code, Some(1), "{}", ended.errors);
}

#[test]
fn json_has_what_the_counts_stand_on() {
    let json = |arguments: &[&str]| -> Value {
        let ended = explore(&[&[PAUSED_HOLDER, "--variant", "unfenced", "--json"], arguments].concat());
        serde_json::from_str(&ended.results).expect("it is JSON")
    };
    let of_the_file = json(&[]);
    assert_eq!((&of_the_file["granularity"], &of_the_file["actions_per_call"]), (&"call".into(), &1.into()));
    let assumed = of_the_file["assumptions"].as_object().expect("an object").clone();
    let set: Vec<(&str, u64)> =
        assumed.iter().filter_map(|(name, number)| Some((name.as_str(), number.as_u64()?))).collect();
    assert_eq!(set.len(), 13);
    assert_eq!(set.iter().filter(|(_, number)| *number > 0).collect::<Vec<_>>(), [&("expiries", 2), &("pauses", 1)]);
    for more in [&["--assume", "crashes=2", "--random", "9"][..], &["--assume", "crashes=2", "--replay", "9"]] {
        let found = json(more);
        assert_eq!((&found["assumptions"]["crashes"], &found["assumptions"]["expiries"]), (&2.into(), &0.into()));
    }
}

#[test]
fn one_schedule_is_told_as_one() {
    let ended = explore(&["tests/scenarios/voucher.toml", "--variant", "conditional-update", "--set", "clients=1"]);
    assert!(
        ended.results.contains("\n1 client; processes may pause; at most 1 lease ends early; "),
        "{}",
        ended.results
    );
    assert!(ended.results.contains("\n1 schedule, the only one, in 3 states.\n"), "{}", ended.results);
    assert!(ended.results.contains("  1.000000  1.000000  1 schedule\n"), "{}", ended.results);
}

#[test]
fn random_schedules_are_counted_and_can_be_looked_at_by_number() {
    let variant = ["--variant", "unfenced"];
    let random = |more: &[&str]| {
        let arguments: Vec<&str> = [PAUSED_HOLDER].iter().chain(&variant).chain(more).copied().collect();
        let ended = explore(&arguments);
        assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
        ended.results
    };
    let found = random(&["--random", "2000", "--seed", "7", "--json"]);
    assert_eq!(found, random(&["--random", "2000", "--seed", "7", "--json"]), "a seed always gives the same");
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    assert_eq!((&found["seed"], &found["schedules"]), (&Value::from(7), &Value::from(2000)));
    let stale: u32 = found["violating"]["stale-write-accepted"].as_str().unwrap_or("").parse().expect("a number");
    assert!((1..2000).contains(&stale), "{stale}");
    let first = found["first"]["stale-write-accepted"].to_string();
    let told = random(&["--replay", &first, "--seed", "7"]);
    assert!(told.starts_with(&format!("unfenced: number {first} of the seed 7: step:")), "{told}");
    let json: Value =
        serde_json::from_str(&random(&["--replay", &first, "--seed", "7", "--json"])).expect("it is JSON");
    assert_eq!(
        (&json["number"], &json["violates"][0]),
        (&found["first"]["stale-write-accepted"], &"lost-update".into())
    );
    assert!(
        json["steps"].as_array().is_some_and(|steps| told.contains(&format!(": {} ", steps[0].as_str().unwrap_or(""))))
    );
    assert!(json["events"].as_array().is_some_and(|events| events.len() > 10));
    assert!(random(&["--random", "10", "--seed", "3"]).contains("\n10 random schedules from the seed 3; "));
    assert!(random(&["--random", "1"]).contains("\n1 random schedule from the seed 1; "));
}
