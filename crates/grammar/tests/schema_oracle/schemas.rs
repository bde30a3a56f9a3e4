//! Random schemas, with the keywords of a draft.

use serde_json::{Map, Value, json};

use crate::drafts::Draft;
use crate::mutation::{NAMES, pool_value};
use crate::resources::Target;

/// Those that can be asserted, and one that nobody defined.
const FORMATS: [&str; 11] = [
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uuid",
    "int32",
];
const KINDS: [&str; 8] = [
    "null", "boolean", "integer", "number", "string", "array", "object", "object",
];

/// Draws the schemas of one resource.
pub struct Drawer<'r> {
    pub rng: &'r mut fastrand::Rng,
    pub draft: Draft,
    /// Whether `format` constrains.
    pub asserts_formats: bool,
    /// What may be referred to.
    pub targets: &'r [Target],
    /// The definition that is drawn: for the same value it refers to later ones only,
    /// nearly always, for else it would refer to itself without an end.
    pub rank: u32,
}

impl Drawer<'_> {
    /// `inside`: whether it is for a part of the definition's value.
    pub fn schema(&mut self, depth: u32, inside: bool) -> Value {
        if self.rng.u8(..12) == 0 {
            return match (self.draft, self.rng.u8(..4) > 0) {
                (Draft::Four, true) => json!({}),
                (Draft::Four, false) => json!({ "not": {} }),
                (_, admits) => Value::Bool(admits),
            };
        }
        let mut keywords = Map::new();
        let kind = KINDS[self.rng.usize(..KINDS.len())];
        match self.rng.u8(..8) {
            0 => {}
            1 => {
                let other = KINDS[self.rng.usize(..KINDS.len() - 1)];
                let types = if other == kind {
                    json!([kind])
                } else {
                    json!([kind, other])
                };
                keywords.insert("type".into(), types);
            }
            _ => {
                keywords.insert("type".into(), json!(kind));
            }
        }
        for _ in 0..self.rng.u8(1..4) {
            let foreign = self.rng.u8(..8) == 0;
            let kind = if foreign {
                KINDS[self.rng.usize(..KINDS.len())]
            } else {
                kind
            };
            self.keyword(kind, depth, inside, &mut keywords);
        }
        if depth > 0 && self.rng.u8(..5) == 0 {
            self.applicator(depth - 1, inside, &mut keywords);
        }
        // Beside a reference early drafts hear nothing; the outside validator hears what
        // drafts 6 and 7 brought.
        if self.draft <= Draft::Seven && keywords.contains_key("$ref") {
            const LATER: [&str; 6] = ["const", "contains", "propertyNames", "if", "then", "else"];
            let is_bare = self.rng.bool();
            keywords.retain(|keyword, _| {
                keyword == "$ref" || !is_bare && !LATER.contains(&keyword.as_str())
            });
        }
        Value::Object(keywords)
    }

    fn schemas(&mut self, most: usize, depth: u32, inside: bool) -> Vec<Value> {
        let count = self.rng.usize(1..=most);
        (0..count).map(|_| self.schema(depth, inside)).collect()
    }

    /// Keywords that hold schemas for the same value, and those that only stand beside
    /// others.
    fn applicator(&mut self, deeper: u32, inside: bool, keywords: &mut Map<String, Value>) {
        match self.rng.u8(..5) {
            0 => {
                keywords.insert("not".into(), self.schema(deeper, inside));
            }
            1 => {
                keywords.insert("oneOf".into(), json!(self.schemas(3, deeper, inside)));
            }
            2 if self.draft >= Draft::Seven => {
                keywords.insert("if".into(), self.schema(deeper, inside));
                if self.rng.u8(..3) > 0 {
                    keywords.insert("then".into(), self.schema(deeper, inside));
                }
                if self.rng.u8(..3) > 0 {
                    keywords.insert("else".into(), self.schema(deeper, inside));
                }
            }
            3 if self.draft >= Draft::Nineteen => {
                keywords.insert("unevaluatedProperties".into(), self.schema(0, true));
            }
            4 if self.draft >= Draft::Nineteen => {
                keywords.insert("unevaluatedItems".into(), self.schema(0, true));
                // What depends on a property says nothing of arrays, whatever it holds.
                if self.rng.u8(..3) == 0 {
                    let mut items = Map::new();
                    self.of_arrays(0, &mut items);
                    let name = NAMES[self.rng.usize(..NAMES.len())];
                    keywords.insert("dependentSchemas".into(), json!({ name: items }));
                    keywords.remove("type");
                }
            }
            _ => {
                keywords.insert("allOf".into(), json!(self.schemas(2, deeper, inside)));
            }
        }
    }

    fn keyword(&mut self, kind: &str, depth: u32, inside: bool, keywords: &mut Map<String, Value>) {
        let deeper = depth.saturating_sub(1);
        let choice = self.rng.u8(..10);
        if depth > 0 && choice == 0 {
            let keyword = ["allOf", "anyOf", "anyOf"][self.rng.usize(..3)];
            keywords.insert(keyword.into(), json!(self.schemas(3, deeper, inside)));
        } else if choice == 1 && self.rng.bool() {
            let (keyword, values) = self.listed();
            keywords.insert(keyword.into(), values);
        } else if depth > 0 && choice == 2 {
            if let Some((keyword, target)) = self.reference(inside) {
                keywords.insert(keyword.into(), json!(target));
            }
        } else {
            match kind {
                "integer" | "number" => self.of_numbers(keywords),
                "string" => self.of_strings(keywords),
                "array" => self.of_arrays(deeper, keywords),
                "object" => self.of_objects(deeper, inside, keywords),
                _ => {}
            }
        }
    }

    fn listed(&mut self) -> (&'static str, Value) {
        let mut values: Vec<Value> = Vec::new();
        for _ in 0..self.rng.usize(1..5) {
            let value = pool_value(2, self.rng);
            // Early drafts want them different; 1 and 1.0 are not.
            if !values.iter().any(|known| alike(known, &value)) {
                values.push(value);
            }
        }
        match self.rng.u8(..4) {
            0 if self.draft >= Draft::Six => ("const", values.swap_remove(0)),
            _ => ("enum", json!(values)),
        }
    }

    fn reference(&mut self, inside: bool) -> Option<(&'static str, String)> {
        let inside = inside || self.rng.u8(..40) == 0;
        let open = |target: &&Target| match target.rank {
            Some(rank) => inside || rank > self.rank,
            None => inside,
        };
        let open: Vec<&Target> = self.targets.iter().filter(open).collect();
        let target = self.rng.choice(open)?;
        Some((target.keyword, target.reference.clone()))
    }

    fn of_numbers(&mut self, keywords: &mut Map<String, Value>) {
        let which = self.rng.u8(..10);
        if which >= 8 {
            let often = [2.0, 3.0, 0.25, 1.5, 8.0, 0.125];
            let seldom = [86_400.0, 65_536.0, 0.03125, 1e6];
            let divisor = match self.rng.u8(..8) {
                0 => seldom[self.rng.usize(..seldom.len())],
                _ => often[self.rng.usize(..often.len())],
            };
            let divisor = match divisor % 1.0 == 0.0 {
                true => json!(divisor as u64),
                false => json!(divisor),
            };
            keywords.insert("multipleOf".into(), divisor);
            return;
        }
        let bound = match self.rng.u8(..4) {
            0 => json!(self.rng.i32(-30..30) as f64 / 4.0),
            _ => json!(self.rng.i32(-12..12)),
        };
        let (inclusive, exclusive) = match which % 2 {
            0 => ("minimum", "exclusiveMinimum"),
            _ => ("maximum", "exclusiveMaximum"),
        };
        match (which < 4, self.draft) {
            (true, _) => keywords.insert(inclusive.into(), bound),
            (false, Draft::Four) => {
                keywords.insert(inclusive.into(), bound);
                keywords.insert(exclusive.into(), json!(self.rng.bool()))
            }
            (false, _) => keywords.insert(exclusive.into(), bound),
        };
    }

    fn of_strings(&mut self, keywords: &mut Map<String, Value>) {
        let (keyword, value) = match self.rng.u8(..10) {
            0..3 => ("minLength", json!(self.rng.u8(..3))),
            3..6 => ("maxLength", json!(self.rng.u8(1..5))),
            6..8 if self.asserts_formats => {
                ("format", json!(FORMATS[self.rng.usize(..FORMATS.len())]))
            }
            _ => ("pattern", json!(pattern(self.rng))),
        };
        keywords.insert(keyword.into(), value);
    }

    fn of_arrays(&mut self, deeper: u32, keywords: &mut Map<String, Value>) {
        let (keyword, value) = match self.rng.u8(..10) {
            0 => ("minItems", json!(self.rng.u8(..3))),
            1 => ("maxItems", json!(self.rng.u8(1..4))),
            2..4 => {
                let schemas = json!(self.schemas(2, deeper, true));
                if self.draft == Draft::Twenty {
                    ("prefixItems", schemas)
                } else {
                    if self.rng.bool() {
                        let rest = self.closed_or_schema(deeper);
                        keywords.insert("additionalItems".into(), rest);
                    }
                    ("items", schemas)
                }
            }
            4 if self.draft >= Draft::Six => ("contains", self.schema(deeper, true)),
            5 if self.draft >= Draft::Nineteen => {
                let bounds = ["minContains", "maxContains"];
                (bounds[self.rng.usize(..2)], json!(self.rng.u8(..3)))
            }
            6 if self.rng.bool() => ("uniqueItems", json!(true)),
            _ => ("items", self.schema(deeper, true)),
        };
        keywords.insert(keyword.into(), value);
    }

    fn of_objects(&mut self, deeper: u32, inside: bool, keywords: &mut Map<String, Value>) {
        let (keyword, value) = match self.rng.u8(..10) {
            0 => ("required", json!(self.names())),
            1 => ("additionalProperties", self.closed_or_schema(deeper)),
            2 => {
                let count = self.rng.usize(1..3);
                let schemas = (0..count).map(|_| {
                    let pattern = pattern(self.rng).to_owned();
                    (pattern, self.schema(deeper, true))
                });
                ("patternProperties", Value::Object(schemas.collect()))
            }
            3 if self.draft >= Draft::Six => {
                let names = match self.rng.u8(..3) {
                    0 => json!({ "maxLength": self.rng.u8(1..4) }),
                    1 => json!({ "pattern": pattern(self.rng) }),
                    _ => json!({ "enum": NAMES }),
                };
                ("propertyNames", names)
            }
            4 => match self.rng.bool() {
                true => ("minProperties", json!(self.rng.u8(..3))),
                false => ("maxProperties", json!(self.rng.u8(..4))),
            },
            5 => {
                let name = NAMES[self.rng.usize(..NAMES.len())];
                let (lists, schemas) = match self.draft {
                    Draft::Four | Draft::Six | Draft::Seven => ("dependencies", "dependencies"),
                    _ => ("dependentRequired", "dependentSchemas"),
                };
                match self.rng.bool() {
                    true => (lists, json!({ name: self.names() })),
                    false => (schemas, json!({ name: self.schema(deeper, inside) })),
                }
            }
            _ => {
                let names: Vec<&str> = NAMES.into_iter().filter(|_| self.rng.bool()).collect();
                let members = names
                    .into_iter()
                    .map(|name| (name.to_owned(), self.schema(deeper, true)));
                ("properties", Value::Object(members.collect()))
            }
        };
        keywords.insert(keyword.into(), value);
    }

    fn closed_or_schema(&mut self, depth: u32) -> Value {
        match self.rng.bool() {
            true => json!(false),
            false => self.schema(depth, true),
        }
    }

    /// Some names; draft 4 knows no empty lists.
    fn names(&mut self) -> Vec<&'static str> {
        let mut names: Vec<&str> = NAMES
            .into_iter()
            .filter(|_| self.rng.u8(..3) == 0)
            .collect();
        if names.is_empty() && self.draft == Draft::Four {
            names.push(NAMES[0]);
        }
        names
    }
}

/// Whether values are equal, but for the spelling of their numbers.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| alike(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, value): (&String, &Value)| {
                other.get(name).is_some_and(|other| alike(value, other))
            };
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

/// Of names there are few.
pub const FEW: (&str, [&str; 3]) = ("^[a-c]$", ["a", "b", "c"]);

/// Without `\s`, of which the validator knows a few blanks only.
fn pattern(rng: &mut fastrand::Rng) -> &'static str {
    const PATTERNS: [&str; 8] = [
        "a",
        "^[a-c]*$",
        "é|\\d",
        "^[^c]b?",
        "[^\\w]$",
        "^(a|\"|\\\\)+$",
        " |\n",
        FEW.0,
    ];
    PATTERNS[rng.usize(..PATTERNS.len())]
}
