//! The forward pass on the CPU: ids in, logits of the wanted positions out.
//!
//! [`CpuTransformer::logits`] is the whole transformer, top to bottom, with shapes beside
//! every buffer; [`crate::plain`] is the same without the care for speed. What that care
//! consists of: int8 products from packed weights; buffers that are allocated once and
//! grow to the longest input seen; and in the last block, everything after keys and values
//! only for the rows whose logits are wanted (the masked cells of a canvas, as a rule).
//!
//! Cost for `length` positions: `length` times the parameters in int8 multiply-adds, and
//! `2 * length² * heads * head_dim` a block in f32.

use crate::config::ModelConfig;
use crate::kernels::activations::Activations;
use crate::kernels::elementwise::{rms_norm, rms_norm_in_place, silu_product, softmax};
use crate::kernels::float::{self, Strided};
use crate::kernels::int4::{self, PackedInt4};
use crate::kernels::int8::{self, Output};
use crate::kernels::pack::PackedMatrix;
use crate::kernels::{Kernel, PANEL};
use crate::pass::{ForwardError, ForwardPass, Narrow, StepRequest};
use crate::weights::{LayerWeights, Linear, Matrix, MatrixValues, Weights};
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet, best_of, summarize};

/// The forward pass on the CPU.
pub struct CpuTransformer {
    config: ModelConfig,
    kernel: Kernel,
    embedding: Projection,
    layers: Vec<Layer>,
    final_norm: Vec<f32>,
    head: Option<Projection>,
    rotations: Rotations,
    buffers: Buffers,
    last: LastStep,
}

/// What a second look at a step needs.
#[derive(Default)]
struct LastStep {
    /// `[rows, vocab]`.
    logits: Vec<f32>,
    rows: Vec<usize>,
    writable: TokenSet,
    top: usize,
    noise: Option<Noise>,
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

/// Reused from call to call; shapes as in [`CpuTransformer::logits`], where `length` counts
/// the input's positions and `wanted` those that a block still computes.
#[derive(Default)]
struct Buffers {
    x: Vec<f32>,
    normed: Input,
    key: Vec<f32>,
    value: Vec<f32>,
    key_by_dimension: Vec<f32>,
    query: Vec<f32>,
    scores: Vec<f32>,
    mixed: Input,
    gate: Input,
    up: Vec<f32>,
    gathered: Vec<f32>,
}

impl CpuTransformer {
    /// Packs the weights for the fastest kernel that this machine has.
    pub fn new(weights: Weights) -> Self {
        Self::with_kernel(weights, Kernel::detect())
    }

    /// As [`CpuTransformer::new`], with the kernel chosen by the caller.
    pub fn with_kernel(weights: Weights, kernel: Kernel) -> Self {
        let Weights {
            config,
            embedding,
            layers,
            final_norm,
            head,
        } = weights;
        Self {
            kernel,
            embedding: Projection::from_matrix(embedding),
            layers: layers.into_iter().map(Layer::new).collect(),
            final_norm,
            head: head.map(Projection::from_matrix),
            rotations: Rotations::new(&config),
            buffers: Buffers::default(),
            last: LastStep::default(),
            config,
        }
    }

    fn check(&self, ids: &[u32], rows: &[usize]) -> Result<(), ForwardError> {
        let (length, most) = (ids.len(), self.config.max_position_embeddings);
        let vocab = self.config.vocab_size;
        if length > most {
            return Err(ForwardError::TooLong { length, most });
        }
        if let Some(position) = ids.iter().position(|&id| id as usize >= vocab) {
            return Err(ForwardError::IdOutOfRange {
                id: ids[position],
                position,
                vocab,
            });
        }
        match rows.iter().find(|&&row| row >= length) {
            Some(&row) => Err(ForwardError::RowOutOfRange { row, length }),
            None => Ok(()),
        }
    }
}

impl ForwardPass for CpuTransformer {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    async fn step(&mut self, request: &StepRequest<'_>) -> Result<Vec<RowSummary>, ForwardError> {
        let mut last = std::mem::take(&mut self.last);
        self.logits(request.ids, request.rows, &mut last.logits)?;
        last.rows = request.rows.to_vec();
        last.writable = request.writable.clone();
        (last.top, last.noise) = (request.top, request.noise);
        let rows = last.logits.chunks_exact(self.config.vocab_size);
        let summaries = rows.zip(request.rows).map(|(logits, &row)| {
            let noise = request.noise.as_ref();
            summarize(logits, request.writable, request.top, noise, row as u32)
        });
        let summaries = summaries.collect();
        self.last = last;
        Ok(summaries)
    }

