//! Sixteen floats side by side, in the registers of each instruction set.
//!
//! Where a loop's speed depends on which sums stay in registers, this says so instead of
//! leaving it to the compiler. All implementations round alike: one operation at a time, no
//! fused multiply-add.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::*;

/// Floats in a vector.
pub(super) const LANES: usize = 16;

/// A vector of [`LANES`] floats. A value is proof that the machine has its instructions: the
/// first one takes `unsafe`, and all others are made with the help of another.
pub(super) trait Vector: Copy {
    /// All lanes zero.
    ///
    /// # Safety
    /// The machine has the instructions.
    unsafe fn zero() -> Self;

    /// All lanes alike.
    fn splat(self, value: f32) -> Self;
    fn load(self, values: &[f32; LANES]) -> Self;
    /// Each integer as the nearest float.
    fn convert(self, values: &[i32; LANES]) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn store(self, values: &mut [f32; LANES]);
}

/// For machines of which nothing is known.
impl Vector for [f32; LANES] {
    #[inline(always)]
    unsafe fn zero() -> Self {
        [0.0; LANES]
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self {
        [value; LANES]
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> Self {
        *values
    }

    #[inline(always)]
    fn convert(self, values: &[i32; LANES]) -> Self {
        values.map(|value| value as f32)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + other[lane])
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] * other[lane])
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; LANES]) {
        *values = self;
    }
}

/// A vector made of `$parts` registers of `$width` floats.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! vector_of_registers {
    (
        $(#[$note:meta])* $name:ident: $parts:literal of $register:ty, $width:literal floats;
        $splat:ident, $load:expr, $load_integers:expr, $convert:ident, $add:ident, $mul:ident, $store:expr
    ) => {
        $(#[$note])*
        #[derive(Clone, Copy)]
        pub(super) struct $name([$register; $parts]);

        impl Vector for $name {
            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller's machine has the instructions.
                #[allow(unused_unsafe)]
                Self([unsafe { $splat(0.0) }; $parts])
            }

            #[inline(always)]
            fn splat(self, value: f32) -> Self {
                // SAFETY: `self` is proof that the machine has the instructions.
                #[allow(unused_unsafe)]
                Self([unsafe { $splat(value) }; $parts])
            }

            #[inline(always)]
            fn load(self, values: &[f32; LANES]) -> Self {
                let values = values.as_ptr();
                // SAFETY: as for `splat`; each part's floats lie inside the array, and loads
                // need no alignment.
                Self(std::array::from_fn(|part| unsafe { $load(values.add(part * $width)) }))
            }

            #[inline(always)]
            fn convert(self, values: &[i32; LANES]) -> Self {
                let values = values.as_ptr();
                // SAFETY: as for `load`.
                Self(std::array::from_fn(|part| unsafe {
                    $convert($load_integers(values.add(part * $width)))
                }))
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe)]
                Self(std::array::from_fn(|part| unsafe { $add(self.0[part], other.0[part]) }))
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe)]
                Self(std::array::from_fn(|part| unsafe { $mul(self.0[part], other.0[part]) }))
            }

            #[inline(always)]
            fn store(self, values: &mut [f32; LANES]) {
                let values = values.as_mut_ptr();
                for (part, register) in self.0.into_iter().enumerate() {
                    // SAFETY: as for `splat`; each part's floats lie inside the array, and
                    // stores need no alignment.
                    unsafe { $store(values.add(part * $width), register) };
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector_of_registers! {
    Avx512: 1 of __m512, 16 floats;
    _mm512_set1_ps, |p| _mm512_loadu_ps(p), |p: *const i32| _mm512_loadu_si512(p.cast()),
    _mm512_cvtepi32_ps, _mm512_add_ps, _mm512_mul_ps, |p, v| _mm512_storeu_ps(p, v)
}

#[cfg(target_arch = "x86_64")]
vector_of_registers! {
    Avx2: 2 of __m256, 8 floats;
    _mm256_set1_ps, |p| _mm256_loadu_ps(p), |p: *const i32| _mm256_loadu_si256(p.cast()),
    _mm256_cvtepi32_ps, _mm256_add_ps, _mm256_mul_ps, |p, v| _mm256_storeu_ps(p, v)
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
vector_of_registers! {
    Simd128: 4 of v128, 4 floats;
    f32x4_splat, |p: *const f32| v128_load(p.cast()), |p: *const i32| v128_load(p.cast()),
    f32x4_convert_i32x4, f32x4_add, f32x4_mul, |p: *mut f32, v| v128_store(p.cast(), v)
}
