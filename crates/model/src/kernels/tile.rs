//! What the tiles of [`super::int8`] and [`super::int4`] become: places in the output.

use super::{PANEL, TILE_ROWS};

/// The dot products of a tile of activations with a panel of weights, or the same with scales.
/// Aligned to a line of the cache, so that no vector of it lies on two.
#[repr(align(64))]
pub(super) struct Tile<T>(pub(super) [[T; PANEL]; TILE_ROWS]);

impl<T: Copy + Default> Default for Tile<T> {
    fn default() -> Self {
        Self([[T::default(); PANEL]; TILE_ROWS])
    }
}

/// What happens to what stands in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// It is overwritten.
    Set,
    /// It is added to: a residual connection.
    Add,
}

/// Writes a tile to the panel's columns of `block`, the tile's rows of an output of `width`.
pub(super) fn write(
    sums: &Tile<f32>,
    panel: usize,
    bias: Option<&[f32]>,
    output: Output,
    width: usize,
    block: &mut [f32],
) {
    let columns = panel * PANEL..width.min((panel + 1) * PANEL);
    for (row, sums) in block.chunks_exact_mut(width).zip(&sums.0) {
        let out = &mut row[columns.clone()];
        if let (Ok(out), None) = (<&mut [f32; PANEL]>::try_from(&mut *out), bias) {
            match output {
                Output::Set => *out = *sums,
                Output::Add => out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum),
            }
            continue;
        }
        match output {
            Output::Set => out.copy_from_slice(&sums[..out.len()]),
            Output::Add => out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum),
        }
        if let Some(bias) = bias {
            let bias = &bias[columns.clone()];
            out.iter_mut()
                .zip(bias)
                .for_each(|(out, bias)| *out += bias);
        }
    }
}
