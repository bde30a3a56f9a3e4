//! Embedding, picked rows, rotation.

use super::KernelCheck;
use super::case::{Bench, Expected, config, numbers, precisions, rounded, words};
use super::project::linear;
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::kernel::{Format, Precision};
use crate::matrix::Stack;
use crate::random::Random;
use crate::recorder::Recorder;
use crate::stages::Rows;
use crate::workspace::turns;

pub(super) async fn verify(
    device: &GpuDevice,
    checks: &mut Vec<KernelCheck>,
) -> Result<(), GpuError> {
    let random = &mut Random(3);
    for format in [Format::Int8, Format::Int4, Format::Float] {
        for [length, ids, width] in [[1, 1, 32], [7, 50, 64], [70, 9, 288]] {
            checks.push(embed(device, format, [length, ids, width], random).await?);
        }
    }
    for [from, to, width] in [[1, 1, 16], [5, 9, 48], [100, 33, 272]] {
        checks.push(gather(device, [from, to, width], random).await?);
    }
    for precision in precisions(device) {
        for head_norm in [false, true] {
            for [length, heads, width] in [[1, 1, 2], [5, 3, 6], [9, 2, 130]] {
                let shape = [length, heads, width];
                checks.push(rotate(device, precision, head_norm, shape, random).await?);
            }
        }
    }
    Ok(())
}

async fn embed(
    device: &GpuDevice,
    format: Format,
    [length, tokens, width]: [usize; 3],
    random: &mut Random,
) -> Result<KernelCheck, GpuError> {
    let bench = Bench::new(&config(width, [1, 1], 2), Precision::Single);
    let table = linear(random, format, tokens, width);
    let matrix = Stack::of_matrix(&table.weight)
        .upload(device, "table")
        .await?;
    let ids: Vec<u32> = (0..length).map(|_| random.below(tokens) as u32).collect();
    let ids_buffer = words(device, &ids).await?;
    let stride = matrix.depth;
    let mut expected = Expected::nothing(length * stride, Precision::Single);
    for (row, &id) in ids.iter().enumerate() {
        let mut floats = vec![0.0; width];
        table.weight.row_into(id as usize, &mut floats);
        floats.resize(stride, 0.0);
        for (d, value) in floats.into_iter().enumerate() {
            expected.values[row * stride + d] = Some(value);
        }
    }
    let x = expected.poisoned(device, |_| None).await?;
    let mut recorder = Recorder::new(device);
    let rows = Rows::new(&x, length, stride);
    bench
        .stages()
        .embed(&mut recorder, &matrix, &ids_buffer, rows)?;
    let shape = format!("{length} of {tokens} tokens, {width} wide");
    // One multiplication, of int4 an addition as well.
    expected.compare(device, &recorder, &x, (shape, 2e-7)).await
}

async fn gather(
    device: &GpuDevice,
    [from, to, width]: [usize; 3],
    random: &mut Random,
) -> Result<KernelCheck, GpuError> {
    let bench = Bench::new(&config(width, [1, 1], 2), Precision::Single);
    let values = random.floats(from * width);
    let source = numbers(device, &values, Precision::Single).await?;
    // Rows of a source that begins with another one's fourth.
    let first = 3;
    let picked: Vec<u32> = (0..to + 2)
        .map(|_| (first + random.below(from)) as u32)
        .collect();
    let picked_buffer = words(device, &picked).await?;
    let mut expected = Expected::nothing(to * width, Precision::Single);
    for at in 0..to * width {
        let row = picked[2 + at / width] as usize - first;
        expected.values[at] = Some(values[row * width + at % width]);
    }
    let result = expected.poisoned(device, |_| None).await?;
    let mut recorder = Recorder::new(device);
    let rows = Rows::new(&result, to, width);
    bench
        .stages()
        .gather(&mut recorder, (&picked_buffer, 2), (&source, first), rows)?;
    let shape = format!("{to} of {from} rows, {width} wide");
    expected
        .compare(device, &recorder, &result, (shape, 0.0))
        .await
}

async fn rotate(
    device: &GpuDevice,
    precision: Precision,
    head_norm: bool,
    [length, heads, width]: [usize; 3],
    random: &mut Random,
) -> Result<KernelCheck, GpuError> {
    let mut config = config(4, [heads, 1], width);
    config.qk_norm = head_norm;
    let bench = Bench::new(&config, precision);
    let layout = &bench.layout;
    let (stride, half) = (layout.head_stride, width / 2);
    let row_stride = layout.heads_stride();
    let positions: Vec<u32> = (0..length + 1).map(|_| random.below(90) as u32).collect();
    let turn = turns(layout, 90);
    let norms: Vec<f32> = (0..2 * width).map(|_| 1.0 + 0.3 * random.float()).collect();
    // The first row is another's.
    let before: Vec<f32> = (0..(1 + length) * row_stride)
        .map(|_| rounded(random.float(), precision))
        .collect();
    // All heads of queries but the first, and the one of keys.
    let which = heads.min(2) - 1..heads + 1;
    let mut expected = Expected::nothing(before.len(), precision);
    for (row, head) in (0..length).flat_map(|row| (0..heads + 1).map(move |head| (row, head))) {
        let start = (1 + row) * row_stride + head * stride;
        let numbers = &before[start..start + width];
        let squares: f64 = numbers.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        let scale = 1.0 / (squares / width as f64 + 1e-5).sqrt();
        let norm = &norms[if head < heads { 0 } else { width }..];
        let factor = |d: usize| match head_norm {
            true => f64::from(numbers[d]) * scale * f64::from(norm[d]),
            false => f64::from(numbers[d]),
        };
        for d in 0..half {
            let (low, high) = (factor(d), factor(d + half));
            let [cos, sin] = turn[positions[row + 1] as usize * half + d].map(f64::from);
            let turned = match which.contains(&head) {
                true => [low * cos - high * sin, high * cos + low * sin],
                false => [numbers[d], numbers[d + half]].map(f64::from),
            };
            expected.values[start + d] = Some(turned[0] as f32);
            expected.values[start + d + half] = Some(turned[1] as f32);
        }
    }
    let values = &expected.values;
    let was = |at: usize| values[at].and(before.get(at).copied());
    let result = expected.poisoned(device, was).await?;
    let position_buffer = words(device, &positions).await?;
    let turn_buffer = numbers(device, bytemuck::cast_slice(&turn), Precision::Single).await?;
    let norm_buffer = numbers(device, &norms, Precision::Single).await?;
    let mut recorder = Recorder::new(device);
    bench.stages().rotate(
        &mut recorder,
        (&position_buffer, 1),
        &turn_buffer,
        &norm_buffer,
        which.clone(),
        Rows {
            first: 1,
            ..Rows::new(&result, length, row_stride)
        },
    )?;
    let tolerance = match precision {
        Precision::Single => 2e-6,
        Precision::Half => 3e-3,
    };
    let shape = format!(
        "{length} rows, heads {which:?} of {}, {width} wide",
        heads + 1
    );
    expected
        .compare(device, &recorder, &result, (shape, tolerance))
        .await
}
