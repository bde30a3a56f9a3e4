//! Where a step's time goes.

use crate::buffer::{GpuBuffer, Use};
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::readback::{read, take};
use crate::recorder::{Bindings, Cost, Recorder};
use serde::Serialize;

/// The time and the cost of one stage, over all blocks.
#[derive(Clone, Debug, Serialize)]
pub struct StageProfile {
    /// The stage.
    pub name: &'static str,
    /// Microseconds on the card.
    pub micros: f64,
    /// Dispatches.
    pub dispatches: usize,
    /// Multiplications and additions.
    pub operations: u64,
    /// Bytes that must move at least once.
    pub bytes: u64,
}

/// A step, stage by stage. Dispatches are timed one by one, each in a pass of its own, so that
/// their sum is above what the step takes as one pass.
#[derive(Clone, Debug, Serialize)]
pub struct StepProfile {
    /// The stages in the order of their first dispatch.
    pub stages: Vec<StageProfile>,
    /// Microseconds of all of them.
    pub micros: f64,
    /// Dispatches of all of them.
    pub dispatches: usize,
    /// Operations of all of them.
    pub operations: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl StepProfile {
    /// From the dispatches and the microseconds of each.
    pub(crate) fn new(recorder: &Recorder<'_>, micros: &[f64]) -> Self {
        let mut profile = Self {
            stages: Vec::new(),
            micros: 0.0,
            dispatches: 0,
            operations: 0,
            bytes: 0,
        };
        for (dispatch, &micros) in recorder.dispatches().iter().zip(micros) {
            let name = dispatch.kernel().stage();
            let Cost { operations, bytes } = dispatch.cost;
            profile.micros += micros;
            profile.dispatches += 1;
            profile.operations += operations;
            profile.bytes += bytes;
            let at = profile.stages.iter().position(|stage| stage.name == name);
            let at = at.unwrap_or_else(|| {
                profile.stages.push(StageProfile {
                    name,
                    micros: 0.0,
                    dispatches: 0,
                    operations: 0,
                    bytes: 0,
                });
                profile.stages.len() - 1
            });
            let stage = &mut profile.stages[at];
            stage.micros += micros;
            stage.dispatches += 1;
            stage.operations += operations;
            stage.bytes += bytes;
        }
        profile
    }
}

/// Runs the dispatches at these places, pass by pass: microseconds of each pass, in order; none
/// where the adapter has no timestamps, or not for as many passes.
pub(crate) async fn timed(
    device: &GpuDevice,
    recorder: &Recorder<'_>,
    bindings: &mut Bindings,
    passes: &[Vec<usize>],
) -> Result<Option<Vec<f64>>, GpuError> {
    let count = 2 * passes.len() as u32;
    if !device.info().timestamps || count > wgpu::QUERY_SET_MAX_QUERIES || count == 0 {
        return Ok(None);
    }
    let micros = timestamps(device, recorder, bindings, passes).await?;
    Ok(Some(micros))
}

/// Microseconds of all that was recorded, as one pass: by the card's timestamps where it has
/// any, and by the clock from submission to answer where not.
pub(crate) async fn whole(
    device: &GpuDevice,
    recorder: &Recorder<'_>,
    bindings: &mut Bindings,
    clock: &dyn Fn() -> f64,
) -> Result<f64, GpuError> {
    if device.info().timestamps {
        let micros = timestamps(device, recorder, bindings, &recorder.as_one_pass()).await?;
        return Ok(micros.iter().sum());
    }
    let readback = GpuBuffer::new(device, "readback", 4, Use::Readback).await?;
    let source = GpuBuffer::storage(device, "nothing", 4).await?;
    let start = clock();
    read(device, recorder, bindings, &source, &readback, 1).await?;
    Ok(clock() - start)
}

async fn timestamps(
    device: &GpuDevice,
    recorder: &Recorder<'_>,
    bindings: &mut Bindings,
    passes: &[Vec<usize>],
) -> Result<Vec<f64>, GpuError> {
    device.check()?;
    let count = 2 * passes.len() as u32;
    let queries = device.raw().create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count,
    });
    let bytes = 8 * u64::from(count);
    let resolved = GpuBuffer::new(device, "timestamps", bytes, Use::Timestamps).await?;
    let readback = GpuBuffer::new(device, "timestamps", bytes, Use::Readback).await?;
    let mut encoder = device
        .raw()
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    recorder
        .encode(bindings, &mut encoder, passes, Some(&queries))
        .await?;
    encoder.resolve_query_set(&queries, 0..count, resolved.raw(), 0);
    encoder.copy_buffer_to_buffer(resolved.raw(), 0, readback.raw(), 0, bytes);
    let ticks: Vec<u64> = take(device, encoder, &readback, bytes).await?;
    let micros = f64::from(device.queue().get_timestamp_period()) / 1000.0;
    let times = ticks.as_chunks::<2>().0.iter();
    Ok(times
        .map(|[begin, end]| end.saturating_sub(*begin) as f64 * micros)
        .collect())
}
