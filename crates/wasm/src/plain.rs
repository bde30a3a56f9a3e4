//! Plain JavaScript objects, read field by field: what a caller hands over beside a grammar.
//!
//! By hand, because a general reader brings its numbers and its messages along, some
//! kilobytes of the small module.

use js_sys::{Array, Object};
use lacuna_engine::Fault;
use lacuna_engine::quoted;
use wasm_bindgen::prelude::*;

use crate::crossing::thrown;

/// A field's name, for messages, and what stands in it.
pub(crate) struct Field {
    /// As the object calls it.
    pub name: String,
    /// Never `undefined` or `null`: such fields count as absent.
    pub value: JsValue,
}

/// The fields of an object that are set; `what` it is, for messages.
pub(crate) fn fields(object: &JsValue, what: &str) -> Result<Vec<Field>, JsValue> {
    if object.is_undefined() || object.is_null() {
        return Ok(Vec::new());
    }
    if !is_plain(object) {
        return Err(invalid(what, "this is no plain object"));
    }
    let entries = Object::entries(object.unchecked_ref());
    let field = |entry: JsValue| {
        let entry: &Array = entry.unchecked_ref();
        let (name, value) = (entry.get(0).as_string()?, entry.get(1));
        let is_set = !value.is_undefined() && !value.is_null();
        is_set.then_some(Field { name, value })
    };
    Ok(entries.iter().filter_map(field).collect())
}

impl Field {
    /// A text.
    pub(crate) fn text(&self, what: &str) -> Result<String, JsValue> {
        self.of(what, "a text", self.value.as_string())
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, what: &str) -> Result<bool, JsValue> {
        self.of(what, "true or false", self.value.as_bool())
    }

    /// An integer from 0 to `most`.
    pub(crate) fn count(&self, what: &str, most: u32) -> Result<u32, JsValue> {
        match count(&self.value, most) {
            Some(count) => Ok(count),
            None => Err(self.wrong(what, &format!("an integer, at most {most}"))),
        }
    }

    /// An object of texts.
    pub(crate) fn texts(&self, what: &str) -> Result<Vec<(String, String)>, JsValue> {
        let within = format!("{what}.{}", self.name);
        let fields = fields(&self.value, &within)?.into_iter();
        fields
            .map(|field| Ok((field.name.clone(), field.text(&within)?)))
            .collect()
    }

    /// An object of lists of texts.
    pub(crate) fn lists(&self, what: &str) -> Result<Vec<(String, Vec<String>)>, JsValue> {
        let within = format!("{what}.{}", self.name);
        let texts = |field: Field| {
            let what = format!("{within}.{}", field.name);
            let texts = list(&field.value, &what, "texts", |text| text.as_string())?;
            Ok((field.name, texts))
        };
        fields(&self.value, &within)?
            .into_iter()
            .map(texts)
            .collect()
    }

    /// What is said where the object has no such field; there are `known`.
    pub(crate) fn unknown(&self, what: &str, known: &str) -> JsValue {
        let name = &self.name;
        invalid(
            what,
            &format!("unknown field {}; there are {known}", quoted(name)),
        )
    }

    /// What is said where the field holds something else than `wanted`.
    pub(crate) fn wrong(&self, what: &str, wanted: &str) -> JsValue {
        invalid(what, &format!("{} is {wanted}", self.name))
    }

    fn of<T>(&self, what: &str, wanted: &str, read: Option<T>) -> Result<T, JsValue> {
        read.ok_or_else(|| self.wrong(what, wanted))
    }
}

/// Whether a value holds nothing but fields: maps, arrays and what has a class hold what is
/// not among its fields.
fn is_plain(value: &JsValue) -> bool {
    let above = |value: &JsValue| Object::get_prototype_of(value).into();
    value.is_object() && !Array::is_array(value) && {
        let kind: JsValue = above(value);
        kind.is_null() || JsValue::is_null(&above(&kind))
    }
}

/// The items of a list; `what` it is, and what it is a list `of`, for messages.
pub(crate) fn list<T>(
    value: &JsValue,
    what: &str,
    of: &str,
    read: impl Fn(JsValue) -> Option<T>,
) -> Result<Vec<T>, JsValue> {
    let items = match Array::is_array(value) {
        true => value.unchecked_ref::<Array>().iter().map(read).collect(),
        false => None,
    };
    items.ok_or_else(|| invalid(what, &format!("this is no list of {of}")))
}

/// An integer from 0 to `most`.
pub(crate) fn count(value: &JsValue, most: u32) -> Option<u32> {
    let number = value.as_f64()?;
    let is_count = number.fract() == 0.0 && (0.0..=f64::from(most)).contains(&number);
    is_count.then_some(number as u32)
}

pub(crate) fn invalid(what: &str, why: &str) -> JsValue {
    thrown(Fault::new("invalid-input", format!("{what}: {why}")))
}
