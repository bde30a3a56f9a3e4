//! One kernel at one shape: buffers up, one dispatch, buffers down.

use super::KernelCheck;
use crate::buffer::{GpuBuffer, Use};
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::kernel::{AttendBlock, Precision, Tile};
use crate::layout::Layout;
use crate::readback::read;
use crate::recorder::{Bindings, Recorder};
use crate::stages::Stages;
use crate::tile::TileChoice;
use half::f16;
use lacuna_model::ModelConfig;

/// Bits that are no number in f32, and in f16 twice.
const POISON: u32 = 0x7fc0_7e5a;
/// Numbers of poison around a result.
pub(super) const MARGIN: usize = 8;

/// A configuration of these widths; of its facts, the stages use the widths alone.
pub(super) fn config(hidden: usize, heads: [usize; 2], head_dim: usize) -> ModelConfig {
    ModelConfig {
        model_type: String::new(),
        vocab_size: 2,
        hidden_size: hidden,
        num_hidden_layers: 1,
        num_attention_heads: heads[0],
        num_key_value_heads: heads[1],
        head_dim,
        intermediate_size: 1,
        rms_norm_eps: 1e-5,
        rope_theta: 10_000.0,
        max_position_embeddings: 1 << 16,
        tie_word_embeddings: true,
        attention_bias: false,
        mlp_bias: false,
        qk_norm: false,
        mask_token_id: 0,
        eos_token_ids: vec![1],
        pad_token_id: None,
        logits_shift: false,
        quantization: None,
        prompt_template: None,
    }
}

/// A kernel's surroundings.
pub(super) struct Bench {
    pub(super) layout: Layout,
    pub(super) tiles: TileChoice,
    pub(super) precision: Precision,
    pub(super) block: AttendBlock,
    pub(super) threads: u32,
    pub(super) subgroups: bool,
}

impl Bench {
    pub(super) fn new(config: &ModelConfig, precision: Precision) -> Self {
        Self {
            layout: Layout::new(config),
            tiles: TileChoice::only(Tile::ALL[0]),
            precision,
            block: AttendBlock::ALL[3],
            threads: 64,
            subgroups: false,
        }
    }

    pub(super) fn stages(&self) -> Stages<'_> {
        Stages {
            layout: &self.layout,
            precision: self.precision,
            tiles: &self.tiles,
            block: self.block,
            summary_threads: self.threads,
            subgroups: self.subgroups,
        }
    }
}

/// The precisions that the device has.
pub(super) fn precisions(device: &GpuDevice) -> Vec<Precision> {
    let half = device.info().f16.then_some(Precision::Half);
    [Some(Precision::Single), half]
        .into_iter()
        .flatten()
        .collect()
}

/// The number nearest to `value` that the precision has.
pub(super) fn rounded(value: f32, precision: Precision) -> f32 {
    match precision {
        Precision::Single => value,
        Precision::Half => f16::from_f32(value).to_f32(),
    }
}

/// Numbers as a kernel of this precision reads them.
pub(super) fn encoded(values: &[f32], precision: Precision) -> Vec<u8> {
    match precision {
        Precision::Single => values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
        Precision::Half => values
            .iter()
            .flat_map(|&value| f16::from_f32(value).to_le_bytes())
            .collect(),
    }
}

/// A buffer of numbers.
pub(super) async fn numbers(
    device: &GpuDevice,
    values: &[f32],
    precision: Precision,
) -> Result<GpuBuffer, GpuError> {
    GpuBuffer::with_contents(device, "input", &padded(encoded(values, precision))).await
}

/// A buffer of words.
pub(super) async fn words(device: &GpuDevice, values: &[u32]) -> Result<GpuBuffer, GpuError> {
    GpuBuffer::with_contents(device, "input", bytemuck::cast_slice(values)).await
}

fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// What a kernel is to write: none where it should write nothing.
pub(super) struct Expected {
    pub(super) precision: Precision,
    pub(super) values: Vec<Option<f32>>,
}

impl Expected {
    /// Nothing, `count` numbers long and a margin.
    pub(super) fn nothing(count: usize, precision: Precision) -> Self {
        Self {
            precision,
            values: vec![None; (count + MARGIN).next_multiple_of(4)],
        }
    }

    /// A buffer of poison, but for what `before` says.
    pub(super) async fn poisoned(
        &self,
        device: &GpuDevice,
        before: impl Fn(usize) -> Option<f32>,
    ) -> Result<GpuBuffer, GpuError> {
        let width = self.precision.bytes();
        let mut bytes = Vec::with_capacity(self.values.len() * width);
        for at in 0..self.values.len() {
            match before(at) {
                Some(value) => bytes.extend(encoded(&[value], self.precision)),
                None => bytes.extend(&POISON.to_le_bytes()[..width]),
            }
        }
        GpuBuffer::with_contents(device, "result", &bytes).await
    }

    /// Runs what was recorded and compares what is then in `result`.
    pub(super) async fn compare(
        &self,
        device: &GpuDevice,
        recorder: &Recorder<'_>,
        result: &GpuBuffer,
        (shape, tolerance): (String, f32),
    ) -> Result<KernelCheck, GpuError> {
        let kernels: Vec<String> = recorder
            .dispatches()
            .iter()
            .map(|dispatch| dispatch.kernel().name())
            .collect();
        let found = run(device, recorder, result).await?;
        let width = self.precision.bytes();
        let poison = &POISON.to_le_bytes()[..width];
        let (mut difference, mut stayed_within) = (0.0f32, true);
        for (bytes, expected) in found.chunks_exact(width).zip(&self.values) {
            match expected {
                None => stayed_within &= bytes == poison,
                Some(expected) => {
                    let value = match self.precision {
                        Precision::Single => {
                            f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
                        }
                        Precision::Half => f16::from_le_bytes([bytes[0], bytes[1]]).to_f32(),
                    };
                    let gap = (value - expected).abs();
                    let gap = if gap.is_nan() { f32::INFINITY } else { gap };
                    difference = difference.max(gap);
                }
            }
        }
        Ok(KernelCheck {
            kernel: kernels.join(" + "),
            shape,
            difference,
            tolerance,
            stayed_within,
        })
    }
}

/// Runs what was recorded and reads the whole of a buffer.
pub(super) async fn run(
    device: &GpuDevice,
    recorder: &Recorder<'_>,
    result: &GpuBuffer,
) -> Result<Vec<u8>, GpuError> {
    let readback = GpuBuffer::new(device, "readback", result.size(), Use::Readback).await?;
    let mut bindings = Bindings::default();
    let words = (result.size() / 4) as usize;
    let words = read(device, recorder, &mut bindings, result, &readback, words).await?;
    Ok(bytemuck::cast_slice(&words).to_vec())
}
