//! Candidates for the masked cells of a step.
//!
//! A cell knows the model's best few candidates. A refused one makes way for the
//! next that is not ruled out; when none of them is left, the model is asked for
//! the best of what may still be taken ([`Proposals::wants_more`]), so how many
//! are known at a time changes nothing but how often the model is asked. The
//! confidence of a candidate is the probability that the model gives it without
//! noise.
//!
//! Tokens whose logits a [`Sampler`] changes are all asked for at once, and the model
//! summarises the others alone: what is small beside a token that is taken down is not lost in
//! a difference. Those that fall below the last one known wait until what lies between is
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
    /// The logit that the scores of noise count from.
    noise_from: f32,
    changes: Vec<Change>,
    /// The temperature of the model's noise; 1 without.
    temperature: f32,
    /// What was not refused nor ruled out of what is known, best first.
    known: VecDeque<Scored>,
    /// Candidates that come behind some that are not known yet.
    waiting: Vec<Scored>,
    /// How many of those known in front a truncation leaves, where there is one.
    drawn: Option<usize>,
    /// Whether the model has candidates beyond the known ones.
    more: bool,
    /// What was not refused nor ruled out of the tokens that are not known.
    unseen: TokenSet,
    /// Tokens that were ever known, and their probability, which is not the others' to share.
    told: (usize, f32),
    margin: f32,
}

impl Proposals {
    /// From what the model says of a cell when asked for `top` candidates that are
    /// `writable` and not among `changes`, and for all tokens of these. A sum of 0 in the
    /// summary: there are no others.
    pub(crate) fn new(
        (cell, row): (usize, usize),
        mut summary: RowSummary,
        (changes, changed): (&[Change], Vec<Scored>),
        temperature: f32,
        writable: &TokenSet,
        top: usize,
    ) -> Self {
        let best = std::mem::take(&mut summary.best);
        let mut proposals = Self {
            cell,
            row,
            changes: changes.to_vec(),
            temperature,
            known: VecDeque::new(),
            waiting: Vec::new(),
            drawn: None,
            more: false,
            unseen: writable.clone(),
            told: (0, 0.0),
            margin: 0.0,
            noise_from: summary.highest,
            summary,
        };
        for change in changes {
            proposals.unseen.remove(change.token);
        }
        proposals.change_summary(changed);
        for at in 0..proposals.waiting.len() {
            proposals.tell(proposals.waiting[at]);
        }
        proposals.margin = margin(&proposals.summary, best.iter().chain(&proposals.waiting));
        proposals.learn(best, top);
        proposals
    }

    pub(crate) fn cell(&self) -> usize {
        self.cell
    }

    pub(crate) fn row(&self) -> usize {
        self.row
    }

    /// Entropy of the model's distribution, changes made.
    pub(crate) fn entropy(&self) -> f32 {
        self.summary.entropy
    }

    /// How far the most probable candidate was ahead of the second, changes made.
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

    /// The candidates that are known, at most `width` and no more than a truncation leaves, by the
    /// logarithms of their probabilities, noise included; the rest shares what is left of the
    /// probability.
    pub(crate) fn weights(&self, width: usize, tokens: usize) -> Weights {
        let noisy = |scored: &Scored| {
            let noise = scored.score - scored.logit / self.temperature;
            // Scores are from the highest logit on where there is noise.
            match scored.score == scored.logit {
                true => 0.0,
                false => noise + self.noise_from / self.temperature,
            }
        };
        let width = self.drawn.map_or(width, |drawn| drawn.min(width));
        let (mut told, mut left) = (self.told.0, 1.0 - self.told.1);
        let mut best: Vec<(TokenId, f32)> = Vec::new();
        for (at, scored) in self.known.iter().chain(&self.waiting).enumerate() {
            let probability = self.summary.probability(scored);
            if at < width.max(1) && at < self.known.len() {
                let log = probability.max(f32::MIN_POSITIVE).ln();
                best.push((scored.token, log / self.temperature + noisy(scored)));
            } else {
                (told, left) = (told.saturating_sub(1), left + probability);
            }
        }
        let others = tokens.saturating_sub(told).max(1) as f32;
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
            // Without noise they are the same, to the last bit.
            let score = match scored.score == scored.logit {
                true => logit,
                false => scored.score + (logit - scored.logit) / self.temperature,
            };
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
        self.retain(|token| token != scored.token);
        self.known.push_front(changed);
        self.drawn = self.drawn.map(|drawn| drawn + 1);
        self.settle();
    }

    /// Whether there is one candidate, all others having been refused or ruled out.
    pub(crate) fn is_forced(&self) -> bool {
        self.known.len() == 1 && self.waiting.is_empty() && !self.has_more()
    }

