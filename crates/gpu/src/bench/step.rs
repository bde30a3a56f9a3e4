//! Steps of a model against the floor that the card's own rates put under them.

use super::{Clock, MachineRates, random_weights};
use crate::device::GpuDevice;
use crate::kernel::{Format, Precision};
use crate::profile::StepProfile;
use crate::transformer::{GpuTransformer, TransformerOptions};
use lacuna_logits::TokenSet;
use lacuna_model::{ForwardError, ForwardPass, Kept, ModelConfig, StepRequest, WeightFormat};
use serde::Serialize;

/// The time of a step, and what it is to be compared with.
#[derive(Clone, Debug, Serialize)]
pub struct StepBench {
    /// Of the model.
    pub parameters: usize,
    /// Prompt and canvas.
    pub length: usize,
    /// Wanted rows.
    pub rows: usize,
    /// Activations are f16.
    pub half: bool,
    /// Median microseconds of a step, from call to answer.
    pub step_micros: f64,
    /// The fastest of them.
    pub fastest_micros: f64,
    /// The slowest of them.
    pub slowest_micros: f64,
    /// Median microseconds of a step of the dual cache: the last quarter of the positions is
    /// computed and wanted, and the others' keys and values are kept.
    pub kept_micros: f64,
    /// Microseconds of a step before tuning, the fastest of a few.
    pub untuned_micros: f64,
    /// What tuning found, if anything: see [`GpuTransformer::tuning`].
    pub tuning: String,
    /// Bytes on the card while it runs.
    pub live_bytes: u64,
    /// Where the time goes; none without timestamps.
    pub profile: Option<StepProfile>,
    /// The least that such a step could take; none without a profile.
    pub floor: Option<Floor>,
}

/// The least that a step could take on a card, in microseconds: the largest of three.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Floor {
    /// Its bytes at the rate of a copy.
    pub bytes_micros: f64,
    /// Its operations at the rate of the best matrix product.
    pub operations_micros: f64,
    /// Its dispatches, if they did nothing.
    pub dispatch_micros: f64,
    /// The largest.
    pub micros: f64,
}

/// Loads random weights of this shape, tunes, and times steps in which the last `rows` of
/// `length` positions are wanted.
///
/// # Errors
/// [`ForwardError`].
pub async fn bench_step(
    device: &GpuDevice,
    config: &ModelConfig,
    half: bool,
    [length, rows]: [usize; 2],
    rates: &MachineRates,
    clock: Clock<'_>,
) -> Result<StepBench, ForwardError> {
    const STEPS: usize = 9;
    const UNTUNED_STEPS: usize = 3;
    let weights = random_weights(config, 1);
    let options = TransformerOptions { half, tuning: None };
    let mut model = GpuTransformer::new(device, &weights, &options).await?;
    drop(weights);
    let vocab = config.vocab_size;
    let ids: Vec<u32> = (0..length).map(|at| (at * 37 % vocab) as u32).collect();
    let wanted: Vec<usize> = (length.saturating_sub(rows)..length).collect();
    let writable = TokenSet::from_fn(vocab, |_| true);
    let request = StepRequest {
        ids: &ids,
        rows: &wanted,
        writable: &writable,
        top: 16,
        noise: None,
        kept: None,
    };
    let untuned = times_of(&mut model, &request, UNTUNED_STEPS, clock).await?;
    model.tune(&request).await?;
    let times = times_of(&mut model, &request, STEPS, clock).await?;
    let live_bytes = device.live_bytes();
    let profile = model.profile(&request).await?;
    let kept = times_of_kept(&mut model, &request, STEPS, clock).await?;
    let precision = match model.is_half() {
        true => Precision::Half,
        false => Precision::Single,
    };
    let format = match config.quantization {
        None => Format::Float,
        Some(WeightFormat::Int8) => Format::Int8,
        Some(WeightFormat::Int4) => Format::Int4,
    };
    let floor = profile.as_ref().and_then(|profile| {
        let rate = rates.best_product(format, precision)?;
        let bytes_micros = profile.bytes as f64 / rates.copy_bytes_per_second * 1e6;
        let operations_micros = profile.operations as f64 / rate.operations_per_second * 1e6;
        let dispatch_micros = profile.dispatches as f64 * rates.idle_dispatch_micros;
        Some(Floor {
            bytes_micros,
            operations_micros,
            dispatch_micros,
            micros: bytes_micros.max(operations_micros).max(dispatch_micros),
        })
    });
    Ok(StepBench {
        parameters: config.parameter_count(),
        length,
        rows: wanted.len(),
        half: model.is_half(),
        step_micros: times[STEPS / 2],
        fastest_micros: times[0],
        slowest_micros: times[STEPS - 1],
        kept_micros: kept[STEPS / 2],
        untuned_micros: untuned[0],
        tuning: model.tuning().unwrap_or_default(),
        live_bytes,
        profile,
        floor,
    })
}

/// As [`times_of`], of steps that compute the last quarter of the positions.
async fn times_of_kept(
    model: &mut GpuTransformer,
    request: &StepRequest<'_>,
    steps: usize,
    clock: Clock<'_>,
) -> Result<Vec<f64>, ForwardError> {
    let end = request.ids.len();
    let start = end - end.div_ceil(4);
    let rows: Vec<usize> = (start..end).collect();
    // Another token, so that what is kept is of another input.
    let mut earlier = request.ids.to_vec();
    earlier[start] = (earlier[start] + 1) % model.config().vocab_size as u32;
    let request = StepRequest {
        rows: &rows,
        kept: Some(Kept {
            ids: &earlier,
            start,
            end,
        }),
        ..*request
    };
    model.tune(&request).await?;
    times_of(model, &request, steps, clock).await
}

/// Microseconds of steps, the fastest first, after one that compiles and makes room.
async fn times_of(
    model: &mut GpuTransformer,
    request: &StepRequest<'_>,
    steps: usize,
    clock: Clock<'_>,
) -> Result<Vec<f64>, ForwardError> {
    model.step(request).await?;
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let start = clock();
        model.step(request).await?;
        times.push(clock() - start);
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}
