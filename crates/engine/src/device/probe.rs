//! Whether a card says what the processor says, and how fast.
//!
//! Drivers and shader compilers have defects, and a card can be slower than the
//! processor beside it. Neither can be told from its name, so the model itself is
//! run on both: a few canvases of different lengths for their answers, the longest
//! of them again for the time. Cost: some forward passes on each, short ones only if
//! the card is software.

use lacuna_logits::{RowSummary, TokenSet};
use lacuna_model::{CpuTransformer, ForwardError, ForwardPass, ModelConfig, StepRequest};

use super::card::Card;

/// How far logits of two devices may be apart, in nats: activations are rounded to
/// 16 bits on the processor and, where the adapter has them, to half precision on a
/// card. Of tokens that are closer than this, either may come first.
pub const TOLERANCE: f32 = 0.05;

/// Positions of the canvases, a third of them prompt.
const LENGTHS: [usize; 3] = [12, 33, 96];
/// Runs of the longest, of which the fastest counts.
const ROUNDS: usize = 3;
/// Rows whose answers are compared.
const ROWS: usize = 32;

/// What a probe finds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Finding {
    /// The answers agree; the card takes this share of the processor's time.
    Agrees { share: f64 },
    /// They do not: the first difference, in words.
    Differs(String),
    /// The card failed.
    Failed(ForwardError),
}

/// Compares a card with the processor.
///
/// # Errors
/// The processor's.
pub(super) async fn probe(
    cpu: &mut CpuTransformer,
    card: &mut Card,
    clock: &dyn Fn() -> f64,
) -> Result<Finding, ForwardError> {
    let canvases = LENGTHS.map(|length| Canvas::new(cpu.config(), length));
    let mut share = f64::INFINITY;
    for (at, canvas) in canvases.iter().enumerate() {
        let theirs = match card.step(&canvas.request()).await {
            Ok(theirs) => theirs,
            Err(error) => return Ok(Finding::Failed(error)),
        };
        let ours = cpu.step(&canvas.request()).await?;
        if let Some(difference) = difference(&ours, &theirs) {
            return Ok(Finding::Differs(difference));
        }
        let rounds = match at + 1 == LENGTHS.len() {
            true => ROUNDS,
            // A processor that pretends to be a card gains nothing from longer canvases:
            // where it is the slower one, it is so from the first.
            false if card.is_software() => 1,
            false => continue,
        };
        share = match time(cpu, card, canvas, rounds, clock).await? {
            Ok(share) => share,
            Err(error) => return Ok(Finding::Failed(error)),
        };
        if card.is_software() && share > 1.0 {
            break;
        }
    }
    Ok(Finding::Agrees { share })
}

/// The card's time as a share of the processor's, or the card's error.
async fn time(
    cpu: &mut CpuTransformer,
    card: &mut Card,
    canvas: &Canvas,
    rounds: usize,
    clock: &dyn Fn() -> f64,
) -> Result<Result<f64, ForwardError>, ForwardError> {
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        let started = clock();
        cpu.step(&canvas.request()).await?;
        let between = clock();
        if let Err(error) = card.step(&canvas.request()).await {
            return Ok(Err(error));
        }
        ours = ours.min(between - started);
        theirs = theirs.min(clock() - between);
    }
    // A clock may be so coarse that it saw nothing pass.
    Ok(Ok(theirs / ours.max(1e-3)))
}

/// The canvas that a card is tuned for: as long as a short prompt with a usual text.
pub(super) fn tuning_canvas(config: &ModelConfig) -> Canvas {
    Canvas::new(config, LENGTHS[LENGTHS.len() - 1])
}

/// Any prompt, and masks behind it.
pub(super) struct Canvas {
    ids: Vec<u32>,
    rows: Vec<usize>,
    writable: TokenSet,
}

impl Canvas {
    fn new(config: &ModelConfig, length: usize) -> Self {
        let (size, mask) = (config.vocab_size, config.mask_token_id);
        let length = length.min(config.max_position_embeddings);
        let prompt = length / 3;
        // Knuth's multiplicative hash: tokens from all over the vocabulary.
        let any = |at: usize| (at as u32 + 1).wrapping_mul(2_654_435_761) % size.max(1) as u32;
        let rows: Vec<usize> = (prompt..length).collect();
        Self {
            ids: (0..length)
                .map(|at| if at < prompt { any(at) } else { mask })
                .collect(),
            rows: rows.into_iter().take(ROWS).collect(),
            writable: TokenSet::from_fn(size, |token| token != mask),
        }
    }

    pub(super) fn request(&self) -> StepRequest<'_> {
        StepRequest {
            ids: &self.ids,
            rows: &self.rows,
            writable: &self.writable,
            top: 4,
            noise: None,
            kept: None,
        }
    }
}

/// The first difference beyond the tolerance.
fn difference(ours: &[RowSummary], theirs: &[RowSummary]) -> Option<String> {
    if ours.len() != theirs.len() {
        return Some(format!("{} answers for {}", theirs.len(), ours.len()));
    }
    ours.iter().zip(theirs).find_map(|(ours, theirs)| {
        let apart = (ours.log_sum() - theirs.log_sum()).abs();
        if apart.is_nan() || apart > TOLERANCE {
            return Some(format!("softmax sums {apart:.3} nats apart"));
        }
        let (our_best, their_best) = (ours.best.first()?, theirs.best.first()?);
        if our_best.token == their_best.token {
            return None;
        }
        let of_theirs = ours
            .best
            .iter()
            .find(|scored| scored.token == their_best.token);
        match of_theirs {
            Some(scored) if our_best.logit - scored.logit <= TOLERANCE => None,
            _ => Some(format!(
                "token {} first instead of {}",
                their_best.token, our_best.token
            )),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lacuna_logits::summarize;

    fn summary(logits: &[f32]) -> Vec<RowSummary> {
        let all = TokenSet::from_fn(logits.len(), |_| true);
        vec![summarize(logits, &all, 4, None, 0)]
    }

    #[test]
    fn only_what_is_beyond_the_tolerance_is_a_difference() {
        let ours = summary(&[1.0, 3.0, 2.98, 0.0]);
        let rounded = summary(&[1.01, 2.99, 3.0, 0.0]);
        assert_eq!(difference(&ours, &rounded), None);

        let shifted = summary(&[1.1, 3.1, 3.08, 0.1]);
        assert!(difference(&ours, &shifted).is_some_and(|found| found.contains("nats")));
        let swapped = summary(&[3.0, 1.0, 2.98, 0.0]);
        assert!(difference(&ours, &swapped).is_some_and(|found| found.contains("token 0")));
        let broken = summary(&[f32::NAN; 4]);
        assert!(difference(&ours, &broken).is_some());
        assert!(difference(&ours, &[]).is_some());
    }
}
