//! How long JSON Schemas take to compile: quantiles over schemas made up in the
//! manner of tool calls, configuration files and descriptions of interfaces, for
//! writing and for judging, and single large ones.
//!
//! `cargo run --release -p lacuna-grammar --example schema_speed [SCHEMAS]`

use std::time::{Duration, Instant};

use lacuna_grammar::json_schema::{SchemaOptions, compile};
use serde_json::{Map, Value, json};

const SCHEMAS: u64 = 2_000;
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)];

fn main() {
    let asked = std::env::args()
        .nth(1)
        .and_then(|number| number.parse().ok());
    let schemas: Vec<String> = (0..asked.unwrap_or(SCHEMAS))
        .map(|seed| Author::new(seed).document().to_string())
        .collect();
    let bytes: usize = schemas.iter().map(String::len).sum();
    println!(
        "{} schemas, {} bytes on average",
        schemas.len(),
        bytes / schemas.len().max(1)
    );
    for (name, options) in purposes() {
        let mut times = Vec::new();
        let mut refused = 0;
        for schema in &schemas {
            let start = Instant::now();
            let compiled = compile(schema, &options);
            times.push(start.elapsed());
            refused += u32::from(compiled.is_err());
        }
        times.sort_unstable();
        let shown = QUANTILES.map(|(quantile, part)| {
            let at = ((times.len() as f64 * part) as usize).min(times.len() - 1);
            format!("{quantile} {}", milliseconds(times[at]))
        });
        println!("{name}: {}, {refused} refused", shown.join(", "));
    }
    for (name, schema) in [
        ("an enum of ten thousand strings", enumeration()),
        ("a schema of a megabyte", megabyte()),
    ] {
        let schema = schema.to_string();
        for (purpose, options) in purposes() {
            let start = Instant::now();
            let compiled = compile(&schema, &options);
            let time = milliseconds(start.elapsed());
            let outcome = match &compiled {
                Ok(grammar) => format!("{} rules", grammar.rules.len()),
                Err(found) => found.to_string(),
            };
            println!(
                "{name} ({} bytes), {purpose}: {time}, {outcome}",
                schema.len()
            );
        }
    }
}

