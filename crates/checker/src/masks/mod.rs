//! Token masks for holes: for every masked cell, the tokens that keep the canvas
//! completable, the other masked cells being free.
//!
//! For a regular grammar the automaton's sets say it. For others a chart of the whole canvas
//! does, gone through forwards and backwards ([`useful`](crate::useful), [`cells`]). Where
//! the grammar has no cover of its parser, tokens are tried one by one (`tries`; the grammar
//! engine alone is built without, for size, and leaves all tokens undecided there).
//!
//! Exact for each cell alone, not for two together: after a commit a mask can only lose
//! tokens, and is drawn anew before the next one ([`Checker::mask_of`]).
//!
//! Cost: that of the chart, within a budget.

use lacuna_lexer::{BitSet, TokenId, Vocabulary};

use crate::{CanvasVerdict, Checker, Pattern};

mod cells;
#[cfg(feature = "shortcuts")]
mod tries;

pub(crate) use cells::{CellMasks, cell_masks};

/// The tokens that may stand in each cell of a canvas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masks {
    /// For each cell that is masked, the tokens that keep the canvas completable,
    /// ends of text among them; none if it is not completable as it stands.
    pub cells: Vec<Option<BitSet>>,
    /// Tokens that could not be decided within the budgets, counted for each cell;
    /// they are not in the masks.
    pub undecided: usize,
}

/// What a chart of a whole canvas says.
pub(crate) enum Drawn {
    /// All masks.
    Masks(CellMasks),
    /// The budget was not enough.
    Exhausted,
}

impl Checker {
    /// The tokens that may stand in each masked cell of a canvas, all other masked
    /// cells being free. Exactly those, but for what is undecided within the budgets. Where
    /// completions are judged, too, these are the grammar's: what is refused is among them.
    pub fn masks(&mut self, cells: &[Option<TokenId>]) -> Masks {
        self.draw_masks(cells, None)
    }

    /// The same of one masked cell; `None` if it is none, or cannot be drawn within the budgets.
    pub fn mask_of(&mut self, cells: &[Option<TokenId>], cell: usize) -> Option<BitSet> {
        if cells.get(cell)?.is_some() {
            return None;
        }
        let mut masks = self.draw_masks(cells, Some(cell));
        let mask = masks.cells.get_mut(cell)?.take()?;
        (masks.undecided == 0).then_some(mask)
    }

    fn draw_masks(&mut self, cells: &[Option<TokenId>], only: Option<usize>) -> Masks {
        let Some(vocabulary) = self.vocabulary().cloned() else {
            return Masks::nothing(cells, 0);
        };
        let mut masks = Masks::nothing(cells, vocabulary.len());
        let Some(pattern) = Pattern::of_canvas(cells, &vocabulary) else {
            return masks;
        };
        if self.is_regular() {
            if self.is_completable(cells, &vocabulary, &mut masks) {
                self.mask_ends(cells, only, &vocabulary, &mut masks);
                self.draw_regular(cells, only, &mut masks);
            }
            return masks;
        }
        let holes = holes(cells, &vocabulary);
        let hole = only.map(|only| holes.binary_search(&only).unwrap_or(usize::MAX));
        match self.draw(&pattern, hole) {
            Some(Drawn::Masks(drawn)) => {
                let first_end = drawn.first_end;
                let may_end = |cell: usize| {
                    let hole = holes.binary_search(&cell).unwrap_or(usize::MAX);
                    first_end.is_some_and(|first| first <= hole)
                };
                for cell in ends(cells, &vocabulary) {
                    if may_end(cell) && only.is_none_or(|only| only == cell) {
                        masks.insert_ends(cell, &vocabulary);
                    }
                }
                for (drawn, &cell) in drawn.cells.iter().zip(&holes) {
                    if let Some(mask) = &mut masks.cells[cell] {
                        mask.union_with(drawn);
                    }
                }
            }
            Some(Drawn::Exhausted) => masks.leave_undecided(&vocabulary),
            #[cfg(feature = "shortcuts")]
            None => {
                if self.is_completable(cells, &vocabulary, &mut masks) {
                    self.mask_ends(cells, only, &vocabulary, &mut masks);
                    self.try_tokens(cells, &holes, only, &vocabulary, &mut masks);
                }
            }
            #[cfg(not(feature = "shortcuts"))]
            None => masks.leave_undecided(&vocabulary),
        }
        masks
    }

