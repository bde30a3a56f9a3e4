//! What schemas may ask of the numbers in a value: whatever any keyword says of a place,
//! whether it applies or not, and of all that references may lead to.

use serde_json::Value;

use crate::resources::Drawn;

/// What is asked of some number of a value.
#[derive(Clone, Copy, Default)]
pub struct Asked {
    /// A bound, a multiple, or to be in a list, or not.
    pub of_size: bool,
    /// To be an integer, or not.
    pub of_type: bool,
}

/// What a schema and its documents may ask of the numbers in a value.
pub fn asked(drawn: &Drawn, value: &Value) -> Asked {
    let mut named = Vec::new();
    for resource in [&drawn.schema].into_iter().chain(drawn.documents.values()) {
        collect_named(resource, &mut named);
    }
    let mut asked = Asked::default();
    Places { named }.look(value, vec![&drawn.schema], false, &mut asked);
    asked
}

/// A resource, and its definitions with theirs.
fn collect_named<'s>(resource: &'s Value, named: &mut Vec<&'s Value>) {
    named.push(resource);
    for holder in ["definitions", "$defs"] {
        let definitions = resource[holder].as_object().into_iter().flatten();
        definitions.for_each(|(_, schema)| collect_named(schema, named));
    }
}

struct Places<'s> {
    /// What references may lead to.
    named: Vec<&'s Value>,
}

impl<'s> Places<'s> {
    /// `schemas`: what may be said of the value; `is_listed`: whether it is in a value of
    /// a list.
    fn look(&self, value: &Value, schemas: Vec<&'s Value>, is_listed: bool, asked: &mut Asked) {
        let schemas = self.with_those_inside(schemas);
        let says = |keywords: &[&str]| {
            let mut schemas = schemas.iter();
            schemas.any(|schema| keywords.iter().any(|keyword| schema.get(keyword).is_some()))
        };
        let is_listed = is_listed || says(&["enum", "const"]);
        match value {
            Value::Number(_) => {
                const SIZES: [&str; 5] = [
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "multipleOf",
                ];
                asked.of_size |= is_listed || says(&SIZES);
                let is_integer = |schema: &&Value| schema["type"].to_string().contains("integer");
                asked.of_type |= schemas.iter().any(is_integer);
            }
            Value::Array(items) => {
                const OF_ITEMS: [&str; 5] = [
                    "items",
                    "prefixItems",
                    "additionalItems",
                    "contains",
                    "unevaluatedItems",
                ];
                let inside = parts(&schemas, &OF_ITEMS);
                for item in items {
                    self.look(item, inside.clone(), is_listed, asked);
                }
            }
            Value::Object(members) => {
                const OF_MEMBERS: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];
                let mut inside = parts(&schemas, &OF_MEMBERS);
                let patterns = schemas
                    .iter()
                    .filter_map(|schema| schema.get("patternProperties"));
                inside.extend(
                    patterns
                        .filter_map(Value::as_object)
                        .flat_map(|it| it.values()),
                );
                for (name, value) in members {
                    let named = schemas.iter().filter_map(|schema| schema.get("properties"));
                    let named = named.filter_map(|properties| properties.get(name));
                    let all = inside.iter().copied().chain(named).collect();
                    self.look(value, all, is_listed, asked);
                }
            }
            _ => {}
        }
    }

    /// The schemas, and those in them that are for the same value.
    fn with_those_inside(&self, schemas: Vec<&'s Value>) -> Vec<&'s Value> {
        const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
        let mut found: Vec<&Value> = Vec::new();
        let mut open = schemas;
        while let Some(schema) = open.pop() {
            if found.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            found.push(schema);
            open.extend(parts(&[schema], &IN_PLACE));
            for keyword in ["dependentSchemas", "dependencies"] {
                let members = schema[keyword].as_object().into_iter().flatten();
                open.extend(members.map(|(_, said)| said));
            }
            let refers = ["$ref", "$dynamicRef", "$recursiveRef"];
            if refers.iter().any(|keyword| schema.get(keyword).is_some()) {
                open.extend(&self.named);
            }
        }
        found
    }
}

/// The schemas that stand under some keywords, alone or in a list.
fn parts<'s>(schemas: &[&'s Value], keywords: &[&str]) -> Vec<&'s Value> {
    let mut parts = Vec::new();
    for schema in schemas {
        for said in keywords.iter().filter_map(|keyword| schema.get(keyword)) {
            match said {
                Value::Array(list) => parts.extend(list),
                one => parts.push(one),
            }
        }
    }
    parts
}
