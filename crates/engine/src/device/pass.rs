//! A forward pass, wherever it runs.

use lacuna_logits::{RowSummary, Scored};
use lacuna_model::pass::DeviceFault;
use lacuna_model::{CpuTransformer, ForwardError, ForwardPass, Narrow, StepRequest};

use super::card::Card;

pub(super) enum Pass {
    // Both are large; neither is moved after it was made.
    Cpu(Box<CpuTransformer>),
    Card(Box<Card>),
    /// Between two places, so that the two need not have room for it at once. Whoever finds it
    /// here comes after a move that was broken off.
    Nowhere,
}

fn broken_off() -> ForwardError {
    ForwardError::Device {
        kind: DeviceFault::Other,
        message: "the move to a fresh device was broken off".to_owned(),
    }
}

impl Pass {
    pub async fn step(
        &mut self,
        request: &StepRequest<'_>,
    ) -> Result<Vec<RowSummary>, ForwardError> {
        match self {
            Self::Cpu(cpu) => cpu.step(request).await,
            Self::Card(card) => card.step(request).await,
            Self::Nowhere => Err(broken_off()),
        }
    }

    pub async fn narrow(&mut self, asks: &[Narrow<'_>]) -> Result<Vec<Vec<Scored>>, ForwardError> {
        match self {
            Self::Cpu(cpu) => cpu.narrow(asks).await,
            Self::Card(card) => card.narrow(asks).await,
            Self::Nowhere => Err(broken_off()),
        }
    }
}
