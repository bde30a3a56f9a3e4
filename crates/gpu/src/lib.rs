//! The forward pass on WebGPU: in the browser, and natively through Vulkan, Metal or Direct3D.
//!
//! [`GpuTransformer`] is a [`lacuna_model::ForwardPass`] like the CPU's: the same weights, the
//! same answers up to rounding.
//!
//! ```no_run
//! # async fn example(weights: lacuna_model::Weights) -> Result<(), Box<dyn std::error::Error>> {
//! use lacuna_gpu::{DeviceOptions, GpuDevice, GpuTransformer, TransformerOptions};
//! use lacuna_logits::TokenSet;
//! use lacuna_model::{ForwardPass, StepRequest};
//!
//! let device = GpuDevice::request(DeviceOptions::default()).await?;
//! let mut model = GpuTransformer::new(&device, &weights, &TransformerOptions::default()).await?;
//! let writable = TokenSet::from_fn(weights.config.vocab_size, |token| token > 1);
//! let request = StepRequest {
//!     ids: &[5, 1, 1],
//!     rows: &[1, 2],
//!     writable: &writable,
//!     top: 8,
//!     noise: None,
//!     kept: None,
//! };
//! let summaries = model.step(&request).await?;
//! # Ok(())
//! # }
//! ```
//!
//! A fault of the device is a [`lacuna_model::ForwardError::Device`]; the transformer is of no
//! more use then, and a fresh device or the CPU takes over. Dropping a transformer frees all it
//! had on the card.
//!
//! A driver may be wrong: [`verify_kernels`] compares every kernel with its twin on the CPU on
//! whatever device it is given, and [`mod@bench`] measures what the device does in a second.
//!
//! Where the adapter has no subgroup operations, no half precision or no timestamps, nothing is
//! missing but speed: kernels have variants without. wgpu's browser back end does not pass
//! subgroups on, so they are used natively only. Int4 weights need `unpack2x16float`, which WGSL
//! has everywhere and a Vulkan driver without `shaderFloat16` may not; loading such a model is an
//! error of the device there.
//!
//! ```text
//! device       adapter, faults, books        template ─▶ kernel ─▶ pipelines
//! matrix, model   weights on the card        shape    ─▶ stages ─▶ recorder
//! workspace    everything else of a step     transformer: the step
//! ```

pub mod bench;
mod buffer;
mod catalogue;
mod device;
mod error;
mod kernel;
mod layout;
mod loaded;
mod matrix;
mod memory;
mod model;
mod pipelines;
mod profile;
mod random;
mod readback;
mod recorder;
mod shape;
mod stages;
mod summaries;
mod template;
mod tile;
mod transformer;
mod tune;
mod verify;
mod workspace;

pub use catalogue::{all_kernels, all_sources};
pub use device::{DeviceInfo, DeviceOptions, GpuDevice, GpuLimits};
pub use error::{GpuError, NoMemory};
pub use kernel::{AttendBlock, Epilogue, Format, Kernel, Precision, Project, Tile};
pub use memory::{MemoryPlan, PlannedBuffers, StepSize};
pub use profile::{StageProfile, StepProfile};
pub use template::TemplateError;
pub use transformer::{GpuTransformer, TransformerOptions};
pub use verify::{Effort, KernelCheck, verify_kernels};
