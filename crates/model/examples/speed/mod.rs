//! What is measured, the same natively and in wasm: the whole pass of the 10 M model, and its
//! innermost loop alone over data that stay in the first cache.

use crate::common::{self, Random};
use lacuna_model::kernels::Kernel;
use lacuna_model::kernels::activations::Activations;
use lacuna_model::kernels::int8;
use lacuna_model::kernels::pack::PackedMatrix;
use lacuna_model::kernels::{PANEL, TILE_ROWS};
use lacuna_model::{ModelConfig, WeightFormat, Weights};

/// Products of the innermost loop in a round of its measurement.
pub const TILES: usize = 500;

/// Random weights of the 10 M model.
pub fn weights(format: WeightFormat) -> Weights {
    let config = ModelConfig {
        quantization: Some(format),
        ..common::ten_million()
    };
    common::weights(&config, 1)
}

/// A canvas of which the second half is masked and wanted.
pub fn input(length: usize) -> (Vec<u32>, Vec<usize>) {
    let mut random = Random(length as u64);
    let ids = (0..length).map(|i| {
        if i < length / 2 {
            random.below(2048) as u32
        } else {
            1
        }
    });
    (ids.collect(), (length / 2..length).collect())
}

/// Multiply-adds of a pass over `length` positions of which `wanted` get logits: those of all
/// matrix products, attention's among them, and nothing else.
pub fn multiply_adds(length: usize, wanted: usize) -> f64 {
    let c = common::ten_million();
    let (hidden, query) = (c.hidden_size, c.query_width());
    let of_all = 2 * hidden * c.key_width();
    let of_some = 2 * hidden * query + 3 * hidden * c.intermediate_size + 2 * length * query;
    let layers = (c.num_hidden_layers - 1) * length * (of_all + of_some);
    let last = length * of_all + wanted * of_some;
    (layers + last + wanted * hidden * c.vocab_size) as f64
}

/// The innermost loop alone: one tile of activations by one panel of weights.
pub struct Tile {
    kernel: Kernel,
    x: Activations,
    weights: PackedMatrix,
}

impl Tile {
    /// As wide as the model's residual stream: 5 KB of activations and 10 KB of weights.
    const COLS: usize = 320;

    /// Multiply-adds of a round.
    pub const MULTIPLY_ADDS: f64 = (TILE_ROWS * PANEL * Self::COLS) as f64;

    pub fn new(kernel: Kernel) -> Self {
        let mut random = Random(5);
        let floats: Vec<f32> = (0..TILE_ROWS * Self::COLS)
            .map(|_| random.float())
            .collect();
        let weights: Vec<i8> = (0..PANEL * Self::COLS)
            .map(|_| random.next() as i8)
            .collect();
        let mut x = Activations::default();
        x.quantize(kernel, &floats, TILE_ROWS, Self::COLS);
        Self {
            kernel,
            x,
            weights: PackedMatrix::new(PANEL, Self::COLS, &weights, vec![1.0; PANEL]),
        }
    }

    /// The product, `rounds` times; a number that depends on all of them.
    pub fn run(&self, rounds: usize) -> i32 {
        let sums = (0..rounds).map(|_| {
            let sums = int8::tile(self.kernel, std::hint::black_box(&self.x), &self.weights);
            sums[TILE_ROWS - 1][PANEL - 1]
        });
        sums.fold(0, i32::wrapping_add)
    }
}

/// FNV-1a of the logits' bits.
pub fn hash(logits: &[f32]) -> u64 {
    let bytes = logits
        .iter()
        .flat_map(|logit| logit.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
