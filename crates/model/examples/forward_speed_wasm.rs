//! `forward_speed` as a wasm module: `prepare(length)`, then `pass()` as often as one likes;
//! `hash()` of the logits as natively. `examples/forward_speed.mjs` builds nothing; it runs
//! and times what this command built (with rustup's Rust and its wasm target; leave the
//! second flag out where the engine's own build does not need it):
//!
//! ```sh
//! RUSTFLAGS='-C target-feature=+simd128 --cfg getrandom_backend="wasm_js"' \
//!   cargo build --release --target wasm32-unknown-unknown --target-dir target/web \
//!   -p lacuna-model --example forward_speed_wasm
//! node crates/model/examples/forward_speed.mjs \
//!   target/web/wasm32-unknown-unknown/release/examples/forward_speed_wasm.wasm
//! ```

use lacuna_model::CpuTransformer;
use std::cell::RefCell;

#[path = "../tests/common/mod.rs"]
mod common;
mod speed;

struct Run {
    model: CpuTransformer,
    ids: Vec<u32>,
    rows: Vec<usize>,
    logits: Vec<f32>,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Makes the model and an input of this many positions.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(length: usize) {
    let (ids, rows) = speed::input(length);
    let model = CpuTransformer::new(speed::weights());
    RUN.set(Some(Run {
        model,
        ids,
        rows,
        logits: Vec::new(),
    }));
}

/// One forward pass; 1 if all went well.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn pass() -> u32 {
    RUN.with_borrow_mut(|run| match run {
        Some(run) => run
            .model
            .logits(&run.ids, &run.rows, &mut run.logits)
            .is_ok()
            .into(),
        None => 0,
    })
}

/// The hash of the last pass's logits.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn hash() -> u64 {
    RUN.with_borrow(|run| run.as_ref().map_or(0, |run| speed::hash(&run.logits)))
}
