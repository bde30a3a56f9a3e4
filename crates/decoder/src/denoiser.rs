//! What the decoder needs of a model.

use lacuna_lexer::TokenId;
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet};

/// A canvas, and what is asked about it.
#[derive(Clone, Copy, Debug)]
pub struct DenoiseRequest<'a> {
    /// The whole canvas, `None` where it is masked.
    pub cells: &'a [Option<TokenId>],
    /// The cells that are asked about.
    pub masked: &'a [usize],
    /// The tokens that are summarised: those that a cell may hold at all, but for those whose
    /// logits are changed.
    pub writable: &'a TokenSet,
    /// Candidates wanted for each cell.
    pub top: usize,
    /// Noise on the candidates' scores, if any.
    pub noise: Option<Noise>,
    /// An earlier canvas whose keys and values may stand in for those of this one, if any.
    pub kept: Option<KeptCells<'a>>,
}

/// An earlier canvas, which says all that a model may keep of it: the cells outside of a
/// range are to the others what they were then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptCells<'a> {
    /// The canvas, as long as the present one.
    pub cells: &'a [Option<TokenId>],
    /// The first cell that is computed anew …
    pub start: usize,
    /// … and the one behind the last. The cells that are asked about are among them.
    pub end: usize,
}

/// A second look at one cell of the last [`DenoiseRequest`].
#[derive(Clone, Copy, Debug)]
pub struct NarrowRequest<'a> {
    /// Which of the request's `masked` cells, by its index there.
    pub row: usize,
    /// The tokens that may still be candidates.
    pub allowed: &'a TokenSet,
}

/// A masked diffusion model with its prompt already in place.
///
/// The methods are `async` because a graphics card answers later. What a model
/// says must depend on nothing but the request, so that a run can be replayed.
#[allow(async_fn_in_trait)] // callers name the type: nothing needs the futures to be `Send`
pub trait Denoiser {
    /// Number of tokens the model tells apart.
    fn vocabulary_size(&self) -> usize;

    /// A summary for each cell of `masked`, in that order.
    ///
    /// # Errors
    /// When the model cannot be run; the run ends with that error.
    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError>;

    /// For each ask the best candidates among other tokens, writable ones or not, as many as the
    /// last request wanted, with the scores that they had there or would have had.
    ///
    /// # Errors
    /// As for [`denoise`](Denoiser::denoise).
    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError>;

    /// The position of a cell that its noise depends on.
    fn position(&self, cell: usize) -> u32 {
        cell as u32
    }

    /// Where the model runs now, if it moved since this was last asked.
    fn moved(&mut self) -> Option<Move> {
        None
    }
}

/// A model that went on somewhere else, because it could not where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it runs now: a name such as `cpu`.
    pub device: String,
    /// A sentence for people.
    pub message: String,
}

/// Why a model could not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model failed: {message}")]
pub struct DenoiserError {
    /// What went wrong.
    pub message: String,
}
