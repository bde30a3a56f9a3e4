//! The task line of the prompt, from the schema.
//!
//! A model that follows schemas reads, before the request, the names that the
//! answer may use: `FindRestaurants ReserveRestaurant: city cuisine`. The names
//! before the colon are the values of the property `intent`, the others the
//! remaining properties in declared order. A schema may state its line itself
//! with `x-task`. A model that reads schemas as such gets the schema in the notation of
//! [`crate::notation`], behind the word `json`.

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::notation::notation;

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
    let mut names = Names::new();
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

struct Names {
    intents: Vec<String>,
    slots: Vec<String>,
    /// Those of either kind that are listed.
    known: FxHashSet<(bool, String)>,
    /// Schemas and names that may still be looked at.
    left: usize,
}

/// Levels of alternatives and references looked through.
const DEPTH: usize = 8;

/// Schemas and names that are looked at: more than any model reads. References lead to a schema
/// as often as they stand there.
const EFFORT: usize = 1 << 16;

impl Names {
    fn new() -> Self {
        Self {
            intents: Vec::new(),
            slots: Vec::new(),
            known: FxHashSet::default(),
            left: EFFORT,
        }
    }

    fn collect(&mut self, root: &Value, schema: &Value, depth: usize) {
        if depth > DEPTH || !self.spend() {
            return;
        }
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|pointer| root.pointer(pointer.strip_prefix('#')?));
        let alternatives = schema.get("anyOf").and_then(Value::as_array);
        for schema in target.into_iter().chain(alternatives.into_iter().flatten()) {
            self.collect(root, schema, depth + 1);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            if name != "intent" {
                self.push(false, name);
                continue;
            }
            let values = property.get("enum").and_then(Value::as_array);
            let values = values.into_iter().flatten().chain(property.get("const"));
            for value in values.filter_map(Value::as_str) {
                self.push(true, value);
            }
        }
    }

    /// Adds a name that is new, an intent or a slot.
    fn push(&mut self, is_intent: bool, name: &str) {
        if self.spend() && self.known.insert((is_intent, name.to_owned())) {
            let names = match is_intent {
                true => &mut self.intents,
                false => &mut self.slots,
            };
            names.push(name.to_owned());
        }
    }

    /// Whether there is effort left for one more.
    fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn schemas_that_refer_to_themselves_many_times_end() {
        let values: Vec<Value> = (0..1000).map(|_| json!({"$ref": "#"})).collect();
        let schema = json!({"anyOf": values, "properties": {"a": {}}});
        let line = task_line(&schema.to_string());
        assert!(line.is_some_and(|line| line.len() < EFFORT));
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
