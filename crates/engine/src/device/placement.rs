//! A model where it runs, and how it goes on when that place fails.

use std::sync::{Arc, Mutex, PoisonError};

use lacuna_decoder::Move;
use lacuna_logits::{RowSummary, Scored};
use lacuna_model::pass::DeviceFault;
use lacuna_model::{CpuTransformer, ForwardError, Narrow, StepRequest, Weights};

use super::DeviceReport;
use super::card::{Card, CardOptions};
use super::pass::Pass;

/// What becomes of numbers that a card's arithmetic has no room for.
const OVERFLOWED: &str = "GPU overflowed";

/// A model where it runs.
pub(crate) struct Placement {
    pass: Pass,
    report: SharedReport,
    /// What is needed to begin again, while the model is on a card.
    origin: Option<(Weights, CardOptions)>,
    /// Whether the run under way may still try a fresh card.
    may_refresh: bool,
    /// The number of the last step that was taken: a second look is at that one.
    step: u64,
    /// The last move, with how many there were.
    moves: (usize, Option<Move>),
}

/// Where a model is, for those who do not want to wait for its answers.
#[derive(Clone)]
pub(crate) struct SharedReport(Arc<Mutex<DeviceReport>>);

impl SharedReport {
    pub fn read(&self) -> DeviceReport {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn replace(&self, report: DeviceReport) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = report;
    }
}

pub(super) fn report_of_cpu(cpu: &CpuTransformer, why: &str) -> DeviceReport {
    DeviceReport {
        device: "cpu".to_owned(),
        adapter: None,
        threads: cpu.threads(),
        why: why.to_owned(),
    }
}

pub(super) fn report_of_card(card: &Card, why: &str) -> DeviceReport {
    DeviceReport {
        device: card.interface(),
        adapter: Some(card.name()),
        threads: 1,
        why: why.to_owned(),
    }
}

impl Placement {
    pub(super) fn new(
        pass: Pass,
        report: DeviceReport,
        origin: Option<(Weights, CardOptions)>,
    ) -> Self {
        Self {
            pass,
            report: SharedReport(Arc::new(Mutex::new(report))),
            origin,
            may_refresh: true,
            step: 0,
            moves: (0, None),
        }
    }

    /// Where that is.
    pub fn report(&self) -> &SharedReport {
        &self.report
    }

    /// The device of the card, if it is one.
    #[cfg(feature = "gpu")]
    pub fn gpu(&self) -> Option<&lacuna_gpu::GpuDevice> {
        match &self.pass {
            Pass::Cpu(_) | Pass::Nowhere => None,
            Pass::Card(card) => Some(card.device()),
        }
    }

    /// How often the model moved, and the last time.
    pub fn moves(&self) -> (usize, Option<&Move>) {
        (self.moves.0, self.moves.1.as_ref())
    }

    /// A run begins: it may try one fresh card.
    pub fn begin_run(&mut self) {
        self.may_refresh = true;
    }

    /// A step, here or wherever the model can be brought to take it; with its number.
    ///
    /// # Errors
    /// What no device can help.
    pub async fn step(
        &mut self,
        request: &StepRequest<'_>,
    ) -> Result<(u64, Vec<RowSummary>), ForwardError> {
        loop {
            self.step += 1;
            match self.pass.step(request).await {
                Ok(summaries) => return Ok((self.step, summaries)),
                Err(error) => self.go_on_after(error).await?,
            }
        }
    }

    /// A second look at the step of that number, which is taken again if another came
    /// between or the model is elsewhere now; with the number it has then.
    ///
    /// # Errors
    /// As for [`Placement::step`].
    pub async fn narrow(
        &mut self,
        mut step: u64,
        request: &StepRequest<'_>,
        asks: &[Narrow<'_>],
    ) -> Result<(u64, Vec<Vec<Scored>>), ForwardError> {
        loop {
            if step != self.step {
                step = self.step(request).await?.0;
            }
            match self.pass.narrow(asks).await {
                Ok(answers) => return Ok((step, answers)),
                Err(error) => {
                    self.go_on_after(error).await?;
                    // Nobody's number: the new place knows nothing of the step.
                    self.step += 1;
                }
            }
        }
    }

    /// Finds a place for what a card could not do.
    ///
    /// # Errors
    /// The same error where no other place could do it either.
    async fn go_on_after(&mut self, error: ForwardError) -> Result<(), ForwardError> {
        match (error, &mut self.pass) {
            (ForwardError::Device { kind, message }, _) => self.leave(kind, message).await,
            (ForwardError::NotFinite, Pass::Card(card)) => {
                // A probe that agreed says nothing of what another prompt leads to.
                if card.is_half() && card.set_half(false).is_ok() {
                    let why = "numbers grew too large for half precision";
                    let report = report_of_card(card, why);
                    if let Some((_, options)) = &mut self.origin {
                        *options = std::mem::take(options).computing_as(card);
                    }
                    self.moved(report, format!("{OVERFLOWED}; went on in single precision"));
                    return Ok(());
                }
                let error = ForwardError::NotFinite;
                let message = "it gave logits that are not finite";
                self.take_to_cpu(OVERFLOWED, message).ok_or(error)
            }
            (error, _) => Err(error),
        }
    }

    /// Leaves a card that failed: for a fresh one, once a run and if the fault may be
    /// the device's only; for the processor otherwise.
    async fn leave(&mut self, kind: DeviceFault, message: String) -> Result<(), ForwardError> {
        let Some((weights, options)) = &self.origin else {
            return Err(ForwardError::Device { kind, message });
        };
        let what = match kind {
            DeviceFault::Lost => "GPU lost",
            DeviceFault::OutOfMemory => "GPU out of memory",
            DeviceFault::TimedOut => "GPU timed out",
            DeviceFault::Other => "GPU failed",
        };
        // With it goes what it had on the card, and the card if nobody else has a hand on it.
        self.pass = Pass::Nowhere;
        let freshens = matches!(kind, DeviceFault::Lost | DeviceFault::TimedOut);
        if freshens
            && std::mem::take(&mut self.may_refresh)
            && let Ok(card) = Card::open(weights, options).await
        {
            let why = format!("in place of a device that failed: {message}");
            let report = report_of_card(&card, &why);
            self.pass = Pass::Card(Box::new(card));
            self.moved(report, format!("{what}; went on on a fresh device"));
            return Ok(());
        }
        let moved = self.take_to_cpu(what, &message);
        moved.ok_or(ForwardError::Device { kind, message })
    }

    /// Takes the model to the processor, if it can be begun again.
    fn take_to_cpu(&mut self, what: &str, message: &str) -> Option<()> {
        let (weights, _) = self.origin.take()?;
        // The card's goes first: the two need not have room at once.
        self.pass = Pass::Nowhere;
        let cpu = CpuTransformer::new(weights);
        let report = report_of_cpu(&cpu, &format!("the GPU failed: {message}"));
        self.pass = Pass::Cpu(Box::new(cpu));
        self.moved(report, format!("{what}; went on on the CPU"));
        Some(())
    }

    fn moved(&mut self, report: DeviceReport, message: String) {
        let device = report.device.clone();
        self.report.replace(report);
        self.moves = (self.moves.0 + 1, Some(Move { device, message }));
    }
}
