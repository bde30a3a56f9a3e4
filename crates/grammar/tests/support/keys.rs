//! JSON texts in which an object may have a key twice.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Whether some object of the text, which is JSON, has a key twice.
pub fn repeats_a_key(text: &[u8]) -> bool {
    serde_json::from_slice::<Written>(text).is_ok_and(|written| !written.repeated().is_empty())
}

/// A JSON text with all its members.
pub enum Written {
    Scalar(Value),
    Array(Vec<Written>),
    Object(Vec<(String, Written)>),
}

impl Written {
    /// The keys of members whose object had that key before.
    pub fn repeated(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'w>(&'w self, found: &mut Vec<&'w str>) {
        match self {
            Self::Scalar(_) => {}
            Self::Array(items) => items.iter().for_each(|item| item.collect(found)),
            Self::Object(members) => {
                let mut seen = HashSet::new();
                for (key, value) in members {
                    if !seen.insert(key) {
                        found.push(key);
                    }
                    value.collect(found);
                }
            }
        }
    }

    /// The value, with another key for every member whose object had its key before.
    #[allow(dead_code, reason = "some tests only look for repeated keys")]
    pub fn renamed(&self, key: &str) -> Value {
        match self {
            Self::Scalar(value) => value.clone(),
            Self::Array(items) => items.iter().map(|item| item.renamed(key)).collect(),
            Self::Object(members) => {
                let mut object = Map::new();
                for (own, value) in members {
                    let free = if object.contains_key(own) { key } else { own };
                    object.insert(free.to_owned(), value.renamed(key));
                }
                Value::Object(object)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Written;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Written, E> {
        Ok(Written::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Written, E> {
        Ok(Written::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Written, E> {
        Ok(Written::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Written, E> {
        Ok(Written::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Written, E> {
        let number = Number::from_f64(value);
        Ok(Written::Scalar(number.map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Written, E> {
        Ok(Written::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Written, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Written::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Written, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Written::Object(object))
    }
}
