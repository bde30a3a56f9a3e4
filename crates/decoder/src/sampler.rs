//! Which candidates of a cell come first.
//!
//! The model's answers are its own: whatever changes them is done here, so that it is
//! the same on every device. Noise is the model's to add as long as every candidate
//! may be drawn; with a truncation the candidates are cut first, by the model's
//! probabilities, and the same noise is added here to what is left.
//!
//! The probability that a candidate is reported with, and that orders look at, is that
//! of the model with the logits as changed, without temperature or truncation.

use std::collections::BTreeMap;

use lacuna_lexer::TokenId;
use lacuna_logits::{Noise, RowSummary, Scored, gumbel};

use crate::{Options, Truncation};

/// Which candidates of a cell come first.
pub trait Sampler {
    /// The noise that the model shall add to its scores in this step.
    fn noise(&self, step: usize) -> Option<Noise>;

    /// What is done to the logits of some tokens, given the canvas; by token, none
    /// twice.
    fn changes(&self, cells: &[Option<TokenId>]) -> Vec<Change>;

    /// Candidates of a cell that are wanted at once, `usual` as a rule.
    fn wanted(&self, usual: usize) -> usize {
        usual
    }

    /// Whether the candidates of a cell are enough to arrange, `rest` being the
    /// probability of those that are not known.
    fn suffices(&self, probabilities: &[f32], rest: f32) -> bool;

    /// Puts the candidates (best first) of a cell whose noise is that of `position` in the order
    /// in which they are tried; how many of them may be drawn, where it is not all.
    fn arrange(
        &self,
        step: usize,
        position: u32,
        row: &RowSummary,
        known: &mut [Scored],
    ) -> Option<usize>;
}

/// What is done to a token's logit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The token.
    pub token: TokenId,
    /// Divides a positive logit, multiplies a negative one.
    pub penalty: f32,
    /// Added then.
    pub bias: f32,
}

impl Change {
    /// The logit as changed.
    pub fn apply(&self, logit: f32) -> f32 {
        let penalized = match logit > 0.0 {
            true => logit / self.penalty,
            false => logit * self.penalty,
        };
        penalized + self.bias
    }
}

/// The sampler that options describe.
pub(crate) struct OptionSampler {
    options: Options,
    bias: BTreeMap<TokenId, f32>,
}

/// Candidates that are asked for where a truncation goes by probabilities.
const NUCLEUS: usize = 64;

impl OptionSampler {
    pub(crate) fn new(options: &Options) -> Self {
        let bias = options.biases();
        let mut options = options.clone();
        // All of the probability is no truncation, and would have all tokens asked for.
        let truncation = &mut options.truncation;
        truncation.top_p = truncation.top_p.filter(|&p| p < 1.0);
        Self { options, bias }
    }

    fn truncates(&self) -> bool {
        self.options.temperature > 0.0 && self.options.truncation.is_some()
    }
}

impl Sampler for OptionSampler {
    fn noise(&self, step: usize) -> Option<Noise> {
        match self.truncates() {
            true => None,
            false => self.options.noise(step),
        }
    }

    fn changes(&self, cells: &[Option<TokenId>]) -> Vec<Change> {
        let unchanged = |token| Change {
            token,
            penalty: 1.0,
            bias: 0.0,
        };
        let mut changes: BTreeMap<TokenId, Change> = BTreeMap::new();
        for (&token, &bias) in &self.bias {
            let change = Change {
                bias,
                ..unchanged(token)
            };
            changes.insert(token, change);
        }
        if self.options.repetition_penalty != 1.0 {
            for &token in cells.iter().flatten() {
                let change = changes.entry(token).or_insert_with(|| unchanged(token));
                change.penalty = self.options.repetition_penalty;
            }
        }
        changes.into_values().collect()
    }

