//! The engine for JavaScript, through wasm-bindgen.
//!
//! The only crate that knows JavaScript. It converts types and nothing else:
//! requests come in as plain objects, events go out as plain objects, and every
//! error is thrown as a plain object `{ kind, message, diagnostics? }`.
//!
//! Two builds: with the feature `gpu` everything; without `model`, which `gpu` includes,
//! [`Grammar`] alone, with no cache behind it. A third, with `bench` instead, is for the page of benchmarks, and a
//! fourth, with `workbench`, for the playground.

#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "model")]
mod cache;
#[cfg(feature = "gpu")]
mod clock;
#[cfg(feature = "model")]
mod decoding;
#[cfg(feature = "model")]
mod engine;
#[cfg(feature = "model")]
mod events;
mod grammar;
#[cfg(feature = "model")]
mod pause;
mod schema_options;
mod vocabulary;
#[cfg(feature = "workbench")]
mod workbench;

use std::collections::BTreeMap;

use lacuna_engine::Fault;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use wasm_bindgen::prelude::*;

#[cfg(feature = "bench")]
pub use bench::{BenchModel, CpuBench, measure_gpu, verify};
#[cfg(feature = "model")]
pub use cache::{cache_statistics, holds_compiled, offer_compiled, take_compiled};
#[cfg(feature = "model")]
pub use engine::{Engine, Run};
pub use grammar::Grammar;
pub use vocabulary::TokenTable;
#[cfg(feature = "workbench")]
pub use workbench::Workbench;

/// Reports panics, which are bugs, with their place to the console. The grammar engine
/// alone only traps: its build is for size.
#[cfg(any(feature = "model", feature = "bench"))]
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// Joins the threads that share the work of forward passes; does not return. For workers that
/// have instantiated this module over the engine's memory, in the build that shares it.
#[cfg(any(feature = "model", feature = "bench"))]
#[wasm_bindgen(js_name = serveThreads)]
pub fn serve_threads() {
    lacuna_model::threads::serve()
}

/// A fault as a plain object.
fn thrown(fault: Fault) -> JsValue {
    to_js(&fault).unwrap_or_else(|_| JsValue::from_str(&fault.message))
}

fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(JsValue::from)
}

/// As [`from_js`], for an object with none but these fields: of a plain object
/// serde sees only those that it asks for.
fn from_js_with<T: DeserializeOwned>(
    value: JsValue,
    what: &str,
    known: &[&str],
) -> Result<T, JsValue> {
    let fields: BTreeMap<String, IgnoredAny> = from_js(value.clone(), what)?;
    match fields.keys().find(|field| !known.contains(&field.as_str())) {
        None => from_js(value, what),
        Some(unknown) => {
            let known = known.join(", ");
            let message = format!("{what}: unknown field {unknown:?}; there are {known}");
            Err(thrown(Fault::new("invalid-input", message)))
        }
    }
}

fn from_js<T: DeserializeOwned>(value: JsValue, what: &str) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value)
        .map_err(|error| thrown(Fault::new("invalid-input", format!("{what}: {error}"))))
}
