//! How much of the card a model takes, before anything is loaded.
//!
//! WebGPU says how large a buffer may be but not how much memory there is. So a plan is compared
//! with a number that somebody states ([`crate::DeviceOptions::memory`]), and every buffer of it
//! with the adapter's limits: a matrix beyond them is split by rows, as are the logits.

use crate::device::GpuLimits;
use crate::error::{GpuError, NoMemory};
use crate::kernel::{Format, Precision};
use crate::layout::Layout;
use crate::matrix::parts;
use crate::workspace::{Room, Sizes};
use lacuna_model::{ModelConfig, WeightFormat};
use serde::Serialize;

/// Columns of a group of int4 weights.
const GROUP: usize = lacuna_model::weights::INT4_GROUP;

/// What a step is to have room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSize {
    /// Prompt and canvas.
    pub length: usize,
    /// Wanted rows.
    pub rows: usize,
    /// Candidates of a row.
    pub top: usize,
    /// Keys and values are kept from step to step.
    pub kept: bool,
}

/// The buffers of one purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedBuffers {
    /// What they are for.
    pub name: String,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Into how many they are split.
    pub parts: usize,
}

/// The memory of a model on the card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryPlan {
    /// Weights, scales, biases, norms.
    pub weights: Vec<PlannedBuffers>,
    /// Everything of a step.
    pub working: Vec<PlannedBuffers>,
}

impl MemoryPlan {
    /// The plan for a model whose matrices are all of its configuration's format (of int4, those
    /// without whole groups as int8), and for steps of this size, within the limits.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] where even one row of something is over a limit.
    pub fn for_model(
        config: &ModelConfig,
        half: bool,
        step: StepSize,
        limits: &GpuLimits,
    ) -> Result<Self, GpuError> {
        let layout = Layout::new(config);
        let precision = if half {
            Precision::Half
        } else {
            Precision::Single
        };
        let room = Room::default().grown_to(
            Room {
                length: step.length,
                rows: step.rows,
                top: step.top.min(config.vocab_size),
                kept: step.kept,
            },
            &layout,
        );
        let mut working: Vec<PlannedBuffers> = Vec::new();
        for (name, bytes) in Sizes::new(&layout, room, precision, limits)?.by_name() {
            let bytes = rounded(bytes);
            match working.iter_mut().find(|buffers| buffers.name == name) {
                Some(buffers) => {
                    buffers.bytes += bytes;
                    buffers.parts += 1;
                }
                None => working.push(PlannedBuffers {
                    name: name.to_owned(),
                    bytes,
                    parts: 1,
                }),
            }
        }
        Ok(Self {
            weights: weights(&layout, limits)?,
            working,
        })
    }

    /// Bytes of the weights.
    pub fn weight_bytes(&self) -> u64 {
        self.weights.iter().map(|buffers| buffers.bytes).sum()
    }

    /// Bytes of everything.
    pub fn total(&self) -> u64 {
        let working: u64 = self.working.iter().map(|buffers| buffers.bytes).sum();
        self.weight_bytes() + working
    }

    /// Whether it fits into so many bytes.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] with what is missing.
    pub fn fits(&self, available: u64) -> Result<(), GpuError> {
        let needed = self.total();
        match needed.checked_sub(available) {
            None | Some(0) => Ok(()),
            Some(missing) => Err(GpuError::OutOfMemory(NoMemory {
                what: "the model".to_owned(),
                needed: Some(needed),
                missing: Some(missing),
                ..NoMemory::default()
            })),
        }
    }
}

/// The size that a buffer of so many bytes has.
fn rounded(bytes: usize) -> u64 {
    crate::buffer::size_of(bytes as u64)
}

fn weights(layout: &Layout, limits: &GpuLimits) -> Result<Vec<PlannedBuffers>, GpuError> {
    let config = &layout.config;
    let (hidden, inner) = (config.hidden_size, config.intermediate_size);
    let spread = layout.head_stride != config.head_dim;
    let format = |inputs: usize, spread: bool| match config.quantization {
        None => Format::Float,
        Some(WeightFormat::Int4) if inputs.is_multiple_of(GROUP) => match spread {
            true => Format::Float,
            false => Format::Int4,
        },
        Some(WeightFormat::Int4 | WeightFormat::Int8) => Format::Int8,
    };
    let planned = |name: &str, outputs, inputs, depth, paired, spread, times: usize| {
        let format = format(inputs, spread);
        let parts = parts(limits, format, depth, outputs, paired, name)?;
        let bytes = parts.iter().map(|part| {
            let rows = part.len() * if paired { 2 } else { 1 };
            rounded(rows * format.row_bytes(depth))
                + rounded(rows * format.scale_bytes(depth))
                + rounded(4 * rows)
        });
        Ok(PlannedBuffers {
            name: name.to_owned(),
            bytes: times as u64 * bytes.sum::<u64>(),
            parts: parts.len() * times,
        })
    };
    let layers = config.num_hidden_layers;
    let (hidden_stride, inner_stride) = (layout.hidden_stride, layout.inner_stride);
    let heads = layout.heads_stride();
    let query = config.query_width();
    let mixed = layout.mixed_stride;
    let vocab = config.vocab_size;
    let norms = rounded(4 * hidden_stride) * (2 * layers as u64 + 1)
        + rounded(8 * config.head_dim) * layers as u64;
    let mut all = vec![
        planned(
            "the embedding",
            vocab,
            hidden,
            hidden_stride,
            false,
            false,
            1,
        )?,
        planned(
            "queries, keys, values",
            heads,
            hidden,
            hidden_stride,
            false,
            false,
            layers,
        )?,
        planned(
            "attention's output",
            hidden,
            query,
            mixed,
            false,
            spread,
            layers,
        )?,
        planned(
            "gate and up",
            inner,
            hidden,
            hidden_stride,
            true,
            false,
            layers,
        )?,
        planned("down", hidden, inner, inner_stride, false, false, layers)?,
        PlannedBuffers {
            name: "norms".to_owned(),
            bytes: norms,
            parts: 3 * layers + 1,
        },
    ];
    if !config.tie_word_embeddings {
        all.push(planned(
            "the head",
            vocab,
            hidden,
            hidden_stride,
            false,
            false,
            1,
        )?);
    }
    Ok(all)
}
