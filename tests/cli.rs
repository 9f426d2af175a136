//! The command-line program from outside: exit codes, and what goes where.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a call printed and how it ended.
struct Ended {
    code: Option<i32>,
    results: String,
    errors: String,
}

fn racescope(arguments: &[&str]) -> Ended {
    let output = Command::new(env!("CARGO_BIN_EXE_racescope"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    Ended { code: output.status.code(), results: text(output.stdout), errors: text(output.stderr) }
}

/// A copy of a lesson with its TOML changed.
fn changed(name: &str, change: impl Fn(&str) -> String) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
    fs::create_dir_all(&folder).expect("the folder can be made");
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons/paused-holder");
    let toml = fs::read_to_string(original.join("lesson.toml")).expect("it is there");
    fs::write(folder.join("lesson.toml"), change(&toml)).expect("it can be written");
    fs::copy(original.join("lesson.md"), folder.join("lesson.md")).expect("it can be copied");
    folder
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("the path is text")
}

#[test]
fn check_says_what_it_checked() {
    let ended = racescope(&["check"]);
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
    assert!(
        ended.results.starts_with("lessons/paused-holder: 2 variants, 2 challenges: as they say\n"),
        "{}",
        ended.results
    );
    let one = racescope(&["check", "lessons/early-check/lesson.toml"]);
    assert!(one.results.starts_with("lessons/early-check: 3 variants, "), "{}", one.results);
    assert!(one.results.ends_with(": as they say\n") && one.results.lines().count() == 1, "{}", one.results);
}

#[test]
fn a_lesson_that_does_not_show_what_it_says_ends_with_one() {
    let folder = changed("untrue", |toml| toml.replace("lasts = \"4.2 s\"", "lasts = \"0.2 s\""));
    let check = racescope(&["check", path(&folder)]);
    assert_eq!((check.code, check.results.as_str()), (Some(1), ""));
    assert!(
        check.errors.contains("variants[1].violates[2]: the run doesn't violate \"lost-update\"."),
        "{}",
        check.errors
    );
    for line in check.errors.lines() {
        let place = line.strip_prefix(&format!("{}/lesson.", path(&folder))).and_then(|rest| rest.split(':').nth(1));
        assert!(place.is_some_and(|line| line.parse::<usize>().is_ok()), "{line}");
    }
    let run = racescope(&["run", path(&folder), "--variant", "lease-only"]);
    assert_eq!(run.code, Some(1));
    assert!(run.results.contains("\nClean. "), "{}", run.results);
    assert!(run.errors.starts_with("lease-only: this is not what the lesson says."), "{}", run.errors);
}

#[test]
fn bad_input_ends_with_two_and_a_place() {
    let folder = changed("bad", |toml| toml.replace("latency = \"200 ms\"", "latency = \"200\""));
    for command in ["check", "run"] {
        let ended = racescope(&[command, path(&folder)]);
        let place = format!("{}/lesson.toml:22: nodes.lock.latency: \"200\" has no unit.", path(&folder));
        assert_eq!((ended.code, ended.results.as_str()), (Some(2), ""));
        assert!(ended.errors.starts_with(&place), "{}", ended.errors);
    }
}

#[test]
fn check_looks_at_the_good_lessons_beside_the_bad_ones() {
    let good = changed("library/good", str::to_owned);
    changed("library/bad", |toml| toml.replace("format = 1", "format = 2"));
    let ended = racescope(&["check", path(good.parent().expect("it lies in a folder"))]);
    assert_eq!(ended.code, Some(2));
    assert_eq!(ended.results, format!("{}: 2 variants, 2 challenges: as they say\n", path(&good)));
    assert!(ended.errors.contains("library/bad/lesson.toml:"), "{}", ended.errors);
}

#[test]
fn a_folder_without_lessons_is_no_input() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli/nothing");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let ended = racescope(&["check", path(&folder)]);
    let cure = "Name a folder that holds lessons, each a folder with a lesson.toml and a lesson.md.";
    assert_eq!((ended.code, ended.results.as_str()), (Some(2), ""));
    assert_eq!(ended.errors, format!("{}: there is no lesson in this folder. {cure}\n", path(&folder)));
}

