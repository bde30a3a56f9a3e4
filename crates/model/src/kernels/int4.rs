//! `Y = X Wᵀ` for int4 weights in groups of 32 columns, each with a scale and a minimum.
//!
//! A weight is `q * scale + min`, so a group's share of a dot product is
//! `scale * sum(q x) + min * sum(x)`: the first sum is [`super::int8`]'s product over 16 pairs
//! of columns, the second is the same for all weight rows and taken once. Both are integers
//! below 2^24 and therefore exact as f32; groups are added front to back, so the bits do not
//! depend on the machine.
//!
//! Layout: `[panel of 32 rows][pair of columns][row in half panel][2]`, a byte holding the
//! weight of a row in its low half and that of the row 16 below in its high half: unpacking
//! is one mask and one shift of whole vectors, which gives the layout of
//! [`super::pack::PackedMatrix`]. A panel is unpacked into the first cache when its turn comes
//! and serves all rows of activations; in memory the matrix stays at five bits a weight.

use super::activations::Activations;
use super::int8::tile_sums;
use super::tile::{Output, Tile, write};
use super::vector::{LANES, Vector};
use super::{Kernel, PANEL, TILE_ROWS};
use crate::weights::INT4_GROUP as GROUP;

/// Values of activations and of weights in a group of a tile.
const GROUP_OF_X: usize = GROUP * TILE_ROWS;
const GROUP_OF_WEIGHTS: usize = GROUP * PANEL;

/// Rows of a panel that share bytes with the other half.
const HALF: usize = PANEL / 2;

/// An int4 matrix ready for [`multiply`].
#[derive(Clone, Debug)]
pub struct PackedInt4 {
    rows: usize,
    cols: usize,
    panels: Vec<u8>,
    /// `[panel][group][row in panel]`, halves as their bits.
    scales: Vec<u16>,
    minima: Vec<u16>,
}

impl PackedInt4 {
    /// Packs a matrix as [`crate::weights::MatrixValues::Int4`] has it.
    ///
    /// # Panics
    /// If the lengths do not match, or `cols` is no multiple of [`GROUP`].
    pub fn new(rows: usize, cols: usize, packed: &[u8], scales: &[u16], minima: &[u16]) -> Self {
        assert!(cols.is_multiple_of(GROUP));
        assert_eq!(packed.len(), rows * cols / 2);
        let panels = rows.div_ceil(PANEL);
        let mut nibbles = vec![0; panels * cols * HALF];
        for (row, values) in packed.chunks_exact((cols / 2).max(1)).enumerate() {
            let (panel, lane) = (row / PANEL * cols * HALF, row % PANEL);
            let (place, shift) = (panel + lane % HALF * 2, lane / HALF * 4);
            for (pair, byte) in values.iter().enumerate() {
                let place = &mut nibbles[place + pair * PANEL..][..2];
                place[0] |= (byte & 15) << shift;
                place[1] |= (byte >> 4) << shift;
            }
        }
        let by_panel = |halves: &[u16]| {
            let groups = cols / GROUP;
            assert_eq!(halves.len(), rows * groups);
            let mut out = vec![0; panels * groups * PANEL];
            for (row, halves) in halves.chunks_exact(groups.max(1)).enumerate() {
                for (group, &half) in halves.iter().enumerate() {
                    out[(row / PANEL * groups + group) * PANEL + row % PANEL] = half;
                }
            }
            out
        };
        Self {
            rows,
            cols,
            panels: nibbles,
            scales: by_panel(scales),
            minima: by_panel(minima),
        }
    }

    /// Outputs of a product with this matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Writes one row, dequantised, to `out`, which has `cols` places.
    pub fn row_into(&self, row: usize, out: &mut [f32]) {
        let (panel, lane) = (row / PANEL, row % PANEL);
        let groups = self.cols / GROUP;
        let nibbles = &self.panels[panel * self.cols * HALF..][lane % HALF * 2..];
        for (col, out) in out.iter_mut().enumerate() {
            let byte = nibbles[col / 2 * PANEL + col % 2];
            let quantized = byte >> (lane / HALF * 4) & 15;
            let half = (panel * groups + col / GROUP) * PANEL + lane;
            *out = f32::from(quantized) * single(self.scales[half]) + single(self.minima[half]);
        }
    }
}

/// `out = X Wᵀ + bias`, or `out += X Wᵀ + bias`: `out` is `[x.rows, weights.rows]`.
///
/// # Panics
/// If the shapes do not match.
pub fn multiply(
    kernel: Kernel,
    x: &Activations,
    weights: &PackedInt4,
    bias: Option<&[f32]>,
    output: Output,
    out: &mut [f32],
) {
    let (width, groups) = (weights.rows, weights.cols / GROUP);
    assert_eq!(x.cols, weights.cols);
    assert_eq!(out.len(), x.rows * width);
    assert!(bias.is_none_or(|bias| bias.len() == width));
    let mut x_sums = vec![[0.0; TILE_ROWS]; x.rows.div_ceil(TILE_ROWS) * groups];
    sum_groups(kernel, &x.values, &mut x_sums);
    let mut panel = Panel::new(groups);
    let mut sums = Tile::default();
    for index in 0..width.div_ceil(PANEL) {
        panel.fill(kernel, weights, index);
        for (tile, block) in out.chunks_mut(TILE_ROWS * width).enumerate() {
            let mut floats = Tile::default();
            let x_groups = x.tile(tile).chunks_exact(GROUP_OF_X);
            let w_groups = panel.weights.chunks_exact(GROUP_OF_WEIGHTS);
            for (group, (x, weights)) in x_groups.zip(w_groups).enumerate() {
                tile_sums(kernel, x, weights, &mut sums);
                let x_sums = &x_sums[tile * groups + group];
                let (scales, minima) = (&panel.scales[group], &panel.minima[group]);
                add_group(kernel, &sums, x_sums, scales, minima, &mut floats);
            }
            scale_rows(kernel, x.tile_scales(tile), &mut floats);
            write(&floats, index, bias, output, width, block);
        }
    }
}

