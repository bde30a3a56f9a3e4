//! What the tiles of [`super::int8`] and [`super::int4`] become: places in the output.

use super::{PANEL, TILE_ROWS};

/// The dot products of a tile of activations with a panel of weights.
pub(super) type TileSums = [[i32; PANEL]; TILE_ROWS];

/// The same with scales.
pub(super) type FloatSums = [[f32; PANEL]; TILE_ROWS];

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
    sums: &FloatSums,
    panel: usize,
    bias: Option<&[f32]>,
    output: Output,
    width: usize,
    block: &mut [f32],
) {
    let columns = panel * PANEL..width.min((panel + 1) * PANEL);
    for (row, sums) in block.chunks_exact_mut(width).zip(sums) {
        let out = &mut row[columns.clone()];
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
