//! Rotary position embedding.

use crate::config::ModelConfig;
use crate::kernels::Kernel;
use crate::kernels::elementwise::turn_heads;

/// The rotary embedding: dimensions `d` and `d + width / 2` of every head are turned by
/// `position * theta^(-2 d / width)` (Hugging Face's `rotate_half`). Angles are computed in
/// f64, so that they do not depend on a machine's f32 sine, and once for each position.
pub(super) struct Rotations {
    theta: f64,
    /// `head_dim`.
    width: usize,
    /// `[positions, width / 2]` pairs of cosine and sine.
    turns: Vec<(f32, f32)>,
}

/// What becomes of the heads besides being turned.
#[derive(Clone, Copy)]
pub(super) struct HeadScale<'a> {
    /// RMSNorm of each head, before.
    pub(super) norm: Option<&'a [f32]>,
    pub(super) epsilon: f32,
    /// Multiplied in after.
    pub(super) scale: f32,
}

impl Rotations {
    pub(super) fn new(config: &ModelConfig) -> Self {
        Self {
            theta: config.rope_theta,
            width: config.head_dim,
            turns: Vec::new(),
        }
    }

    pub(super) fn extend_to(&mut self, positions: usize) {
        let half = self.width / 2;
        for position in self.turns.len() / half..positions {
            for d in 0..half {
                let frequency = self.theta.powf(-2.0 * d as f64 / self.width as f64);
                let (sin, cos) = (position as f64 * frequency).sin_cos();
                self.turns.push((cos as f32, sin as f32));
            }
        }
    }

    /// Turns rows of heads that stand at `positions`.
    pub(super) fn turn(
        &self,
        kernel: Kernel,
        x: &mut [f32],
        row_width: usize,
        positions: impl Iterator<Item = usize>,
        heads: HeadScale<'_>,
    ) {
        let half = self.width / 2;
        for (row, position) in x.chunks_exact_mut(row_width).zip(positions) {
            let turns = &self.turns[position * half..][..half];
            turn_heads(kernel, row, turns, heads.norm, heads.epsilon, heads.scale);
        }
    }
}
