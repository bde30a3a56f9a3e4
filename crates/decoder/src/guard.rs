//! What stands between the model and the canvas.
//!
//! A guard says whether a canvas can still become a text that is wanted, and keeps a
//! filling of the last canvas that it said yes to. The loop writes nothing into the
//! canvas for good that its guard did not allow. [`GrammarGuard`] is the exact checker;
//! the published methods are guards too (`lacuna eval`), and [`NoGuard`] allows all.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use lacuna_checker::{Ahead, CanvasVerdict, Checker, CheckerLimits, Weights};
use lacuna_lexer::{BitSet, MemoUse, TokenId, Vocabulary};
use lacuna_logits::TokenSet;

use crate::canvas::Cell;
use crate::{DecodeError, Needs, Reason};

/// A refusal of a canvas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub reason: Reason,
    /// Cells that are enough to say so: whatever stood in the others, it would be refused.
    pub within: Range<usize>,
}

impl Refused {
    /// The same of cells that stand behind so many others.
    #[must_use]
    pub fn behind(mut self, cells: usize) -> Self {
        let Range { start, end } = self.within;
        self.within = start.saturating_add(cells)..end.saturating_add(cells);
        self
    }
}

/// A refusal of which is not known which cells it is due to.
impl From<Reason> for Refused {
    fn from(reason: Reason) -> Self {
        let within = 0..usize::MAX;
        Self { reason, within }
    }
}

/// A text for a canvas whose masks are left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// A token for every cell.
    Cells(Vec<TokenId>),
    /// A whole text, whether it fits the cells or not.
    Text(Vec<u8>),
}

/// What stands between the model and the canvas.
pub trait Guard {
    /// Whether the canvas that a run begins with can be completed.
    ///
    /// # Errors
    /// When it cannot, or that is not known.
    fn open(&mut self, cells: &[Cell]) -> Result<(), DecodeError>;

    /// Whether a canvas can be completed; if so, its completion is kept.
    ///
    /// # Errors
    /// Why not, or why that is not known.
    fn check(&mut self, cells: &[Cell]) -> Result<(), Refused>;

    /// Whether the last completion has these tokens, so that no check is needed.
    fn agrees(&self, _commits: &[(usize, TokenId)]) -> bool {
        false
    }

    /// Whether it is of use to check canvases with more tokens than are to be committed: a check
    /// then has no effect but its completion, which may agree with commits to come.
    fn foresees(&self) -> bool {
        false
    }

    /// Whether it heeds what a model finds likely on such a canvas ([`Guard::heed`]): then it is of
    /// no use to check it with more tokens than are to be committed.
    fn heeds(&mut self, _cells: &[Cell]) -> bool {
        false
    }

    /// Told what the model finds likely in each masked cell, which completions that are found from
    /// now on are to follow. It changes no answer but these.
    fn heed(&mut self, _weights: Vec<Option<Weights>>) {}

    /// Whether what was refused as impossible is not proposed again in later steps; the published
    /// loops propose it in each.
    fn remembers(&self) -> bool {
        false
    }

    /// A cheaper check whose no is certain.
    fn allows(&mut self, _cells: &[Cell]) -> bool {
        true
    }

    /// At least the tokens, ends included, that may stand in a masked cell, all others
    /// being free; `None` if nothing is known.
    fn possible(&mut self, _cells: &[Cell], _cell: usize) -> Option<TokenSet> {
        None
    }

    /// Exactly the tokens, ends included, that may stand in each masked cell, all
    /// others being free; `None` if they are not known.
    fn masks(&mut self, _cells: &[Cell]) -> Option<Vec<Option<TokenSet>>> {
        None
    }

    /// The same of one masked cell.
    fn mask_of(&mut self, cells: &[Cell], cell: usize) -> Option<TokenSet> {
        self.masks(cells)?.into_iter().nth(cell)?
    }

    /// Told, while a model computes, of a canvas that may be checked next: what can be found
    /// out ahead without any other answer than the guard would give later.
    fn prepare(&mut self, _cells: &[Cell]) {}

    /// Checks that were answered by what was prepared.
    fn prepared(&self) -> usize {
        0
    }

    /// The completion that weighs most, for each masked cell its [`Weights`]; it is kept.
    /// `None` where it is not known.
    fn best(&mut self, _cells: &[Cell], _weights: &[Option<Weights>]) -> Option<Vec<TokenId>> {
        None
    }

    /// Milliseconds that finding lexemes has taken, where that is timed.
    fn lexing_ms(&self) -> f64 {
        0.0
    }

