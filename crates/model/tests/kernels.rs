//! Each kernel of this machine against the plainest loops, on awkward shapes, with buffers
//! full of rubbish.

use crate::common::Random;
use lacuna_model::kernels::Kernel;
use lacuna_model::kernels::activations::Activations;
use lacuna_model::kernels::float::{self, Strided};
use lacuna_model::kernels::int4::{self, PackedInt4};
use lacuna_model::kernels::int8::{self, Output};
use lacuna_model::kernels::pack::PackedMatrix;
use lacuna_model::weights::{INT4_GROUP, Matrix, MatrixValues};

const SIDES: [usize; 12] = [1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 100];

fn shapes() -> impl Iterator<Item = [usize; 3]> {
    let random = &mut Random(3);
    let some = |random: &mut Random| SIDES[random.below(SIDES.len())];
    let shapes: Vec<_> = (0..150)
        .map(|_| [some(random), some(random), some(random)])
        .collect();
    shapes
        .into_iter()
        .chain([[1, 1, 1], [5, 1030, 3], [2, 4097, 33]])
}

/// All kernels agree bit for bit, and with sums in f64 up to the rounding of activations.
#[test]
fn int8_products_are_right() {
    let random = &mut Random(1);
    let mut x = Activations::default();
    for [rows, inputs, outputs] in shapes() {
        let floats: Vec<f32> = (0..rows * inputs).map(|_| random.float() * 3.0).collect();
        let weights: Vec<i8> = (0..outputs * inputs).map(|_| random.next() as i8).collect();
        let scales: Vec<f32> = (0..outputs).map(|_| random.float() * 0.01).collect();
        let bias: Vec<f32> = (0..outputs).map(|_| random.float()).collect();
        let before: Vec<f32> = (0..rows * outputs).map(|_| random.float()).collect();
        let packed = PackedMatrix::new(outputs, inputs, &weights, scales.clone());
        x.quantize(Kernel::detect(), &floats, rows, inputs);

        let mut first: Option<[Vec<f32>; 2]> = None;
        for kernel in Kernel::supported() {
            let mut set = vec![f32::NAN; rows * outputs];
            let mut added = before.clone();
            int8::multiply(kernel, &x, &packed, Some(&bias), Output::Set, &mut set);
            int8::multiply(kernel, &x, &packed, None, Output::Add, &mut added);
            for (i, row) in floats.chunks(inputs).enumerate() {
                for j in 0..outputs {
                    let weights = &weights[j * inputs..][..inputs];
                    let products = row
                        .iter()
                        .zip(weights)
                        .map(|(&x, &w)| f64::from(x) * f64::from(w));
                    let exact = products.sum::<f64>() * f64::from(scales[j]);
                    // Half a step of the row's rounding (at most 1 of 4,000) for each weight.
                    let bound = 3.0 / 4_000.0 * 64.0 * inputs as f64 * f64::from(scales[j].abs());
                    let close = |ours: f32, exact: f64| {
                        assert!(
                            (f64::from(ours) - exact).abs() <= bound + 1e-5,
                            "{} {rows}x{inputs}x{outputs}: {ours} for {exact}",
                            kernel.name()
                        );
                    };
                    close(set[i * outputs + j], exact + f64::from(bias[j]));
                    close(
                        added[i * outputs + j],
                        exact + f64::from(before[i * outputs + j]),
                    );
                }
            }
            let results = [set, added];
            assert_eq!(
                *first.get_or_insert_with(|| results.clone()),
                results,
                "{}",
                kernel.name()
            );
        }
    }
}

