//! `C = A B` in f32, for weights that are not quantised.
//!
//! A tile is a few rows and a vector of columns, its sums in registers; each element's sum
//! runs over the inner dimension front to back in one lane, whatever the width.

use super::vector::{LANES, Vector};

/// A row-major matrix inside a buffer: row `i` begins at `i * stride`.
#[derive(Clone, Copy)]
pub struct Strided<'a> {
    /// The buffer.
    pub values: &'a [f32],
    /// From a row to the next.
    pub stride: usize,
}

for_each_instruction_set! {
    /// `c[i][j] = sum over l of a[i][l] * b[l][j]`, for `[rows, inner]` and `[inner, cols]`;
    /// `c` has rows of `c_stride`, of which the first `cols` are written.
    ///
    /// # Panics
    /// If a buffer is too short.
    pub fn multiply(
        a: Strided<'_>,
        b: Strided<'_>,
        c: &mut [f32],
        c_stride: usize,
        shape: [usize; 3],
    ) = all_tiles
}

#[inline(always)]
fn all_tiles<V: Vector, const ROWS: usize>(
    zero: V,
    a: Strided<'_>,
    b: Strided<'_>,
    c: &mut [f32],
    c_stride: usize,
    [rows, inner, cols]: [usize; 3],
) {
    let whole_rows = rows - rows % ROWS;
    let whole_cols = cols - cols % LANES;
    for col in (0..whole_cols).step_by(LANES) {
        for row in (0..whole_rows).step_by(ROWS) {
            tile::<V, ROWS>(zero, a, b, c, c_stride, inner, [row, col]);
        }
        for row in whole_rows..rows {
            tile::<V, 1>(zero, a, b, c, c_stride, inner, [row, col]);
        }
    }
    for col in whole_cols..cols {
        for row in 0..rows {
            let a = &a.values[row * a.stride..][..inner];
            let products = a.iter().enumerate();
            c[row * c_stride + col] =
                products.fold(0.0, |sum, (l, a)| sum + a * b.values[l * b.stride + col]);
        }
    }
}

#[inline(always)]
fn tile<V: Vector, const ROWS: usize>(
    zero: V,
    a: Strided<'_>,
    b: Strided<'_>,
    c: &mut [f32],
    c_stride: usize,
    inner: usize,
    [row, col]: [usize; 2],
) {
    let a: [&[f32]; ROWS] = std::array::from_fn(|i| &a.values[(row + i) * a.stride..][..inner]);
    let mut sums = [zero; ROWS];
    for l in 0..inner {
        if let Some(b) = b.values[l * b.stride + col..].first_chunk() {
            let b = zero.load(b);
            for (sum, a) in sums.iter_mut().zip(a) {
                *sum = sum.add(zero.splat(a[l]).mul(b));
            }
        }
    }
    for (i, sum) in sums.into_iter().enumerate() {
        if let Some(c) = c[(row + i) * c_stride + col..].first_chunk_mut() {
            sum.store(c);
        }
    }
}
