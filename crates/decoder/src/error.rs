//! Why a run could not begin, or could not go on.

use crate::DenoiserError;

/// Why a run could not begin, or could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The language has no text that fits the canvas.
    #[error("{}", no_member_message(*.length, *.shortest))]
    NoMember {
        /// Cells of the canvas.
        length: usize,
        /// Cells below which there is certainly no text, where known.
        shortest: Option<usize>,
    },
    /// Whether a text fits could not be decided within the budget.
    #[error("the checker ran out of its budget of {limit} {what} before the first step")]
    Exhausted {
        /// What ran out.
        what: &'static str,
        /// The limit in force.
        limit: usize,
    },
    /// The canvas has no cells, or the temperature is no temperature.
    #[error("{0}")]
    Invalid(&'static str),
    /// The model and the grammar engine disagree about the vocabulary.
    #[error("the model gives {logits} logits a cell, but the vocabulary has {tokens} tokens")]
    VocabularyMismatch {
        /// Logits a cell.
        logits: usize,
        /// Tokens of the vocabulary.
        tokens: usize,
    },
    /// The model failed.
    #[error(transparent)]
    Denoiser(#[from] DenoiserError),
}

fn no_member_message(length: usize, shortest: Option<usize>) -> String {
    let needs = shortest.map_or(String::new(), |cells| {
        format!(": it needs at least {cells}")
    });
    format!("no text of the grammar fits a canvas of {length} cells{needs}")
}
