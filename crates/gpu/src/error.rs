//! What can go wrong on a card, told apart by what the caller can do about it.

use crate::template::TemplateError;
use lacuna_model::pass::{DeviceFault, ForwardError};
use thiserror::Error;

/// A fault of the card or of what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GpuError {
    /// There is no adapter, or none that computes.
    #[error("no WebGPU adapter: {reason}")]
    NoAdapter {
        /// What the system said.
        reason: String,
    },
    /// The device is gone: reset, unplugged, or destroyed.
    #[error("the device was lost: {reason}")]
    Lost {
        /// What the system said.
        reason: String,
    },
    /// The card has not as much memory as is needed, or is not allowed that much.
    #[error("{what} needs {needed} bytes on the card, {missing} more than there are")]
    OutOfMemory {
        /// What the memory is for.
        what: String,
        /// Bytes in all.
        needed: u64,
        /// Bytes of them that could not be had.
        missing: u64,
    },
    /// The model does not fit the adapter's limits, however it is split.
    #[error("{what} takes {needed}, the adapter allows {allowed}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// What it takes.
        needed: u64,
        /// What there is.
        allowed: u64,
    },
    /// The card did not answer in time.
    #[error("the device did not answer within {seconds} seconds")]
    TimedOut {
        /// How long it had.
        seconds: u64,
    },
    /// The implementation refused a call: a defect here or in a driver.
    #[error("the device refused a call: {message}")]
    Validation {
        /// What it said.
        message: String,
    },
    /// A shader's file that is not written as it should be.
    #[error("shader {name}: {error}")]
    Shader {
        /// The kernel.
        name: String,
        /// What is wrong with it.
        error: TemplateError,
    },
}

impl From<GpuError> for ForwardError {
    fn from(error: GpuError) -> Self {
        let kind = match &error {
            GpuError::Lost { .. } => DeviceFault::Lost,
            GpuError::OutOfMemory { .. } => DeviceFault::OutOfMemory,
            GpuError::TimedOut { .. } => DeviceFault::TimedOut,
            GpuError::NoAdapter { .. }
            | GpuError::TooLarge { .. }
            | GpuError::Validation { .. }
            | GpuError::Shader { .. } => DeviceFault::Other,
        };
        Self::Device {
            kind,
            message: error.to_string(),
        }
    }
}