    /// Drops the best candidate.
    pub(crate) fn refuse(&mut self) {
        self.known.pop_front();
        self.drawn = self.drawn.map(|drawn| drawn.saturating_sub(1));
    }

    /// Drops every candidate that is not possible.
    pub(crate) fn keep(&mut self, possible: &TokenSet) {
        self.unseen.intersect(possible);
        self.retain(|token| possible.contains(token));
        self.settle();
    }

    fn retain(&mut self, stays: impl Fn(TokenId) -> bool) {
        if let Some(drawn) = &mut self.drawn {
            let left = self.known.iter().take(*drawn);
            *drawn = left.filter(|scored| stays(scored.token)).count();
        }
        self.known.retain(|scored| stays(scored.token));
        self.waiting.retain(|scored| stays(scored.token));
    }

    /// Where no more can come, nothing has to wait for it.
    fn settle(&mut self) {
        if !self.has_more() {
            self.known.extend(self.waiting.drain(..));
        }
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

    /// Lets the sampler put what is known in order, of a cell whose noise is that of `position`.
    pub(crate) fn arrange(&mut self, sampler: &dyn Sampler, step: usize, position: u32) {
        let summary = &self.summary;
        let known = self.known.make_contiguous();
        self.drawn = sampler.arrange(step, position, summary, known);
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
                self.tell(scored);
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

    fn tell(&mut self, scored: Scored) {
        let (tokens, probability) = self.told;
        self.told = (tokens + 1, probability + self.summary.probability(&scored));
    }

    /// Makes the softmax, so far that of what is not changed, that of all.
    fn change_summary(&mut self, changed: Vec<Scored>) {
        if changed.is_empty() {
            return;
        }
        let changed = changed.into_iter().map(|scored| self.changed(scored));
        self.waiting = changed.collect();
        let (sum, highest) = (f64::from(self.summary.sum), f64::from(self.summary.highest));
        let logits = self.waiting.iter().map(|scored| f64::from(scored.logit));
        let others = if sum > 0.0 {
            highest
        } else {
            f64::NEG_INFINITY
        };
        let top = logits.clone().fold(others, f64::max);
        // Of the others, seen from the highest logit of all: Σ e^(l − h), and of the entropy
        // Σ e^(l − h) · (l − h).
        let (mut all, mut weighted) = (0.0, 0.0);
        if sum > 0.0 {
            let scale = (highest - top).exp();
            let of_entropy = sum * (sum.ln() - f64::from(self.summary.entropy));
            all = scale * sum;
            weighted = scale * (of_entropy + (highest - top) * sum);
        }
        for logit in logits {
            let relative = logit - top;
            all += relative.exp();
            weighted += relative.exp() * relative;
        }
        self.summary.highest = top as f32;
        self.summary.sum = all as f32;
        self.summary.entropy = (all.ln() - weighted / all).max(0.0) as f32;
    }
}

fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.token.cmp(&b.token))
}

/// The difference between the two highest probabilities of the candidates named.
fn margin<'a>(summary: &RowSummary, best: impl Iterator<Item = &'a Scored>) -> f32 {
    let mut probabilities: Vec<f32> = best.map(|s| summary.probability(s)).collect();
    probabilities.sort_by(|a, b| b.total_cmp(a));
    let probability = |at: usize| probabilities.get(at).copied().unwrap_or(0.0);
    probability(0) - probability(1)
}

#[cfg(test)]
mod tests {
    use lacuna_logits::{best_of, summarize};

    use super::*;
    use crate::sampler::OptionSampler;
    use crate::{Options, Truncation};

    const LOGITS: [f32; 8] = [2.0, -1.0, 0.5, 3.0, 1.5, -2.0, 0.0, 1.0];

    /// What is proposed of these logits, `top` known at a time.
    fn proposed(logits: &[f32; 8], changes: &[Change], top: usize) -> Proposals {
        let all = TokenSet::from_fn(8, |_| true);
        let named = |token| changes.iter().any(|change| change.token == token);
        let others = TokenSet::from_fn(8, |token| !named(token));
        let named = TokenSet::from_fn(8, named);
        let changed = best_of(logits, &others, &named, 8, None, 0);
        let summary = summarize(logits, &others, top, None, 0);
        Proposals::new((0, 0), summary, (changes, changed), 1.0, &all, top)
    }

