//! Norms, softmax and the gate: loops over floats that the compiler turns into vectors.
//!
//! A sum over a row is kept in 16 lanes that are added up at the end, in the same order on
//! every machine; that is what lets the compiler use vectors of any width without changing a
//! bit.

const LANES: usize = 16;

for_each_instruction_set! {
    /// RMSNorm of each row: `out = x / sqrt(mean(x²) + epsilon) * weight`.
    pub fn rms_norm(x: &[f32], weight: &[f32], epsilon: f32, out: &mut [f32]) {
        let width = weight.len();
        for (x, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            let scale = rms_scale(x, epsilon);
            for ((out, x), weight) in out.iter_mut().zip(x).zip(weight) {
                *out = x * scale * weight;
            }
        }
    }
}

for_each_instruction_set! {
    /// The rotary embedding of one row of heads, in place: dimensions `d` and `d + half` of
    /// each head are turned by the cosine and sine in `turns[d]`, of which there are `half`.
    /// Each head is normalised before, where there is a `norm`, and multiplied by `scale`
    /// after.
    pub fn turn_heads(
        row: &mut [f32],
        turns: &[(f32, f32)],
        norm: Option<&[f32]>,
        epsilon: f32,
        scale: f32,
    ) {
        let half = turns.len();
        for head in row.chunks_exact_mut(2 * half) {
            if let Some(weight) = norm {
                let scale = rms_scale(head, epsilon);
                for (x, weight) in head.iter_mut().zip(weight) {
                    *x *= scale * weight;
                }
            }
            let (low, high) = head.split_at_mut(half);
            for ((a, b), (cos, sin)) in low.iter_mut().zip(high).zip(turns) {
                let turned = (*a * cos - *b * sin, *b * cos + *a * sin);
                (*a, *b) = (turned.0 * scale, turned.1 * scale);
            }
        }
    }
}

for_each_instruction_set! {
    /// SwiGLU's product, in place: `gate = silu(gate) * up`.
    pub fn silu_product(gate: &mut [f32], up: &[f32]) {
        for (gate, up) in gate.iter_mut().zip(up) {
            *gate = *gate / (1.0 + exp(-*gate)) * up;
        }
    }
}

#[inline(always)]
fn rms_scale(x: &[f32], epsilon: f32) -> f32 {
    let squares = fold(x, 0.0, |sum, value| sum + value * value);
    let mean = squares.iter().sum::<f32>() / x.len() as f32;
    1.0 / (mean + epsilon).sqrt()
}

/// Softmax of one row, in place. Three passes: the largest, so that no exponential
/// overflows; exponentials and their sum; the division.
#[inline(always)]
pub(super) fn softmax(x: &mut [f32]) {
    let lanes = fold(x, f32::NEG_INFINITY, larger);
    let most = lanes.into_iter().fold(f32::NEG_INFINITY, larger);
    for value in x.iter_mut() {
        *value = exp(*value - most);
    }
    let sum: f32 = fold(x, 0.0, |sum, value| sum + value).iter().sum();
    let scale = 1.0 / sum;
    for value in x.iter_mut() {
        *value *= scale;
    }
}

/// The largest magnitude; NaN or an infinity if there is one.
#[inline(always)]
pub(super) fn largest_magnitude(x: &[f32]) -> f32 {
    // Without the sign, the bits of floats are in the order of the floats, NaN above all.
    let mut lanes = [0; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    let magnitude = |value: f32| (value.to_bits() & 0x7fff_ffff) as i32;
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = magnitude(value).max(*lane);
        }
    }
    let rest = rest.iter().map(|&value| magnitude(value));
    f32::from_bits(lanes.into_iter().chain(rest).max().unwrap_or(0) as u32)
}

#[inline(always)]
fn fold(x: &[f32], start: f32, step: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    let mut lanes = [start; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = step(*lane, value);
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane = step(*lane, value);
    }
    lanes
}

/// `f32::max` without its promise about NaN, which takes more than one instruction.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// e to the x, within 2 units in the last place from -87 to 88; beyond, the value at that
/// end. NaN gives NaN.
///
/// `x = n ln 2 + r` with `|r| <= ln 2 / 2`; a polynomial for `e^r` (minimax, after Cephes'
/// `expf`); `2^n` by its bits. No table and no branch, so a loop of it is vectors.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    // ln 2 in two parts: the product of the first with a small integer is exact.
    const LN_2_HIGH: f32 = 355.0 / 512.0;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * LN_2_HIGH - n * LN_2_LOW;
    let p = 1.987_569_1e-4;
    let p = p * r + 1.398_199_9e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 1.666_666_5e-1;
    let p = p * r + 0.5;
    let p = p * (r * r) + r + 1.0;
    // The low bits of `shifted` are n; `2^n` is n + 127 in the place of the exponent.
    let power = (shifted.to_bits() << 23).wrapping_add(127 << 23);
    p * f32::from_bits(power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Kernel;

    #[test]
    fn exp_is_close() {
        let mut worst = 0.0f64;
        for step in -87_000..=88_000 {
            let x = step as f32 / 1000.0;
            let (ours, exact) = (f64::from(exp(x)), f64::from(x).exp());
            worst = worst.max((ours / exact - 1.0).abs());
        }
        assert!(worst < 2.4e-7, "{worst:e}");
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e30), exp(-87.0));
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn softmax_of_awkward_lengths() {
        for length in 1..70 {
            let row: Vec<f32> = (0..length).map(|i| ((i * 37) % 23) as f32 - 11.0).collect();
            let mut ours = row.clone();
            softmax(&mut ours);
            let sum: f64 = row.iter().map(|&x| f64::from(x).exp()).sum();
            for (&ours, &x) in ours.iter().zip(&row) {
                assert!((f64::from(ours) - f64::from(x).exp() / sum).abs() < 3e-7);
            }
        }
    }

    #[test]
    fn softmax_survives_large_values() {
        let mut row = [3e38, 3e38, -3e38];
        softmax(&mut row);
        assert_eq!(row[0], 0.5);
        assert!(row[2] < 1e-37);
    }

    #[test]
    fn silu_at_both_ends() {
        let mut gate = [-1e30, -100.0, 0.0, 1.0, 100.0];
        silu_product(Kernel::detect(), &mut gate, &[1.0; 5]);
        assert!(gate[0].is_finite() && gate[1].abs() < 1e-30);
        assert_eq!(gate[2], 0.0);
        assert!((gate[3] - 0.731_058_6).abs() < 1e-6);
        assert_eq!(gate[4], 100.0);
    }

    #[test]
    fn the_largest_magnitude_sees_what_is_not_finite() {
        let mut row = vec![0.5; 37];
        row[20] = -7.0;
        assert_eq!(largest_magnitude(&row), 7.0);
        row[36] = f32::NAN;
        assert!(largest_magnitude(&row).is_nan());
        row[36] = f32::NEG_INFINITY;
        assert_eq!(largest_magnitude(&row), f32::INFINITY);
        assert_eq!(largest_magnitude(&[]), 0.0);
    }
}
