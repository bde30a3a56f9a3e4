//! Which device a model gets.

use lacuna_model::{CpuTransformer, ForwardError, Weights};

use super::card::{Card, CardOptions};
use super::pass::Pass;
use super::placement::{Placement, report_of_card, report_of_cpu};
use super::precision::{settle, tune};
use super::probe::Finding;
use super::{DevicePreference, LoadOptions};
use crate::Fault;

impl Placement {
    /// Puts a model where it is wanted.
    ///
    /// # Errors
    /// A [`Fault`] of kind `device` if a card is demanded and there is none for this
    /// model; of kind `weights` if they give no numbers.
    pub async fn choose(weights: Weights, options: LoadOptions) -> Result<Self, Fault> {
        match options.device {
            DevicePreference::Cpu => Ok(Self::on_cpu(weights, "as asked for")),
            DevicePreference::Gpu => Self::on_demand(weights, options).await,
            DevicePreference::Auto => Self::compare(weights, options).await,
        }
    }

    fn on_cpu(weights: Weights, why: &str) -> Self {
        let cpu = CpuTransformer::new(weights);
        let report = report_of_cpu(&cpu, why);
        Self::new(Pass::Cpu(Box::new(cpu)), report, None)
    }

    fn on_card(card: Card, weights: Weights, options: CardOptions, why: &str) -> Self {
        let report = report_of_card(&card, why);
        // A card in place of this one is to answer as it does.
        let options = options.computing_as(&card);
        Self::new(Pass::Card(Box::new(card)), report, Some((weights, options)))
    }

    /// The card, whatever it is like.
    async fn on_demand(weights: Weights, options: LoadOptions) -> Result<Self, Fault> {
        let fault = |message: &str| {
            let message = format!("the GPU cannot be used: {message}");
            Fault::new("device", message)
        };
        let card = Card::open(&weights, &options.card).await;
        let mut card = card.map_err(|error| fault(&error.message))?;
        let tuned = tune(&weights.config, &mut card).await;
        tuned.map_err(|error| fault(&error.to_string()))?;
        Ok(Self::on_card(card, weights, options.card, "as asked for"))
    }

    /// The card if it is right and not slower.
    async fn compare(weights: Weights, options: LoadOptions) -> Result<Self, Fault> {
        let mut card = match Card::open(&weights, &options.card).await {
            Ok(card) => card,
            Err(error) => return Ok(Self::on_cpu(weights, &error.short)),
        };
        let mut cpu = CpuTransformer::new(weights.clone());
        let finding = settle(&mut cpu, &mut card, &*options.clock)
            .await
            .map_err(|error: ForwardError| Fault::new("weights", error.to_string()))?;
        let kind = if card.is_software() {
            "a software GPU"
        } else {
            "GPU"
        };
        let name = format!("{} ({kind})", card.name());
        let why = match finding {
            Finding::Agrees { share } if share <= 1.0 => {
                let half = match card.is_half() {
                    true => ", in half precision",
                    false => "",
                };
                let why = format!("agrees with the CPU in {share:.2} of its time{half}");
                return Ok(Self::on_card(card, weights, options.card, &why));
            }
            Finding::Agrees { share } => {
                format!("{name} took {share:.1} times as long in a probe run")
            }
            Finding::Differs(how) => format!("{name} differed from the CPU in a probe run: {how}"),
            Finding::Failed(error) => format!("{name} failed in a probe run: {error}"),
        };
        let report = report_of_cpu(&cpu, &why);
        Ok(Self::new(Pass::Cpu(Box::new(cpu)), report, None))
    }
}
