//! The tile of [`super::int8`] with wasm's 128-bit vectors.
//!
//! Engines map `i32x4_dot_i16x8` to one instruction (`pmaddwd`) and have 16 registers or
//! more below, so a tile is eight passes over 4 rows and 8 weight rows: 8 sums, 2 vectors of
//! weights, 1 of activations. Both operands are read with constant offsets from two pointers
//! that advance, which spares the engine all address arithmetic.

use super::tile::Tile;
use super::{PANEL, TILE_ROWS};
use core::arch::wasm32::*;

pub(super) fn tile(x: &[i16], weights: &[i8], sums: &mut Tile<i32>) {
    const ROWS: usize = TILE_ROWS / 2;
    const COLS: usize = PANEL / 4;
    let (x, _) = x.as_chunks::<{ TILE_ROWS * 2 }>();
    let (weights, _) = weights.as_chunks::<{ PANEL * 2 }>();
    for cols in (0..PANEL).step_by(COLS) {
        for rows in [0, ROWS] {
            let mut acc = [[i32x4_splat(0); 2]; ROWS];
            for (x, w) in x.iter().zip(weights) {
                let w = w[cols * 2..][..COLS * 2].as_ptr();
                let x = x[rows * 2..][..ROWS * 2].as_ptr();
                // SAFETY: `w` points to 16 bytes, and loads need no alignment.
                let (low, high) =
                    unsafe { (i16x8_load_extend_i8x8(w), i16x8_load_extend_i8x8(w.add(8))) };
                for (row, acc) in acc.iter_mut().enumerate() {
                    // SAFETY: `x` points to 4 pairs of i16, 32 bits each.
                    let pair = unsafe { v128_load32_splat(x.cast::<u32>().add(row)) };
                    acc[0] = i32x4_add(acc[0], i32x4_dot_i16x8(pair, low));
                    acc[1] = i32x4_add(acc[1], i32x4_dot_i16x8(pair, high));
                }
            }
            for (acc, sums) in acc.iter().zip(&mut sums.0[rows..]) {
                let sums = sums[cols..][..COLS].as_mut_ptr().cast::<v128>();
                // SAFETY: `sums` points to 8 i32, two vectors, and stores need no alignment.
                unsafe {
                    v128_store(sums, acc[0]);
                    v128_store(sums.add(1), acc[1]);
                }
            }
        }
    }
}
