//! Steps on a graphics card: the card's own rates, then every configuration asked for.
//!
//! A configuration that cannot be measured stays in the report with the reason, and does not
//! keep the others from being measured: after a fault the next one gets a fresh device.

use crate::{BenchFormat, Clock};
use lacuna_gpu::bench::{
    MachineRates, ModelSize, RateOptions, StepBench, bench_step, measure_rates, model_config,
};
use lacuna_gpu::{DeviceInfo, DeviceOptions, GpuDevice, GpuError, MemoryPlan, StepSize};
use lacuna_model::{ForwardError, ModelConfig};
use serde::Serialize;

/// What is to be measured; what is none is chosen by the adapter.
#[derive(Clone, Debug, Default)]
pub struct GpuPlan {
    /// Models.
    pub sizes: Option<Vec<ModelSize>>,
    /// Cells of the canvas, half of them wanted.
    pub canvases: Option<Vec<usize>>,
    /// Of the weights.
    pub formats: Option<Vec<BenchFormat>>,
    /// Bytes that may be allocated on the card; none for as many as there are.
    pub memory: Option<u64>,
}

/// All that was measured of a card.
#[derive(Clone, Debug, Serialize)]
pub struct GpuReport {
    /// The card.
    pub adapter: DeviceInfo,
    /// What it does in a second.
    pub rates: MachineRates,
    /// One for each configuration.
    pub steps: Vec<StepEntry>,
}

/// One configuration.
#[derive(Clone, Debug, Serialize)]
pub struct StepEntry {
    /// The model.
    pub size: ModelSize,
    /// Of the weights.
    pub format: BenchFormat,
    /// Activations are f16.
    pub half: bool,
    /// Cells.
    pub canvas: usize,
    /// Why there is no measurement.
    pub skipped: Option<String>,
    /// The measurement.
    pub step: Option<StepBench>,
    /// The median step as a multiple of its floor; none without timestamps.
    pub of_floor: Option<f64>,
}

/// Measures a card and steps on it; `tell` is told what is done next.
///
/// # Errors
/// There is no adapter, or not even its rates can be measured.
pub async fn measure(
    plan: &GpuPlan,
    clock: Clock<'_>,
    tell: &dyn Fn(&str),
) -> Result<GpuReport, GpuError> {
    // What is measured of the card itself is not to fit the bound on models.
    let mut device = GpuDevice::request(DeviceOptions::default()).await?;
    let adapter = device.info().clone();
    tell(&format!("rates of {}", adapter.name));
    let rates = measure_rates(&device, &rate_options(&adapter), clock).await?;
    let options = DeviceOptions {
        memory: plan.memory,
        ..DeviceOptions::default()
    };
    if plan.memory.is_some() {
        device = GpuDevice::request(options.clone()).await?;
    }
    let mut steps = Vec::new();
    for (size, format, half, canvas) in configurations(plan, &adapter) {
        if device.fault().is_some() {
            device = GpuDevice::request(options.clone()).await?;
        }
        let mut entry = StepEntry {
            size,
            format,
            half,
            canvas,
            skipped: None,
            step: None,
            of_floor: None,
        };
        tell(&format!("{size:?} {format}, canvas of {canvas}"));
        match step(&device, (&entry, plan), &rates, clock).await {
            Ok(step) => {
                entry.of_floor = step.floor.map(|floor| step.step_micros / floor.micros);
                entry.step = Some(step);
            }
            Err(error) => entry.skipped = Some(error.to_string()),
        }
        steps.push(entry);
    }
    Ok(GpuReport {
        adapter,
        rates,
        steps,
    })
}

/// Steps of one configuration, if the card has room for it.
async fn step(
    device: &GpuDevice,
    (entry, plan): (&StepEntry, &GpuPlan),
    rates: &MachineRates,
    clock: Clock<'_>,
) -> Result<StepBench, ForwardError> {
    let config = model_config(entry.size, entry.format.weight_format());
    let size = [entry.canvas, (entry.canvas / 2).max(1)];
    require_room(device, (&config, entry.half), size, plan.memory)?;
    bench_step(device, &config, entry.half, size, rates, clock).await
}

fn require_room(
    device: &GpuDevice,
    (config, half): (&ModelConfig, bool),
    [length, rows]: [usize; 2],
    memory: Option<u64>,
) -> Result<(), GpuError> {
    let step = StepSize {
        length,
        rows,
        top: 16,
        kept: true,
    };
    let plan = MemoryPlan::for_model(config, half, step, &device.info().limits)?;
    memory.map_or(Ok(()), |bytes| plan.fits(bytes))
}

fn configurations(
    plan: &GpuPlan,
    adapter: &DeviceInfo,
) -> Vec<(ModelSize, BenchFormat, bool, usize)> {
    // A processor that pretends to be a card would take hours for all.
    let (sizes, canvases) = match adapter.software {
        true => (vec![ModelSize::M10], vec![64]),
        false => (ModelSize::ALL.to_vec(), vec![64, 128, 256, 512]),
    };
    let sizes = plan.sizes.clone().unwrap_or(sizes);
    let canvases = plan.canvases.clone().unwrap_or(canvases);
    let formats = [BenchFormat::Int8, BenchFormat::Int4];
    let formats = plan.formats.clone().unwrap_or(formats.to_vec());
    let halves: &[bool] = match adapter.f16 && !adapter.software {
        true => &[false, true],
        false => &[false],
    };
    let mut all = Vec::new();
    for &size in &sizes {
        for &format in &formats {
            for &half in halves {
                all.extend(canvases.iter().map(|&canvas| (size, format, half, canvas)));
            }
        }
    }
    all
}

fn rate_options(adapter: &DeviceInfo) -> RateOptions {
    match adapter.software {
        true => RateOptions {
            copy_bytes: 1 << 22,
            side: 128,
            long_enough: 2_000.0,
        },
        false => RateOptions::default(),
    }
}