    async fn narrow(&mut self, asks: &[Narrow<'_>]) -> Result<Vec<Vec<Scored>>, ForwardError> {
        let (last, vocab) = (&self.last, self.config.vocab_size);
        let narrowed = asks.iter().map(|ask| {
            let &position = last.rows.get(ask.row).ok_or(ForwardError::RowOutOfRange {
                row: ask.row,
                length: last.rows.len(),
            })?;
            let logits = &last.logits[ask.row * vocab..][..vocab];
            let (noise, position) = (last.noise.as_ref(), position as u32);
            Ok(best_of(
                logits,
                &last.writable,
                ask.allowed,
                last.top,
                noise,
                position,
            ))
        });
        narrowed.collect()
    }
}

impl CpuTransformer {
    /// The logits at the positions `rows` of `ids`: `out` becomes `[rows.len(), vocab]`,
    /// row-major; row `i` is about the token at `rows[i]`, as in [`ForwardPass::step`].
    ///
    /// # Errors
    /// [`ForwardError`]; then `out` holds nothing of meaning.
    pub fn logits(
        &mut self,
        ids: &[u32],
        rows: &[usize],
        out: &mut Vec<f32>,
    ) -> Result<(), ForwardError> {
        self.check(ids, rows)?;
        out.clear();
        if rows.is_empty() {
            return Ok(());
        }
        let Self {
            config,
            kernel,
            embedding,
            layers,
            final_norm,
            head,
            rotations,
            buffers,
            last: _,
        } = self;
        let (kernel, epsilon) = (*kernel, config.rms_norm_eps);
        let (length, hidden, inner) = (ids.len(), config.hidden_size, config.intermediate_size);
        let (query_width, key_width) = (config.query_width(), config.key_width());
        let Buffers {
            x,
            normed,
            key,
            value,
            query,
            mixed,
            gate,
            up,
            gathered,
            ..
        } = buffers;
        rotations.extend_to(length);

        let all: Vec<usize> = (0..length).collect();
        let wanted: Vec<usize> = match config.logits_shift {
            false => rows.to_vec(),
            true => rows.iter().map(|row| row.saturating_sub(1)).collect(),
        };

        // x: [length, hidden]
        x.resize(length * hidden, 0.0);
        for (row, &id) in x.chunks_exact_mut(hidden).zip(ids) {
            embedding.row_into(id as usize, row);
        }

        let last = layers.len() - 1;
        for (index, layer) in layers.iter().enumerate() {
            // Keys and values: [length, key_width], of all positions.
            normed.norm_rows(x, &layer.input_norm, epsilon);
            layer.key.apply(kernel, normed, Output::Set, key);
            layer.value.apply(kernel, normed, Output::Set, value);
            rotations.turn(
                key,
                key_width,
                &all,
                layer.key_norm.as_deref(),
                epsilon,
                1.0,
            );

            // From here on the last block computes what is wanted only.
            let positions = if index == last { &wanted } else { &all };
            if index == last {
                gather_rows(x, hidden, positions, gathered);
                normed.norm_rows(x, &layer.input_norm, epsilon);
            }

            // Queries: [positions, query_width]; scores are divided by sqrt(head_dim) here.
            layer.query.apply(kernel, normed, Output::Set, query);
            let scale = 1.0 / (config.head_dim as f32).sqrt();
            let norm = layer.query_norm.as_deref();
            rotations.turn(query, query_width, positions, norm, epsilon, scale);

            // Attention: [positions, query_width], then [positions, hidden] onto x.
            let scratch = (&mut buffers.key_by_dimension, &mut buffers.scores);
            attention(config, kernel, query, key, value, scratch, mixed);
            layer.output.apply(kernel, mixed, Output::Add, x);

            // Feed-forward: [positions, inner], then [positions, hidden] onto x.
            normed.norm_rows(x, &layer.post_attention_norm, epsilon);
            layer
                .gate
                .apply(kernel, normed, Output::Set, &mut gate.values);
            layer.up.apply(kernel, normed, Output::Set, up);
            silu_product(&mut gate.values, up);
            gate.finish(inner);
            layer.down.apply(kernel, gate, Output::Add, x);
        }

        // Logits: [wanted, vocab].
        normed.norm_rows(x, final_norm, epsilon);
        head.as_ref()
            .unwrap_or(embedding)
            .apply(kernel, normed, Output::Set, out);
        match out.iter().all(|logit| logit.is_finite()) {
            true => Ok(()),
            false => Err(ForwardError::NotFinite),
        }
    }
}

/// `mixed = softmax(query keyᵀ) value` for each head: query `[positions, query_width]`, key
/// and value `[length, key_width]`.
fn attention(
    config: &ModelConfig,
    kernel: Kernel,
    query: &[f32],
    key: &[f32],
    value: &[f32],
    (key_by_dimension, scores): (&mut Vec<f32>, &mut Vec<f32>),
    mixed: &mut Input,
) {
    /// Positions whose scores are computed together: few enough for the first cache.
    const BLOCK: usize = 16;
    let (query_width, key_width, width) =
        (config.query_width(), config.key_width(), config.head_dim);
    let group = config.num_attention_heads / config.num_key_value_heads;
    let length = key.len() / key_width;
    // Padded to whole vectors; the scores of the padding are never looked at.
    let padded = length.next_multiple_of(PANEL);
    // [width, padded]
    key_by_dimension.clear();
    key_by_dimension.resize(width * padded, 0.0);
    // [BLOCK, padded]
    scores.resize(BLOCK * padded, 0.0);
    mixed.values.resize(query.len(), 0.0);

    for kv_head in 0..config.num_key_value_heads {
        for (position, key) in key.chunks_exact(key_width).enumerate() {
            for (dimension, &key) in key[kv_head * width..][..width].iter().enumerate() {
                key_by_dimension[dimension * padded + position] = key;
            }
        }
        for head in kv_head * group..(kv_head + 1) * group {
            let queries = query.chunks(BLOCK * query_width);
            let blocks = mixed.values.chunks_mut(BLOCK * query_width);
            for (query, mixed) in queries.zip(blocks) {
                let rows = query.len() / query_width;
                let q = Strided {
                    values: &query[head * width..],
                    stride: query_width,
                };
                let k = Strided {
                    values: key_by_dimension,
                    stride: padded,
                };
                float::multiply(kernel, q, k, scores, padded, [rows, width, padded]);
                for scores in scores.chunks_exact_mut(padded).take(rows) {
                    softmax(&mut scores[..length]);
                }
                let s = Strided {
                    values: scores,
                    stride: padded,
                };
                let v = Strided {
                    values: &value[kv_head * width..],
                    stride: key_width,
                };
                let out = &mut mixed[head * width..];
                float::multiply(kernel, s, v, out, query_width, [rows, length, width]);
            }
        }
    }
    mixed.finish(query_width);
}

/// Replaces the rows of `x` by those at `positions`.
fn gather_rows(x: &mut Vec<f32>, width: usize, positions: &[usize], spare: &mut Vec<f32>) {
    spare.clear();
    for &position in positions {
        spare.extend_from_slice(&x[position * width..][..width]);
    }
    std::mem::swap(x, spare);
}

/// What goes into a projection: the floats, and the same quantised.
#[derive(Default)]
struct Input {
    values: Vec<f32>,
    quantized: Activations,
    rows: usize,
}

impl Input {
    /// Becomes the RMSNorm of each row of `x`.
    fn norm_rows(&mut self, x: &[f32], weight: &[f32], epsilon: f32) {
        let width = weight.len();
        self.values.resize(x.len(), 0.0);
        for (x, out) in x
            .chunks_exact(width)
            .zip(self.values.chunks_exact_mut(width))
        {
            rms_norm(x, weight, epsilon, out);
        }
        self.finish(width);
    }

