//! Summaries against those of `lacuna_logits`, ties and numbers that are none included.

use super::case::{Bench, config, numbers, run, words};
use super::{Effort, KernelCheck};
use crate::buffer::GpuBuffer;
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::kernel::Precision;
use crate::random::Random;
use crate::recorder::Recorder;
use crate::stages::Ask;
use crate::summaries::{candidates, parse_row};
use crate::workspace::summary_words;
use lacuna_logits::{Noise, TokenSet, best_of, summarize};

/// Tokens, rows, candidates, threads.
const SHAPES: [[usize; 4]; 6] = [
    [1, 1, 1, 32],
    [2, 3, 0, 64],
    [33, 2, 33, 64],
    [257, 3, 9, 64],
    [2048, 2, 40, 256],
    [5003, 2, 8, 256],
];

pub(super) async fn verify(
    device: &GpuDevice,
    effort: Effort,
    checks: &mut Vec<KernelCheck>,
) -> Result<(), GpuError> {
    let random = &mut Random(4);
    let most = device.info().limits.threads as usize;
    for [tokens, rows, top, threads] in SHAPES {
        for noise in [None, Some(0.8f32)] {
            if effort == Effort::Quick && noise.is_some() == (top % 2 == 0) {
                continue;
            }
            let noise = noise.map(|temperature| Noise {
                temperature,
                seed: random.bits(),
                step: 7,
            });
            let shape = [tokens, rows, top, threads.min(most)];
            for subgroups in [false, true] {
                if !subgroups || device.info().subgroups {
                    checks.push(check(device, shape, noise, subgroups, random).await?);
                }
            }
        }
    }
    Ok(())
}

async fn check(
    device: &GpuDevice,
    [tokens, rows, top, threads]: [usize; 4],
    noise: Option<Noise>,
    subgroups: bool,
    random: &mut Random,
) -> Result<KernelCheck, GpuError> {
    let mut config = config(4, [1, 1], 2);
    config.vocab_size = tokens;
    let mut bench = Bench::new(&config, Precision::Single);
    bench.threads = threads as u32;
    bench.subgroups = subgroups;
    // Quarters, so that there are ties; and the first row has what is not finite.
    let mut logits: Vec<f32> = (0..rows * tokens)
        .map(|_| (40.0 * random.float()).round() / 4.0)
        .collect();
    for (logit, odd) in logits
        .iter_mut()
        .skip(3)
        .take(tokens.saturating_sub(4))
        .step_by(29)
        .zip(
            [f32::NAN, f32::NEG_INFINITY, -f32::NAN, f32::INFINITY, 1e38]
                .into_iter()
                .cycle(),
        )
    {
        *logit = odd;
    }
    let writable = TokenSet::from_fn(tokens, |token| token % 5 != 2);
    let allowed: Vec<TokenSet> = (0..rows)
        .map(|row| TokenSet::from_fn(tokens, |token| (token as usize).is_multiple_of(row + 1)))
        .collect();
    let stride = tokens.div_ceil(32);
    let masks: Vec<u32> = allowed
        .iter()
        .flat_map(|set| set.words().to_vec())
        .collect();
    // The rows in reverse, as if three rows before them were in another buffer.
    let jobs: Vec<u32> = (0..rows)
        .rev()
        .flat_map(|row| [row as u32 + 3, 100 + row as u32])
        .collect();
    let logits_buffer = numbers(device, &logits, Precision::Single).await?;
    let writable_buffer = words(device, writable.words()).await?;
    let allowed_buffer = words(device, &masks).await?;
    let jobs_buffer = words(device, &jobs).await?;
    let size = summary_words(top);
    let poison = vec![u32::MAX; (rows * size + 8).next_multiple_of(4)];
    let summaries: GpuBuffer = words(device, &poison).await?;
    let ask = Ask {
        top,
        noise,
        writable: &writable_buffer,
        allowed: &allowed_buffer,
        allowed_stride: stride,
        jobs: &jobs_buffer,
        summaries: &summaries,
    };
    let mut recorder = Recorder::new(device);
    let stages = bench.stages();
    stages.summarize(&mut recorder, &ask, &logits_buffer, 3, 0..rows)?;
    let bytes = run(device, &recorder, &summaries).await?;
    let found: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
    let stayed_within = found[rows * size..].iter().all(|&word| word == u32::MAX);

    let mut difference = 0.0f32;
    let mut differ = |gap: f32| {
        difference = difference.max(if gap.is_nan() { f32::INFINITY } else { gap });
    };
    for (job, words) in found[..rows * size].chunks_exact(size).enumerate() {
        let row = rows - 1 - job;
        let (logits, position) = (&logits[row * tokens..][..tokens], 100 + row as u32);
        let noise = noise.as_ref();
        let expected = summarize(logits, &writable, top, noise, position);
        let (summary, not_finite) = parse_row(words);
        let best = best_of(logits, &writable, &allowed[job], top, noise, position);
        let found = candidates(words);
        if not_finite as usize != logits.iter().filter(|logit| !logit.is_finite()).count()
            || summary.highest != expected.highest
            || found.len() != best.len()
        {
            differ(f32::INFINITY);
        }
        differ((summary.sum - expected.sum).abs() / expected.sum.max(1.0));
        differ((summary.entropy - expected.entropy).abs());
        for (found, best) in found.iter().zip(&best) {
            if (found.token, found.logit) != (best.token, best.logit) {
                differ(f32::INFINITY);
            }
            differ((found.score - best.score).abs() / best.score.abs().max(1.0));
        }
    }
    let kernel = recorder.dispatches()[0].kernel().name();
    let noisy = if noise.is_some() { ", with noise" } else { "" };
    Ok(KernelCheck {
        kernel,
        shape: format!("{rows} rows of {tokens}, the best {top}{noisy}"),
        difference,
        tolerance: 1e-5,
        stayed_within,
    })
}
