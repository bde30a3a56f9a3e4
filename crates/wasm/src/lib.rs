//! The engine for JavaScript, through wasm-bindgen.
//!
//! The only crate that knows JavaScript. It converts types and nothing else:
//! requests come in as plain objects, events go out as plain objects, and every
//! error is thrown as a plain object `{ kind, message, diagnostics? }`.
//!
//! Built by features: with `gpu` all that a run needs; without `model`, which `gpu` includes,
//! [`Grammar`] alone, with no cache behind it; with `bench` instead for the page of benchmarks; with
//! `workbench` for the playground. The first and the third are built with threads, too.

#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "model")]
mod cache;
#[cfg(feature = "gpu")]
mod clock;
mod compile_options;
mod crossing;
#[cfg(feature = "model")]
mod decoding;
#[cfg(feature = "model")]
mod engine;
#[cfg(feature = "model")]
mod events;
mod grammar;
mod now;
#[cfg(feature = "model")]
mod pause;
mod plain;
#[cfg(not(feature = "model"))]
mod questions;
mod schema_options;
mod vocabulary;
#[cfg(feature = "workbench")]
mod workbench;

#[cfg(any(feature = "model", feature = "bench"))]
use wasm_bindgen::prelude::*;

/// In less code than the standard library's, and no slower. Where threads share memory that
/// one is left.
#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

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

/// Says that the calling thread, which [`serve_threads`] has trapped in, is lost: whoever waits for
/// its part of a pass traps, in place of waiting for ever.
#[cfg(all(target_arch = "wasm32", any(feature = "model", feature = "bench")))]
#[wasm_bindgen(js_name = loseThread)]
pub fn lose_thread() {
    // SAFETY: a panic in WebAssembly is a trap; no instance is entered again behind one.
    unsafe { lacuna_model::threads::lose_member() }
}
