//! Free text until a trigger; behind it, a grammar.
//!
//! Nothing is checked until the trigger stands in neighbouring cells, all written. From
//! then on what stands behind it, a part of the last cell perhaps, is a text of the
//! grammar. A commit that would complete the trigger where no text of the grammar fits
//! behind it is refused, and so is one that would complete an earlier trigger later. What
//! was written behind it before was written without grammar,
//! and is masked again ([`Guard::cleared`]); what was fixed from the start stays.

use std::sync::Arc;

use lacuna_checker::{CanvasVerdict, Checker, Pattern, Segment, Verdict, Weights};
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_logits::TokenSet;

use crate::canvas::Cell;
use crate::guard::{Completion, Guard, Refused, mask_of, masks_of};
use crate::regions::heaviest;
use crate::{DecodeError, Reason};

/// Allows anything until a trigger stands, and then what the grammar does.
#[derive(Clone, Debug)]
pub struct TriggerGuard {
    trigger: Vec<u8>,
    checker: Checker,
    vocabulary: Arc<Vocabulary>,
    fired: Option<Fired>,
    cells: Vec<Cell>,
    /// The canvas as it was opened.
    fixed: Vec<Cell>,
    /// The heaviest token of each cell when that was last asked.
    heaviest: Vec<TokenId>,
    cleared: Vec<usize>,
    /// The budget that ran out last, and its limit.
    ran_out: (&'static str, usize),
}

/// Where the trigger stands.
#[derive(Clone, Debug)]
struct Fired {
    /// The first cell behind it.
    first: usize,
    /// What the cell before that has behind the trigger.
    rest: Vec<u8>,
    /// A token for every cell from `first` on.
    witness: Vec<TokenId>,
}

impl TriggerGuard {
    /// A guard whose checker counts in `vocabulary`.
    pub fn new(trigger: impl Into<Vec<u8>>, checker: Checker, vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            trigger: trigger.into(),
            checker,
            vocabulary,
            fired: None,
            cells: Vec::new(),
            fixed: Vec::new(),
            heaviest: Vec::new(),
            cleared: Vec::new(),
            ran_out: ("", 0),
        }
    }

    /// The first cell behind the leftmost trigger, and what stands behind the trigger
    /// in the cell before.
    fn find(&self, cells: &[Cell]) -> Option<(usize, Vec<u8>)> {
        let mut run: Vec<u8> = Vec::new();
        for (at, cell) in cells.iter().enumerate() {
            let Some(token) = cell else {
                run.clear();
                continue;
            };
            if self.vocabulary.is_end(*token) {
                return None;
            }
            let before = run.len();
            run.extend(self.vocabulary.bytes(*token).unwrap_or_default());
            let from = (before + 1).saturating_sub(self.trigger.len());
            let mut windows = run[from..].windows(self.trigger.len().max(1));
            if let Some(found) = windows.position(|window| window == self.trigger) {
                let rest = run[from + found + self.trigger.len()..].to_vec();
                return Some((at + 1, rest));
            }
        }
        None
    }

    /// A witness of what stands behind the trigger.
    fn behind(&mut self, rest: &[u8], cells: &[Cell]) -> Result<Vec<TokenId>, Reason> {
        if rest.is_empty() {
            return match self.checker.check_canvas(cells).0 {
                CanvasVerdict::Completable(tokens) => Ok(tokens),
                CanvasVerdict::Malformed => Err(Reason::EndBeforeText),
                CanvasVerdict::Impossible { .. } => Err(Reason::Impossible),
                CanvasVerdict::Exhausted { what, limit } => {
                    self.ran_out = (what.counts(), limit);
                    Err(Reason::Exhausted)
                }
            };
        }
        let behind = Pattern::of_canvas(cells, &self.vocabulary).ok_or(Reason::EndBeforeText)?;
        let mut pattern = behind;
        if !rest.is_empty() {
            match pattern.segments.first_mut() {
                Some(Segment::Text(text)) => {
                    text.splice(0..0, rest.iter().copied());
                }
                _ => pattern.segments.insert(0, Segment::Text(rest.to_vec())),
            }
        }
        match self.checker.check(&pattern).0 {
            Verdict::Completable(witness) => Ok(witness.tokens(cells, &pattern, &self.vocabulary)),
            Verdict::Impossible => Err(Reason::Impossible),
            Verdict::Exhausted { what, limit } => {
                self.ran_out = (what.counts(), limit);
                Err(Reason::Exhausted)
            }
        }
    }
}

impl Guard for TriggerGuard {
    fn lexing_ms(&self) -> f64 {
        self.checker.lexing_ms()
    }

    fn open(&mut self, cells: &[Cell]) -> Result<(), DecodeError> {
        if self.trigger.is_empty() {
            return Err(DecodeError::Invalid("a trigger must not be empty"));
        }
        // A run is the same whatever ran before.
        self.checker.forget_completions();
        self.cells = cells.to_vec();
        self.fixed = cells.to_vec();
        self.check(cells).map_err(|refused| match refused.reason {
            Reason::Exhausted => {
                let (what, limit) = self.ran_out;
                DecodeError::Exhausted { what, limit }
            }
            Reason::EndBeforeText => DecodeError::Malformed,
            Reason::Impossible => DecodeError::no_filling(cells),
        })
    }

