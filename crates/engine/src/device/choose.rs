//! Which device a model gets.

use lacuna_model::{CpuTransformer, ForwardError, Weights};

use super::card::Card;
use super::pass::Pass;
use super::placement::{Placement, report_of_card, report_of_cpu};
use super::probe::{Finding, probe};
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
            DevicePreference::Gpu => match Card::open(&weights, &options.card).await {
                Ok(card) => Ok(Self::on_card(card, weights, options, "as asked for")),
                Err(error) => Err(Fault::new(
                    "device",
                    format!("the GPU cannot be used: {}", error.message),
                )),
            },
            DevicePreference::Auto => Self::compare(weights, options).await,
        }
    }

    fn on_cpu(weights: Weights, why: &str) -> Self {
        let cpu = CpuTransformer::new(weights);
        let report = report_of_cpu(&cpu, why);
        Self::new(Pass::Cpu(Box::new(cpu)), report, None)
    }

    fn on_card(card: Card, weights: Weights, options: LoadOptions, why: &str) -> Self {
        let report = report_of_card(&card, why);
        Self::new(
            Pass::Card(Box::new(card)),
            report,
            Some((weights, options.card)),
        )
    }

    /// The card if it is right and not slower.
    async fn compare(weights: Weights, options: LoadOptions) -> Result<Self, Fault> {
        let mut card = match Card::open(&weights, &options.card).await {
            Ok(card) => card,
            Err(error) => return Ok(Self::on_cpu(weights, &error.short)),
        };
        let mut cpu = CpuTransformer::new(weights.clone());
        let finding = probe(&mut cpu, &mut card, &*options.clock)
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
                let why = format!("agrees with the CPU in {share:.2} of its time");
                return Ok(Self::on_card(card, weights, options, &why));
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