#[test]
fn a_link_leads_to_a_lesson_of_ours_or_to_one_that_is_checked_with_it() {
    let folder = changed("linked/one", str::to_owned);
    changed("linked/two", |toml| toml.replace("order = 1\n", "order = 2\n"));
    let file = folder.join("lesson.md");
    let text = fs::read_to_string(&file).expect("it is there");
    let links = "\n\nSee [the check](../early-check/), [the other](../two/) and [nothing](../three/).\n";
    fs::write(&file, text.trim_end().to_owned() + links).expect("it can be written");
    let both = racescope(&["check", path(folder.parent().expect("it lies in a folder"))]);
    assert_eq!(both.code, Some(1));
    assert!(
        both.errors.contains("there is no lesson \"three\"") && both.errors.lines().count() == 1,
        "{}",
        both.errors
    );
    let alone = racescope(&["check", path(&folder)]);
    assert!(alone.errors.contains("there is no lesson \"two\""), "{}", alone.errors);
}

#[test]
fn the_build_has_left_out_no_lesson() {
    let bad = env!("RACESCOPE_BAD_LESSONS");
    assert_eq!(bad, "0", "{bad} in lessons/ can't be read; `racescope check` says why");
}

#[test]
fn the_schema_for_editors_is_the_one_that_the_reader_keeps() {
    let schemas: [(&[&str], _); 2] =
        [(&["schema"], "docs/lesson.schema.json"), (&["schema", "--scenario"], "docs/scenario.schema.json")];
    for (arguments, name) in schemas {
        let ended = racescope(arguments);
        assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let kept = fs::read_to_string(file).expect("the schema is there");
        assert!(kept == ended.results, "write it anew: cargo run -- {} > {name}", arguments.join(" "));
    }
}

#[test]
fn what_is_not_there_ends_with_two_and_the_names_that_are() {
    let lesson = racescope(&["run", "nowhere"]);
    assert_eq!((lesson.code, lesson.results.as_str()), (Some(2), ""));
    assert!(lesson.errors.contains("paused-holder"), "{}", lesson.errors);
    let variant = racescope(&["run", "paused-holder", "--variant", "nothing"]);
    assert_eq!((variant.code, variant.results.as_str()), (Some(2), ""));
    assert!(variant.errors.contains("lease-only, lease-and-token"), "{}", variant.errors);
    assert_eq!(racescope(&["check", "nowhere"]).code, Some(2));
    assert_eq!(racescope(&["fly"]).code, Some(2));
    assert_eq!(racescope(&["--help"]).code, Some(0));
}

#[test]
fn run_tells_each_variant_from_the_first_event_to_the_verdict() {
    let ended = racescope(&["run", "paused-holder"]);
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
    let paragraphs: Vec<&str> = ended.results.split("\n\n").collect();
    let [broken, fenced] = paragraphs.as_slice() else { panic!("{}", ended.results) };
    assert!(broken.starts_with("lease-only: Lease only."));
    assert!(broken.contains("\n  0.20 s  A"));
    assert!(broken.contains("\nBroken at 6.00 s."));
    assert!(fenced.contains("\nHolds."));
    assert_eq!(racescope(&["run", "lessons/paused-holder/lesson.toml"]).results, ended.results);
}

#[test]
fn json_has_one_object_for_each_variant() {
    let ended = racescope(&["run", "paused-holder", "--json"]);
    let runs: Vec<serde_json::Value> =
        ended.results.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    assert_eq!(runs.len(), 2);
    let (broken, fenced) = (&runs[0], &runs[1]);
    assert_eq!(broken["variant"], "lease-only");
    assert_eq!(broken["complete"], true);
    assert_eq!(broken["verdict"]["broken"], true);
    assert_eq!(broken["verdict"]["violates"], serde_json::json!(["lost-update", "stale-write-accepted"]));
    assert_eq!(broken["events"][0]["at_us"], 200_000);
    assert_eq!(broken["events"][0]["at"], "0.20 s");
    assert_eq!(broken["events"][0]["place"], "A");
    assert!(broken["events"][0]["sentence"].is_string());
    assert_eq!(fenced["verdict"]["violates"], serde_json::json!([]));
    assert_eq!(fenced["verdict"]["broken"], false);
}
