//! The model with its prompt in place, as the decoder sees it.

use std::ops::Range;
use std::sync::Arc;

use futures_util::lock::Mutex;
use lacuna_decoder::{DenoiseRequest, Denoiser, DenoiserError, Move, NarrowRequest};
use lacuna_lexer::TokenId;
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet};
use lacuna_model::{ForwardError, Kept, ModelConfig, Narrow, StepRequest};

use crate::device::Placement;

/// The model with a prompt. Several may share a model: whoever is not being
/// answered waits.
pub struct PromptedModel {
    placement: Arc<Mutex<Placement>>,
    mask: TokenId,
    vocabulary_size: usize,
    prompt: usize,
    last: Asked,
    /// Of the model's moves, those that this run knows of.
    known_moves: Option<usize>,
    moved: Option<Move>,
}

/// The last step that was asked for, to ask for it again.
struct Asked {
    /// The number that the placement gave it.
    number: u64,
    /// The prompt, then the canvas.
    ids: Vec<TokenId>,
    rows: Vec<usize>,
    writable: TokenSet,
    top: usize,
    noise: Option<Noise>,
    kept: Option<AskedKept>,
}

/// What that step might keep.
struct AskedKept {
    /// The prompt, then the earlier canvas.
    ids: Vec<TokenId>,
    computed: Range<usize>,
}

impl Asked {
    fn request(&self) -> StepRequest<'_> {
        StepRequest {
            ids: &self.ids,
            rows: &self.rows,
            writable: &self.writable,
            top: self.top,
            noise: self.noise,
            kept: self.kept.as_ref().map(|kept| Kept {
                ids: &kept.ids,
                start: kept.computed.start,
                end: kept.computed.end,
            }),
        }
    }
}

impl PromptedModel {
    pub(crate) fn new(
        placement: Arc<Mutex<Placement>>,
        config: &ModelConfig,
        prompt: Vec<TokenId>,
    ) -> Self {
        Self {
            placement,
            mask: config.mask_token_id,
            vocabulary_size: config.vocab_size,
            prompt: prompt.len(),
            last: Asked {
                number: 0,
                ids: prompt,
                rows: Vec::new(),
                writable: TokenSet::default(),
                top: 0,
                noise: None,
                kept: None,
            },
            known_moves: None,
            moved: None,
        }
    }

    /// Notes whether the model has moved while it answered.
    fn note_moves(&mut self, placement: &Placement) {
        let (count, last) = placement.moves();
        if self.known_moves.replace(count) != Some(count) {
            self.moved = last.cloned();
        }
    }
}

impl Denoiser for PromptedModel {
    fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        let (mask, prompt, last) = (self.mask, self.prompt, &mut self.last);
        last.ids.truncate(prompt);
        last.kept = request.kept.map(|kept| {
            let cells = kept.cells.iter().map(|cell| cell.unwrap_or(mask));
            AskedKept {
                ids: last.ids.iter().copied().chain(cells).collect(),
                computed: prompt + kept.start..prompt + kept.end,
            }
        });
        last.ids
            .extend(request.cells.iter().map(|cell| cell.unwrap_or(mask)));
        last.rows.clear();
        last.rows
            .extend(request.masked.iter().map(|cell| prompt + cell));
        last.writable.clone_from(request.writable);
        (last.top, last.noise) = (request.top, request.noise);

        let placement = Arc::clone(&self.placement);
        let mut placement = placement.lock().await;
        if self.known_moves.is_none() {
            placement.begin_run();
            self.known_moves = Some(placement.moves().0);
        }
        let answer = placement.step(&self.last.request()).await;
        self.note_moves(&placement);
        let (number, summaries) = answer.map_err(failed)?;
        self.last.number = number;
        Ok(summaries)
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        let asks: Vec<Narrow<'_>> = asks
            .iter()
            .map(|&NarrowRequest { row, allowed }| Narrow { row, allowed })
            .collect();
        let placement = Arc::clone(&self.placement);
        let mut placement = placement.lock().await;
        let last = &self.last;
        let answer = placement.narrow(last.number, &last.request(), &asks).await;
        self.note_moves(&placement);
        let (number, answers) = answer.map_err(failed)?;
        self.last.number = number;
        Ok(answers)
    }

    fn position(&self, cell: usize) -> u32 {
        (self.prompt + cell) as u32
    }

    fn moved(&mut self) -> Option<Move> {
        self.moved.take()
    }
}

fn failed(error: ForwardError) -> DenoiserError {
    DenoiserError {
        message: error.to_string(),
    }
}
