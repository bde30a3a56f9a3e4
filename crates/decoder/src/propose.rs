//! Candidates for the masked cells of a step.
//!
//! A cell knows the model's best few candidates. A refused one makes way for the
//! next that is not ruled out; when none of them is left, the model is asked for
//! the best of what may still be taken ([`Proposals::wants_more`]), so how many
//! are known at a time changes nothing but how often the model is asked. The
//! confidence of a candidate is the probability that the model gives it without
//! noise.

use std::collections::VecDeque;

use lacuna_lexer::{BitSet, TokenId, Vocabulary};
use lacuna_logits::{RowSummary, Scored, TokenSet};

/// A proposed token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub cell: usize,
    pub token: TokenId,
    pub probability: f32,
}

/// The candidates of one masked cell.
#[derive(Debug)]
pub(crate) struct Proposals {
    cell: usize,
    /// The cell's index among those that the model was asked about.
    row: usize,
    summary: RowSummary,
    /// What was not refused nor ruled out of what is known, best first.
    known: VecDeque<Scored>,
    /// Whether the model has candidates beyond the known ones.
    more: bool,
    /// What was not refused nor ruled out of all tokens.
    allowed: TokenSet,
}

impl Proposals {
    /// From what the model says of a cell when asked for `top` candidates that
    /// are `writable`.
    pub(crate) fn new(
        cell: usize,
        row: usize,
        summary: RowSummary,
        writable: &TokenSet,
        top: usize,
    ) -> Self {
        Self {
            cell,
            row,
            known: summary.best.iter().copied().collect(),
            more: summary.best.len() >= top,
            summary,
            allowed: writable.clone(),
        }
    }

    pub(crate) fn cell(&self) -> usize {
        self.cell
    }

    pub(crate) fn row(&self) -> usize {
        self.row
    }

    /// The best candidate that is known and was not refused.
    pub(crate) fn best(&self) -> Option<Candidate> {
        self.known.front().map(|scored| self.candidate(scored))
    }

    /// A token of this cell as the model scored it.
    pub(crate) fn candidate(&self, scored: &Scored) -> Candidate {
        Candidate {
            cell: self.cell,
            token: scored.token,
            probability: self.summary.probability(scored),
        }
    }

    /// Drops the best candidate.
    pub(crate) fn refuse(&mut self) {
        if let Some(refused) = self.known.pop_front() {
            self.allowed.remove(refused.token);
        }
    }

    /// Drops every candidate that is neither possible nor an end.
    pub(crate) fn keep(&mut self, possible: &BitSet, vocabulary: &Vocabulary) {
        let mut kept = TokenSet::empty(vocabulary.len());
        for token in possible.iter() {
            kept.insert(token as TokenId);
        }
        for &end in vocabulary.ends() {
            kept.insert(end);
        }
        self.allowed.intersect(&kept);
        self.known.retain(|scored| kept.contains(scored.token));
    }

    /// The tokens among which the model is to be asked for more candidates, if
    /// no known one is left and there can be others.
    pub(crate) fn wants_more(&self) -> Option<&TokenSet> {
        (self.known.is_empty() && self.more && !self.allowed.is_empty()).then_some(&self.allowed)
    }

    /// Takes the model's answer to [`Proposals::wants_more`].
    pub(crate) fn learn(&mut self, candidates: Vec<Scored>, top: usize) {
        self.more = candidates.len() >= top;
        self.known = candidates.into();
    }
}
