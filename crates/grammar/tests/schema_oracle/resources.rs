//! Random documents: a schema with definitions, identifiers and anchors, a resource
//! embedded in it, another document that is handed over, and references between all
//! of them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::drafts::{DRAFTS, Draft};
use crate::schemas::Drawer;

const ROOT: &str = "http://localhost:1234/root.json";
const EMBEDDED: &str = "http://localhost:1234/embedded.json";
const OTHER: &str = "http://localhost:1234/other.json";

/// A schema and what belongs to it.
pub struct Drawn {
    pub schema: Value,
    /// Handed over, by their identifiers.
    pub documents: BTreeMap<String, Value>,
    pub formats: Formats,
}

/// What `format` says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    Annotations,
    /// It constrains, as the options ask.
    Asserted,
    /// It constrains, as the schema asks.
    AssertedByTheSchema,
}

/// What a reference may lead to.
#[derive(Clone)]
pub struct Target {
    pub keyword: &'static str,
    pub reference: String,
    /// The place of what is there among all definitions, if that is known.
    pub rank: Option<u32>,
}

/// A resource that is to be drawn.
struct Resource {
    draft: Draft,
    /// Its identifier, if it has one.
    uri: Option<&'static str>,
    /// Its definitions, each with its place and whether it has an anchor of its name.
    definitions: Vec<(&'static str, u32, bool)>,
    rank: u32,
    /// What stands under the name `d` of `$dynamicRef`, in 2020-12.
    dynamic: Dynamic,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dynamic {
    No,
    /// A `$dynamicAnchor`, or `$recursiveAnchor`.
    Yes,
    /// An `$anchor` of the same name.
    Fixed,
}

/// Draws a schema of a draft, and what it refers to.
pub fn draw(draft: Draft, rng: &mut fastrand::Rng) -> Drawn {
    let other_draft = match rng.u8(..4) {
        0 => DRAFTS[rng.usize(..DRAFTS.len())],
        _ => draft,
    };
    let has_name = rng.u8(..3) > 0;
    let root = Resource::new(draft, has_name.then_some(ROOT), &["x", "y"], 0, rng);
    let embedded = Resource::new(draft, Some(EMBEDDED), &["z"], 3, rng);
    let other = Resource::new(other_draft, Some(OTHER), &["w"], 5, rng);
    let mut all = vec![&root];
    let is_embedded = rng.u8(..4) == 0;
    let is_handed_over = rng.u8(..4) == 0;
    all.extend(is_embedded.then_some(&embedded));
    all.extend(is_handed_over.then_some(&other));

    let asserts_formats = rng.u8(..4) == 0;
    let mut schema = root.draw(&all, asserts_formats, rng);
    if is_embedded {
        let inside = embedded.draw(&all, asserts_formats, rng);
        schema[root.holder()]["e"] = Value::Object(inside);
    }
    schema.insert("$schema".to_owned(), json!(draft.uri()));
    let formats = match (asserts_formats, rng.bool()) {
        (true, true) => {
            schema.insert("x-assertFormats".to_owned(), json!(true));
            Formats::AssertedByTheSchema
        }
        (true, false) => Formats::Asserted,
        (false, _) => Formats::Annotations,
    };
    let mut documents = BTreeMap::new();
    if is_handed_over {
        // The outside validator does not look for what is embedded in other documents.
        let mut document = other.draw(&[&root, &other], asserts_formats, rng);
        document.insert("$schema".to_owned(), json!(other_draft.uri()));
        documents.insert(OTHER.to_owned(), Value::Object(document));
    }
    Drawn {
        schema: Value::Object(schema),
        documents,
        formats,
    }
}

impl Resource {
    fn new(
        draft: Draft,
        uri: Option<&'static str>,
        names: &[&'static str],
        rank: u32,
        rng: &mut fastrand::Rng,
    ) -> Self {
        let mut definitions = Vec::new();
        for (&name, rank) in names.iter().zip(rank + 1..) {
            definitions.push((name, rank, rng.u8(..3) == 0));
        }
        let dynamic = match rng.u8(..6) {
            0..2 if draft >= Draft::Nineteen => Dynamic::Yes,
            2 if draft == Draft::Twenty => Dynamic::Fixed,
            _ => Dynamic::No,
        };
        Self {
            draft,
            uri,
            definitions,
            rank,
            dynamic,
        }
    }

    fn holder(&self) -> &'static str {
        match self.draft {
            Draft::Four | Draft::Six | Draft::Seven => "definitions",
            _ => "$defs",
        }
    }

    /// What may be referred to from here.
    fn targets(&self, all: &[&Resource]) -> Vec<Target> {
        let mut targets = Vec::new();
        for resource in all {
            let base = match (resource.uri == self.uri, resource.uri) {
                (true, _) => String::new(),
                (false, Some(uri)) => match self.uri {
                    Some(_) => uri.rsplit('/').next().unwrap_or(uri).to_owned(),
                    None => uri.to_owned(),
                },
                (false, None) => continue,
            };
            let mut push = |fragment: &str, rank| {
                targets.push(Target {
                    keyword: "$ref",
                    reference: format!("{base}{fragment}"),
                    rank: Some(rank),
                });
            };
            push(if base.is_empty() { "#" } else { "" }, resource.rank);
            for &(name, rank, is_anchor) in &resource.definitions {
                push(&format!("#/{}/{name}", resource.holder()), rank);
                if is_anchor {
                    push(&format!("#{name}"), rank);
                }
            }
        }
        let later = match (self.draft, self.dynamic) {
            (Draft::Twenty, Dynamic::Yes | Dynamic::Fixed) => Some(("$dynamicRef", "#d")),
            (Draft::Nineteen, _) => Some(("$recursiveRef", "#")),
            _ => None,
        };
        targets.extend(later.map(|(keyword, reference)| Target {
            keyword,
            reference: reference.to_owned(),
            rank: None,
        }));
        targets
    }

    fn draw(
        &self,
        all: &[&Resource],
        asserts_formats: bool,
        rng: &mut fastrand::Rng,
    ) -> Map<String, Value> {
        let targets = self.targets(all);
        let mut drawer = Drawer {
            rng,
            draft: self.draft,
            asserts_formats,
            targets: &targets,
            rank: self.rank,
        };
        let mut schema = alone(drawer.schema(3, false), self.draft);
        let mut definitions = Map::new();
        for (&(name, rank, is_anchor), depth) in self.definitions.iter().zip([1, 2]) {
            drawer.rank = rank;
            let mut definition = drawer.schema(depth, false);
            if is_anchor {
                let mut named = alone(definition, self.draft);
                let (keyword, anchor) = match self.draft {
                    Draft::Four => ("id", format!("#{name}")),
                    Draft::Six | Draft::Seven => ("$id", format!("#{name}")),
                    _ => ("$anchor", name.to_owned()),
                };
                named.insert(keyword.to_owned(), json!(anchor));
                definition = Value::Object(named);
            }
            definitions.insert(name.to_owned(), definition);
        }
        match (self.draft, self.dynamic) {
            (Draft::Nineteen, Dynamic::Yes) => {
                schema.insert("$recursiveAnchor".to_owned(), json!(true));
            }
            (Draft::Twenty, Dynamic::Yes | Dynamic::Fixed) => {
                let keyword = match self.dynamic {
                    Dynamic::Yes => "$dynamicAnchor",
                    _ => "$anchor",
                };
                let on_root = drawer.rng.bool();
                match definitions.values_mut().next() {
                    Some(Value::Object(first)) if !on_root && !first.contains_key("$anchor") => {
                        first.insert(keyword.to_owned(), json!("d"));
                    }
                    _ => {
                        schema.insert(keyword.to_owned(), json!("d"));
                    }
                }
            }
            _ => {}
        }
        if let Some(uri) = self.uri {
            let keyword = match self.draft {
                Draft::Four => "id",
                _ => "$id",
            };
            schema.insert(keyword.to_owned(), json!(uri));
        }
        schema.insert(self.holder().to_owned(), Value::Object(definitions));
        schema
    }
}

/// As an object beside whose keywords identifiers are heard.
fn alone(schema: Value, draft: Draft) -> Map<String, Value> {
    match schema {
        Value::Object(keywords) if draft > Draft::Seven || !keywords.contains_key("$ref") => {
            keywords
        }
        other => Map::from_iter([("allOf".to_owned(), json!([other]))]),
    }
}
