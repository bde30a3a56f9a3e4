//! Models to be timed: the shapes of real ones, weights at random.

use crate::random::Random;
use lacuna_model::weights::{INT4_GROUP, LayerWeights, Linear, Matrix, MatrixValues};
use lacuna_model::{ModelConfig, WeightFormat, Weights};
use serde::{Deserialize, Serialize};

/// Sizes of models that are timed, in parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelSize {
    /// 10 million.
    M10,
    /// 100 million.
    M100,
    /// 500 million.
    M500,
}

impl ModelSize {
    /// All, smallest first.
    pub const ALL: [Self; 3] = [Self::M10, Self::M100, Self::M500];
}

/// A model of that size; `format` none for floats.
pub fn model_config(size: ModelSize, format: Option<WeightFormat>) -> ModelConfig {
    let (vocab_size, hidden, layers, inner) = match size {
        ModelSize::M10 => (2048, 320, 7, 864),
        ModelSize::M100 => (16_384, 768, 12, 2048),
        ModelSize::M500 => (32_768, 1280, 24, 3456),
    };
    let heads = hidden / 64;
    ModelConfig {
        model_type: "bench".to_owned(),
        vocab_size,
        hidden_size: hidden,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        num_key_value_heads: heads,
        head_dim: 64,
        intermediate_size: inner,
        rms_norm_eps: 1e-5,
        rope_theta: 10_000.0,
        max_position_embeddings: 1024,
        tie_word_embeddings: true,
        attention_bias: false,
        mlp_bias: false,
        qk_norm: false,
        mask_token_id: 1,
        eos_token_ids: vec![0],
        pad_token_id: Some(0),
        logits_shift: false,
        quantization: format,
        prompt_template: None,
    }
}

/// Weights whose products keep the size of what goes in.
pub fn random_weights(config: &ModelConfig, seed: u64) -> Weights {
    let mut maker = Maker {
        config,
        random: Random(seed),
    };
    let (hidden, inner) = (config.hidden_size, config.intermediate_size);
    let (query, key) = (config.query_width(), config.key_width());
    Weights {
        config: config.clone(),
        embedding: maker.matrix(config.vocab_size, hidden),
        layers: (0..config.num_hidden_layers)
            .map(|_| LayerWeights {
                input_norm: vec![1.0; hidden],
                query: maker.linear(query, hidden),
                key: maker.linear(key, hidden),
                value: maker.linear(key, hidden),
                query_norm: config.qk_norm.then(|| vec![1.0; config.head_dim]),
                key_norm: config.qk_norm.then(|| vec![1.0; config.head_dim]),
                output: maker.linear(hidden, query),
                post_attention_norm: vec![1.0; hidden],
                gate: maker.linear(inner, hidden),
                up: maker.linear(inner, hidden),
                down: maker.linear(hidden, inner),
            })
            .collect(),
        final_norm: vec![1.0; hidden],
        head: (!config.tie_word_embeddings).then(|| maker.matrix(config.vocab_size, hidden)),
    }
}

struct Maker<'a> {
    config: &'a ModelConfig,
    random: Random,
}

impl Maker<'_> {
    fn linear(&mut self, rows: usize, cols: usize) -> Linear {
        Linear {
            weight: self.matrix(rows, cols),
            bias: None,
        }
    }

    fn matrix(&mut self, rows: usize, cols: usize) -> Matrix {
        // Uniform weights of this size have a variance of one over the columns.
        let size = (3.0 / cols as f32).sqrt();
        let values = match self.config.quantization {
            Some(WeightFormat::Int4) if cols.is_multiple_of(INT4_GROUP) => {
                let half = |value: f32| half::f16::from_f32(value).to_bits();
                MatrixValues::Int4 {
                    packed: self.bytes(rows * cols / 2),
                    scales: vec![half(size / 7.5); rows * cols / INT4_GROUP],
                    minima: vec![half(-size); rows * cols / INT4_GROUP],
                }
            }
            Some(_) => MatrixValues::Int8 {
                quantized: self.bytes(rows * cols).iter().map(|&q| q as i8).collect(),
                scales: vec![size / 128.0; rows],
            },
            None => MatrixValues::Float(
                (0..rows * cols)
                    .map(|_| size * self.random.float())
                    .collect(),
            ),
        };
        Matrix { rows, cols, values }
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = (0..count.div_ceil(8)).flat_map(|_| self.random.bits().to_le_bytes());
        let mut bytes: Vec<u8> = words.collect();
        bytes.truncate(count);
        bytes
    }
}
