//! The loop: propose, commit what is allowed, and recover from a completion.

mod committing;
mod under_masks;

use std::ops::Range;
use std::sync::Arc;

use lacuna_checker::Checker;
use lacuna_lexer::Vocabulary;
use lacuna_logits::TokenSet;

use crate::asking::{Asking, CellMasks, Pause};
use crate::blocks::{Block, blocks};
use crate::board::Board;
use crate::foresight::{Foreseen, Foresight};
use crate::guard::{Completion, Guard};
use crate::keeping::Keeping;
use crate::propose::Proposals;
use crate::recover::recover;
use crate::remask::Memory;
use crate::sampler::OptionSampler;
use crate::{
    BatchCommit, Candidate, Canvas, Commit, CommitKind, DecodeError, Denoiser, Event, GrammarGuard,
    How, NoGuard, Options, Order, OrderKind, Outcome, Recovery, Sampler, Schedule, StepView,
    Timings,
};

/// Every decision that a run takes, each replaceable.
pub struct Decisions {
    /// How many cells each step commits.
    pub schedule: Box<dyn Schedule>,
    /// Which cells come first.
    pub order: Box<dyn Order>,
    /// Which candidates of a cell come first.
    pub sampler: Box<dyn Sampler>,
    /// How a step's candidates are committed together.
    pub commit: Box<dyn BatchCommit>,
    /// How a step is finished when refusals have run out.
    pub recovery: Box<dyn Recovery>,
}

impl From<&Options> for Decisions {
    fn from(options: &Options) -> Self {
        Self {
            schedule: options.schedule.schedule(),
            order: options.order.order(options.seed),
            sampler: Box::new(OptionSampler::new(options)),
            commit: options.commit.batch_commit(),
            recovery: options.recovery.recovery(),
        }
    }
}

/// Which masks a step's candidates are drawn from.
enum Masking {
    /// None, or they are not known.
    None,
    /// Those of all cells, drawn before.
    All(CellMasks),
    /// A cell's, when it comes first.
    AsNeeded,
}

/// A decode in progress.
pub struct Run<D> {
    asking: Asking<D>,
    board: Board,
    decisions: Decisions,
    options: Options,
    blocks: Vec<Block>,
    /// The block that is being filled.
    block: usize,
    /// The next step of that block.
    step_of_block: usize,
    /// Steps taken.
    step: usize,
    refusals: usize,
    /// Those of the step, what one counts for that ran out of its budget included.
    refusals_of_step: usize,
    /// Refusals since the masks were last drawn in this step.
    since_masks: usize,
    /// Commits of this step so far.
    commits_of_step: usize,
    /// The least probability that further candidates of the step must have.
    least_probability: Option<f32>,
    /// The cells before the last one that was filled with text from the start.
    before_text: Range<usize>,
    foresight: Foresight,
    /// What the last step would have committed next, most preferred first, and looked at beside.
    likely: Foreseen,
    memory: Memory,
    done: bool,
}

