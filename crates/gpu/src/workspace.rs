//! Everything of a step that is not a weight: activations, logits, lists, answers.
//!
//! Allocated for a length and a number of wanted rows, and used again by every step that needs
//! no more. A step that needs more has all of it replaced: for the longest length so far or the
//! next power of two, whichever is more, up to what the model takes, and likewise for the rows.

use crate::buffer::{GpuBuffer, Use};
use crate::device::{GpuDevice, GpuLimits};
use crate::error::GpuError;
use crate::kernel::{Precision, SCORED_WORDS, SUMMARY_WORDS};
use crate::layout::Layout;

/// What is kept from step to step, in a plan's words.
const KEPT: &str = "kept queries, keys and values";

/// Shorter inputs are not worth a buffer of their own.
const LEAST: usize = 64;

/// What a workspace has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    /// Positions.
    pub(crate) length: usize,
    /// Wanted rows.
    pub(crate) rows: usize,
    /// Candidates of a row.
    pub(crate) top: usize,
    /// Queries, keys and values of every block, kept from step to step.
    pub(crate) kept: bool,
}

impl Room {
    pub(crate) fn holds(self, other: Self) -> bool {
        self.length >= other.length
            && self.rows >= other.rows
            && self.top >= other.top
            && self.kept >= other.kept
    }

    /// Room for both, by the rule of growth above.
    pub(crate) fn grown_to(self, other: Self, layout: &Layout) -> Self {
        let positions = layout.config.max_position_embeddings;
        let grow = |have: usize, need: usize, least: usize| match need <= have {
            true => have,
            false => need.next_power_of_two().max(least),
        };
        Self {
            length: grow(self.length, other.length, LEAST).min(positions.max(other.length)),
            rows: grow(self.rows, other.rows, LEAST).min(positions.max(other.rows)),
            top: grow(self.top, other.top, 16),
            kept: self.kept || other.kept,
        }
    }
}

/// The bytes of each buffer, by name; a name with several sizes is split.
pub(crate) struct Sizes {
    pub(crate) ids: usize,
    pub(crate) positions: usize,
    pub(crate) turns: usize,
    pub(crate) x: usize,
    pub(crate) picked_x: usize,
    pub(crate) heads: usize,
    /// Blocks whose heads are kept.
    pub(crate) kept: usize,
    pub(crate) picked_queries: usize,
    pub(crate) mixed: usize,
    pub(crate) inner: usize,
    /// Rows of logits in each part but the last.
    pub(crate) logits_rows: usize,
    pub(crate) logits: Vec<usize>,
    pub(crate) jobs: usize,
    pub(crate) mask: usize,
    pub(crate) summaries: usize,
}

impl Sizes {
    pub(crate) fn new(
        layout: &Layout,
        room: Room,
        precision: Precision,
        limits: &GpuLimits,
    ) -> Result<Self, GpuError> {
        let Room {
            length,
            rows,
            top,
            kept,
        } = room;
        let number = precision.bytes();
        let most_rows = length.max(rows);
        let row_of_logits = 4 * layout.config.vocab_size;
        let allowed = limits.binding.min(limits.buffer);
        let logits_rows = (allowed / row_of_logits as u64).min(rows as u64) as usize;
        if logits_rows == 0 {
            return Err(GpuError::TooLarge {
                what: "one row of logits (in bytes)".to_owned(),
                needed: row_of_logits as u64,
                allowed,
            });
        }
        let starts = (0..rows).step_by(logits_rows);
        Ok(Self {
            ids: 4 * length,
            positions: 4 * (length + rows),
            turns: 4 * length * layout.config.head_dim,
            x: 4 * length * layout.hidden_stride,
            picked_x: 4 * rows * layout.hidden_stride,
            heads: number * length * layout.heads_stride(),
            kept: if kept {
                layout.config.num_hidden_layers
            } else {
                0
            },
            picked_queries: number * rows * layout.query_columns,
            mixed: number * most_rows * layout.mixed_stride,
            inner: number * most_rows * layout.inner_stride,
            logits_rows,
            logits: starts
                .map(|start| logits_rows.min(rows - start) * row_of_logits)
                .collect(),
            jobs: 8 * rows,
            mask: mask_bytes(layout),
            summaries: 4 * rows * summary_words(top),
        })
    }

