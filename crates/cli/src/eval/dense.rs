//! Whole rows of logits that answer as a model does; recorded once, replayed for every
//! method.
//!
//! A model says something else of every canvas, so what it says along an unconstrained
//! run is what is recorded: each step's logits of all cells, masked or not. Every method
//! is then given the same rows at the same step, whatever it has committed. So methods
//! are compared on the same proposals; what a model would have answered to their own
//! canvases is not.

use std::sync::Arc;

use lacuna_decoder::{DenoiseRequest, Denoiser, DenoiserError, NarrowRequest};
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet, best_of, summarize};

/// The logits of every cell in every step, and how long the model took for each step.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// By step, by cell.
    pub steps: Vec<Vec<Vec<f32>>>,
    /// By step, in milliseconds.
    pub step_ms: Vec<f64>,
}

impl Recording {
    /// What the model takes for so many steps.
    pub fn model_ms(&self, steps: usize) -> f64 {
        let last = self.step_ms.last().copied().unwrap_or(0.0);
        let known = self.step_ms.iter().copied();
        known.chain(std::iter::repeat(last)).take(steps).sum()
    }
}

/// What was asked last.
#[derive(Debug, Default)]
pub struct Asked {
    rows: Vec<usize>,
    writable: TokenSet,
    top: usize,
    noise: Option<Noise>,
}

impl Asked {
    /// Answers a request from rows of all cells, and remembers it.
    pub fn answer(&mut self, request: &DenoiseRequest<'_>, rows: &[Vec<f32>]) -> Vec<RowSummary> {
        *self = Self {
            rows: request.masked.to_vec(),
            writable: request.writable.clone(),
            top: request.top,
            noise: request.noise,
        };
        let noise = self.noise.as_ref();
        let summary = |&cell: &usize| {
            summarize(
                row(rows, cell),
                &self.writable,
                self.top,
                noise,
                cell as u32,
            )
        };
        self.rows.iter().map(summary).collect()
    }

    /// Answers a second look.
    pub fn narrow(&self, asks: &[NarrowRequest<'_>], rows: &[Vec<f32>]) -> Vec<Vec<Scored>> {
        let noise = self.noise.as_ref();
        let best = |ask: &NarrowRequest<'_>| {
            let cell = self.rows.get(ask.row).copied().unwrap_or(0);
            let (writable, allowed) = (&self.writable, ask.allowed);
            best_of(
                row(rows, cell),
                writable,
                allowed,
                self.top,
                noise,
                cell as u32,
            )
        };
        asks.iter().map(best).collect()
    }
}

fn row(rows: &[Vec<f32>], cell: usize) -> &[f32] {
    rows.get(cell).map_or(&[], Vec::as_slice)
}

/// Asks a model for all cells, and keeps what it says.
pub struct Recorder<D> {
    model: D,
    clock: Box<dyn Fn() -> f64>,
    asked: Asked,
    /// What was recorded so far.
    pub recording: Recording,
}

impl<D: Denoiser> Recorder<D> {
    /// Around a model.
    pub fn new(model: D, clock: Box<dyn Fn() -> f64>) -> Self {
        Self {
            model,
            clock,
            asked: Asked::default(),
            recording: Recording::default(),
        }
    }
}

impl<D: Denoiser> Denoiser for Recorder<D> {
    fn vocabulary_size(&self) -> usize {
        self.model.vocabulary_size()
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        // Timed is what a run asks, not what is recorded besides.
        let started = (self.clock)();
        self.model.denoise(request).await?;
        self.recording.step_ms.push((self.clock)() - started);
        let all: Vec<usize> = (0..request.cells.len()).collect();
        let size = self.vocabulary_size();
        let every = TokenSet::from_fn(size, |_| true);
        let summaries = self
            .model
            .denoise(&DenoiseRequest {
                masked: &all,
                writable: &every,
                top: size,
                noise: None,
                ..*request
            })
            .await?;
        let rows = summaries.into_iter().map(|summary| {
            let mut row = vec![f32::NAN; size];
            for scored in summary.best {
                row[scored.token as usize] = scored.logit;
            }
            row
        });
        let rows: Vec<Vec<f32>> = rows.collect();
        let answer = self.asked.answer(request, &rows);
        self.recording.steps.push(rows);
        Ok(answer)
    }

    fn position(&self, cell: usize) -> u32 {
        self.model.position(cell)
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        let rows = self.recording.steps.last().map_or(&[][..], Vec::as_slice);
        Ok(self.asked.narrow(asks, rows))
    }
}

/// Says what was recorded, step by step; beyond the last step, what was said in it.
pub struct Replay {
    recording: Arc<Recording>,
    vocabulary_size: usize,
    step: usize,
    asked: Asked,
}

impl Replay {
    /// From the first step on.
    pub fn new(recording: Arc<Recording>, vocabulary_size: usize) -> Self {
        Self {
            recording,
            vocabulary_size,
            step: 0,
            asked: Asked::default(),
        }
    }

    fn rows(&self) -> &[Vec<f32>] {
        let steps = &self.recording.steps;
        let at = self
            .step
            .saturating_sub(1)
            .min(steps.len().saturating_sub(1));
        steps.get(at).map_or(&[], Vec::as_slice)
    }
}

impl Denoiser for Replay {
    fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        self.step += 1;
        let mut asked = std::mem::take(&mut self.asked);
        let answer = asked.answer(request, self.rows());
        self.asked = asked;
        Ok(answer)
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        Ok(self.asked.narrow(asks, self.rows()))
    }
}
