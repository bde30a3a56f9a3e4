//! How what is known here becomes plain objects of JavaScript, and the other way round.
//!
//! Field by field where a model is, which tells of every token. The grammar engine alone is
//! small before it is fast: what it tells crosses as JSON, which takes fewer of the
//! browser's doors, and what it is told it reads by hand (`plain`).

use lacuna_engine::Fault;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A fault as a plain object.
pub(crate) fn thrown(fault: Fault) -> JsValue {
    to_js(&fault).unwrap_or_else(|_| JsValue::from_str(&fault.message))
}

#[cfg(any(feature = "model", feature = "bench"))]
pub(crate) fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(JsValue::from)
}

#[cfg(not(any(feature = "model", feature = "bench")))]
pub(crate) fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value);
    js_sys::JSON::parse(&text.map_err(|_| JsValue::from_str("this cannot be written as JSON"))?)
}

#[cfg(any(feature = "model", feature = "bench"))]
pub(crate) fn from_js<T: serde::de::DeserializeOwned>(
    value: JsValue,
    what: &str,
) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value)
        .map_err(|error| crate::plain::invalid(what, &error.to_string()))
}
