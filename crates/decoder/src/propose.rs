//! Candidates for the masked cells of a step.
//!
//! A cell's candidates come in the order of the model's logits, with Gumbel
//! noise at a temperature (which makes the order that of sampling without
//! replacement); a refused one makes way for the next that is not ruled out. The confidence of a
//! candidate is the probability that the model gives it without noise.

use lacuna_lexer::{BitSet, TokenId, Vocabulary};

use crate::random::Random;

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
    probabilities: Vec<f32>,
    /// Scores by which candidates are ordered; −∞ once refused.
    scores: Vec<f32>,
    best: Option<TokenId>,
}

impl Proposals {
    /// From a row of logits. Tokens that no cell may hold are never proposed,
    /// and neither are logits that are not numbers.
    pub(crate) fn new(
        cell: usize,
        logits: &[f32],
        vocabulary: &Vocabulary,
        temperature: f32,
        random: &mut Random,
    ) -> Self {
        let writable = |token: usize| {
            let token = token as TokenId;
            vocabulary.bytes(token).is_some() || vocabulary.is_end(token)
        };
        let mut scores: Vec<f32> = logits
            .iter()
            .enumerate()
            .map(|(token, &logit)| match writable(token) && !logit.is_nan() {
                // Infinite logits would make the softmax undefined.
                true => logit.clamp(-1e30, 1e30),
                false => f32::NEG_INFINITY,
            })
            .collect();
        let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut probabilities: Vec<f32> = scores
            .iter()
            .map(|&score| (score - highest).exp())
            .collect();
        let total: f32 = probabilities.iter().sum();
        probabilities
            .iter_mut()
            .for_each(|probability| *probability /= total);
        if temperature > 0.0 {
            for score in &mut scores {
                // Relative to the highest, so that a tiny temperature cannot
                // push the best candidates to infinity.
                let relative = (*score - highest) / temperature;
                if *score > f32::NEG_INFINITY {
                    *score = relative.max(f32::MIN) + random.gumbel();
                }
            }
        }
        let mut proposals = Self {
            cell,
            probabilities,
            scores,
            best: None,
        };
        proposals.find_best();
        proposals
    }

    pub(crate) fn cell(&self) -> usize {
        self.cell
    }

    /// The best candidate that was not refused.
    pub(crate) fn best(&self) -> Option<Candidate> {
        self.best.map(|token| Candidate {
            cell: self.cell,
            token,
            probability: self.probability(token),
        })
    }

    /// What the model thinks of a token.
    pub(crate) fn probability(&self, token: TokenId) -> f32 {
        self.probabilities
            .get(token as usize)
            .copied()
            .filter(|p| p.is_finite())
            .unwrap_or(0.0)
    }

    /// Drops the best candidate.
    pub(crate) fn refuse(&mut self) {
        if let Some(token) = self.best {
            self.scores[token as usize] = f32::NEG_INFINITY;
            self.find_best();
        }
    }

    /// Drops every candidate that is neither possible nor an end.
    pub(crate) fn keep(&mut self, possible: &BitSet, vocabulary: &Vocabulary) {
        for (token, score) in self.scores.iter_mut().enumerate() {
            if !possible.contains(token) && !vocabulary.is_end(token as TokenId) {
                *score = f32::NEG_INFINITY;
            }
        }
        self.find_best();
    }

    fn find_best(&mut self) {
        let mut best = None;
        let mut highest = f32::NEG_INFINITY;
        for (token, &score) in self.scores.iter().enumerate() {
            if score > highest {
                highest = score;
                best = Some(token as TokenId);
            }
        }
        self.best = best;
    }
}
