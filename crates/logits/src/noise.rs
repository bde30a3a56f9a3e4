//! Gumbel noise that depends on nothing but where it is used.
//!
//! A stream of random numbers would have to be drawn in the same order everywhere; a hash of
//! seed, step, position and token is the same number in whatever order, on whichever processor
//! and in however many threads it is computed. The hash is pcg4d (Jarzynski and Olano, "Hash
//! Functions for GPU Rendering", JCGT 2020), 32-bit arithmetic only, so that WGSL has it too.

/// Bits of the uniform number behind the noise: with the half that is added to them, as many as
/// an f32 holds exactly.
pub const UNIFORM_BITS: u32 = 23;

/// Noise for sampling at a temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Above 0; logits are divided by it.
    pub temperature: f32,
    /// What replays a run.
    pub seed: u64,
    /// The denoising step, so that each has noise of its own.
    pub step: u32,
}

/// Standard Gumbel noise, −ln(−ln u), for a token at a position.
pub fn gumbel(noise: &Noise, position: u32, token: u32) -> f32 {
    let place = (noise.step << 16) ^ position;
    let hash = pcg4d([noise.seed as u32, (noise.seed >> 32) as u32, place, token]);
    // In the middle of its interval: never 0, never 1.
    let uniform = ((hash >> (32 - UNIFORM_BITS)) as f32 + 0.5) / (1u32 << UNIFORM_BITS) as f32;
    -(-uniform.ln()).ln()
}

fn pcg4d(v: [u32; 4]) -> u32 {
    let mut v = v.map(|x| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let mix = |v: &mut [u32; 4]| {
        v[0] = v[0].wrapping_add(v[1].wrapping_mul(v[3]));
        v[1] = v[1].wrapping_add(v[2].wrapping_mul(v[0]));
        v[2] = v[2].wrapping_add(v[0].wrapping_mul(v[1]));
        v[3] = v[3].wrapping_add(v[1].wrapping_mul(v[2]));
    };
    mix(&mut v);
    v = v.map(|x| x ^ (x >> 16));
    mix(&mut v);
    v[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_has_the_mean_and_variance_of_a_gumbel() {
        let noise = Noise {
            temperature: 1.0,
            seed: 0x0123_4567_89AB_CDEF,
            step: 3,
        };
        let draws: Vec<f64> = (0..200u32)
            .flat_map(|position| (0..500u32).map(move |token| (position, token)))
            .map(|(position, token)| f64::from(gumbel(&noise, position, token)))
            .collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        // Euler's constant and π²/6; the standard error of the mean is 0.004.
        assert!((mean - 0.577_215_7).abs() < 0.02, "{mean}");
        assert!((variance - 1.644_934).abs() < 0.05, "{variance}");
    }

    #[test]
    fn every_input_counts() {
        let noise = Noise {
            temperature: 1.0,
            seed: 7,
            step: 1,
        };
        let other = |seed, step| Noise {
            seed,
            step,
            ..noise
        };
        let first = gumbel(&noise, 5, 9);
        assert_eq!(first, gumbel(&noise, 5, 9));
        for changed in [
            gumbel(&noise, 6, 9),
            gumbel(&noise, 5, 10),
            gumbel(&other(8, 1), 5, 9),
            gumbel(&other(7 | 1 << 40, 1), 5, 9),
            gumbel(&other(7, 2), 5, 9),
        ] {
            assert_ne!(first, changed);
        }
    }
}
