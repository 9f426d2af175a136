//! The faults that `racescope explore` prints, made again from what was printed: a timed
//! run under them does the same harm.

use std::path::Path;
use std::process::Command;

use racescope_engine::check::judge;
use racescope_engine::explore::Mark;
use racescope_engine::sim::{Fault, run_timed};
use racescope_lesson::author::{Settings, read_study};
use serde_json::{Map, Value};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A name as the engine has it: `message-delay` as `MessageDelay`.
fn plain(name: &str) -> String {
    let upper = |part: &str| part[..1].to_ascii_uppercase() + &part[1..];
    name.split('-').map(upper).collect()
}

/// A fault from its JSON.
fn fault(stated: &Value) -> Fault {
    let mut fields: Map<String, Value> = stated.as_object().expect("a fault is an object").clone();
    let kind = plain(stated["kind"].as_str().expect("it has a kind"));
    for (name, value) in &mut fields {
        match (name.as_str(), &*value) {
            ("call", number) => *value = (number.as_u64().expect("a number") - 1).into(),
            ("on_waking" | "leg", Value::String(word)) => *value = plain(word).into(),
            _ => {}
        }
    }
    let fault = Value::Object(Map::from_iter([(kind, Value::Object(fields))]));
    serde_json::from_value(fault).expect("it is a fault of the engine")
}

/// Explores a variant of a file, makes the faults again, and runs it under them.
#[track_caller]
fn check(file: &str, variant: &str, assumed: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_racescope"));
    command.args(["explore", file, "--variant", variant, "--json"]).current_dir(root());
    let output = command.args(assumed.iter().flat_map(|name| ["--assume", name])).output().expect("it starts");
    let found: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    let study = read_study(&root().join(file), Settings::default()).expect("the file has no mistake");
    let scenario = &study.variants.iter().find(|known| known.id == variant).expect("it is there").scenario;
    let realised = found["realised"].as_object().expect("an object");
    assert!(!realised.is_empty(), "{file}, {variant}: something goes wrong");
    for (name, stated) in realised {
        let mark = Mark::ALL.into_iter().find(|mark| mark.name() == name).expect("it is a mark");
        let stated = stated.as_array().expect("a list");
        let faults: Vec<Fault> = stated.iter().map(fault).collect();
        let trace = run_timed(scenario, &faults);
        assert!(mark.is_harm_in(&trace, &judge(scenario, &trace)), "{file}, {variant}: {name} under {faults:?}");
        let said: Vec<&Value> = stated.iter().map(|stated| &stated["said"]).collect();
        let in_words: Vec<&Value> = found["faults"][name].as_array().into_iter().flatten().collect();
        assert_eq!(said, in_words, "{file}, {variant}: the words are those of the numbers");
    }
}

#[test]
fn what_is_printed_does_the_same_harm_again() {
    for variant in ["unfenced", "fenced", "unfenced-unchecked", "fenced-unchecked"] {
        check("tests/scenarios/paused-holder.toml", variant, &[]);
        check("tests/scenarios/paused-holder.toml", variant, &["clock-steps"]);
    }
    check("matrix/lease.toml", "lease-and-check", &["late-messages"]);
    check("matrix/lease.toml", "lease-only", &["halts"]);
    check("matrix/redis-lock.toml", "release-by-delete", &["state-losses"]);
    check("matrix/no-lock.toml", "no-lock", &["nothing"]);
    check("matrix/payment.toml", "resend", &["duplicates"]);
    check("matrix/cache.toml", "cache-aside", &["nothing"]);
}
