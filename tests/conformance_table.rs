//! Keeps `docs/conformance.md`: every id of the table has tests that exist, and
//! every test that carries an id stands in the table.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The tests of the engine, as "folder/file: name".
fn engine_tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine/tests");
    let mut tests = BTreeSet::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the engine has tests").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = path.strip_prefix(&root).expect("it lies in there").with_extension("");
                let text = fs::read_to_string(&path).expect("a test file is text");
                tests.extend(functions(&text).map(|name| format!("{}: {name}", file.display())));
            }
        }
    }
    tests
}

/// The names of the functions of a file.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_start);
    lines.filter_map(|line| line.strip_prefix("fn ")?.split('(').next())
}

/// The rows of the table: id, files, tests.
fn rows(text: &str) -> Vec<[String; 3]> {
    let cells = |line: &str| {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_string());
        Some([cells.next()?, cells.next()?, cells.next()?])
    };
    let rows = text.lines().filter(|line| line.contains("| `")).filter_map(cells);
    rows.collect()
}

fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// What is wrong with a table, given the tests that there are.
fn complaints(text: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for [id, files, names] in rows(text) {
        let (files, names) = (quoted(&files), quoted(&names));
        let exists = |name: &&str| files.iter().any(|file| tests.contains(&format!("{file}: {name}")));
        complaints.extend(names.iter().filter(|name| !exists(name)).map(|name| format!("{id}: no test `{name}`")));
        if names.is_empty() {
            complaints.push(format!("{id}: no test at all"));
        }
        let prefix = format!("{}_", id.to_lowercase());
        for file in files {
            let of_id = tests.iter().filter_map(|test| test.strip_prefix(&format!("{file}: ")));
            let missing = of_id.filter(|name| name.starts_with(&prefix) && !names.contains(name));
            complaints.extend(missing.map(|name| format!("{id}: `{name}` is missing in the table")));
        }
    }
    complaints
}

#[test]
fn every_id_has_tests_and_every_such_test_is_in_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/conformance.md");
    let text = fs::read_to_string(path).expect("docs/conformance.md is there");
    assert_eq!(complaints(&text, &engine_tests()), Vec::<String>::new());
    assert!(rows(&text).len() >= 90, "the table has shrunk to {} rows", rows(&text).len());
}

#[test]
fn a_table_that_does_not_fit_is_found() {
    let tests: BTreeSet<String> = ["redis: r1_a", "redis: r1_b"].map(str::to_string).into();
    assert_eq!(complaints("| R1 | `redis` | `r1_a`, `r1_b` |", &tests), Vec::<String>::new());
    assert_eq!(complaints("| R1 | `redis` | `r1_a` |", &tests), ["R1: `r1_b` is missing in the table"]);
    assert_eq!(complaints("| R1 | `redis` | `r1_a`, `r1_b`, `r1_c` |", &tests), ["R1: no test `r1_c`"]);
}
