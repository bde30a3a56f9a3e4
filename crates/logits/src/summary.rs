//! Summaries of a row of logits, on the CPU: the reference for the card's.
//!
//! Cost: one exponential for each token of the row, and a heap of the best few.

use crate::noise::{Noise, gumbel};
use crate::token_set::TokenSet;

/// What a forward pass says about one position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSummary {
    /// The best tokens by score, best first; of equal scores the lower token first.
    pub best: Vec<Scored>,
    /// The highest logit of the tokens that count; −∞ if none does.
    pub highest: f32,
    /// Σ exp(logit − highest) over the tokens that count. Apart from `highest`, because a
    /// confident row's sum is 1 and a millionth: added to a logit, the millionth would be
    /// lost, and with it which of two confident rows is the more confident.
    pub sum: f32,
    /// Entropy of the distribution, in nats.
    pub entropy: f32,
}

impl RowSummary {
    /// The probability of a candidate of this row.
    pub fn probability(&self, candidate: &Scored) -> f32 {
        let probability = (candidate.logit - self.highest).exp() / self.sum;
        match probability.is_finite() {
            true => probability.min(1.0),
            false => 0.0,
        }
    }

    /// ln Σ exp(logit): the probability of a token is `exp(logit − log_sum)`.
    pub fn log_sum(&self) -> f32 {
        self.highest + self.sum.ln()
    }
}

/// A candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The token.
    pub token: u32,
    /// What the model said.
    pub logit: f32,
    /// What candidates are ordered by: the logit, or `(logit − highest) / temperature` with
    /// Gumbel noise, where `highest` is the highest logit that counts.
    pub score: f32,
}

/// Infinite logits would make the softmax undefined.
const LARGEST: f32 = 1e30;

/// The summary of the row at `position` (which only the noise depends on): `top` candidates
/// among the tokens of `writable`, which are also what the softmax is over. Logits that are
/// not numbers do not count.
pub fn summarize(
    logits: &[f32],
    writable: &TokenSet,
    top: usize,
    noise: Option<&Noise>,
    position: u32,
) -> RowSummary {
    let highest = highest(logits, writable);
    let (mut sum, mut weighted) = (0.0f32, 0.0f32);
    for (_, logit) in counted(logits, writable) {
        let relative = logit - highest;
        let exponential = relative.exp();
        sum += exponential;
        if exponential > 0.0 {
            weighted += exponential * relative;
        }
    }
    RowSummary {
        best: best_of(logits, writable, writable, top, noise, position),
        highest,
        sum,
        entropy: if sum > 0.0 {
            (sum.ln() - weighted / sum).max(0.0)
        } else {
            0.0
        },
    }
}

/// The `top` best tokens of `allowed`, with the scores that [`summarize`] gives what is `writable`
/// and would give the others.
pub fn best_of(
    logits: &[f32],
    writable: &TokenSet,
    allowed: &TokenSet,
    top: usize,
    noise: Option<&Noise>,
    position: u32,
) -> Vec<Scored> {
    let highest = highest(logits, writable);
    let mut best: Vec<Scored> = Vec::with_capacity(top.min(logits.len()) + 1);
    for (token, logit) in counted(logits, allowed) {
        let score = match noise {
            None => logit,
            Some(noise) => {
                let relative = ((logit - highest) / noise.temperature).max(-LARGEST);
                relative + gumbel(noise, position, token)
            }
        };
        if best.len() == top && best.last().is_none_or(|last| last.score >= score) {
            continue;
        }
        let at = best.partition_point(|other| other.score >= score);
        best.insert(
            at,
            Scored {
                token,
                logit,
                score,
            },
        );
        best.truncate(top);
    }
    best
}

fn counted<'a>(logits: &'a [f32], tokens: &'a TokenSet) -> impl Iterator<Item = (u32, f32)> + 'a {
    logits
        .iter()
        .enumerate()
        .map(|(token, &logit)| (token as u32, logit))
        .filter(|&(token, logit)| !logit.is_nan() && tokens.contains(token))
        .map(|(token, logit)| (token, logit.clamp(-LARGEST, LARGEST)))
}

