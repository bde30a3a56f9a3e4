//! Candidates for the masked cells of a step.
//!
//! A cell knows the model's best few candidates. A refused one makes way for the
//! next that is not ruled out; when none of them is left, the model is asked for
//! the best of what may still be taken ([`Proposals::wants_more`]), so how many
//! are known at a time changes nothing but how often the model is asked. The
//! confidence of a candidate is the probability that the model gives it without
//! noise.
//!
//! Tokens whose logits a [`Sampler`] changes are all asked for at
//! once; those that fall below the last one known wait until what lies between is
//! known too.

use std::cmp::Ordering;
use std::collections::VecDeque;

use lacuna_checker::Weights;
use lacuna_lexer::TokenId;
use lacuna_logits::{RowSummary, Scored, TokenSet};

use crate::sampler::{Change, Sampler};

/// A proposed token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The cell.
    pub cell: usize,
    /// The token.
    pub token: TokenId,
    /// The probability the model gives it.
    pub probability: f32,
}

/// The candidates of one masked cell.
#[derive(Debug)]
pub(crate) struct Proposals {
    cell: usize,
    /// The cell's index among those that the model was asked about.
    row: usize,
    summary: RowSummary,
    changes: Vec<Change>,
    /// The temperature of the model's noise; 1 without.
    temperature: f32,
    /// What was not refused nor ruled out of what is known, best first.
    known: VecDeque<Scored>,
    /// Candidates that come behind some that are not known yet.
    waiting: Vec<Scored>,
    /// Whether the model has candidates beyond the known ones.
    more: bool,
    /// What was not refused nor ruled out of the tokens that are not known.
    unseen: TokenSet,
    margin: f32,
}

impl Proposals {
    /// From what the model says of a cell when asked for `top` candidates that are
    /// `writable`, and for all tokens of `changes`.
    pub(crate) fn new(
        (cell, row): (usize, usize),
        mut summary: RowSummary,
        (changes, changed): (&[Change], Vec<Scored>),
        temperature: f32,
        writable: &TokenSet,
        top: usize,
    ) -> Self {
        let best = std::mem::take(&mut summary.best);
        let margin = margin(&summary, &best);
        let mut proposals = Self {
            cell,
            row,
            changes: changes.to_vec(),
            temperature,
            known: VecDeque::new(),
            waiting: Vec::new(),
            more: false,
            unseen: writable.clone(),
            margin,
            summary,
        };
        for change in changes {
            proposals.unseen.remove(change.token);
        }
        proposals.change_summary(changed);
        proposals.learn(best, top);
        proposals
    }

    pub(crate) fn cell(&self) -> usize {
        self.cell
    }

    pub(crate) fn row(&self) -> usize {
        self.row
    }

    /// Entropy of the model's distribution.
    pub(crate) fn entropy(&self) -> f32 {
        self.summary.entropy
    }

    /// How far the best candidate was ahead of the second.
    pub(crate) fn margin(&self) -> f32 {
        self.margin
    }

    /// The best candidate that is known and was not refused.
    pub(crate) fn best(&self) -> Option<Candidate> {
        self.known.front().map(|scored| self.candidate(scored))
    }

    /// A token of this cell as the model scored it, changes made.
    pub(crate) fn candidate(&self, scored: &Scored) -> Candidate {
        Candidate {
            cell: self.cell,
            token: scored.token,
            probability: self.summary.probability(scored),
        }
    }

    /// The candidates that are known, at most `width`, by the logarithms of their
    /// probabilities, noise included; the rest shares what is left of the probability.
    pub(crate) fn weights(&self, width: usize, tokens: usize) -> Weights {
        let noisy = |scored: &Scored| {
            let noise = scored.score - scored.logit / self.temperature;
            // Scores are from the highest logit on where there is noise.
            match scored.score == scored.logit {
                true => 0.0,
                false => noise + self.summary.highest / self.temperature,
            }
        };
        let known = self.known.iter().take(width.max(1));
        let mut left = 1.0f32;
        let mut best: Vec<(TokenId, f32)> = Vec::new();
        for scored in known {
            let probability = self.summary.probability(scored);
            left -= probability;
            let log = probability.max(f32::MIN_POSITIVE).ln();
            best.push((scored.token, log / self.temperature + noisy(scored)));
        }
        let others = tokens.saturating_sub(best.len()).max(1) as f32;
        let rest = (left.max(0.0) / others).max(f32::MIN_POSITIVE).ln() / self.temperature;
        let least = best.iter().map(|&(_, weight)| weight);
        Weights {
            rest: least.fold(rest, f32::min),
            best,
        }
    }

