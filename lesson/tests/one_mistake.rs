//! One mistake gets one message.
//!
//! Each field of the lessons is broken, one at a time: another kind of value, a value
//! that means nothing there, nothing at all. Whatever is said beyond the first message
//! only follows from it, and sends the author to places that are right.

mod toml_text;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use racescope_lesson::author::{read_lesson, read_library, schema};
use serde_json::Value as Json;
use toml::Value;
use toml_text::{file, written};

/// The way to a value: names of fields, and places in lists.
type Way = Vec<Place>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Name(String),
    Number(usize),
}

/// All values in a table, however deep.
fn ways(value: &Value, way: &Way, found: &mut Vec<Way>) {
    let mut go = |place: Place, value: &Value| {
        let way = [way.as_slice(), &[place]].concat();
        ways(value, &way, found);
        found.push(way);
    };
    match value {
        Value::Table(table) => table.iter().for_each(|(name, value)| go(Place::Name(name.clone()), value)),
        Value::Array(array) => array.iter().enumerate().for_each(|(number, value)| go(Place::Number(number), value)),
        _ => {}
    }
}

/// The value at the end of a way.
fn at<'v>(root: &'v mut Value, way: &[Place]) -> &'v mut Value {
    way.iter().fold(root, |value, place| match place {
        Place::Name(name) => &mut value[name.as_str()],
        Place::Number(number) => &mut value[*number],
    })
}

/// What a value is replaced by, one after the other; `None` takes it out.
fn breakages(value: &Value) -> Vec<Option<Value>> {
    let mut all = vec![None, Some(Value::Integer(70_000))];
    match value {
        Value::String(_) => all.push(Some(Value::from("no such thing!"))),
        Value::Boolean(_) => all.push(Some(Value::from("yes"))),
        Value::Integer(_) => all.extend([Some(Value::Integer(-1)), Some(Value::from("1"))]),
        Value::Table(_) | Value::Array(_) => all.push(Some(Value::Boolean(true))),
        _ => {}
    }
    all
}

fn broken(root: &Value, way: &Way, by: Option<Value>) -> Value {
    let mut root = root.clone();
    let (last, above) = way.split_last().expect("there is a value");
    let owner = at(&mut root, above);
    match (last, by) {
        (Place::Name(name), None) => {
            owner.as_table_mut().expect("it has names").remove(name);
        }
        (Place::Number(number), None) => {
            owner.as_array_mut().expect("it has places").remove(*number);
        }
        (_, Some(by)) => *at(&mut root, way) = by,
    }
    root
}

/// What is said about a lesson.
fn messages(folder: &Path, root: &Value) -> Vec<String> {
    fs::write(folder.join("lesson.toml"), file(root.as_table().expect("a file is a table"))).expect("it can be kept");
    let mistakes = read_lesson(folder).err().unwrap_or_default();
    let prefix = format!("{}/", folder.display());
    mistakes.iter().map(|mistake| mistake.to_string().replace(&prefix, "")).collect()
}

/// What tells a field from others: what it is called, and what kind of table it is in.
fn key(root: &Value, way: &Way) -> String {
    let is_own = |place: usize| {
        place > 0 && matches!(&way[place - 1], Place::Name(above) if above == "nodes" || above == "programs")
    };
    let names: Vec<&str> = (0..way.len())
        .map(|place| match &way[place] {
            Place::Name(name) if !is_own(place) => name.as_str(),
            _ => "",
        })
        .collect();
    let owner = at(&mut root.clone(), &way[..way.len() - 1]).clone();
    let first = owner.as_table().and_then(|table| table.keys().next().cloned()).unwrap_or_default();
    let says = |name: &str| owner.get(name).map_or(String::new(), written);
    format!("{} {first} {} {} {}", names.join("."), says("step"), says("keeps"), says("means"))
}

/// What is said of a lesson's breakages beyond one message. What another lesson has
/// been broken by already is left out.
fn beyond_one_message(name: &str, toml: &str, tried: &mut BTreeSet<String>) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("one-mistake");
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join("lesson.md"), include_str!("good.md")).expect("the file can be written");
    let root: Value = toml::from_str(toml).expect("it is TOML");
    let mut beyond = String::new();
    let whole = messages(&folder, &root);
    assert!(whole.is_empty(), "{name} is good: {whole:?}");
    let mut all = Vec::new();
    ways(&root, &Vec::new(), &mut all);
    for way in all.iter().filter(|way| tried.insert(key(&root, way))) {
        for by in breakages(at(&mut root.clone(), way)) {
            let messages = messages(&folder, &broken(&root, way, by.clone()));
            // What isn't there needn't be wrong, and then others may be.
            let is_mistake = by.is_some() || messages.iter().any(|message| message.contains(": is missing. "));
            if is_mistake && messages.len() > 1 {
                beyond += &format!("{name}: {way:?} as {by:?}\n  {}\n", messages.join("\n  "));
            }
        }
    }
    beyond
}

/// The names of all fields in a schema.
fn fields(schema: &Json, names: &mut BTreeSet<String>) {
    match schema {
        Json::Object(parts) => {
            let properties = parts.get("properties").and_then(Json::as_object);
            names.extend(properties.into_iter().flat_map(|properties| properties.keys().cloned()));
            parts.values().for_each(|part| fields(part, names));
        }
        Json::Array(parts) => parts.iter().for_each(|part| fields(part, names)),
        _ => {}
    }
}

#[test]
fn each_wrong_field_gets_one_message() {
    let mut tried = BTreeSet::new();
    let mut beyond = beyond_one_message("rest", include_str!("one_mistake/rest.toml"), &mut tried);
    for draft in read_library(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons")).drafts {
        let toml = fs::read_to_string(draft.folder.join("lesson.toml")).expect("the file is there");
        beyond += &beyond_one_message(&draft.lesson.id, &toml, &mut tried);
    }
    assert!(beyond.is_empty(), "{beyond}");
    let broken: BTreeSet<&str> = tried.iter().filter_map(|key| key.split(' ').next()?.rsplit('.').next()).collect();
    let mut names = BTreeSet::new();
    fields(&serde_json::from_str(&schema()).expect("the schema is JSON"), &mut names);
    names.retain(|name| !broken.contains(name.as_str()));
    assert_eq!(names, BTreeSet::new(), "these fields of the format were not broken");
}
