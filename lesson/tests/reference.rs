//! Every example of the reference for authors runs, and does what stands below it;
//! every name of the format stands in the reference.
//!
//! An example is a block of TOML. What it leaves out is taken from the whole lesson in
//! `docs/lesson-format.md`. A block of text right behind an example says what comes of
//! it: what clients said and heard, and what the judges say. With `RACESCOPE_BLESS=1`
//! these blocks are written anew, to be read before they are committed.

mod toml_text;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

use racescope_engine::check::judge;
use racescope_engine::sim::{Change, Fault, Outcome, Scenario, Trace, run_timed};
use racescope_engine::system::setup::{kinds, variants};
use racescope_lesson::author::{
    Draft, Mistake, Settings, prove, read_lesson, read_study, scenario_schema, schema, write_duration,
};
use racescope_lesson::names::{danger_name, property_name};
use serde_json::Value as Json;
use toml::{Table, Value};
use toml_text::{file, written};

/// Beside it lie the pages in `docs/reference/`.
const FORMAT: &str = "lesson-format.md";

/// The text of every example.
const STORY: &str = "## Hook\n\nAn example.\n\n## What to look at\n\nA run.\n\n## Recap\n\n- It ran.\n";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// The pages of the reference.
fn pages() -> Vec<PathBuf> {
    let folder = fs::read_dir(docs().join("reference")).expect("the folder is there");
    let mut pages: Vec<PathBuf> = folder.map(|entry| entry.expect("it can be read").path()).collect();
    pages.sort();
    pages.insert(0, docs().join(FORMAT));
    pages
}

/// A fenced block of a page.
struct Block<'t> {
    language: &'t str,
    /// Its lines, without the fences.
    text: &'t str,
    /// Where the text begins, in bytes.
    at: usize,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(fence) = page[at..].find("\n```").map(|found| at + found + 4) {
        let Some(line) = page[fence..].find('\n').map(|found| fence + found + 1) else { break };
        // The fence of an empty block follows at once.
        let end = page[line - 1..].find("\n```").map_or(page.len(), |found| line - 1 + found + 1);
        blocks.push(Block { language: page[fence..line].trim(), text: &page[line..end], at: line });
        at = (end + 3).min(page.len());
    }
    blocks
}

/// The lesson from which examples take what they leave out.
fn frame() -> Table {
    let page = read(&docs().join(FORMAT));
    let blocks = blocks(&page);
    let whole = blocks.iter().find(|block| block.language == "toml" && block.text.contains("format = 1"));
    whole.expect("the page has a whole lesson").text.parse().expect("it is TOML")
}

/// What an example is completed to, and whether it makes claims of its own.
struct Example {
    lesson: Table,
    is_study: bool,
    claims: bool,
}

/// Completes an example: what it has takes the place of what the frame has; nodes and
/// programs do so by name, and then go unless somebody uses them.
fn completed(example: &Table) -> Example {
    let mut lesson = frame();
    let has = |name: &str| example.contains_key(name);
    let is_scenario = has("nodes") || has("programs");
    let claims = has("variants") || has("challenges") || !(is_scenario || has("faults"));
    if is_scenario {
        lesson.remove("faults");
    }
    if !claims {
        let shown = "[[variants]]\nid = 'example'\ntitle = 'Example'\nremark = 'An example'\nreaches = ['gave-up']";
        lesson.extend(shown.parse::<Table>().expect("it is TOML"));
    }
    let is_client = |node: &Value| node.get("client").is_some();
    let own_clients = example.get("nodes").and_then(Value::as_table).is_some_and(|nodes| nodes.values().any(is_client));
    for (name, value) in example {
        match (name.as_str(), lesson.get_mut(name), value) {
            ("nodes", Some(Value::Table(nodes)), Value::Table(own)) => {
                nodes.retain(|_, node| !own_clients || !is_client(node));
                // A node that isn't the author's example comes behind it.
                let others = std::mem::take(nodes);
                nodes.extend(own.clone());
                nodes.extend(others.into_iter().filter(|(name, _)| !own.contains_key(name)));
            }
            ("programs", Some(Value::Table(programs)), Value::Table(own)) => programs.extend(own.clone()),
            _ => {
                lesson.insert(name.clone(), value.clone());
            }
        }
    }
    drop_idle(&mut lesson, "programs");
    drop_idle(&mut lesson, "nodes");
    let is_study = has("tally");
    if is_study {
        let kept = ["format", "title", "granularity", "bounds", "nodes", "programs", "tally", "variants"];
        lesson.retain(|name, _| kept.contains(&name));
        let searched = "[[variants]]\nid = 'example'\ntitle = 'Example'\nremark = 'An example'";
        lesson.extend(searched.parse::<Table>().expect("it is TOML"));
    }
    Example { lesson, is_study, claims }
}