/// All kernels agree bit for bit on int4, and with sums in f64 up to the rounding of
/// activations; rows come back as the file's own reader gives them.
#[test]
fn int4_products_are_right() {
    let random = &mut Random(5);
    let mut x = Activations::default();
    for [rows, inputs, outputs] in shapes() {
        let inputs = inputs.next_multiple_of(INT4_GROUP);
        let groups = outputs * inputs / INT4_GROUP;
        let floats: Vec<f32> = (0..rows * inputs).map(|_| random.float() * 3.0).collect();
        // Scales of 0.008 to 0.016, minima of -0.25 to -0.125, and of both signs.
        let halves = |random: &mut Random, exponent: u32| -> Vec<u16> {
            let one = |_| (exponent << 10) as u16 | (random.next() & 0x83ff) as u16;
            (0..groups).map(one).collect()
        };
        let matrix = Matrix {
            rows: outputs,
            cols: inputs,
            values: MatrixValues::Int4 {
                packed: (0..outputs * inputs / 2)
                    .map(|_| random.next() as u8)
                    .collect(),
                scales: halves(random, 8),
                minima: halves(random, 12),
            },
        };
        let MatrixValues::Int4 {
            packed,
            scales,
            minima,
        } = &matrix.values
        else {
            unreachable!()
        };
        let ours = PackedInt4::new(outputs, inputs, packed, scales, minima);
        x.quantize(Kernel::detect(), &floats, rows, inputs);
        let bias: Vec<f32> = (0..outputs).map(|_| random.float()).collect();
        let before: Vec<f32> = (0..rows * outputs).map(|_| random.float()).collect();
        let mut first: Option<[Vec<f32>; 2]> = None;
        for kernel in Kernel::supported() {
            let mut set = vec![f32::NAN; rows * outputs];
            let mut added = before.clone();
            int4::multiply(kernel, &x, &ours, Some(&bias), Output::Set, &mut set);
            int4::multiply(kernel, &x, &ours, None, Output::Add, &mut added);
            let (mut weights, mut again) = (vec![f32::NAN; inputs], vec![f32::NAN; inputs]);
            for (j, &bias) in bias.iter().enumerate() {
                matrix.row_into(j, &mut weights);
                ours.row_into(j, &mut again);
                assert_eq!(weights, again);
                let total: f64 = weights.iter().map(|w| f64::from(w.abs())).sum();
                for (i, row) in floats.chunks(inputs).enumerate() {
                    let products = row.iter().zip(&weights);
                    let exact: f64 = products.map(|(&x, &w)| f64::from(x) * f64::from(w)).sum();
                    // Half a step of the row's rounding (at most 1 of 4,000) for each weight.
                    let bound = 3.0 / 8_000.0 * total + 1e-5 * (1.0 + total);
                    let at = i * outputs + j;
                    for (ours, more) in [(set[at], bias), (added[at], before[at])] {
                        let difference = f64::from(ours) - exact - f64::from(more);
                        assert!(
                            difference.abs() <= bound,
                            "{} {rows}x{inputs}x{outputs}: off by {difference}",
                            kernel.name()
                        );
                    }
                }
            }
            let results = [set, added];
            assert_eq!(
                *first.get_or_insert_with(|| results.clone()),
                results,
                "{}",
                kernel.name()
            );
        }
    }
}

/// The widest rows with the largest values of one sign: what would overflow first.
#[test]
fn the_largest_sums_do_not_overflow() {
    for inputs in [512, 513, 864, 1024, 65_536] {
        let packed = PackedMatrix::new(1, inputs, &vec![-128; inputs], vec![1.0]);
        let mut x = Activations::default();
        x.quantize(Kernel::detect(), &vec![1.0; inputs], 1, inputs);
        for kernel in Kernel::supported() {
            let mut out = [0.0];
            int8::multiply(kernel, &x, &packed, None, Output::Set, &mut out);
            let exact = -128.0 * inputs as f32;
            assert!(
                (out[0] / exact - 1.0).abs() < 1e-6,
                "{} {inputs}: {}",
                kernel.name(),
                out[0]
            );
        }
    }
}

#[test]
fn packed_rows_come_back() {
    let random = &mut Random(2);
    for [rows, cols, _] in shapes() {
        let weights: Vec<i8> = (0..rows * cols).map(|_| random.next() as i8).collect();
        let packed = PackedMatrix::new(rows, cols, &weights, vec![0.5; rows]);
        let mut out = vec![f32::NAN; cols];
        for (row, weights) in weights.chunks(cols).enumerate() {
            packed.row_into(row, &mut out);
            assert!(
                out.iter()
                    .zip(weights)
                    .all(|(&out, &w)| out == f32::from(w) * 0.5)
            );
        }
    }
}

/// Strides wider than the rows; what lies between the rows is left alone.
#[test]
fn float_products_are_right_and_stay_in_their_place() {
    let random = &mut Random(4);
    for [rows, inner, cols] in shapes() {
        let strides = [
            inner + random.below(3),
            cols + random.below(3),
            cols + random.below(3),
        ];
        let a: Vec<f32> = (0..rows * strides[0]).map(|_| random.float()).collect();
        let b: Vec<f32> = (0..inner * strides[1]).map(|_| random.float()).collect();
        let mut first: Option<Vec<u32>> = None;
        for kernel in Kernel::supported() {
            let mut c = vec![-777.0; rows * strides[2]];
            float::multiply(
                kernel,
                Strided {
                    values: &a,
                    stride: strides[0],
                },
                Strided {
                    values: &b,
                    stride: strides[1],
                },
                &mut c,
                strides[2],
                [rows, inner, cols],
            );
            for (i, c) in c.chunks(strides[2]).enumerate() {
                for (j, &c) in c.iter().enumerate() {
                    let expected = match j < cols {
                        true => (0..inner)
                            .map(|l| a[i * strides[0] + l] * b[l * strides[1] + j])
                            .fold(0.0, |sum, product| sum + product),
                        false => -777.0,
                    };
                    assert_eq!(c, expected, "{} {rows}x{inner}x{cols}", kernel.name());
                }
            }
            let bits: Vec<u32> = c.iter().map(|c| c.to_bits()).collect();
            assert_eq!(*first.get_or_insert_with(|| bits.clone()), bits);
        }
    }
}