    /// Committed cells that must be masked again after the last check; told once.
    fn cleared(&mut self) -> Vec<usize> {
        Vec::new()
    }

    /// Told that cells were masked again, which can only make more possible.
    fn masked_again(&mut self, _cells: &[Cell]) {}

    /// A completion of the last canvas that was allowed.
    fn completion(&mut self) -> Option<Completion>;

    /// Whether any token may stand in a masked cell, whatever stands elsewhere.
    fn is_free(&self, _cell: usize) -> bool {
        !self.is_strict()
    }

    /// Whether anything is ever refused.
    fn is_strict(&self) -> bool {
        true
    }
}

/// Allows everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGuard;

impl Guard for NoGuard {
    fn open(&mut self, _cells: &[Cell]) -> Result<(), DecodeError> {
        Ok(())
    }

    fn check(&mut self, _cells: &[Cell]) -> Result<(), Refused> {
        Ok(())
    }

    fn completion(&mut self) -> Option<Completion> {
        None
    }

    fn is_strict(&self) -> bool {
        false
    }
}

/// Allows what can become a sentence of a grammar in the cells that there are.
pub struct GrammarGuard {
    checker: Checker,
    /// Who takes the checker, its memos filled, when the guard is dropped.
    keep: Option<Box<dyn FnOnce(Checker)>>,
    vocabulary: Arc<Vocabulary>,
    /// A token for every cell that completes the canvas.
    witness: Vec<TokenId>,
    /// What the model finds likely, as far as that was told.
    weights: Vec<Option<Weights>>,
    /// A canvas that was decided ahead, if nothing was asked since.
    ahead: Option<(Vec<Cell>, Ahead)>,
    /// Checks that were decided ahead.
    prepared: usize,
    /// What the checker's memos had been asked before, and through this guard.
    before: MemoUse,
    uses: Arc<Mutex<MemoUse>>,
}

/// Cells up to which the shortest text is looked for, for the error's sake.
const SHORTEST_SEARCH: usize = 4096;

impl GrammarGuard {
    /// A guard by a checker that counts in `vocabulary`.
    pub fn new(checker: Checker, vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            before: checker.memo_uses().total(),
            checker,
            keep: None,
            vocabulary,
            witness: Vec::new(),
            weights: Vec::new(),
            ahead: None,
            prepared: 0,
            uses: Arc::default(),
        }
    }

    /// The same guard, its lexing timed.
    pub fn timing_lexing(mut self, clock: fn() -> f64) -> Self {
        self.checker.time_lexing(clock);
        self
    }

    /// The vocabulary that it counts in.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// What is asked of the checker's memos through this guard, kept up to date.
    pub fn uses(&self) -> Arc<Mutex<MemoUse>> {
        Arc::clone(&self.uses)
    }

    fn count(&self) {
        if let Ok(mut uses) = self.uses.lock() {
            *uses = self.checker.memo_uses().total().since(self.before);
        }
    }

    fn decide(&mut self, cells: &[Cell]) -> CanvasVerdict {
        let ahead = self.ahead.take().filter(|(known, _)| known == cells);
        self.prepared += usize::from(ahead.is_some());
        let (verdict, _) = match ahead {
            Some((_, ahead)) => self.checker.accept(ahead),
            None if self.weights.is_empty() => self.checker.check_canvas(cells),
            None => self.checker.check_canvas_by(cells, &self.weights),
        };
        self.count();
        verdict
    }

    /// The same guard, handing its checker to `keep` in the end: what it has found out
    /// is of use to the next run under the same grammar.
    pub fn keeping(mut self, keep: impl FnOnce(Checker) + 'static) -> Self {
        self.keep = Some(Box::new(keep));
        self
    }
}

/// A checker's masks as sets of tokens, where all are decided.
pub(crate) fn masks_of(
    checker: &mut Checker,
    cells: &[Cell],
    vocabulary: &Vocabulary,
) -> Option<Vec<Option<TokenSet>>> {
    let masks = checker.masks(cells);
    let token_sets = || {
        let cells = masks.cells.iter();
        let token_set = |mask: &BitSet| token_set(mask, vocabulary);
        cells.map(|mask| mask.as_ref().map(token_set)).collect()
    };
    (masks.undecided == 0).then(token_sets)
}

/// A checker's mask of one cell, if it is decided.
pub(crate) fn mask_of(
    checker: &mut Checker,
    (cells, cell): (&[Cell], usize),
    vocabulary: &Vocabulary,
) -> Option<TokenSet> {
    let mask = checker.mask_of(cells, cell)?;
    Some(token_set(&mask, vocabulary))
}

