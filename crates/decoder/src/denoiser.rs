//! What the decoder needs of a model.

use lacuna_lexer::TokenId;

/// A masked diffusion model with its prompt already in place.
pub trait Denoiser {
    /// Number of logits a cell has: the size of the vocabulary.
    fn vocabulary_size(&self) -> usize;

    /// Replaces `logits` by one row of [`vocabulary_size`] logits for each cell
    /// of `masked`, in that order. `cells` is the whole canvas, `None` where it
    /// is masked.
    ///
    /// [`vocabulary_size`]: Denoiser::vocabulary_size
    ///
    /// # Errors
    /// When the model cannot be run; the run ends with that error.
    fn denoise(
        &mut self,
        cells: &[Option<TokenId>],
        masked: &[usize],
        logits: &mut Vec<f32>,
    ) -> Result<(), DenoiserError>;
}

/// Why a model could not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model failed: {message}")]
pub struct DenoiserError {
    /// What went wrong.
    pub message: String,
}