    fn check(&mut self, cells: &[Cell]) -> Result<(), Refused> {
        let before = self
            .fired
            .as_ref()
            .map(|fired| (fired.first, fired.rest.clone()));
        let fires = before.is_none();
        let place = before.or_else(|| self.find(cells));
        if let Some((first, rest)) = place {
            let is_end = |cell: &Cell| cell.is_some_and(|token| self.vocabulary.is_end(token));
            if cells[..first].iter().any(is_end) {
                return Err(Reason::EndBeforeText.into());
            }
            if self.find(cells).is_none_or(|(found, _)| found != first) {
                return Err(Reason::Impossible.into());
            }
            let mut behind = cells[first..].to_vec();
            if fires {
                let is_free = |cell: usize| self.fixed.get(cell).is_none_or(Option::is_none);
                let written = (first..cells.len()).filter(|&cell| cells[cell].is_some());
                let written: Vec<usize> = written.filter(|&cell| is_free(cell)).collect();
                for &cell in &written {
                    behind[cell - first] = None;
                }
                let witness = self.behind(&rest, &behind)?;
                self.cleared = written;
                self.fired = Some(Fired {
                    first,
                    rest,
                    witness,
                });
            } else {
                let witness = self.behind(&rest, &behind)?;
                self.fired = Some(Fired {
                    first,
                    rest,
                    witness,
                });
            }
        }
        self.cells = cells.to_vec();
        Ok(())
    }

    /// Before the trigger stands, what is refused is where it would: what is impossible there may
    /// go well behind an earlier one.
    fn remembers(&self) -> bool {
        self.fired.is_some()
    }

    fn possible(&mut self, cells: &[Cell], cell: usize) -> Option<TokenSet> {
        let fired = self.fired.as_ref()?;
        if cell < fired.first || !fired.rest.is_empty() {
            return None;
        }
        let possible = self
            .checker
            .possible(&cells[fired.first..], cell - fired.first)?;
        let ends = self.vocabulary.ends();
        Some(TokenSet::from_fn(self.vocabulary.len(), |token| {
            possible.contains(token as usize) || ends.contains(&token)
        }))
    }

    /// Of what stands behind the trigger; before it nothing is known, and nothing where the
    /// trigger's last token holds some of the text behind it.
    fn masks(&mut self, cells: &[Cell]) -> Option<Vec<Option<TokenSet>>> {
        let fired = self.fired.as_ref().filter(|fired| fired.rest.is_empty())?;
        let behind = masks_of(&mut self.checker, &cells[fired.first..], &self.vocabulary)?;
        let before = std::iter::repeat_n(None, fired.first);
        Some(before.chain(behind).collect())
    }

    fn mask_of(&mut self, cells: &[Cell], cell: usize) -> Option<TokenSet> {
        let fired = self.fired.as_ref().filter(|fired| fired.rest.is_empty())?;
        let (behind, cell) = (&cells[fired.first..], cell.checked_sub(fired.first)?);
        mask_of(&mut self.checker, (behind, cell), &self.vocabulary)
    }

    /// The heaviest text behind the trigger; before it each cell's heaviest token.
    fn best(&mut self, cells: &[Cell], weights: &[Option<Weights>]) -> Option<Vec<TokenId>> {
        self.heaviest = heaviest(cells, weights, self.vocabulary.end()).collect();
        let fired = self.fired.as_mut().filter(|fired| fired.rest.is_empty())?;
        let behind = cells.get(fired.first..)?;
        let of_behind = weights.get(fired.first..)?;
        let best = self.checker.best(behind, of_behind)?.tokens;
        fired.witness.clone_from(&best);
        let before = self.heaviest[..fired.first].iter().copied();
        Some(before.chain(best).collect())
    }

    /// Where some of the trigger is masked again it stands no more.
    fn masked_again(&mut self, cells: &[Cell]) {
        self.cells = cells.to_vec();
        let stands = self.find(cells).map(|(first, _)| first);
        self.fired.take_if(|fired| stands != Some(fired.first));
    }

    fn cleared(&mut self) -> Vec<usize> {
        let cleared = std::mem::take(&mut self.cleared);
        for &cell in &cleared {
            self.cells[cell] = None;
        }
        cleared
    }

    fn completion(&mut self) -> Option<Completion> {
        let (first, witness) = match &self.fired {
            Some(fired) => (fired.first, fired.witness.as_slice()),
            None => (self.cells.len(), &[][..]),
        };
        // What is masked before the trigger may be anything but an end or a trigger: what weighs
        // most, if that was asked, or one token everywhere.
        let end = self.vocabulary.end();
        let with = |free: &dyn Fn(usize) -> TokenId| -> Vec<Cell> {
            let before = self.cells[..first].iter().enumerate();
            before.map(|(at, cell)| cell.or(Some(free(at)))).collect()
        };
        let place = self.fired.as_ref().map(|fired| fired.first);
        let found = |cells: &[Cell]| self.find(cells).map(|(found, _)| found);
        let is_end = |cell: &Cell| cell.is_some_and(|token| self.vocabulary.is_end(token));
        let heaviest = with(&|at| self.heaviest.get(at).copied().unwrap_or(end));
        // They are written one at a time, an end perhaps last.
        let ends_are_masks: Vec<Cell> = heaviest.iter().map(|c| c.filter(|_| !is_end(c))).collect();
        let has_ends = place.is_some() && heaviest.iter().any(is_end);
        let before = if found(&ends_are_masks) == place && !has_ends {
            heaviest
        } else if place.is_some() {
            let harmless = |token: &TokenId| {
                let is_written = self.vocabulary.is_fillable(*token);
                is_written && found(&with(&|_| *token)) == place
            };
            let mut tokens = 0..self.vocabulary.len() as TokenId;
            let free = tokens.find(harmless).unwrap_or(end);
            with(&|_| free)
        } else {
            with(&|_| end)
        };
        let before = before.into_iter().flatten();
        Some(Completion::Cells(
            before.chain(witness.iter().copied()).collect(),
        ))
    }
}
