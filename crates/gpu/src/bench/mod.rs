//! Measurements of a card and of steps on it, as numbers that a program can read.
//!
//! What a step can be compared with is measured in the same run: the bytes that a copy moves in
//! a second, the plain rate of f32 (multiply-adds between registers: what a matrix product would
//! reach if reading cost nothing), matrix products of the kernels here, and a dispatch that does
//! nothing.

mod models;
mod rates;
mod step;

pub use models::{ModelSize, model_config, random_weights};
pub use rates::{MachineRates, ProductRate, RateOptions, measure_rates};
pub use step::{Floor, StepBench, bench_step};

use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::profile::whole;
use crate::recorder::{Bindings, Recorder};

/// The time now, in microseconds from any beginning; a crate that runs in browsers has no clock
/// of its own.
pub type Clock<'a> = &'a dyn Fn() -> f64;

/// Microseconds of what `record` records, once: repeated until all of it takes `long_enough`.
async fn micros_of<'a>(
    device: &'a GpuDevice,
    (clock, long_enough): (Clock<'_>, f64),
    mut record: impl FnMut(&mut Recorder<'a>) -> Result<(), GpuError>,
) -> Result<f64, GpuError> {
    const MOST: usize = 1 << 12;
    let mut bindings = Bindings::default();
    let mut repetitions = 1;
    // The first run compiles.
    let mut warm = false;
    loop {
        let mut recorder = Recorder::new(device);
        for _ in 0..repetitions {
            record(&mut recorder)?;
        }
        let micros = whole(device, &recorder, &mut bindings, clock).await?;
        if warm && (micros >= long_enough || repetitions >= MOST) {
            return Ok(micros / repetitions as f64);
        }
        if warm {
            repetitions *= 4;
        }
        warm = true;
    }
}
