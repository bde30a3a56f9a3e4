//! `C = A B` in f32, for attention and for weights that are not quantised.
//!
//! Both operands are row-major with a stride, so that heads are multiplied where they lie.
//! A tile is 4 rows and a few vectors of columns, its sums in registers; each element's sum
//! runs over the inner dimension front to back in one lane, whatever the width.

use super::{Instructions, Kernel};

/// A row-major matrix inside a buffer: row `i` begins at `i * stride`.
#[derive(Clone, Copy)]
pub struct Strided<'a> {
    /// The buffer.
    pub values: &'a [f32],
    /// From a row to the next.
    pub stride: usize,
}

/// `c[i][j] = sum over l of a[i][l] * b[l][j]`, for `[rows, inner]` and `[inner, cols]`;
/// `c` has rows of `c_stride`, of which the first `cols` are written.
///
/// # Panics
/// If a buffer is too short.
pub fn multiply(
    kernel: Kernel,
    a: Strided<'_>,
    b: Strided<'_>,
    c: &mut [f32],
    c_stride: usize,
    [rows, inner, cols]: [usize; 3],
) {
    let shape = [rows, inner, cols];
    match kernel.0 {
        // 16 registers of 4: 8 sums, 2 of `b`, 1 of `a`.
        Instructions::Scalar => all_tiles::<8>(a, b, c, c_stride, shape),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Instructions::Simd128 => all_tiles::<8>(a, b, c, c_stride, shape),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Kernel` with AVX2 exists only where AVX2 was detected.
        Instructions::Avx2 => unsafe { multiply_avx2(a, b, c, c_stride, shape) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Kernel` with AVX-512 exists only where AVX-512 F was detected.
        Instructions::Avx512Vnni => unsafe { multiply_avx512(a, b, c, c_stride, shape) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn multiply_avx2(
    a: Strided<'_>,
    b: Strided<'_>,
    c: &mut [f32],
    c_stride: usize,
    shape: [usize; 3],
) {
    all_tiles::<16>(a, b, c, c_stride, shape);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn multiply_avx512(
    a: Strided<'_>,
    b: Strided<'_>,
    c: &mut [f32],
    c_stride: usize,
    shape: [usize; 3],
) {
    all_tiles::<32>(a, b, c, c_stride, shape);
}

#[inline(always)]
fn all_tiles<const WIDTH: usize>(
    a: Strided<'_>,
    b: Strided<'_>,
    c: &mut [f32],
    c_stride: usize,
    [rows, inner, cols]: [usize; 3],
) {
    const ROWS: usize = 4;
    let whole_rows = rows - rows % ROWS;
    let whole_cols = cols - cols % WIDTH;
    for col in (0..whole_cols).step_by(WIDTH) {
        for row in (0..whole_rows).step_by(ROWS) {
            tile::<ROWS, WIDTH>(a, b, c, c_stride, inner, row, col);
        }
        for row in whole_rows..rows {
            tile::<1, WIDTH>(a, b, c, c_stride, inner, row, col);
        }
    }
    for col in whole_cols..cols {
        for row in 0..rows {
            tile::<1, 1>(a, b, c, c_stride, inner, row, col);
        }
    }
}

#[inline(always)]
fn tile<const ROWS: usize, const WIDTH: usize>(
    a: Strided<'_>,
    b: Strided<'_>,
    c: &mut [f32],
    c_stride: usize,
    inner: usize,
    row: usize,
    col: usize,
) {
    let a: [&[f32]; ROWS] = std::array::from_fn(|i| &a.values[(row + i) * a.stride..][..inner]);
    let mut sums = [[0.0; WIDTH]; ROWS];
    for l in 0..inner {
        let b = &b.values[l * b.stride + col..][..WIDTH];
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a[l] * b;
            }
        }
    }
    for (i, sums) in sums.iter().enumerate() {
        c[(row + i) * c_stride + col..][..WIDTH].copy_from_slice(sums);
    }
}
