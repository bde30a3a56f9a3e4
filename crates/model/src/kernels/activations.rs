//! Activations as 16-bit integers with a scale for each row, laid out for the tiles of
//! [`super::int8`].
//!
//! Why 16 bits: activations have outliers, and 8 bits lose what stands beside one. 16 bits
//! lose nothing that shows (the logits move by about 1e-4), and a 16-bit multiply-add of
//! pairs is the widest integer product that x86 and wasm both have.
//!
//! The largest magnitude is chosen by the length of the rows, so that no sum can overflow:
//! `cols * 128 * limit <= i32::MAX`; that is all 15 bits up to 512 columns, 14 bits up to
//! 1,024, and still 8 at [`crate::config::MAX_WIDTH`].
//!
//! Layout: `[tile of 8 rows][pair of columns][row in tile][2]`. A tile reads it front to
//! back, whatever its shape. Rows that fill up the last tile are zero.

use super::elementwise::largest_magnitude;
use super::{Kernel, TILE_ROWS};

/// Adding this to a float of small magnitude rounds it to the nearest integer, and leaves
/// that integer, in two's complement, in the low bits.
const ROUND: f32 = 12_582_912.0;

/// Rows of 16-bit activations; a buffer that is filled again and again.
#[derive(Clone, Debug, Default)]
pub struct Activations {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) values: Vec<i16>,
    /// What a value of 1 stands for, a row each; padded with zeros like the rows.
    pub(super) scales: Vec<f32>,
}

impl Activations {
    /// Quantises `rows * cols` floats, row-major. A row with an infinity or a NaN becomes
    /// zeros with a scale of NaN, so that it is seen in whatever is computed from it.
    pub fn quantize(&mut self, kernel: Kernel, floats: &[f32], rows: usize, cols: usize) {
        debug_assert_eq!(floats.len(), rows * cols);
        self.rows = rows;
        self.cols = cols;
        let pairs = cols.div_ceil(2);
        self.values.clear();
        self.values
            .resize(rows.div_ceil(TILE_ROWS) * pairs * TILE_ROWS * 2, 0);
        self.scales.clear();
        let limit = limit(cols);
        let tiles = self.values.chunks_exact_mut((pairs * TILE_ROWS * 2).max(1));
        for (tile, block) in tiles.zip(floats.chunks((cols * TILE_ROWS).max(1))) {
            let mut scales = [0.0; TILE_ROWS];
            quantize_tile(kernel, block, cols, limit, tile, &mut scales);
            self.scales.extend(scales);
        }
    }

    /// The 16-bit values of one tile: `pairs * TILE_ROWS * 2`.
    pub(super) fn tile(&self, tile: usize) -> &[i16] {
        let length = self.cols.div_ceil(2) * TILE_ROWS * 2;
        &self.values[tile * length..][..length]
    }

    pub(super) fn tile_scales(&self, tile: usize) -> &[f32; TILE_ROWS] {
        let (scales, _) = self.scales.as_chunks();
        &scales[tile]
    }
}

for_each_instruction_set! {
    /// The rows of a tile, of which there may be fewer than places.
    fn quantize_tile(
        rows: &[f32],
        cols: usize,
        limit: f32,
        tile: &mut [i16],
        scales: &mut [f32; TILE_ROWS],
    ) {
        for (lane, (row, scale)) in rows.chunks_exact(cols).zip(scales).enumerate() {
            *scale = quantize_row(row, limit, tile, lane);
        }
    }
}

#[inline(always)]
fn quantize_row(row: &[f32], limit: f32, tile: &mut [i16], lane: usize) -> f32 {
    let largest = largest_magnitude(row);
    if !largest.is_finite() {
        return f32::NAN;
    }
    // Below this the inverse would overflow, and nothing is lost.
    if largest < 1e-30 {
        return 0.0;
    }
    let inverse = limit / largest;
    let round = |value: f32| (value * inverse + ROUND).to_bits() as i16;
    let (pairs, rest) = row.as_chunks::<2>();
    let (places, _) = tile.as_chunks_mut::<{ TILE_ROWS * 2 }>();
    for (place, [even, odd]) in places.iter_mut().zip(pairs) {
        place[2 * lane] = round(*even);
        place[2 * lane + 1] = round(*odd);
    }
    if let ([last], Some(place)) = (rest, places.last_mut()) {
        place[2 * lane] = round(*last);
    }
    largest / limit
}

/// The largest magnitude of a quantised activation in rows of `cols`.
fn limit(cols: usize) -> f32 {
    let most = i32::MAX as usize / (128 * cols.max(1));
    // One below, since the product with the inverse may round up.
    (most.min(i16::MAX as usize) - 1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_in_32_bits() {
        for cols in [
            1,
            2,
            511,
            512,
            513,
            864,
            1024,
            4096,
            crate::config::MAX_WIDTH,
        ] {
            let most = limit(cols) as i64 + 1;
            assert!(most >= 250 && most <= i64::from(i16::MAX));
            assert!(cols as i64 * 128 * most <= i64::from(i32::MAX), "{cols}");
        }
    }

    #[test]
    fn rounds_to_nearest_and_pads_with_zeros() {
        let mut activations = Activations {
            values: vec![77; 4],
            ..Default::default()
        };
        activations.quantize(Kernel::detect(), &[1.0, -1.0, 0.5, 0.0, 0.0, 0.0], 2, 3);
        let most = limit(3) as i16;
        let mut expected = [0; 32];
        expected[0] = most;
        expected[1] = -most;
        expected[16] = (f32::from(most) / 2.0).round_ties_even() as i16;
        assert_eq!(activations.values, expected);
        assert_eq!(activations.scales[0], 1.0 / f32::from(most));
        assert_eq!(activations.scales[1..], [0.0; 7]);
    }

    #[test]
    fn a_row_that_is_not_finite_is_marked() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut activations = Activations::default();
            activations.quantize(Kernel::detect(), &[1.0, bad, 1.0, 1.0], 2, 2);
            assert!(activations.scales[0].is_nan() && activations.scales[1] > 0.0);
        }
    }
}
