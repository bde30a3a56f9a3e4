//! The transformer itself: its parts, and how one thread takes its share of a pass.
//!
//! A share is a range of positions, and all rows of that range stay with one thread from the
//! embedding to the last block. Only attention looks at other rows, so keys and values are the
//! one thing that is handed over: each thread fills its own blocks of them, all meet, and then
//! each reads all. Two sets of blocks take turns, so that one meeting a transformer block is
//! enough. In the last block the wanted rows, which may all lie in one share, are dealt out
//! anew.
//!
//! Where keys and values are kept ([`crate::kept`]), each transformer block has a set of its own,
//! and a pass over some positions writes theirs and reads all.
//!
//! What a row becomes does not depend on the rows that are computed beside it, so the number
//! of threads does not change a bit.

use super::projection::{Input, Projection};
use super::rotations::{HeadScale, Rotations};
use crate::config::ModelConfig;
use crate::kernels::Kernel;
use crate::kernels::attention::{BLOCK, Heads, KeyBlock, attend};
use crate::kernels::elementwise::silu_product;
use crate::kernels::int8::Output;
use crate::threads::Meeting;
use crate::weights::{LayerWeights, Weights};
use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The weights as the products want them.
pub(super) struct Layers {
    pub(super) config: ModelConfig,
    pub(super) kernel: Kernel,
    pub(super) rotations: Rotations,
    embedding: Projection,
    layers: Vec<Layer>,
    final_norm: Vec<f32>,
    head: Option<Projection>,
}

struct Layer {
    input_norm: Vec<f32>,
    query: Projection,
    key: Projection,
    value: Projection,
    query_norm: Option<Vec<f32>>,
    key_norm: Option<Vec<f32>>,
    output: Projection,
    post_attention_norm: Vec<f32>,
    gate: Projection,
    up: Projection,
    down: Projection,
}

/// What a pass is asked, and what its shares hand over.
pub(super) struct Pass<'a> {
    pub(super) ids: &'a [u32],
    /// The rows that get logits.
    pub(super) wanted: &'a [usize],
    /// The positions of each share, in order: all that are computed, and whole blocks but for
    /// the first and the last.
    pub(super) positions: &'a [Range<usize>],
    /// Keys and values of all positions; sets of them take turns from one transformer block to
    /// the next, and are two at least.
    pub(super) blocks: &'a [Vec<RwLock<KeyBlock>>],
    /// What each share has come to before the last block's queries: `[positions, hidden]`.
    pub(super) rows: &'a [RwLock<Vec<f32>>],
}

/// One thread's buffers, reused from pass to pass; `rows` counts those that a block still
/// computes.
#[derive(Default)]
pub(super) struct Share {
    /// `[rows, hidden]`.
    x: Vec<f32>,
    normed: Input,
    /// `[positions, kv_heads * head_dim]`.
    key: Vec<f32>,
    value: Vec<f32>,
    /// `[rows, heads * head_dim]`.
    query: Vec<f32>,
    scores: Vec<f32>,
    mixed: Input,
    /// `[rows, intermediate]`.
    gate: Input,
    up: Vec<f32>,
}

impl Layers {
    pub(super) fn new(weights: Weights, kernel: Kernel) -> Self {
        let Weights {
            config,
            embedding,
            layers,
            final_norm,
            head,
        } = weights;
        Self {
            kernel,
            rotations: Rotations::new(&config),
            embedding: Projection::from_matrix(embedding),
            layers: layers.into_iter().map(Layer::new).collect(),
            final_norm,
            head: head.map(Projection::from_matrix),
            config,
        }
    }

    /// The share `member` of a pass, down to its part of the logits: those of
    /// `pass.wanted[wanted]`, `[wanted, vocab]`.
    pub(super) fn run(
        &self,
        pass: &Pass<'_>,
        member: usize,
        wanted: Range<usize>,
        meeting: &Meeting,
        share: &mut Share,
        logits: &mut [f32],
    ) {
        let (kernel, epsilon) = (self.kernel, self.config.rms_norm_eps);
        let hidden = self.config.hidden_size;
        let own = pass.positions[member].clone();
        let wanted = &pass.wanted[wanted];

        share.x.resize(own.len() * hidden, 0.0);
        for (row, &id) in share.x.chunks_exact_mut(hidden).zip(&pass.ids[own.clone()]) {
            self.embedding.row_into(id as usize, row);
        }

        let last = self.layers.len() - 1;
        for (index, layer) in self.layers.iter().enumerate() {
            share
                .normed
                .norm_rows(kernel, &share.x, &layer.input_norm, epsilon);
            let blocks = &pass.blocks[index % pass.blocks.len()];
            self.give_keys(layer, own.clone(), share, blocks);
            if index < last {
                meeting.wait();
                self.attend(layer, own.clone(), pass.ids.len(), share, blocks);
            } else {
                std::mem::swap(&mut share.x, &mut *write(&pass.rows[member]));
                meeting.wait();
                pass.take_rows(wanted, hidden, &mut share.x);
                share
                    .normed
                    .norm_rows(kernel, &share.x, &layer.input_norm, epsilon);
                self.attend(layer, wanted.iter().copied(), pass.ids.len(), share, blocks);
            }
            self.feed_forward(layer, share);
        }

        share
            .normed
            .norm_rows(kernel, &share.x, &self.final_norm, epsilon);
        let head = self.head.as_ref().unwrap_or(&self.embedding);
        head.apply_to(kernel, &share.normed, Output::Set, logits);
    }

