//! Which precision a card's activations have, and which variants of its kernels.
//!
//! Half precision moves half the bytes and has eleven bits. It is taken where a probe run in
//! it agrees with the processor as one in single precision must, and is faster.

use lacuna_model::{CpuTransformer, ForwardError, ModelConfig};

use super::card::Card;
use super::probe::{Finding, probe, tuning_canvas};

/// Finds the fastest variants, if that is wanted and was not done before.
pub(super) async fn tune(config: &ModelConfig, card: &mut Card) -> Result<(), ForwardError> {
    card.tune(&tuning_canvas(config).request()).await
}

/// Tunes the card, leaves it in the better precision, and says how it compares with the
/// processor then.
///
/// # Errors
/// The processor's.
pub(super) async fn settle(
    cpu: &mut CpuTransformer,
    card: &mut Card,
    clock: &dyn Fn() -> f64,
) -> Result<Finding, ForwardError> {
    let config = lacuna_model::ForwardPass::config(cpu);
    // Of a processor that pretends to be a card, no variant is worth the wait.
    if !card.is_software()
        && let Err(error) = tune(config, card).await
    {
        return Ok(Finding::Failed(error));
    }
    let single = probe(cpu, card, clock).await?;
    let Finding::Agrees { share } = single else {
        return Ok(single);
    };
    let hopeless = card.is_software() && share > 1.0;
    if hopeless || card.is_half() || !card.has_half() || card.set_half(true).is_err() {
        return Ok(single);
    }
    match probe(cpu, card, clock).await? {
        Finding::Agrees { share: half } if half < share => Ok(Finding::Agrees { share: half }),
        _ => match card.set_half(false) {
            Ok(()) => Ok(single),
            Err(error) => Ok(Finding::Failed(error)),
        },
    }
}
