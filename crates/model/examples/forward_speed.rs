//! Milliseconds for a forward pass of the 10 M model with random weights, and the speed of
//! the int8 product alone, for each kernel of this machine:
//!
//! ```sh
//! cargo run --release -p lacuna-model --example forward_speed
//! ```
//!
//! The hash is of the logits' bits: it is the same for all kernels, and in wasm.

use lacuna_model::CpuTransformer;
use lacuna_model::kernels::Kernel;
use lacuna_model::kernels::activations::Activations;
use lacuna_model::kernels::int8::{self, Output};
use lacuna_model::kernels::pack::PackedMatrix;
use std::time::Instant;

#[path = "../tests/common/mod.rs"]
mod common;
mod speed;

fn main() {
    for kernel in Kernel::supported() {
        println!("{}", kernel.name());
        let mut model = CpuTransformer::with_kernel(speed::weights(), kernel);
        for length in [128, 256] {
            let (ids, rows) = speed::input(length);
            let mut logits = Vec::new();
            let seconds = fastest(9, || {
                model
                    .logits(&ids, &rows, &mut logits)
                    .expect("a random model is finite");
            });
            println!(
                "  {length} positions, {} wanted: {:.1} ms a pass, logits {:016x}",
                rows.len(),
                seconds * 1e3,
                speed::hash(&logits)
            );
        }
        let (rows, inputs, outputs) = (128, 320, 864);
        let weights = PackedMatrix::new(
            outputs,
            inputs,
            &vec![7; outputs * inputs],
            vec![0.01; outputs],
        );
        let mut x = Activations::default();
        x.quantize(&vec![0.5; rows * inputs], rows, inputs);
        let mut out = vec![0.0; rows * outputs];
        let seconds = fastest(200, || {
            int8::multiply(kernel, &x, &weights, None, Output::Set, &mut out);
        });
        let operations = (2 * rows * inputs * outputs) as f64;
        println!(
            "  int8 product [128, 320] x [320, 864]: {:.0} GOP/s",
            operations / seconds / 1e9
        );
    }
}

fn fastest(times: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..times {
        let begin = Instant::now();
        run();
        best = best.min(begin.elapsed().as_secs_f64());
    }
    best
}
