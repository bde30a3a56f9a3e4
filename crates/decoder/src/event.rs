//! What a run reports.

use lacuna_lexer::TokenId;
use serde::Serialize;

use crate::Move;

/// How a token came into its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// The model proposed it and it was checked alone.
    Model,
    /// The model proposed it and it was checked together with others.
    Batch,
    /// All other tokens had been refused or ruled out for its cell, as far as was asked.
    Forced,
    /// It was written to recover, after too many refusals.
    Recovery,
}

/// Why a candidate was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// No sentence of the grammar goes with it in this canvas.
    Impossible,
    /// The checker's budget ran out before the answer was known.
    Exhausted,
    /// It would put text behind the end of the text, or an end before text.
    EndBeforeText,
}

/// A token written for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Commit {
    /// The step, from 0.
    pub step: usize,
    /// The cell.
    pub cell: usize,
    /// The token.
    pub token: TokenId,
    /// The probability the model gave it.
    pub probability: f32,
    /// How it came.
    pub how: How,
}

/// A candidate that was not committed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// The step, from 0.
    pub step: usize,
    /// The cell.
    pub cell: usize,
    /// The token.
    pub token: TokenId,
    /// The probability the model gave it.
    pub probability: f32,
    /// Why.
    pub reason: Reason,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The text is complete; under a grammar, a sentence of it.
    Complete,
    /// The run gave up, and its text is that of a completion
    /// ([`RecoveryKind::Finish`](crate::RecoveryKind::Finish)).
    Recovered,
    /// The run gave up, and its guard knows no completion: the text has gaps.
    Unfinished,
}

/// Where the time of a run went, and how often the checker was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timings {
    /// Milliseconds in the model.
    pub model_ms: f64,
    /// Milliseconds in the checker: the sum of the five parts that follow.
    pub checker_ms: f64,
    /// Finding lexemes in text and tokens, where the guard times it; else it is in the others.
    pub lexing_ms: f64,
    /// Exact checks of what is to be committed, and of the canvas at the start.
    pub validation_ms: f64,
    /// What chooses what is tried together.
    pub selection_ms: f64,
    /// Finding out which tokens may stand in cells.
    pub masks_ms: f64,
    /// Whatever is asked in recovery.
    pub recovery_ms: f64,
    /// Of the milliseconds in the checker, those while the model computed.
    pub beside_ms: f64,
    /// Exact checks that were decided while the model computed.
    pub prepared: usize,
    /// Canvases checked exactly.
    pub checks: usize,
    /// Sets of candidates, of one and more, that agreed with the witness and needed no check.
    pub agreed: usize,
    /// Candidates refused.
    pub refusals: usize,
    /// Sets of two and more candidates that the cheap check allowed.
    pub batches_allowed: usize,
    /// Of the sets of two and more that were checked exactly or agreed, those committed.
    pub batches: usize,
    /// Sets of two and more that were checked exactly or agreed.
    pub batches_tried: usize,
    /// Tokens committed in such sets.
    pub batch_tokens: usize,
    /// Cells written to recover.
    pub recovered: usize,
    /// Cells masked again.
    pub remasked: usize,
}

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A step began.
    Step {
        /// The step, from 0.
        step: usize,
        /// Masked cells before it.
        masked: usize,
    },
    /// The model went on elsewhere; the step's answers come from there.
    Move {
        /// The step, from 0.
        step: usize,
        /// Where to, and why.
        to: Move,
    },
    /// A candidate was refused.
    Refusal(Refusal),
    /// A token was committed.
    Commit(Commit),
    /// A committed cell was masked again.
    Remask {
        /// The step, from 0.
        step: usize,
        /// The cell.
        cell: usize,
    },
    /// The run is over.
    Done {
        /// The text, as bytes.
        text: Vec<u8>,
        /// How it ended.
        outcome: Outcome,
        /// Steps taken.
        steps: usize,
        /// Where the time went.
        timings: Timings,
    },
}
