//! The format of `lesson.toml` as a JSON Schema, for editors.
//!
//! It is printed from the tables by which files are read, and knows what can be said
//! about one field at a time. Whether names lead somewhere and whether the runs show
//! what they should, only reading and proving tell.

use serde_json::{Map, Value, json};

use super::document::LESSON;
use super::quantity::unit_names;
use super::scenario_file::SCENARIO;
use super::shape::{Kind, Shape, Slot};

/// The schema of `lesson.toml` as text.
///
/// # Panics
/// Never: text, numbers and lists have JSON.
pub fn schema() -> String {
    document(&LESSON, "A lesson of Racescope")
}

/// The schema of a scenario file as text.
///
/// # Panics
/// Never: text, numbers and lists have JSON.
pub fn scenario_schema() -> String {
    document(&SCENARIO, "A scenario of Racescope")
}

fn document(kind: &Kind, title: &str) -> String {
    let mut schema = of(kind);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$schema".into(), "http://json-schema.org/draft-07/schema#".into());
        schema.insert("title".into(), title.into());
        schema.insert("definitions".into(), definitions());
    }
    // The same order, whatever features of the library others ask for.
    schema.sort_all_objects();
    serde_json::to_string_pretty(&schema).expect("plain data has JSON") + "\n"
}

/// What a field of this kind can hold.
fn of(kind: &Kind) -> Value {
    match *kind {
        Kind::Text => defined("text"),
        Kind::Name => defined("name"),
        Kind::Address => defined("address"),
        Kind::Duration => defined("duration"),
        Kind::Span => defined("span"),
        Kind::Shift => defined("shift"),
        Kind::Rate => defined("rate"),
        Kind::Truth => json!({ "type": "boolean" }),
        Kind::Is(truth) => json!({ "enum": [truth] }),
        Kind::Number(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::OneOf(names) => json!({ "enum": names() }),
        Kind::Answer => json!({ "anyOf": [defined("text"), { "type": "integer", "minimum": 1 }] }),
        Kind::List { of: element, least, most } => list(element, least, most),
        Kind::Table(shapes) => one(shapes(), "oneOf", |slot| slot.example.is_some()),
        Kind::Over(shapes) => one(shapes(), "anyOf", |_| false),
        Kind::Named { of: value, most } => json!({
            "type": "object", "propertyNames": defined("name"), "additionalProperties": of(value), "maxProperties": most
        }),
    }
}

fn list(element: &Kind, least: usize, most: Option<usize>) -> Value {
    let mut list = json!({ "type": "array", "items": of(element), "minItems": least });
    if let Some(most) = most {
        list["maxItems"] = most.into();
    }
    list
}

/// A table of one of these shapes.
fn one(shapes: Vec<Shape>, among: &str, must_be_there: fn(&Slot) -> bool) -> Value {
    let mut tables: Vec<Value> = shapes.into_iter().map(|shape| table(shape, must_be_there)).collect();
    if tables.len() == 1 { tables.remove(0) } else { json!({ among: tables }) }
}

fn table(shape: Shape, must_be_there: fn(&Slot) -> bool) -> Value {
    let slots = || shape.slots.iter().copied().flatten();
    let mut properties: Map<String, Value> = slots().map(|slot| (slot.name.into(), of(&slot.kind))).collect();
    if let Some((field, says)) = shape.mark {
        properties.insert(field.into(), json!({ "enum": [says] }));
    }
    let required: Vec<&str> = slots().filter(|slot| must_be_there(slot)).map(|slot| slot.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn defined(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

fn definitions() -> Value {
    let duration = format!("[0-9]+(\\.[0-9]+)? ?({})", unit_names().join("|"));
    let pattern =
        |description: &str, pattern: &str| json!({ "description": description, "type": "string", "pattern": pattern });
    let mut span = pattern("A duration longer than 0, such as \"200 ms\".", &format!("^{duration}$"));
    span["not"] = json!({ "pattern": "^[0.]+ ?[^0-9.]*$" });
    json!({
        "text": pattern("Text for people, on one line.", "\\S"),
        "name": pattern("1 to 40 letters, digits and dashes.", "^[A-Za-z0-9][A-Za-z0-9-]{0,39}$"),
        "address": pattern("An address that begins with https://.", "^https://"),
        "duration": pattern("A number and a unit, such as \"1.5 s\".", &format!("^{duration}$")),
        "span": span,
        "shift": pattern("A duration with a sign, such as \"+2 s\".", &format!("^[+-]{duration}$")),
        "rate": pattern("The speed of a clock against true time, such as \"1.5\".", "^[0-9]+(\\.[0-9]+)?$"),
    })
}
