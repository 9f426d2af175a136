//! Keeps `docs/conformance.md`: the tests that carry an id in their names, and those of
//! the table, are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The tests of an id: each with the file that it lies in.
type Tests = BTreeMap<String, BTreeSet<(String, String)>>;

/// The tests of the engine that carry an id.
fn engine_tests() -> Tests {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine/tests");
    let mut tests = Tests::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the engine has tests").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = path.strip_prefix(&root).expect("it lies in there").with_extension("");
                let text = fs::read_to_string(&path).expect("a test file is text");
                note(&mut tests, &file.display().to_string(), &text);
            }
        }
    }
    tests
}

/// Notes the tests of a file that carry an id. A function is a test if its attributes
/// say so.
fn note(tests: &mut Tests, file: &str, text: &str) {
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        match line.strip_prefix("fn ").and_then(|rest| rest.split('(').next()) {
            Some(name) if is_test => {
                if let Some(id) = id_of(name) {
                    tests.entry(id).or_default().insert((file.to_string(), name.to_string()));
                }
                is_test = false;
            }
            _ => is_test = line == "#[test]" || is_test && line.starts_with("#["),
        }
    }
}

/// The id that a name begins with, such as `Z3b`: letters, digits, and perhaps a letter
/// that tells it from its neighbours.
fn id_of(name: &str) -> Option<String> {
    let (id, _) = name.split_once('_')?;
    let digits = id.find(|letter: char| letter.is_ascii_digit())?;
    let (letters, rest) = id.split_at(digits);
    let number = rest.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let is_id =
        !letters.is_empty() && rest.len() - number.len() <= 1 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_id.then(|| letters.to_ascii_uppercase() + rest)
}

/// How the tables of ids begin; there are others beside them.
const HEAD: &str = "| id | file | tests |";

/// The rows of these tables, by their ids. What is named twice is a complaint.
fn rows(text: &str) -> (Tests, Vec<String>) {
    let mut rows = Tests::new();
    let mut complaints = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        is_inside = line == HEAD || is_inside && line.starts_with('|');
        if !is_inside || line == HEAD || line.starts_with("| ---") {
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let &[id, file, names] = cells.as_slice() else {
            complaints.push(format!("a row has an id, a file and tests: {line}"));
            continue;
        };
        let row = rows.entry(id.to_string()).or_default();
        for name in quoted(names) {
            if !row.insert((quoted(file).concat(), name.to_string())) {
                complaints.push(format!("{id}: `{name}` stands there twice"));
            }
        }
    }
    (rows, complaints)
}

fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// What is wrong with a table, given the tests that there are.
fn complaints(text: &str, tests: &Tests) -> Vec<String> {
    let (rows, mut complaints) = rows(text);
    let none = BTreeSet::new();
    let ids: BTreeSet<&String> = rows.keys().chain(tests.keys()).collect();
    for id in ids {
        let (row, tests) = (rows.get(id).unwrap_or(&none), tests.get(id).unwrap_or(&none));
        let named = |(file, name): &(String, String)| format!("`{name}` in `{file}`");
        complaints.extend(row.difference(tests).map(|test| format!("{id}: there is no test {}", named(test))));
        complaints.extend(tests.difference(row).map(|test| format!("{id}: {} is missing in the table", named(test))));
        if row.is_empty() && tests.is_empty() {
            complaints.push(format!("{id}: no test at all"));
        }
    }
    complaints
}

#[test]
fn the_table_has_the_tests_with_ids_and_no_others() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/conformance.md");
    let text = fs::read_to_string(path).expect("docs/conformance.md is there");
    assert_eq!(complaints(&text, &engine_tests()), Vec::<String>::new());
}

#[test]
fn a_table_that_does_not_fit_is_found() {
    let mut tests = Tests::new();
    let text = "#[test]\nfn r1_a() {\n#[test]\n#[should_panic]\nfn r1_b() {\nfn r1_c() {\n#[test]\nfn rule_2_d() {";
    note(&mut tests, "redis", text);
    let said =
        |rows: &str| complaints(&format!("{HEAD}\n| --- | --- | --- |\n{rows}\n\n| other | `redis` | `x` |"), &tests);
    let both = "| R1 | `redis` | `r1_a`, `r1_b` |";
    assert_eq!(said(both), Vec::<String>::new());
    assert_eq!(said("| R1 | `redis` | `r1_a` |"), ["R1: `r1_b` in `redis` is missing in the table"]);
    assert_eq!(said("").len(), 2, "a row is missing");
    let three = "| R1 | `redis` | `r1_a`, `r1_b`, `r1_c` |";
    assert_eq!(said(three), ["R1: there is no test `r1_c` in `redis`"], "it has no #[test]");
    assert_eq!(said("| R1 | `etcd` | `r1_a`, `r1_b` |").len(), 4, "they lie in another file");
    let twice = format!("{both}\n{both}");
    assert_eq!(said(&twice), ["R1: `r1_a` stands there twice", "R1: `r1_b` stands there twice"]);
    assert_eq!(said(&format!("{both}\n| R2 | `redis` | `` |")).len(), 1, "a row without a test");
}

#[test]
fn an_id_is_letters_a_number_and_perhaps_a_letter() {
    let ids = ["r10b_x", "co1_x", "e11_in_3_4_x", "rule_2_x", "of_x", "r1bc_x", "x"].map(id_of);
    assert_eq!(ids.map(Option::unwrap_or_default), ["R10b", "CO1", "E11", "", "", "", ""]);
}