/// One panel, unpacked.
struct Panel {
    /// `[pair of columns][row in panel][2]`.
    weights: Vec<i8>,
    /// One row of the panel beside the other, for each group.
    scales: Vec<[f32; PANEL]>,
    minima: Vec<[f32; PANEL]>,
}

impl Panel {
    fn new(groups: usize) -> Self {
        Self {
            weights: vec![0; groups * GROUP_OF_WEIGHTS],
            scales: vec![[0.0; PANEL]; groups],
            minima: vec![[0.0; PANEL]; groups],
        }
    }

    fn fill(&mut self, kernel: Kernel, matrix: &PackedInt4, index: usize) {
        let (nibbles, halves) = (matrix.cols * HALF, self.scales.len() * PANEL);
        unpack(
            kernel,
            &matrix.panels[index * nibbles..][..nibbles],
            &mut self.weights,
        );
        let halves = index * halves..(index + 1) * halves;
        widen(
            kernel,
            &matrix.scales[halves.clone()],
            self.scales.as_flattened_mut(),
        );
        widen(
            kernel,
            &matrix.minima[halves],
            self.minima.as_flattened_mut(),
        );
    }
}

for_each_instruction_set! {
    /// Bytes of two weights to the weights.
    fn unpack(nibbles: &[u8], out: &mut [i8]) {
        let (out, _) = out.as_chunks_mut::<{ PANEL * 2 }>();
        for (nibbles, out) in nibbles.as_chunks::<PANEL>().0.iter().zip(out) {
            let (low, high) = out.split_at_mut(PANEL);
            for ((low, high), byte) in low.iter_mut().zip(high).zip(nibbles) {
                (*low, *high) = ((byte & 15) as i8, (byte >> 4) as i8);
            }
        }
    }
}

for_each_instruction_set! {
    fn widen(halves: &[u16], out: &mut [f32]) {
        for (out, &half) in out.iter_mut().zip(halves) {
            *out = single(half);
        }
    }
}

for_each_instruction_set! {
    /// The sum of each row of activations over each group of columns.
    fn sum_groups(x: &[i16], out: &mut [[f32; TILE_ROWS]]) {
        for (x, out) in x.as_chunks::<GROUP_OF_X>().0.iter().zip(out) {
            let mut sums = [0i32; TILE_ROWS];
            for pairs in x.as_chunks::<{ TILE_ROWS * 2 }>().0 {
                for (sum, pair) in sums.iter_mut().zip(pairs.as_chunks::<2>().0) {
                    *sum += i32::from(pair[0]) + i32::from(pair[1]);
                }
            }
            *out = sums.map(|sum| sum as f32);
        }
    }
}

for_each_instruction_set! {
    /// Adds a group's share: the integer sums times its scales, and the sums of the
    /// activations times its minima.
    fn add_group(
        sums: &Tile<i32>,
        x_sums: &[f32; TILE_ROWS],
        scales: &[f32; PANEL],
        minima: &[f32; PANEL],
        floats: &mut Tile<f32>,
    ) = add_group_in
}

#[inline(always)]
fn add_group_in<V: Vector, const ROWS: usize>(
    zero: V,
    sums: &Tile<i32>,
    x_sums: &[f32; TILE_ROWS],
    scales: &[f32; PANEL],
    minima: &[f32; PANEL],
    floats: &mut Tile<f32>,
) {
    let (scales, minima) = (scales.as_chunks::<LANES>().0, minima.as_chunks().0);
    for ((floats, sums), &x_sum) in floats.0.iter_mut().zip(&sums.0).zip(x_sums) {
        let floats = floats.as_chunks_mut().0.iter_mut();
        let group = scales.iter().zip(minima);
        for ((float, sums), (scales, minima)) in floats.zip(sums.as_chunks().0).zip(group) {
            let (sums, x_sum) = (zero.convert(sums), zero.splat(x_sum));
            let more = sums
                .mul(zero.load(scales))
                .add(x_sum.mul(zero.load(minima)));
            zero.load(float).add(more).store(float);
        }
    }
}

for_each_instruction_set! {
    fn scale_rows(scales: &[f32; TILE_ROWS], floats: &mut Tile<f32>) = scale_rows_in
}

#[inline(always)]
fn scale_rows_in<V: Vector, const ROWS: usize>(
    zero: V,
    scales: &[f32; TILE_ROWS],
    floats: &mut Tile<f32>,
) {
    for (floats, &scale) in floats.0.iter_mut().zip(scales) {
        for float in floats.as_chunks_mut().0 {
            let (value, scale) = (zero.load(float), zero.splat(scale));
            value.mul(scale).store(float);
        }
    }
}

/// A half that is finite, exactly: its exponent and fraction moved to their place in a single,
/// and the difference of the exponents' offsets multiplied in, which serves subnormals too.
#[inline(always)]
fn single(half: u16) -> f32 {
    const OFFSET: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = f32::from_bits(u32::from(half & 0x7fff) << 13) * OFFSET;
    f32::from_bits(magnitude.to_bits() | u32::from(half >> 15) << 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::f16_to_f32;

    #[test]
    fn every_finite_half_is_widened_exactly() {
        for bits in 0..=u16::MAX {
            let exact = f16_to_f32(bits);
            if exact.is_finite() {
                assert_eq!(single(bits).to_bits(), exact.to_bits(), "{bits:#06x}");
            }
        }
    }
}
