//! Attention: all blocks that fit, shared keys, heads that are no whole vectors.

use super::case::{Bench, Expected, config, numbers, precisions, rounded};
use super::{Effort, KernelCheck};
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::kernel::{AttendBlock, Precision};
use crate::random::Random;
use crate::recorder::Recorder;
use crate::stages::Rows;

/// Queries, keys, heads of each, width of a head.
const SHAPES: [[usize; 5]; 6] = [
    [1, 1, 1, 1, 2],
    [3, 35, 4, 2, 6],
    [17, 9, 2, 1, 64],
    [33, 70, 3, 3, 34],
    [40, 65, 2, 2, 128],
    [5, 40, 1, 1, 132],
];

pub(super) async fn verify(
    device: &GpuDevice,
    effort: Effort,
    checks: &mut Vec<KernelCheck>,
) -> Result<(), GpuError> {
    let random = &mut Random(2);
    let bytes = device.info().limits.workgroup_bytes;
    for precision in precisions(device) {
        for shape in SHAPES {
            let head4 = (shape[4] as u32).div_ceil(4);
            let Some(largest) = AttendBlock::largest_within(bytes, head4, precision) else {
                continue;
            };
            let blocks = AttendBlock::ALL.into_iter();
            for block in blocks.skip_while(|block| *block != largest) {
                if effort == Effort::Thorough || block == largest {
                    checks.push(check(device, shape, block, precision, random).await?);
                }
            }
        }
    }
    Ok(())
}

async fn check(
    device: &GpuDevice,
    [queries, keys, query_heads, key_heads, width]: [usize; 5],
    block: AttendBlock,
    precision: Precision,
    random: &mut Random,
) -> Result<KernelCheck, GpuError> {
    let mut bench = Bench::new(&config(4, [query_heads, key_heads], width), precision);
    bench.block = block;
    let layout = &bench.layout;
    let (stride, pair_stride) = (layout.head_stride, layout.heads_stride());
    // Heads of random numbers, three times as large as usual so that the softmax is sharp in
    // places; what pads them is zero.
    let mut heads = |rows: usize, columns: usize| -> Vec<f32> {
        (0..rows * columns)
            .map(|at| match at % stride < width {
                true => rounded(3.0 * random.float(), precision),
                false => 0.0,
            })
            .collect()
    };
    // The queries begin two rows late.
    let query = heads(2 + queries, layout.query_columns);
    let pairs = heads(keys, pair_stride);
    let query_buffer = numbers(device, &query, precision).await?;
    let pair_buffer = numbers(device, &pairs, precision).await?;
    let mixed_stride = layout.mixed_stride + 4;
    let mut expected = Expected::nothing(queries * mixed_stride, precision);
    for row in 0..queries {
        for head in 0..query_heads {
            let shared = head * key_heads / query_heads;
            let q = &query[(2 + row) * layout.query_columns + head * stride..][..width];
            let key = layout.query_columns + shared * stride;
            let value = key + layout.key_columns;
            let scores: Vec<f64> = (0..keys)
                .map(|at| {
                    let k = &pairs[at * pair_stride + key..][..width];
                    let dot: f64 = q.iter().zip(k).map(|(a, b)| f64::from(a * b)).sum();
                    dot / (width as f64).sqrt()
                })
                .collect();
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = scores.iter().map(|score| (score - most).exp()).sum();
            for d in 0..stride {
                let terms = scores.iter().enumerate().map(|(at, score)| {
                    (score - most).exp() / total * f64::from(pairs[at * pair_stride + value + d])
                });
                let at = row * mixed_stride + head * stride + d;
                expected.values[at] = Some(terms.sum::<f64>() as f32);
            }
        }
    }
    let mixed = expected.poisoned(device, |_| None).await?;
    let mut recorder = Recorder::new(device);
    bench.stages().attend(
        &mut recorder,
        Rows {
            first: 2,
            ..Rows::new(&query_buffer, queries, layout.query_columns)
        },
        Rows::new(&pair_buffer, keys, pair_stride),
        Rows::new(&mixed, queries, mixed_stride),
    )?;
    let tolerance = match precision {
        Precision::Single => 2e-5,
        Precision::Half => 4e-3,
    };
    let shape =
        format!("{queries} queries, {keys} keys, {query_heads} and {key_heads} heads of {width}");
    expected
        .compare(device, &recorder, &mixed, (shape, tolerance))
        .await
}
