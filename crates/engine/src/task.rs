//! The task line of the prompt, from the schema.
//!
//! A model that follows schemas reads, before the request, the names that the
//! answer may use: `FindRestaurants ReserveRestaurant: city cuisine`. The names
//! before the colon are the values of the property `intent`, the others the
//! remaining properties in declared order. A schema may state its line itself
//! with `x-task`. A model that reads schemas as such gets the schema in the notation of
//! [`crate::notation`], behind the word `json`.

use crate::notation::notation;
use serde_json::Value;

/// The task of a JSON Schema for a model that reads schemas; `None` if the text is no JSON.
pub fn schema_task(schema: &str) -> Option<String> {
    let schema: Value = serde_json::from_str(schema).ok()?;
    Some(stated(&schema).unwrap_or_else(|| format!("json {}", notation(&schema))))
}

/// The task line of a JSON Schema; `None` if the text is no JSON object.
pub fn task_line(schema: &str) -> Option<String> {
    let schema: Value = serde_json::from_str(schema).ok()?;
    if let Some(task) = stated(&schema) {
        return Some(task);
    }
    let mut names = Names::default();
    names.collect(&schema, &schema, 0);
    let intents = names.intents.join(" ");
    let slots = names.slots.join(" ");
    Some(match intents.is_empty() {
        true => slots,
        false => format!("{intents}: {slots}"),
    })
}

fn stated(schema: &Value) -> Option<String> {
    let task = schema.get("x-task").and_then(Value::as_str);
    task.map(str::to_owned)
}

#[derive(Default)]
struct Names {
    intents: Vec<String>,
    slots: Vec<String>,
}

/// Levels of alternatives and references looked through.
const DEPTH: usize = 8;

impl Names {
    fn collect(&mut self, root: &Value, schema: &Value, depth: usize) {
        if depth > DEPTH {
            return;
        }
        if let Some(pointer) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = pointer
                .strip_prefix('#')
                .and_then(|path| root.pointer(path))
        {
            self.collect(root, target, depth + 1);
        }
        for alternative in schema
            .get("anyOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.collect(root, alternative, depth + 1);
        }
        for (name, property) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if name == "intent" {
                let values = property
                    .get("enum")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten();
                for value in values
                    .chain(property.get("const"))
                    .filter_map(Value::as_str)
                {
                    push_new(&mut self.intents, value);
                }
            } else {
                push_new(&mut self.slots, name);
            }
        }
    }
}

fn push_new(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_all_alternatives() {
        let schema = r#"{"anyOf": [
            {"properties": {"intent": {"const": "Find"}, "city": {}}},
            {"properties": {"intent": {"const": "Book"}, "city": {}, "date": {}}}
        ]}"#;
        assert_eq!(task_line(schema).as_deref(), Some("Find Book: city date"));
    }

    #[test]
    fn a_schema_may_state_its_line() {
        assert_eq!(
            task_line(r#"{"x-task": "snips"}"#).as_deref(),
            Some("snips")
        );
        assert_eq!(
            schema_task(r#"{"x-task": "snips"}"#).as_deref(),
            Some("snips")
        );
    }

    #[test]
    fn a_schema_may_be_the_task() {
        let schema = r#"{"properties": {"n": {"type": "integer"}}, "required": ["n"]}"#;
        assert_eq!(schema_task(schema).as_deref(), Some("json {n! int}"));
        assert_eq!(schema_task("start: \"x\""), None);
    }
}
