//! The forward pass in its most readable form: f32, one loop per sum, nothing reused.
//!
//! [`crate::forward`] is tested against it, and so can every other implementation be. It is
//! some fifty times slower; nothing but tests should call it.

use crate::config::ModelConfig;
use crate::kept::Kept;
use crate::weights::{LayerWeights, Linear, Weights};

/// A row-major matrix as rows.
type Rows = Vec<Vec<f32>>;

/// The logits of all positions: `[length, vocab]`.
///
/// # Panics
/// If an id is not below the vocabulary's size.
pub fn logits(weights: &Weights, ids: &[u32]) -> Rows {
    let mut x = embed(weights, ids);
    for layer in &weights.layers {
        let pairs = Pairs::new(&weights.config, layer, &x, 0);
        through(&weights.config, layer, &mut x, 0, &pairs);
    }
    shifted(&weights.config, head(weights, &x))
}

/// The logits of all positions that are computed where keys and values of an earlier input
/// stand in for the others'; of those others, nothing.
///
/// # Panics
/// If an id is not below the vocabulary's size, or the inputs are not equally long.
pub fn logits_keeping(weights: &Weights, ids: &[u32], kept: Kept<'_>) -> Rows {
    let Kept {
        ids: earlier,
        start,
        end,
    } = kept;
    assert_eq!(earlier.len(), ids.len());
    let mut old = embed(weights, earlier);
    let mut x = embed(weights, &ids[start..end]);
    for layer in &weights.layers {
        let config = &weights.config;
        let own = Pairs::new(config, layer, &x, start);
        let mut pairs = Pairs::new(config, layer, &old, 0);
        through(config, layer, &mut old, 0, &pairs);
        pairs.key.splice(start..end, own.key);
        pairs.value.splice(start..end, own.value);
        through(config, layer, &mut x, start, &pairs);
    }
    let mut logits = vec![Vec::new(); start];
    logits.extend(head(weights, &x));
    logits.resize(ids.len(), Vec::new());
    shifted(&weights.config, logits)
}

/// `[length, hidden]`.
fn embed(weights: &Weights, ids: &[u32]) -> Rows {
    let row = |&id: &u32| {
        let mut row = vec![0.0; weights.config.hidden_size];
        weights.embedding.row_into(id as usize, &mut row);
        row
    };
    ids.iter().map(row).collect()
}

/// One block of the transformer for rows whose positions begin at `first`.
fn through(config: &ModelConfig, layer: &LayerWeights, x: &mut Rows, first: usize, pairs: &Pairs) {
    let normed = rms_norm(x, &layer.input_norm, config.rms_norm_eps);
    add(x, attention(config, layer, &normed, first, pairs));
    let normed = rms_norm(x, &layer.post_attention_norm, config.rms_norm_eps);
    add(x, feed_forward(layer, &normed));
}

/// `[length, vocab]`.
fn head(weights: &Weights, x: &Rows) -> Rows {
    let x = rms_norm(x, &weights.final_norm, weights.config.rms_norm_eps);
    let head = weights.head.as_ref().unwrap_or(&weights.embedding);
    let head = Linear {
        weight: head.clone(),
        bias: None,
    };
    project(&head, &x)
}

fn shifted(config: &ModelConfig, logits: Rows) -> Rows {
    match config.logits_shift {
        false => logits,
        true => (0..logits.len())
            .map(|row| logits[row.saturating_sub(1)].clone())
            .collect(),
    }
}

/// Keys and values, each `[length, kv_heads * width]`.
struct Pairs {
    key: Rows,
    value: Rows,
}

impl Pairs {
    /// Those of rows whose positions begin at `first`.
    fn new(config: &ModelConfig, layer: &LayerWeights, x: &Rows, first: usize) -> Self {
        let normed = rms_norm(x, &layer.input_norm, config.rms_norm_eps);
        let mut key = project(&layer.key, &normed);
        rotate(config, layer.key_norm.as_deref(), &mut key, first);
        let value = project(&layer.value, &normed);
        Self { key, value }
    }
}

