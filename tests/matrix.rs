//! The safety matrix through the command: known cells, what each mechanism withstands,
//! the form of the JSON, the README, and that each cell's page plays the failure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::{env, fs};

use expect_test::expect_file;
use racescope_engine::check::judge;
use racescope_engine::explore::Mark;
use racescope_engine::sim::{Fault, run_timed};
use racescope_lesson::author::{Settings, read_matrix, read_study};
use racescope_lesson::carried::from_text;
use racescope_lesson::{Case, Mechanism};
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn racescope(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_racescope"));
    command.args(arguments).current_dir(root()).output().expect("the program starts")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("it prints text")
}

/// The matrix as JSON; it is computed once for all tests.
static MATRIX: LazyLock<Value> = LazyLock::new(|| {
    let output = racescope(&["matrix", "--json"]);
    assert_eq!((output.status.code(), text(output.stderr).as_str()), (Some(0), ""));
    serde_json::from_str(&text(output.stdout)).expect("it is JSON")
});

/// The same as text.
static TABLE: LazyLock<String> = LazyLock::new(|| text(racescope(&["matrix"]).stdout));

fn list<'a>(of: &'a Value, name: &str) -> &'a Vec<Value> {
    of[name].as_array().expect("it is a list")
}

/// All cells, by the ids of their mechanism and their assumption.
fn cells() -> BTreeMap<(String, String), &'static Value> {
    let id = |of: &Value, name: &str| of[name].as_str().expect("it is text").to_string();
    let rows = list(&MATRIX, "rows").iter();
    rows.flat_map(|row| list(row, "cells").iter().map(move |cell| ((id(row, "id"), id(cell, "column")), cell)))
        .collect()
}

fn said(cell: &Value) -> String {
    match (cell["violating"].as_str(), cell["schedules"].as_str()) {
        (Some(violating), Some(schedules)) => format!("{violating} of {schedules}"),
        _ => format!("stopped by {}", cell["stopped"]),
    }
}

#[track_caller]
fn check(mechanism: &str, assumption: &str, expected: &str) {
    let cell = cells()[&(mechanism.to_string(), assumption.to_string())];
    assert_eq!(said(cell), expected, "{mechanism}, {assumption}");
}

#[test]
fn the_reference_scenario_has_its_counts() {
    check("lease-and-check", "pauses", "1288 of 4846");
    check("fencing-token", "pauses", "0 of 4846");
    check("fencing-token-lost-update", "pauses", "1872 of 4846");
    check("lease-and-check", "clock-steps", "1288 of 4846");
}

#[test]
fn small_cells_can_be_counted_by_hand() {
    // Six orders of two times two statements; in two of them one goes after the other.
    check("check-then-act", "nothing", "4 of 6");
    check("conditional-update", "nothing", "0 of 2");
    // The value comes back only between the other's read and its write.
    check("by-value", "nothing", "1 of 5");
    // The copy arrives before or after the answer to its original, or there is none.
    check("resend", "duplicates", "2 of 3");
    check("resend", "lost-replies", "1 of 2");
    // What was bought stays bought, whatever is restored.
    check("conditional-update", "restores", "2 of 12");
}

