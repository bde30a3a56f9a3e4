//! What the rest of the project knows a model by, on whichever device it runs.

use crate::config::ModelConfig;
use crate::input::Input;
use crate::kept::Kept;
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet};
use thiserror::Error;

/// What a denoising step asks of a model.
#[derive(Clone, Copy, Debug)]
pub struct StepRequest<'a> {
    /// Prompt and canvas, masks as the mask's id.
    pub ids: &'a [u32],
    /// The positions of `ids` that are asked about; they may repeat and come in any order.
    pub rows: &'a [usize],
    /// The tokens that are candidates; the softmax is over these.
    pub writable: &'a TokenSet,
    /// Candidates wanted for each row.
    pub top: usize,
    /// Noise on the candidates' scores, if any. A row's position in it is its place in `ids`.
    pub noise: Option<Noise>,
    /// Keys and values of an earlier input that stand in for those of this one, if any.
    pub kept: Option<Kept<'a>>,
}

impl<'a> StepRequest<'a> {
    /// What goes into the pass.
    pub fn input(&self) -> Input<'a> {
        Input {
            ids: self.ids,
            rows: self.rows,
            kept: self.kept,
        }
    }
}

/// A second look at one row of the last step.
#[derive(Clone, Copy, Debug)]
pub struct Narrow<'a> {
    /// Which of the request's `rows`, by its index there.
    pub row: usize,
    /// The tokens that may be candidates now, writable or not.
    pub allowed: &'a TokenSet,
}

/// What the rest of the project knows a model by.
///
/// The methods are `async` because a graphics card answers later; the CPU's answers are there
/// when first asked for, so that blocking on them does not block.
#[allow(async_fn_in_trait)] // callers name the type: nothing needs the futures to be `Send`
pub trait ForwardPass {
    /// The facts of the model.
    fn config(&self) -> &ModelConfig;

    /// One pass over `ids`, summarised for each wanted row, in the order of `rows`. A shift
    /// by one position, where the model was trained so, is undone here: a row's summary is
    /// always about the token at that position.
    ///
    /// # Errors
    /// [`ForwardError`].
    async fn step(&mut self, request: &StepRequest<'_>) -> Result<Vec<RowSummary>, ForwardError>;

    /// The best candidates of rows of the last step among other tokens, with the same scores
    /// and as many as that step asked for.
    ///
    /// # Errors
    /// [`ForwardError`]; [`ForwardError::RowOutOfRange`] where no step had that row.
    async fn narrow(&mut self, asks: &[Narrow<'_>]) -> Result<Vec<Vec<Scored>>, ForwardError>;
}

/// Why there are no logits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ForwardError {
    /// More positions than the model was made for.
    #[error("{length} tokens of prompt and canvas; the model takes {most} at most")]
    TooLong {
        /// Positions asked for.
        length: usize,
        /// `max_position_embeddings`.
        most: usize,
    },
    /// An id that is no token.
    #[error("id {id} at position {position} is not below the vocabulary's size {vocab}")]
    IdOutOfRange {
        /// The id.
        id: u32,
        /// Where it stands.
        position: usize,
        /// `vocab_size`.
        vocab: usize,
    },
    /// A wanted position behind the end of the input.
    #[error("position {row} is wanted of an input of {length}")]
    RowOutOfRange {
        /// The position.
        row: usize,
        /// Positions in the input.
        length: usize,
    },
    /// Keys and values kept of an input that is longer or shorter.
    #[error("keys of {kept} positions were kept for an input of {length}")]
    KeptOfAnotherLength {
        /// Positions of the earlier input.
        kept: usize,
        /// Positions of this one.
        length: usize,
    },
    /// The weights lead to numbers that overflow.
    #[error("the model's weights give logits that are not finite")]
    NotFinite,
    /// The device that computes has a fault; another device could still answer.
    #[error("{message}")]
    Device {
        /// Which fault.
        kind: DeviceFault,
        /// What the device said.
        message: String,
    },
}

/// Faults of a device, told apart by what can be done about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceFault {
    /// It is gone; a fresh one may do.
    Lost,
    /// It has not as much memory as is needed.
    OutOfMemory,
    /// It did not answer in time.
    TimedOut,
    /// It does not do what it should.
    Other,
}
