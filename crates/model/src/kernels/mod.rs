//! The arithmetic under the forward pass, and the choice of instructions for it.
//!
//! Two products do nearly all the work: weights by 16-bit activations ([`int8`], and [`int4`]
//! which unpacks to it), and the f32 products of [`attention`]. Each has one loop structure
//! and one memory layout for all machines; only the innermost tile is written per instruction
//! set.
//!
//! Every kernel gives the same bits on every machine. Integer sums are exact in any order;
//! each f32 sum has a fixed order that does not depend on the vector width, without fused
//! multiply-add; and the exponential is our own. So a seed gives the same text in the
//! browser and on the command line.

#[macro_use]
mod dispatch;

pub mod activations;
pub mod attention;
pub mod elementwise;
pub mod float;
pub mod int4;
pub mod int8;
pub mod pack;
mod tile;
mod vector;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Rows of activations in a tile of [`int8`]; activations are padded to a multiple of it.
pub const TILE_ROWS: usize = 8;

/// Rows of a weight matrix (outputs) in a panel; weights are padded to a multiple of it.
pub const PANEL: usize = 32;

/// The instructions that the kernels use. A value is proof that this machine has them, which
/// is why there is no way to make one but to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Scalar,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
}

impl Kernel {
    /// The fastest that this machine has.
    pub fn detect() -> Self {
        Self::supported()
            .last()
            .copied()
            .unwrap_or(Self(Instructions::Scalar))
    }

    /// All that this machine has, slowest first; plain Rust is always among them.
    pub fn supported() -> Vec<Self> {
        let mut kernels = vec![Self(Instructions::Scalar)];
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        kernels.push(Self(Instructions::Simd128));
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            kernels.push(Self(Instructions::Avx2));
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self(Instructions::Avx512Vnni));
            }
        }
        kernels
    }

    /// What it is called in measurements.
    pub fn name(self) -> &'static str {
        match self.0 {
            Instructions::Scalar => "scalar",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Instructions::Simd128 => "simd128",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Vnni => "avx512-vnni",
        }
    }
}
