//! What can go wrong on a card, told apart by what the caller can do about it.

use crate::template::TemplateError;
use lacuna_model::pass::{DeviceFault, ForwardError};
use std::fmt;
use thiserror::Error;

/// Memory that is not there, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoMemory {
    /// What the memory is for.
    pub what: String,
    /// Bytes that it needs.
    pub needed: Option<u64>,
    /// Bytes of them that could not be had; WebGPU does not say how many there are.
    pub missing: Option<u64>,
    /// Bytes that were allocated before.
    pub allocated: u64,
    /// Bytes that the model takes in all, with the step under way or, while it is loaded, the
    /// shortest.
    pub planned: Option<u64>,
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = &self.what;
        match self.needed {
            Some(needed) => write!(f, "{what} needs {needed} bytes on the card")?,
            None => write!(f, "the card has no memory left for {what}")?,
        }
        if let Some(missing) = self.missing {
            write!(f, ", {missing} more than there are")?;
        }
        if self.allocated > 0 {
            write!(f, "; {} bytes were allocated before", self.allocated)?;
        }
        match self.planned {
            Some(planned) => write!(f, "; the model takes {planned} in all"),
            None => Ok(()),
        }
    }
}

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
    #[error("{0}")]
    OutOfMemory(NoMemory),
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

impl GpuError {
    /// The same, with what the model takes in all where that is too much and not yet known.
    pub(crate) fn of_a_model(mut self, planned: impl FnOnce() -> Option<u64>) -> Self {
        if let Self::OutOfMemory(memory) = &mut self {
            memory.planned = memory.planned.or_else(planned);
        }
        self
    }
}

impl From<GpuError> for ForwardError {
    fn from(error: GpuError) -> Self {
        let kind = match &error {
            GpuError::Lost { .. } => DeviceFault::Lost,
            GpuError::OutOfMemory(_) => DeviceFault::OutOfMemory,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_memory_is_told_as_far_as_it_is_known() {
        let memory = NoMemory {
            what: "logits".to_owned(),
            needed: Some(80),
            missing: Some(30),
            allocated: 50,
            planned: None,
        };
        let first = GpuError::OutOfMemory(memory).of_a_model(|| Some(200));
        let both = first.clone().of_a_model(|| Some(300));
        assert_eq!(both, first);
        assert_eq!(
            first.to_string(),
            "logits needs 80 bytes on the card, 30 more than there are; 50 bytes were allocated \
             before; the model takes 200 in all"
        );
        let unknown = GpuError::OutOfMemory(NoMemory {
            what: "an allocation".to_owned(),
            ..NoMemory::default()
        });
        assert_eq!(
            unknown.to_string(),
            "the card has no memory left for an allocation"
        );
    }
}
