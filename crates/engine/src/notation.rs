//! A JSON Schema in few tokens, as models that were trained on many schemas read it.
//!
//! ```text
//! {intent! "FindBus"|"BuyBusTicket",from_location,travelers int,stops [],seat {row int}}
//! ```
//!
//! A property is its name, `!` where it is required, and its type after a blank; without a type
//! it is a string. `models/train/schema.py` tells the notation in full and writes it in training;
//! both are held to the same cases, `models/train/notation-cases.json`. What the notation has no
//! word for (lengths, patterns, bounds) is left out: it guides the model, and the grammar holds
//! the answer to the schema.
//!
//! Cost: bounded, whatever refers to what.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

/// Levels of schemas within schemas that are written; below, anything goes.
const DEPTH: usize = 6;
/// Schemas that are looked at and characters that they give, together: more than any model reads.
/// References lead to a schema as often as they stand there; beyond, anything goes.
const EFFORT: usize = 1 << 16;
const ANY: &str = "any";
const STRING: &str = "string";

/// The notation of a schema, whatever it is; what is not understood is `any`.
pub(crate) fn notation(schema: &Value) -> String {
    let mut writer = Writer {
        root: schema,
        left: EFFORT,
    };
    named(writer.kind(schema, DEPTH))
}

/// A string has no name of its own behind a property; where it stands alone it has.
fn named(kind: String) -> String {
    match kind.is_empty() {
        true => STRING.to_owned(),
        false => kind,
    }
}

struct Writer<'a> {
    root: &'a Value,
    /// What is left of the effort.
    left: usize,
}

impl Writer<'_> {
    fn spend(&mut self, effort: usize) {
        self.left = self.left.saturating_sub(effort);
    }

    /// The type of a schema; nothing for a string.
    fn kind(&mut self, schema: &Value, depth: usize) -> String {
        let fields = schema.as_object().filter(|_| self.left > 0);
        let (Some(fields), Some(below)) = (fields, depth.checked_sub(1)) else {
            return ANY.to_owned();
        };
        self.spend(1);
        if let Some(pointer) = fields.get("$ref").and_then(Value::as_str) {
            return match resolved(self.root, pointer) {
                Some(target) => self.kind(target, below),
                None => ANY.to_owned(),
            };
        }
        if let Some(value) = fields.get("const") {
            return self.literals(std::slice::from_ref(value));
        }
        if let Some(values) = fields.get("enum").and_then(Value::as_array) {
            return self.literals(values);
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(schemas) = fields.get(word).and_then(Value::as_array) {
                return joined(schemas.iter().map(|s| named(self.kind(s, below))));
            }
        }
        if let Some(parts) = fields.get("allOf").and_then(Value::as_array) {
            let whole = merged(fields, parts, self.root);
            self.spend(size(&whole));
            return self.kind(&whole, below);
        }
        match fields.get("type") {
            Some(Value::Array(names)) => joined(
                names
                    .iter()
                    .map(|name| named(self.of_type(name.as_str(), fields, below))),
            ),
            Some(name) => self.of_type(name.as_str(), fields, below),
            None if fields.contains_key("properties") => {
                self.of_type(Some("object"), fields, below)
            }
            None => ANY.to_owned(),
        }
    }

    fn literals(&mut self, values: &[Value]) -> String {
        let text = joined(values.iter().map(Value::to_string));
        self.spend(text.len());
        text
    }

    fn of_type(&mut self, name: Option<&str>, fields: &Map<String, Value>, below: usize) -> String {
        let simple = match name {
            Some("object") => return self.properties(fields, below),
            Some("array") => {
                let items = fields.get("items").unwrap_or(&Value::Bool(true));
                return format!("[{}]", self.kind(items, below));
            }
            Some("string") => match fields.get("format").and_then(Value::as_str) {
                Some("date") => "date",
                Some("time") => "time",
                Some("date-time") => "datetime",
                _ => "",
            },
            Some("integer") => "int",
            Some("number") => "num",
            Some("boolean") => "bool",
            Some("null") => "null",
            _ => ANY,
        };
        simple.to_owned()
    }

    fn properties(&mut self, fields: &Map<String, Value>, below: usize) -> String {
        let required = fields.get("required").and_then(Value::as_array);
        let required: FxHashSet<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let listed = fields.get("properties").and_then(Value::as_object);
        let parts: Vec<String> = listed
            .into_iter()
            .flatten()
            .map(|(key, schema)| {
                let plain = |c: char| c.is_alphanumeric() || "_$.-".contains(c);
                let mut part = match !key.is_empty() && key.chars().all(plain) {
                    true => key.clone(),
                    false => Value::from(key.as_str()).to_string(),
                };
                self.spend(part.len());
                if required.contains(key.as_str()) {
                    part.push('!');
                }
                let kind = self.kind(schema, below);
                if !kind.is_empty() {
                    part.push(' ');
                    part.push_str(&kind);
                }
                part
            })
            .collect();
        self.spend(required.len());
        format!("{{{}}}", parts.join(","))
    }
}

fn joined(alternatives: impl Iterator<Item = String>) -> String {
    alternatives.collect::<Vec<_>>().join("|")
}

fn resolved<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    root.pointer(pointer.strip_prefix('#')?)
}

/// How many values a value is made of.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// An `allOf` as one schema, properties and requirements together.
fn merged(fields: &Map<String, Value>, parts: &[Value], root: &Value) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut whole = Map::new();
    let own = Value::Object(fields.clone());
    for part in parts.iter().chain([&own]) {
        let target = part.get("$ref").and_then(Value::as_str);
        let part = target.map_or(Some(part), |pointer| resolved(root, pointer));
        for (name, value) in part.and_then(Value::as_object).into_iter().flatten() {
            match (name.as_str(), value) {
                ("allOf", _) => {}
                ("properties", Value::Object(inner)) => properties.extend(inner.clone()),
                ("required", Value::Array(names)) => required.extend(names.clone()),
                _ => {
                    whole.insert(name.clone(), value.clone());
                }
            }
        }
    }
    if !properties.is_empty() {
        whole.insert("properties".to_owned(), properties.into());
        whole.insert("required".to_owned(), required.into());
    }
    Value::Object(whole)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn training_and_engine_write_the_same() {
        let cases = include_str!("../../../models/train/notation-cases.json");
        let cases: Vec<Value> = serde_json::from_str(cases).unwrap_or_default();
        assert!(cases.len() > 10);
        for case in cases {
            assert_eq!(case["notation"], notation(&case["schema"]), "{case}");
        }
    }

    #[test]
    fn schemas_that_refer_to_themselves_many_times_end() {
        let names = (0..1000).map(|at| (format!("p{at}"), json!({"$ref": "#"})));
        let properties: Map<String, Value> = names.collect();
        let values: Vec<Value> = (0..1000)
            .map(|at| json!({"$ref": "#", "title": at}))
            .collect();
        for schema in [
            json!({"properties": properties}),
            json!({"anyOf": values}),
            json!({"type": "object", "allOf": [{"properties": properties}]}),
        ] {
            assert!(notation(&schema).len() < 8 * EFFORT);
        }
    }
}
