//! The forward pass in its most readable form: f32, one loop per sum, nothing reused.
//!
//! [`crate::forward`] is tested against it, and so can every other implementation be. It is
//! some fifty times slower; nothing but tests should call it.

use crate::config::ModelConfig;
use crate::weights::{LayerWeights, Linear, Weights};

/// A row-major matrix as rows.
type Rows = Vec<Vec<f32>>;

/// The logits of all positions: `[length, vocab]`.
///
/// # Panics
/// If an id is not below the vocabulary's size.
pub fn logits(weights: &Weights, ids: &[u32]) -> Rows {
    let config = &weights.config;
    let epsilon = config.rms_norm_eps;
    // [length, hidden]
    let mut x: Rows = ids
        .iter()
        .map(|&id| {
            let mut row = vec![0.0; config.hidden_size];
            weights.embedding.row_into(id as usize, &mut row);
            row
        })
        .collect();
    for layer in &weights.layers {
        let normed = rms_norm(&x, &layer.input_norm, epsilon);
        add(&mut x, attention(config, layer, &normed));
        let normed = rms_norm(&x, &layer.post_attention_norm, epsilon);
        add(&mut x, feed_forward(layer, &normed));
    }
    let x = rms_norm(&x, &weights.final_norm, epsilon);
    let head = weights.head.as_ref().unwrap_or(&weights.embedding);
    let logits = project(
        &Linear {
            weight: head.clone(),
            bias: None,
        },
        &x,
    );
    match config.logits_shift {
        false => logits,
        true => (0..ids.len())
            .map(|row| logits[row.saturating_sub(1)].clone())
            .collect(),
    }
}

/// Every position attends to every position.
fn attention(config: &ModelConfig, layer: &LayerWeights, x: &Rows) -> Rows {
    let length = x.len();
    let width = config.head_dim;
    let mut query = project(&layer.query, x); // [length, heads * width]
    let mut key = project(&layer.key, x); // [length, kv_heads * width]
    let value = project(&layer.value, x); // [length, kv_heads * width]
    rotate(config, layer.query_norm.as_deref(), &mut query);
    rotate(config, layer.key_norm.as_deref(), &mut key);

    let mut mixed = vec![vec![0.0; config.query_width()]; length];
    for head in 0..config.num_attention_heads {
        let kv_head = head * config.num_key_value_heads / config.num_attention_heads;
        let (q, kv) = (head * width, kv_head * width);
        for i in 0..length {
            let mut scores: Vec<f32> = (0..length)
                .map(|j| dot(&query[i][q..q + width], &key[j][kv..kv + width]))
                .map(|score| score / (width as f32).sqrt())
                .collect();
            softmax(&mut scores);
            for (j, score) in scores.iter().enumerate() {
                for d in 0..width {
                    mixed[i][q + d] += score * value[j][kv + d];
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
fn rotate(config: &ModelConfig, norm: Option<&[f32]>, x: &mut Rows) {
    let width = config.head_dim;
    for (position, row) in x.iter_mut().enumerate() {
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
