//! Token masks for holes: for every masked cell, the tokens that keep the canvas
//! completable, the other masked cells being free.
//!
//! [`CellBounds`] bound the masks from above, and make sure of most tokens. Tokens that do
//! the same in what is left are one *group*, decided together by the checker; every witness
//! that it finds decides a group of each cell. So a mask is exact, however coarse the bound.
//!
//! Exact for each cell alone, not for two together: after a commit a mask can only lose
//! tokens, and is narrowed before the next one ([`Checker::mask_within`]): what it had lost
//! stays lost, and completions that have the new token settle most of the rest.
//!
//! Cost: the bounds, and a check for each group that is left.

use lacuna_lexer::{BitSet, TokenId, Vocabulary};

use crate::{CanvasVerdict, Checker, Pattern};

mod bounds;
mod cells;
mod groups;

pub(crate) use bounds::{CellBounds, mask_bounds};
pub(crate) use cells::{cell_masks, no_masks};
use groups::Groups;

/// Work that checks for one drawing may take, in items of parses: as much as a few checks that
/// run out of their budgets. What a check counts for whose parses take none.
const EFFORT: usize = 20_000_000;
const CHECK: usize = 4_000;

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

/// A cell whose mask is wanted alone, and tokens that it has at most.
type Narrowed<'a> = (usize, &'a BitSet);

impl Checker {
    /// The tokens that may stand in each masked cell of a canvas, all other masked
    /// cells being free. Exactly those, but for what is undecided within the budgets.
    pub fn masks(&mut self, cells: &[Option<TokenId>]) -> Masks {
        self.draw_masks(cells, None)
    }

    /// The same of one masked cell, where it is known which tokens it has at most: those of
    /// its mask before other cells were committed, say. `None` if any of them cannot be
    /// decided within the budgets.
    pub fn mask_within(
        &mut self,
        cells: &[Option<TokenId>],
        cell: usize,
        most: &BitSet,
    ) -> Option<BitSet> {
        let mut masks = self.draw_masks(cells, Some((cell, most)));
        let mask = masks.cells.get_mut(cell)?.take()?;
        (masks.undecided == 0).then_some(mask)
    }

    // Inlined, so that who only draws whole masks does not carry the other way.
    #[inline(always)]
    fn draw_masks(&mut self, cells: &[Option<TokenId>], only: Option<Narrowed<'_>>) -> Masks {
        let Some(vocabulary) = self.vocabulary().cloned() else {
            return Masks::nothing(cells, 0);
        };
        let Some(pattern) = Pattern::of_canvas(cells, &vocabulary) else {
            return Masks::nothing(cells, vocabulary.len());
        };
        let mut masks = Masks::nothing(cells, vocabulary.len());
        let witness = match self.check_canvas(cells).0 {
            CanvasVerdict::Completable(tokens) => tokens,
            CanvasVerdict::Impossible | CanvasVerdict::Malformed => return masks,
            CanvasVerdict::Exhausted { .. } => {
                masks.undecided = masks.cells.iter().flatten().count() * vocabulary.len();
                return masks;
            }
        };
        match only {
            None => self.mask_ends(cells, &vocabulary, &mut masks),
            Some((cell, most)) => self.narrow_ends(cells, cell, most, &vocabulary, &mut masks),
        }
        let is_wanted = |cell: usize| only.is_none_or(|(wanted, _)| wanted == cell);
        if self.is_regular() {
            let possible = match only {
                None => self.all_possible(cells).unwrap_or_default(),
                Some((wanted, _)) => {
                    let mut possible = vec![None; cells.len()];
                    possible[wanted] = self.possible(cells, wanted);
                    possible
                }
            };
            for (mask, possible) in masks.cells.iter_mut().zip(possible) {
                if let Some((mask, possible)) = mask.as_mut().zip(possible) {
                    mask.union_with(&possible);
                }
            }
            return masks;
        }
        let text_cells = cells.iter().position(|cell| is_end(*cell, &vocabulary));
        let text_cells = text_cells.unwrap_or(cells.len());
        let holes: Vec<usize> = (0..text_cells).filter(|&at| cells[at].is_none()).collect();
        let hole = only.and_then(|(wanted, _)| holes.iter().position(|&cell| cell == wanted));
        if only.is_some() && hole.is_none() {
            return masks;
        }
        if let Some(found) = self.exact_masks(&pattern, hole) {
            for (found, &cell) in found.iter().zip(&holes) {
                if let Some(mask) = &mut masks.cells[cell] {
                    mask.union_with(found);
                }
            }
            return masks;
        }
        let known = only.map(|(wanted, most)| {
            let of = |&cell: &usize| {
                CellBounds::within(vocabulary.len(), (cell == wanted).then_some(most))
            };
            holes.iter().map(of).collect()
        });
        let groups: Vec<Groups> = match self.mask_bounds(&pattern, known) {
            Some(bounds) => {
                let bounds = holes.iter().zip(bounds).map(|(&cell, bounds)| {
                    if let Some(mask) = &mut masks.cells[cell] {
                        mask.union_with(&bounds.shown);
                    }
                    bounds.open
                });
                bounds.collect()
            }
            None => {
                let is_text = |token: &TokenId| vocabulary.bytes(*token).is_some();
                let tokens = 0..vocabulary.len() as TokenId;
                let groups = holes.iter().map(|&cell| {
                    let tokens = tokens.clone().filter(is_text);
                    let may = |&token: &TokenId| {
                        only.is_none_or(|(_, most)| most.contains(token as usize))
                    };
                    Groups::single(
                        vocabulary.len(),
                        tokens.filter(|_| is_wanted(cell)).filter(may),
                    )
                });
                groups.collect()
            }
        };
        for known in self.completions.all_of(cells).chain([witness.as_slice()]) {
            show(&groups, &holes, known, &vocabulary, &mut masks);
        }
        let mut effort = EFFORT;
        for (hole, &cell) in holes.iter().enumerate() {
            if groups[hole].tokens.len() <= 1 {
                continue;
            }
            let (at_least, at_most) = self.approximate_mask(cells, cell);
            if let (Some(mask), Some(at_least)) = (&mut masks.cells[cell], at_least) {
                mask.union_with(&at_least);
            }
            for group in &groups[hole].tokens {
                let Some(&token) = group.first() else {
                    continue;
                };
                let known = masks.cells[cell].as_ref();
                let may = |mask: &BitSet| mask.contains(token as usize);
                if known.is_some_and(may) || !at_most.as_ref().is_none_or(may) {
                    continue;
                }
                let mut tried = cells.to_vec();
                tried[cell] = Some(token);
                if effort == 0 {
                    masks.undecided += group.len();
                    continue;
                }
                let parsed = self.parsed();
                let (verdict, _) = self.check_canvas(&tried);
                effort = effort.saturating_sub(CHECK + self.parsed() - parsed);
                match verdict {
                    CanvasVerdict::Impossible | CanvasVerdict::Malformed => {}
                    CanvasVerdict::Exhausted { .. } => masks.undecided += group.len(),
                    CanvasVerdict::Completable(found) => {
                        show(&groups, &holes, &found, &vocabulary, &mut masks);
                    }
                }
            }
        }
        masks
    }