/// Every row attends to every position.
fn attention(
    config: &ModelConfig,
    layer: &LayerWeights,
    x: &Rows,
    first: usize,
    Pairs { key, value }: &Pairs,
) -> Rows {
    let width = config.head_dim;
    let mut query = project(&layer.query, x); // [rows, heads * width]
    rotate(config, layer.query_norm.as_deref(), &mut query, first);

    let mut mixed = vec![vec![0.0; config.query_width()]; x.len()];
    for head in 0..config.num_attention_heads {
        let kv_head = head * config.num_key_value_heads / config.num_attention_heads;
        let (q, kv) = (head * width, kv_head * width);
        for (query, mixed) in query.iter().zip(&mut mixed) {
            let mut scores: Vec<f32> = key
                .iter()
                .map(|key| dot(&query[q..q + width], &key[kv..kv + width]))
                .map(|score| score / (width as f32).sqrt())
                .collect();
            softmax(&mut scores);
            for (score, value) in scores.iter().zip(value) {
                for d in 0..width {
                    mixed[q + d] += score * value[kv + d];
                }
            }
        }
    }
    project(&layer.output, &mixed)
}

/// SwiGLU: `down(silu(gate(x)) * up(x))`.
fn feed_forward(layer: &LayerWeights, x: &Rows) -> Rows {
    let mut gate = project(&layer.gate, x);
    let up = project(&layer.up, x);
    for (gate, up) in gate.iter_mut().flatten().zip(up.iter().flatten()) {
        *gate = *gate / (1.0 + (-*gate).exp()) * up;
    }
    project(&layer.down, &gate)
}

/// Normalises each head where the model does, then turns dimensions `d` and `d + width / 2`
/// of each by an angle that grows with the position.
fn rotate(config: &ModelConfig, norm: Option<&[f32]>, x: &mut Rows, first: usize) {
    let width = config.head_dim;
    for (position, row) in (first..).zip(x) {
        for head in row.chunks_exact_mut(width) {
            if let Some(weight) = norm {
                let normed = rms_norm(&vec![head.to_vec()], weight, config.rms_norm_eps);
                head.copy_from_slice(&normed[0]);
            }
            for d in 0..width / 2 {
                let frequency = config.rope_theta.powf(-2.0 * d as f64 / width as f64);
                let (sin, cos) = (position as f64 * frequency).sin_cos();
                let (sin, cos) = (sin as f32, cos as f32);
                let (a, b) = (head[d], head[d + width / 2]);
                head[d] = a * cos - b * sin;
                head[d + width / 2] = b * cos + a * sin;
            }
        }
    }
}

fn rms_norm(x: &Rows, weight: &[f32], epsilon: f32) -> Rows {
    let norm = |row: &Vec<f32>| {
        let scale = 1.0 / (dot(row, row) / row.len() as f32 + epsilon).sqrt();
        row.iter().zip(weight).map(|(x, w)| x * scale * w).collect()
    };
    x.iter().map(norm).collect()
}

fn softmax(x: &mut [f32]) {
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    x.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f32 = x.iter().sum();
    x.iter_mut().for_each(|x| *x /= sum);
}

fn project(linear: &Linear, x: &Rows) -> Rows {
    let matrix = &linear.weight;
    let mut out = vec![vec![0.0; matrix.rows]; x.len()];
    let mut weight = vec![0.0; matrix.cols];
    for j in 0..matrix.rows {
        matrix.row_into(j, &mut weight);
        let bias = linear.bias.as_ref().map_or(0.0, |bias| bias[j]);
        for (out, x) in out.iter_mut().zip(x) {
            out[j] = dot(x, &weight) + bias;
        }
    }
    out
}

fn add(x: &mut Rows, y: Rows) {
    for (x, y) in x.iter_mut().flatten().zip(y.iter().flatten()) {
        *x += y;
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
