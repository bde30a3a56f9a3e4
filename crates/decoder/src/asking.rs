//! What a run asks of its model, timed and checked.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;

use lacuna_logits::{Scored, TokenSet};

use crate::board::Board;
use crate::foresight::Foreseen;
use crate::keeping::Keeping;
use crate::overlap::meanwhile;
use crate::propose::Proposals;
use crate::sampler::Sampler;
use crate::{DecodeError, DenoiseRequest, Denoiser, DenoiserError, Event, NarrowRequest, counted};

/// Lets others in the same thread have their turn; resolves with whether the run is to
/// go on.
pub type Pause = Box<dyn FnMut() -> Pin<Box<dyn Future<Output = bool>>>>;

/// For each masked cell exactly the tokens that may stand there, the others being free.
pub(crate) type CellMasks = Vec<Option<TokenSet>>;

/// A model, and how it is asked in a run.
pub(crate) struct Asking<D> {
    pub denoiser: D,
    /// The tokens that a cell may hold at all.
    pub writable: TokenSet,
    keeping: Keeping,
    /// Candidates of a cell that are asked for at a time, as a rule.
    pub candidates: usize,
    /// Candidates that the step at hand asks for at a time.
    top: usize,
    /// What happens between the step's pieces of work.
    pub pause: Option<Pause>,
}

impl<D: Denoiser> Asking<D> {
    pub(crate) fn new(
        denoiser: D,
        writable: TokenSet,
        keeping: Keeping,
        candidates: usize,
    ) -> Self {
        Self {
            denoiser,
            writable,
            keeping,
            candidates,
            top: 0,
            pause: None,
        }
    }

    /// Lets others have their turn.
    pub(crate) async fn pause(&mut self) -> Result<(), DecodeError> {
        let goes_on = match &mut self.pause {
            Some(pause) => pause().await,
            None => true,
        };
        match goes_on {
            true => Ok(()),
            false => Err(DecodeError::GivenUp),
        }
    }

    /// What the model proposes for each of the masked cells, which are a block's, as the
    /// sampler has it; and the masks that it was drawn from, if `mask` and they are known.
    pub(crate) async fn propose(
        &mut self,
        (step, masks, block): (usize, &[usize], &Range<usize>),
        (mask, likely): (bool, &Foreseen),
        sampler: &dyn Sampler,
        board: &mut Board,
        events: &mut Vec<Event>,
    ) -> Result<(Vec<Proposals>, Option<CellMasks>), DecodeError> {
        let changes = sampler.changes(board.canvas.cells());
        let noise = sampler.noise(step);
        self.top = sampler.wanted(self.candidates).max(changes.len());
        let cells = board.canvas.cells().to_vec();
        let (mut unchanged, mut named) = (
            self.writable.clone(),
            TokenSet::empty(board.vocabulary.len()),
        );
        for change in &changes {
            unchanged.remove(change.token);
            named.insert(change.token);
        }
        named.intersect(&self.writable);
        let all_change = unchanged.is_empty();
        let request = DenoiseRequest {
            cells: &cells,
            masked: masks,
            writable: if all_change {
                &self.writable
            } else {
                &unchanged
            },
            top: self.top,
            noise,
            kept: self.keeping.of_step(&cells, block),
        };
        let (started, checked) = (board.now(), board.timings.checker_ms);
        // What is likely to take longer than the model is not worth its while.
        let is_short = board.check_ms() * step as f64 <= board.timings.model_ms;
        let (summaries, masks_of_cells) =
            meanwhile(self.denoiser.denoise(&request), || match mask {
                true => Some(board.masks()),
                false => {
                    if is_short {
                        board.prepare(likely);
                    }
                    None
                }
            })
            .await;
        let masks_of_cells = masks_of_cells.flatten();
        let summaries = summaries?;
        let beside = board.timings.checker_ms - checked;
        board.timings.model_ms += board.now() - started - beside;
        board.timings.beside_ms += beside;
        self.report_move(step, events);
        check_count(summaries.len(), masks.len())?;
        self.pause().await?;

        let mut changed = vec![Vec::new(); masks.len()];
        if !named.is_empty() {
            let asks = (0..masks.len()).map(|row| (row, named.clone())).collect();
            changed = self.narrow(step, asks, board, events).await?;
        }
        let temperature = noise.map_or(1.0, |noise| noise.temperature);
        let rows = masks.iter().zip(summaries).zip(changed).enumerate();
        let mut proposals: Vec<Proposals> = rows
            .map(|(row, ((&cell, mut summary), changed))| {
                if all_change {
                    summary.sum = 0.0;
                }
                let (writable, top) = (&self.writable, self.top);
                let changed = (changes.as_slice(), changed);
                Proposals::new((cell, row), summary, changed, temperature, writable, top)
            })
            .collect();
        loop {
            let asks = |wants: &dyn Fn(&Proposals) -> Option<TokenSet>| {
                let asks = proposals.iter().enumerate();
                asks.filter_map(|(at, row)| Some((at, row.row(), wants(row)?)))
                    .collect::<Vec<_>>()
            };
            let asks = asks(&|row| {
                let more = row.wants_more().or(row.wants_more_to_arrange(sampler));
                more.cloned()
            });
            if asks.is_empty() {
                break;
            }
            let at: Vec<usize> = asks.iter().map(|&(at, ..)| at).collect();
            let asks = asks.into_iter().map(|(_, row, allowed)| (row, allowed));
            let answers = self.narrow(step, asks.collect(), board, events).await?;
            for (at, answer) in at.into_iter().zip(answers) {
                proposals[at].learn(answer, self.top);
            }
        }
        for proposals in &mut proposals {
            let position = self.denoiser.position(proposals.cell());
            proposals.arrange(sampler, step, position);
        }
        let mut known = None;
        if mask {
            known = masks_of_cells.unwrap_or_else(|| board.masks());
            let known = known.as_deref();
            self.keep(step, known, &mut proposals, board, events)
                .await?;
        }
        Ok((proposals, known))
    }