    /// Adds the ends of text to one cell's mask, if they may stand there and `most` has them.
    fn narrow_ends(
        &mut self,
        cells: &[Option<TokenId>],
        cell: usize,
        most: &BitSet,
        vocabulary: &Vocabulary,
        masks: &mut Masks,
    ) {
        let ends = vocabulary.ends().iter().map(|&end| end as usize);
        if !ends.clone().any(|end| most.contains(end)) {
            return;
        }
        let mut tried = cells.to_vec();
        tried[cell] = Some(vocabulary.end());
        match (self.check_canvas(&tried).0, &mut masks.cells[cell]) {
            (CanvasVerdict::Completable(_), Some(mask)) => ends.for_each(|end| {
                mask.insert(end);
            }),
            (CanvasVerdict::Exhausted { .. }, _) => masks.undecided += ends.count(),
            _ => {}
        }
    }

    /// Adds the ends of text: where nothing but masks and ends follows, and the text
    /// can be over.
    fn mask_ends(&mut self, cells: &[Option<TokenId>], vocabulary: &Vocabulary, masks: &mut Masks) {
        let text = cells
            .iter()
            .rposition(|cell| cell.is_some() && !is_end(*cell, vocabulary));
        let from = text.map_or(0, |at| at + 1);
        // Where the text may be over in one cell, it may be in any later one.
        let mut may_end = false;
        for cell in from..cells.len() {
            if cells[cell].is_some() {
                // Ends follow an end.
                may_end = true;
                continue;
            }
            if !may_end {
                let mut tried = cells.to_vec();
                tried[cell] = Some(vocabulary.end());
                match self.check_canvas(&tried).0 {
                    CanvasVerdict::Completable(_) => may_end = true,
                    CanvasVerdict::Exhausted { .. } => masks.undecided += vocabulary.ends().len(),
                    CanvasVerdict::Impossible | CanvasVerdict::Malformed => {}
                }
            }
            if may_end && let Some(mask) = &mut masks.cells[cell] {
                for &end in vocabulary.ends() {
                    mask.insert(end as usize);
                }
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
}

/// Adds what a completion shows: its tokens, and those that do the same.
fn show(
    groups: &[Groups],
    holes: &[usize],
    completion: &[TokenId],
    vocabulary: &Vocabulary,
    masks: &mut Masks,
) {
    for (groups, &cell) in groups.iter().zip(holes) {
        let Some(&token) = completion.get(cell) else {
            continue;
        };
        if vocabulary.is_end(token) {
            continue;
        }
        let group = groups.of_token.get(token as usize).copied().unwrap_or(0);
        let Some(mask) = &mut masks.cells[cell] else {
            continue;
        };
        mask.insert(token as usize);
        for &token in groups.tokens.get(group as usize).into_iter().flatten() {
            mask.insert(token as usize);
        }
    }
}

fn is_end(cell: Option<TokenId>, vocabulary: &Vocabulary) -> bool {
    cell.is_some_and(|token| vocabulary.is_end(token))
}