    /// All of them, the host's copy of the summaries included.
    pub(crate) fn by_name(&self) -> Vec<(&'static str, usize)> {
        let mut sizes = vec![
            ("ids", self.ids),
            ("positions", self.positions),
            ("turns", self.turns),
            ("residual", self.x),
            ("residual of wanted rows", self.picked_x),
            ("queries, keys and values", self.heads),
            ("queries of wanted rows", self.picked_queries),
            ("attention", self.mixed),
            ("feed-forward", self.inner),
            ("jobs", self.jobs),
            ("writable tokens", self.mask),
            ("summaries", self.summaries),
            ("readback", self.summaries),
        ];
        sizes.extend(self.logits.iter().map(|&bytes| ("logits", bytes)));
        sizes.extend((0..self.kept).map(|_| (KEPT, self.heads)));
        sizes
    }
}

/// Words of a row's summary.
pub(crate) fn summary_words(top: usize) -> usize {
    SUMMARY_WORDS + SCORED_WORDS * top
}

/// Bytes of a set of tokens.
pub(crate) fn mask_bytes(layout: &Layout) -> usize {
    4 * layout.config.vocab_size.div_ceil(32)
}

/// The buffers.
pub(crate) struct Workspace {
    pub(crate) room: Room,
    pub(crate) ids: GpuBuffer,
    /// 0, 1, 2 … and then the wanted positions.
    pub(crate) positions: GpuBuffer,
    /// `[position, half a head]` pairs of cosine and sine.
    pub(crate) turns: GpuBuffer,
    pub(crate) x: GpuBuffer,
    pub(crate) picked_x: GpuBuffer,
    pub(crate) heads: GpuBuffer,
    /// Queries, keys and values of each block, where they are kept.
    pub(crate) kept: Vec<GpuBuffer>,
    pub(crate) picked_queries: GpuBuffer,
    pub(crate) mixed: GpuBuffer,
    pub(crate) inner: GpuBuffer,
    pub(crate) logits_rows: usize,
    pub(crate) logits: Vec<GpuBuffer>,
    pub(crate) jobs: GpuBuffer,
    pub(crate) writable: GpuBuffer,
    pub(crate) summaries: GpuBuffer,
    pub(crate) readback: GpuBuffer,
}

impl Workspace {
    pub(crate) async fn new(
        device: &GpuDevice,
        layout: &Layout,
        room: Room,
        precision: Precision,
    ) -> Result<Self, GpuError> {
        let sizes = Sizes::new(layout, room, precision, &device.info().limits)?;
        let storage = |label, bytes| GpuBuffer::storage(device, label, bytes);
        let mut logits = Vec::new();
        for &bytes in &sizes.logits {
            logits.push(storage("logits", bytes).await?);
        }
        let mut kept = Vec::new();
        for _ in 0..sizes.kept {
            kept.push(storage(KEPT, sizes.heads).await?);
        }
        let bytes = sizes.summaries as u64;
        let workspace = Self {
            room,
            ids: storage("ids", sizes.ids).await?,
            positions: storage("positions", sizes.positions).await?,
            turns: storage("turns", sizes.turns).await?,
            x: storage("residual", sizes.x).await?,
            picked_x: storage("residual of wanted rows", sizes.picked_x).await?,
            heads: storage("queries, keys and values", sizes.heads).await?,
            kept,
            picked_queries: storage("queries of wanted rows", sizes.picked_queries).await?,
            mixed: storage("attention", sizes.mixed).await?,
            inner: storage("feed-forward", sizes.inner).await?,
            logits_rows: sizes.logits_rows,
            logits,
            jobs: storage("jobs", sizes.jobs).await?,
            writable: storage("writable tokens", sizes.mask).await?,
            summaries: storage("summaries", sizes.summaries).await?,
            readback: GpuBuffer::new(device, "readback", bytes, Use::Readback).await?,
        };
        let identity: Vec<u32> = (0..room.length as u32).collect();
        workspace
            .positions
            .write(0, bytemuck::cast_slice(&identity));
        let turns = turns(layout, room.length);
        workspace.turns.write(0, bytemuck::cast_slice(&turns));
        Ok(workspace)
    }
}

/// The rotations of all positions. Computed in f64, so that they depend on no machine's sine.
pub(crate) fn turns(layout: &Layout, length: usize) -> Vec<[f32; 2]> {
    let width = layout.config.head_dim;
    let turn = |position: usize, d: usize| {
        let frequency = layout
            .config
            .rope_theta
            .powf(-2.0 * d as f64 / width as f64);
        let (sin, cos) = (position as f64 * frequency).sin_cos();
        [cos as f32, sin as f32]
    };
    (0..length)
        .flat_map(|position| (0..width / 2).map(move |d| turn(position, d)))
        .collect()
}