    fn wanted(&self, usual: usize) -> usize {
        let Truncation {
            top_k,
            top_p,
            min_p,
        } = self.options.truncation;
        match self.truncates() {
            false => usual,
            true if top_p.is_some() || min_p.is_some() => usual.max(NUCLEUS),
            true => usual.max(top_k.unwrap_or(0)),
        }
    }

    fn suffices(&self, probabilities: &[f32], rest: f32) -> bool {
        let Truncation {
            top_k,
            top_p,
            min_p,
        } = self.options.truncation;
        if !self.truncates() || rest <= 0.0 {
            return true;
        }
        let enough = |k: usize| probabilities.len() >= k;
        let least = probabilities.last().copied().unwrap_or(1.0);
        let most = probabilities.first().copied().unwrap_or(0.0);
        // One of them suffices: what is beyond it is beyond all.
        top_k.is_some_and(enough)
            || top_p.is_some_and(|p| probabilities.iter().sum::<f32>() >= p)
            || min_p.is_some_and(|share| least < share * most)
    }

    fn arrange(
        &self,
        step: usize,
        position: u32,
        row: &RowSummary,
        known: &mut [Scored],
    ) -> Option<usize> {
        let noise = self.options.noise(step).filter(|_| self.truncates())?;
        let kept = kept(&self.options.truncation, row, known);
        let drawn = &mut known[..kept];
        for scored in drawn.iter_mut() {
            let relative = (scored.logit - row.highest) / noise.temperature;
            scored.score = relative + gumbel(&noise, position, scored.token);
        }
        drawn.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.token.cmp(&b.token)));
        Some(kept)
    }
}

/// How many of the candidates, most probable first, a truncation keeps: at least one.
fn kept(truncation: &Truncation, row: &RowSummary, known: &[Scored]) -> usize {
    let mut kept = known.len();
    if let Some(k) = truncation.top_k {
        kept = kept.min(k);
    }
    if let Some(p) = truncation.top_p {
        let mut sum = 0.0;
        let before = known.iter().take_while(|scored| {
            let within = sum < p;
            sum += row.probability(scored);
            within
        });
        kept = kept.min(before.count());
    }
    if let Some(share) = truncation.min_p {
        let most = known.first().map_or(0.0, |best| row.probability(best));
        let likely = known
            .iter()
            .take_while(|scored| row.probability(scored) >= share * most);
        kept = kept.min(likely.count());
    }
    kept.max(1).min(known.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probabilities 0.5, 0.25, 0.15 and 0.1.
    fn row() -> RowSummary {
        let best = [0.5f32, 0.25, 0.15, 0.1].into_iter().zip(0..);
        let best = best.map(|(probability, token)| Scored {
            token,
            logit: probability.ln(),
            score: probability.ln(),
        });
        RowSummary {
            best: best.collect(),
            highest: 0.5f32.ln(),
            sum: 2.0,
            entropy: 0.0,
        }
    }

    #[test]
    fn a_truncation_keeps_the_most_probable() {
        let truncation = |top_k, top_p, min_p| Truncation {
            top_k,
            top_p,
            min_p,
        };
        for (truncation, expected) in [
            (truncation(None, None, None), 4),
            (truncation(Some(3), None, None), 3),
            (truncation(Some(0), None, None), 1),
            // The fewest whose probabilities come to so much.
            (truncation(None, Some(0.45), None), 1),
            (truncation(None, Some(0.55), None), 2),
            (truncation(None, Some(0.8), None), 3),
            (truncation(None, Some(1.0), None), 4),
            // Those at least so probable, in parts of the best one's.
            (truncation(None, None, Some(0.6)), 1),
            (truncation(None, None, Some(0.45)), 2),
            (truncation(None, None, Some(0.25)), 3),
            (truncation(None, None, Some(0.1)), 4),
            (truncation(Some(3), Some(0.55), Some(0.1)), 2),
        ] {
            let row = row();
            assert_eq!(
                kept(&truncation, &row, &row.best),
                expected,
                "{truncation:?}"
            );
        }
    }
}
