//! One text, compiled once for each instruction set.

/// A function that is compiled once for each instruction set, and chooses among these by the
/// [`Kernel`](super::Kernel) that becomes its first argument. Nothing has fused multiply-add,
/// so the bits are the same.
///
/// Either the body is here, and its loops become the compiler's vectors; or it is a function
/// that says where it wants vectors: `= NAME` stands for an `#[inline(always)]` function
/// `NAME<V: Vector, const ROWS: usize>`, whose first argument is a `V`, and where `ROWS` is the
/// number of sums of that type that the set's registers hold beside what they are made from.
macro_rules! for_each_instruction_set {
    ($(#[$note:meta])* $visibility:vis fn $name:ident(
        $($argument:ident: $type:ty),* $(,)?
    ) $body:block) => {
        $(#[$note])*
        $visibility fn $name(kernel: $crate::kernels::Kernel, $($argument: $type),*) {
            #[inline(always)]
            fn plain($($argument: $type),*) $body
            for_each_instruction_set!(
                @choose kernel, ($($argument: $type),*),
                plain($($argument),*),
                plain($($argument),*),
                plain($($argument),*),
                plain($($argument),*)
            )
        }
    };
    ($(#[$note:meta])* $visibility:vis fn $name:ident(
        $($argument:ident: $type:ty),* $(,)?
    ) = $inner:ident) => {
        $(#[$note])*
        $visibility fn $name(kernel: $crate::kernels::Kernel, $($argument: $type),*) {
            use $crate::kernels::vector::{self, Vector};
            for_each_instruction_set!(
                @choose kernel, ($($argument: $type),*),
                // SAFETY: this one needs no instructions.
                $inner::<_, 2>(unsafe { <[f32; vector::LANES]>::zero() }, $($argument),*),
                // SAFETY: reached with a `Kernel` that has them.
                $inner::<_, 2>(unsafe { vector::Simd128::zero() }, $($argument),*),
                // SAFETY: reached with a `Kernel` that has them.
                $inner::<_, 4>(unsafe { vector::Avx2::zero() }, $($argument),*),
                // SAFETY: reached with a `Kernel` that has them.
                $inner::<_, 8>(unsafe { vector::Avx512::zero() }, $($argument),*)
            )
        }
    };
    (@choose $kernel:ident, ($($argument:ident: $type:ty),*),
        $scalar:expr, $simd128:expr, $avx2:expr, $avx512:expr) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn avx2($($argument: $type),*) {
            $avx2;
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn avx512($($argument: $type),*) {
            $avx512;
        }
        match $kernel.0 {
            $crate::kernels::Instructions::Scalar => $scalar,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::kernels::Instructions::Simd128 => $simd128,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Kernel` with AVX2 exists only where AVX2 was detected.
            $crate::kernels::Instructions::Avx2 => unsafe { avx2($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Kernel` with AVX-512 exists only where F and BW were detected.
            $crate::kernels::Instructions::Avx512Vnni => unsafe { avx512($($argument),*) },
        }
    }};
}