    /// Quantises `values`; to be called whenever they have changed.
    fn finish(&mut self, width: usize) {
        self.rows = self.values.len() / width;
        self.quantized.quantize(&self.values, self.rows, width);
    }
}

/// A weight matrix with its bias, in the form that its product wants.
struct Projection {
    weight: ProjectionWeight,
    bias: Option<Vec<f32>>,
}

enum ProjectionWeight {
    Int8(PackedMatrix),
    Int4(PackedInt4),
    /// `[inputs, outputs]`: transposed.
    Float {
        transposed: Vec<f32>,
        inputs: usize,
        outputs: usize,
    },
}

impl Projection {
    fn new(linear: Linear) -> Self {
        Self {
            bias: linear.bias,
            ..Self::from_matrix(linear.weight)
        }
    }

    fn from_matrix(Matrix { rows, cols, values }: Matrix) -> Self {
        let weight = match values {
            MatrixValues::Int8 { quantized, scales } => {
                ProjectionWeight::Int8(PackedMatrix::new(rows, cols, &quantized, scales))
            }
            MatrixValues::Int4 {
                packed,
                scales,
                minima,
            } => ProjectionWeight::Int4(PackedInt4::new(rows, cols, &packed, &scales, &minima)),
            MatrixValues::Float(values) => {
                let mut transposed = vec![0.0; values.len()];
                for (row, values) in values.chunks_exact(cols).enumerate() {
                    for (col, &value) in values.iter().enumerate() {
                        transposed[col * rows + row] = value;
                    }
                }
                ProjectionWeight::Float {
                    transposed,
                    inputs: cols,
                    outputs: rows,
                }
            }
        };
        Self { weight, bias: None }
    }

