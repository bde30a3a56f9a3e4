//! Matrix products: all tiles, formats and epilogues, split matrices and parts of matrices.

use super::case::{Bench, Expected, config, encoded, numbers, precisions, rounded};
use super::{Effort, KernelCheck};
use crate::buffer::GpuBuffer;
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::kernel::{Epilogue, Format, Precision, Tile};
use crate::matrix::Stack;
use crate::random::Random;
use crate::recorder::Recorder;
use crate::stages::{Product, Rows};
use crate::tile::TileChoice;
use lacuna_model::weights::{INT4_GROUP, Linear, Matrix, MatrixValues};

const FORMATS: [Format; 3] = [Format::Int8, Format::Int4, Format::Float];

/// Rows, outputs, inputs; of int4, the inputs are whole groups instead.
const SHAPES: [[usize; 3]; 5] = [
    [1, 1, 1],
    [3, 5, 7],
    [33, 31, 17],
    [65, 130, 33],
    [130, 67, 96],
];

pub(super) async fn verify(
    device: &GpuDevice,
    effort: Effort,
    checks: &mut Vec<KernelCheck>,
) -> Result<(), GpuError> {
    let random = &mut Random(1);
    let possible = TileChoice::new(&device.info().limits);
    for (at, &tile) in possible.possible().iter().enumerate() {
        for (of_format, format) in FORMATS.into_iter().enumerate() {
            for precision in precisions(device) {
                let kinds = [
                    (true, Epilogue::Set),
                    (false, Epilogue::Add),
                    (true, Epilogue::SwiGlu),
                    (true, Epilogue::Logits),
                ];
                for (kind, (normed, epilogue)) in kinds.into_iter().enumerate() {
                    let case = Case {
                        tile,
                        format,
                        precision,
                        normed,
                        epilogue,
                    };
                    // A quick look takes each tile with each format and with each epilogue, but
                    // not all three together.
                    let half = usize::from(precision == Precision::Half);
                    if effort == Effort::Quick && kind != (at + of_format + 2 * half) % kinds.len()
                    {
                        continue;
                    }
                    for shape in SHAPES {
                        checks.push(case.check(device, shape, random).await?);
                    }
                }
            }
        }
    }
    Ok(())
}

struct Case {
    tile: Tile,
    format: Format,
    precision: Precision,
    normed: bool,
    epilogue: Epilogue,
}

impl Case {
    async fn check(
        &self,
        device: &GpuDevice,
        [rows, columns, mut inputs]: [usize; 3],
        random: &mut Random,
    ) -> Result<KernelCheck, GpuError> {
        if self.format == Format::Int4 {
            inputs = inputs.next_multiple_of(INT4_GROUP);
        }
        let mut bench = Bench::new(&config(inputs, [1, 1], 2), self.precision);
        bench.tiles = TileChoice::only(self.tile);
        let first = linear(random, self.format, columns, inputs);
        let second = linear(random, self.format, columns, inputs);
        let stack = match self.epilogue {
            Epilogue::SwiGlu => Stack::pair(&first, &second),
            _ => Stack::of(&first),
        };
        let matrix = stack.upload(device, "checked").await?;

        // The input begins a row late and the result two, which leaves columns free on both
        // sides.
        let of_input = match self.normed {
            true => Precision::Single,
            false => self.precision,
        };
        let stride = matrix.depth;
        let mut input = vec![0.0; (rows + 1) * stride];
        for row in input.chunks_exact_mut(stride) {
            for value in &mut row[..inputs] {
                *value = rounded(random.float(), of_input);
            }
        }
        let norm: Vec<f32> = (0..inputs).map(|_| 1.0 + 0.3 * random.float()).collect();
        let mut padded_norm = norm.clone();
        padded_norm.resize(stride, 0.0);
        let norm_buffer = numbers(device, &padded_norm, Precision::Single).await?;
        let input_buffer = numbers(device, &input, of_input).await?;

        let outputs = match self.epilogue {
            Epilogue::SwiGlu => 0..columns,
            _ => columns / 3..columns,
        };
        let of_result = match self.epilogue {
            Epilogue::Add | Epilogue::Logits => Precision::Single,
            Epilogue::Set | Epilogue::SwiGlu => self.precision,
        };
        let result_stride = columns + 3;
        let mut expected = Expected::nothing((rows + 2) * result_stride, of_result);
        let before = random.floats(expected.values.len());
        let normed = self.normed.then_some(&norm[..]);
        for row in 0..rows {
            let x = &input[(row + 1) * stride..][..inputs];
            for output in outputs.clone() {
                let at = (row + 2) * result_stride + output;
                let value = product(x, normed, &first, output);
                let value = match self.epilogue {
                    Epilogue::SwiGlu => {
                        value / (1.0 + (-value).exp()) * product(x, normed, &second, output)
                    }
                    Epilogue::Add => value + f64::from(before[at]),
                    Epilogue::Set | Epilogue::Logits => value,
                };
                expected.values[at] = Some(value as f32);
            }
        }
        let adds = self.epilogue == Epilogue::Add;
        let values = &expected.values;
        let was = |at: usize| (adds && values[at].is_some()).then(|| before[at]);
        let result: GpuBuffer = expected.poisoned(device, was).await?;

        let mut recorder = Recorder::new(device);
        let product = Product {
            input: Rows {
                first: 1,
                ..Rows::new(&input_buffer, rows, stride)
            },
            norm: self.normed.then_some(&norm_buffer),
            matrix: &matrix,
            outputs: outputs.clone(),
            epilogue: self.epilogue,
            result: Rows {
                first: 2,
                ..Rows::new(&result, rows, result_stride)
            },
        };
        bench.stages().project(&mut recorder, &product)?;
        let shape = format!("{rows} x {inputs} by outputs {outputs:?} of {columns}");
        let tolerance = tolerance(self.precision, self.epilogue, inputs);
        expected
            .compare(device, &recorder, &result, (shape, tolerance))
            .await
    }
}

