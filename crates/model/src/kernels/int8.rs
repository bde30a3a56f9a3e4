//! `Y = X Wᵀ` for int8 weights, the weights never unpacked outside registers.
//!
//! The loop: for each panel of 32 weight rows (10 KB at 320 columns: it stays in the first
//! cache), for each tile of 8 rows of activations, 256 dot products; then scales, bias and
//! the sum with what is there already. A tile's sums stay in registers from the first column
//! to the last: all of them with AVX-512, a quarter at a time elsewhere.
//!
//! Cost: one multiply-add per weight and row; the rest (quantising, scaling) is below a
//! tenth of it from 128 columns up.

use super::activations::Activations;
use super::pack::PackedMatrix;
use super::tile::{Tile, write};
use super::vector::{LANES, Vector};
use super::{Instructions, Kernel, PANEL, TILE_ROWS};

pub use super::tile::Output;

/// `out = X Wᵀ + bias`, or `out += X Wᵀ + bias`: `out` is `[x.rows, weights.rows]`.
///
/// # Panics
/// If the shapes do not match.
pub fn multiply(
    kernel: Kernel,
    x: &Activations,
    weights: &PackedMatrix,
    bias: Option<&[f32]>,
    output: Output,
    out: &mut [f32],
) {
    assert_eq!(x.cols, weights.cols);
    assert_eq!(out.len(), x.rows * weights.rows);
    assert!(bias.is_none_or(|bias| bias.len() == weights.rows));
    let width = weights.rows;
    let (mut sums, mut floats) = (Tile::default(), Tile::default());
    for panel in 0..width.div_ceil(PANEL) {
        let (values, scales) = weights.panel(panel);
        for (tile, block) in out.chunks_mut(TILE_ROWS * width).enumerate() {
            tile_sums(kernel, x.tile(tile), values, &mut sums);
            scale(kernel, &sums, x.tile_scales(tile), scales, &mut floats);
            write(&floats, panel, bias, output, width, block);
        }
    }
}

/// The innermost loop alone, for measurements: the first tile of `x` by the first panel of
/// `weights`.
///
/// # Panics
/// If the shapes do not match, or there is nothing.
pub fn tile(kernel: Kernel, x: &Activations, weights: &PackedMatrix) -> [[i32; PANEL]; TILE_ROWS] {
    assert_eq!(x.cols, weights.cols);
    let mut sums = Tile::default();
    tile_sums(kernel, x.tile(0), weights.panel(0).0, &mut sums);
    sums.0
}

for_each_instruction_set! {
    /// The sums of a tile, each times the scales of its row and of its weights.
    fn scale(
        sums: &Tile<i32>,
        row_scales: &[f32; TILE_ROWS],
        weight_scales: &[f32; PANEL],
        floats: &mut Tile<f32>,
    ) = scale_in
}

#[inline(always)]
fn scale_in<V: Vector, const ROWS: usize>(
    zero: V,
    sums: &Tile<i32>,
    row_scales: &[f32; TILE_ROWS],
    weight_scales: &[f32; PANEL],
    floats: &mut Tile<f32>,
) {
    let (weight_scales, _) = weight_scales.as_chunks::<LANES>();
    for ((floats, sums), &row_scale) in floats.0.iter_mut().zip(&sums.0).zip(row_scales) {
        let (floats, _) = floats.as_chunks_mut::<LANES>();
        for ((float, sums), scales) in floats.iter_mut().zip(sums.as_chunks().0).zip(weight_scales)
        {
            let (sums, scales, row_scale) =
                (zero.convert(sums), zero.load(scales), zero.splat(row_scale));
            sums.mul(row_scale.mul(scales)).store(float);
        }
    }
}

/// The dot products of a tile of activations with as many columns of a panel.
pub(super) fn tile_sums(kernel: Kernel, x: &[i16], weights: &[i8], sums: &mut Tile<i32>) {
    match kernel.0 {
        Instructions::Scalar => scalar(x, weights, sums),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Instructions::Simd128 => super::wasm::tile(x, weights, sums),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Kernel` with AVX2 exists only where AVX2 was detected.
        Instructions::Avx2 => unsafe { super::x86::tile_avx2(x, weights, sums) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Kernel` with AVX-512 exists only where F, BW and VNNI were detected.
        Instructions::Avx512Vnni => unsafe { super::x86::tile_avx512(x, weights, sums) },
    }
}

/// The reference for the tiles of this folder, and the kernel of every other machine.
fn scalar(x: &[i16], weights: &[i8], sums: &mut Tile<i32>) {
    *sums = Tile::default();
    let (x, _) = x.as_chunks::<{ TILE_ROWS * 2 }>();
    let (weights, _) = weights.as_chunks::<{ PANEL * 2 }>();
    for (x, weights) in x.iter().zip(weights) {
        for (sums, x) in sums.0.iter_mut().zip(x.as_chunks::<2>().0) {
            let (even, odd) = (i32::from(x[0]), i32::from(x[1]));
            for (sum, w) in sums.iter_mut().zip(weights.as_chunks::<2>().0) {
                *sum += even * i32::from(w[0]) + odd * i32::from(w[1]);
            }
        }
    }
}