fn purposes() -> [(&'static str, SchemaOptions); 2] {
    [
        ("writing", SchemaOptions::generation()),
        ("judging", SchemaOptions::membership()),
    ]
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn enumeration() -> Value {
    let values =
        (0..10_000).map(|n| json!(format!("value {:05} of {}", n * 7919 % 100_003, n % 17)));
    json!({ "enum": values.collect::<Vec<_>>() })
}

fn megabyte() -> Value {
    let mut definitions = Map::new();
    let mut length = 0;
    for seed in 0.. {
        let mut author = Author::new(seed);
        author.definitions = 0;
        let object = author.object(2);
        length += object.to_string().len();
        definitions.insert(format!("Part{seed}"), object);
        if length > 1_000_000 {
            break;
        }
    }
    let references = definitions
        .keys()
        .map(|name| json!({ "$ref": format!("#/$defs/{name}") }));
    let references: Vec<Value> = references.collect();
    json!({ "type": "array", "items": { "anyOf": references }, "$defs": definitions })
}

/// Makes schemas up.
struct Author {
    rng: fastrand::Rng,
    definitions: usize,
}

const WORDS: [&str; 32] = [
    "name",
    "id",
    "type",
    "description",
    "version",
    "labels",
    "metadata",
    "spec",
    "status",
    "url",
    "enabled",
    "timeout",
    "count",
    "size",
    "tags",
    "items",
    "address",
    "email",
    "created",
    "owner",
    "path",
    "port",
    "host",
    "config",
    "mode",
    "level",
    "value",
    "key",
    "unit",
    "price",
    "currency",
    "notes",
];

impl Author {
    fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let definitions = if rng.u8(..3) == 0 { rng.usize(1..8) } else { 0 };
        Self { rng, definitions }
    }

    fn document(&mut self) -> Value {
        let depth = self.rng.u32(0..3);
        let mut root = self.object(depth);
        let definitions = self.definitions;
        let defined = (0..definitions).map(|index| (format!("d{index}"), self.object(1)));
        let defined: Map<String, Value> = defined.collect();
        if let Value::Object(root) = &mut root {
            root.insert(
                "$schema".into(),
                json!("http://json-schema.org/draft-07/schema#"),
            );
            root.insert("definitions".into(), Value::Object(defined));
        }
        root
    }

    fn object(&mut self, depth: u32) -> Value {
        let count = match self.rng.u8(..10) {
            0 => self.rng.usize(10..24),
            _ => self.rng.usize(1..9),
        };
        let mut words = WORDS;
        self.rng.shuffle(&mut words);
        let mut properties = Map::new();
        for word in &words[..count] {
            properties.insert((*word).to_owned(), self.schema(depth));
        }
        let required: Vec<&str> = words[..count]
            .iter()
            .filter(|_| self.rng.u8(..3) == 0)
            .copied()
            .take(10)
            .collect();
        let mut object = json!({ "type": "object", "properties": properties });
        let members = object.as_object_mut().into_iter();
        for members in members {
            if !required.is_empty() {
                members.insert("required".into(), json!(required));
            }
            match self.rng.u8(..6) {
                0..3 => {
                    members.insert("additionalProperties".into(), json!(false));
                }
                3 => {
                    members.insert("patternProperties".into(), json!({ "^x-": {} }));
                }
                _ => {}
            }
        }
        object
    }

    fn schema(&mut self, depth: u32) -> Value {
        match self.rng.u8(..if depth == 0 { 12 } else { 20 }) {
            0..4 => json!({ "type": "string", "description": "some text" }),
            4 => json!({ "type": "string", "minLength": 1, "maxLength": self.rng.u8(8..255) }),
            5 => {
                let patterns = [
                    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
                    "^\\d{4}-\\d{2}-\\d{2}$",
                    "^(https?|ftp)://[^\\s/$.?#].[^\\s]*$",
                    "^[A-Z]{2,3}$",
                    "^#[0-9a-fA-F]{6}$",
                ];
                json!({ "type": "string", "pattern": patterns[self.rng.usize(..patterns.len())] })
            }
            6 => {
                let count = self.rng.usize(2..8);
                json!({ "type": "string", "enum": &WORDS[..count] })
            }
            7 => json!({ "type": "integer", "minimum": 0 }),
            8 => json!({ "type": "integer", "minimum": 1, "maximum": self.rng.u32(10..65_536) }),
            9 => json!({ "type": "number" }),
            10 => json!({ "type": "boolean", "default": false }),
            11 => json!({ "type": ["string", "null"], "format": "date-time" }),
            12..15 if self.definitions > 0 => {
                json!({ "$ref": format!("#/definitions/d{}", self.rng.usize(..self.definitions)) })
            }
            12..16 => self.object(depth - 1),
            16 | 17 => json!({ "type": "array", "items": self.schema(depth - 1) }),
            18 => {
                let kinds = ["oneOf", "anyOf"];
                let mut branches = Vec::new();
                for kind in WORDS.iter().take(self.rng.usize(2..5)) {
                    let mut branch = self.object(depth - 1);
                    branch["properties"]["kind"] = json!({ "enum": [kind] });
                    branch["required"] = json!(["kind"]);
                    branches.push(branch);
                }
                json!({ kinds[self.rng.usize(..2)]: branches })
            }
            _ => {
                let (when, then) = (self.rng.usize(..8), self.rng.usize(8..16));
                let mut object = self.object(depth - 1);
                object["if"] = json!({ "properties": { WORDS[when]: { "const": "a" } }, "required": [WORDS[when]] });
                object["then"] = json!({ "required": [WORDS[then]] });
                object
            }
        }
    }
}
