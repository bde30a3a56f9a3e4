//! What is measured of a model's steps, the same natively and in browsers: the pass on the
//! processor against its own innermost loop, steps on a graphics card against the floor that
//! the card's rates put under them, and the transformer as an ONNX file, so that another
//! runtime can be timed beside this one.
//!
//! Nothing here reads a clock but the one it is handed ([`Clock`]), and nothing prints:
//! `lacuna bench` and the page for benchmarks make tables of these numbers.

pub mod cpu;
pub mod gpu;
pub mod markdown;
pub mod onnx;
mod plan;
mod times;

pub use lacuna_gpu::bench::{Clock, ModelSize, model_config, random_weights};
pub use plan::{BenchFormat, UnknownName, size_name, size_named};
pub use times::Times;
