//! Sizes of a model's rows on the card.
//!
//! Depths of matrix products are padded to whole slices and heads to whole vectors, so that no
//! kernel has a special case for a width. What pads them is zero in the weights, and so in
//! whatever is computed from them.

use crate::kernel::{Format, SLICE};
use lacuna_model::ModelConfig;

/// Widths in numbers; strides are widths with their padding.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) config: ModelConfig,
    pub(crate) hidden_stride: usize,
    pub(crate) inner_stride: usize,
    /// Of one head.
    pub(crate) head_stride: usize,
    /// All heads of queries.
    pub(crate) query_columns: usize,
    /// All heads of keys, and all of values.
    pub(crate) key_columns: usize,
    /// Queries, as the input of a product.
    pub(crate) mixed_stride: usize,
}

impl Layout {
    pub(crate) fn new(config: &ModelConfig) -> Self {
        let head_stride = config.head_dim.next_multiple_of(4);
        let query_columns = config.num_attention_heads * head_stride;
        Self {
            hidden_stride: config.hidden_size.next_multiple_of(SLICE),
            inner_stride: config.intermediate_size.next_multiple_of(SLICE),
            head_stride,
            query_columns,
            key_columns: config.num_key_value_heads * head_stride,
            mixed_stride: query_columns.next_multiple_of(SLICE),
            config: config.clone(),
        }
    }

    /// Queries, keys and values of a position, side by side.
    pub(crate) fn heads_stride(&self) -> usize {
        self.query_columns + 2 * self.key_columns
    }
}

impl Format {
    /// Bytes of a row's weights, `depth` numbers with their padding.
    pub(crate) fn row_bytes(self, depth: usize) -> usize {
        match self {
            Self::Int8 => depth,
            Self::Int4 => depth / 2,
            Self::Float => 4 * depth,
        }
    }

    /// Bytes of a row's scales.
    pub(crate) fn scale_bytes(self, depth: usize) -> usize {
        match self {
            Self::Int8 => 4,
            Self::Int4 => depth / 32 * 4,
            Self::Float => 0,
        }
    }
}
