//! The schema for editors says of a `lesson.toml` what the reader says of it, as far
//! as one field shows it.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use racescope_lesson::author::{read_lesson, read_library, scenario_schema, schema};
use serde_json::Value;

fn validator() -> Validator {
    validator_of(&schema())
}

fn validator_of(schema: &str) -> Validator {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::draft7::meta::validate(&schema).expect("it is a schema");
    jsonschema::draft7::new(&schema).expect("it can be used")
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A file as JSON; `None` if it isn't TOML.
fn json(file: &Path) -> Option<Value> {
    toml::from_str(&fs::read_to_string(file).expect("the file is there")).ok()
}

/// What the schema complains about.
fn complaints(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The good lesson with a change.
fn changed(change: impl Fn(&str) -> String) -> Value {
    toml::from_str(&change(include_str!("good.toml"))).expect("it is TOML")
}

#[test]
fn every_lesson_fits_the_schema_that_it_names() {
    let validator = validator();
    let shelf = read_library(&here().join("../lessons"));
    let files: Vec<PathBuf> = shelf.drafts.iter().map(|draft| draft.folder.join("lesson.toml")).collect();
    assert!(files.len() >= 2);
    for file in files {
        let text = fs::read_to_string(&file).expect("the file is there");
        let name = text.lines().next().and_then(|line| line.strip_prefix("#:schema ")).unwrap_or_default();
        assert!(file.with_file_name(name).is_file(), "{}: the first line names the schema", file.display());
        assert_eq!(complaints(&validator, &json(&file).expect("it is TOML")), [""; 0], "{}", file.display());
    }
}

#[test]
fn every_scenario_file_fits_the_schema_that_it_names() {
    let validator = validator_of(&scenario_schema());
    let folder = fs::read_dir(here().join("../tests/scenarios")).expect("the scenarios are there");
    let mut files = 0;
    for entry in folder {
        let file = entry.expect("it can be read").path();
        let text = fs::read_to_string(&file).expect("the file is there");
        let name = text.lines().next().and_then(|line| line.strip_prefix("#:schema ")).unwrap_or_default();
        assert!(file.with_file_name(name).is_file(), "{}: the first line names the schema", file.display());
        assert_eq!(complaints(&validator, &json(&file).expect("it is TOML")), [""; 0], "{}", file.display());
        files += 1;
    }
    assert!(files >= 1);
}

#[test]
fn what_the_schema_refuses_the_reader_refuses_too() {
    let validator = validator();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema");
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::copy(here().join("tests/good.md"), folder.join("lesson.md")).expect("the file can be copied");
    let mut accepted = 0;
    for entry in fs::read_dir(here().join("tests/broken")).expect("the folder is there") {
        let file = entry.expect("it can be read").path();
        if file.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        fs::copy(&file, folder.join("lesson.toml")).expect("the file can be copied");
        if read_lesson(&folder).is_ok() {
            accepted += 1;
            assert_eq!(complaints(&validator, &json(&file).expect("it is TOML")), [""; 0], "{}", file.display());
        }
    }
    assert!(accepted >= 4, "some files are wrong only when they are run");
}

#[test]
fn what_one_field_shows_the_schema_refuses() {
    let validator = validator();
    let names = [
        "busy-not-dealt-with",
        "duration-negative",
        "duration-of-no-time",
        "duration-with-unknown-unit",
        "duration-without-unit",
        "empty-text",
        "fault-of-two-kinds",
        "format-missing",
        "format-of-the-future",
        "harmless-property",
        "missing-fields",
        "node-of-no-kind",
        "node-of-two-kinds",
        "number-out-of-bounds",
        "outcome-of-another-step",
        "program-without-steps",
        "source-without-https",
        "too-many-variants",
        "unknown-field",
        "unknown-kind-of-step",
        "unknown-property",
        "wrong-kinds-of-values",
    ];
    for name in names {
        let file = here().join("tests/broken").join(name).with_extension("toml");
        assert_ne!(complaints(&validator, &json(&file).expect("it is TOML")), [""; 0], "{name}");
    }
}

#[test]
fn an_unknown_field_is_refused_wherever_it_is() {
    let validator = validator();
    assert!(validator.is_valid(&changed(str::to_owned)));
    let places = [
        ("order = 1", "\n"),
        ("[nodes]", "\n"),
        ("title = \"Lock service\"", ", "),
        ("on_busy = \"stop\"", ", "),
        ("lasts = \"4 s\"", "\n"),
        ("id = \"lease-only\"", "\n"),
    ];
    for (place, separator) in places {
        let value = changed(|toml| toml.replacen(place, &format!("{place}{separator}colour = \"red\""), 1));
        assert!(!validator.is_valid(&value), "{place}");
    }
}

#[test]
fn what_depends_on_another_field_is_known() {
    let validator = validator();
    let with = |from: &str, to: &str| validator.is_valid(&changed(|toml| toml.replacen(from, to, 1)));
    assert!(with("on_busy = \"stop\"", "blocking = true"));
    assert!(with("on_busy = \"stop\"", "blocking = false, on_busy = \"stop\""));
    assert!(!with("on_busy = \"stop\"", "blocking = true, on_busy = \"stop\""));
    assert!(!with("on_busy = \"stop\"", "blocking = false"));
    let with_overlay =
        |fields: &str| validator.is_valid(&changed(|toml| format!("{toml}\n[variants.nodes.storage]\n{fields}")));
    assert!(with_overlay("guard = \"fence-below\""), "a variant needs only what differs");
    assert!(!with_overlay("guard = \"fence\""));
    assert!(!with_overlay("guard = \"fence-below\"\nttl = \"3 s\""));
}