    /// What the model said of a token of this cell, with its logit as changed.
    pub(crate) fn changed(&self, scored: Scored) -> Scored {
        let change = self
            .changes
            .binary_search_by_key(&scored.token, |c| c.token);
        change.map_or(scored, |at| {
            let logit = self.changes[at].apply(scored.logit);
            let score = scored.score + (logit - scored.logit) / self.temperature;
            Scored {
                logit,
                score,
                ..scored
            }
        })
    }

    /// Puts a token first, as the model scored it.
    pub(crate) fn prefer(&mut self, scored: Scored) {
        let changed = self.changed(scored);
        self.unseen.remove(scored.token);
        self.known.retain(|known| known.token != scored.token);
        self.waiting.retain(|waiting| waiting.token != scored.token);
        self.known.push_front(changed);
    }

    /// Whether there is one candidate, all others having been refused or ruled out.
    pub(crate) fn is_forced(&self) -> bool {
        self.known.len() == 1 && self.waiting.is_empty() && !self.has_more()
    }

    /// Drops the best candidate.
    pub(crate) fn refuse(&mut self) {
        self.known.pop_front();
    }

    /// Drops every candidate that is not possible.
    pub(crate) fn keep(&mut self, possible: &TokenSet) {
        self.unseen.intersect(possible);
        self.known.retain(|scored| possible.contains(scored.token));
        self.waiting
            .retain(|scored| possible.contains(scored.token));
    }

    /// The tokens among which the model is to be asked for more candidates, if
    /// no known one is left and there can be others.
    pub(crate) fn wants_more(&self) -> Option<&TokenSet> {
        (self.known.is_empty() && self.has_more()).then_some(&self.unseen)
    }

    fn has_more(&self) -> bool {
        self.more && !self.unseen.is_empty()
    }

    /// The tokens to ask for before the sampler can arrange what is known.
    pub(crate) fn wants_more_to_arrange(&self, sampler: &dyn Sampler) -> Option<&TokenSet> {
        let probability = |scored| self.summary.probability(scored);
        let probabilities: Vec<f32> = self.known.iter().map(probability).collect();
        let rest = match self.has_more() {
            true => 1.0 - probabilities.iter().sum::<f32>(),
            false => 0.0,
        };
        (self.has_more() && !sampler.suffices(&probabilities, rest)).then_some(&self.unseen)
    }

    /// Lets the sampler put what is known in order.
    pub(crate) fn arrange(&mut self, sampler: &dyn Sampler, step: usize) {
        let (cell, summary) = (self.cell, &self.summary);
        sampler.arrange(step, cell, summary, self.known.make_contiguous());
    }

    /// Takes the model's answer to [`Proposals::wants_more`], of `top` that were
    /// asked for.
    pub(crate) fn learn(&mut self, candidates: Vec<Scored>, top: usize) {
        self.more = candidates.len() >= top;
        let bound = candidates.last().map(|last| last.score);
        for scored in candidates {
            // Those whose logits are changed are known already.
            if self.unseen.contains(scored.token) {
                self.unseen.remove(scored.token);
                self.waiting.push(scored);
            }
        }
        self.waiting.sort_by(by_score);
        let certain = match bound.filter(|_| self.has_more()) {
            Some(bound) => self.waiting.partition_point(|scored| scored.score >= bound),
            None => self.waiting.len(),
        };
        self.known.extend(self.waiting.drain(..certain));
    }