    /// One row of the matrix, as floats: a token's embedding.
    fn row_into(&self, row: usize, out: &mut [f32]) {
        match &self.weight {
            ProjectionWeight::Int8(matrix) => matrix.row_into(row, out),
            ProjectionWeight::Int4(matrix) => matrix.row_into(row, out),
            ProjectionWeight::Float {
                transposed,
                outputs,
                ..
            } => {
                for (col, out) in out.iter_mut().enumerate() {
                    *out = transposed[col * outputs + row];
                }
            }
        }
    }

    /// `out = input Wᵀ + bias`, or added to what `out` holds.
    fn apply(&self, kernel: Kernel, input: &Input, output: Output, out: &mut Vec<f32>) {
        let bias = self.bias.as_deref();
        match &self.weight {
            ProjectionWeight::Int8(matrix) => {
                out.resize(input.rows * matrix.rows(), 0.0);
                int8::multiply(kernel, &input.quantized, matrix, bias, output, out);
            }
            ProjectionWeight::Int4(matrix) => {
                out.resize(input.rows * matrix.rows(), 0.0);
                int4::multiply(kernel, &input.quantized, matrix, bias, output, out);
            }
            ProjectionWeight::Float {
                transposed,
                inputs,
                outputs,
            } => {
                let (inputs, outputs) = (*inputs, *outputs);
                out.resize(input.rows * outputs, 0.0);
                let before = (output == Output::Add).then(|| out.clone());
                let x = Strided {
                    values: &input.values,
                    stride: inputs,
                };
                let w = Strided {
                    values: transposed,
                    stride: outputs,
                };
                float::multiply(kernel, x, w, out, outputs, [input.rows, inputs, outputs]);
                for (out, bias) in out.iter_mut().zip(bias.into_iter().flatten().cycle()) {
                    *out += bias;
                }
                for (out, before) in out.iter_mut().zip(before.into_iter().flatten()) {
                    *out += before;
                }
            }
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

/// The rotary embedding: dimensions `d` and `d + width / 2` of every head are turned by
/// `position * theta^(-2 d / width)` (Hugging Face's `rotate_half`). Angles are computed in
/// f64, so that they do not depend on a machine's f32 sine.
struct Rotations {
    theta: f64,
    /// `head_dim`.
    width: usize,
    /// `[positions, width / 2]` pairs of cosine and sine.
    turns: Vec<(f32, f32)>,
}

impl Rotations {
    fn new(config: &ModelConfig) -> Self {
        Self {
            theta: config.rope_theta,
            width: config.head_dim,
            turns: Vec::new(),
        }
    }

    fn extend_to(&mut self, positions: usize) {
        let half = self.width / 2;
        for position in self.turns.len() / half..positions {
            for d in 0..half {
                let frequency = self.theta.powf(-2.0 * d as f64 / self.width as f64);
                let (sin, cos) = (position as f64 * frequency).sin_cos();
                self.turns.push((cos as f32, sin as f32));
            }
        }
    }

    /// Normalises each head where the model does so, turns it, and multiplies it by `scale`.
    fn turn(
        &self,
        x: &mut [f32],
        row_width: usize,
        positions: &[usize],
        norm: Option<&[f32]>,
        epsilon: f32,
        scale: f32,
    ) {
        let half = self.width / 2;
        for (row, position) in x.chunks_exact_mut(row_width).zip(positions) {
            let turns = &self.turns[position * half..][..half];
            for head in row.chunks_exact_mut(self.width) {
                if let Some(weight) = norm {
                    rms_norm_in_place(head, weight, epsilon);
                }
                let (low, high) = head.split_at_mut(half);
                for ((a, b), (cos, sin)) in low.iter_mut().zip(high).zip(turns) {
                    let turned = (*a * cos - *b * sin, *b * cos + *a * sin);
                    (*a, *b) = (turned.0 * scale, turned.1 * scale);
                }
            }
        }
    }
}
