//! Schemas that say the same, wherever they stand.
//!
//! Large schemas say the same thing in hundreds of places: `{"type": "string"}`, the
//! same object once for each event. What has equal content in one resource and one
//! dynamic scope means the same, so it is one schema: read once, expanded once, one
//! rule. A hash finds candidates, and a comparison decides.
//!
//! What is only annotation is not content. A schema with an identity of its own (`$id`,
//! an anchor, a slot, whose places are all told) is like no other, nor is one that holds
//! such a schema.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap as HashMap, FxHasher};

use super::draft::{Holder, holder};
use super::keyword::SchemaId;
use super::resources::ResourceId;
use super::value::{Json, Members};

/// Keywords that say nothing of values, nor give a schema a name.
const ANNOTATIONS: [&str; 13] = [
    "$comment",
    "$defs",
    "default",
    "definitions",
    "deprecated",
    "description",
    "enumDescriptions",
    "examples",
    "markdownDescription",
    "markdownEnumDescriptions",
    "readOnly",
    "title",
    "writeOnly",
];

/// Keywords by which a schema is told from others.
const IDENTITIES: [&str; 8] = [
    "$anchor",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$schema",
    "id",
    "x-oneOf",
    "x-spanOf",
];

/// A place where schemas mean the same if they say the same.
pub(super) type Around = (ResourceId, u32);

/// The schemas read so far, by what they say.
#[derive(Default)]
pub(super) struct Contents<'a> {
    hashes: HashMap<*const Json, Option<u64>>,
    known: HashMap<(u64, Around), Vec<(&'a Json, SchemaId)>>,
}

impl<'a> Contents<'a> {
    /// The schema with the content of this one, which is `fresh` where there is none.
    pub(super) fn same_as(&mut self, json: &'a Json, around: Around, fresh: SchemaId) -> SchemaId {
        let Some(hash) = self.hash(json) else {
            return fresh;
        };
        let alike = self.known.entry((hash, around)).or_default();
        if let Some((_, known)) = alike.iter().find(|(known, _)| is_same(known, json)) {
            return *known;
        }
        alike.push((json, fresh));
        fresh
    }

    /// `None` for what has an identity.
    fn hash(&mut self, schema: &Json) -> Option<u64> {
        let Json::Object(members) = schema else {
            let mut hasher = FxHasher::default();
            value(schema, &mut hasher);
            return Some(hasher.finish());
        };
        let address = schema as *const Json;
        if let Some(known) = self.hashes.get(&address) {
            return *known;
        }
        let hash = self.hash_members(members);
        self.hashes.insert(address, hash);
        hash
    }

    fn hash_members(&mut self, members: &Members) -> Option<u64> {
        let mut hasher = FxHasher::default();
        for (keyword, json) in said(members) {
            if IDENTITIES.contains(&keyword.as_str()) {
                return None;
            }
            keyword.hash(&mut hasher);
            match (holder(keyword), json) {
                (Some(Holder::One | Holder::OneOrList), Json::Object(_)) => {
                    self.hash(json)?.hash(&mut hasher);
                }
                (Some(Holder::List | Holder::OneOrList), Json::Array(schemas)) => {
                    for schema in schemas {
                        self.hash(schema)?.hash(&mut hasher);
                    }
                }
                (Some(Holder::Map | Holder::MixedMap), Json::Object(schemas)) => {
                    for (name, schema) in schemas.iter() {
                        name.hash(&mut hasher);
                        self.hash(schema)?.hash(&mut hasher);
                    }
                }
                _ => value(json, &mut hasher),
            }
        }
        Some(hasher.finish())
    }
}

/// Keywords that are no annotations, in order.
fn said(members: &Members) -> impl Iterator<Item = &(String, Json)> {
    members
        .iter()
        .filter(|(keyword, _)| !ANNOTATIONS.contains(&keyword.as_str()))
}

/// Hashes a value in the order in which it is written.
fn value(json: &Json, hasher: &mut FxHasher) {
    std::mem::discriminant(json).hash(hasher);
    match json {
        Json::Null => {}
        Json::Bool(truth) => truth.hash(hasher),
        Json::Number(number) => {
            (number.negative, &number.whole, &number.fraction).hash(hasher);
        }
        Json::Text(text) => text.hash(hasher),
        Json::Array(items) => items.iter().for_each(|item| value(item, hasher)),
        Json::Object(members) => {
            for (key, json) in members.iter() {
                key.hash(hasher);
                value(json, hasher);
            }
        }
    }
}

/// Whether two schemas say the same, their keywords in the same order.
fn is_same(left: &Json, right: &Json) -> bool {
    let (Json::Object(left), Json::Object(right)) = (left, right) else {
        return is_same_value(left, right);
    };
    all_same(
        said(left),
        said(right),
        |(keyword, left), (_, right)| match (holder(keyword), left, right) {
            (Some(Holder::One | Holder::OneOrList), Json::Object(_), _) => is_same(left, right),
            (Some(Holder::List | Holder::OneOrList), Json::Array(left), Json::Array(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(a, b)| is_same(a, b))
            }
            (Some(Holder::Map | Holder::MixedMap), Json::Object(left), Json::Object(right)) => {
                all_same(left.iter(), right.iter(), |left, right| {
                    is_same(&left.1, &right.1)
                })
            }
            _ => is_same_value(left, right),
        },
    )
}

/// Equality that minds the order of members.
fn is_same_value(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| is_same_value(a, b))
        }
        (Json::Object(left), Json::Object(right)) => {
            all_same(left.iter(), right.iter(), |left, right| {
                is_same_value(&left.1, &right.1)
            })
        }
        (left, right) => left == right,
    }
}

/// Whether members have the same keys, and values of which the same holds.
fn all_same<'j>(
    mut left: impl Iterator<Item = &'j (String, Json)>,
    mut right: impl Iterator<Item = &'j (String, Json)>,
    same: impl Fn(&(String, Json), &(String, Json)) -> bool,
) -> bool {
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) if left.0 == right.0 && same(left, right) => {}
            _ => return false,
        }
    }
}
