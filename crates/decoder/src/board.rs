//! The canvas and its guard: nothing is written past it.

use std::sync::Arc;

use lacuna_checker::Weights;
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_logits::TokenSet;

use crate::canvas::Cell;
use crate::commit::Attempt;
use crate::foresight::Foreseen;
use crate::guard::{Completion, Guard, Refused};
use crate::refuted::Refuted;
use crate::{Candidate, Canvas, DecodeError, Reason, Timings};

/// Milliseconds from any origin.
pub(crate) type Clock = Box<dyn Fn() -> f64>;

/// The canvas of a run with its guard, which times what is asked of it.
pub(crate) struct Board {
    pub canvas: Canvas,
    pub vocabulary: Arc<Vocabulary>,
    pub timings: Timings,
    /// Cells that were masked again for the guard.
    cleared: Vec<usize>,
    /// What is not proposed again.
    refuted: Refuted,
    /// Whether what is asked is asked in recovery.
    recovering: bool,
    guard: Box<dyn Guard>,
    clock: Clock,
}

/// What a question to the guard is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Validation,
    Selection,
    Masks,
    Recovery,
}

impl Board {
    pub(crate) fn new(
        canvas: Canvas,
        vocabulary: Arc<Vocabulary>,
        guard: Box<dyn Guard>,
        clock: Clock,
    ) -> Result<Self, DecodeError> {
        let mut board = Self {
            refuted: Refuted::nothing(vocabulary.len(), canvas.cells().len()),
            canvas,
            vocabulary,
            timings: Timings::default(),
            cleared: Vec::new(),
            recovering: false,
            guard,
            clock,
        };
        board.timings.checks += usize::from(board.is_strict());
        board.ask(Part::Validation, |guard, cells| guard.open(cells))?;
        Ok(board)
    }

    pub(crate) fn now(&self) -> f64 {
        (self.clock)()
    }

    /// Whether anything is ever refused.
    pub(crate) fn is_strict(&self) -> bool {
        self.guard.is_strict()
    }

    /// Whether the text is complete and ended.
    pub(crate) fn is_settled(&self) -> bool {
        self.canvas.is_settled(&self.vocabulary)
    }

    /// At least the tokens that may stand in a masked cell, if anything is known.
    pub(crate) fn possible(&mut self, cell: usize) -> Option<TokenSet> {
        self.ask(Part::Masks, |guard, cells| guard.possible(cells, cell))
    }

    /// Exactly the tokens that may stand in each masked cell, if they are known.
    pub(crate) fn masks(&mut self) -> Option<Vec<Option<TokenSet>>> {
        self.ask(Part::Masks, |guard, cells| guard.masks(cells))
    }

    /// The same of one cell.
    pub(crate) fn mask_of(&mut self, cell: usize) -> Option<TokenSet> {
        self.ask(Part::Masks, |guard, cells| guard.mask_of(cells, cell))
    }

    /// Milliseconds of an exact check so far, on average.
    pub(crate) fn check_ms(&self) -> f64 {
        self.timings.validation_ms / self.timings.checks.max(1) as f64
    }

    /// Finds out ahead whether candidates may be committed together, which may be asked next; not
    /// where the answer is to heed what the model will have said by then.
    pub(crate) fn prepare(&mut self, foreseen: &Foreseen) {
        let is_known = foreseen.now == 0 || !self.is_strict() || self.agrees(foreseen.now());
        if is_known || self.heeds() {
            return;
        }
        self.write(&foreseen.candidates);
        self.ask(Part::Validation, |guard, cells| guard.prepare(cells));
        self.wipe(&foreseen.candidates);
    }

    /// Whether it is of use to look for completions with more than is to be committed.
    pub(crate) fn foresees(&self) -> bool {
        self.guard.foresees()
    }

    /// Whether completions follow what the model finds likely.
    pub(crate) fn heeds(&mut self) -> bool {
        self.guard.heeds(self.canvas.cells())
    }

    /// Tells what the model finds likely in each masked cell.
    pub(crate) fn heed(&mut self, weights: Vec<Option<Weights>>) {
        self.guard.heed(weights);
    }

    /// Looks for a completion that has all of these; nothing is committed.
    pub(crate) fn foresee(&mut self, foreseen: &Foreseen) -> Result<(), Refused> {
        self.timings.checks += 1;
        self.write(&foreseen.candidates);
        let outcome = self.ask(Part::Validation, |guard, cells| guard.check(cells));
        self.wipe(&foreseen.candidates);
        outcome
    }

