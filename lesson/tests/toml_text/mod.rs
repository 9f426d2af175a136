//! Values as the text of a file.

use toml::{Table, Value};

/// A whole file, with one line for each of its fields.
pub fn file(table: &Table) -> String {
    let lines: Vec<String> = table.iter().map(|(name, value)| format!("{name} = {}", written(value))).collect();
    lines.join("\n") + "\n"
}

/// A value as TOML on one line.
pub fn written(value: &Value) -> String {
    let all = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::String(text) => serde_json::to_string(text).expect("text can be written"),
        Value::Array(list) => format!("[{}]", all(list.iter().map(written).collect())),
        Value::Table(table) => {
            format!("{{ {} }}", all(table.iter().map(|(name, value)| format!("{name} = {}", written(value))).collect()))
        }
        Value::Integer(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Float(_) | Value::Datetime(_) => panic!("the format has no such value: {value:?}"),
    }
}
