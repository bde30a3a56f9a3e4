//! Whether an object in a JSON text has a key twice.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Whether some object of the text, which is JSON, has a key twice.
pub fn repeats_a_key(text: &[u8]) -> bool {
    serde_json::from_slice::<Repeats>(text).is_ok_and(|found| found.0)
}

struct Repeats(bool);

impl<'de> Deserialize<'de> for Repeats {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Repeats;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_str<E>(self, _: &str) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Repeats, A::Error> {
        let mut found = false;
        while let Some(Repeats(inside)) = items.next_element()? {
            found |= inside;
        }
        Ok(Repeats(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Repeats, A::Error> {
        let (mut found, mut seen) = (false, HashSet::new());
        while let Some((key, Repeats(inside))) = members.next_entry::<String, Repeats>()? {
            found |= inside | !seen.insert(key);
        }
        Ok(Repeats(found))
    }
}
