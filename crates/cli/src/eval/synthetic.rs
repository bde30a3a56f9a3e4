//! Probabilities made of a reference text and noise, where no model writes the language.
//!
//! For each cell, every token t has a number z(t): Gaussian noise of variance 1, and μ
//! more for the reference's token. With a prior q over tokens, how often each occurs in
//! all references, the chance that t is the reference's token is proportional to
//! q(t)·exp(μ·z(t)); so ln q(t) + μ·z(t) are the logits. They are calibrated by
//! construction: of the candidates that are given probability p, a share p is right. μ is
//! what a cell's context tells: it doubles from a bare canvas to a filled one
//! ([`Synthetic::strength`]). The noise of a cell stays the same from step to step, so a
//! mistake is one that the model insists on until more of the text is known.

use std::sync::Arc;

use lacuna_decoder::{DenoiseRequest, Denoiser, DenoiserError, NarrowRequest};
use lacuna_lexer::TokenId;
use lacuna_logits::{Noise, RowSummary, Scored, gumbel};

use super::dense::Asked;

/// A model that knows a reference text, more or less.
pub struct Synthetic {
    /// The token of every cell.
    reference: Vec<TokenId>,
    /// ln q of every token.
    prior: Arc<Vec<f32>>,
    signal: f32,
    seed: u64,
    /// The noise of each cell, once it was asked about.
    noise: Vec<Vec<f32>>,
    rows: Vec<Vec<f32>>,
    asked: Asked,
}

impl Synthetic {
    /// For a reference, a token for every cell.
    pub fn new(reference: Vec<TokenId>, prior: Arc<Vec<f32>>, signal: f32, seed: u64) -> Self {
        Self {
            noise: vec![Vec::new(); reference.len()],
            reference,
            prior,
            signal,
            seed,
            rows: Vec::new(),
            asked: Asked::default(),
        }
    }

    /// μ where this share of the cells is known.
    fn strength(&self, known: f32) -> f32 {
        self.signal * (1.0 + known)
    }
}

/// A standard normal number that depends on nothing but its place. No sampler draws from the same
/// seeds: those that are counted up from nothing are far from these.
fn normal(seed: u64, cell: usize, token: usize) -> f32 {
    let draw = |step| {
        let noise = Noise {
            temperature: 1.0,
            seed: !seed,
            step,
        };
        // The uniform number that Gumbel noise is made of.
        (-(-gumbel(&noise, cell as u32, token as u32)).exp()).exp()
    };
    let (radius, angle) = (draw(1).clamp(1e-7, 1.0), draw(2));
    (-2.0 * radius.ln()).sqrt() * (std::f32::consts::TAU * angle).cos()
}

impl Denoiser for Synthetic {
    fn vocabulary_size(&self) -> usize {
        self.prior.len()
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        let cells = request.cells;
        let known = cells.iter().flatten().count() as f32 / cells.len().max(1) as f32;
        let strength = self.strength(known);
        self.rows = vec![Vec::new(); cells.len()];
        for &cell in request.masked {
            let wanted = self.reference.get(cell).map(|&token| token as usize);
            let Some(noise) = self.noise.get_mut(cell) else {
                continue;
            };
            if noise.is_empty() {
                noise.extend((0..self.prior.len()).map(|token| normal(self.seed, cell, token)));
            }
            let shift = |token| if wanted == Some(token) { strength } else { 0.0 };
            let rows = self.prior.iter().zip(noise).enumerate();
            let logits = rows.map(|(token, (prior, z))| prior + strength * (*z + shift(token)));
            self.rows[cell] = logits.collect();
        }
        Ok(self.asked.answer(request, &self.rows))
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        Ok(self.asked.narrow(asks, &self.rows))
    }
}

#[cfg(test)]
mod tests {
    use lacuna_engine::block_on;
    use lacuna_logits::TokenSet;

    use super::*;

    #[test]
    fn the_probabilities_are_calibrated() {
        let size = 200;
        let weight = |token: usize| 1.0 / (token + 1) as f32;
        let sum: f32 = (0..size).map(weight).sum();
        let prior: Vec<f32> = (0..size).map(|token| (weight(token) / sum).ln()).collect();
        let writable = TokenSet::from_fn(size, |_| true);
        // Ten bins of probability: how often the best candidate is right in each.
        let mut bins = [(0.0f32, 0.0f32, 0.0f32); 10];
        for seed in 0..40 {
            // References drawn from the prior.
            let reference = (0..100).map(|cell| {
                let mut left = (-(-gumbel(
                    &Noise {
                        temperature: 1.0,
                        seed,
                        step: 9,
                    },
                    cell,
                    7,
                ))
                .exp())
                .exp();
                let found = (0..size).find(|&token| {
                    left -= weight(token) / sum;
                    left <= 0.0
                });
                found.unwrap_or(size - 1) as TokenId
            });
            let reference: Vec<TokenId> = reference.collect();
            let mut model = Synthetic::new(reference.clone(), Arc::new(prior.clone()), 1.5, seed);
            let cells = vec![None; 100];
            let masked: Vec<usize> = (0..100).collect();
            let rows = block_on(model.denoise(&DenoiseRequest {
                cells: &cells,
                masked: &masked,
                writable: &writable,
                top: 1,
                noise: None,
                kept: None,
            }));
            for (row, wanted) in rows.expect("rows").iter().zip(&reference) {
                let probability = row.probability(&row.best[0]);
                let bin = &mut bins[((probability * 10.0) as usize).min(9)];
                bin.0 += 1.0;
                bin.1 += probability;
                bin.2 += f32::from(u8::from(row.best[0].token == *wanted));
            }
        }
        for (count, said, right) in bins {
            let (said, share) = (said / count, right / count);
            // Four standard errors.
            let error = 4.0 * (said * (1.0 - said) / count).sqrt();
            assert!(
                count < 30.0 || (said - share).abs() < error,
                "{said} {share} of {count}"
            );
        }
    }
}
