//! `forward_speed` as a wasm module: `prepare(length, int4)`, then `pass()` and `tiles()` as
//! often as one likes; `hash()` of the logits as natively. `examples/forward_speed.mjs` builds nothing; it runs
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

use lacuna_model::kernels::Kernel;
use lacuna_model::{CpuTransformer, WeightFormat};
use std::cell::RefCell;

#[allow(dead_code)]
#[path = "../tests/common/mod.rs"]
mod common;
mod speed;

struct Run {
    model: CpuTransformer,
    ids: Vec<u32>,
    rows: Vec<usize>,
    logits: Vec<f32>,
    tile: speed::Tile,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Makes the model and an input of this many positions.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(length: usize, int4: bool) {
    let (ids, rows) = speed::input(length);
    let format = match int4 {
        true => WeightFormat::Int4,
        false => WeightFormat::Int8,
    };
    let model = CpuTransformer::new(speed::weights(format));
    RUN.set(Some(Run {
        model,
        ids,
        rows,
        logits: Vec::new(),
        tile: speed::Tile::new(Kernel::detect()),
    }));
}

/// A round of the innermost loop alone, which takes this many multiply-adds.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn tiles() -> f64 {
    RUN.with_borrow(|run| {
        if let Some(run) = run {
            std::hint::black_box(run.tile.run(speed::TILES));
        }
    });
    speed::TILES as f64 * speed::Tile::MULTIPLY_ADDS
}

/// The multiply-adds of a pass.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn multiply_adds() -> f64 {
    RUN.with_borrow(|run| {
        let lengths = run.as_ref().map(|run| (run.ids.len(), run.rows.len()));
        lengths.map_or(0.0, |(length, wanted)| speed::multiply_adds(length, wanted))
    })
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
