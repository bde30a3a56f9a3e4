//! Every kernel against its twin on the CPU, as a part of the library: drivers differ, and so a
//! browser's page can ask its own card, not only the tests theirs.
//!
//! Shapes are awkward on purpose: one, odd, not a multiple of any tile, several tiles. Inputs
//! are random. Whatever a kernel may write is poisoned first, with a margin around what it
//! should write: there must be no poison within, and nothing but poison without.

mod attend;
mod case;
mod project;
mod small_stages;
mod summarize;

use crate::device::GpuDevice;
use crate::error::GpuError;
use serde::Serialize;

/// How much is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Every kernel, few shapes: seconds on a processor that pretends to be a card.
    Quick,
    /// Every variant that the adapter can run.
    Thorough,
}

/// What one kernel did at one shape.
#[derive(Clone, Debug, Serialize)]
pub struct KernelCheck {
    /// The variant.
    pub kernel: String,
    /// What it was given.
    pub shape: String,
    /// The largest difference from the twin; infinite where there was poison or no number.
    pub difference: f32,
    /// The largest that rounding explains.
    pub tolerance: f32,
    /// It wrote only where it should.
    pub stayed_within: bool,
}

impl KernelCheck {
    /// Whether all is well.
    pub fn passed(&self) -> bool {
        self.stayed_within && self.difference <= self.tolerance
    }
}

/// Checks every kernel on this device.
///
/// # Errors
/// Faults of the device; a kernel that computes something else is no error but a
/// [`KernelCheck`] that did not pass.
pub async fn verify_kernels(
    device: &GpuDevice,
    effort: Effort,
) -> Result<Vec<KernelCheck>, GpuError> {
    let mut checks = Vec::new();
    project::verify(device, effort, &mut checks).await?;
    attend::verify(device, effort, &mut checks).await?;
    small_stages::verify(device, &mut checks).await?;
    summarize::verify(device, effort, &mut checks).await?;
    Ok(checks)
}