#[test]
fn mechanisms_withstand_exactly_what_they_claim_to() {
    let all = ["nothing", "pauses", "clock-steps", "late-messages", "lost-replies", "duplicates", "halts"];
    let with = |more: &[&'static str]| [&all[..], more].concat();
    let withstood = BTreeMap::from([
        ("no-lock", vec![]),
        ("get-then-set", vec![]),
        ("release-by-delete", vec!["nothing", "lost-replies"]),
        ("release-by-owner", vec!["nothing", "lost-replies"]),
        ("lease-only", vec!["nothing", "lost-replies"]),
        ("redlock", vec!["nothing", "lost-replies"]),
        ("lease-and-check", vec!["nothing", "lost-replies", "state-losses", "restores"]),
        ("fence-at-the-client", vec!["nothing", "lost-replies", "state-losses", "restores"]),
        ("fencing-token", with(&["state-losses", "restores"])),
        ("fencing-token-lost-update", vec!["nothing", "lost-replies"]),
        ("version-compare-and-set", with(&["state-losses", "restores"])),
        ("by-value", vec![]),
        ("by-revision", with(&["state-losses", "restores"])),
        ("check-then-act", vec![]),
        ("select-for-update", all.to_vec()),
        ("conditional-update", all.to_vec()),
        ("resend", vec!["nothing", "pauses", "clock-steps", "state-losses", "restores"]),
        ("idempotency-key", with(&["state-losses", "restores"])),
        ("cache-aside", vec![]),
        (
            "cache-lease",
            vec!["nothing", "pauses", "clock-steps", "late-messages", "lost-replies", "duplicates", "state-losses"],
        ),
        ("versioned-set", vec!["nothing", "lost-replies", "duplicates"]),
    ]);
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for row in list(&MATRIX, "rows") {
        let zeros = list(row, "cells").iter().filter(|cell| cell["violating"] == "0" && cell["complete"] == true);
        let zeros = zeros.filter_map(|cell| cell["column"].as_str()).collect();
        found.insert(row["id"].as_str().unwrap_or("").to_string(), zeros);
    }
    let expected: BTreeMap<String, Vec<&str>> =
        withstood.into_iter().map(|(id, zeros)| (id.to_string(), zeros)).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_json_has_rows_and_columns_and_counts_as_digits() {
    let (columns, rows) = (list(&MATRIX, "columns"), list(&MATRIX, "rows"));
    assert!(columns.len() >= 8 && rows.len() >= 14, "{} columns, {} rows", columns.len(), rows.len());
    for ((mechanism, assumption), cell) in cells() {
        let digits =
            |name: &str| cell[name].as_str().is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
        let is_complete = cell["complete"].as_bool().expect("it says whether it is complete");
        let has_counts = ["schedules", "violating"].map(digits);
        assert_eq!(has_counts, [is_complete; 2], "{mechanism}, {assumption}: counts are there if they are complete");
        assert_eq!(cell["stopped"].is_null(), is_complete, "{mechanism}, {assumption}");
        let is_broken = if is_complete { cell["violating"] != "0" } else { cell["playable"] == true };
        assert_eq!(cell["playable"], is_broken, "{mechanism}, {assumption}: what is broken can be played");
        assert!(!is_complete || cell["shortest"].is_array() == is_broken, "{mechanism}, {assumption}");
    }
}

/// The faults of a cell that its column doesn't assume, by their kinds, and how many there
/// are in words.
fn extra(column: &Value, cell: &Value) -> String {
    let assumed = |name: &str| column["assumptions"][name] != 0;
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for fault in list(cell, "faults") {
        let kind = fault["kind"].as_str().expect("a fault has a kind");
        let is_assumed = match kind {
            "pause" => assumed("pauses"),
            "message-delay" => assumed("late_messages"),
            "clock-step" => assumed("clock_steps"),
            "crash" => assumed("crashes") || assumed("halts"),
            "message-loss" => assumed("lost_requests") || assumed("lost_replies"),
            "message-duplicate" => assumed("duplicates"),
            "snapshot-restore" => assumed("restores"),
            "state-loss" => assumed("state_losses"),
            _ => false,
        };
        if !is_assumed {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    kinds.into_iter().fold(String::new(), |listed, (kind, count)| listed + &format!(" {count} {kind}"))
}

#[test]
fn cells_are_played_by_what_is_assumed_and_the_others_say_why_not() {
    let columns: BTreeMap<&str, &Value> =
        list(&MATRIX, "columns").iter().filter_map(|column| Some((column["id"].as_str()?, column))).collect();
    let (mut listed, mut played) = (String::new(), 0);
    for ((mechanism, assumption), cell) in cells() {
        let extra = extra(columns[assumption.as_str()], cell);
        played += usize::from(cell["playable"] == true);
        if !extra.is_empty() {
            listed += &format!("{mechanism}, {assumption}:{extra}\n");
        }
        let page = fs::read_to_string(SITE.join("matrix").join(&mechanism).join("index.html")).expect("it is there");
        let (_, section) = page.split_once(&format!("<section id=\"{assumption}\">")).expect("it has a section");
        let section = section.split("</section>").next().unwrap_or_default();
        let says_why = section.contains("is late without being assumed only brings the order about");
        assert_eq!(says_why, !extra.is_empty(), "{mechanism}, {assumption}: {section}");
    }
    listed += &format!("{played} cells are played in all\n");
    expect_file!["./extra_faults/matrix.txt"].assert_eq(&listed);
}

#[test]
fn what_nothing_can_forget_says_so() {
    let idle: Vec<(String, String)> =
        cells().into_iter().filter(|(_, cell)| cell["applies"] == false).map(|(place, _)| place).collect();
    let at = |mechanism: &str| (mechanism.to_string(), "state-losses".to_string());
    assert_eq!(idle, ["no-lock", "resend", "version-compare-and-set"].map(at));
    let page = fs::read_to_string(SITE.join("matrix/index.html")).expect("it is there");
    assert_eq!(page.matches("<td class=\"idle\">").count(), 3);
    assert_eq!(TABLE.matches("doesn’t apply").count(), 3);
    let of = |mechanism: &str| fs::read_to_string(SITE.join("matrix").join(mechanism).join("index.html"));
    let no_lock = of("no-lock").expect("it is there");
    assert!(no_lock.contains("A service may forget: this doesn’t apply, since nothing there forgets."), "{no_lock}");
    let voucher = of("conditional-update").expect("it is there");
    assert!(voucher.contains("at most 1 loss of all that PostgreSQL knows"), "{voucher}");
}

#[test]
fn every_cell_has_all_its_schedules() {
    for ((mechanism, assumption), cell) in cells() {
        assert_eq!(cell["complete"], true, "{mechanism}, {assumption}");
    }
    assert!(!TABLE.contains("incomplete"));
}

#[test]
fn the_readme_has_the_table() {
    let (path, table) = (root().join("README.md"), TABLE.as_str());
    let readme = fs::read_to_string(&path).expect("it is there");
    let (before, rest) = readme.split_once("<!-- matrix -->\n```text\n").expect("the README has a place for the table");
    let (there, after) = rest.split_once("```\n").expect("the table has an end");
    if there == table {
        return;
    }
    assert!(env::var_os("RACESCOPE_BLESS").is_some(), "the README is out of step: run this with RACESCOPE_BLESS=1");
    fs::write(&path, format!("{before}<!-- matrix -->\n```text\n{table}```\n{after}")).expect("it can be written");
}

#[test]
fn the_scenario_files_show_what_they_say() {
    let matrix = read_matrix(&root().join("matrix")).expect("it has no mistake");
    for study in &matrix.studies {
        let file = root().join("matrix").join(&study.id).with_extension("toml");
        assert_eq!(read_study(&file, Settings::default()).as_ref(), Ok(study));
        let output = racescope(&["explore", file.to_str().expect("the path is text")]);
        assert_eq!((output.status.code(), text(output.stderr).as_str()), (Some(0), ""), "{}", study.id);
    }
    let is_used = |place: usize| matrix.rows().any(|row| usize::from(row.study) == place);
    assert!((0..matrix.studies.len()).all(is_used), "each file has a mechanism of the matrix");
}

/// A site with the pages of the matrix; it is made once for all tests.
static SITE: LazyLock<PathBuf> = LazyLock::new(site);

/// A site with the pages of the matrix, made from a page of an app that is none.
fn site() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("matrix-site");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let page = "<html lang=\"en\"><head><title>x</title><meta name=\"description\" content=\"x\">\n\
                <script type=\"module\" src=\"./boot.js\"></script>\n</head><body><div id=\"app\"><!-- page --></div></body>";
    fs::write(folder.join("index.html"), page).expect("it can be written");
    let output = racescope(&["pages", folder.to_str().expect("the path is text")]);
    assert_eq!((output.status.code(), text(output.stderr).as_str()), (Some(0), ""));
    folder
}

fn carried(page: &str) -> Mechanism {
    let (_, rest) = page.split_once("data-mechanism=\"").expect("the page carries its mechanism");
    let (text, _) = rest.split_once('"').expect("an attribute has an end");
    from_text(text).expect("it is a mechanism")
}

/// Whether a timed run under the faults of a case does the harm that is counted.
fn does_harm(mechanism: &Mechanism, case: &Case, harm: Mark) -> bool {
    let lesson = mechanism.lesson_of(case);
    let scenario = &lesson.variants[0].scenario;
    let trace = run_timed(scenario, &lesson.plain_faults());
    harm.is_harm_in(&trace, &judge(scenario, &trace))
}

#[test]
fn each_cell_leads_to_a_page_that_plays_the_failure() {
    let folder = SITE.join("matrix");
    let table = fs::read_to_string(folder.join("index.html")).expect("the page is there");
    assert!(!table.contains("boot.js"), "the table needs no script");
    let matrix = racescope::matrix();
    let cells = cells();
    for row in matrix.rows() {
        let page = fs::read_to_string(folder.join(&row.id).join("index.html")).expect("each mechanism has a page");
        let mechanism = carried(&page);
        assert_eq!(mechanism.cases.len(), matrix.columns.len());
        for case in &mechanism.cases {
            let place = format!("{}, {}", row.id, case.id);
            assert!(table.contains(&format!("href=\"./{}/#{}\"", row.id, case.id)), "{place}: the cell leads there");
            assert!(page.contains(&format!("<section id=\"{}\">", case.id)), "{place}: also without a script");
            let is_broken = cells[&(row.id.clone(), case.id.clone())]["playable"] == true;
            assert_eq!(does_harm(&mechanism, case, row.harm), is_broken, "{place}");
            let jumps =
                case.faults.iter().any(|staged| matches!(staged.fault, Fault::ClockStep(_) | Fault::ClockRate(_)));
            assert!(!jumps || case.bounds.clock_steps, "{place}: no clock jumps unless that is assumed");
        }
    }
}
