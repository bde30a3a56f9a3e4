//! A model on a graphics card.

use std::sync::Arc;
use std::time::Duration;

use lacuna_gpu::{DeviceOptions, GpuDevice, GpuError, GpuTransformer, TransformerOptions};
use lacuna_logits::{RowSummary, Scored};
use lacuna_model::{ForwardError, ForwardPass, ModelConfig, Narrow, StepRequest, Weights};

use super::alarm::{in_time, within};
use super::{NoCard, Timer, Tunings};

/// What opening a card may take where an answer may take less, and measuring its variants.
/// Drivers begin in seconds and compile a dozen kernels in some more; a gigabyte of weights goes
/// up in one or two, in conversion longer, which is work that no timer breaks off.
const OPENING: Duration = Duration::from_secs(60);

/// How a card is opened.
#[derive(Clone, Default)]
pub struct CardOptions {
    /// What is asked of the adapter.
    pub device: DeviceOptions,
    /// How the model is put there.
    pub model: TransformerOptions,
    /// Where the device cannot watch the time itself (in a browser), what does.
    pub timer: Option<Timer>,
    /// Where tunings are kept; without, nothing is tuned.
    pub tunings: Option<Arc<dyn Tunings>>,
}

impl CardOptions {
    /// The same, in the precision that a card has come to.
    pub(super) fn computing_as(mut self, card: &Card) -> Self {
        self.model.half = card.is_half();
        self
    }
}

pub(crate) struct Card {
    device: GpuDevice,
    transformer: GpuTransformer,
    timer: Option<Timer>,
    limit: Duration,
    /// Where to put what tuning finds, if that is not known already.
    untuned: Option<Arc<dyn Tunings>>,
    tuning_key: String,
}

impl From<GpuError> for NoCard {
    fn from(error: GpuError) -> Self {
        let message = error.to_string();
        Self {
            short: match error {
                // The reason is a list of all interfaces that were tried.
                GpuError::NoAdapter { .. } => "no WebGPU adapter".to_owned(),
                _ => message.clone(),
            },
            message,
        }
    }
}

impl Card {
    /// Opens a device and puts the model there, or says in time that it cannot.
    pub async fn open(weights: &Weights, options: &CardOptions) -> Result<Self, NoCard> {
        let limit = options.device.time_limit.max(OPENING);
        let opened = in_time(
            options.timer.as_ref(),
            limit,
            Self::open_at_last(weights, options),
        );
        opened.await.unwrap_or_else(|| {
            let seconds = limit.as_secs();
            Err(GpuError::TimedOut { seconds }.into())
        })
    }

    async fn open_at_last(weights: &Weights, options: &CardOptions) -> Result<Self, NoCard> {
        let device = GpuDevice::request(options.device.clone()).await?;
        let mut model = options.model.clone();
        let tunings = options.tunings.as_ref();
        let tuning_key = tuning_key(&device, &weights.config);
        let kept = || tunings.and_then(|tunings| tunings.get(&tuning_key));
        model.tuning = model.tuning.or_else(kept);
        let transformer = GpuTransformer::new(&device, weights, &model).await?;
        Ok(Self {
            // What was kept may be of no use, and without timestamps there is nothing to keep.
            untuned: tunings
                .filter(|_| transformer.tuning().is_none() && device.info().timestamps)
                .cloned(),
            tuning_key,
            device,
            transformer,
            timer: options.timer.clone(),
            limit: options.device.time_limit,
        })
    }

    pub fn device(&self) -> &GpuDevice {
        &self.device
    }

    /// The interface that the card is reached by.
    pub fn interface(&self) -> String {
        self.device.info().backend.to_lowercase()
    }

    /// What the card is called; browsers may keep it to themselves.
    pub fn name(&self) -> String {
        match self.device.info().name.trim() {
            "" => "a card without a name".to_owned(),
            name => name.to_owned(),
        }
    }

    /// Whether it is the processor that pretends to be a card.
    pub fn is_software(&self) -> bool {
        self.device.info().software
    }

    /// Whether the adapter has half precision, and it is wanted.
    pub fn has_half(&self) -> bool {
        self.device.info().f16
    }

    /// Whether activations are f16.
    pub fn is_half(&self) -> bool {
        self.transformer.is_half()
    }

    /// Takes f16 or f32 from now on.
    pub fn set_half(&mut self, half: bool) -> Result<(), ForwardError> {
        Ok(self.transformer.set_half(half)?)
    }

    /// Finds the fastest variants for such steps in every precision, once for each adapter and
    /// shape of model.
    pub async fn tune(&mut self, request: &StepRequest<'_>) -> Result<(), ForwardError> {
        let Some(tunings) = self.untuned.take() else {
            return Ok(());
        };
        let before = self.is_half();
        for half in [false, true] {
            if !half || self.has_half() {
                self.set_half(half)?;
                let limit = self.limit.max(OPENING);
                let ring = give_up(&self.device, limit);
                let work = self.transformer.tune(request);
                within(self.timer.as_ref(), limit, ring, work).await?;
            }
        }
        self.set_half(before)?;
        if let Some(tuning) = self.transformer.tuning() {
            tunings.put(&self.tuning_key, &tuning);
        }
        Ok(())
    }

    pub async fn step(
        &mut self,
        request: &StepRequest<'_>,
    ) -> Result<Vec<RowSummary>, ForwardError> {
        let ring = give_up(&self.device, self.limit);
        let work = self.transformer.step(request);
        within(self.timer.as_ref(), self.limit, ring, work).await
    }

    pub async fn narrow(&mut self, asks: &[Narrow<'_>]) -> Result<Vec<Vec<Scored>>, ForwardError> {
        let ring = give_up(&self.device, self.limit);
        let work = self.transformer.narrow(asks);
        within(self.timer.as_ref(), self.limit, ring, work).await
    }
}

/// What a tuning depends on: the adapter, the precisions, and the widths of the matrix products.
fn tuning_key(device: &GpuDevice, config: &ModelConfig) -> String {
    let ModelConfig {
        vocab_size,
        hidden_size,
        intermediate_size,
        ..
    } = config;
    let heads = (config.query_width(), config.key_width());
    let widths = (hidden_size, intermediate_size, heads, vocab_size);
    let format = config.quantization;
    let precisions = if device.info().f16 { "f32, f16" } else { "f32" };
    format!("{}|{widths:?}|{format:?}|{precisions}", device.info().key())
}

fn give_up(device: &GpuDevice, limit: Duration) -> impl FnOnce() + use<> {
    let device = device.clone();
    move || {
        device.fail(GpuError::TimedOut {
            seconds: limit.as_secs(),
        });
    }
}