impl<D: Denoiser> Run<D> {
    /// A run over a canvas of masks, under the grammar of `checker` or without grammar.
    /// `clock` gives milliseconds from any origin.
    ///
    /// # Errors
    /// When the options make no sense, or no text of the grammar fits; the
    /// model has not been asked then.
    pub fn new(
        denoiser: D,
        vocabulary: Arc<Vocabulary>,
        checker: Option<Checker>,
        options: Options,
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<Self, DecodeError> {
        let canvas = Canvas::masked(options.length);
        let guard: Box<dyn Guard> = match checker {
            Some(checker) => Box::new(GrammarGuard::new(checker, Arc::clone(&vocabulary))),
            None => Box::new(NoGuard),
        };
        Self::with_guard(denoiser, vocabulary, canvas, guard, options, clock)
    }

    /// A run over a canvas, some of it perhaps filled, under any guard.
    ///
    /// # Errors
    /// As for [`Run::new`].
    pub fn with_guard(
        denoiser: D,
        vocabulary: Arc<Vocabulary>,
        canvas: Canvas,
        guard: Box<dyn Guard>,
        options: Options,
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<Self, DecodeError> {
        options.validate()?;
        if canvas.cells().is_empty() {
            return Err(DecodeError::Invalid("a run needs at least one cell"));
        }
        let (logits, tokens) = (denoiser.vocabulary_size(), vocabulary.len());
        if logits != tokens {
            return Err(DecodeError::VocabularyMismatch { logits, tokens });
        }
        options.expect_tokens(tokens)?;
        let written = |token: &u32| vocabulary.is_fillable(*token);
        // A completion could hold them.
        if guard.is_strict() && options.banned.iter().any(|&token| vocabulary.is_end(token)) {
            return Err(DecodeError::Invalid(
                "under a grammar, a token that ends the text cannot be banned",
            ));
        }
        if guard.is_strict() && options.banned.iter().any(written) {
            return Err(DecodeError::Invalid(
                "under a grammar, banned tokens must not be among those that its vocabulary can \
                 write",
            ));
        }
        let writable = TokenSet::from_fn(tokens, |token| {
            (written(&token) || vocabulary.is_end(token)) && !options.banned.contains(&token)
        });
        let is_masked: Vec<bool> = canvas.cells().iter().map(Option::is_none).collect();
        let is_text = |cell: &Option<u32>| cell.is_some_and(|token| !vocabulary.is_end(token));
        let before_text = 0..canvas.cells().iter().rposition(is_text).unwrap_or(0);
        let blocks = blocks(&is_masked, options.block, options.steps);
        let weighed = match options.commit {
            CommitKind::Best => options.width,
            _ => options.recovery.recovery().width(),
        };
        // A margin is that between the first two.
        let least = match options.order {
            OrderKind::Margin => 2,
            _ => 1,
        };
        let candidates = options.candidates.max(weighed).max(least);
        Ok(Self {
            asking: Asking::new(
                denoiser,
                writable,
                Keeping::new(options.key_cache),
                candidates,
            ),
            memory: Memory::new(canvas.cells().len()),
            foresight: Foresight::new(options.foresight),
            board: Board::new(canvas, vocabulary, guard, clock)?,
            decisions: Decisions::from(&options),
            options: Options {
                steps: blocks.iter().map(|block| block.steps).sum(),
                length: is_masked.len(),
                candidates,
                ..options
            },
            blocks,
            block: 0,
            step_of_block: 0,
            step: 0,
            refusals: 0,
            refusals_of_step: 0,
            since_masks: 0,
            commits_of_step: 0,
            least_probability: None,
            before_text,
            likely: Foreseen::default(),
            done: false,
        })
    }

    /// The same run with other decisions than its options describe.
    ///
    /// ```
    /// use lacuna_decoder::{CellView, Decisions, Denoiser, Options, Order, Run};
    ///
    /// struct FromTheRight;
    ///
    /// impl Order for FromTheRight {
    ///     fn preference(&self, view: &CellView) -> f32 {
    ///         view.cell as f32
    ///     }
    /// }
    ///
    /// fn from_the_right<D: Denoiser>(run: Run<D>, options: &Options) -> Run<D> {
    ///     run.deciding(Decisions {
    ///         order: Box::new(FromTheRight),
    ///         ..Decisions::from(options)
    ///     })
    /// }
    /// ```
    pub fn deciding(mut self, decisions: Decisions) -> Self {
        self.decisions = decisions;
        self
    }

    /// The same run with pauses within its steps: behind the model's answer, and between
    /// checks of one candidate. A step that is given up in one ends with
    /// [`DecodeError::GivenUp`]; the run is of no use after it.
    pub fn pausing(mut self, pause: Pause) -> Self {
        self.asking.pause = Some(pause);
        self
    }

    /// Where the time has gone so far, and how often the guard was asked.
    pub fn timings(&self) -> Timings {
        self.board.timings
    }

    /// The model.
    pub fn denoiser(&self) -> &D {
        &self.asking.denoiser
    }

    /// The canvas as it stands.
    pub fn canvas(&self) -> &Canvas {
        &self.board.canvas
    }

    /// The options in force: never more steps than masked cells.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether the run is over.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// One denoising step; nothing once the run is over.
    ///
    /// The future is to be run to its end: a run whose step was dropped half way
    /// may have committed tokens that no event tells of.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn step(&mut self) -> Result<Vec<Event>, DecodeError> {
        let mut events = Vec::new();
        if self.done {
            return Ok(events);
        }
        let masks = self.next_masks();
        if masks.is_empty() {
            // Everything was fixed from the start.
            self.end(Outcome::Complete, None, &mut events);
            return Ok(events);
        }
        events.push(Event::Step {
            step: self.step,
            masked: self.board.canvas.masks().len(),
        });
        (
            self.since_masks,
            self.refusals_of_step,
            self.commits_of_step,
        ) = (0, 0, 0);
        let (mut proposals, drawn) = self.propose(&masks, &mut events).await?;
        let quota;
        (quota, self.least_probability) = self.quota(&proposals);
        let (rows, all) = (&mut proposals, &mut events);
        let committed = match drawn {
            Masking::All(masks) => {
                self.commit_under_masks(Some(masks), rows, quota, all)
                    .await?
            }
            Masking::AsNeeded => {
                let committed = self.commit_under_masks(None, rows, quota, all).await?;
                // Where they are not known, as without.
                let left = quota - committed;
                match left > 0 && !self.is_over() {
                    true => committed + self.commit_batch(rows, left, all).await?,
                    false => committed,
                }
            }
            Masking::None => self.commit_batch(rows, quota, all).await?,
        };
        let mut left = quota - committed;
        left -= self
            .commit_one_by_one(&mut proposals, left, &mut events)
            .await?;
        if self.least_probability.is_some() {
            // Of those that are not sure enough, one in a step is all.
            left = left.min(1_usize.saturating_sub(self.commits_of_step));
        }
        if left > 0 && !self.is_over() {
            if self.must_finish() {
                self.finish(&mut events);
                return Ok(events);
            }
            let (recovery, step) = (&*self.decisions.recovery, self.step);
            let (asking, board) = (&mut self.asking, &mut self.board);
            let rows = proposals.as_mut_slice();
            board.set_recovering(true);
            let written = recover((step, left), rows, recovery, asking, board, &mut events).await;
            self.board.set_recovering(false);
            let written = written?;
            for candidate in written {
                self.report(candidate, How::Recovery, &mut events);
            }
            self.report_cleared(&mut events);
        }
        self.remask(&mut events);
        self.step += 1;
        self.step_of_block += 1;
        proposals.retain(|row| self.board.canvas.cells()[row.cell()].is_none());
        self.commits_of_step = 0;
        self.likely = self.likely_next(&proposals, quota);
        if self.is_over() {
            self.end(Outcome::Complete, None, &mut events);
        }
        Ok(events)
    }

    /// What the next step commits if the model does not change its mind.
    fn likely_next(&self, proposals: &[Proposals], quota: usize) -> Foreseen {
        let quota = match (
            self.blocks.get(self.block),
            self.decisions.schedule.needs_probabilities(),
        ) {
            (Some(block), false) => self.quota_of(block, proposals.len(), &[]).max(1),
            _ => quota,
        };
        let next = self.first_candidates(proposals, quota);
        self.foreseen(next, proposals)
    }

    /// Whether a step that cannot go on ends the run.
    fn must_finish(&mut self) -> bool {
        let in_cells = |board: &mut Board| matches!(board.completion(), Some(Completion::Cells(_)));
        let ends_run = self.decisions.recovery.ends_run();
        self.board.is_strict() && (ends_run || !in_cells(&mut self.board))
    }

    /// Whether nothing is left to do.
    fn is_over(&self) -> bool {
        let settled = self.options.early_stop && self.board.is_settled();
        settled || self.board.canvas.masks().is_empty()
    }

    /// The masked cells of the block that is next, its steps without a quota left out.
    fn next_masks(&mut self) -> Vec<usize> {
        while let Some(block) = self.blocks.get(self.block) {
            let masks = self.board.canvas.masks_in(block.range.clone());
            if masks.is_empty() {
                self.block += 1;
                self.step_of_block = 0;
                continue;
            }
            if !self.decisions.schedule.needs_probabilities() {
                while self.quota_of(block, masks.len(), &[]) == 0 {
                    self.step_of_block += 1;
                }
            }
            return masks;
        }
        Vec::new()
    }

    /// What the model proposes for each masked cell, behind an end only ends; and which masks
    /// it was drawn from, or is yet to be.
    async fn propose(
        &mut self,
        masks: &[usize],
        events: &mut Vec<Event>,
    ) -> Result<(Vec<Proposals>, Masking), DecodeError> {
        let (step, sampler) = (self.step, &*self.decisions.sampler);
        let (asking, board) = (&mut self.asking, &mut self.board);
        let is_masking = self.options.masks_after == Some(0) && board.is_strict();
        let mask = is_masking
            && (self.options.temperature > 0.0
                || self.decisions.schedule.needs_probabilities()
                || self.decisions.commit.follows_best());
        let block = self.blocks.get(self.block);
        let block = block.map_or(0..board.canvas.cells().len(), |block| block.range.clone());
        let of_step = (step, masks, &block);
        let ahead = (mask, &self.likely);
        let proposals = asking.propose(of_step, ahead, sampler, board, events);
        let (mut proposals, drawn) = proposals.await?;
        let behind = board.canvas.behind_ends(&board.vocabulary);
        if board.is_strict() && masks.iter().any(|&cell| behind[cell]) {
            let vocabulary = Arc::clone(&board.vocabulary);
            let ends = TokenSet::from_fn(vocabulary.len(), |token| vocabulary.is_end(token));
            for proposals in proposals.iter_mut().filter(|row| behind[row.cell()]) {
                proposals.keep(&ends);
                asking.replenish(step, proposals, board, events).await?;
            }
        }
        // A guard keeps ends out of there.
        let text_follows = |row: &&mut Proposals| self.before_text.contains(&row.cell());
        if !board.is_strict() {
            let vocabulary = Arc::clone(&board.vocabulary);
            let text = TokenSet::from_fn(vocabulary.len(), |token| !vocabulary.is_end(token));
            for proposals in proposals.iter_mut().filter(text_follows) {
                proposals.keep(&text);
                asking.replenish(step, proposals, board, events).await?;
            }
        }
        for proposals in &mut proposals {
            if let Some(others) = board.not_refused(proposals.cell()) {
                proposals.keep(others);
                asking.replenish(step, proposals, board, events).await?;
            }
        }
        let masking = match drawn {
            Some(masks) => Masking::All(masks),
            None if is_masking && !mask => Masking::AsNeeded,
            None => Masking::None,
        };
        Ok((proposals, masking))
    }

    /// How many of the step's cells are to be committed, and the least probability that all but
    /// one of these must have.
    fn quota(&self, proposals: &[Proposals]) -> (usize, Option<f32>) {
        let Some(block) = self.blocks.get(self.block) else {
            return (proposals.len(), None);
        };
        let mut probabilities = Vec::new();
        if self.decisions.schedule.needs_probabilities() {
            let best = proposals.iter().filter_map(Proposals::best);
            probabilities.extend(best.map(|best| best.probability));
            probabilities.sort_by(|a, b| b.total_cmp(a));
        }
        let quota = self.quota_of(block, proposals.len(), &probabilities);
        let least = (!self.is_last_of(block)).then(|| {
            let view = self.view_of(block, proposals.len(), &probabilities);
            self.decisions.schedule.least_probability(&view)
        });
        (quota.max(1), least.flatten())
    }

    /// Whether the next step is a block's last, which takes what is left of it.
    fn is_last_of(&self, block: &Block) -> bool {
        self.step_of_block + 1 >= block.steps
    }

    fn view_of<'a>(&self, block: &Block, masked: usize, probabilities: &'a [f32]) -> StepView<'a> {
        StepView {
            step: self.step_of_block,
            steps: block.steps,
            cells: block.masked,
            masked,
            probabilities,
        }
    }

    fn quota_of(&self, block: &Block, masked: usize, probabilities: &[f32]) -> usize {
        if self.is_last_of(block) {
            return masked;
        }
        let view = self.view_of(block, masked, probabilities);
        self.decisions.schedule.quota(&view).min(masked)
    }

    /// Tells of the cells that were masked again for the guard.
    fn report_cleared(&mut self, events: &mut Vec<Event>) {
        let (step, cells) = (self.step, self.board.cleared());
        cells.iter().for_each(|&cell| self.memory.forget(cell));
        events.extend(cells.into_iter().map(|cell| Event::Remask { step, cell }));
    }

    /// Masks again what was committed with little confidence.
    fn remask(&mut self, events: &mut Vec<Event>) {
        let (Some(remask), Some(block)) = (self.options.remask, self.blocks.get(self.block)) else {
            return;
        };
        if self.is_last_of(block) || self.is_over() {
            return;
        }
        let step = self.step;
        let cells = self.memory.take(&remask, step, block.range.clone());
        self.board.mask_again(&cells);
        events.extend(cells.into_iter().map(|cell| Event::Remask { step, cell }));
    }

    /// Ends the run with the guard's completion.
    fn finish(&mut self, events: &mut Vec<Event>) {
        let (outcome, text) = match self.board.completion() {
            None => (Outcome::Unfinished, None),
            Some(Completion::Text(text)) => (Outcome::Recovered, Some(text)),
            Some(Completion::Cells(tokens)) => {
                for cell in self.board.canvas.masks() {
                    let token = tokens.get(cell).copied();
                    let token = token.unwrap_or_else(|| self.board.vocabulary.end());
                    self.board.write_from_completion(cell, token);
                    self.board.timings.recovered += 1;
                    let candidate = Candidate {
                        cell,
                        token,
                        probability: 0.0,
                    };
                    self.report(candidate, How::Recovery, events);
                }
                (Outcome::Recovered, None)
            }
        };
        self.step += 1;
        self.end(outcome, text, events);
    }

    fn end(&mut self, outcome: Outcome, text: Option<Vec<u8>>, events: &mut Vec<Event>) {
        self.done = true;
        let board = &self.board;
        events.push(Event::Done {
            text: text.unwrap_or_else(|| board.canvas.text(&board.vocabulary)),
            outcome,
            steps: self.step,
            timings: board.timings,
        });
    }

    fn report(&mut self, candidate: Candidate, how: How, events: &mut Vec<Event>) {
        let Candidate {
            cell,
            token,
            probability,
        } = candidate;
        self.commits_of_step += 1;
        self.memory.note(cell, self.step, probability);
        events.push(Event::Commit(Commit {
            step: self.step,
            cell,
            token,
            probability,
            how,
        }));
    }
}