    /// Whether the completion at hand has all of some candidates.
    pub(crate) fn agrees(&self, candidates: &[Candidate]) -> bool {
        let commits: Vec<_> = candidates.iter().map(|c| (c.cell, c.token)).collect();
        self.guard.agrees(&commits)
    }

    /// Told that a candidate was refused alone.
    pub(crate) fn refused(&mut self, candidate: &Candidate, reason: Reason) {
        self.timings.refusals += 1;
        if self.guard.remembers() {
            self.refuted.note(candidate.cell, candidate.token, reason);
        }
    }

    /// The tokens that were not refused in a cell; `None` if none was.
    pub(crate) fn not_refused(&self, cell: usize) -> Option<&TokenSet> {
        self.refuted.others(cell)
    }

    /// The completion that weighs most, if it is known.
    pub(crate) fn best(&mut self, weights: &[Option<Weights>]) -> Option<Vec<TokenId>> {
        self.ask(Part::Selection, |guard, cells| guard.best(cells, weights))
    }

    /// Whether any token may stand in a cell.
    pub(crate) fn is_free(&self, cell: usize) -> bool {
        self.guard.is_free(cell)
    }

    pub(crate) fn completion(&mut self) -> Option<Completion> {
        self.ask(Part::Recovery, |guard, _| guard.completion())
    }

    /// Whether what is asked from here on is asked in recovery.
    pub(crate) fn set_recovering(&mut self, recovering: bool) {
        self.recovering = recovering;
    }

    /// Writes the token of the completion into a cell; no check is needed.
    pub(crate) fn write_from_completion(&mut self, cell: usize, token: TokenId) {
        self.canvas.set(cell, Some(token));
    }

    /// The cells that were masked again for the guard since this was last asked.
    pub(crate) fn cleared(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.cleared)
    }

    /// Masks cells again.
    pub(crate) fn mask_again(&mut self, cells: &[usize]) {
        if cells.is_empty() {
            return;
        }
        for &cell in cells {
            self.canvas.set(cell, None);
        }
        self.timings.remasked += cells.len();
        self.refuted.forget();
        self.guard.masked_again(self.canvas.cells());
    }

    fn ask<T>(&mut self, part: Part, question: impl FnOnce(&mut dyn Guard, &[Cell]) -> T) -> T {
        let (started, lexed) = ((self.clock)(), self.guard.lexing_ms());
        let answer = question(&mut *self.guard, self.canvas.cells());
        let took = (self.clock)() - started;
        let lexing = (self.guard.lexing_ms() - lexed).clamp(0.0, took.max(0.0));
        let timings = &mut self.timings;
        timings.prepared = self.guard.prepared();
        timings.checker_ms += took;
        timings.lexing_ms += lexing;
        let own = match part {
            _ if self.recovering => &mut timings.recovery_ms,
            Part::Validation => &mut timings.validation_ms,
            Part::Selection => &mut timings.selection_ms,
            Part::Masks => &mut timings.masks_ms,
            Part::Recovery => &mut timings.recovery_ms,
        };
        *own += took - lexing;
        answer
    }

    fn write(&mut self, candidates: &[Candidate]) {
        for candidate in candidates {
            self.canvas.set(candidate.cell, Some(candidate.token));
        }
    }

    fn wipe(&mut self, candidates: &[Candidate]) {
        for candidate in candidates {
            self.canvas.set(candidate.cell, None);
        }
    }
}

impl Attempt for Board {
    fn allows(&mut self, candidates: &[Candidate]) -> bool {
        self.write(candidates);
        let allowed = self.ask(Part::Selection, |guard, cells| guard.allows(cells));
        self.wipe(candidates);
        self.timings.batches_allowed += usize::from(allowed && candidates.len() > 1);
        allowed
    }

    fn commit(&mut self, candidates: &[Candidate]) -> Result<(), Refused> {
        if candidates.is_empty() {
            return Ok(());
        }
        self.write(candidates);
        let result = match self.is_strict() {
            false => Ok(()),
            true => match self.agrees(candidates) {
                true => {
                    self.timings.agreed += 1;
                    Ok(())
                }
                false => {
                    self.timings.checks += 1;
                    self.ask(Part::Validation, |guard, cells| guard.check(cells))
                }
            },
        };
        match result {
            Err(_) => self.wipe(candidates),
            Ok(()) => {
                let cleared = self.guard.cleared();
                self.mask_again(&cleared);
                self.cleared.extend(cleared);
            }
        }
        if candidates.len() > 1 && self.is_strict() {
            self.timings.batches_tried += 1;
            if result.is_ok() {
                self.timings.batches += 1;
                self.timings.batch_tokens += candidates.len();
            }
        }
        result
    }
}
