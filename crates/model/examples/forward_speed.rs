//! The forward pass of the 10 M model with random weights, against its own innermost loop:
//!
//! ```sh
//! cargo run --release -p lacuna-model --example forward_speed
//! ```
//!
//! For each kernel of this machine: the multiply-adds a second of one tile of
//! int8 weights by 16-bit activations, over and over in the first cache; those of the whole
//! pass, which has besides these products attention, norms, rotations, gates and rounding; and
//! the second as a share of the first. Both are the fastest of rounds that take turns, so that
//! other work on the machine hits both. The hash is of the logits' bits: it is the same for all
//! kernels, and in wasm. At the end, how many times faster all threads of the machine are than
//! one, by the clock on the wall: that figure wants a machine with nothing else to do. Names of kernels as arguments leave the others out.

use lacuna_model::kernels::Kernel;
use lacuna_model::{CpuTransformer, WeightFormat, threads};
use std::time::Instant;

#[allow(dead_code)]
#[path = "../tests/common/mod.rs"]
mod common;
mod speed;

/// Rounds of a measurement, and the seconds after which there are enough even so.
const ROUNDS: usize = 60;
const ENOUGH: f64 = 2.0;

fn main() {
    println!("kernel, weights, positions: ms a pass, multiply-adds a second of pass and tile");
    let named: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |kernel: &Kernel| named.is_empty() || named.iter().any(|n| n == kernel.name());
    for kernel in Kernel::supported().into_iter().filter(wanted) {
        let tile = speed::Tile::new(kernel);
        for format in [WeightFormat::Int8, WeightFormat::Int4] {
            let mut model = CpuTransformer::with_kernel(speed::weights(format), kernel);
            model.set_threads(1);
            for length in [64, 128, 256] {
                let (ids, rows) = speed::input(length);
                let mut logits = Vec::new();
                let (mut pass, mut tiles) = (f64::INFINITY, f64::INFINITY);
                let begin = Instant::now();
                for _ in 0..ROUNDS {
                    if begin.elapsed().as_secs_f64() > ENOUGH && pass.is_finite() {
                        break;
                    }
                    pass = pass.min(seconds(|| {
                        model
                            .logits(&ids, &rows, &mut logits)
                            .expect("a random model is finite");
                    }));
                    tiles = tiles.min(seconds(|| {
                        std::hint::black_box(tile.run(speed::TILES));
                    }));
                }
                let hash = speed::hash(&logits);
                let pass_rate = speed::multiply_adds(length, rows.len()) / pass;
                let tile_rate = speed::TILES as f64 * speed::Tile::MULTIPLY_ADDS / tiles;
                println!(
                    "{}, {format:?}, {length}: {:.2} ms, {:.1} G/s of {:.1} G/s, {:.0} %; logits {:016x}",
                    kernel.name(),
                    pass * 1e3,
                    pass_rate / 1e9,
                    tile_rate / 1e9,
                    pass_rate / tile_rate * 100.0,
                    hash
                );
            }
        }
        print_speedup(kernel);
    }
}

/// Passes by one thread and by all, in turns.
fn print_speedup(kernel: Kernel) {
    let mut models = [1, threads::available()].map(|most| {
        let mut model = CpuTransformer::with_kernel(speed::weights(WeightFormat::Int8), kernel);
        model.set_threads(most);
        model
    });
    for length in [64, 128, 256] {
        let (ids, rows) = speed::input(length);
        let mut logits = Vec::new();
        let mut fastest = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (fastest, model) in fastest.iter_mut().zip(&mut models) {
                let begin = Instant::now();
                model
                    .logits(&ids, &rows, &mut logits)
                    .expect("a random model is finite");
                *fastest = fastest.min(begin.elapsed().as_secs_f64());
            }
        }
        println!(
            "{}, {length}: {} threads {:.2} times as fast as one",
            kernel.name(),
            threads::available(),
            fastest[0] / fastest[1]
        );
    }
}

/// Of the processor's time where the system tells it (Linux), so that other work on the machine
/// does not lengthen it.
fn seconds(run: impl FnOnce()) -> f64 {
    let (begin, clock) = (on_processor(), Instant::now());
    run();
    match (begin, on_processor()) {
        (Some(begin), Some(end)) => end - begin,
        _ => clock.elapsed().as_secs_f64(),
    }
}

fn on_processor() -> Option<f64> {
    // The system brings its figure up to date when the thread gives way, at the latest.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 * 1e-9)
}
