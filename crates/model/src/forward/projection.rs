//! Products of activations with weight matrices of any format.

use crate::kernels::Kernel;
use crate::kernels::activations::Activations;
use crate::kernels::elementwise::rms_norm;
use crate::kernels::float::{self, Strided};
use crate::kernels::int4::{self, PackedInt4};
use crate::kernels::int8::{self, Output};
use crate::kernels::pack::PackedMatrix;
use crate::weights::{Linear, Matrix, MatrixValues};

/// What goes into a projection: the floats, and the same quantised.
#[derive(Default)]
pub(super) struct Input {
    pub(super) values: Vec<f32>,
    quantized: Activations,
    rows: usize,
}

impl Input {
    /// Becomes the RMSNorm of each row of `x`.
    pub(super) fn norm_rows(&mut self, kernel: Kernel, x: &[f32], weight: &[f32], epsilon: f32) {
        self.values.resize(x.len(), 0.0);
        rms_norm(kernel, x, weight, epsilon, &mut self.values);
        self.finish(kernel, weight.len());
    }

    /// Quantises `values`; to be called whenever they have changed.
    pub(super) fn finish(&mut self, kernel: Kernel, width: usize) {
        self.rows = self.values.len() / width;
        self.quantized
            .quantize(kernel, &self.values, self.rows, width);
    }
}

/// A weight matrix with its bias, in the form that its product wants.
pub(super) struct Projection {
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
    pub(super) fn new(linear: Linear) -> Self {
        Self {
            bias: linear.bias,
            ..Self::from_matrix(linear.weight)
        }
    }

    pub(super) fn from_matrix(Matrix { rows, cols, values }: Matrix) -> Self {
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
    pub(super) fn row_into(&self, row: usize, out: &mut [f32]) {
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

    /// Outputs.
    pub(super) fn rows(&self) -> usize {
        match &self.weight {
            ProjectionWeight::Int8(matrix) => matrix.rows(),
            ProjectionWeight::Int4(matrix) => matrix.rows(),
            ProjectionWeight::Float { outputs, .. } => *outputs,
        }
    }

    /// [`Projection::apply_to`], the buffer made to fit.
    pub(super) fn apply(&self, kernel: Kernel, input: &Input, out: &mut Vec<f32>) {
        out.resize(input.rows * self.rows(), 0.0);
        self.apply_to(kernel, input, Output::Set, out);
    }

    /// `out = input Wᵀ + bias`, or added to what `out` holds.
    pub(super) fn apply_to(&self, kernel: Kernel, input: &Input, output: Output, out: &mut [f32]) {
        let bias = self.bias.as_deref();
        match &self.weight {
            ProjectionWeight::Int8(matrix) => {
                int8::multiply(kernel, &input.quantized, matrix, bias, output, out);
            }
            ProjectionWeight::Int4(matrix) => {
                int4::multiply(kernel, &input.quantized, matrix, bias, output, out);
            }
            ProjectionWeight::Float {
                transposed,
                inputs,
                outputs,
            } => {
                let (inputs, outputs) = (*inputs, *outputs);
                let before = (output == Output::Add).then(|| out.to_vec());
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
