//! Bidirectional attention in f32: every position attends to every position.
//!
//! Keys and values are kept in blocks of 16 positions, so that a block is filled by whoever
//! computes these positions and read by all; inside a block, keys lie by dimension and values
//! by position, 16 floats side by side, as the products read them. A few queries at a time
//! meet all keys of a head; their scores stay in the first cache until they have become
//! weights and met the values.
//!
//! Each sum runs front to back in one lane, dimensions first and then positions: the bits
//! depend neither on the machine nor on how positions are shared out among threads.
//!
//! Cost: `2 * head_dim` multiply-adds for each query head and pair of positions.

use super::elementwise::softmax;
use super::vector::{LANES, Vector};

/// Positions in a block.
pub const BLOCK: usize = LANES;

/// Queries whose scores are computed together.
const QUERIES: usize = 16;

/// How the heads of queries, keys and values lie in a row.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    /// Query heads; a multiple of `kv`.
    pub queries: usize,
    /// Key and value heads.
    pub kv: usize,
    /// Of each head.
    pub width: usize,
}

/// Keys and values of up to [`BLOCK`] neighbouring positions.
#[derive(Clone, Debug, Default)]
pub struct KeyBlock {
    /// `[kv head][dimension][position]`.
    keys: Vec<[f32; BLOCK]>,
    /// `[kv head][16 dimensions][position][dimension]`, the last dimensions padded with zeros.
    values: Vec<[f32; LANES]>,
}

impl KeyBlock {
    /// Makes all of it zero.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    /// Takes the keys and values of the positions from `first` of the block on, each
    /// `[positions, kv * width]`; others stay as they are, zero at the beginning.
    pub fn fill(&mut self, heads: Heads, first: usize, keys: &[f32], values: &[f32]) {
        let Heads { kv, width, .. } = heads;
        let chunks = width.div_ceil(LANES);
        self.keys.resize(kv * width, [0.0; BLOCK]);
        self.values.resize(kv * chunks * BLOCK, [0.0; LANES]);
        let rows = keys
            .chunks_exact(kv * width)
            .zip(values.chunks_exact(kv * width));
        for (position, (keys, values)) in (first..).zip(rows) {
            for (place, &key) in self.keys.iter_mut().zip(keys) {
                place[position] = key;
            }
            for (head, values) in values.chunks_exact(width).enumerate() {
                for (chunk, values) in values.chunks(LANES).enumerate() {
                    let place = &mut self.values[(head * chunks + chunk) * BLOCK + position];
                    place[..values.len()].copy_from_slice(values);
                }
            }
        }
    }
}

for_each_instruction_set! {
    /// `mixed = softmax(query keysᵀ) values` for each head: `query` and `mixed` are
    /// `[rows, queries * width]`, and the blocks hold the first `length` positions, all blocks
    /// but the last being full. `scores` is a buffer.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn attend(
        heads: Heads,
        query: &[f32],
        blocks: &[&KeyBlock],
        length: usize,
        scores: &mut Vec<f32>,
        mixed: &mut [f32],
    ) = attend_in
}

#[inline(always)]
fn attend_in<V: Vector, const ROWS: usize>(
    zero: V,
    heads: Heads,
    query: &[f32],
    blocks: &[&KeyBlock],
    length: usize,
    scores: &mut Vec<f32>,
    mixed: &mut [f32],
) {
    let row = heads.queries * heads.width;
    let padded = blocks.len() * BLOCK;
    assert_eq!(query.len(), mixed.len());
    assert!(length <= padded);
    scores.resize(QUERIES * padded, 0.0);
    for head in 0..heads.queries {
        let kv_head = head / (heads.queries / heads.kv);
        let some = query
            .chunks(QUERIES * row)
            .zip(mixed.chunks_mut(QUERIES * row));
        for (query, mixed) in some {
            let rows = query.len() / row;
            let query = &query[head * heads.width..];
            let mixed = &mut mixed[head * heads.width..];
            let whole = rows - rows % ROWS;
            for at in (0..whole).step_by(ROWS) {
                score::<V, ROWS>(
                    zero,
                    heads,
                    kv_head,
                    &query[at * row..],
                    blocks,
                    &mut scores[at * padded..],
                );
            }
            for at in whole..rows {
                score::<V, 1>(
                    zero,
                    heads,
                    kv_head,
                    &query[at * row..],
                    blocks,
                    &mut scores[at * padded..],
                );
            }
            for scores in scores.chunks_exact_mut(padded).take(rows) {
                let (scores, rest) = scores.split_at_mut(length);
                softmax(scores);
                rest.fill(0.0);
            }
            for at in (0..whole).step_by(ROWS) {
                mix::<V, ROWS>(
                    zero,
                    heads,
                    kv_head,
                    &scores[at * padded..],
                    blocks,
                    &mut mixed[at * row..],
                );
            }
            for at in whole..rows {
                mix::<V, 1>(
                    zero,
                    heads,
                    kv_head,
                    &scores[at * padded..],
                    blocks,
                    &mut mixed[at * row..],
                );
            }
        }
    }
}

/// The scores of `ROWS` queries with all keys of a head.
#[inline(always)]
fn score<V: Vector, const ROWS: usize>(
    zero: V,
    heads: Heads,
    kv_head: usize,
    query: &[f32],
    blocks: &[&KeyBlock],
    scores: &mut [f32],
) {
    let (row, width) = (heads.queries * heads.width, heads.width);
    let padded = blocks.len() * BLOCK;
    let query: [&[f32]; ROWS] = std::array::from_fn(|i| &query[i * row..][..width]);
    for (index, block) in blocks.iter().enumerate() {
        let keys = &block.keys[kv_head * width..][..width];
        let mut sums = [zero; ROWS];
        for d in 0..width {
            let key = zero.load(&keys[d]);
            for (sum, query) in sums.iter_mut().zip(query) {
                *sum = sum.add(zero.splat(query[d]).mul(key));
            }
        }
        for (i, sum) in sums.into_iter().enumerate() {
            if let Some(place) = scores[i * padded + index * BLOCK..].first_chunk_mut() {
                sum.store(place);
            }
        }
    }
}

/// The values of a head, mixed by the weights of `ROWS` queries.
#[inline(always)]
fn mix<V: Vector, const ROWS: usize>(
    zero: V,
    heads: Heads,
    kv_head: usize,
    weights: &[f32],
    blocks: &[&KeyBlock],
    mixed: &mut [f32],
) {
    let (row, width) = (heads.queries * heads.width, heads.width);
    let (padded, chunks) = (blocks.len() * BLOCK, width.div_ceil(LANES));
    for chunk in 0..chunks {
        let mut sums = [zero; ROWS];
        for (index, block) in blocks.iter().enumerate() {
            let values = &block.values[(kv_head * chunks + chunk) * BLOCK..][..BLOCK];
            let weights: [&[f32]; ROWS] =
                std::array::from_fn(|i| &weights[i * padded + index * BLOCK..][..BLOCK]);
            for l in 0..BLOCK {
                let value = zero.load(&values[l]);
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = sum.add(zero.splat(weights[l]).mul(value));
                }
            }
        }
        let dimensions = chunk * LANES..width.min((chunk + 1) * LANES);
        for (i, sum) in sums.into_iter().enumerate() {
            let mut lanes = [0.0; LANES];
            sum.store(&mut lanes);
            let place = &mut mixed[i * row..][dimensions.clone()];
            place.copy_from_slice(&lanes[..place.len()]);
        }
    }
}
