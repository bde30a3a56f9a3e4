//! The tiles of [`super::int8`] with AVX2 and with AVX-512 VNNI.
//!
//! Both widen a pair of columns of neighbouring weight rows to 16 bits, and multiply it by
//! the same pair of one row of activations in every lane. AVX-512 has 32 registers: the 16
//! sums of a whole tile, two of weights. AVX2 has 16, so a tile is four passes of 8 sums.

use super::tile::Tile;
use super::{PANEL, TILE_ROWS};
use std::arch::x86_64::*;

/// Needs AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn tile_avx2(x: &[i16], weights: &[i8], sums: &mut Tile<i32>) {
    const ROWS: usize = TILE_ROWS / 2;
    const COLS: usize = PANEL / 2;
    let (x, _) = x.as_chunks::<{ TILE_ROWS * 2 }>();
    let (weights, _) = weights.as_chunks::<{ PANEL * 2 }>();
    for rows in [0, ROWS] {
        for cols in [0, COLS] {
            let mut acc = [[_mm256_setzero_si256(); 2]; ROWS];
            for (x, w) in x.iter().zip(weights) {
                let low = widen(&w[cols * 2..], 0);
                let high = widen(&w[cols * 2..], 1);
                for (row, acc) in acc.iter_mut().enumerate() {
                    let pair = _mm256_set1_epi32(pair(x, rows + row));
                    acc[0] = _mm256_add_epi32(acc[0], _mm256_madd_epi16(pair, low));
                    acc[1] = _mm256_add_epi32(acc[1], _mm256_madd_epi16(pair, high));
                }
            }
            for (acc, sums) in acc.iter().zip(&mut sums.0[rows..]) {
                let (sums, _) = sums[cols..cols + COLS].as_chunks_mut::<8>();
                for (acc, sums) in acc.iter().zip(sums) {
                    // SAFETY: `sums` is eight i32, and the store needs no alignment.
                    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), *acc) };
                }
            }
        }
    }
}

/// The `part`-th 16 weights from `weights`, as 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn widen(weights: &[i8], part: usize) -> __m256i {
    let weights = &weights[part * 16..part * 16 + 16];
    // SAFETY: `weights` is 16 bytes, and the load needs no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(weights.as_ptr().cast()) })
}

/// Needs AVX-512 F, BW and VNNI.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn tile_avx512(x: &[i16], weights: &[i8], sums: &mut Tile<i32>) {
    let (x, _) = x.as_chunks::<{ TILE_ROWS * 2 }>();
    let (weights, _) = weights.as_chunks::<{ PANEL * 2 }>();
    let mut acc = [[_mm512_setzero_si512(); 2]; TILE_ROWS];
    for (x, w) in x.iter().zip(weights) {
        // SAFETY: `w` is 64 bytes; these are its halves, and loads need no alignment.
        let (low, high) = unsafe {
            let halves: *const __m256i = w.as_ptr().cast();
            (
                _mm256_loadu_si256(halves),
                _mm256_loadu_si256(halves.add(1)),
            )
        };
        let (low, high) = (_mm512_cvtepi8_epi16(low), _mm512_cvtepi8_epi16(high));
        for (row, acc) in acc.iter_mut().enumerate() {
            let pair = _mm512_set1_epi32(pair(x, row));
            acc[0] = _mm512_dpwssd_epi32(acc[0], pair, low);
            acc[1] = _mm512_dpwssd_epi32(acc[1], pair, high);
        }
    }
    for (acc, sums) in acc.iter().zip(&mut sums.0) {
        // SAFETY: `sums` is 32 i32, two vectors of 16, and stores need no alignment.
        unsafe {
            let halves: *mut __m512i = sums.as_mut_ptr().cast();
            _mm512_storeu_si512(halves, acc[0]);
            _mm512_storeu_si512(halves.add(1), acc[1]);
        }
    }
}

/// The pair of columns of one row, as the 32 bits that they are in memory.
#[inline(always)]
fn pair(x: &[i16; TILE_ROWS * 2], row: usize) -> i32 {
    i32::from(x[2 * row + 1]) << 16 | i32::from(x[2 * row] as u16)
}
