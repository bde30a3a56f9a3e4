//! Random models of any shape, for tests and measurements.

use lacuna_model::weights::INT4_GROUP;
use lacuna_model::weights::{LayerWeights, Linear, Matrix, MatrixValues};
use lacuna_model::{ModelConfig, WeightFormat, Weights};

/// A small generator (SplitMix64), so that a seed means the same model everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Uniform in -1 to 1.
    pub fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }
}

/// The shape of the 10 M model that the project's targets are about.
pub fn ten_million() -> ModelConfig {
    ModelConfig {
        model_type: "lacuna".to_owned(),
        vocab_size: 2048,
        hidden_size: 320,
        num_hidden_layers: 7,
        num_attention_heads: 5,
        num_key_value_heads: 5,
        head_dim: 64,
        intermediate_size: 864,
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
        quantization: Some(WeightFormat::Int8),
        prompt_template: None,
    }
}

/// A small model that states its facts at random; `format` none for floats.
pub fn small(random: &mut Random, format: Option<WeightFormat>) -> ModelConfig {
    let kv_heads = 1 + random.below(3);
    let head_dim = 2 * (1 + random.below(20));
    let mut coin = || random.below(2) == 0;
    let (tie, bias, mlp_bias, qk_norm, shift) = (coin(), coin(), coin(), coin(), coin());
    // Of int4, some matrices have whole groups and some do not.
    let mut side = |end: usize| match format {
        Some(WeightFormat::Int4) => [32, 64, 96, 48][random.below(4)],
        _ => 1 + random.below(end),
    };
    let (hidden_size, intermediate_size) = (side(70), side(90));
    ModelConfig {
        vocab_size: 5 + random.below(80),
        hidden_size,
        num_hidden_layers: 1 + random.below(3),
        num_attention_heads: kv_heads * (1 + random.below(3)),
        num_key_value_heads: kv_heads,
        head_dim,
        intermediate_size,
        max_position_embeddings: 200,
        tie_word_embeddings: tie,
        attention_bias: bias,
        mlp_bias,
        qk_norm,
        logits_shift: shift,
        quantization: format,
        ..ten_million()
    }
}

/// Weights of `config`'s shape whose products keep the size of what goes in.
pub fn weights(config: &ModelConfig, seed: u64) -> Weights {
    let random = &mut Random(seed);
    let c = config;
    let (hidden, inner) = (c.hidden_size, c.intermediate_size);
    let (query, key) = (c.query_width(), c.key_width());
    let embedding = matrix(c, random, c.vocab_size, hidden);
    let layers = (0..c.num_hidden_layers)
        .map(|_| LayerWeights {
            input_norm: norm(random, hidden),
            query: linear(c, random, query, hidden, c.attention_bias),
            key: linear(c, random, key, hidden, c.attention_bias),
            value: linear(c, random, key, hidden, c.attention_bias),
            query_norm: c.qk_norm.then(|| norm(random, c.head_dim)),
            key_norm: c.qk_norm.then(|| norm(random, c.head_dim)),
            output: linear(c, random, hidden, query, c.attention_bias),
            post_attention_norm: norm(random, hidden),
            gate: linear(c, random, inner, hidden, c.mlp_bias),
            up: linear(c, random, inner, hidden, c.mlp_bias),
            down: linear(c, random, hidden, inner, c.mlp_bias),
        })
        .collect();
    Weights {
        config: c.clone(),
        embedding,
        layers,
        final_norm: norm(random, hidden),
        head: (!c.tie_word_embeddings).then(|| matrix(c, random, c.vocab_size, hidden)),
    }
}

/// In the configuration's format; int8 where the columns are no whole groups of int4.
fn matrix(config: &ModelConfig, random: &mut Random, rows: usize, cols: usize) -> Matrix {
    let size = (3.0 / cols as f32).sqrt();
    let values = match config.quantization {
        Some(WeightFormat::Int4) if cols.is_multiple_of(INT4_GROUP) => {
            let groups = rows * cols / INT4_GROUP;
            // Of a weight's size, within a quarter of a power of two: the scale, as `size / 8`
            // of fifteen steps, and the minimum at the other end.
            let mut half = |size: f32, sign: u32| {
                let exponent = (size.to_bits() >> 23).saturating_sub(112).max(1);
                (sign << 15 | exponent << 10 | random.below(256) as u32) as u16
            };
            MatrixValues::Int4 {
                scales: (0..groups).map(|_| half(size / 8.0, 0)).collect(),
                minima: (0..groups).map(|_| half(size, 1)).collect(),
                packed: (0..rows * cols / 2).map(|_| random.next() as u8).collect(),
            }
        }
        Some(_) => MatrixValues::Int8 {
            quantized: (0..rows * cols).map(|_| random.next() as i8).collect(),
            scales: (0..rows)
                .map(|_| size * (1.0 + 0.2 * random.float()) / 128.0)
                .collect(),
        },
        None => MatrixValues::Float((0..rows * cols).map(|_| size * random.float()).collect()),
    };
    Matrix { rows, cols, values }
}

fn linear(
    config: &ModelConfig,
    random: &mut Random,
    rows: usize,
    cols: usize,
    has_bias: bool,
) -> Linear {
    Linear {
        weight: matrix(config, random, rows, cols),
        bias: has_bias.then(|| (0..rows).map(|_| 0.3 * random.float()).collect()),
    }
}

fn norm(random: &mut Random, length: usize) -> Vec<f32> {
    (0..length).map(|_| 1.0 + 0.3 * random.float()).collect()
}