    /// Keys and values of a share's positions, into its blocks.
    fn give_keys(
        &self,
        layer: &Layer,
        own: Range<usize>,
        share: &mut Share,
        blocks: &[RwLock<KeyBlock>],
    ) {
        let (kernel, width) = (self.kernel, self.config.key_width());
        let Share {
            normed, key, value, ..
        } = share;
        layer.key.apply(kernel, normed, key);
        layer.value.apply(kernel, normed, value);
        let heads = HeadScale {
            norm: layer.key_norm.as_deref(),
            epsilon: self.config.rms_norm_eps,
            scale: 1.0,
        };
        self.rotations.turn(kernel, key, width, own.clone(), heads);
        let mut start = own.start;
        while start < own.end {
            let end = own.end.min((start / BLOCK + 1) * BLOCK);
            let rows = (start - own.start) * width..(end - own.start) * width;
            let (key, value) = (&key[rows.clone()], &value[rows]);
            write(&blocks[start / BLOCK]).fill(self.heads(), start % BLOCK, key, value);
            start = end;
        }
    }

    /// Attention of the rows at `positions` to all blocks, onto `share.x`.
    fn attend(
        &self,
        layer: &Layer,
        positions: impl Iterator<Item = usize>,
        length: usize,
        share: &mut Share,
        blocks: &[RwLock<KeyBlock>],
    ) {
        let (kernel, width) = (self.kernel, self.config.query_width());
        let Share {
            x,
            normed,
            query,
            scores,
            mixed,
            ..
        } = share;
        layer.query.apply(kernel, normed, query);
        let heads = HeadScale {
            norm: layer.query_norm.as_deref(),
            epsilon: self.config.rms_norm_eps,
            // Scores are divided by sqrt(head_dim) here.
            scale: 1.0 / (self.config.head_dim as f32).sqrt(),
        };
        self.rotations.turn(kernel, query, width, positions, heads);
        let blocks: Vec<_> = blocks[..length.div_ceil(BLOCK)].iter().map(read).collect();
        let blocks: Vec<&KeyBlock> = blocks.iter().map(|block| &**block).collect();
        mixed.values.resize(query.len(), 0.0);
        attend(
            kernel,
            self.heads(),
            query,
            &blocks,
            length,
            scores,
            &mut mixed.values,
        );
        mixed.finish(kernel, width);
        layer.output.apply_to(kernel, mixed, Output::Add, x);
    }

    /// The feed-forward block, onto `share.x`.
    fn feed_forward(&self, layer: &Layer, share: &mut Share) {
        let (kernel, epsilon) = (self.kernel, self.config.rms_norm_eps);
        let Share {
            x,
            normed,
            gate,
            up,
            ..
        } = share;
        normed.norm_rows(kernel, x, &layer.post_attention_norm, epsilon);
        layer.gate.apply(kernel, normed, &mut gate.values);
        layer.up.apply(kernel, normed, up);
        silu_product(kernel, &mut gate.values, up);
        gate.finish(kernel, self.config.intermediate_size);
        layer.down.apply_to(kernel, gate, Output::Add, x);
    }

    fn heads(&self) -> Heads {
        Heads {
            queries: self.config.num_attention_heads,
            kv: self.config.num_key_value_heads,
            width: self.config.head_dim,
        }
    }
}

impl Pass<'_> {
    /// The rows at `positions`, from the shares that they belong to.
    fn take_rows(&self, positions: &[usize], hidden: usize, x: &mut Vec<f32>) {
        let shares: Vec<_> = self.rows.iter().map(read).collect();
        x.clear();
        for &position in positions {
            let member = self
                .positions
                .partition_point(|range| range.end <= position);
            let row = position - self.positions[member].start;
            x.extend_from_slice(&shares[member][row * hidden..][..hidden]);
        }
    }
}

impl Layer {
    fn new(weights: LayerWeights) -> Self {
        Self {
            input_norm: weights.input_norm,
            query: Projection::new(weights.query),
            key: Projection::new(weights.key),
            value: Projection::new(weights.value),
            query_norm: weights.query_norm,
            key_norm: weights.key_norm,
            output: Projection::new(weights.output),
            post_attention_norm: weights.post_attention_norm,
            gate: Projection::new(weights.gate),
            up: Projection::new(weights.up),
            down: Projection::new(weights.down),
        }
    }
}

// What a lock guards is written whole before anybody reads it, also after a pass that failed.

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