    /// Drops what the guard's masks leave out, and gets other candidates for it.
    pub(crate) async fn keep(
        &mut self,
        step: usize,
        masks: Option<&[Option<TokenSet>]>,
        proposals: &mut [Proposals],
        board: &mut Board,
        events: &mut Vec<Event>,
    ) -> Result<(), DecodeError> {
        let Some(masks) = masks else {
            return Ok(());
        };
        for row in proposals {
            if let Some(Some(mask)) = masks.get(row.cell()) {
                row.keep(mask);
                self.replenish(step, row, board, events).await?;
            }
        }
        Ok(())
    }

    /// Gets a cell further candidates when all known ones are gone.
    pub(crate) async fn replenish(
        &mut self,
        step: usize,
        proposals: &mut Proposals,
        board: &mut Board,
        events: &mut Vec<Event>,
    ) -> Result<(), DecodeError> {
        while let Some(allowed) = proposals.wants_more() {
            let asks = vec![(proposals.row(), allowed.clone())];
            let mut answers = self.narrow(step, asks, board, events).await?;
            proposals.learn(answers.swap_remove(0), self.top);
        }
        Ok(())
    }

    /// Asks the model again about cells of this step.
    pub(crate) async fn narrow(
        &mut self,
        step: usize,
        asks: Vec<(usize, TokenSet)>,
        board: &mut Board,
        events: &mut Vec<Event>,
    ) -> Result<Vec<Vec<Scored>>, DecodeError> {
        let requests: Vec<NarrowRequest<'_>> = asks
            .iter()
            .map(|(row, allowed)| NarrowRequest { row: *row, allowed })
            .collect();
        let started = board.now();
        let answers = self.denoiser.narrow(&requests).await?;
        board.timings.model_ms += board.now() - started;
        self.report_move(step, events);
        check_count(answers.len(), requests.len())?;
        Ok(answers)
    }

    fn report_move(&mut self, step: usize, events: &mut Vec<Event>) {
        if let Some(to) = self.denoiser.moved() {
            events.push(Event::Move { step, to });
        }
    }
}

/// A model that answers another number of questions than it was asked is broken.
fn check_count(answers: usize, questions: usize) -> Result<(), DenoiserError> {
    match answers == questions {
        true => Ok(()),
        false => Err(DenoiserError {
            message: format!(
                "it gave {} to {}",
                counted(answers, "answer"),
                counted(questions, "question")
            ),
        }),
    }
}
