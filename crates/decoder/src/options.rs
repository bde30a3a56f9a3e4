//! How a run decodes.

use lacuna_logits::Noise;

/// How a run decodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Cells of the canvas.
    pub length: usize,
    /// Denoising steps; more than cells are as many as cells.
    pub steps: usize,
    /// Seed of the noise.
    pub seed: u64,
    /// 0 takes the most probable candidates; 1 samples.
    pub temperature: f32,
    /// Refusals in one step after which it is finished from the witness.
    pub refusals_per_step: usize,
    /// Candidates of a cell that the model is asked for at a time. Changes nothing
    /// but how often it is asked.
    pub candidates: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            length: 64,
            steps: 16,
            seed: 0,
            temperature: 0.0,
            refusals_per_step: 2000,
            candidates: 16,
        }
    }
}

impl Options {
    /// The noise of a step; none where the most probable candidates are taken.
    pub(crate) fn noise(&self, step: usize) -> Option<Noise> {
        (self.temperature > 0.0).then_some(Noise {
            temperature: self.temperature,
            seed: self.seed,
            step: u32::try_from(step).unwrap_or(u32::MAX),
        })
    }
}
