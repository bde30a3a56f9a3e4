//! A model's weights on the card.

use crate::buffer::GpuBuffer;
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::layout::Layout;
use crate::matrix::{CardMatrix, Stack};
use lacuna_model::Weights;
use lacuna_model::weights::LayerWeights;

/// All of a model's weights.
pub(crate) struct CardWeights {
    pub(crate) embedding: CardMatrix,
    pub(crate) layers: Vec<CardLayer>,
    pub(crate) final_norm: GpuBuffer,
    pub(crate) head: Option<CardMatrix>,
}

/// The weights of one block.
pub(crate) struct CardLayer {
    pub(crate) input_norm: GpuBuffer,
    /// Queries, keys and values.
    pub(crate) heads: CardMatrix,
    /// The norms of a query's head and of a key's, one behind the other.
    pub(crate) head_norms: GpuBuffer,
    pub(crate) output: CardMatrix,
    pub(crate) inner_norm: GpuBuffer,
    /// Gate and up.
    pub(crate) inner: CardMatrix,
    pub(crate) down: CardMatrix,
}

impl CardWeights {
    pub(crate) async fn upload(
        device: &GpuDevice,
        layout: &Layout,
        weights: &Weights,
    ) -> Result<Self, GpuError> {
        let mut layers = Vec::with_capacity(weights.layers.len());
        for (index, layer) in weights.layers.iter().enumerate() {
            layers.push(CardLayer::upload(device, layout, layer, index).await?);
        }
        let embedding = Stack::of_matrix(&weights.embedding);
        Ok(Self {
            embedding: embedding.upload(device, "the embedding").await?,
            layers,
            final_norm: norm(device, &weights.final_norm, layout.hidden_stride).await?,
            head: match &weights.head {
                Some(head) => Some(Stack::of_matrix(head).upload(device, "the head").await?),
                None => None,
            },
        })
    }

    pub(crate) fn head(&self) -> &CardMatrix {
        self.head.as_ref().unwrap_or(&self.embedding)
    }
}

impl CardLayer {
    async fn upload(
        device: &GpuDevice,
        layout: &Layout,
        layer: &LayerWeights,
        index: usize,
    ) -> Result<Self, GpuError> {
        let (width, stride) = (layout.config.head_dim, layout.head_stride);
        let label = |part| format!("{part} of block {index}");
        let heads = Stack::of_heads(&[&layer.query, &layer.key, &layer.value], width, stride);
        let output = Stack::of(&layer.output).with_columns_of_heads(width, stride);
        let inner = Stack::pair(&layer.gate, &layer.up);
        let head_norm = |norm: &Option<Vec<f32>>| norm.clone().unwrap_or_else(|| vec![1.0; width]);
        let mut head_norms = head_norm(&layer.query_norm);
        head_norms.extend(head_norm(&layer.key_norm));
        Ok(Self {
            input_norm: norm(device, &layer.input_norm, layout.hidden_stride).await?,
            heads: heads
                .upload(device, &label("queries, keys, values"))
                .await?,
            head_norms: norm(device, &head_norms, 2 * width).await?,
            output: output.upload(device, &label("attention's output")).await?,
            inner_norm: norm(device, &layer.post_attention_norm, layout.hidden_stride).await?,
            inner: inner.upload(device, &label("gate and up")).await?,
            down: Stack::of(&layer.down)
                .upload(device, &label("down"))
                .await?,
        })
    }
}

async fn norm(device: &GpuDevice, norm: &[f32], stride: usize) -> Result<GpuBuffer, GpuError> {
    let mut padded = norm.to_vec();
    padded.resize(stride, 0.0);
    GpuBuffer::with_contents(device, "norm", bytemuck::cast_slice(&padded)).await
}
