//! Random numbers that a seed replays.

/// SplitMix64 (Steele, Lea and Flood 2014): a 64-bit state, passes BigCrush.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Standard Gumbel noise: −ln(−ln u).
    pub(crate) fn gumbel(&mut self) -> f32 {
        let uniform = ((self.next() >> 40) as f32 + 0.5) / (1u64 << 24) as f32;
        -(-uniform.ln()).ln()
    }
}
