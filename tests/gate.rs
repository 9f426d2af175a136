//! `racescope gate` from outside: what it prints, how it ends, and that it can fail.

use std::process::Command;

use racescope_engine::system::grant::Check;
use serde_json::Value;

/// Runs the gate, and gives its exit code, what it printed, and its errors.
fn gate(arguments: &str) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_racescope"))
        .arg("gate")
        .args(arguments.split_whitespace())
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn json(results: &str) -> Value {
    serde_json::from_str(results).expect("it prints JSON")
}

#[test]
fn the_gate_is_open_and_its_json_has_every_field() {
    let (code, results, errors) = gate("--schedules 2000 --json");
    assert_eq!((code, errors.as_str(), results.lines().count()), (Some(0), "", 1));
    let found = json(&results);
    let fields: Vec<&str> = found.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut wanted = vec![
        "seed",
        "schedules",
        "without",
        "good",
        "bad",
        "first_bad",
        "accepted_wrongly",
        "failures",
        "writes",
        "accepted",
        "repeated",
        "refused",
        "hand_off_us",
        "reconciliation_us",
        "exhaustive",
    ];
    wanted.sort_unstable();
    assert_eq!(fields, wanted);
    assert_eq!((&found["good"], &found["bad"], &found["first_bad"]), (&true.into(), &0.into(), &Value::Null));
    let none = |counts: &Value| counts.as_object().is_some_and(|counts| counts.values().all(|count| *count == 0));
    assert!(none(&found["accepted_wrongly"]), "{}", found["accepted_wrongly"]);
    assert_eq!(found["failures"].as_object().map(serde_json::Map::len), Some(16));
    let shares = ["min", "median", "p90", "p99", "max"];
    for times in [&found["hand_off_us"], &found["reconciliation_us"]] {
        let in_order: Vec<u64> = shares.iter().filter_map(|share| times[share].as_u64()).collect();
        assert!(
            in_order.len() == 5
                && in_order.is_sorted()
                && !in_order[1].is_multiple_of(1_000)
                && in_order[4] < 15 * 60 * 1_000_000,
            "{times}"
        );
    }
    let exhaustive = &found["exhaustive"];
    assert_eq!((&exhaustive["complete"], &exhaustive["schedules"]), (&true.into(), &"7422".into()), "{exhaustive}");
    assert_eq!(exhaustive["violating"]["stale-write-accepted"], "0");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let first = gate("--schedules 300 --seed 5");
    assert_eq!((first.0, &first), (Some(0), &gate("--schedules 300 --seed 5")));
    assert_ne!(first.1, gate("--schedules 300 --seed 6").1);
}

#[test]
fn every_check_that_is_left_out_shuts_the_gate_and_the_schedule_can_be_told() {
    for check in Check::ALL {
        let without = format!("--without {}", check.name());
        let (code, results, errors) = gate(&format!("--schedules 1500 --json {without}"));
        assert_eq!((code, json(&results)["good"].as_bool()), (Some(1), Some(false)), "{without}");
        let first = json(&results)["first_bad"].as_u64().expect("one is bad");
        let how = format!("racescope gate --seed 1 {without} --replay {first}");
        assert!(errors.contains(&how), "{errors}");
        let (code, told, errors) = gate(&format!("{without} --replay {first}"));
        assert!(code == Some(1) && told.contains("this must not be: "), "{told}");
        assert!(errors.starts_with(&format!("number {first} is bad: ")), "{errors}");
        let (code, told, _) = gate(&format!("--replay {first}"));
        assert!(code == Some(0) && told.ends_with("Nothing bad was accepted.\n"), "{told}");
    }
}

#[test]
fn the_headline_says_what_both_searches_have_found() {
    let headline = |arguments: &str| gate(arguments).1.lines().next().unwrap_or_default().to_string();
    let small = "of all 7,422 schedules of a small instance";
    let clean = headline("--schedules 1");
    assert_eq!(
        clean,
        format!("1 random schedule of signed grants from the seed 1: nothing bad was accepted; {small}, none is bad.")
    );
    let (code, results, errors) = gate("--schedules 1 --seed 2 --without fence");
    assert_eq!(code, Some(1));
    assert!(results.contains(": nothing bad was accepted; ") && results.contains(" are bad."), "{results}");
    assert!(errors.starts_with("the small instance: All 7,780 schedules, in "), "{errors}");
    let (_, _, errors) = gate("--schedules 1 --without fence");
    assert!(errors.starts_with("1 of 1 random schedule is bad, first number 0."), "{errors}");
}

#[test]
fn a_check_that_there_is_not_ends_with_two_and_the_names_that_there_are() {
    let (code, results, errors) = gate("--without luck");
    assert_eq!((code, results.as_str()), (Some(2), ""));
    assert!(errors.contains("authenticity, resource, epoch, status, policy, owner"), "{errors}");
}