    /// Whether a canvas can be completed; if that is not known, all tokens are undecided.
    fn is_completable(
        &mut self,
        cells: &[Option<TokenId>],
        vocabulary: &Vocabulary,
        masks: &mut Masks,
    ) -> bool {
        match self.check_canvas(cells).0 {
            CanvasVerdict::Completable(_) => true,
            CanvasVerdict::Impossible { .. } | CanvasVerdict::Malformed => false,
            CanvasVerdict::Exhausted { .. } => {
                masks.leave_undecided(vocabulary);
                false
            }
        }
    }

    /// What the automaton of a regular grammar says.
    fn draw_regular(&mut self, cells: &[Option<TokenId>], only: Option<usize>, masks: &mut Masks) {
        let possible = match only {
            None => self.all_possible(cells).unwrap_or_default(),
            Some(only) => {
                let mut possible = vec![None; cells.len()];
                possible[only] = self.possible(cells, only);
                possible
            }
        };
        for (mask, possible) in masks.cells.iter_mut().zip(possible) {
            if let Some((mask, possible)) = mask.as_mut().zip(possible) {
                mask.union_with(&possible);
            }
        }
    }

    /// Adds the ends of text where the text can be over, as checks tell.
    fn mask_ends(
        &mut self,
        cells: &[Option<TokenId>],
        only: Option<usize>,
        vocabulary: &Vocabulary,
        masks: &mut Masks,
    ) {
        // Where the text may be over in one cell, it may be in any later one.
        let mut may_end = false;
        for cell in ends(cells, vocabulary) {
            if only.is_some_and(|only| only != cell) {
                continue;
            }
            if !may_end {
                let mut tried = cells.to_vec();
                tried[cell] = Some(vocabulary.end());
                match self.check_canvas(&tried).0 {
                    CanvasVerdict::Completable(_) => may_end = true,
                    CanvasVerdict::Exhausted { .. } => masks.undecided += vocabulary.ends().len(),
                    CanvasVerdict::Impossible { .. } | CanvasVerdict::Malformed => {}
                }
            }
            if may_end {
                masks.insert_ends(cell, vocabulary);
            }
        }
    }
}

impl Masks {
    fn nothing(cells: &[Option<TokenId>], tokens: usize) -> Self {
        let masked = cells.iter().map(Option::is_none);
        Self {
            cells: masked
                .map(|masked| masked.then(|| BitSet::new(tokens)))
                .collect(),
            undecided: 0,
        }
    }

    fn leave_undecided(&mut self, vocabulary: &Vocabulary) {
        self.undecided = self.cells.iter().flatten().count() * vocabulary.len();
    }

    fn insert_ends(&mut self, cell: usize, vocabulary: &Vocabulary) {
        if let Some(mask) = &mut self.cells[cell] {
            for &end in vocabulary.ends() {
                mask.insert(end as usize);
            }
        }
    }
}

/// The masked cells before the first end of text.
fn holes(cells: &[Option<TokenId>], vocabulary: &Vocabulary) -> Vec<usize> {
    let text = cells.iter().position(|cell| is_end(*cell, vocabulary));
    let text = text.unwrap_or(cells.len());
    (0..text).filter(|&cell| cells[cell].is_none()).collect()
}

/// The masked cells in which the text might be over: nothing but masks and ends follows.
fn ends(cells: &[Option<TokenId>], vocabulary: &Vocabulary) -> Vec<usize> {
    let mut ends = Vec::new();
    for (at, &cell) in cells.iter().enumerate() {
        match cell {
            None => ends.push(at),
            Some(_) if is_end(cell, vocabulary) => {}
            Some(_) => ends.clear(),
        }
    }
    ends
}

fn is_end(cell: Option<TokenId>, vocabulary: &Vocabulary) -> bool {
    cell.is_some_and(|token| vocabulary.is_end(token))
}