    /// Makes the softmax that of the logits as changed.
    fn change_summary(&mut self, changed: Vec<Scored>) {
        let RowSummary {
            highest,
            sum,
            entropy,
            ..
        } = self.summary;
        let (mut sum, mut weighted) = (f64::from(sum), {
            // Σ e^(l − h) · (l − h), from the entropy.
            f64::from(sum) * (f64::from(sum).ln() - f64::from(entropy))
        });
        if changed.is_empty() || sum <= 0.0 {
            return;
        }
        let after: Vec<Scored> = changed.iter().map(|&scored| self.changed(scored)).collect();
        let relative = |scored: &Scored| f64::from(scored.logit) - f64::from(highest);
        for before in &changed {
            let relative = relative(before);
            sum -= relative.exp();
            weighted -= relative.exp() * relative;
        }
        let lift = after.iter().map(relative).fold(0.0, f64::max);
        // What is left of the others, seen from the highest logit after the changes.
        let scale = (-lift).exp();
        (sum, weighted) = (
            sum.max(0.0) * scale,
            scale * (weighted - lift * sum.max(0.0)),
        );
        for scored in &after {
            let relative = relative(scored) - lift;
            sum += relative.exp();
            weighted += relative.exp() * relative;
        }
        self.summary.highest = highest + lift as f32;
        self.summary.sum = sum as f32;
        self.summary.entropy = match sum > 0.0 {
            true => (sum.ln() - weighted / sum).max(0.0) as f32,
            false => 0.0,
        };
        self.waiting = after;
    }
}

fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.token.cmp(&b.token))
}

/// The difference between the two highest probabilities of the candidates named.
fn margin(summary: &RowSummary, best: &[Scored]) -> f32 {
    let mut probabilities: Vec<f32> = best.iter().map(|s| summary.probability(s)).collect();
    probabilities.sort_by(|a, b| b.total_cmp(a));
    let probability = |at: usize| probabilities.get(at).copied().unwrap_or(0.0);
    probability(0) - probability(1)
}

#[cfg(test)]
mod tests {
    use lacuna_logits::{best_of, summarize};

    use super::*;

    const LOGITS: [f32; 8] = [2.0, -1.0, 0.5, 3.0, 1.5, -2.0, 0.0, 1.0];

    /// The order of all candidates and their probabilities, `top` known at a time.
    fn dealt(changes: &[Change], top: usize) -> Vec<(TokenId, f32)> {
        let all = TokenSet::from_fn(8, |_| true);
        let top = top.max(changes.len());
        let mut named = TokenSet::empty(8);
        changes.iter().for_each(|c| named.insert(c.token));
        let changed = best_of(&LOGITS, &all, &named, top, None, 0);
        let summary = summarize(&LOGITS, &all, top, None, 0);
        let mut row = Proposals::new((0, 0), summary, (changes, changed), 1.0, &all, top);
        let mut dealt = Vec::new();
        loop {
            if let Some(allowed) = row.wants_more() {
                let more = best_of(&LOGITS, &all, allowed, top, None, 0);
                row.learn(more, top);
            }
            let Some(best) = row.best() else {
                return dealt;
            };
            dealt.push((best.token, best.probability));
            row.refuse();
        }
    }

    #[test]
    fn changed_logits_come_in_their_place_however_many_are_known() {
        let change = |token, penalty, bias| Change {
            token,
            penalty,
            bias,
        };
        let changes = [
            change(1, 2.0, 0.0),
            change(3, 4.0, 0.0),
            change(5, 1.0, 90.0),
            change(7, 1.0, -0.75),
        ];
        let mut expected: Vec<(TokenId, f32)> = (0..).zip(LOGITS).collect();
        for change in changes {
            let logit = &mut expected[change.token as usize].1;
            *logit = change.apply(*logit);
        }
        let most = expected.iter().map(|e| e.1).fold(f32::MIN, f32::max);
        let sum: f32 = expected.iter().map(|e| (e.1 - most).exp()).sum();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        for top in 1..=8 {
            let dealt = dealt(&changes, top);
            assert_eq!(dealt.len(), 8, "{top}");
            for ((token, probability), (wanted, logit)) in dealt.into_iter().zip(&expected) {
                assert_eq!(token, *wanted, "{top}");
                assert!((probability - (logit - most).exp() / sum).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn the_entropy_is_that_of_the_changed_logits() {
        let all = TokenSet::from_fn(8, |_| true);
        let changes = [Change {
            token: 3,
            penalty: 1.0,
            bias: -2.5,
        }];
        let named = TokenSet::from_fn(8, |token| token == 3);
        let changed = best_of(&LOGITS, &all, &named, 4, None, 0);
        let summary = summarize(&LOGITS, &all, 4, None, 0);
        let row = Proposals::new((0, 0), summary, (&changes, changed), 1.0, &all, 4);
        let mut logits = LOGITS;
        logits[3] -= 2.5;
        let expected = summarize(&logits, &all, 4, None, 0).entropy;
        assert!((row.entropy() - expected).abs() < 1e-5);
    }
}