fn highest(logits: &[f32], writable: &TokenSet) -> f32 {
    counted(logits, writable).fold(f32::NEG_INFINITY, |most, (_, logit)| most.max(logit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(summary: &[Scored]) -> Vec<u32> {
        summary.iter().map(|scored| scored.token).collect()
    }

    #[test]
    fn candidates_come_best_first_and_lower_tokens_win_ties() {
        let logits = [1.0, 3.0, f32::NAN, 3.0, 2.0, f32::INFINITY];
        let all_but_last = TokenSet::from_fn(6, |token| token < 5);
        let summary = summarize(&logits, &all_but_last, 3, None, 0);
        assert_eq!(tokens(&summary.best), [1, 3, 4]);
        let sum: f32 = [1.0f32, 3.0, 3.0, 2.0].iter().map(|x| x.exp()).sum();
        assert!((summary.log_sum() - sum.ln()).abs() < 1e-6);
        let entropy: f32 = [1.0f32, 3.0, 3.0, 2.0]
            .iter()
            .map(|x| (x - sum.ln()).exp() * (sum.ln() - x))
            .sum();
        assert!((summary.entropy - entropy).abs() < 1e-6);
        assert!((summary.probability(&summary.best[0]) - (3.0 - sum.ln()).exp()).abs() < 1e-6);

        let odd = TokenSet::from_fn(6, |token| token % 2 == 1);
        let narrowed = best_of(&logits, &all_but_last, &odd, 9, None, 0);
        assert_eq!(
            tokens(&narrowed),
            [5, 1, 3],
            "the last, too, though not writable"
        );
    }

    #[test]
    fn a_row_without_a_token_that_counts_is_empty() {
        let summary = summarize(&[f32::NAN; 4], &TokenSet::from_fn(4, |_| true), 2, None, 0);
        assert_eq!((summary.best.len(), summary.entropy), (0, 0.0));
        assert_eq!((summary.sum, summary.log_sum()), (0.0, f32::NEG_INFINITY));
    }

    #[test]
    fn of_two_confident_rows_the_more_confident_is_known() {
        let summary = |other: f32| {
            let row = [20.0, other];
            summarize(&row, &TokenSet::from_fn(2, |_| true), 1, None, 0)
        };
        let (surer, sure) = (summary(4.5), summary(5.0));
        assert!(surer.probability(&surer.best[0]) > sure.probability(&sure.best[0]));
    }

    #[test]
    fn noise_samples_by_the_softmax() {
        let logits = [0.0f32, 1.0, 2.0];
        let all = TokenSet::from_fn(3, |_| true);
        let mut counts = [0u32; 3];
        for step in 0..30_000 {
            let noise = Noise {
                temperature: 1.0,
                seed: 42,
                step: step % 60_000,
            };
            let best = summarize(&logits, &all, 1, Some(&noise), 3).best[0];
            counts[best.token as usize] += 1;
        }
        let total: f32 = logits.iter().map(|x| x.exp()).sum();
        for (count, logit) in counts.iter().zip(logits) {
            let share = *count as f32 / 30_000.0;
            // Four standard errors of a share of 30,000.
            assert!((share - logit.exp() / total).abs() < 0.0116, "{counts:?}");
        }
    }

    #[test]
    fn a_narrowed_row_keeps_its_scores() {
        let logits: Vec<f32> = (0..40).map(|x| (x as f32 * 1.7).sin() * 3.0).collect();
        let all = TokenSet::from_fn(40, |_| true);
        let noise = Noise {
            temperature: 0.7,
            seed: 1,
            step: 2,
        };
        let full = summarize(&logits, &all, 40, Some(&noise), 9).best;
        let even = TokenSet::from_fn(40, |token| token % 2 == 0);
        let expected: Vec<Scored> = full.into_iter().filter(|s| s.token % 2 == 0).collect();
        assert_eq!(best_of(&logits, &all, &even, 40, Some(&noise), 9), expected);
    }
}