/// Takes out what nothing refers to: of the nodes only servers.
fn drop_idle(lesson: &mut Table, what: &str) {
    let names: Vec<String> = lesson[what].as_table().expect("it is a table").keys().cloned().collect();
    for name in names {
        let mut others = lesson.clone();
        let of_kind = others.get_mut(what).and_then(Value::as_table_mut).expect("it is a table");
        let is_client = of_kind.remove(&name).is_some_and(|node| node.get("client").is_some());
        // What a system keeps is called like the nodes of the frame.
        let others = written(&Value::Table(others)).replace("keeps = ", "");
        if !is_client && !others.contains(&format!("= \"{name}\"")) {
            let table = lesson.get_mut(what).and_then(Value::as_table_mut);
            table.expect("it is a table").remove(&name);
        }
    }
}

fn lines(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

/// How many examples were run.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// What comes of an example, or what is wrong with it.
fn outcome(example: &str) -> Result<String, String> {
    let example: Table = example.parse().map_err(|error| format!("{error}"))?;
    let Example { lesson, is_study, claims } = completed(&example);
    let text = file(&lesson);
    // Tests run beside each other.
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference").join(format!("example-{run}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    if is_study {
        let path = folder.join("example.toml");
        fs::write(&path, text).expect("the file can be written");
        return read_study(&path, Settings::default()).map(|_| String::new()).map_err(|mistakes| lines(&mistakes));
    }
    fs::write(folder.join("lesson.toml"), text).expect("the file can be written");
    fs::write(folder.join("lesson.md"), STORY).expect("the file can be written");
    let draft = read_lesson(&folder).map_err(|mistakes| lines(&mistakes))?;
    let mut mistakes = prove(&draft);
    // What the frame says of its own run isn't said by an example. Faults that are shown
    // by themselves needn't all befall that run.
    let shows_faults = !(example.contains_key("nodes") || example.contains_key("programs"));
    mistakes.retain(|mistake| {
        let field = &mistake.field;
        let is_shown = shows_faults && !claims && field.starts_with("faults");
        !is_shown && (claims || field == "shows" || !(field.contains(".reaches") || field.contains(".violates")))
    });
    mistakes.retain(|mistake| example.contains_key("shows") || mistake.field != "shows");
    if mistakes.is_empty() { Ok(told(&draft)) } else { Err(lines(&mistakes)) }
}

/// What the runs of a lesson show.
fn told(draft: &Draft) -> String {
    let lesson = &draft.lesson;
    let faults: Vec<Fault> = lesson.faults.iter().map(|staged| staged.fault).collect();
    let mut text = String::new();
    for variant in &lesson.variants {
        if lesson.variants.len() > 1 {
            let _ = writeln!(text, "{}:", variant.id);
        }
        let trace = run_timed(&variant.scenario, &faults);
        text += &said(&variant.scenario, &trace);
        let verdict = judge(&variant.scenario, &trace);
        let harm: BTreeSet<&str> = verdict.harm().iter().map(|finding| property_name(finding.property)).collect();
        let reached: BTreeSet<&str> = verdict.sightings.iter().map(|it| danger_name(it.witness)).collect();
        let list = |names: BTreeSet<&str>| {
            if names.is_empty() { "nothing".into() } else { names.into_iter().collect::<Vec<_>>().join(", ") }
        };
        let _ = writeln!(text, "{}: violates {}; reaches {}", moment(trace.end_us()), list(harm), list(reached));
    }
    text
}

/// A moment without what is finer than a millisecond.
fn moment(at_us: u64) -> String {
    write_duration(at_us / 1_000 * 1_000)
}

/// What clients said to real systems, in the order of the answers.
fn said(scenario: &Scenario, trace: &Trace) -> String {
    let mut asked = Vec::new();
    let mut text = String::new();
    for (_, event, change) in trace.changes() {
        let Some(words) = trace.said(event) else { continue };
        let at = moment(event.at_us);
        let who = event.client.and_then(|client| scenario.client(client)).map(|client| client.letter);
        match (who, change) {
            (Some(_), Change::Sent { .. }) => asked.push((event.client, event.call, words)),
            (Some(letter), _) => {
                let command = asked.iter().rfind(|(client, call, _)| (*client, *call) == (event.client, event.call));
                let command = command.map_or("", |(.., words)| *words);
                let is_known = change != Change::Answered { outcome: Outcome::Unexpected };
                let unknown = if is_known { "" } else { " (which the program doesn’t know)" };
                let _ = writeln!(text, "{at} {letter}: {command} → {words}{unknown}");
            }
            (None, _) => {
                let _ = writeln!(text, "{at} {words}");
            }
        }
    }
    text
}

/// A page with what comes of its examples, and what is wrong with those.
fn proven(page: &str) -> (String, String) {
    let mut complaints = String::new();
    let mut new = String::new();
    let mut copied = 0;
    let blocks = blocks(page);
    for (place, block) in blocks.iter().enumerate() {
        if block.language != "toml" || block.text.starts_with("#:schema") {
            continue;
        }
        let line = page[..block.at].matches('\n').count() + 1;
        let shown = match outcome(block.text) {
            Ok(shown) => shown,
            Err(wrong) => {
                let _ = writeln!(complaints, "line {line}: {wrong}");
                continue;
            }
        };
        if let Some(below) = blocks.get(place + 1).filter(|below| below.language == "text") {
            new += &page[copied..below.at];
            new += &shown;
            copied = below.at + below.text.len();
        }
    }
    new += &page[copied..];
    (new, complaints)
}

#[test]
fn every_example_runs_and_does_what_stands_below_it() {
    let mut wrong = String::new();
    for file in pages() {
        let page = read(&file);
        let (new, complaints) = proven(&page);
        if !complaints.is_empty() {
            let _ = writeln!(wrong, "{}:\n{complaints}", file.display());
        }
        if env::var_os("RACESCOPE_BLESS").is_some() {
            fs::write(&file, &new).expect("the page can be written");
        } else if let Some((is, should)) = page.lines().zip(new.lines()).find(|(is, should)| is != should) {
            let _ = writeln!(wrong, "{}: says\n{is}\nbut it is\n{should}", file.display());
        } else if page.len() != new.len() {
            let _ = writeln!(wrong, "{}: says more or less than comes of its examples", file.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn an_example_that_is_wrong_is_found() {
    let says = |page: &str| proven(page).1;
    let example = |fields: &str| format!("\n```toml\n[nodes.storage]\n{fields}```\n");
    let good =
        "storage = \"versioned-register\"\ntitle = \"Storage\"\nguard = \"last-write-wins\"\nlatency = \"9 ms\"\n";
    assert_eq!(says(&example(good)), "");
    assert!(says(&example(&good.replace("last", "first"))).contains("there is no guard \"first-write-wins\""));
    let shown = proven(&(example(good) + "\n```text\nnonsense\n```\nend\n")).0;
    assert!(shown.contains("violates") && !shown.contains("nonsense") && shown.ends_with("```\nend\n"), "{shown}");
}

/// The names of fields and the words that fields can hold, in a schema.
fn names_in(schema: &Json, names: &mut BTreeSet<String>) {
    match schema {
        Json::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("properties", Json::Object(fields)) => names.extend(fields.keys().cloned()),
                    ("enum", Json::Array(words)) => names.extend(words.iter().filter_map(Json::as_str).map(Into::into)),
                    ("const", Json::String(word)) => {
                        names.insert(word.clone());
                    }
                    _ => {}
                }
                names_in(value, names);
            }
        }
        Json::Array(list) => list.iter().for_each(|value| names_in(value, names)),
        _ => {}
    }
}

#[test]
fn every_name_of_the_format_stands_in_the_reference() {
    let text: String = pages().iter().map(|page| read(page)).collect();
    let mut names = BTreeSet::new();
    for schema in [schema(), scenario_schema()] {
        names_in(&serde_json::from_str(&schema).expect("the schema is JSON"), &mut names);
    }
    assert!(names.len() > 150, "the schemas have names: {names:?}");
    names.extend(kinds().into_iter().flat_map(variants).map(ToString::to_string));
    names.extend(["next", "stop", "end"].map(ToString::to_string));
    let is_missing = |name: &&String| {
        let ways = [format!("`{name}`"), format!("`\"{name}\"`"), format!("`[{name}"), format!("`[[{name}")];
        !ways.iter().any(|way| text.contains(way))
    };
    let missing: Vec<&String> = names.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "write about these in docs/lesson-format.md or docs/reference/: {missing:?}");
}

/// What tells the shapes of a list's elements from each other: the first field that each
/// needs, or what it says in this field.
fn shapes_of<'s>(elements: &'s Json, mark: &str) -> Vec<&'s str> {
    let shapes = elements["items"]["oneOf"].as_array().expect("there are several shapes");
    let name = |shape: &'s Json| {
        let said = &shape["properties"][mark]["enum"][0];
        said.as_str().or_else(|| shape["required"][0].as_str()).expect("it has a name")
    };
    shapes.iter().map(name).collect()
}

#[test]
fn every_fault_step_and_system_has_an_example() {
    let schema: Json = serde_json::from_str(&schema()).expect("the schema is JSON");
    let text: Vec<String> = pages().iter().map(|page| read(page)).collect();
    let examples = || text.iter().flat_map(|page| blocks(page)).filter(|block| block.language == "toml");
    let lines: BTreeSet<&str> = examples().flat_map(|block| block.text.lines()).collect();
    let begins = |start: &str| lines.iter().any(|line| line.starts_with(start));
    let program = &schema["properties"]["programs"]["additionalProperties"];
    let faults = shapes_of(&schema["properties"]["faults"], "").into_iter().map(|kind| format!("{kind} = \""));
    let steps = shapes_of(program, "step").into_iter().map(|kind| format!("step = \"{kind}\""));
    let systems = kinds().into_iter().map(|kind| format!("system = \"{kind}\""));
    let all: Vec<String> = faults.chain(steps).chain(systems).collect();
    assert!(all.len() > 14 + 15 + 20, "{all:?}");
    let missing: Vec<&String> = all.iter().filter(|start| !begins(start)).collect();
    assert!(missing.is_empty(), "no example shows these: {missing:?}");
}