    /// The order of all candidates and their probabilities, `top` known at a time.
    fn dealt(changes: &[Change], top: usize) -> Vec<(TokenId, f32)> {
        let all = TokenSet::from_fn(8, |_| true);
        let top = top.max(changes.len());
        let mut row = proposed(&LOGITS, changes, top);
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

    fn less(token: TokenId, by: f32) -> Change {
        Change {
            token,
            penalty: 1.0,
            bias: -by,
        }
    }

    #[test]
    fn the_entropy_and_the_margin_are_those_of_the_changed_logits() {
        let row = proposed(&LOGITS, &[less(3, 2.5)], 4);
        let mut logits = LOGITS;
        logits[3] -= 2.5;
        let all = TokenSet::from_fn(8, |_| true);
        let expected = summarize(&logits, &all, 4, None, 0);
        assert!((row.entropy() - expected.entropy).abs() < 1e-5);
        let [first, second] = [0, 1].map(|at| expected.probability(&expected.best[at]));
        assert!((row.margin() - (first - second)).abs() < 1e-5);
    }

    #[test]
    fn what_was_small_beside_a_token_that_is_taken_down_keeps_its_probability() {
        let mut logits = LOGITS;
        logits[5] = 60.0;
        let best = proposed(&logits, &[less(5, 1000.0)], 2).best();
        let without = TokenSet::from_fn(8, |token| token != 5);
        let expected = summarize(&logits, &without, 1, None, 0);
        let best = best.expect("a candidate");
        assert_eq!(best.token, 3);
        assert!((best.probability - expected.probability(&expected.best[0])).abs() < 1e-6);
    }

    #[test]
    fn all_logits_may_change() {
        let changes: Vec<Change> = (0..8).map(|token| less(token, 4.0)).collect();
        let mut row = proposed(&LOGITS, &changes, 8);
        row.summary.sum = 0.0;
        let row = {
            let (summary, named) = (row.summary, TokenSet::from_fn(8, |_| true));
            let changed = best_of(&LOGITS, &named, &named, 8, None, 0);
            Proposals::new((0, 0), summary, (&changes, changed), 1.0, &named, 8)
        };
        let all = TokenSet::from_fn(8, |_| true);
        let expected = summarize(&LOGITS, &all, 1, None, 0);
        let best = row.best().expect("a candidate");
        assert!((best.probability - expected.probability(&expected.best[0])).abs() < 1e-6);
        assert!((row.entropy() - expected.entropy).abs() < 1e-5);
    }

    #[test]
    fn what_waits_comes_when_nothing_else_can() {
        let mut row = proposed(&LOGITS, &[less(0, 90.0), less(3, 50.0)], 2);
        row.keep(&TokenSet::from_fn(8, |token| token == 0 || token == 3));
        assert_eq!(row.best().map(|best| best.token), Some(3));
        row.refuse();
        assert!(row.is_forced());
        assert_eq!(row.best().map(|best| best.token), Some(0));
    }

    #[test]
    fn without_noise_weights_are_the_logarithms_of_probabilities() {
        for at in 0..200 {
            let logits = LOGITS.map(|logit| logit + at as f32 / 97.0);
            let change = |token| Change {
                penalty: 1.7,
                ..less(token, at as f32 / 89.0)
            };
            let row = proposed(&logits, &[change(0), change(3)], 8);
            for (token, weight) in row.weights(8, 8).best {
                let candidate = row.known.iter().find(|scored| scored.token == token);
                let probability = row.candidate(candidate.expect("a candidate")).probability;
                assert!(
                    (weight - probability.ln()).abs() < 1e-5,
                    "{token}: {weight}"
                );
            }
        }
    }

    #[test]
    fn what_was_ruled_out_leaves_its_probability_to_nobody() {
        let mut logits = LOGITS;
        logits[3] = 9.0;
        let mut row = proposed(&logits, &[], 3);
        let rest = row.weights(3, 8).rest;
        row.keep(&TokenSet::from_fn(8, |token| token != 3));
        assert!((row.weights(3, 8).rest - rest).abs() < 1e-6);
        row.refuse();
        assert!((row.weights(3, 8).rest - rest).abs() < 1e-6);
    }

    #[test]
    fn what_a_truncation_cuts_weighs_no_more_than_the_rest() {
        let options = Options {
            temperature: 1.0,
            truncation: Truncation {
                top_k: Some(2),
                ..Truncation::default()
            },
            ..Options::default()
        };
        let mut row = proposed(&LOGITS, &[], 6);
        row.arrange(&OptionSampler::new(&options), 0, 7);
        let weights = row.weights(32, 8);
        let mut named: Vec<TokenId> = weights.best.iter().map(|&(token, _)| token).collect();
        named.sort_unstable();
        assert_eq!(named, [0, 3]);
        assert!(
            weights
                .best
                .iter()
                .all(|&(_, weight)| weight >= weights.rest)
        );
    }
}