fn token_set(mask: &BitSet, vocabulary: &Vocabulary) -> TokenSet {
    let mut tokens = TokenSet::empty(vocabulary.len());
    for token in mask.iter() {
        tokens.insert(token as TokenId);
    }
    tokens
}

impl Drop for GrammarGuard {
    fn drop(&mut self) {
        if let Some(keep) = self.keep.take() {
            let (compiled, vocabulary) = (self.checker.compiled(), self.checker.vocabulary());
            let limits = CheckerLimits::default();
            let empty = Checker::from_compiled(Arc::clone(compiled), vocabulary.cloned(), limits);
            keep(std::mem::replace(&mut self.checker, empty));
        }
    }
}

impl Guard for GrammarGuard {
    fn lexing_ms(&self) -> f64 {
        self.checker.lexing_ms()
    }

    fn open(&mut self, cells: &[Cell]) -> Result<(), DecodeError> {
        // A run is the same whatever ran before.
        self.checker.forget_completions();
        self.weights.clear();
        match self.decide(cells) {
            CanvasVerdict::Completable(tokens) => {
                self.witness = tokens;
                Ok(())
            }
            CanvasVerdict::Malformed => Err(DecodeError::Malformed),
            CanvasVerdict::Impossible { .. } if cells.iter().all(Option::is_none) => {
                Err(DecodeError::NoMember {
                    length: cells.len(),
                    needs: self.checker.shortest(SHORTEST_SEARCH).map(Needs::AtLeast),
                })
            }
            CanvasVerdict::Impossible { .. } => Err(DecodeError::no_filling(cells)),
            CanvasVerdict::Exhausted { what, limit } => Err(DecodeError::Exhausted {
                what: what.counts(),
                limit,
            }),
        }
    }

    fn check(&mut self, cells: &[Cell]) -> Result<(), Refused> {
        match self.decide(cells) {
            CanvasVerdict::Completable(tokens) => {
                self.witness = tokens;
                Ok(())
            }
            CanvasVerdict::Malformed => Err(Reason::EndBeforeText.into()),
            CanvasVerdict::Impossible { first_cells } => Err(Refused {
                reason: Reason::Impossible,
                within: 0..first_cells,
            }),
            CanvasVerdict::Exhausted { .. } => Err(Reason::Exhausted.into()),
        }
    }

    fn agrees(&self, commits: &[(usize, TokenId)]) -> bool {
        let mut commits = commits.iter();
        commits.all(|&(cell, token)| self.witness.get(cell) == Some(&token))
    }

    fn foresees(&self) -> bool {
        true
    }

    fn heeds(&mut self, cells: &[Cell]) -> bool {
        self.checker.heeds_weights(cells.len())
    }

    fn heed(&mut self, weights: Vec<Option<Weights>>) {
        // Another completion might have been found by what is known now.
        self.ahead = None;
        self.weights = weights;
    }

    fn remembers(&self) -> bool {
        true
    }

    fn possible(&mut self, cells: &[Cell], cell: usize) -> Option<TokenSet> {
        let possible = self.checker.possible(cells, cell)?;
        let mut tokens = token_set(&possible, &self.vocabulary);
        for &end in self.vocabulary.ends() {
            tokens.insert(end);
        }
        Some(tokens)
    }

    fn masks(&mut self, cells: &[Cell]) -> Option<Vec<Option<TokenSet>>> {
        self.ahead = None;
        let masks = masks_of(&mut self.checker, cells, &self.vocabulary);
        self.count();
        masks
    }

    fn mask_of(&mut self, cells: &[Cell], cell: usize) -> Option<TokenSet> {
        self.ahead = None;
        let mask = mask_of(&mut self.checker, (cells, cell), &self.vocabulary);
        self.count();
        mask
    }

    fn prepare(&mut self, cells: &[Cell]) {
        let ahead = self.checker.check_ahead(cells);
        self.ahead = Some((cells.to_vec(), ahead));
        self.count();
    }

    fn prepared(&self) -> usize {
        self.prepared
    }

    fn best(&mut self, cells: &[Cell], weights: &[Option<Weights>]) -> Option<Vec<TokenId>> {
        self.ahead = None;
        let best = self.checker.best(cells, weights);
        self.count();
        let best = best?.tokens;
        self.witness.clone_from(&best);
        Some(best)
    }

    fn completion(&mut self) -> Option<Completion> {
        Some(Completion::Cells(self.witness.clone()))
    }
}