/// Sums of products of numbers around one half, in f32 and, of half precision, of factors
/// that were rounded to eleven bits; where two sums are multiplied, by the size of a sum.
fn tolerance(precision: Precision, epilogue: Epilogue, inputs: usize) -> f32 {
    let spread = 1.0 + (inputs as f32).sqrt();
    let of_sum = match precision {
        Precision::Single => 3e-6 * spread,
        Precision::Half => 4e-3 * spread,
    };
    match epilogue {
        Epilogue::SwiGlu => of_sum * spread,
        Epilogue::Set | Epilogue::Add | Epilogue::Logits => of_sum,
    }
}

/// One output for one row of inputs, in f64.
fn product(x: &[f32], norm: Option<&[f32]>, linear: &Linear, output: usize) -> f64 {
    let mut weight = vec![0.0; linear.weight.cols];
    linear.weight.row_into(output, &mut weight);
    let squares: f64 = x.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let factor = norm.map_or(1.0, |_| 1.0 / (squares / x.len() as f64 + 1e-5).sqrt());
    let terms = x.iter().zip(&weight).enumerate().map(|(at, (&x, &w))| {
        f64::from(x) * f64::from(w) * norm.map_or(1.0, |norm| f64::from(norm[at]))
    });
    let bias = linear.bias.as_ref().map_or(0.0, |bias| bias[output]);
    terms.sum::<f64>() * factor + f64::from(bias)
}

/// A random matrix with biases, of weights around one half.
pub(super) fn linear(random: &mut Random, format: Format, rows: usize, cols: usize) -> Linear {
    let values = match format {
        Format::Int8 => MatrixValues::Int8 {
            quantized: (0..rows * cols).map(|_| random.bits() as i8).collect(),
            scales: (0..rows)
                .map(|_| (1.0 + 0.2 * random.float()) / 128.0)
                .collect(),
        },
        Format::Int4 => {
            let groups = rows * cols / INT4_GROUP;
            let mut halves = |middle: f32| -> Vec<u16> {
                let values = (0..groups).map(|_| middle * (1.0 + 0.2 * random.float()));
                let bytes = encoded(&values.collect::<Vec<_>>(), Precision::Half);
                bytemuck::pod_collect_to_vec(&bytes)
            };
            MatrixValues::Int4 {
                scales: halves(0.12),
                minima: halves(-0.9),
                packed: (0..rows * cols / 2).map(|_| random.bits() as u8).collect(),
            }
        }
        Format::Float => MatrixValues::Float(random.floats(rows * cols)),
    };
    Linear {
        weight: Matrix { rows, cols, values },
        bias: Some(random.floats(rows)),
    }
}
